package sim

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A reply is what the server made of the model's raw text.
type reply struct {
	id, model  string
	content    *string // nil: null
	reasoning  string
	oldField   bool // reasoning goes into reasoning_content
	newField   bool // reasoning goes into reasoning
	calls      []wireCall
	emptyCalls bool // send tool_calls: []
	nullIDs    bool // stream calls without ids and by single characters
	noChoices  bool // send choices: []
	blankLines int  // sent before the first event of a stream
	finish     string
	stopReason string
	tokens     int
	use        usage
}

// Marks in the model's raw text. Tool calls are written in the Hermes form, as
// Qwen models do.
const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
	callOpen   = "<tool_call>"
	callClose  = "</tool_call>"

	answerOpen  = "<answer>"
	answerClose = "</answer>"
)

// parse ends the raw text where the request says it ends, and takes it apart as
// a server with a tool-call parser, and perhaps a reasoning parser, does.
func (s *server) parse(raw string, req *chatRequest, room int) *reply {
	out := &reply{finish: "stop"}
	raw, out.stopReason = cutAtStop(raw, req.stops(), req.IncludeStop)
	cut, n := cutTokens(raw, room)
	if len(cut) < len(raw) {
		out.finish, out.stopReason = "length", ""
	}
	raw, out.tokens = cut, n
	if s.opts.Reasoning != ReasoningNone && s.opts.Reasoning != ReasoningInline {
		out.reasoning, raw = splitThinking(raw)
		out.oldField = s.opts.Reasoning != ReasoningNew
		out.newField = s.opts.Reasoning != ReasoningOld
	}
	if len(req.Tools) > 0 && !req.toolsOff() {
		out.calls, raw = splitCalls(raw, assistants(req.Messages)+1)
	}
	if len(out.calls) > 0 && out.finish == "stop" {
		out.finish = "tool_calls"
	}
	if raw != "" || len(out.calls) == 0 {
		out.content = &raw
	}
	return out
}

// cutAtStop cuts s before the first of the stop strings, or behind it if they
// are to be included.
func cutAtStop(s string, stops []string, include bool) (cut, stop string) {
	at := len(s)
	for _, candidate := range stops {
		if i := strings.Index(s, candidate); i >= 0 && i < at {
			at, stop = i, candidate
		}
	}
	if include && stop != "" {
		at += len(stop)
	}
	return s[:at], stop
}

// splitThinking tells thinking from the rest, as a reasoning parser does: text
// without an end mark is all thinking if it has a start mark.
func splitThinking(raw string) (thinking, rest string) {
	before, after, closed := strings.Cut(raw, thinkClose)
	head, body, opened := strings.Cut(before, thinkOpen)
	switch {
	case closed && opened:
		return strings.TrimSpace(body), strings.TrimLeft(head+after, "\n")
	case closed:
		return strings.TrimSpace(before), strings.TrimLeft(after, "\n")
	case opened:
		return strings.TrimSpace(body), head
	}
	return "", raw
}

// splitCalls takes the tool calls out of raw. A call that cannot be read, for
// instance because it was cut, stays text. Calls are numbered as this project
// numbers them, so that ids are functions of the request.
func splitCalls(raw string, turn int) (calls []wireCall, rest string) {
	head, tail, found := strings.Cut(raw, callOpen)
	if !found {
		return nil, raw
	}
	for found {
		var body string
		if body, tail, found = strings.Cut(tail, callClose); !found {
			return nil, raw
		}
		var call struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}
		if json.Unmarshal([]byte(body), &call) != nil || call.Name == "" {
			return nil, raw
		}
		calls = append(calls, wireCall{
			ID:       fmt.Sprintf("call_%d_%d", turn, len(calls)),
			Type:     "function",
			Function: callFunction{Name: call.Name, Arguments: string(call.Arguments)},
		})
		_, tail, found = strings.Cut(tail, callOpen)
	}
	return calls, strings.TrimSpace(head)
}

func assistants(messages []message) int {
	n := 0
	for i := range messages {
		if messages[i].Role == "assistant" {
			n++
		}
	}
	return n
}

// response returns the reply as the body of a response that is not streamed.
func (r *reply) response() *chatResponse {
	out := &chatResponse{ID: r.id, Object: "chat.completion", Created: created, Model: r.model, Choices: []choice{}, Usage: &r.use}
	if r.noChoices {
		return out
	}
	m := &replyMessage{Role: "assistant", Content: r.content}
	if r.newField {
		m.Reasoning = r.reasoning
	}
	if r.oldField {
		m.Thinking = r.reasoning
	}
	if len(r.calls) > 0 || r.emptyCalls {
		calls := append([]wireCall{}, r.calls...)
		m.ToolCalls = &calls
	}
	c := choice{Message: m, Finish: &r.finish}
	if r.stopReason != "" {
		c.StopReason = &r.stopReason
	}
	out.Choices = append(out.Choices, c)
	return out
}
