package openai

import (
	"encoding/json"
	"strings"

	"trawl/agent/llm"
	"trawl/internal/text"
)

// fold returns messages in the form that any chat template takes, user and
// assistant in turn:
//
//   - a system message is said by the user;
//   - a tool's result is said by the user, between <tool_response> tags;
//   - calls stand in the assistant's text, between <tool_call> tags, as Hermes'
//     and Qwen's templates write them, which is also how to read them;
//   - neighbours of one role become one message, a blank line between them.
//
// A conversation that the assistant begins stays so.
func fold(messages []llm.Message) []llm.Message {
	var out []llm.Message
	for _, m := range messages {
		m = flatten(m)
		if n := len(out); n > 0 && out[n-1].Role == m.Role {
			out[n-1].Content = join(out[n-1].Content, m.Content)
			out[n-1].Reasoning = join(out[n-1].Reasoning, m.Reasoning)
			continue
		}
		out = append(out, m)
	}
	return out
}

// flatten returns m as a message with nothing but text.
func flatten(m llm.Message) llm.Message {
	switch m.Role {
	case llm.Assistant:
		text := m.Content
		for _, c := range m.ToolCalls {
			text = join(text, callText(c))
		}
		return llm.Message{Role: llm.Assistant, Content: text, Reasoning: m.Reasoning}
	case llm.ToolRole:
		return llm.Message{Role: llm.User, Content: "<tool_response>\n" + m.Content + "\n</tool_response>"}
	default:
		return llm.Message{Role: llm.User, Content: m.Content}
	}
}

// join puts a blank line between two texts, if there are two.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return strings.TrimRight(a, "\n") + "\n\n" + b
}

// callText renders a call. Arguments that are not JSON, which no template would
// have let through, become none.
func callText(c llm.ToolCall) string {
	name, err := text.JSON(c.Name)
	if err != nil { // a string always has a JSON form
		name = json.RawMessage(`""`)
	}
	args := strings.TrimSpace(c.Arguments)
	if !json.Valid([]byte(args)) {
		args = "{}"
	}
	return "<tool_call>\n{\"name\": " + string(name) + ", \"arguments\": " + args + "}\n</tool_call>"
}
