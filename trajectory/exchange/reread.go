package exchange

import (
	"trawl/internal/text"
	"trawl/trajectory"
)

// losesReading counts what whoever reads the written messages takes steps for that
// they are not: a shown text that holds the tag which ends it, say.
func (w *writing) losesReading(messages []wireMessage, inText bool) {
	was, now := w.Trajectory, &trajectory.Trajectory{Answer: w.Trajectory.Answer}
	c := conversation{t: now, last: replies(messages), inText: inText}
	for _, m := range messages {
		if c.add(m) != nil {
			break
		}
	}
	w.loses("number of steps", len(was.Steps) != len(now.Steps))
	for i := range min(len(was.Steps), len(now.Steps)) {
		a, b := was.Steps[i], now.Steps[i]
		w.loses("steps.kind", a.Kind != b.Kind)
		w.loses("steps.thought", a.Thought != b.Thought)
		w.loses("steps.query", a.Query != b.Query)
		w.loses("steps.shown", a.Shown != b.Shown)
	}
}

// losesAnswer counts an answer that is taken for a whole reply, with an answer line in
// it, where a prediction may be one.
func (w *writing) losesAnswer() {
	w.loses("answer (read as a whole reply)", text.Collapse(tagged(w.Trajectory.Answer)) != text.Collapse(w.Trajectory.Answer))
}

// plainWire returns messages without calls as programs write them.
func plainWire(messages []plainMessage) []wireMessage {
	out := make([]wireMessage, len(messages))
	for i, m := range messages {
		out[i] = said(m.Role, m.Content)
	}
	return out
}

// wire returns messages as programs write them.
func wire(messages []trajectory.Message) []wireMessage {
	out := make([]wireMessage, len(messages))
	for i, m := range messages {
		out[i] = said(m.Role, m.Content)
		out[i].Reasoning, out[i].ToolCallID = m.Reasoning, m.ToolCallID
		for _, c := range m.ToolCalls {
			call := wireToolCall{ID: c.ID}
			call.Function.Name, call.Function.Arguments = c.Name, quoted(c.Arguments)
			out[i].ToolCalls = append(out[i].ToolCalls, call)
		}
	}
	return out
}
