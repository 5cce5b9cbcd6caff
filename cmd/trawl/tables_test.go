package main

import (
	"strings"
	"testing"

	"trawl/eval"
	"trawl/eval/compare"
	"trawl/internal/testutil"
	"trawl/trajectory"
)

func statTest(mean, low, high float64) *eval.Stat {
	return &eval.Stat{Mean: mean, CI95: [2]float64{low, high}, N: 40}
}

// TestWriteRounds: a first round that nothing led to, and one with all there is
// to say, stopped and failed rollouts included.
func TestWriteRounds(t *testing.T) {
	half, tenth, open := .5, .1, 7
	r := &eval.Report{Rollouts: 4, Rounds: []eval.Round{
		{Round: 1, Complete: 160, RT: statTest(.3, .2, .4), AP: statTest(.3, .2, .4), Pass: statTest(.5, .4, .6), Majority: statTest(.4, .3, .5),
			Resources: eval.Resources{
				PerRollout: eval.Work{Calls: eval.Calls{N: 160, LLMCalls: 3, PromptTokens: 4000, CompletionTokens: 150, CachedTokens: 3000, Seconds: 2.5}, Searches: 2.75},
				PerSummary: eval.Calls{N: 160, LLMCalls: 1, PromptTokens: 2000, CompletionTokens: 200, CachedTokens: 1000, Seconds: .5},
			},
			DuplicateQueries: &tenth, States: eval.States{Origins: map[trajectory.StateOrigin]int{trajectory.StateModel: 158, trajectory.StateNone: 2}}},
		{Round: 2, Complete: 100, Stopped: 50, Failed: 6, Missing: 4, RT: statTest(.5, .4, .6), AP: statTest(.55, .45, .65),
			DuplicateQueries: &half, DuplicatesAcross: &half, Branches: eval.Branches{Planned: 10, Executed: 5, Left: 5, LeftShare: &half, Open: &open}},
	}}
	r.EM = statTest(.5, .4, .6)
	var b strings.Builder
	if err := writeRounds(&b, r); err != nil {
		t.Fatal(err)
	}
	testutil.Golden(t, "rounds.txt", b.String())
	b.Reset()
	if err := writeRounds(&b, &eval.Report{}); err != nil || b.Len() > 0 {
		t.Errorf("a run of one round prints %q, error %v", b.String(), err)
	}
}

// TestWriteComparisonOfModels: selectors that ask a model have subsets of their
// own and say what a decision costs.
func TestWriteComparisonOfModels(t *testing.T) {
	usd := .09
	r := &compare.Report{Questions: 40, Rollouts: 8, Complete: 320, Subsets: "100", At: map[int][]compare.Row{
		4: {
			{Selector: "solagg", Accuracy: statTest(.5, .4, .6), VsMajority: statTest(.1, 0, .2), Coverage: .6, Subsets: 120, Sampled: true, Empty: 2, Noted: 2,
				Cost: compare.Cost{Seconds: 60, ModelCalls: 126, PromptTokens: 60_000, CompletionTokens: 3600, FreshPromptTokens: 54_000, USD: &usd}},
			{Selector: "majority", Accuracy: statTest(.4, .3, .5), Coverage: .65, Subsets: 2800, Cost: compare.Cost{Seconds: .5}},
		},
	}}
	var b strings.Builder
	if err := writeComparison(&b, "run", r); err != nil {
		t.Fatal(err)
	}
	testutil.Golden(t, "comparison-models.txt", b.String())
}

func TestWriteAsked(t *testing.T) {
	score := .67
	a := &asked{
		Question: "Who?", Answer: "Ada", Selector: "majority", Simulated: true,
		Evidence: []evidence{{ID: "7", Title: "Ada", Rollouts: []int{0, 2}, Says: true, Text: "Ada wrote it."}},
		Candidates: []candidate{
			{Rollout: 0, Answer: "Ada", Before: []string{"", "Bob"}, Score: &score, FirstQuery: "who wrote it", Searches: 4, Termination: trajectory.Answered, chosen: true},
			{Rollout: 2, Answer: "ada", Searches: 3, Termination: trajectory.TurnLimit},
			{Rollout: 3, Searches: 3, Termination: trajectory.Loop},
		},
		Failed: []string{"the server cannot be reached"},
	}
	written := &asked{Answer: "Ada", Selector: "solagg", Note: "1 of 3 reports could not be had", written: true, Candidates: a.Candidates[1:2]}
	var b strings.Builder
	a.write(env{stdout: &b})
	b.WriteString("\n---\n")
	written.write(env{stdout: &b})
	testutil.Golden(t, "asked.txt", b.String())
}
