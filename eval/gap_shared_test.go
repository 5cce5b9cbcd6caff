package eval_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/internal/testutil"
	"trawl/trajectory"
)

// Two policies answered 500 questions of HotpotQA: both right 244 times, one of
// them 91 times, neither 165 times. Of two votes the first policy's counts, so that
// voting is its EM; of many, a tie stays a tie, and voting is the mean of both.
func TestPublishedGap(t *testing.T) {
	examples, err := dataset.Load("flashrag:" + testutil.Shared(t, "r1_searcher_rollouts/hotpotqa_questions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	byText := make(map[string]string)
	for _, e := range examples {
		byText[e.Text] = e.ID
	}
	var runs []*trajectory.Trajectory
	a, b := eval.Side{Name: "A", Examples: examples}, eval.Side{Name: "B", Examples: examples}
	for _, p := range readPublished(t, testutil.Shared(t, "r1_searcher_rollouts/hotpotqa_rollouts.jsonl")) {
		id := byText[strings.TrimSpace(p.Question)]
		runs = append(runs, run(id, p.RolloutID-1, p.Prediction))
		side := &a
		if p.RolloutID == 2 {
			side = &b
		}
		side.Runs = append(side.Runs, run(id, 0, p.Prediction))
	}
	gap, err := eval.GapOf(examples, runs, eval.Options{Seed: 42})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(eval.Classes{Always: 244, Tied: 91, Never: 165}, gap.Classes); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
	at, far := gap.At[2], gap.Extrapolated[64]
	if !near(at.Coverage.Mean, 0.67) || !near(at.Voting.Mean, 0.582) || !near(at.Gap.Mean, 0.088) || !near(*at.SelectedGivenCovered, 0.582/0.67) {
		t.Errorf("at 2: %+v, %+v, %+v, %v", at.Coverage, at.Voting, at.Gap, *at.SelectedGivenCovered)
	}
	if !near(far.Coverage, 0.67) || !near(far.Voting, 0.579) {
		t.Errorf("extrapolated to 64: %+v", far)
	}
	c, err := eval.Contrast(a, b, eval.ContrastOptions{Seed: 42})
	if err != nil {
		t.Fatal(err)
	}
	// 47 of the 91 for A, 44 for B: with a fair coin 45 or 46 have the chance
	// 2·C(91, 45)/2^91 = 0.166, and all others are as far from the middle.
	em := c.Figures[0]
	if em.Metric != "em" || !near(em.A, 0.582) || !near(em.B, 0.576) || !near(em.Diff.Mean, -0.006) || em.Diff.CI95[0] >= 0 || em.Diff.CI95[1] <= 0 || math.Abs(em.P-0.834) > 0.04 {
		t.Errorf("%+v, difference %+v", em, em.Diff)
	}
}
