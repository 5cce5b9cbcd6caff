package sim

import (
	"encoding/json"
	"strconv"
	"strings"

	"trawl/agent/llm/sim/internal/reader"
	"trawl/internal/text"
)

// A conversation is what the messages of a request say.
type conversation struct {
	question string
	native   bool     // tool calls; else tags in the text
	turn     int      // of the reply, from 1
	turns    int      // that there are in all, 0 if nothing says so
	queries  []string // searched before, in order
	notes    string   // the model's own replies
	anchor   string   // title of the first passage that was shown
	shelf    *reader.Shelf
	last     string // the last message from outside, without documents
	whole    string // and with them
	toolsOff bool
	mustCall bool
	tool     searchTool
	offered  []string  // the names of the tools
	messages []message // all of them
	answer   string    // the last that a reply of the model's gave
	earlier  *earlier  // what earlier rounds found out; nil if nothing says so
	hint     *hint     // what of the work is done already; nil if nothing says so
	thinking bool      // the chat template leaves thinking on
	found    bool      // a question line was found
}

// A searchTool is the tool that searches and the name and form of its argument.
type searchTool struct {
	name, argument string
	list           bool // the argument is a list of queries
}

const (
	questionMark = "Question:"
	docMark      = "Doc "
	titleMark    = "(Title: "
)

// newConversation reads the messages.
func newConversation(req *chatRequest) *conversation {
	c := &conversation{turn: 1, native: len(req.Tools) > 0, toolsOff: req.toolsOff(), messages: req.Messages, thinking: true}
	for i := range req.Tools {
		c.offered = append(c.offered, req.Tools[i].Function.Name)
	}
	if req.TemplateArgs != nil && req.TemplateArgs.EnableThinking != nil {
		c.thinking = *req.TemplateArgs.EnableThinking
	}
	if name, must := req.mustCall(); c.native {
		c.mustCall = must
		c.tool = findSearch(req.Tools, name)
	}
	var passages []reader.Passage
	var notes strings.Builder
	for i := range req.Messages {
		m := &req.Messages[i]
		body := m.text()
		if m.Role == "assistant" {
			c.turn++
			notes.WriteString(body + "\n" + m.reasoning() + "\n")
			c.queries = append(c.queries, queriesOf(m, body)...)
			if answer, ok := lastAnswer(body); ok {
				c.answer = answer
			}
			continue
		}
		before := len(passages)
		var rest string
		passages, rest = readDocs(passages, body)
		if c.anchor == "" && len(passages) > before {
			c.anchor = passages[before].Title
		}
		if !c.found && m.Role == "user" {
			var line string
			if line, c.found = lineAfter(rest, questionMark); c.found {
				c.question = line
			}
		}
		if c.turns == 0 {
			c.turns = turnsIn(rest)
		}
		if c.question == "" && m.Role == "user" {
			c.question = text.Truncate(text.Collapse(rest), 400) // unless a question line comes
		}
		if c.earlier == nil && m.Role == "user" {
			c.earlier = readEarlier(rest)
		}
		if c.hint == nil && m.Role == "user" {
			c.hint = readHint(body)
		}
		c.last, c.whole = rest, body
	}
	c.notes = notes.String()
	c.shelf = reader.NewShelf(passages)
	return c
}

// readDocs appends the documents among the lines of body and returns the other
// lines.
func readDocs(passages []reader.Passage, body string) (all []reader.Passage, rest string) {
	if !strings.Contains(body, docMark) {
		return passages, body
	}
	var other strings.Builder
	for line := range strings.SplitSeq(body, "\n") {
		if p, ok := readDoc(line); ok {
			passages = append(passages, p)
			continue
		}
		other.WriteString(line)
		other.WriteByte('\n')
	}
	return passages, other.String()
}

// readDoc reads a line "Doc 1(Title: …) …", which may stand behind an opening
// tag. The title may hold brackets, in pairs.
func readDoc(line string) (reader.Passage, bool) {
	head, doc, ok := strings.Cut(line, docMark)
	if head = strings.TrimSpace(head); !ok || head != "" && !strings.HasSuffix(head, ">") {
		return reader.Passage{}, false
	}
	number, doc, ok := strings.Cut(doc, titleMark)
	if _, err := strconv.Atoi(strings.TrimSpace(number)); !ok || err != nil {
		return reader.Passage{}, false
	}
	depth := 1
	for i := range len(doc) {
		switch doc[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return reader.Passage{Title: doc[:i], Text: strings.TrimSpace(doc[i+1:])}, true
			}
		}
	}
	title, body, _ := strings.Cut(doc, ") ")
	return reader.Passage{Title: title, Text: body}, true
}

// lineAfter returns the rest of the first line that begins with mark.
func lineAfter(s, mark string) (string, bool) {
	for line := range strings.SplitSeq(s, "\n") {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), mark); ok {
			if rest = strings.TrimSpace(rest); rest != "" {
				return rest, true
			}
		}
	}
	return "", false
}

// lastAnswer returns what stands in the last answer tag of s; to the end of the
// line if the tag lacks its end.
func lastAnswer(s string) (string, bool) {
	i := strings.LastIndex(s, answerOpen)
	if i < 0 {
		return "", false
	}
	answer, _, closed := strings.Cut(s[i+len(answerOpen):], answerClose)
	if !closed {
		answer, _, _ = strings.Cut(strings.TrimLeft(answer, " \n"), "\n")
	}
	answer = text.Collapse(answer)
	return answer, answer != ""
}

// turnsIn returns the number before the first word "turns" in s, 0 if there is
// none.
func turnsIn(s string) int {
	for at := 0; ; {
		i := strings.Index(s[at:], " turns")
		if i < 0 {
			return 0
		}
		end := at + i
		start := end
		for start > 0 && s[start-1] >= '0' && s[start-1] <= '9' {
			start--
		}
		if n, err := strconv.Atoi(s[start:end]); err == nil && n > 0 {
			return n
		}
		at = end + 1
	}
}

// queriesOf returns what a reply of the model searched for.
func queriesOf(m *message, body string) []string {
	var out []string
	for i := range m.ToolCalls {
		var args map[string]any
		if json.Unmarshal([]byte(m.ToolCalls[i].arguments()), &args) != nil {
			continue
		}
		switch q := args["query"].(type) {
		case string:
			out = append(out, q)
		case []any:
			for _, v := range q {
				if s, ok := v.(string); ok {
					out = append(out, s)
				}
			}
		}
	}
	if _, rest, ok := strings.Cut(body, "<search>"); ok && len(out) == 0 {
		q, _, _ := strings.Cut(rest, "</search>")
		out = append(out, text.Collapse(q))
	}
	return out
}

// findSearch picks the tool to search with: the one that is named, else one
// with "search" in its name, else the first.
func findSearch(tools []tool, named string) searchTool {
	pick := &tools[0].Function
	for i := range tools {
		f := &tools[i].Function
		if named != "" && f.Name == named || named == "" && strings.Contains(f.Name, "search") {
			pick = f
			break
		}
	}
	t := searchTool{name: pick.Name, argument: "query"}
	var schema struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	if json.Unmarshal(pick.Parameters, &schema) != nil || len(schema.Properties) == 0 {
		return t
	}
	if _, ok := schema.Properties[t.argument]; !ok {
		t.argument = ""
		for name := range schema.Properties { // the first by name
			if t.argument == "" || name < t.argument {
				t.argument = name
			}
		}
	}
	t.list = schema.Properties[t.argument].Type == "array"
	return t
}
