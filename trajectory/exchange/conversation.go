package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"trawl/agent/llm/reply"
	"trawl/trajectory"
)

// A wireMessage is a message of the chat protocol as programs write it.
type wireMessage struct {
	Role             string          `json:"role"`
	Content          json.RawMessage `json:"content"`
	Reasoning        string          `json:"reasoning"`
	ReasoningContent string          `json:"reasoning_content"`
	ToolCalls        []wireToolCall  `json:"tool_calls"`
	ToolCallID       string          `json:"tool_call_id"`
	Name             string          `json:"name"`
	StepPPL          json.RawMessage `json:"step_ppl"` // ParallelMuse's
}

type wireToolCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// contentOf returns the text of a content: of a string, of null, or of the parts
// of a list that are text.
func contentOf(raw json.RawMessage) (string, error) {
	var (
		whole string
		parts []struct {
			Text string `json:"text"`
		}
	)
	switch {
	case len(raw) == 0:
		return "", nil
	case raw[0] != '[':
		if json.Unmarshal(raw, &whole) != nil {
			return "", errors.New("content: neither a string nor a list of parts")
		}
		return whole, nil
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", errors.New("content: a part is no object with a text")
	}
	for _, p := range parts {
		whole += p.Text
	}
	return whole, nil
}

// plain returns the text that a content is the JSON of; the content itself where it
// is that of no text.
func plain(content string) string {
	var said *string // nil for null, which is no text
	if json.Unmarshal([]byte(content), &said) != nil || said == nil {
		return content
	}
	return *said
}

// argumentsOf returns the arguments of a call as they stand in a message: some
// programs write the JSON itself where the protocol has it in a string.
func argumentsOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// replies counts the messages of the agent.
func replies(messages []wireMessage) int {
	n := 0
	for _, m := range messages {
		if m.Role == "assistant" {
			n++
		}
	}
	return n
}

// A conversation turns messages into the steps of a rollout, one after the other.
type conversation struct {
	t       *trajectory.Trajectory
	last    int  // turn of the last reply
	inText  bool // calls and results stand in the text of messages
	quoted  bool // results are the JSON of what was shown
	turn    int
	waiting []int  // indices of steps whose result has not come
	page    string // title of the page that a Search returned last
	said    string // content of the last reply
	unread  int
}

func (c *conversation) add(m wireMessage) error {
	said, err := contentOf(m.Content)
	if err != nil {
		return err
	}
	if c.quoted && m.Role == "tool" {
		said = plain(said)
	}
	msg := trajectory.Message{Role: m.Role, Content: said, Reasoning: m.Reasoning, ToolCallID: m.ToolCallID, Name: m.Name}
	if msg.Reasoning == "" {
		msg.Reasoning = m.ReasoningContent
	}
	for _, call := range m.ToolCalls {
		msg.ToolCalls = append(msg.ToolCalls, trajectory.ToolCall{ID: call.ID, Name: call.Function.Name, Arguments: argumentsOf(call.Function.Arguments)})
	}
	c.t.Messages = append(c.t.Messages, msg)
	defer c.measure(len(c.t.Steps), m.StepPPL)
	switch m.Role {
	case "assistant":
		if c.inText && len(msg.ToolCalls) == 0 {
			c.said = msg.Content
			return c.steps(called(msg.Content))
		}
		return c.reply(msg)
	case "tool":
		return c.result(msg)
	case "user":
		if c.inText {
			c.returned(msg.Content)
		}
		return nil
	case "system", "developer":
		return nil
	}
	return fmt.Errorf("role: %q, want system, user, assistant or tool", m.Role)
}

