package openai_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/agent/llm/openai"
)

// events makes a stream of the JSON values and ends it with [DONE].
func events(values ...string) string {
	return "data: " + strings.Join(append(values, "[DONE]"), "\n\ndata: ") + "\n\n"
}

func TestReply(t *testing.T) {
	tests := []struct {
		name string
		body string
		want llm.Response
	}{
		{
			name: "text and usage",
			body: `{"model":"m","choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],
				"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":4}}}`,
			want: llm.Response{Message: llm.Message{Content: "hi"}, Finish: "stop", Model: "m",
				Usage: llm.Usage{Prompt: 5, Completion: 2, Cached: 4}},
		},
		{
			name: "details of usage are null",
			body: `{"choices":[{"message":{"content":"hi"},"finish_reason":"length"}],
				"usage":{"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":null}}`,
			want: llm.Response{Message: llm.Message{Content: "hi"}, Finish: "length", Usage: llm.Usage{Prompt: 5, Completion: 2}},
		},
		{
			name: "no usage: 12 and 36 bytes ÷ 3.6 and 4 for each message",
			body: `{"choices":[{"message":{"content":"` + strings.Repeat("x", 36) + `"},"finish_reason":null}],"usage":null}`,
			want: llm.Response{Message: llm.Message{Content: strings.Repeat("x", 36)}, Usage: llm.Usage{Prompt: 7, Completion: 14, Estimated: true}},
		},
		{
			name: "reasoning, new name",
			body: `{"choices":[{"message":{"content":null,"reasoning":"so","tool_calls":[]}}],"usage":{"prompt_tokens":1}}`,
			want: llm.Response{Message: llm.Message{Reasoning: "so"}, Usage: llm.Usage{Prompt: 1}},
		},
		{
			name: "reasoning, old name",
			body: `{"choices":[{"message":{"content":"","reasoning_content":"so"}}],"usage":{"prompt_tokens":1}}`,
			want: llm.Response{Message: llm.Message{Reasoning: "so"}, Usage: llm.Usage{Prompt: 1}},
		},
		{
			name: "reasoning, both names: the one that is not empty",
			body: `{"choices":[{"message":{"reasoning":"","reasoning_content":"so"}}],"usage":{"prompt_tokens":1}}`,
			want: llm.Response{Message: llm.Message{Reasoning: "so"}, Usage: llm.Usage{Prompt: 1}},
		},
		{
			name: "reasoning, both names with the same text",
			body: `{"choices":[{"message":{"reasoning":"so","reasoning_content":"so"}}],"usage":{"prompt_tokens":1}}`,
			want: llm.Response{Message: llm.Message{Reasoning: "so"}, Usage: llm.Usage{Prompt: 1}},
		},
		{
			name: "calls, some without id",
			body: `{"choices":[{"message":{"content":null,"tool_calls":[
				{"type":"function","function":{"name":"search","arguments":"{\"query\":\"a\"}"}},
				{"id":"x1","function":{"name":"search","arguments":"{\"query\":\"b\"}"}},
				{"id":null,"index":0,"function":{"name":"open","arguments":{"id": 7}}},
				{"id":"","function":null}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1}}`,
			want: llm.Response{Message: llm.Message{ToolCalls: []llm.ToolCall{
				{ID: "call_0", Name: "search", Arguments: `{"query":"a"}`},
				{ID: "x1", Name: "search", Arguments: `{"query":"b"}`},
				{ID: "call_2", Name: "open", Arguments: `{"id": 7}`},
				{ID: "call_3"},
			}}, Finish: "tool_calls", Usage: llm.Usage{Prompt: 1}},
		},
		{
			name: "a call that stands in the text stays there",
			body: `{"choices":[{"message":{"content":"<tool_call>{\"name\":\"search\"}</tool_call>","tool_calls":[]}}],"usage":{"prompt_tokens":1}}`,
			want: llm.Response{Message: llm.Message{Content: `<tool_call>{"name":"search"}</tool_call>`}, Usage: llm.Usage{Prompt: 1}},
		},
		{
			name: "content in parts",
			body: `{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}],"usage":{"prompt_tokens":1}}`,
			want: llm.Response{Message: llm.Message{Content: "ab"}, Usage: llm.Usage{Prompt: 1}},
		},
		{
			name: "keys of other types than go-openai has",
			body: `{"id":7,"created":1.5e9,"system_fingerprint":3,"model":null,"choices":[{"index":0,"logprobs":"none",
				"message":{"content":"hi","refusal":[]}}],"usage":{"prompt_tokens":1},"error":null}`,
			want: llm.Response{Message: llm.Message{Content: "hi"}, Usage: llm.Usage{Prompt: 1}},
		},
		{
			name: "a second choice",
			body: `{"choices":[{"index":1,"message":{"content":"b"}},{"index":0,"message":{"content":"a"}}],"usage":{"prompt_tokens":1}}`,
			want: llm.Response{Message: llm.Message{Content: "a"}, Usage: llm.Usage{Prompt: 1}},
		},
		{
			name: "a stream that was not asked for",
			body: events(`{"choices":[{"delta":{"content":"h"}}]}`, `{"choices":[{"delta":{"content":"i"},"finish_reason":"stop"}]}`,
				`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}}`),
			want: llm.Response{Message: llm.Message{Content: "hi"}, Finish: "stop", Usage: llm.Usage{Prompt: 5, Completion: 2, Cached: 4}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := chatServer(t, answer{body: tt.body})
			got, err := openai.New(s.URL, named).Complete(t.Context(), user("how are you?"))
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Message.Role = llm.Assistant
			if diff := cmp.Diff(&tt.want, got); diff != "" {
				t.Errorf("response mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnreadableReply(t *testing.T) {
	tests := []struct{ name, body, wantBody string }{
		{"no choices", `{"choices":[],"usage":{"prompt_tokens":3}}`, `"prompt_tokens":3`},
		{"choices are null", `{"choices":null}`, "choices"},
		{"a choice without a message", `{"choices":[{"finish_reason":"stop","message":null}]}`, "choices"},
		{"only a second choice", `{"choices":[{"index":1,"message":{"content":"b"}}]}`, "choices"},
		{"a choice of another type", `{"choices":["hi"]}`, "choices"},
		{"HTML", "<html><body>\n  <h1>It works!</h1>", "It works!"},
		{"a list", `[1,2]`, "[1,2]"},
		{"cut off", `{"choices":[{"message":{"content":"h`, "choices"},
		{"empty", "", ""},
		{"an error that says nothing more", `{"error":{"message":"went wrong"}}`, "went wrong"},
		{"an old error", `{"object":"error","message":"went wrong"}`, "went wrong"},
		{"too long", `{"choices":[{"message":{"content":"` + strings.Repeat("x", 5000) + `"}}]}`, ""},
		{"a stream without choices", events(`{"choices":[],"usage":{"prompt_tokens":3}}`), ""},
		{"a stream that is no JSON", "data: <html>oops\n\n", "oops"},
		{"a stream with an error", events(`{"choices":[{"delta":{"content":"h"}}]}`, `{"error":{"message":"went wrong"}}`), "went wrong"},
		{"a stream that is too long", "data: {\"choices\":[]}\n\n" + strings.Repeat(": on\n\n", 1000), ""},
		{"a line that is too long", "data: " + strings.Repeat("x", 5000), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := chatServer(t, answer{body: tt.body})
			opts := named
			opts.MaxBytes = 4000
			_, err := openai.New(s.URL, opts).Complete(t.Context(), user("q"))
			var e *llm.Error
			if !errors.Is(err, llm.ErrMalformed) || !errors.As(err, &e) {
				t.Fatalf("err = %v, want ErrMalformed", err)
			}
			if !strings.Contains(e.Body, tt.wantBody) || len(e.Body) > 500 {
				t.Errorf("excerpt = %q, want %q in it", e.Body, tt.wantBody)
			}
		})
	}
}
