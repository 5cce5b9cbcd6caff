package agent_test

import (
	"context"
	"fmt"

	"trawl/agent"
	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
	"trawl/trajectory"
)

// A seeded rollout: turn 1 searches for the given query, and the model is asked
// from turn 2 on.
func Example() {
	model := llmtest.NewScript(
		llm.Response{Message: llm.Message{ToolCalls: []llm.ToolCall{{ID: "a", Name: "search", Arguments: `{"query": "Acme founder"}`}}}},
		llm.Response{Message: llm.Message{Content: "Confidence: 90%\n<answer>Jane Doe</answer>"}},
	)
	got, err := agent.New(model, searcher(), agent.Options{Turns: 4}).Run(context.Background(), agent.Task{
		Key:       trajectory.Key{QuestionID: "q1", Round: 1},
		Question:  trajectory.Question{ID: "q1", Text: "Who founded Acme?"},
		SeedQuery: &trajectory.SeedQuery{Text: "Acme company", Source: trajectory.SeedPool},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range got.Steps {
		fmt.Printf("%d %s %q\n", s.Turn, s.Kind, s.Query)
	}
	fmt.Println(got.Answer, got.Termination, got.Usage.LLMCalls)
	// Output:
	// 1 search "Acme company"
	// 2 search "Acme founder"
	// 3 answer ""
	// Jane Doe answered 2
}
