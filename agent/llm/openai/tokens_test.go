package openai_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/agent/llm/openai"
)

func TestModels(t *testing.T) {
	tests := []struct {
		name, body string
		want       []openai.Model
	}{
		{"vLLM", `{"object":"list","data":[{"id":"Qwen/Qwen3-8B","max_model_len":40960},{"id":"lora","max_model_len":null}]}`,
			[]openai.Model{{ID: "Qwen/Qwen3-8B", MaxLen: 40960}, {ID: "lora"}}},
		{"llama.cpp", `{"data":[{"id":"a.gguf","meta":{"n_ctx_train":131072,"n_params":1e9}}]}`, []openai.Model{{ID: "a.gguf", MaxLen: 131072}}},
		{"llama.cpp with its own size", `{"data":[{"id":"a.gguf","meta":{"n_ctx_train":131072,"n_ctx":8192}}]}`, []openai.Model{{ID: "a.gguf", MaxLen: 8192}}},
		{"OpenRouter", `{"data":[{"id":"x","context_length":200000}]}`, []openai.Model{{ID: "x", MaxLen: 200000}}},
		{"OpenAI", `{"data":[{"id":"gpt","object":"model","created":1,"owned_by":"o"}]}`, []openai.Model{{ID: "gpt"}}},
		{"Ollama without models", `{"object":"list","data":null}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, map[string][]answer{"/v1/models": {{body: tt.body}}})
			got, err := openai.New(s.URL, openai.Options{}).Models(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("models mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNotAServer asks things for their models that are no model servers.
func TestNotAServer(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"another shape", `{"data":{"id":"a"}}`, "this is not an OpenAI-compatible server (key data: want a list, found an object)"},
		{"a list of names", `{"data":["a","b"]}`, "this is not an OpenAI-compatible server (key data: want an object, found a string)"},
		{"another protocol", `{"models":[{"name":"a"}]}`, "this is not an OpenAI-compatible server (its reply to /models has no key data)"},
		{"a list", `[1]`, "this is not an OpenAI-compatible server (its reply is not a JSON object): [1]"},
		{"a page", "<!DOCTYPE html><html><head><style>p{}</style><script>let a = 1</script></head><body><p>Hello&amp;</p>", "this is not an OpenAI-compatible server (its reply is not a JSON object): Hello&"},
		{"cut off", `{"data":[`, "not JSON: it is cut off"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, map[string][]answer{"/v1/models": {{body: tt.body}}})
			_, err := openai.New(s.URL, openai.Options{}).Models(t.Context())
			want := "llm: " + s.URL + "/v1: the server's reply cannot be read (HTTP 200): " + tt.want
			if !errors.Is(err, llm.ErrMalformed) || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
}

// TestSilentServer has a server that takes the request and says nothing.
func TestSilentServer(t *testing.T) {
	done := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-done }))
	defer s.Close()
	defer close(done)
	_, err := openai.New(s.URL, openai.Options{Listing: 20 * time.Millisecond}).Models(t.Context())
	if want := "llm: " + s.URL + "/v1: the server cannot be reached: no list of models within 20ms"; !errors.Is(err, llm.ErrUnreachable) || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestDiscovery(t *testing.T) {
	one, two := `{"data":[{"id":"a","max_model_len":500}]}`, `{"data":[{"id":"a","max_model_len":500},{"id":"b","max_model_len":600}]}`
	tests := []struct {
		name      string
		opts      openai.Options
		models    answer
		wantModel string
		wantErr   error
		says      string
	}{
		{"the only model", openai.Options{}, answer{body: one}, "a", nil, ""},
		{"two models", openai.Options{}, answer{body: two}, "", llm.ErrBadRequest, "lists 2: a, b"},
		{"none", openai.Options{}, answer{body: `{"data":[]}`}, "", llm.ErrBadRequest, "lists none"},
		{"no list and no name", openai.Options{}, answer{status: 404}, "", llm.ErrBadRequest, ""},
		{"no list but a name", openai.Options{Model: "x"}, answer{status: 404}, "x", nil, ""},
		{"a list that cannot be read, but a name", openai.Options{Model: "x"}, answer{body: "<html>"}, "x", nil, ""},
		{"still loading", openai.Options{Model: "x"}, answer{status: 503}, "", llm.ErrOverloaded, ""},
		{"a name that is not listed", openai.Options{Model: "x"}, answer{body: one}, "x", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, map[string][]answer{chat: {{body: saysHi}}, "/v1/models": {tt.models}})
			c := openai.New(s.URL, tt.opts)
			for range 2 {
				_, err := c.Complete(t.Context(), user("q"))
				if !errors.Is(err, tt.wantErr) || (err == nil) != (tt.wantErr == nil) || !strings.Contains(fmt.Sprint(err), tt.says) {
					t.Fatalf("err = %v, want %v that says %q", err, tt.wantErr, tt.says)
				}
			}
			for _, b := range s.bodies(chat) {
				if !strings.Contains(b, `"model":"`+tt.wantModel+`"`) {
					t.Errorf("body %s, want model %s", b, tt.wantModel)
				}
			}
			if n := len(s.bodies("/v1/models")); tt.wantErr == nil && n != 1 {
				t.Errorf("asked %d times for the models, want once", n)
			}
		})
	}
}

func TestDiscoveryAtOnce(t *testing.T) {
	s := newServer(t, map[string][]answer{chat: {{body: saysHi}}, "/v1/models": {{status: 503}, {body: `{"data":[{"id":"a"}]}`}}})
	c := openai.New(s.URL, openai.Options{})
	if _, err := c.Complete(t.Context(), user("q")); !errors.Is(err, llm.ErrOverloaded) {
		t.Fatalf("err = %v, want ErrOverloaded", err)
	}
	var wg sync.WaitGroup
	for range 20 { // a failure is not remembered, a success is
		wg.Go(func() {
			if _, err := c.Complete(t.Context(), user("q")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(s.bodies("/v1/models")); n != 2 {
		t.Errorf("asked %d times for the models, want 2", n)
	}
}

// TestRoom: the server has a window of 1000 tokens and counts as told.
func TestRoom(t *testing.T) {
	tests := []struct {
		name             string
		words            int // tokens of the prompt by the estimate, about
		count            int // by the tokenizer; 0: there is none
		want, reserve    int
		wantTokens       string // in the body; "" for none
		wantCounts       int
		wantTooLong      bool
		unknownWindow    bool
		minimum          int
		tokenizerAnswers string // in place of the count
	}{
		{name: "far from the window", words: 100, count: 999, want: 500, wantTokens: "500"},
		{name: "the server decides", words: 100, count: 999},
		// 1000 − 700 − 32
		{name: "clamped by the exact count", words: 600, count: 700, want: 500, wantTokens: "268", wantCounts: 1},
		{name: "counted, and it fits", words: 600, count: 300, want: 500, wantTokens: "500", wantCounts: 1},
		// 1000 − 700 − 100 − 32
		{name: "reserve", words: 600, count: 700, want: 500, reserve: 100, wantTokens: "168", wantCounts: 1},
		{name: "reserve bounds what is left to the server", words: 100, count: 120, reserve: 300, wantTokens: "548", wantCounts: 1},
		// 600 + 4 for the message by the estimate: 1000 − 604 − 32
		{name: "no tokenizer", words: 600, want: 500, wantTokens: "364", wantCounts: 1},
		{name: "a tokenizer that cannot be read", words: 600, want: 500, wantTokens: "364", wantCounts: 1, tokenizerAnswers: `{"error":"Unexpected endpoint"}`},
		{name: "16 are left", words: 800, count: 952, want: 500, wantTokens: "16", wantCounts: 1},
		{name: "15 are left", words: 800, count: 953, want: 500, wantCounts: 1, wantTooLong: true},
		{name: "15 are all that is wanted", words: 800, count: 953, want: 15, wantTokens: "15", wantCounts: 1},
		{name: "another minimum", words: 800, count: 900, want: 500, minimum: 100, wantCounts: 1, wantTooLong: true},
		{name: "no room, the server would decide", words: 800, count: 1200, wantCounts: 1, wantTooLong: true},
		{name: "MiroThinker 50", words: 730, count: 733, want: 400, wantTokens: "235", wantCounts: 1},
		{name: "vLLM 20409: the prompt and max_tokens beyond the window", words: 999, count: 998, want: 400, wantCounts: 1, wantTooLong: true},
		{name: "unknown window", words: 5000, want: 500, wantTokens: "500", unknownWindow: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			models := `{"data":[{"id":"m","max_model_len":1000}]}`
			if tt.unknownWindow {
				models = `{"data":[{"id":"m"}]}`
			}
			answers := map[string][]answer{chat: {{body: saysHi}}, "/v1/models": {{body: models}}}
			if tt.count > 0 {
				answers["/tokenize"] = []answer{{body: fmt.Sprintf(`{"count":%d,"max_model_len":1000,"tokens":[1]}`, tt.count)}}
			}
			if tt.tokenizerAnswers != "" {
				answers["/tokenize"] = []answer{{body: tt.tokenizerAnswers}}
			}
			s := newServer(t, answers)
			req := user(words(tt.words))
			req.MaxTokens, req.Reserve = tt.want, tt.reserve
			_, err := openai.New(s.URL, openai.Options{MinTokens: tt.minimum}).Complete(t.Context(), req)
			if n := len(s.bodies("/tokenize")); n != tt.wantCounts {
				t.Errorf("counted %d times, want %d", n, tt.wantCounts)
			}
			if tt.wantTooLong {
				if !errors.Is(err, llm.ErrContextLength) || len(s.bodies(chat)) != 0 {
					t.Errorf("err = %v after %d calls, want ErrContextLength after none", err, len(s.bodies(chat)))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			_, after, _ := strings.Cut(s.bodies(chat)[0], `"max_tokens":`)
			if got, _, _ := strings.Cut(after, ","); got != tt.wantTokens {
				t.Errorf("max_tokens = %q, want %q", got, tt.wantTokens)
			}
		})
	}
}

// TestCountTemplateArgs sends along what goes into the chat template.
func TestCountTemplateArgs(t *testing.T) {
	s := newServer(t, map[string][]answer{"/tokenize": {{body: `{"count":19}`}}})
	req := &llm.Request{
		Messages: []llm.Message{{Role: llm.User, Content: "x"}},
		Sampling: llm.Sampling{Extra: map[string]any{"chat_template_kwargs": map[string]any{"enable_thinking": false}, "top_k": 5}},
	}
	if _, _, err := openai.New(s.URL, named).CountTokens(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	want := []string{`{"chat_template_kwargs":{"enable_thinking":false},"messages":[{"role":"user","content":"x"}],"model":"m"}`}
	if diff := cmp.Diff(want, s.bodies("/tokenize")); diff != "" {
		t.Errorf("bodies sent to /tokenize mismatch (-want +got):\n%s", diff)
	}
}

func TestCountTokens(t *testing.T) {
	messages := []llm.Message{{Role: llm.User, Content: strings.Repeat("x", 36)}} // 10 + 4 by the estimate
	tools := []llm.Tool{{Name: "stop"}}
	vllm := answer{body: `{"count":21,"max_model_len":1000,"tokens":[1,2]}`}
	llamaNoText, llama := answer{body: `{"tokens":[]}`}, answer{body: `{"tokens":[1,2,{"id":3,"piece":"x"}]}`}
	const toTokenize = `{"messages":[{"role":"user","content":"` + "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" + `"}],"model":"m"}`
	tests := []struct {
		name      string
		answers   map[string][]answer
		tools     []llm.Tool
		want      int
		wantExact bool
		wantSent  []string // to /tokenize, by two counts
	}{
		{"vLLM", map[string][]answer{"/tokenize": {vllm}}, nil, 21, true, []string{toTokenize, toTokenize}},
		{"vLLM, tools", map[string][]answer{"/tokenize": {vllm}}, tools, 21, true, []string{
			toTokenize[:len(toTokenize)-1] + `,"tools":[{"function":{"name":"stop","parameters":{"type":"object","properties":{}}},"type":"function"}]}`}},
		{"llama.cpp", map[string][]answer{"/tokenize": {llamaNoText, llama}, "/apply-template": {{body: `{"prompt":"<|user|>x"}`}}}, nil, 3, true, []string{
			toTokenize, `{"add_special":true,"content":"<|user|>x","parse_special":true}`, `{"add_special":true,"content":"<|user|>x","parse_special":true}`}},
		{"llama.cpp without templates", map[string][]answer{"/tokenize": {llamaNoText, llama}}, nil, 7, false, nil},
		{"none", nil, nil, 14, false, []string{toTokenize}},
		{"LM Studio", map[string][]answer{"/tokenize": {{body: `{"error":"Unexpected endpoint or method. (POST /tokenize)"}`}}}, nil, 14, false, []string{toTokenize}},
		{"HTML", map[string][]answer{"/tokenize": {{body: `<html>`}}}, nil, 14, false, []string{toTokenize, toTokenize}},
		{"it fails for now", map[string][]answer{"/tokenize": {{status: 500}, vllm}}, nil, 14, false, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, tt.answers)
			c := openai.New(s.URL, named)
			got, exact, err := c.CountTokens(t.Context(), &llm.Request{Messages: messages, Tools: tt.tools, Sampling: llm.Sampling{Extra: map[string]any{"top_k": 5}}})
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want || exact != tt.wantExact {
				t.Errorf("CountTokens = %d, %v, want %d, %v", got, exact, tt.want, tt.wantExact)
			}
			if tt.wantSent == nil {
				return
			}
			if _, _, err := c.CountTokens(t.Context(), &llm.Request{Messages: messages, Tools: tt.tools, Sampling: llm.Sampling{Extra: map[string]any{"top_k": 5}}}); err != nil {
				t.Fatal(err)
			}
			sent := s.bodies("/tokenize")
			if tt.tools != nil {
				sent = sent[:1]
			}
			if diff := cmp.Diff(tt.wantSent, sent); diff != "" {
				t.Errorf("bodies sent to /tokenize mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCountTokensCancelled(t *testing.T) {
	s := newServer(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := openai.New(s.URL, named).CountTokens(ctx, &llm.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want context.Canceled", err)
	}
}
