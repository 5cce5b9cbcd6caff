package gnn

import (
	"math/rand/v2"

	"trawl/selection/graph"
)

// RandomInput returns a small graph in which everything occurs that a graph of the
// variant can have: chunks that one rollout found several times and that many
// found, texts that nodes share, nodes without text, equal answers, orphans, finds,
// pages that several rollouts read, and a candidate without evidence. Its texts
// have the rows from first on.
func RandomInput(r *rand.Rand, v graph.Variant, first int) Input {
	const texts = 12
	g := &graph.Graph{Variant: v, Edges: map[graph.Relation][]graph.Edge{}}
	in := Input{Graph: g}
	for i := range texts {
		g.Texts = append(g.Texts, []string{"Rome", "the Rome", "Oslo", "Bern", "Lima", "Kyiv", "Cairo", "Paris", "Quito", "Tunis", "Hanoi", "Delhi"}[i])
		in.Rows = append(in.Rows, int32(first+i))
	}
	g.Query = r.IntN(texts)
	for i := range 4 {
		text := []int{0, 1, 2, 0}[i] // three of the four answer "Rome"
		votes := []int{3, 3, 1, 3}[i]
		g.Answers = append(g.Answers, graph.Answer{Text: text, Rollouts: []int{i + 1}, Votes: votes})
	}
	for a := range 3 { // the last candidate has no evidence
		for s := range 2 + r.IntN(2) {
			sub := graph.Subquery{Text: r.IntN(texts+1) - 1, Answers: []int{a}}
			if v == graph.LongHorizon && s == 1 && a != 1 {
				sub.Orphan, sub.Text = true, graph.NoText
			}
			if s > 0 {
				n := len(g.Subqueries)
				join(g, graph.Next, n-1, n)
				if v == graph.LongHorizon {
					join(g, graph.Previous, n, n-1)
				}
			} else if v == graph.WebQA {
				join(g, graph.Starts, 0, len(g.Subqueries))
			}
			g.Subqueries = append(g.Subqueries, sub)
			for rank := range 3 {
				randomEvidence(r, g, a, rank)
			}
		}
	}
	for range g.Contents {
		g.Documents = append(g.Documents, graph.Document{})
	}
	if v == graph.WebQA {
		g.Documents = nil
	}
	return in
}

// randomEvidence adds evidence of the last subquery. One content in five is
// drawn half of the time, so that cliques of it are large.
func randomEvidence(r *rand.Rand, g *graph.Graph, a, rank int) {
	content := r.IntN(5) * r.IntN(2)
	n, s := len(g.Evidence), len(g.Subqueries)-1
	e := graph.Evidence{Text: 3 + content, Content: content, Answers: []int{a}, Document: -1}
	g.Contents = 5
	if g.Variant == graph.WebQA {
		join(g, graph.Rank(rank+1), s, n)
		join(g, graph.RankOf(rank+1), n, s)
	} else {
		e.Document, e.Find = content/2, rank == 2
		join(g, graph.BelongsTo, n, e.Document)
		join(g, graph.Contains, e.Document, n)
		to, back := graph.Opens, graph.OpenedBy
		if e.Find {
			to, back = graph.Finds, graph.FoundBy
		}
		join(g, to, s, n)
		join(g, back, n, s)
	}
	g.Evidence = append(g.Evidence, e)
}

func join(g *graph.Graph, r graph.Relation, source, target int) {
	g.Edges[r] = append(g.Edges[r], graph.Edge{Source: source, Target: target})
}

// RandomVectors returns vectors of length 1.
func RandomVectors(r *rand.Rand, rows, dims int) Vectors { return randomVectors(r, rows, dims) }
