package judge_test

import (
	"context"
	"fmt"

	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
	"trawl/eval/judge"
)

func ExampleJudge() {
	model := llmtest.NewScript(llm.Response{Message: llm.Message{Content: "**correct:** yes"}})
	j, err := judge.New(model, judge.Options{Style: judge.BrowseComp})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := j.Judge(context.Background(), "Where is the tower?", []string{"Paris"}, "in the capital of France")
	fmt.Println(r.Verdict, err)
	// Output: correct <nil>
}
