package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	goopenai "github.com/sashabaranov/go-openai"

	"trawl/agent/llm"
	"trawl/internal/text"
)

// A wire is how one request is put on the wire.
type wire struct {
	model  string
	tokens int // max_tokens; 0 sends none
	form   form
	stream bool
}

// An overlay holds keys of a request's body that go-openai does not know or
// would leave out. A null removes the key.
type overlay map[string]json.RawMessage

// encode returns go-openai's request and what the transport lays over it: the
// messages, sampling values, which go-openai drops when they are zero (its issue
// 9), and the request's own extra keys, which come last and win.
func (w wire) encode(req *llm.Request) (goopenai.ChatCompletionRequest, overlay, error) {
	body := goopenai.ChatCompletionRequest{Model: w.model, Stop: req.Stop, Tools: wireTools(req.Tools)}
	if req.Seed != nil {
		seed := int(*req.Seed)
		body.Seed = &seed
	}
	if req.NoTools && len(req.Tools) > 0 {
		body.ToolChoice = "none"
	}
	keys := map[string]any{"messages": w.messages(req.Messages)}
	if req.Temperature != nil {
		keys["temperature"] = *req.Temperature
	}
	if req.TopP != nil {
		keys["top_p"] = *req.TopP
	}
	if w.tokens > 0 {
		keys[w.form.tokensKey()] = w.tokens
	}
	if req.Logprobs > 0 && w.form&noLogprobs == 0 {
		keys["logprobs"], keys["top_logprobs"] = true, req.Logprobs
	}
	if w.stream {
		keys["stream"] = true
		keys["stream_options"] = goopenai.StreamOptions{IncludeUsage: true}
	}
	maps.Copy(keys, req.Extra)
	over := make(overlay, len(keys))
	for key, value := range keys {
		data, err := text.JSON(value)
		if err != nil {
			return body, nil, fmt.Errorf("openai: %s: %w", key, err)
		}
		over[key] = data
	}
	return body, over, nil
}

// wireTools returns the tools as the protocol has them. A tool without
// parameters has an object without properties: null is refused by some.
func wireTools(tools []llm.Tool) []goopenai.Tool {
	var out []goopenai.Tool
	for _, t := range tools {
		params := t.Parameters
		if len(params) == 0 {
			params = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		out = append(out, goopenai.Tool{Type: goopenai.ToolTypeFunction, Function: &goopenai.FunctionDefinition{
			Name: t.Name, Description: t.Description, Parameters: params,
		}})
	}
	return out
}

// A wireMessage has every key that a message may have on the wire, and no
// other: servers refuse those that they do not know (vLLM issues 12864, 10463).
// Content is never null, an empty list of calls is left out, and reasoning goes
// under both of its names, since servers read one, the other, or either.
type wireMessage struct {
	Role             string     `json:"role"`
	Content          string     `json:"content"`
	Reasoning        string     `json:"reasoning,omitempty"`
	ReasoningContent string     `json:"reasoning_content,omitempty"`
	ToolCalls        []wireCall `json:"tool_calls,omitempty"`
	ToolCallID       string     `json:"tool_call_id,omitempty"`
	Name             string     `json:"name,omitempty"`
}

type wireCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      string `json:"name"`
	Arguments any    `json:"arguments"` // a string or, in the form objectArguments, an object
}

func (w wire) messages(messages []llm.Message) []wireMessage {
	if w.form&folded != 0 {
		messages = fold(messages)
	}
	out := make([]wireMessage, len(messages))
	for i, m := range messages {
		out[i] = wireMessage{Role: m.Role, Content: m.Content, ToolCallID: m.ToolCallID, Name: m.Name}
		if m.Role == llm.Assistant && w.form&noReasoning == 0 {
			out[i].Reasoning, out[i].ReasoningContent = m.Reasoning, m.Reasoning
		}
		for _, c := range m.ToolCalls {
			out[i].ToolCalls = append(out[i].ToolCalls, wireCall{ID: c.ID, Type: "function", Function: wireFunction{
				Name: c.Name, Arguments: w.form.arguments(c.Arguments),
			}})
		}
	}
	return out
}

type overlayKey struct{}

func withOverlay(ctx context.Context, over overlay) context.Context {
	return context.WithValue(ctx, overlayKey{}, over)
}

// lay returns the body, a JSON object, with the overlay's keys put in. Keys are
// sorted, so that the same request has the same bytes.
func (o overlay) lay(body io.Reader) ([]byte, error) {
	var keys map[string]json.RawMessage
	if err := json.NewDecoder(body).Decode(&keys); err != nil {
		return nil, fmt.Errorf("openai: request body: %w", err)
	}
	maps.Copy(keys, o)
	size := 2
	for k, v := range keys {
		size += len(k) + len(v) + 4
	}
	out := make([]byte, 0, size)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if string(keys[key]) == "null" {
			continue
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		out = append(append(append(append(out, ','), name...), ':'), keys[key]...)
	}
	if len(out) == 0 {
		return []byte("{}"), nil
	}
	out[0] = '{'
	return append(out, '}'), nil
}
