package openai_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/agent/llm/openai"
)

func TestStream(t *testing.T) {
	var letters []string // vLLM issue 19056: an index, no id, no name, single characters
	letters = append(letters, `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"search","arguments":""}}]}}]}`)
	for _, r := range `{"query":"迭代"}` {
		letters = append(letters, fmt.Sprintf(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":null,"function":{"name":null,"arguments":%q}}]}}]}`, string(r)))
	}
	letters = append(letters, `{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`)
	const usage = `{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}}`
	tests := []struct {
		name string
		body string
		want llm.Message
	}{
		{"usage in the last chunk", events(`{"choices":[{"delta":{"role":"assistant","content":""}}]}`,
			`{"choices":[{"delta":{"content":"h"}}],"usage":null}`, `{"choices":[{"delta":{"content":"i"},"finish_reason":"stop"}]}`, usage), llm.Message{Content: "hi"}},
		{"reasoning under both names", events(`{"choices":[{"delta":{"reasoning":"a","reasoning_content":"a"}}]}`,
			`{"choices":[{"delta":{"reasoning_content":"b"}}]}`, `{"choices":[{"delta":{"reasoning":"c","content":null}}]}`, usage), llm.Message{Reasoning: "abc"}},
		{"arguments letter by letter", events(append(letters, usage)...), llm.Message{ToolCalls: []llm.ToolCall{
			{ID: "c1", Name: "search", Arguments: `{"query":"迭代"}`}}}},
		{"two calls in turns, ids of later parts ignored", events(
			`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"search","arguments":"{"}},{"index":1,"function":{"name":"open"}}]}}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"arguments":"[]"}},{"index":0,"id":"z","function":{"arguments":"}"}}]}}]}`, usage),
			llm.Message{ToolCalls: []llm.ToolCall{{ID: "a", Name: "search", Arguments: "{}"}, {ID: "b", Name: "open", Arguments: "[]"}}}},
		{"calls without index or id", events(
			`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"search","arguments":"{"}}]}}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"}"}}]}}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"open"}}]}}]}`, usage),
			llm.Message{ToolCalls: []llm.ToolCall{{ID: "call_0", Name: "search", Arguments: "{}"}, {ID: "call_1", Name: "open"}}}},
		{"go-openai issue 70: 400 blank lines, comments, other fields, CRLF", ": hello\r\n" + strings.Repeat("\r\n", 400) +
			"event: message\r\nid: 7\r\nretry: 10\r\ndata:{\"choices\":[{\"delta\":{\"content\":\"h\"}}]}\r\n\r\n" + strings.Repeat(": keep-alive\n\n", 400) +
			"data: {\"choices\":[{\"delta\":\ndata: {\"content\":\"i\"}}]}\n\n" + events(usage), llm.Message{Content: "hi"}},
		{"no blank lines", strings.ReplaceAll(events(`{"choices":[{"delta":{"content":"h"}}]}`, `{"choices":[{"delta":{"content":"i"}}]}`, usage), "\n\n", "\n"), llm.Message{Content: "hi"}},
		{"a finish without [DONE] or a last blank line", `data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}`, llm.Message{Content: "hi"}},
		{"what comes after the end is not read", events(`{"choices":[{"delta":{"content":"hi"}}]}`, usage) + "data: <html>\n\n", llm.Message{Content: "hi"}},
		{"the server does not stream", `{"choices":[{"message":{"content":"hi"}}],"usage":{"prompt_tokens":5,"completion_tokens":2}}`, llm.Message{Content: "hi"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := chatServer(t, answer{body: tt.body})
			opts := named
			opts.Stream = true
			got, err := openai.New(s.URL, opts).Complete(t.Context(), user("q"))
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Role = llm.Assistant
			if diff := cmp.Diff(tt.want, got.Message); diff != "" {
				t.Errorf("message mismatch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(llm.Usage{Prompt: 5, Completion: 2}, got.Usage); diff != "" {
				t.Errorf("usage mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// A step of a slow server: after the delay, data.
type step struct {
	delay time.Duration
	data  string
}

// A slow server answers after the first step's delay and goes on with the rest.
type slow struct {
	kind  string // content type
	steps []step
}

func (s slow) RoundTrip(req *http.Request) (*http.Response, error) {
	b := &slowBody{ctx: req.Context(), steps: s.steps}
	if err := b.wait(); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {s.kind}}, Body: b, ContentLength: -1}, nil
}

type slowBody struct {
	ctx   context.Context
	steps []step
	data  *strings.Reader
}

func (b *slowBody) wait() error {
	select {
	case <-time.After(b.steps[0].delay):
		b.data, b.steps = strings.NewReader(b.steps[0].data), b.steps[1:]
		return nil
	case <-b.ctx.Done():
		return b.ctx.Err()
	}
}

func (b *slowBody) Read(p []byte) (int, error) {
	for b.data.Len() == 0 {
		if len(b.steps) == 0 {
			return 0, io.EOF
		}
		if err := b.wait(); err != nil {
			return 0, err
		}
	}
	return b.data.Read(p)
}

func (b *slowBody) Close() error { return nil }

func TestTimeouts(t *testing.T) {
	const (
		s     = time.Second
		token = "data: {\"choices\":[{\"delta\":{\"content\":\"h\"}}]}\n\n"
		last  = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	)
	opts := openai.Options{Model: "m", Window: 1000, Timeout: 100 * s, FirstToken: 20 * s, Gap: 5 * s}
	tests := []struct {
		name    string
		stream  bool
		kind    string
		steps   []step
		cancel  time.Duration // of the caller's context, if not 0
		want    time.Duration
		wantErr error
		says    string
	}{
		{"in time", true, "text/event-stream", []step{{19 * s, token}, {4 * s, token}, {4 * s, last}}, 0, 27 * s, nil, ""},
		{"no answer", true, "text/event-stream", []step{{50 * s, token}}, 0, 20 * s, llm.ErrUnreachable, "no first token within 20s"},
		{"an answer but no token", true, "text/event-stream", []step{{1 * s, ": ok\n\n"}, {15 * s, ": ok\n\n"}, {9 * s, token}}, 0, 20 * s, llm.ErrUnreachable, "no first token within 20s"},
		{"a gap", true, "text/event-stream", []step{{10 * s, token}, {4 * s, token}, {4 * s, ": ok\n\n"}, {4 * s, token}}, 0, 19 * s, llm.ErrUnreachable, "no further token within 5s"},
		{"for ever", true, "text/event-stream", []step{{1 * s, strings.Repeat(token, 3)}, {4 * s, token}, {4 * s, token}, {4 * s, last}}, 0, 13 * s, nil, ""},
		{"after its end", true, "text/event-stream", []step{{1 * s, token + last}, {9 * s, token}}, 0, 2 * s, nil, ""},
		{"whole reply", false, "application/json", []step{{99 * s, "{"}, {2 * s, "}"}}, 0, 100 * s, llm.ErrUnreachable, "no whole reply within 1m40s"},
		{"not streamed, no token before the end", false, "application/json", []step{{90 * s, saysHi}}, 0, 90 * s, nil, ""},
		{"the caller's time is up", true, "text/event-stream", []step{{10 * s, token}, {4 * s, token}}, 3 * s, 3 * s, context.DeadlineExceeded, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				opts := opts
				opts.Stream, opts.Transport = tt.stream, slow{tt.kind, tt.steps}
				ctx := t.Context()
				if tt.cancel > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.cancel)
					defer cancel()
				}
				start := time.Now()
				_, err := openai.New("http://a", opts).Complete(ctx, user("q"))
				if got := time.Since(start); got != tt.want {
					t.Errorf("took %v, want %v", got, tt.want)
				}
				if !errors.Is(err, tt.wantErr) || (err == nil) != (tt.wantErr == nil) || !strings.Contains(fmt.Sprint(err), tt.says) {
					t.Errorf("err = %v, want %v that says %q", err, tt.wantErr, tt.says)
				}
				if tt.cancel > 0 && errors.Is(err, llm.ErrUnreachable) {
					t.Errorf("err = %v blames the server", err)
				}
			})
		})
	}
}
