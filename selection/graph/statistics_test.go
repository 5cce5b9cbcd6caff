package graph_test

import (
	"math"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"trawl/selection/graph"
)

// By hand, of [small]: x is read by rollouts 0, 1, 2 once each, so it has
// 1·1 + 1·1 + 1·1 = 3 cross pairs; y stands in rollout 0 alone and z in 2. The
// sets are {x,y}, {x}, {x,z}: 1/2, 1/3 and 1/2, with the mean 4/9.
func TestStatsOf(t *testing.T) {
	got := graph.StatsOf(small(t))
	want := graph.Statistics{
		Candidates: 3, Subqueries: 3, Evidence: 7, Texts: 8,
		Contents: graph.Sharing{Groups: 1, Pairs: 3}, RolloutPairs: 3, Overlap: (1./2 + 1./3 + 1./2) / 3,
	}
	if diff := gocmp.Diff(want, got, within); diff != "" {
		t.Errorf("statistics mismatch (-want +got):\n%s", diff)
	}
	_, cross := small(t).SameContent()
	if len(cross) != 2*got.Contents.Pairs {
		t.Errorf("%d cross edges, want both ways of %d pairs", len(cross), got.Contents.Pairs)
	}
}

var within = gocmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })

// By hand: rollouts 0 and 1 open page A (same text) and 1 finds in it, rollout 2
// opens A with another text and B. Of A there are 1, 2 and 1 pieces, so
// 1·2 + 1·1 + 2·1 = 5 cross pairs; of those 1 has one content. Nothing else is
// shared. Sets {a}, {a,f}, {a',b}: 1/2, 0, 0.
func TestStatsOfDocuments(t *testing.T) {
	a, b := `{"id":"https://e.org/a"}`, `{"id":"https://e.org/b"}`
	g, err := graph.BuildPool(graph.Pool{ID: "q", Rollouts: []graph.Rollout{
		{Number: 0, Answer: "x", Events: new(browse).search().open(a, "T (https://e.org/a)", "").events},
		{Number: 1, Answer: "x", Events: new(browse).search().open(a, "T (https://e.org/a)", "").find(`{}`).events},
		{Number: 2, Answer: "x", Events: new(browse).search().open(a, "U (https://e.org/a)", "").open(b, "U (https://e.org/b)", "").events},
	}}, graph.Options{Variant: graph.LongHorizon})
	if err != nil {
		t.Fatal(err)
	}
	want := graph.Statistics{
		Candidates: 3, Subqueries: 3, Evidence: 5, Texts: 6,
		Contents:  graph.Sharing{Groups: 1, Pairs: 1},
		Documents: graph.Sharing{Groups: 1, Pairs: 5}, OtherContent: 4,
		RolloutPairs: 3, Overlap: 1. / 6,
	}
	if diff := gocmp.Diff(want, graph.StatsOf(g), within); diff != "" {
		t.Errorf("statistics mismatch (-want +got):\n%s", diff)
	}
}

func TestStatsOfNothingRead(t *testing.T) {
	g, err := graph.BuildPool(graph.Pool{Rollouts: []graph.Rollout{{Answer: "x"}, {Number: 1, Answer: "y"}}}, graph.Options{Variant: graph.LongHorizon})
	if err != nil {
		t.Fatal(err)
	}
	want := graph.Statistics{Candidates: 2, Texts: 2, RolloutPairs: 1}
	if diff := gocmp.Diff(want, graph.StatsOf(g)); diff != "" {
		t.Errorf("statistics mismatch (-want +got):\n%s", diff)
	}
}

// By hand: pairs 0, 10, 20, 40 have the mean 17.5, the median 15 and at 0.9·3 =
// 2.7 the value 20 + 0.7·20 = 34; three of four graphs have any.
func TestTotals(t *testing.T) {
	var total graph.Totals
	if diff := gocmp.Diff(graph.Summary{}, total.Summary()); diff != "" {
		t.Errorf("summary of nothing mismatch (-want +got):\n%s", diff)
	}
	for i, p := range []int{20, 0, 40, 10} {
		s := graph.Statistics{
			Candidates: i, Subqueries: 2 * i, Evidence: 4 * i, Texts: 8,
			Contents: graph.Sharing{Groups: i, Pairs: p}, Documents: graph.Sharing{Groups: 1, Pairs: p}, OtherContent: p / 2,
		}
		if i > 1 {
			s.RolloutPairs, s.Overlap = 1, float64(i)/10
		}
		total.Add(s)
	}
	want := graph.Summary{
		Graphs: 4, Candidates: 1.5, Subqueries: 3, Evidence: 6, Texts: 8,
		Contents:     graph.SharingSummary{Groups: 1.5, Mean: 17.5, Median: 15, P90: 34, Shared: .75},
		Documents:    graph.SharingSummary{Groups: 1, Mean: 17.5, Median: 15, P90: 34, Shared: .75},
		OtherContent: .5, Overlap: .25, Overlapping: 2,
	}
	if diff := gocmp.Diff(want, total.Summary(), within); diff != "" {
		t.Errorf("summary mismatch (-want +got):\n%s", diff)
	}
}
