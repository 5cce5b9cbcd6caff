package sim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	openai "github.com/sashabaranov/go-openai"

	"trawl/agent/llm/sim"
)

const harborQuestion = "Question: Who founded the company that employed the director of The Silent Harbor?"

var searchTool = msg{"type": "function", "function": msg{"name": "search", "parameters": msg{"type": "object", "properties": msg{"query": msg{"type": "string"}}}}}

func post(t testing.TB, h http.Handler, path string, body any) *httptest.ResponseRecorder {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", path, bytes.NewReader(b)))
	return w
}

func start(t *testing.T, opts sim.Options) (*sim.Server, *openai.Client) {
	t.Helper()
	s, err := sim.Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	config := openai.DefaultConfig("none")
	config.BaseURL = s.URL()
	return s, openai.NewClientWithConfig(config)
}

// TestOpenAIClient talks to the server through go-openai: a stream carries what
// the reply in one piece does.
func TestOpenAIClient(t *testing.T) {
	_, client := start(t, sim.Options{Reasoning: sim.ReasoningField})
	seed := 7
	req := openai.ChatCompletionRequest{
		Model:         "sim-base",
		Seed:          &seed,
		Messages:      []openai.ChatCompletionMessage{{Role: "user", Content: harborQuestion}},
		Tools:         []openai.Tool{{Type: "function", Function: &openai.FunctionDefinition{Name: "search", Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}}}`)}}},
		StreamOptions: &openai.StreamOptions{IncludeUsage: true},
	}
	whole, err := client.CreateChatCompletion(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := client.CreateChatCompletionStream(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var content, thinking, name, arguments, finish string
	var use *openai.Usage
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if chunk.Usage != nil {
			use = chunk.Usage
		}
		for _, c := range chunk.Choices {
			content += c.Delta.Content
			thinking += c.Delta.ReasoningContent
			for _, call := range c.Delta.ToolCalls {
				name += call.Function.Name
				arguments += call.Function.Arguments
			}
			finish += string(c.FinishReason)
		}
	}
	want := whole.Choices[0]
	if len(want.Message.ToolCalls) != 1 || want.FinishReason != "tool_calls" || want.Message.ReasoningContent == "" {
		t.Fatalf("reply %+v, want a call and thinking", want)
	}
	got := []string{content, thinking, name, arguments, finish}
	if diff := cmp.Diff([]string{want.Message.Content, want.Message.ReasoningContent, "search", want.Message.ToolCalls[0].Function.Arguments, "tool_calls"}, got); diff != "" {
		t.Errorf("stream differs from the reply in one piece (-whole +stream):\n%s", diff)
	}
	if use == nil || *use.PromptTokensDetails != *whole.Usage.PromptTokensDetails || use.TotalTokens != whole.Usage.TotalTokens {
		t.Errorf("usage of the stream %+v, want %+v", use, whole.Usage)
	}
	models, err := client.ListModels(t.Context())
	if err != nil || len(models.Models) != 1 || models.Models[0].ID != "sim-base" {
		t.Errorf("models %v, %v; want sim-base", models.Models, err)
	}
	vectors, err := client.CreateEmbeddings(t.Context(), openai.EmbeddingRequest{Input: []string{"silent harbor", "the silent harbor", "tax law"}, Model: "sim-base"})
	if err != nil || len(vectors.Data) != 3 {
		t.Fatalf("embeddings: %v", err)
	}
	near, _ := vectors.Data[0].DotProduct(&vectors.Data[1])
	far, _ := vectors.Data[0].DotProduct(&vectors.Data[2])
	if near <= far {
		t.Errorf("cosine of near texts %v, of far ones %v", near, far)
	}
}

func TestLimits(t *testing.T) {
	h := sim.New(sim.Options{})
	ask := func(extra msg) (content, finish string, use map[string]any) {
		body := msg{"messages": []msg{{"role": "user", "content": harborQuestion}}, "seed": 3}
		for k, v := range extra {
			body[k] = v
		}
		return call(t, h, body)
	}
	full, finish, use := ask(nil)
	if finish != "stop" || !strings.HasPrefix(full, "<think>") || !strings.HasSuffix(full, "</search>") {
		t.Fatalf("reply %q, %s; want a thought and a search", full, finish)
	}
	cut, finish, cutUse := ask(msg{"max_tokens": 5})
	if finish != "length" || !strings.HasPrefix(full, cut) || cutUse["completion_tokens"] != 5.0 {
		t.Errorf("with max_tokens 5: %q, %s, %v", cut, finish, cutUse)
	}
	if exact, finish, _ := ask(msg{"max_completion_tokens": use["completion_tokens"]}); exact != full || finish != "stop" {
		t.Errorf("with all tokens that it needs: %q, %s", exact, finish)
	}
	stripped, finish, _ := ask(msg{"stop": []string{"</search>", "never"}})
	if finish != "stop" || stripped != strings.TrimSuffix(full, "</search>") {
		t.Errorf("stop string: %q, %s", stripped, finish)
	}
	if kept, _, _ := ask(msg{"stop": "</search>", "include_stop_str_in_output": true}); kept != full {
		t.Errorf("stop string included: %q, want %q", kept, full)
	}
}

func TestRefusals(t *testing.T) {
	h := sim.New(sim.Options{MaxModelLen: 100, Models: []string{"sim-small", "sim-large"}})
	user := func(s string) []msg { return []msg{{"role": "user", "content": s}} }
	tests := []struct {
		name   string
		body   any
		status int
		text   string
	}{
		{"not JSON", "x", 400, "cannot unmarshal"},
		{"no messages", msg{}, 400, "at least 1 item"},
		{"unknown role", msg{"messages": []msg{{"role": "oracle", "content": "x"}}}, 400, "unknown role"},
		{"unknown model", msg{"model": "gpt", "messages": user("x")}, 404, "does not exist"},
		{"no room", msg{"messages": user("x"), "max_tokens": 0}, 400, "max_tokens must be at least 1, got 0"},
		{"two choices", msg{"messages": user("x"), "n": 2}, 400, "1 choice"},
		{"long prompt", msg{"messages": user(strings.Repeat("word ", 200))}, 400, "maximum context length is 100 tokens"},
		{"long completion", msg{"messages": user("x"), "max_tokens": 98}, 400, "is too large: 98"},
		{"unknown keys", msg{"messages": user("x"), "top_k": 5, "guided_json": msg{}, "model": "sim-large"}, 200, "sim-large"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := post(t, h, "/v1/chat/completions", tt.body)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.text) {
				t.Errorf("%d %s; want %d and %q", w.Code, w.Body, tt.status, tt.text)
			}
			var e struct {
				Error struct {
					Message, Type string
					Code          int
				}
			}
			if json.Unmarshal(w.Body.Bytes(), &e) != nil || tt.status != 200 && (e.Error.Code != tt.status || e.Error.Type == "") {
				t.Errorf("error body %s", w.Body)
			}
		})
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/v1/nothing", nil))
	if w.Code != 404 {
		t.Errorf("unknown route: %d", w.Code)
	}
}

func TestTokenize(t *testing.T) {
	h := sim.New(sim.Options{MaxModelLen: 5000})
	var got struct {
		Count  int
		MaxLen int `json:"max_model_len"`
		Tokens []int
	}
	// "Hello" "," "extraord" "inary" "world" "!" by eight bytes of a word.
	w := post(t, h, "/tokenize", msg{"prompt": "Hello, extraordinary world!"})
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Count != 6 || len(got.Tokens) != 6 || got.MaxLen != 5000 {
		t.Errorf("tokenize: %s", w.Body)
	}
	messages := []msg{{"role": "system", "content": "Be short."}, {"role": "user", "content": harborQuestion}}
	w = post(t, h, "/tokenize", msg{"messages": messages, "tools": []msg{searchTool}})
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || len(got.Tokens) != got.Count {
		t.Errorf("tokenize: %s", w.Body)
	}
	_, _, use := call(t, h, msg{"messages": messages, "tools": []msg{searchTool}})
	if use["prompt_tokens"] != float64(got.Count) {
		t.Errorf("prompt of %v tokens, /tokenize said %d", use["prompt_tokens"], got.Count)
	}
}

// TestCached checks that the cached part is the conversation up to the last
// reply, in blocks of 16, whatever was asked before.
func TestCached(t *testing.T) {
	h := sim.New(sim.Options{})
	user := msg{"role": "user", "content": strings.Repeat("word ", 96)} // 96 + 4 = 100 tokens
	cached := func(messages ...msg) any {
		_, _, use := call(t, h, msg{"messages": messages})
		return use["prompt_tokens_details"].(map[string]any)["cached_tokens"]
	}
	if got := cached(user); got != 0.0 {
		t.Errorf("first turn: %v cached tokens", got)
	}
	// 100 + 4 + 1 = 105 tokens up to the reply, 6 blocks.
	if got := cached(user, msg{"role": "assistant", "content": "yes"}, user); got != 96.0 {
		t.Errorf("second turn: %v cached tokens, want 96", got)
	}
}

func TestNative(t *testing.T) {
	h := sim.New(sim.Options{})
	body := msg{"messages": []msg{{"role": "system", "content": "Search."}, {"role": "user", "content": harborQuestion}}, "tools": []msg{searchTool}, "seed": 1}
	var r struct {
		Choices []struct {
			Message struct {
				Content   string
				ToolCalls []struct {
					ID       string
					Function struct{ Name, Arguments string }
				} `json:"tool_calls"`
			}
		}
	}
	w := post(t, h, "/v1/chat/completions", body)
	if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil || len(r.Choices[0].Message.ToolCalls) != 1 {
		t.Fatalf("reply %s, want one call", w.Body)
	}
	got := r.Choices[0].Message.ToolCalls[0]
	var args struct{ Query string }
	if json.Unmarshal([]byte(got.Function.Arguments), &args) != nil || got.ID != "call_1_0" || got.Function.Name != "search" || !strings.Contains(args.Query, "The Silent Harbor") {
		t.Errorf("call %+v", got)
	}
	body["tool_choice"] = "none"
	if content, finish, _ := call(t, h, body); !strings.Contains(content, "<answer>") || finish != "stop" {
		t.Errorf("with tool_choice none: %q, %s; want an answer", content, finish)
	}
	body["tool_choice"] = msg{"type": "function", "function": msg{"name": "search"}}
	body["messages"] = []msg{{"role": "user", "content": "Say hello."}}
	if _, finish, _ := call(t, h, body); finish != "tool_calls" {
		t.Errorf("with a tool demanded: finish %s", finish)
	}
	body["max_tokens"] = 20
	if content, finish, _ := call(t, h, body); finish != "length" || !strings.Contains(content, "<tool_call>") {
		t.Errorf("a call that is cut: %q, %s; want it as text", content, finish)
	}
}

func TestStart(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", "192.168.1.1:80", "nonsense", "example.org:1"} {
		if s, err := sim.Start(sim.Options{Addr: addr}); err == nil {
			s.Close()
			t.Errorf("Start listens on %s", addr)
		}
	}
	s, err := sim.Start(sim.Options{Models: []string{"sim-small", "sim-large"}})
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Get(strings.TrimSuffix(s.URL(), "/v1") + "/health")
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("health: %v, %v", res, err)
	}
	res.Body.Close()
	spare, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(s.URL(), "http://"), "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	defer spare.Close()
	begun := time.Now()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(begun); took > time.Second/2 {
		t.Errorf("Close took %v with a spare connection", took)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", s.URL()+"/models", nil)
	if res, err := http.DefaultClient.Do(req); err == nil {
		res.Body.Close()
		t.Error("the server answers after Close")
	}
}
