package openai_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/agent/llm/openai"
)

// history has every kind of message.
func history() *llm.Request {
	return &llm.Request{
		Messages: []llm.Message{
			{Role: llm.System, Content: "Be brief."},
			{Role: llm.User, Content: "Question: who?"},
			{Role: llm.Assistant, Content: "I look.", Reasoning: "hm", ToolCalls: []llm.ToolCall{
				{ID: "call_1_0", Name: "search", Arguments: `{"query":"x"}`},
				{ID: "call_1_1", Name: "search", Arguments: `{"query": `},
			}},
			{Role: llm.ToolRole, ToolCallID: "call_1_0", Name: "search", Content: "Doc 1"},
			{Role: llm.ToolRole, ToolCallID: "call_1_1", Name: "search", Content: "Doc 2"},
			{Role: llm.User, Content: "Give the final answer."},
		},
	}
}

const (
	asItIs = `{"messages":[
		{"role":"system","content":"Be brief."},
		{"role":"user","content":"Question: who?"},
		{"role":"assistant","content":"I look.","reasoning":"hm","reasoning_content":"hm","tool_calls":[
			{"id":"call_1_0","type":"function","function":{"name":"search","arguments":"{\"query\":\"x\"}"}},
			{"id":"call_1_1","type":"function","function":{"name":"search","arguments":"{\"query\": "}}]},
		{"role":"tool","content":"Doc 1","tool_call_id":"call_1_0","name":"search"},
		{"role":"tool","content":"Doc 2","tool_call_id":"call_1_1","name":"search"},
		{"role":"user","content":"Give the final answer."}],"model":"m","stream":false}`
	foldedForm = `{"messages":[
		{"role":"user","content":"Be brief.\n\nQuestion: who?"},
		{"role":"assistant","content":"I look.\n\n<tool_call>\n{\"name\": \"search\", \"arguments\": {\"query\":\"x\"}}\n</tool_call>\n\n<tool_call>\n{\"name\": \"search\", \"arguments\": {}}\n</tool_call>","reasoning":"hm","reasoning_content":"hm"},
		{"role":"user","content":"<tool_response>\nDoc 1\n</tool_response>\n\n<tool_response>\nDoc 2\n</tool_response>\n\nGive the final answer."}],
		"model":"m","stream":false}`
)

func TestForms(t *testing.T) {
	objects := strings.Replace(asItIs, `"{\"query\":\"x\"}"`, `{"query":"x"}`, 1)
	silent := strings.Replace(asItIs, `,"reasoning":"hm","reasoning_content":"hm"`, "", 1)
	bounded := strings.Replace(asItIs, `{"messages"`, `{"max_tokens":9,"messages"`, 1)
	renamed := strings.Replace(asItIs, `{"messages"`, `{"max_completion_tokens":9,"messages"`, 1)
	refusal := func(status int, message string) answer {
		return answer{status: status, body: fmt.Sprintf(`{"error":{"message":%q}}`, message)}
	}
	tests := []struct {
		name    string
		roles   openai.Roles
		tokens  int
		refused []answer
		want    []string // bodies of the first call; a second call sends the last of them
		wantErr error
	}{
		{name: "taken", want: []string{asItIs}},
		{
			name:    "Gemma 2 under vLLM",
			refused: []answer{refusal(400, "System role not supported")},
			want:    []string{asItIs, foldedForm},
		},
		{
			name:    "Gemma 3",
			refused: []answer{refusal(400, "Conversation roles must alternate user/assistant/user/assistant/...")},
			want:    []string{asItIs, foldedForm},
		},
		{
			name:    "llama.cpp says 500",
			refused: []answer{refusal(500, "After the optional system message, conversation roles must alternate user and assistant roles at row 189")},
			want:    []string{asItIs, foldedForm},
		},
		{
			name:    "once only",
			refused: []answer{refusal(400, "System role not supported"), refusal(400, "System role not supported")},
			want:    []string{asItIs, foldedForm}, wantErr: llm.ErrBadRequest,
		},
		{
			name: "not allowed to", roles: openai.RolesKeep,
			refused: []answer{refusal(400, "System role not supported")},
			want:    []string{asItIs}, wantErr: llm.ErrBadRequest,
		},
		{
			name:    "template that iterates over arguments",
			refused: []answer{refusal(400, "Can only get item pairs from a mapping.")},
			want:    []string{asItIs, objects},
		},
		{
			name:    "strict about reasoning",
			refused: []answer{refusal(400, "'messages.2' : for 'role:assistant' the following must be satisfied: property 'reasoning_content' is unsupported")},
			want:    []string{asItIs, silent},
		},
		{
			name:    "pydantic",
			refused: []answer{{status: 422, body: `{"detail":[{"type":"extra_forbidden","loc":["body","messages",2,"assistant","reasoning"],"msg":"Extra inputs are not permitted"}]}`}},
			want:    []string{asItIs, silent},
		},
		{
			name: "OpenAI's reasoning models", tokens: 9,
			refused: []answer{refusal(400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")},
			want:    []string{bounded, renamed},
		},
		{
			name:    "one after another",
			refused: []answer{refusal(400, "Can only get item pairs from a mapping."), refusal(400, "System role not supported")},
			want:    []string{asItIs, objects, foldedForm},
		},
		{
			name:    "another refusal",
			refused: []answer{refusal(400, "top_k must be at least 1")},
			want:    []string{asItIs}, wantErr: llm.ErrBadRequest,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := chatServer(t, append(tt.refused, answer{body: saysHi})...)
			c := openai.New(s.URL, openai.Options{Model: "m", Window: 100_000, Roles: tt.roles})
			req := history()
			req.MaxTokens = tt.tokens
			_, err := c.Complete(t.Context(), req)
			if !errors.Is(err, tt.wantErr) || (err == nil) != (tt.wantErr == nil) {
				t.Fatalf("err = %v, want %v", err, tt.wantErr)
			}
			if _, err := c.Complete(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			got := s.bodies(chat)
			want := append(tt.want, tt.want[len(tt.want)-1])
			if len(got) != len(want) {
				t.Fatalf("%d calls, want %d", len(got), len(want))
			}
			for i := range want {
				sameJSON(t, want[i], got[i])
			}
			if diff := cmp.Diff(history().Messages, req.Messages); diff != "" {
				t.Errorf("the request was changed:\n%s", diff)
			}
		})
	}
}

// TestFormsAtOnce has many calls refused before the first of them learns why.
func TestFormsAtOnce(t *testing.T) {
	const n = 20
	var refused atomic.Int64
	all := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), `"system"`) {
			if refused.Add(1) == n {
				close(all)
			}
			<-all
			w.WriteHeader(400)
			io.WriteString(w, "System role not supported")
			return
		}
		io.WriteString(w, saysHi)
	}))
	defer s.Close()
	c := openai.New(s.URL, openai.Options{Model: "m", Window: 100_000})
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			if _, err := c.Complete(t.Context(), history()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := refused.Load(); got != n {
		t.Errorf("%d refusals, want %d", got, n)
	}
}
