package agent_test

import (
	"slices"
	"testing"

	"trawl/agent"
	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
	"trawl/trajectory"
)

// Whatever a model says, in whatever place: the rollout comes to a valid end.
func FuzzReply(f *testing.F) {
	for _, s := range llmtest.Odd() {
		f.Add(s, "", "", false)
		f.Add("", s, "", true)
		f.Add("", "", s, false)
	}
	f.Fuzz(func(t *testing.T, content, reasoning, arguments string, cut bool) {
		resp := llm.Response{Message: llm.Message{Role: llm.Assistant, Content: content, Reasoning: reasoning}, Finish: "stop"}
		if cut {
			resp.Finish = "length"
		}
		if arguments != "" {
			resp.Message.ToolCalls = []llm.ToolCall{searchCall("1", arguments)}
		}
		for _, d := range []agent.Dialect{agent.Native, agent.Tags} {
			client := llmtest.NewScript(slices.Repeat([]llm.Response{resp}, 12)...)
			got, err := agent.New(client, searcher(), agent.Options{Dialect: d, Turns: 3}).Run(t.Context(), testTask())
			if err != nil {
				t.Fatal(err)
			}
			if err := got.Validate(); err != nil {
				t.Fatal(err)
			}
			if err := validTranscript(got.Messages); err != nil {
				t.Fatal(err)
			}
			if got.Answer != "" && got.Source == trajectory.AnswerNone {
				t.Fatalf("%s: answer %q without a source", d, got.Answer)
			}
		}
	})
}
