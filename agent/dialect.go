package agent

import (
	"slices"
	"strings"

	"trawl/agent/llm"
	"trawl/agent/llm/reply"
	"trawl/agent/tool"
	"trawl/internal/text"
	"trawl/internal/transcript"
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

// form returns how replies in the dialect are read.
func (d Dialect) form() reply.Form {
	if d == Tags {
		return reply.Tags
	}
	return reply.Native
}

// opening returns the messages that begin a conversation: the rules, the
// question on a line of its own, and what the rollout is told of earlier ones.
func (d Dialect) opening(task Task, turns int) []trajectory.Message {
	var p Preface
	if task.Preface != nil {
		p = *task.Preface
	}
	data := struct {
		Turns    int
		Question string // with all that stands behind the rules
	}{turns, render("question", struct{ Text string }{text.Collapse(task.Question.Text)})}
	if d == Tags {
		data.Question = paragraphs(p.Note, data.Question, p.Text)
		return []trajectory.Message{{Role: llm.User, Content: render("tags", data)}}
	}
	ms := []trajectory.Message{
		{Role: llm.System, Content: paragraphs(render("native", data), p.Note)},
		{Role: llm.User, Content: data.Question},
	}
	if p.Text != "" {
		ms = append(ms, trajectory.Message{Role: llm.User, Content: p.Text})
	}
	return ms
}

// paragraphs returns the texts that are not empty, with blank lines between them.
func paragraphs(texts ...string) string {
	texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	return strings.Join(texts, "\n\n")
}

// said returns the model's message as it stands in the conversation from now
// on: the thinking told apart, the calls in one form whatever the model wrote,
// and nothing that follows them.
func (d Dialect) said(r reply.Reply, calls []trajectory.Call) trajectory.Message {
	m := trajectory.Message{Role: llm.Assistant, Reasoning: r.Reasoning}
	if d == Tags {
		m.Content = reply.Join(think(r.Thought), r.Said, tagged(r, calls))
		return m
	}
	m.Reasoning = r.Thinking()
	switch {
	case len(calls) > 0:
		m.Content = r.Said
	case r.Full == "" && r.Answer != "":
		m.Content = "<answer>" + r.Answer + closeAnswer
	default:
		m.Content = r.Full
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
func tagged(r reply.Reply, calls []trajectory.Call) string {
	var lines []string
	for _, c := range calls {
		query, ok := queryOf(c)
		if ok {
			lines = append(lines, "<search>"+query+closeSearch)
			continue
		}
		lines = append(lines, `<tool_call>{"name":`+quote(c.Name)+`,"arguments":`+string(c.Arguments)+"}</tool_call>")
	}
	if r.Answer != "" && len(calls) == 0 {
		lines = append(lines, "<answer>"+r.Answer+closeAnswer)
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
			blocks[i] = transcript.InformationOpen + o.shown + transcript.InformationClose
		}
		return []trajectory.Message{{Role: llm.User, Content: strings.Join(blocks, "\n")}}
	}
	ms := make([]trajectory.Message, len(os))
	for i, o := range os {
		ms[i] = trajectory.Message{Role: llm.ToolRole, ToolCallID: o.call.ID, Name: o.call.Name, Content: o.shown}
	}
	return ms
}

// reminder returns what a model is told that neither called nor answered.
func (d Dialect) reminder(tools tool.Set) string {
	if d == Tags {
		return render("reminder-tags", nil)
	}
	return render("reminder-native", struct{ Tools string }{tools.Names()})
}
