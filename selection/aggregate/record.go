package aggregate

import (
	"iter"
	"slices"
	"strings"

	"trawl/agent/llm"
	"trawl/agent/llm/reply"
	"trawl/internal/transcript"
	"trawl/trajectory"
)

// prediction returns what a rollout ended with: its last message, without the
// thinking, or its answer if that message is missing, empty or calls a tool.
func prediction(t *trajectory.Trajectory) string {
	for _, m := range slices.Backward(t.Messages) {
		if m.Role != llm.Assistant {
			continue
		}
		if s := reply.AfterThinking(m.Content); s != "" && len(m.ToolCalls) == 0 {
			return s
		}
		break
	}
	return strings.TrimSpace(t.Answer)
}

// messagesOf returns the conversation of a rollout, each call answered. One that
// was recorded without it is told by its steps.
func messagesOf(t *trajectory.Trajectory) []trajectory.Message {
	ms := t.Messages
	if len(ms) == 0 {
		ms = retold(t)
	}
	return transcript.Closed(ms, words("open-call", nil))
}

// retold makes a conversation of the steps of a rollout.
func retold(t *trajectory.Trajectory) []trajectory.Message {
	ms := []trajectory.Message{{Role: llm.User, Content: t.Question}}
	for _, s := range t.Steps {
		m := trajectory.Message{Role: llm.Assistant, Reasoning: s.Thought}
		if s.Call == nil && s.Query == "" {
			if s.Thought != "" {
				ms = append(ms, m)
			}
			continue
		}
		name, arguments := string(s.Kind), mustJSON(map[string]string{"query": s.Query})
		if s.Call != nil {
			name, arguments = s.Call.Name, s.Call.Arguments
		}
		m.ToolCalls = []trajectory.ToolCall{{Name: name, Arguments: string(arguments)}}
		shown := s.Shown
		if shown == "" {
			shown = s.Error
		}
		ms = append(ms, m, trajectory.Message{Role: llm.ToolRole, Name: name, Content: shown})
	}
	if t.Answer != "" {
		ms = append(ms, trajectory.Message{Role: llm.Assistant, Content: "<answer>" + t.Answer + "</answer>"})
	}
	return ms
}

// shorter yields a conversation as it is sent, whole first and then, for models
// that it does not fit, with less and less of it.
func shorter(ms []trajectory.Message) iter.Seq[[]llm.Message] {
	return func(yield func([]llm.Message) bool) {
		c := transcript.Split(ms)
		for f, ok := (transcript.Fit{}), true; ok; f, ok = c.Smaller(f) {
			if !yield(c.Wire(f)) {
				return
			}
		}
	}
}

// record renders a conversation for a reader, without the system's message.
func record(ms []llm.Message) string { return strings.TrimLeft(render("record", ms), "\n") }
