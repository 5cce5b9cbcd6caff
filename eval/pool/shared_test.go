package pool_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/corpus/dataset"
	"trawl/eval/pool"
	"trawl/internal/testutil"
	"trawl/internal/text"
	"trawl/trajectory"
	"trawl/trajectory/exchange"
)

// published reads rollouts of R1-Searcher; each number is one of its models.
func published(t *testing.T, name string) ([]dataset.Example, []*trajectory.Trajectory) {
	t.Helper()
	examples, err := dataset.Load("flashrag:" + testutil.Shared(t, "r1_searcher_rollouts/"+name+"_questions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	byText := map[string]string{}
	for _, e := range examples {
		byText[text.Normal(e.Text)] = e.ID
	}
	f, err := os.Open(testutil.Shared(t, "r1_searcher_rollouts/"+name+"_rollouts.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	roster := exchange.NewRoster(nil)
	var records []*exchange.Record
	for rec, err := range exchange.Messages(f, name, exchange.Options{}) {
		if err == nil {
			err = roster.Add(rec)
		}
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, rec)
	}
	var runs []*trajectory.Trajectory
	for _, rec := range records {
		if err := roster.Settle(rec); err != nil {
			t.Fatal(err)
		}
		rec.Trajectory.QuestionID = byText[text.Normal(rec.Trajectory.Question)]
		runs = append(runs, rec.Trajectory)
	}
	return examples, runs
}

// The published rollouts of HotpotQA: two policies, of which eleven rollouts answer
// without having found anything.
func TestPublishedPools(t *testing.T) {
	examples, runs := published(t, "hotpotqa")
	got, err := pool.Of(t.Context(), examples, from(runs...), pool.Options{Seed: 42})
	if err != nil {
		t.Fatal(err)
	}
	if want := (pool.Filter{Retained: 989, NothingFound: 11, Share: ptr(0.011)}); !cmp.Equal(want, got.Filter, within...) || got.Complete != 1000 || got.Missing != 0 {
		t.Errorf("filter %+v of %d rollouts, want %+v of 1000", got.Filter, got.Complete, want)
	}
	want := map[int]pool.Coverage{
		1: {stat(0.579, 500), stat(0.575, 500), stat(0.004, 500)}, // four of the eleven are right
		2: {stat(0.67, 500), stat(0.67, 500), stat(0, 500)},       // and the other rollout is too
	}
	if diff := cmp.Diff(want, got.CoverageAt, within...); diff != "" {
		t.Errorf("coverage (-want +got):\n%s", diff)
	}
	if o := got.Overlap; o.N != 489 || o.CI95[0] > 0.36 || o.CI95[1] < 0.36 || o.CI95[1]-o.CI95[0] > 0.05 {
		t.Errorf("overlap %+v of 489 questions, want about 0.36", o)
	}
	if g := got.Graphs; g.Graphs != 500 || g.Contents.Median != 8 || g.Contents.Shared != 0.97 || got.DocumentEdges != nil {
		t.Errorf("graphs %+v", g)
	}
}
