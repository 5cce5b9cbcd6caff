package gnn

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"trawl/internal/testutil"
	"trawl/selection/graph"
	"trawl/selection/internal/compute/cpu"
)

// opsFixture is what golden/selector/ops.json has for this package.
type opsFixture struct {
	Votes []struct {
		Count, Retained int
		Features        [2]float64
	}
	Scales []struct {
		LogScale float64 `json:"log_scale"`
		Scale    float64
	}
	Argmax []struct {
		Scores []float64
		Argmax int
	}
}

func readOps(t *testing.T) *opsFixture {
	t.Helper()
	data, err := os.ReadFile(testutil.SharedGolden(t, "selector/ops.json"))
	if err != nil {
		t.Fatal(err)
	}
	ops := new(opsFixture)
	if err := json.Unmarshal(data, ops); err != nil {
		t.Fatal(err)
	}
	if len(ops.Votes) != 4 || len(ops.Scales) != 5 || len(ops.Argmax) != 4 {
		t.Fatalf("%d votes, %d scales, %d choices; want 4, 5 and 4", len(ops.Votes), len(ops.Scales), len(ops.Argmax))
	}
	return ops
}

// nearly is what the fixtures' README asks of float64.
func nearly(got, want float64) bool { return math.Abs(got-want) <= 1e-8 }

// TestGoldenVotes: a candidate is told log(1+c) and c/R, of the candidates as they
// came, also where equal ones are merged.
func TestGoldenVotes(t *testing.T) {
	for _, tt := range readOps(t).Votes {
		t.Run(fmt.Sprintf("%d of %d", tt.Count, tt.Retained), func(t *testing.T) {
			g := &graph.Graph{Variant: graph.WebQA, Texts: []string{"Rome", "Oslo"}}
			for i := range tt.Retained { // the last Count answers are equal
				a := graph.Answer{Text: 1, Rollouts: []int{i}, Votes: tt.Retained - tt.Count}
				if i >= tt.Retained-tt.Count {
					a.Text, a.Votes = 0, tt.Count
				}
				g.Answers = append(g.Answers, a)
			}
			merged := graph.MergeAnswers(g)
			for _, s := range []member{{graph: g, whole: g}, {graph: merged, whole: g}} {
				log, share := s.voteFeatures(len(s.graph.Answers) - 1)
				if !nearly(log, tt.Features[0]) || !nearly(share, tt.Features[1]) {
					t.Errorf("of %d answers: features %v, %v, want %v", len(s.graph.Answers), log, share, tt.Features)
				}
			}
		})
	}
}

// TestGoldenScale: scores are γ times a cosine, γ = min(exp(η), 100). Where γ is cut
// off, η does not move any more.
func TestGoldenScale(t *testing.T) {
	b := newBench(t, Config{Variant: graph.WebQA})
	eta := b.model.score.logScale
	slopes := make([]float64, len(b.pass.Logits))
	for i := range slopes {
		slopes[i] = float64(i + 1)
	}
	for _, tt := range readOps(t).Scales {
		t.Run(fmt.Sprintf("eta %.3g", tt.LogScale), func(t *testing.T) {
			eta.Value.Data[0] = tt.LogScale
			b.model.Changed()
			if got := b.model.score.scale(); !nearly(got, tt.Scale) {
				t.Errorf("scale = %v, want %v", got, tt.Scale)
			}
			p := b.model.Forward(b.batch, nil)
			var along float64 // Σ slope·s, which is the derivative by η below the cut
			for i, s := range p.Logits {
				along += slopes[i] * s
				if want := tt.Scale * p.score.cosines[i]; math.Abs(s-want) > 1e-8*tt.Scale {
					t.Errorf("logit %d = %v, want %v times the cosine %v", i, s, tt.Scale, p.score.cosines[i])
				}
			}
			b.model.ZeroGrad()
			p.Backward(slopes)
			if tt.LogScale > math.Log(100) {
				along = 0
			} else if along == 0 {
				t.Fatal("the derivative by η is 0 below the cut: the graph tests nothing")
			}
			if got := eta.Grad.Data[0]; math.Abs(got-along) > 1e-8*math.Abs(along) {
				t.Errorf("derivative by η = %v, want %v", got, along)
			}
			if !eta.Reached {
				t.Error("η is not reached; it has a gradient of 0, with which it decays")
			}
		})
	}
}

