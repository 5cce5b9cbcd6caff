package graph_test

import (
	"errors"
	"strings"
	"testing"

	"trawl/selection/graph"
)

func TestValidate(t *testing.T) {
	tests := []struct {
		name   string
		change func(*graph.Graph)
		want   string
	}{
		{"variant", func(g *graph.Graph) { g.Variant = "" }, `graph: variant ""`},
		{"query", func(g *graph.Graph) { g.Query = 99 }, "graph: query has text 99 of 8"},
		{"no candidate", func(g *graph.Graph) { g.Answers = nil }, "graph: no candidate"},
		{"a candidate's text", func(g *graph.Graph) { g.Answers[1].Text = -2 }, "graph: candidate 1 has text -2"},
		{"a candidate without votes", func(g *graph.Graph) { g.Answers[2].Votes = 0 }, "graph: candidate 2 has text"},
		{"documents where there are none", func(g *graph.Graph) { g.Documents = []graph.Document{{ID: "x"}} }, "graph: 1 documents"},
		{"origins", func(g *graph.Graph) { g.Origins = []int{0} }, "graph: 1 origins of 7"},
		{"a subquery's text", func(g *graph.Graph) { g.Subqueries[0].Text = 8 }, "graph: subquery 0 has text 8 of 8"},
		{"an orphan in webqa", func(g *graph.Graph) { g.Subqueries[1].Orphan = true }, "graph: subquery 1 has text"},
		{"a subquery of nobody", func(g *graph.Graph) { g.Subqueries[1].Answers = nil }, "graph: subquery 1: no candidate"},
		{"evidence without text", func(g *graph.Graph) { g.Evidence[1].Text = graph.NoText }, "graph: evidence 1: text -1"},
		{"evidence of no content", func(g *graph.Graph) { g.Evidence[1].Content = 3 }, "graph: evidence 1: content 3 of 3"},
		{"evidence of a candidate too many", func(g *graph.Graph) { g.Evidence[6].Answers = []int{0, 3} }, "graph: evidence 6: candidates [0 3] of 3"},
		{"evidence of candidates out of order", func(g *graph.Graph) { g.Evidence[6].Answers = []int{1, 0} }, "graph: evidence 6: candidates [1 0] of 3"},
		{"evidence of a document in webqa", func(g *graph.Graph) { g.Evidence[0].Document = 0 }, "graph: evidence 0: document 0"},
		{"evidence of no document", func(g *graph.Graph) {
			g.Variant = graph.LongHorizon
			g.Edges = nil
		}, "graph: evidence 0: document -1 of 0"},
		{"an unknown relation", func(g *graph.Graph) { g.Edges["rank0"] = nil }, `graph: relation "rank0"`},
		{"a rank in other spelling", func(g *graph.Graph) { g.Edges["rank01"] = nil }, `graph: relation "rank01"`},
		{"a rank without its name", func(g *graph.Graph) { g.Edges["1"] = nil }, `graph: relation "1"`},
		{"a relation of the other variant", func(g *graph.Graph) { g.Edges[graph.Opens] = nil }, `graph: relation "opens"`},
		{"an edge's source", func(g *graph.Graph) { g.Edges[graph.Starts][0].Source = 1 }, `graph: edge 1 → 0 of relation "starts"`},
		{"an edge's target", func(g *graph.Graph) { g.Edges[graph.Rank(2)][0].Target = 7 }, `graph: edge 0 → 7 of relation "rank2"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := small(t)
			if err := g.Validate(); err != nil {
				t.Fatal(err)
			}
			tt.change(g)
			if err := g.Validate(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Validate() = %v, want %q", err, tt.want)
			}
		})
	}
	if err := (&graph.Graph{Variant: graph.WebQA, Query: graph.NoText}).Validate(); !errors.Is(err, graph.ErrEmpty) {
		t.Errorf("an empty graph is %v, want ErrEmpty", err)
	}
}
