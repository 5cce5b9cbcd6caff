package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/agent/llm/openai"
)

func TestBody(t *testing.T) {
	search := llm.Tool{Name: "search", Description: "finds", Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}}}`)}
	tests := []struct {
		name string
		opts openai.Options
		req  llm.Request
		want string
	}{
		{
			name: "nothing set is not sent",
			req:  *user("a <b> & ü"),
			want: `{"messages":[{"role":"user","content":"a <b> & ü"}],"model":"m","stream":false}`,
		},
		{
			name: "zero is sent as zero",
			req: llm.Request{Messages: user("q").Messages, Seed: ptr(int64(0)), Sampling: llm.Sampling{
				Temperature: ptr(0.0), TopP: ptr(0.0),
			}},
			want: `{"messages":[{"role":"user","content":"q"}],"model":"m","seed":0,"stream":false,"temperature":0,"top_p":0}`,
		},
		{
			name: "sampling and extra keys at top level",
			req: llm.Request{Messages: user("q").Messages, Seed: ptr(int64(2147483647)), Sampling: llm.Sampling{
				Temperature: ptr(0.6), TopP: ptr(0.95), MaxTokens: 64, Stop: []string{"</search>", "\n"},
				Extra: map[string]any{
					"top_k": 20, "min_p": 0.0, "chat_template_kwargs": map[string]any{"enable_thinking": false},
					"structured_outputs": map[string]any{"regex": "<a>"}, "stop_token_ids": []int{1},
				},
			}},
			want: `{"chat_template_kwargs":{"enable_thinking":false},"max_tokens":64,
				"messages":[{"role":"user","content":"q"}],"min_p":0,"model":"m","seed":2147483647,
				"stop":["\u003c/search\u003e","\n"],"stop_token_ids":[1],"stream":false,"structured_outputs":{"regex":"<a>"},
				"temperature":0.6,"top_k":20,"top_p":0.95}`,
		},
		{
			name: "extra keys win, null removes",
			req: llm.Request{Messages: user("q").Messages, Sampling: llm.Sampling{
				Temperature: ptr(1.0), MaxTokens: 8, Extra: map[string]any{"temperature": 0.5, "max_tokens": nil},
			}},
			want: `{"messages":[{"role":"user","content":"q"}],"model":"m","stream":false,"temperature":0.5}`,
		},
		{
			name: "history from a whitelist, no null, both names of reasoning",
			req: llm.Request{Messages: []llm.Message{
				{Role: llm.System, Content: "be brief", Reasoning: "not a model's"},
				{Role: llm.User, Content: "q"},
				{Role: llm.Assistant, Reasoning: "look it up", ToolCalls: []llm.ToolCall{{ID: "call_1_0", Name: "search", Arguments: `{"query":"x"}`}}},
				{Role: llm.ToolRole, ToolCallID: "call_1_0", Name: "search", Content: ""},
				{Role: llm.Assistant, Content: "Paris", ToolCalls: []llm.ToolCall{}},
			}},
			want: `{"messages":[
				{"role":"system","content":"be brief"},
				{"role":"user","content":"q"},
				{"role":"assistant","content":"","reasoning":"look it up","reasoning_content":"look it up",
				 "tool_calls":[{"id":"call_1_0","type":"function","function":{"name":"search","arguments":"{\"query\":\"x\"}"}}]},
				{"role":"tool","content":"","tool_call_id":"call_1_0","name":"search"},
				{"role":"assistant","content":"Paris"}],
				"model":"m","stream":false}`,
		},
		{
			name: "tools, one without parameters",
			req:  llm.Request{Messages: user("q").Messages, Tools: []llm.Tool{search, {Name: "stop"}}},
			want: `{"messages":[{"role":"user","content":"q"}],"model":"m","stream":false,"tools":[
				{"function":{"name":"search","description":"finds","parameters":{"type":"object","properties":{"query":{"type":"string"}}}},"type":"function"},
				{"function":{"name":"stop","parameters":{"type":"object","properties":{}}},"type":"function"}]}`,
		},
		{
			name: "tools that may not be called stay in the prompt",
			req:  llm.Request{Messages: user("q").Messages, Tools: []llm.Tool{{Name: "stop"}}, NoTools: true},
			want: `{"messages":[{"role":"user","content":"q"}],"model":"m","stream":false,"tool_choice":"none","tools":[
				{"function":{"name":"stop","parameters":{"type":"object","properties":{}}},"type":"function"}]}`,
		},
		{
			name: "no choice without tools",
			req:  llm.Request{Messages: user("q").Messages, NoTools: true},
			want: `{"messages":[{"role":"user","content":"q"}],"model":"m","stream":false}`,
		},
		{
			name: "stream",
			opts: openai.Options{Stream: true},
			req:  *user("q"),
			want: `{"messages":[{"role":"user","content":"q"}],"model":"m","stream":true,"stream_options":{"include_usage":true}}`,
		},
		{
			name: "folded from the start",
			opts: openai.Options{Roles: openai.RolesFold},
			req:  llm.Request{Messages: []llm.Message{{Role: llm.System, Content: "s"}, {Role: llm.User, Content: "u"}}},
			want: `{"messages":[{"role":"user","content":"s\n\nu"}],"model":"m","stream":false}`,
		},
		{
			name: "affinity and reserve are ours",
			req:  llm.Request{Messages: user("q").Messages, Affinity: "q1", Reserve: 10},
			want: `{"messages":[{"role":"user","content":"q"}],"model":"m","stream":false}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := chatServer(t, answer{body: saysHi})
			tt.opts.Model, tt.opts.Window = "m", 100_000
			if tt.req.Reserve > 0 { // or it would be used to bound the completion
				tt.opts.Window = 0
			}
			if _, err := openai.New(s.URL, tt.opts).Complete(t.Context(), &tt.req); err != nil {
				t.Fatal(err)
			}
			sameJSON(t, tt.want, s.bodies(chat)[0])
		})
	}
}

