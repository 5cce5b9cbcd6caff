package graph_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"trawl/internal/seed"
	"trawl/selection/graph"
	"trawl/trajectory"
)

// randomPool makes rollouts of both variants from few words, so that much is
// shared and much is out of order. All answers differ.
func randomPool(chance *rand.Rand) graph.Pool {
	word := func(n int) string { return string(rune('a' + chance.IntN(n))) }
	p := graph.Pool{ID: "q", Question: "?"}
	for i := range 1 + chance.IntN(6) {
		r := graph.Rollout{Number: i, Answer: fmt.Sprint("answer ", i)}
		for range chance.IntN(4) {
			s := graph.Search{Query: word(5)}
			for range chance.IntN(5) {
				s.Chunks = append(s.Chunks, graph.Chunk{Title: word(2), Text: word(4)})
			}
			r.Searches = append(r.Searches, s)
		}
		position := 0
		for range chance.IntN(10) {
			r.Events = append(r.Events, randomEvent(chance, &position))
		}
		p.Rollouts = append(p.Rollouts, r)
	}
	return p
}

func randomEvent(chance *rand.Rand, position *int) graph.Event {
	pick := func(of ...string) string { return of[chance.IntN(len(of))] }
	e := graph.Event{
		Tool: trajectory.Kind(pick("search", "open", "open", "find")),
		Args: json.RawMessage(pick(`{}`, `{"cursor":0}`, `{"cursor":1}`, `{"cursor":2}`, `{"cursor":"0"}`, `null`, `{"id":1}`,
			`{"id":"https://e.org/a"}`, `{"query":"a"}`)),
		Call: *position, Return: *position + 1 - chance.IntN(3)/2*chance.IntN(3),
	}
	*position += chance.IntN(3)
	cursor := chance.IntN(12)
	head := pick("T (https://e.org/a)", "T (https://e.org/b)", "Doc 1", "Doc 1 (https://e.org/a)", "T (web-search://x)", "T")
	switch pick("page", "page", "find", "error") {
	case "page":
		e.View = fmt.Sprintf("[%d] %s\n**viewing lines [0 - 0] of 1**\nL0: %s", cursor, head, pick("a", "b"))
	case "find":
		e.View = fmt.Sprintf("[%d] find\nL0: # 【0†match at L1】\nL1: %s", cursor, pick("a", "b"))
	default:
		e.View = "Error"
	}
	return e
}

// build returns the graph of a pool, or nil if it is empty.
func build(t *testing.T, p graph.Pool, v graph.Variant) *graph.Graph {
	t.Helper()
	g, err := graph.BuildPool(p, graph.Options{Variant: v})
	if err != nil {
		if err != graph.ErrEmpty {
			t.Fatal(err)
		}
		return nil
	}
	return g
}

func TestCountsAddUp(t *testing.T) {
	for i := range 300 {
		p := randomPool(seed.Rand(1, i))
		for _, v := range []graph.Variant{graph.WebQA, graph.LongHorizon} {
			g := build(t, p, v)
			if g == nil {
				continue
			}
			for _, one := range []*graph.Graph{g, graph.MergeEvidence(g), graph.MergeAnswers(g)} {
				if err := one.Validate(); err != nil {
					t.Fatalf("pool %d: %v", i, err)
				}
			}
			checkCounts(t, i, g)
			if diff := gocmp.Diff(g, build(t, p, v)); diff != "" {
				t.Errorf("pool %d: built twice (-first +second):\n%s", i, diff)
			}
		}
	}
}

