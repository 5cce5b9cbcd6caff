package sim

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A chatRequest is the body of POST /v1/chat/completions, as far as the
// simulated model heeds it. Unknown keys are accepted.
type chatRequest struct {
	Model               string          `json:"model"`
	Messages            []message       `json:"messages"`
	Tools               []tool          `json:"tools"`
	ToolChoice          any             `json:"tool_choice"` // "none", "auto", "required" or an object that names a function
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	Stop                any             `json:"stop"` // a string or a list of strings
	IncludeStop         bool            `json:"include_stop_str_in_output"`
	Seed                *int64          `json:"seed"`
	Temperature         *float64        `json:"temperature"`
	N                   *int            `json:"n"`
	Stream              bool            `json:"stream"`
	StreamOptions       *streamOptions  `json:"stream_options"`
	TemplateArgs        *templateKwargs `json:"chat_template_kwargs"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type templateKwargs struct {
	EnableThinking *bool `json:"enable_thinking"`
}

// A message is one message of a request. Content is a string, null, or a list
// of parts of which those of type text count.
type message struct {
	Role      string     `json:"role"`
	Content   any        `json:"content"`
	ToolCalls []wireCall `json:"tool_calls"`
	CallID    string     `json:"tool_call_id"`
	Reasoning string     `json:"reasoning"`
	Thinking  string     `json:"reasoning_content"`
}

// text returns the text of the message's content.
func (m *message) text() string {
	switch c := m.Content.(type) {
	case string:
		return c
	case []any:
		var b strings.Builder
		for _, part := range c {
			if p, ok := part.(map[string]any); ok {
				if s, ok := p["text"].(string); ok {
					b.WriteString(s)
				}
			}
		}
		return b.String()
	}
	return ""
}

// reasoning returns the thinking that was sent back, under either key.
func (m *message) reasoning() string {
	if m.Reasoning != "" {
		return m.Reasoning
	}
	return m.Thinking
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

type wireCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function callFunction `json:"function"`
}

type callFunction struct {
	Name      string `json:"name"`
	Arguments any    `json:"arguments"` // JSON in a string; some senders write the object itself
}

// arguments returns the call's arguments as JSON text.
func (c *wireCall) arguments() string {
	switch a := c.Function.Arguments.(type) {
	case string:
		return a
	case nil:
		return ""
	default:
		b, err := json.Marshal(a)
		if err != nil {
			return ""
		}
		return string(b)
	}
}

// stops returns the stop strings of the request, empty ones left out.
func (r *chatRequest) stops() []string {
	var out []string
	add := func(v any) {
		if s, ok := v.(string); ok && s != "" {
			out = append(out, s)
		}
	}
	if list, ok := r.Stop.([]any); ok {
		for _, v := range list {
			add(v)
		}
		return out
	}
	add(r.Stop)
	return out
}

// limit returns the completion tokens that were asked for, 0 if none were.
func (r *chatRequest) limit() (n int, given bool) {
	switch {
	case r.MaxCompletionTokens != nil:
		return *r.MaxCompletionTokens, true
	case r.MaxTokens != nil:
		return *r.MaxTokens, true
	}
	return 0, false
}

func (r *chatRequest) seed() int64 {
	if r.Seed == nil {
		return 0 // as vLLM: without a seed, equal prompts get equal replies from every server
	}
	return *r.Seed
}

func (r *chatRequest) temperature() float64 {
	if r.Temperature == nil {
		return 1
	}
	return min(max(*r.Temperature, 0), 2)
}

// toolsOff reports whether the request forbids tool calls.
func (r *chatRequest) toolsOff() bool { return r.ToolChoice == "none" }

// mustCall reports whether the request demands a tool call, and of which tool
// if it names one.
func (r *chatRequest) mustCall() (name string, must bool) {
	switch c := r.ToolChoice.(type) {
	case string:
		return "", c == "required"
	case map[string]any:
		if f, ok := c["function"].(map[string]any); ok {
			name, _ = f["name"].(string)
			return name, true
		}
	}
	return "", false
}

// validate returns what is wrong with the request, in vLLM's words; nothing if
// it is well formed.
func (r *chatRequest) validate() string {
	n, given := r.limit()
	switch {
	case len(r.Messages) == 0:
		return "messages: list should have at least 1 item"
	case given && n < 1:
		return fmt.Sprintf("max_tokens must be at least 1, got %d.", n)
	case r.N != nil && *r.N != 1:
		return fmt.Sprintf("n: the simulated model gives 1 choice, got %d", *r.N)
	}
	for i := range r.Messages {
		switch r.Messages[i].Role {
		case "system", "developer", "user", "assistant", "tool":
		default:
			return fmt.Sprintf("messages[%d]: unknown role %q", i, r.Messages[i].Role)
		}
	}
	return ""
}

// The reply types are written out so that their keys have a fixed order.

type chatResponse struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

type choice struct {
	Index      int           `json:"index"`
	Message    *replyMessage `json:"message,omitempty"`
	Delta      *delta        `json:"delta,omitempty"`
	Finish     *string       `json:"finish_reason"`
	StopReason *string       `json:"stop_reason,omitempty"`
}

type replyMessage struct {
	Role      string      `json:"role"`
	Content   *string     `json:"content"`
	Reasoning string      `json:"reasoning,omitempty"`
	Thinking  string      `json:"reasoning_content,omitempty"`
	ToolCalls *[]wireCall `json:"tool_calls,omitempty"`
}

type delta struct {
	Role      string      `json:"role,omitempty"`
	Content   *string     `json:"content,omitempty"`
	Reasoning string      `json:"reasoning,omitempty"`
	Thinking  string      `json:"reasoning_content,omitempty"`
	ToolCalls []callDelta `json:"tool_calls,omitempty"`
}

type callDelta struct {
	Index    int           `json:"index"`
	ID       *string       `json:"id"`
	Type     string        `json:"type,omitempty"`
	Function functionDelta `json:"function"`
}

type functionDelta struct {
	Name      *string `json:"name"`
	Arguments string  `json:"arguments"`
}

type usage struct {
	Prompt     int           `json:"prompt_tokens"`
	Completion int           `json:"completion_tokens"`
	Total      int           `json:"total_tokens"`
	Details    promptDetails `json:"prompt_tokens_details"`
}

type promptDetails struct {
	Cached int `json:"cached_tokens"`
}

type errorBody struct {
	Error errorDetail `json:"error"`
}

type errorDetail struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    int     `json:"code"`
}