func TestSameRequestSameBytes(t *testing.T) {
	s := chatServer(t, answer{body: saysHi})
	c := openai.New(s.URL, named)
	req := user("q")
	req.Extra = map[string]any{"a": 1, "b": map[string]any{"z": 1, "y": 2}, "c": 3, "d": 4, "e": 5}
	for range 20 {
		if _, err := c.Complete(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range s.bodies(chat) {
		if diff := cmp.Diff(s.bodies(chat)[0], b); diff != "" {
			t.Fatalf("body changed:\n%s", diff)
		}
	}
}

func TestExtraThatIsNotJSON(t *testing.T) {
	s := chatServer(t, answer{body: saysHi})
	req := user("q")
	req.Extra = map[string]any{"odd": func() {}}
	_, err := openai.New(s.URL, named).Complete(t.Context(), req)
	if !errors.Is(err, llm.ErrBadRequest) || len(s.bodies(chat)) != 0 {
		t.Errorf("err = %v after %d calls, want ErrBadRequest after none", err, len(s.bodies(chat)))
	}
}

func TestEndpoint(t *testing.T) {
	tests := []struct{ suffix, want string }{
		{"", chat},
		{"/", chat},
		{"/v1", chat},
		{"/v1/", chat},
		{" /v1// ", chat},
		{"/v1/chat/completions", chat},
		{"/proxy", "/proxy/v1/chat/completions"},
		{"/api/v1", "/api/v1/chat/completions"},
		{"/v1beta/openai/", "/v1beta/openai/chat/completions"},
		{"/api/paas/v4", "/api/paas/v4/chat/completions"},
	}
	for _, tt := range tests {
		for _, scheme := range []string{"http://", ""} {
			s := newServer(t, map[string][]answer{tt.want: {{body: saysHi}}})
			endpoint := scheme + s.Listener.Addr().String() + tt.suffix
			if tt.suffix == " /v1// " {
				endpoint = "  " + scheme + s.Listener.Addr().String() + "/v1// "
			}
			if _, err := openai.New(endpoint, named).Complete(t.Context(), user("q")); err != nil {
				t.Errorf("%q: %v", endpoint, err)
			}
		}
	}
	for bad, shown := range map[string]string{
		"http://a b/": "http://a b/", "http://[::1": "http://[::1", "": "", " ": " ", "http://": "http://", "SIM": "SIM", "ftp://a/v1": "ftp://a/v1",
		"http://host:port/v1": "http://host:port/v1", "me:pass@word@": "", "http://me:password@": "http://", "http://me:pass/word@a b": "http://a b",
	} {
		c := openai.New(bad, named)
		_, err := c.Complete(t.Context(), user("q"))
		_, listing := c.Models(t.Context())
		want := fmt.Sprintf("the endpoint %q is not an address: want one such as http://127.0.0.1:8000/v1", shown)
		for _, err := range []error{err, listing} {
			if !errors.Is(err, llm.ErrBadRequest) || !strings.HasSuffix(err.Error(), want) || strings.Contains(err.Error(), "me:") {
				t.Errorf("%q: %v, want %s", bad, err, want)
			}
		}
	}
}

func TestKey(t *testing.T) {
	s := newServer(t, map[string][]answer{
		chat:         {{body: saysHi}},
		"/v1/models": {{body: `{"data":[{"id":"m"}]}`}},
	})
	if _, err := openai.New(s.URL, openai.Options{Key: "sk-1\n"}).Complete(t.Context(), user("q")); err != nil {
		t.Fatal(err)
	}
	if _, err := openai.New(s.URL, openai.Options{}).Complete(t.Context(), user("q")); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range s.seen {
		got = append(got, e.path+" "+e.auth)
	}
	want := []string{"/v1/models Bearer sk-1", chat + " Bearer sk-1", "/v1/models ", chat + " "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests mismatch (-want +got):\n%s", diff)
	}
}
