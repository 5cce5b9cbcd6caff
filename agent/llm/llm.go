// Package llm holds the words of a conversation with a language model: a
// [Request] of [Message] values goes to a [Client] and a [Response] comes back.
//
// Clients live in the packages below. What can be put around any of them are
// decorators here: [Retry], [Limit] and [Route].
package llm

import (
	"context"
	"encoding/json"
	"math"
)

// A Client answers requests. It is safe for concurrent use.
//
// Complete returns an error that matches one of the sentinels of this package
// (see [Error]) if the request did not lead to a usable response, or the
// context's error if ctx ended.
type Client interface {
	Complete(ctx context.Context, req *Request) (*Response, error)
}

// An Embedder turns texts into vectors of unit length, one for each text, in
// order. It is safe for concurrent use.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Unit returns v at unit length, as an [Embedder] gives it; zero stays zero.
func Unit(v []float64) []float32 {
	square := 0.0
	for _, x := range v {
		square += x * x
	}
	out := make([]float32, len(v))
	if square == 0 {
		return out
	}
	scale := 1 / math.Sqrt(square)
	for i, x := range v {
		out[i] = float32(x * scale)
	}
	return out
}

// Roles of messages.
const (
	System    = "system"
	User      = "user"
	Assistant = "assistant"
	ToolRole  = "tool"
)

// A Message is one message of a conversation.
type Message struct {
	Role       string
	Content    string
	Reasoning  string     // thinking that the server told apart, or that is to be sent back
	ToolCalls  []ToolCall // on Assistant
	ToolCallID string     // on ToolRole: the call that it answers
	Name       string     // on ToolRole: the tool
}

// A ToolCall is a model's request to run a tool. Arguments is JSON, if the
// model kept to the format.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string
}

// A Tool is what a model is told of a tool.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON schema of type object
}

// Sampling is how a model is to choose its tokens. A nil pointer leaves the
// choice to the server; zero is sent as zero.
type Sampling struct {
	Temperature *float64
	TopP        *float64
	MaxTokens   int            // of one completion; 0 leaves it to the server
	Stop        []string       // texts that end a completion
	Extra       map[string]any // further keys of the request body: top_k, min_p, chat_template_kwargs, structured_outputs, …
}

// A Request is one call of a model. Clients do not change it.
type Request struct {
	Sampling
	Messages []Message
	Tools    []Tool
	NoTools  bool   // sends tool_choice "none": the tools stay in the prompt, so that its prefix does not change, but may not be called
	Seed     *int64 // nil sends none
	Logprobs int    // of the likeliest tokens at each place, so many; 0 asks for none; see [Response.Tokens]
	Reserve  int    // tokens of the context window to leave free beside prompt and completion, for a later final answer
	Affinity string // requests that share a prefix; not sent, used by [Route]
}

// A Response is what a model answered. Message.Role is Assistant.
type Response struct {
	Message Message
	Finish  string // finish_reason as the server gave it: stop, length, tool_calls, …
	Model   string
	Usage   Usage
	Tokens  []Token // of the completion, thinking and calls included, if the request asks for logprobs and the server gives them
}

// Usage counts the tokens of one call. Cached is the part of Prompt that the
// server did not have to compute. Estimated says that the server gave no counts.
type Usage struct {
	Prompt     int
	Completion int
	Cached     int
	Estimated  bool
}
