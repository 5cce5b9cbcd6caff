package gnn

import (
	"math"
	"math/rand/v2"
	"slices"

	"trawl/internal/seed"
	"trawl/selection/graph"
	"trawl/selection/internal/compute"
)

// PaperRollouts is the K of the paper's test questions.
const PaperRollouts = 16

// The sizes of a graph of the paper's test questions at K=16, means over graphs:
// rollouts retained, searches, chunk texts, and pairs of occurrences of one chunk
// in two rollouts. Each search returns three chunks, so there are 85.2 occurrences.
const (
	meanCandidates = 11.85
	meanSubqueries = 28.4
	meanChunks     = 23
	meanCross      = 306
	chunksOfSearch = 3
)

// Workload returns search-only graphs of made-up content, for measuring: together
// they have the paper's mean sizes to the nearest whole number, or, for another
// number of rollouts than [PaperRollouts], sizes in proportion to it. Every text
// has a vector of its own, of length 1.
func Workload(base int64, graphs, dims, rollouts int) ([]Input, Vectors) {
	r := seed.Rand(base, "workload")
	part := float64(rollouts) / PaperRollouts
	share := func(mean float64, i int) int { // the i-th part of mean·graphs
		return int(math.Round(mean*part*float64(i+1))) - int(math.Round(mean*part*float64(i)))
	}
	worlds := make([]*world, graphs)
	for i := range worlds {
		worlds[i] = newWorld(r, share(meanCandidates, i), share(meanSubqueries, i), max(share(meanChunks, i), chunksOfSearch))
	}
	settle(r, worlds, int(math.Round(meanCross*part*float64(graphs))))
	in := make([]Input, graphs)
	texts := 0
	for i, w := range worlds {
		in[i].Graph = w.graph()
		for range in[i].Graph.Texts {
			in[i].Rows = append(in[i].Rows, int32(texts))
			texts++
		}
	}
	return in, randomVectors(r, texts, dims)
}

// A world is one graph of a workload: which candidate made each search, and which
// three chunks it found.
type world struct {
	candidates, chunks int
	owner              []int
	found              [][]int
}

// newWorld draws a world. Chunks are found about as often as the inverse of their
// number's root, which gives about as many pairs as the paper's graphs have.
func newWorld(r *rand.Rand, candidates, searches, chunks int) *world {
	w := &world{candidates: candidates, chunks: chunks}
	for s := range searches {
		owner := s
		if s >= candidates {
			owner = r.IntN(candidates)
		}
		w.owner = append(w.owner, owner)
	}
	slices.Sort(w.owner)
	next := 0 // every chunk is found once at least
	for range w.owner {
		var found []int
		for len(found) < chunksOfSearch {
			c := next
			if c >= chunks {
				u := r.Float64()
				c = int(u * u * float64(chunks))
			}
			if !slices.Contains(found, c) {
				found = append(found, c)
				next++
			}
		}
		w.found = append(w.found, found)
	}
	return w
}

// cross counts the pairs of occurrences of a chunk in two rollouts that one
// occurrence of it in a search would be in.
func (w *world) cross(search, chunk int) int {
	n := 0
	for s, found := range w.found {
		if w.owner[s] != w.owner[search] && slices.Contains(found, chunk) {
			n++
		}
	}
	return n
}

// settle puts other chunks in place of some until there are as many cross pairs as
// wanted.
func settle(r *rand.Rand, worlds []*world, want int) {
	missing := 2 * want
	for _, w := range worlds {
		for s, found := range w.found {
			for _, c := range found {
				missing -= w.cross(s, c)
			}
		}
	}
	missing /= 2
	for range 1 << 20 { // far more than it takes, where it can be had
		if missing == 0 || len(worlds) == 0 {
			return
		}
		w := worlds[r.IntN(len(worlds))]
		s, rank, c := r.IntN(len(w.found)), r.IntN(chunksOfSearch), r.IntN(w.chunks)
		old := w.found[s][rank]
		gain := w.cross(s, c) - w.cross(s, old)
		if slices.Contains(w.found[s], c) || w.count(old) == 1 || abs(missing-gain) >= abs(missing) {
			continue
		}
		w.found[s][rank] = c
		missing -= gain
	}
}

func (w *world) count(chunk int) int {
	n := 0
	for _, found := range w.found {
		if slices.Contains(found, chunk) {
			n++
		}
	}
	return n
}

func abs(n int) int { return max(n, -n) }

// graph returns the graph of a world: text 0 is the question's, then come the
// answers', the searches' and the chunks'.
func (w *world) graph() *graph.Graph {
	g := &graph.Graph{Variant: graph.WebQA, Contents: w.chunks, Edges: map[graph.Relation][]graph.Edge{}}
	g.Texts = make([]string, 1+w.candidates+len(w.owner)+w.chunks)
	join := func(r graph.Relation, source, target int) {
		g.Edges[r] = append(g.Edges[r], graph.Edge{Source: source, Target: target})
	}
	for i := range w.candidates {
		g.Answers = append(g.Answers, graph.Answer{Text: 1 + i, Rollouts: []int{i}, Votes: 1})
	}
	for s, owner := range w.owner {
		g.Subqueries = append(g.Subqueries, graph.Subquery{Text: 1 + w.candidates + s, Answers: []int{owner}})
		if s == 0 || w.owner[s-1] != owner {
			join(graph.Starts, 0, s)
		} else {
			join(graph.Next, s-1, s)
		}
		for i, c := range w.found[s] {
			join(graph.Rank(i+1), s, len(g.Evidence))
			join(graph.RankOf(i+1), len(g.Evidence), s)
			g.Evidence = append(g.Evidence, graph.Evidence{
				Text: 1 + w.candidates + len(w.owner) + c, Content: c, Answers: []int{owner}, Document: -1,
			})
		}
	}
	return g
}

// Vectors are [Features] in memory, row after row.
type Vectors struct {
	N    int // numbers of a vector
	Data []float32
}

// Dims implements [Features].
func (v Vectors) Dims() int { return v.N }

// Read implements [Features].
func (v Vectors) Read(row int32, dst []float32) { copy(dst, v.Data[int(row)*v.N:][:v.N]) }

// randomVectors draws vectors of length 1.
func randomVectors(r *rand.Rand, rows, dims int) Vectors {
	v := Vectors{N: dims, Data: compute.Make[float32](rows * dims)}
	for i := range rows {
		row := v.Data[i*dims : (i+1)*dims]
		var squares float64
		for j := range row {
			x := r.Float64() - 0.5
			row[j] = float32(x)
			squares += x * x
		}
		for j := range row {
			row[j] /= float32(math.Sqrt(squares))
		}
	}
	return v
}
