// Package llmtest has models for tests: a [Script] replays replies that the
// test wrote down, a [Func] computes them. Both are safe for concurrent use (a
// Func if its function is).
package llmtest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"trawl/agent/llm"
)

var (
	_ llm.Client = (*Script)(nil)
	_ llm.Client = Func(nil)
)

// A Script is a client that answers the i-th call with the i-th reply. A call
// beyond the last reply fails with an error that is none of package llm's, so
// that nothing tries it again.
type Script struct {
	mu       sync.Mutex
	replies  []llm.Response
	requests []llm.Request
}

// NewScript returns a script of the replies. A reply without a role is the
// assistant's; one without a finish reason finished with "tool_calls" if it has
// calls and with "stop" otherwise.
func NewScript(replies ...llm.Response) *Script {
	replies = slices.Clone(replies)
	for i := range replies {
		r := &replies[i]
		if r.Message.Role == "" {
			r.Message.Role = llm.Assistant
		}
		switch {
		case r.Finish != "":
		case len(r.Message.ToolCalls) > 0:
			r.Finish = "tool_calls"
		default:
			r.Finish = "stop"
		}
	}
	return &Script{replies: replies}
}

// Complete implements [llm.Client]. The request is recorded as it is now, with
// a slice of messages of its own, whether or not there is a reply left.
func (s *Script) Complete(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := *req
	seen.Messages = slices.Clone(req.Messages)
	s.requests = append(s.requests, seen)
	i := len(s.requests) - 1
	if i >= len(s.replies) {
		return nil, fmt.Errorf("llmtest: call %d of a script of %d replies", i+1, len(s.replies))
	}
	resp := s.replies[i]
	resp.Message.ToolCalls = slices.Clone(resp.Message.ToolCalls)
	return &resp, nil
}

// Requests returns the requests of the calls up to now, in order.
func (s *Script) Requests() []llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// A Func is a client that is a function.
type Func func(ctx context.Context, req *llm.Request) (*llm.Response, error)

// Complete implements [llm.Client].
func (f Func) Complete(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	return f(ctx, req)
}