// measure gives the first of the steps from n on the entropy that ParallelMuse keeps
// as a perplexity of the call: exp of the mean entropy of its tokens.
func (c *conversation) measure(n int, raw json.RawMessage) {
	var step struct {
		Call float64 `json:"tool_call_ppl"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &step) != nil || step.Call < 1 || n >= len(c.t.Steps) {
		return
	}
	h := math.Log(step.Call)
	c.t.Steps[n].Entropy = &h
}

// reply adds what a reply does. The marks of thinking that a server left in the
// content are no part of the thought.
func (c *conversation) reply(m trajectory.Message) error {
	c.said = m.Content
	return c.steps(reply.Join(m.Reasoning, withoutMarks.Replace(m.Content)), m.ToolCalls)
}

// steps adds the steps of a turn: one for each call, or one without.
func (c *conversation) steps(thought string, calls []trajectory.ToolCall) error {
	c.turn++
	c.t.Usage.LLMCalls++
	c.waiting = c.waiting[:0]
	if len(calls) == 0 {
		kind := trajectory.KindNone
		if c.turn == c.last && c.t.Answer != "" {
			kind = trajectory.KindAnswer
		}
		c.t.Steps = append(c.t.Steps, trajectory.Step{Turn: c.turn, Kind: kind, Thought: thought})
		return nil
	}
	for i, call := range calls {
		if call.Name == "" {
			return errors.New("tool_calls: a call has no name")
		}
		args := asJSON(call.Arguments)
		step := trajectory.Step{Turn: c.turn, Kind: kindOf(call.Name), Call: &trajectory.Call{ID: call.ID, Name: call.Name, Arguments: args}}
		step.Query = queryOf(args)
		if i == 0 {
			step.Thought = thought
		}
		c.waiting = append(c.waiting, len(c.t.Steps))
		c.t.Steps = append(c.t.Steps, step)
	}
	return nil
}

// result adds what a call returned to its step.
func (c *conversation) result(m trajectory.Message) error {
	at := -1
	for i, step := range c.waiting {
		if m.ToolCallID == "" || c.t.Steps[step].Call.ID == m.ToolCallID {
			at = i
			break
		}
	}
	if at < 0 {
		return fmt.Errorf("tool_call_id: no call %q waits for a result", m.ToolCallID)
	}
	c.show(at, m.Content)
	return nil
}

// show adds what came back to the step that waits at a place.
func (c *conversation) show(at int, shown string) {
	step := &c.t.Steps[c.waiting[at]]
	c.waiting = append(c.waiting[:at], c.waiting[at+1:]...)
	step.Shown = shown
	switch step.Kind {
	case trajectory.KindSearch:
		c.t.Usage.Searches++
	case trajectory.KindOpen:
		c.t.Usage.Opens++
	case trajectory.KindFind:
	default:
		return
	}
	if !c.documents(step) {
		c.unread++
	}
}

// documents fills in the documents that a step was shown. It reports false if
// there may be some that it cannot tell.
func (c *conversation) documents(step *trajectory.Step) bool {
	shown := plain(step.Shown) // AggAgent's results, in another form
	shown = strings.TrimSpace(strings.ReplaceAll(shown, "\r\n", "\n"))
	if isNothing(shown) || shown == "null" {
		return true
	}
	docs := ranked(shown)
	if docs == nil {
		docs = fromWeb(shown)
	}
	if docs != nil {
		step.Results = docs
		return true
	}
	if json.Valid([]byte(shown)) || strings.ContainsRune(`{[<`, rune(shown[0])) { // some structure that is not known here
		return false
	}
	r := trajectory.Result{Rank: 1, Title: step.Query, Text: shown}
	switch step.Kind {
	case trajectory.KindSearch:
		c.page = r.Title
	case trajectory.KindFind:
		r.Title, r.Text = c.page, lookedUp(shown)
	}
	step.Results = []trajectory.Result{r}
	return true
}

// kindOf says what a tool does, by its name.
func kindOf(tool string) trajectory.Kind {
	tool = strings.ToLower(tool)
	for _, k := range []struct {
		part string
		kind trajectory.Kind
	}{
		{"search", trajectory.KindSearch}, {"retrieve", trajectory.KindSearch},
		{"lookup", trajectory.KindFind}, {"find", trajectory.KindFind},
		{"open", trajectory.KindOpen}, {"visit", trajectory.KindOpen}, {"browse", trajectory.KindOpen}, {"get_document", trajectory.KindOpen}, {"fetch", trajectory.KindOpen},
	} {
		if strings.Contains(tool, k.part) {
			return k.kind
		}
	}
	return trajectory.KindNone
}

// asJSON returns the arguments of a call as JSON: as they are, or, where a model
// wrote something else, as a string of it.
func asJSON(args string) json.RawMessage {
	if json.Valid([]byte(args)) {
		return json.RawMessage(args)
	}
	quoted, err := json.Marshal(args)
	if err != nil {
		return json.RawMessage("null")
	}
	return quoted
}

// queryOf returns what a call asks for: the first of the usual arguments that is
// a string, or a list of strings.
func queryOf(args json.RawMessage) string {
	var object map[string]json.RawMessage
	if json.Unmarshal(args, &object) != nil {
		return ""
	}
	for _, key := range []string{"query", "queries", "q", "keyword", "pattern", "url", "id"} {
		var parts []string
		if list(key, object[key], &parts) == nil && len(parts) > 0 {
			return strings.Join(parts, "; ")
		}
	}
	return ""
}
