package agent

import (
	"strings"

	"trawl/agent/llm"
	"trawl/agent/tool"
	"trawl/internal/text"
	"trawl/trajectory"
)

// A Dialect is how an agent talks with its model about tools.
type Dialect string

// The dialects.
const (
	Native Dialect = "native" // tools in the request, calls and results as messages of their own
	Tags   Dialect = "tags"   // <search>, <information> and <answer> in plain text, as Search-R1 has it
)

// The tags that close an action end a completion in the tags dialect; servers
// do not send them, so whoever reads a reply must expect open tags.
const (
	closeSearch = "</search>"
	closeAnswer = "</answer>"
)

// opening returns the messages that begin a conversation.
func (d Dialect) opening(q trajectory.Question, turns int) []trajectory.Message {
	question := render("question", struct{ Text string }{text.Collapse(q.Text)})
	data := struct {
		Turns    int
		Question string
	}{turns, question}
	if d == Tags {
		return []trajectory.Message{{Role: llm.User, Content: render("tags", data)}}
	}
	return []trajectory.Message{
		{Role: llm.System, Content: render("native", data)},
		{Role: llm.User, Content: question},
	}
}

// said returns the model's message as it stands in the conversation from now
// on: the thinking told apart, the calls in one form whatever the model wrote,
// and nothing that follows them.
func (d Dialect) said(r reply, calls []trajectory.Call) trajectory.Message {
	m := trajectory.Message{Role: llm.Assistant, Reasoning: r.reasoning}
	if d == Tags {
		m.Content = joinTexts(think(r.thought), r.said, tagged(r, calls))
		return m
	}
	m.Reasoning = r.thinking()
	switch {
	case len(calls) > 0:
		m.Content = r.said
	case r.full == "" && r.answer != "":
		m.Content = "<answer>" + r.answer + closeAnswer
	default:
		m.Content = r.full
	}
	for _, c := range calls {
		m.ToolCalls = append(m.ToolCalls, trajectory.ToolCall{ID: c.ID, Name: c.Name, Arguments: string(c.Arguments)})
	}
	return m
}

func think(thought string) string {
	if thought == "" {
		return ""
	}
	return "<think>" + thought + "</think>"
}

// tagged writes the calls or the answer in tags.
func tagged(r reply, calls []trajectory.Call) string {
	var lines []string
	for _, c := range calls {
		query, ok := queryOf(c)
		if ok {
			lines = append(lines, "<search>"+query+closeSearch)
			continue
		}
		lines = append(lines, `<tool_call>{"name":`+quote(c.Name)+`,"arguments":`+string(c.Arguments)+"}</tool_call>")
	}
	if r.answer != "" && len(calls) == 0 {
		lines = append(lines, "<answer>"+r.answer+closeAnswer)
	}
	return strings.Join(lines, "\n")
}

// quote writes s as a JSON text.
func quote(s string) string {
	wrapped := string(tool.Arguments(map[string]any{"": s})) // {"":"s"}
	return wrapped[len(`{"":`) : len(wrapped)-1]
}

// An observation is what one call showed.
type observation struct {
	call  trajectory.Call
	shown string
}

// observed returns the messages that answer the calls, each exactly once.
func (d Dialect) observed(os []observation) []trajectory.Message {
	if d == Tags {
		blocks := make([]string, len(os))
		for i, o := range os {
			blocks[i] = informationOpen + o.shown + informationClose
		}
		return []trajectory.Message{{Role: llm.User, Content: strings.Join(blocks, "\n")}}
	}
	ms := make([]trajectory.Message, len(os))
	for i, o := range os {
		ms[i] = trajectory.Message{Role: llm.ToolRole, ToolCallID: o.call.ID, Name: o.call.Name, Content: o.shown}
	}
	return ms
}

const (
	informationOpen  = "<information>\n"
	informationClose = "\n</information>"
)

// reminder returns what a model is told that neither called nor answered.
func (d Dialect) reminder(tools tool.Set) string {
	if d == Tags {
		return render("reminder-tags", nil)
	}
	return render("reminder-native", struct{ Tools string }{tools.Names()})
}