func checkCounts(t *testing.T, pool int, g *graph.Graph) {
	t.Helper()
	into := make([]int, len(g.Evidence)) // edges from subqueries
	there, back := 0, 0
	for r, edges := range g.Edges {
		switch r {
		case graph.Opens, graph.Finds, graph.Rank(1), graph.Rank(2), graph.Rank(3):
			for _, e := range edges {
				into[e.Target]++
				if g.Subqueries[e.Source].Answers[0] != g.Evidence[e.Target].Answers[0] {
					t.Errorf("pool %d: relation %q joins two rollouts", pool, r)
				}
			}
			there += len(edges)
		case graph.OpenedBy, graph.FoundBy, graph.RankOf(1), graph.RankOf(2), graph.RankOf(3):
			back += len(edges)
		}
	}
	if there != len(g.Evidence) || back != there {
		t.Errorf("pool %d: %d edges to and %d from %d pieces of evidence", pool, there, back, len(g.Evidence))
	}
	for e, n := range into {
		if n != 1 {
			t.Errorf("pool %d: evidence %d has %d subqueries", pool, e, n)
		}
	}
	active := map[int]bool{}
	for _, s := range g.Subqueries {
		active[s.Answers[0]] = true
	}
	if n := len(g.Edges[graph.Next]); n != len(g.Subqueries)-len(active) {
		t.Errorf("pool %d: %d next edges of %d subqueries in %d rollouts", pool, n, len(g.Subqueries), len(active))
	}
	if n := len(g.Edges[graph.Starts]); g.Variant == graph.WebQA && n != len(g.Answers) {
		t.Errorf("pool %d: %d starts of %d candidates", pool, n, len(g.Answers))
	}
	if n := len(g.Edges[graph.BelongsTo]); g.Variant == graph.LongHorizon && (n != len(g.Evidence) || len(g.Edges[graph.Contains]) != n) {
		t.Errorf("pool %d: %d pieces of evidence belong to documents, want %d", pool, n, len(g.Evidence))
	}
}

// A rollout's part of a graph does not depend on which number it has: with other
// numbers the candidates come in another order, each with the same subqueries and
// evidence.
func TestPermutation(t *testing.T) {
	for i := range 200 {
		chance := seed.Rand(2, i)
		p := randomPool(chance)
		other := graph.Pool{ID: p.ID, Question: p.Question, Rollouts: slices.Clone(p.Rollouts)}
		for j, n := range chance.Perm(len(p.Rollouts)) {
			other.Rollouts[j].Number = n
		}
		for _, v := range []graph.Variant{graph.WebQA, graph.LongHorizon} {
			g, h := build(t, p, v), build(t, other, v)
			if (g == nil) != (h == nil) {
				t.Fatalf("pool %d: one order is empty", i)
			}
			if g == nil {
				continue
			}
			if diff := gocmp.Diff(parts(g), parts(h)); diff != "" {
				t.Errorf("pool %d, %s: parts of rollouts mismatch (-as made +renumbered):\n%s", i, v, diff)
			}
			if a, b := graph.StatsOf(g), graph.StatsOf(h); !gocmp.Equal(a, b, within) {
				t.Errorf("pool %d, %s: statistics %+v, renumbered %+v", i, v, a, b)
			}
		}
	}
}

// parts returns what each rollout did, by its place in the pool.
func parts(g *graph.Graph) map[int][]string {
	rollout := func(answers []int) int { return g.Answers[answers[0]].Rollouts[0] }
	out := map[int][]string{}
	for _, a := range g.Answers {
		out[a.Rollouts[0]] = []string{g.Texts[a.Text]}
	}
	for _, s := range g.Subqueries {
		text := fmt.Sprint("orphan ", s.Orphan)
		if s.Text != graph.NoText {
			text = g.Texts[s.Text]
		}
		out[rollout(s.Answers)] = append(out[rollout(s.Answers)], text)
	}
	for _, e := range g.Evidence {
		text := fmt.Sprintf("%s, find %t", g.Texts[e.Text], e.Find)
		if e.Document >= 0 {
			text += fmt.Sprintf(", verified %t", g.Documents[e.Document].Verified)
		}
		out[rollout(e.Answers)] = append(out[rollout(e.Answers)], text)
	}
	return out
}
