package graph_test

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"trawl/selection/graph"
)

// small is three rollouts, two of one answer: contents x in all, y twice in one
// search of the first, z in the last.
func small(t *testing.T) *graph.Graph {
	t.Helper()
	g, err := graph.BuildPool(graph.Pool{Question: "?", Rollouts: []graph.Rollout{
		rollout(0, "Rome", one("q", "x", "y", "y", "y")),
		rollout(1, "Oslo", one("q", "x")),
		rollout(2, "rome.", one("r", "z", "x")),
	}}, graph.Options{Ranks: 2})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestMergeEvidence(t *testing.T) {
	g := small(t)
	before := small(t)
	m := graph.MergeEvidence(g)
	want := small(t)
	want.Evidence = []graph.Evidence{
		{Text: g.Evidence[0].Text, Content: 0, Answers: []int{0, 1, 2}, Document: -1},
		{Text: g.Evidence[1].Text, Content: 1, Answers: []int{0}, Document: -1},
		{Text: g.Evidence[5].Text, Content: 2, Answers: []int{2}, Document: -1},
	}
	want.Edges = map[graph.Relation][]graph.Edge{
		graph.Starts: {{0, 0}, {0, 1}, {0, 2}}, graph.Next: {},
		graph.Rank(1): {{0, 0}, {1, 0}, {2, 2}}, graph.RankOf(1): {{0, 0}, {0, 1}, {2, 2}},
		graph.Rank(2): {{0, 1}, {2, 0}}, graph.RankOf(2): {{1, 0}, {0, 2}},
	}
	if diff := gocmp.Diff(want, m); diff != "" {
		t.Errorf("merged mismatch (-want +got):\n%s", diff)
	}
	if err := m.Validate(); err != nil {
		t.Error(err)
	}
	if intra, cross := m.SameContent(); len(intra)+len(cross) != 0 {
		t.Errorf("merged evidence has %d and %d same-content edges", len(intra), len(cross))
	}
	if diff := gocmp.Diff(m, graph.MergeEvidence(m)); diff != "" {
		t.Errorf("merging twice differs (-once +twice):\n%s", diff)
	}
	if diff := gocmp.Diff(before, g); diff != "" {
		t.Errorf("merging changed its argument (-before +after):\n%s", diff)
	}
}

// Of two documents with one text a merged view belongs to both.
func TestMergeEvidenceOfDocuments(t *testing.T) {
	p := graph.Pool{ID: "q"}
	for i, id := range []string{"https://e.org/a", "https://e.org/b"} {
		b := new(browse).search().open(`{"id":"`+id+`"}`, "T", "")
		p.Rollouts = append(p.Rollouts, graph.Rollout{Number: i, Answer: "x", Events: b.events})
	}
	g, err := graph.BuildPool(p, graph.Options{Variant: graph.LongHorizon})
	if err != nil {
		t.Fatal(err)
	}
	m := graph.MergeEvidence(g)
	want := map[graph.Relation][]graph.Edge{
		graph.BelongsTo: {{0, 0}, {0, 1}}, graph.Contains: {{0, 0}, {1, 0}},
		graph.Opens: {{0, 0}, {1, 0}}, graph.OpenedBy: {{0, 0}, {0, 1}},
		graph.Finds: {}, graph.FoundBy: {}, graph.Next: {}, graph.Previous: {},
	}
	if diff := gocmp.Diff(want, m.Edges); diff != "" {
		t.Errorf("edges mismatch (-want +got):\n%s", diff)
	}
	if err := m.Validate(); err != nil {
		t.Error(err)
	}
}

func TestMergeAnswers(t *testing.T) {
	g := small(t)
	before := small(t)
	m := graph.MergeAnswers(g)
	want := small(t)
	want.Answers = []graph.Answer{{Text: g.Answers[0].Text, Rollouts: []int{0, 2}, Votes: 2}, {Text: g.Answers[1].Text, Rollouts: []int{1}, Votes: 1}}
	want.Subqueries[2].Answers = []int{0}
	want.Evidence[5].Answers = []int{0}
	want.Evidence[6].Answers = []int{0}
	want.Origins = []int{0, 0, 0, 0, 1, 2, 2}
	if diff := gocmp.Diff(want, m); diff != "" {
		t.Errorf("merged mismatch (-want +got):\n%s", diff)
	}
	if err := m.Validate(); err != nil {
		t.Error(err)
	}
	intra, cross := g.SameContent()
	mergedIntra, mergedCross := m.SameContent()
	if diff := gocmp.Diff([][]graph.Edge{intra, cross}, [][]graph.Edge{mergedIntra, mergedCross}); diff != "" {
		t.Errorf("same content mismatch (-separate +merged):\n%s", diff)
	}
	if diff := gocmp.Diff(m, graph.MergeAnswers(m)); diff != "" {
		t.Errorf("merging twice differs (-once +twice):\n%s", diff)
	}
	if diff := gocmp.Diff(before, g); diff != "" {
		t.Errorf("merging changed its argument (-before +after):\n%s", diff)
	}
}

// Merging both in either order is the same graph, but for who read merged
// evidence first.
func TestMergeBoth(t *testing.T) {
	a, b := graph.MergeEvidence(graph.MergeAnswers(small(t))), graph.MergeAnswers(graph.MergeEvidence(small(t)))
	a.Origins, b.Origins = nil, nil
	if diff := gocmp.Diff(a, b); diff != "" {
		t.Errorf("the order of merging matters (-answers first +evidence first):\n%s", diff)
	}
	want := []graph.Evidence{{Text: 3, Content: 0, Answers: []int{0, 1}, Document: -1}}
	if diff := gocmp.Diff(want, a.Evidence[:1]); diff != "" {
		t.Errorf("first evidence mismatch (-want +got):\n%s", diff)
	}
}