// TestGoldenArgmax: of equal scores the first is chosen, in both kinds of number.
func TestGoldenArgmax(t *testing.T) {
	for _, tt := range readOps(t).Argmax {
		single := make([]float32, len(tt.Scores))
		for i, s := range tt.Scores {
			single[i] = float32(s)
		}
		if got, of32 := Best(tt.Scores), Best(single); got != tt.Argmax || of32 != tt.Argmax {
			t.Errorf("Best(%v) = %d, of float32 %d, want %d", tt.Scores, got, of32, tt.Argmax)
		}
	}
}

// TestTiedCandidates: two rollouts that did the same and answer the same have one
// score to the last bit, wherever they stand, and the first of them is chosen.
func TestTiedCandidates(t *testing.T) {
	twin := func(v graph.Variant) Input { // every candidate is a copy of the first
		in := RandomInput(rand.New(rand.NewPCG(2, 3)), v, 0)
		one, g := in.Graph, &graph.Graph{Variant: v, Texts: in.Graph.Texts, Query: in.Graph.Query, Edges: map[graph.Relation][]graph.Edge{}}
		searched, found := 0, 0 // of the first candidate
		for searched < len(one.Subqueries) && one.Subqueries[searched].Answers[0] == 0 {
			searched++
		}
		for found < len(one.Evidence) && one.Evidence[found].Answers[0] == 0 {
			found++
		}
		g.Contents, g.Documents = one.Contents, one.Documents
		for a := range 3 {
			g.Answers = append(g.Answers, graph.Answer{Text: 0, Rollouts: []int{a}, Votes: 3})
			for _, s := range one.Subqueries[:searched] {
				s.Answers = []int{a}
				g.Subqueries = append(g.Subqueries, s)
			}
			for _, e := range one.Evidence[:found] {
				e.Answers = []int{a}
				g.Evidence = append(g.Evidence, e)
			}
		}
		whole := Config{Variant: v, Ranks: 3, Ablation: Ablation{Links: LinksBoth}}
		for _, rel := range whole.relations() {
			size := map[kind]int{subquery: searched, evidence: found} // of a rollout; questions and documents are shared
			for _, e := range one.Edges[rel.name] {
				inside := func(k kind, n int) bool { return size[k] == 0 || n < size[k] }
				if !inside(rel.source, e.Source) || !inside(rel.target, e.Target) {
					continue
				}
				for a := range 3 {
					join(g, rel.name, e.Source+a*size[rel.source], e.Target+a*size[rel.target])
				}
			}
		}
		return Input{Graph: g, Rows: in.Rows}
	}
	for _, v := range []graph.Variant{graph.WebQA, graph.LongHorizon} {
		m, err := New(Config{Variant: v, Embedding: 5, Hidden: 8, Heads: 2, Layers: 2}, 7, cpu.New())
		if err != nil {
			t.Fatal(err)
		}
		in := twin(v)
		if len(in.Graph.Evidence) < 6 || len(in.Graph.Edges) < 6 {
			t.Fatalf("%s: %d pieces of evidence, %d relations: the graph tests nothing", v, len(in.Graph.Evidence), len(in.Graph.Edges))
		}
		scores, err := m.Scores([]Input{in}, RandomVectors(rand.New(rand.NewPCG(4, 5)), 12, 5))
		if err != nil {
			t.Fatal(err)
		}
		s := scores[0]
		if s[0] != s[1] || s[0] != s[2] || Best(s) != 0 {
			t.Errorf("%s: scores %v, candidate %d is chosen; want equal ones and the first", v, s, Best(s))
		}
	}
}
