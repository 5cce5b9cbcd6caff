package llm_test

import (
	"context"
	"fmt"
	"time"

	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
)

// The usual order: calls are tried again outermost, spread over the servers, and
// limited at each of them.
func ExampleRetry() {
	first := llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) {
		return nil, &llm.Error{Kind: llm.ErrUnreachable, Endpoint: "http://a/v1"}
	})
	second := llmtest.NewScript(llm.Response{Message: llm.Message{Content: "<answer>Paris</answer>"}})

	model := llm.Retry(llm.Route([]llm.Client{llm.Limit(first, 64), llm.Limit(second, 64)}), 5, time.Second)
	resp, err := model.Complete(context.Background(), &llm.Request{
		Messages: []llm.Message{{Role: llm.User, Content: "What is the capital of France?"}},
		Affinity: "question 1",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Message.Content)
	// Output: <answer>Paris</answer>
}
