package train_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trawl/internal/seed"
	"trawl/selection/gnn"
	"trawl/selection/graph"
	"trawl/selection/internal/compute/cpu"
	"trawl/selection/train"
)

const plantedDims = 32

// addVector appends a random unit vector, moved along a direction first if there
// is one, and returns its row.
func addVector(to *gnn.Vectors, chance *rand.Rand, direction []float32) int32 {
	at := len(to.Data)
	var squares float64
	for i := range to.N {
		x := float32(chance.NormFloat64())
		if direction != nil {
			x += direction[i]
		}
		squares += float64(x) * float64(x)
		to.Data = append(to.Data, x)
	}
	for i := range to.Data[at:] {
		to.Data[at+i] /= float32(math.Sqrt(squares))
	}
	return int32(at / to.N)
}

// A signal is what tells right candidates from wrong ones.
type signal int

const (
	// inText: one passage that a right candidate read lies in a fixed direction.
	inText signal = iota
	// inSharing: three of the four passages that a right candidate read were also
	// read by candidates of other answers, each of which has one such passage. No
	// text says anything.
	inSharing
)

// plantedAnswers are the votes of a pool of eight: four agree, on what is right in
// one question of four. In the others one of two pairs is right, so that who knows
// the votes alone is right in three of eight at most.
var plantedAnswers = []int{0, 0, 0, 0, 1, 1, 2, 2}

// planted makes pools in which the right candidates can be told by their evidence
// alone: the majority is right in one question of four, and all vectors but those
// of the signal are random.
func planted(name string, questions int, s signal) ([]train.Example, gnn.Vectors) {
	chance := seed.Rand(7, "planted", name)
	direction := make([]float32, plantedDims)
	direction[0] = 6
	features := gnn.Vectors{N: plantedDims}
	var examples []train.Example
	for q := range questions {
		right := []int{0, 0, 1, 1, 1, 2, 2, 2}[chance.IntN(8)]
		p := &pool{chance: chance, features: &features, g: &graph.Graph{Variant: graph.WebQA, Edges: map[graph.Relation][]graph.Edge{}}}
		e := train.Example{Question: fmt.Sprint(name, " question ", q), Trainable: true}
		p.fill(right, direction, s)
		for _, a := range p.answers {
			y := 0.0
			if a == right {
				y = 1
			}
			e.Labels, e.F1 = append(e.Labels, y), append(e.F1, y)
		}
		e.Input = gnn.Input{Graph: p.g, Rows: p.rows}
		examples = append(examples, e)
	}
	return examples, features
}

// A pool is one question under construction.
type pool struct {
	chance   *rand.Rand
	features *gnn.Vectors
	g        *graph.Graph
	rows     []int32
	answers  []int // of the candidates
}

func (p *pool) text(direction []float32) int {
	p.rows = append(p.rows, addVector(p.features, p.chance, direction))
	p.g.Texts = append(p.g.Texts, fmt.Sprint("text ", len(p.rows)))
	return len(p.rows) - 1
}

func (p *pool) link(r graph.Relation, source, target int) {
	p.g.Edges[r] = append(p.g.Edges[r], graph.Edge{Source: source, Target: target})
}

// fill makes candidates of two searches with two passages each.
func (p *pool) fill(right int, direction []float32, s signal) {
	g := p.g
	g.Query = p.text(nil)
	p.answers = slices.Clone(plantedAnswers)
	p.chance.Shuffle(len(p.answers), func(i, j int) { p.answers[i], p.answers[j] = p.answers[j], p.answers[i] })
	texts := map[int]int{}
	votes := map[int]int{}
	for _, a := range p.answers {
		votes[a]++
	}
	content := p.contents(right, direction, s)
	for i, a := range p.answers {
		if _, ok := texts[a]; !ok {
			texts[a] = p.text(nil)
		}
		g.Answers = append(g.Answers, graph.Answer{Text: texts[a], Rollouts: []int{i}, Votes: votes[a]})
		for search := range 2 {
			sub := len(g.Subqueries)
			g.Subqueries = append(g.Subqueries, graph.Subquery{Text: p.text(nil), Answers: []int{i}})
			if search == 0 {
				p.link(graph.Starts, 0, sub)
			} else {
				p.link(graph.Next, sub-1, sub)
			}
			for rank := range 2 {
				c := content[i][2*search+rank]
				p.link(graph.Rank(rank+1), sub, len(g.Evidence))
				p.link(graph.RankOf(rank+1), len(g.Evidence), sub)
				g.Evidence = append(g.Evidence, graph.Evidence{Text: c.text, Content: c.number, Answers: []int{i}, Document: -1})
			}
		}
	}
}

// A passage is a content and its text.
type passage struct{ number, text int }

// contents deals four passages to each candidate.
func (p *pool) contents(right int, direction []float32, s signal) [][4]passage {
	dealt := make([][4]passage, len(p.answers))
	fresh := func(direction []float32) passage {
		p.g.Contents++
		return passage{p.g.Contents - 1, p.text(direction)}
	}
	var wrong []int
	for i, a := range p.answers {
		for j := range dealt[i] {
			dealt[i][j] = fresh(nil)
		}
		if a != right {
			wrong = append(wrong, i)
		} else if s == inText {
			dealt[i][p.chance.IntN(4)] = fresh(direction)
		}
	}
	if s == inText {
		return dealt
	}
	for i, a := range p.answers {
		if a != right {
			continue
		}
		for j, other := range p.chance.Perm(len(wrong))[:3] {
			dealt[i][j] = dealt[wrong[other]][0]
		}
	}
	return dealt
}

// majority is how often the first of the most frequent answers is right.
func majority(examples []train.Example) float64 {
	right := 0.0
	for _, e := range examples {
		best := 0
		for i, a := range e.Input.Graph.Answers {
			if a.Votes > e.Input.Graph.Answers[best].Votes {
				best = i
			}
		}
		right += e.Labels[best]
	}
	return right / float64(len(examples))
}

// accuracy is how often the best of the scores is right.
func accuracy(examples []train.Example, scores [][]float64) float64 {
	right := 0.0
	for i, e := range examples {
		best := 0
		for j, s := range scores[i] {
			if s > scores[i][best] {
				best = j
			}
		}
		right += e.Labels[best]
	}
	return right / float64(len(examples))
}

func plantedModel(t testing.TB, a gnn.Ablation) *gnn.Model[float32] {
	t.Helper()
	c := gnn.Config{Variant: graph.WebQA, Embedding: plantedDims, Hidden: 32, Layers: 2, Ablation: a}
	m, err := gnn.New(c, 1, cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	return m
}
