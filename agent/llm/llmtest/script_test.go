package llmtest_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
)

func TestScript(t *testing.T) {
	s := llmtest.NewScript(
		llm.Response{Message: llm.Message{ToolCalls: []llm.ToolCall{{ID: "1", Name: "search"}}}},
		llm.Response{Message: llm.Message{Content: "Paris"}},
		llm.Response{Message: llm.Message{Content: "cut"}, Finish: "length"},
	)
	req := &llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "q"}}}
	var finishes []string
	for range 3 {
		resp, err := s.Complete(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if resp.Message.Role != llm.Assistant {
			t.Errorf("role = %q", resp.Message.Role)
		}
		finishes = append(finishes, resp.Finish)
		req.Messages = append(req.Messages, resp.Message)
	}
	if diff := cmp.Diff([]string{"tool_calls", "stop", "length"}, finishes); diff != "" {
		t.Errorf("finish reasons mismatch (-want +got):\n%s", diff)
	}
	_, err := s.Complete(t.Context(), req)
	var e *llm.Error
	if err == nil || errors.As(err, &e) {
		t.Errorf("err = %v beyond the end, want one that nobody retries", err)
	}
	var lengths []int
	for _, r := range s.Requests() {
		lengths = append(lengths, len(r.Messages))
	}
	if diff := cmp.Diff([]int{1, 2, 3, 4}, lengths); diff != "" {
		t.Errorf("lengths of recorded requests mismatch (-want +got):\n%s", diff)
	}
}

func TestScriptAtOnce(t *testing.T) {
	s := llmtest.NewScript(make([]llm.Response, 50)...)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if _, err := s.Complete(t.Context(), &llm.Request{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := len(s.Requests()); got != 50 {
		t.Errorf("%d requests, want 50", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Complete(ctx, &llm.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want context.Canceled", err)
	}
}
