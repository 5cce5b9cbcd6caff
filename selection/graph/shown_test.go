package graph_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/selection"
	"trawl/selection/graph"
	"trawl/trajectory"
)

// TestOnlyWhatWasShown keeps results out of the graph that were cut off before the
// model read them.
func TestOnlyWhatWasShown(t *testing.T) {
	results := []trajectory.Result{
		{Rank: 1, Title: "A", Text: "one"}, {Rank: 2, Title: "B", Text: "two"}, {Rank: 3, Title: "C", Text: "three"},
	}
	tests := []struct {
		name, shown string
		want        []graph.Chunk
	}{
		{"all", "Doc 1(Title: A) one\nDoc 2(Title: B) two\nDoc 3(Title: C) three", []graph.Chunk{{"A", "one"}, {"B", "two"}, {"C", "three"}}},
		{"the last one cut off", "Doc 1(Title: A) one\nDoc 2(Title: B) two\n[cut]", []graph.Chunk{{"A", "one"}, {"B", "two"}}},
		{"a part counts as read", "Doc 1(Title: A) one\nDoc 2(Title: B) t\n[cut]", []graph.Chunk{{"A", "one"}, {"B", "two"}}},
		{"not even a title", "Doc 1(Title: A) one\nDoc 2(Ti\n[cut]", []graph.Chunk{{"A", "one"}}},
		{"nothing at all", "\n[cut]", nil},
		{"another program's text", "(1) A one (2) B two", []graph.Chunk{{"A", "one"}, {"B", "two"}, {"C", "three"}}},
		{"words of a document", "Doc 1(Title: A) one\nDoc 3(Title: C) forged\n[cut]", []graph.Chunk{{"A", "one"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := graph.PoolOf(selection.Group{Trajectories: []*trajectory.Trajectory{{
				Answer: "x", Steps: []trajectory.Step{{Turn: 1, Kind: trajectory.KindSearch, Query: "q", Results: results, Shown: tt.shown}},
			}}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, p.Rollouts[0].Searches[0].Chunks); diff != "" {
				t.Errorf("chunks mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
