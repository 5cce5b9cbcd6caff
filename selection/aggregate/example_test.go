package aggregate_test

import (
	"context"
	"fmt"

	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
	"trawl/selection"
	"trawl/selection/aggregate"
	"trawl/trajectory"
)

// A model decides between what three rollouts ended with, in one call.
func ExampleSolAgg() {
	model := llmtest.NewScript(llm.Response{
		Message: llm.Message{Content: "<explanation>The second report names its source.</explanation>\n<answer>Paris</answer>"},
		Usage:   llm.Usage{Prompt: 420, Completion: 25},
	})
	group := selection.Group{Question: trajectory.Question{ID: "q1", Text: "Where was the founder of Acme born?"}}
	for i, answer := range []string{"Rome", "Paris", "Rome"} {
		group.Trajectories = append(group.Trajectories, &trajectory.Trajectory{QuestionID: "q1", Rollout: i, Answer: answer})
	}
	d, err := aggregate.NewSolAgg(model, aggregate.Options{Seed: 42}).Select(context.Background(), group)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Answer, d.Index, d.Cost.Calls, d.Cost.Prompt)
	// Output: Paris -1 1 420
}
