package gnn_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/selection/gnn"
	"trawl/selection/graph"
	"trawl/selection/internal/compute/cpu"
)

// A reachedTest is a setting, and the tensors that no loss has a path to with it.
type reachedTest struct {
	name     string
	variant  graph.Variant
	layers   int
	ablation gnn.Ablation
	want     []string
}

// TestReached writes down, for every setting, which tensors no loss has a path to:
// AdamW moves and decays all others. Where documents are nodes, those of the last
// layer are read by nobody, and nothing else is. What is reached has a gradient on
// these graphs, so that a tensor which nothing reads cannot pass for one that is.
func TestReached(t *testing.T) {
	dead := func(layer string) []string {
		return []string{
			layer + ".belongs_to.weight", layer + ".belongs_to.bias", layer + ".norm.document.weight", layer + ".norm.document.bias",
		}
	}
	tests := []reachedTest{
		{"whole", graph.WebQA, 2, gnn.Ablation{}, nil},
		{"one layer", graph.WebQA, 1, gnn.Ablation{}, nil},
		{"no cross", graph.WebQA, 2, gnn.Ablation{NoCross: true}, nil},
		{"no network", graph.WebQA, 2, gnn.Ablation{NoNetwork: true}, nil},
		{"fixed query", graph.WebQA, 2, gnn.Ablation{FixedQuery: true}, nil},
		{"merge evidence", graph.WebQA, 2, gnn.Ablation{MergeEvidence: true}, nil},
		{"merge answers", graph.WebQA, 2, gnn.Ablation{MergeAnswers: true}, nil},
		{"merge both", graph.WebQA, 2, gnn.Ablation{MergeEvidence: true, MergeAnswers: true}, nil},
		{"graph readout", graph.WebQA, 2, gnn.Ablation{GraphReadout: true}, nil},
		{"shared context", graph.WebQA, 2, gnn.Ablation{SharedContext: true}, nil},
		{"no links", graph.WebQA, 2, gnn.Ablation{Links: gnn.LinksNone}, nil},
		{"whole", graph.LongHorizon, 2, gnn.Ablation{}, dead("layer.1")},
		{"one layer", graph.LongHorizon, 1, gnn.Ablation{}, dead("layer.0")},
		{"no cross", graph.LongHorizon, 2, gnn.Ablation{NoCross: true}, dead("layer.1")},
		{"no cross, both links", graph.LongHorizon, 2, gnn.Ablation{NoCross: true, Links: gnn.LinksBoth}, dead("layer.1")},
		{"no network", graph.LongHorizon, 2, gnn.Ablation{NoNetwork: true}, nil},
		{"fixed query", graph.LongHorizon, 2, gnn.Ablation{FixedQuery: true}, dead("layer.1")},
		{"merge evidence", graph.LongHorizon, 2, gnn.Ablation{MergeEvidence: true}, dead("layer.1")},
		{"merge answers", graph.LongHorizon, 2, gnn.Ablation{MergeAnswers: true}, dead("layer.1")},
		{"merge both", graph.LongHorizon, 2, gnn.Ablation{MergeEvidence: true, MergeAnswers: true}, dead("layer.1")},
		{"graph readout", graph.LongHorizon, 2, gnn.Ablation{GraphReadout: true}, dead("layer.1")},
		{"shared context", graph.LongHorizon, 2, gnn.Ablation{SharedContext: true}, dead("layer.1")},
		{"content links", graph.LongHorizon, 2, gnn.Ablation{Links: gnn.LinksContent}, nil},
		{"both links", graph.LongHorizon, 2, gnn.Ablation{Links: gnn.LinksBoth}, dead("layer.1")},
		{"no links", graph.LongHorizon, 2, gnn.Ablation{Links: gnn.LinksNone}, nil},
	}
	for _, tt := range tests {
		t.Run(string(tt.variant)+" "+tt.name, func(t *testing.T) {
			c := small(tt.variant, tt.ablation)
			c.Layers = tt.layers
			m := newModel(t, c, cpu.NewPortable[float64]())
			in, vectors := inputs(tt.variant, 3)
			b, err := m.Prepare(in, vectors)
			if err != nil {
				t.Fatal(err)
			}
			m.ZeroGrad()
			p := m.Forward(b, nil)
			slopes := make([]float64, len(p.Logits))
			for i := range slopes {
				slopes[i] = newRand(uint64(i)).NormFloat64()
			}
			p.Backward(slopes)
			var got []string
			for _, q := range m.Params() {
				moved := slices.ContainsFunc(q.Grad.Data, func(v float64) bool { return v != 0 })
				if !q.Reached {
					got = append(got, q.Name)
				}
				if moved != q.Reached {
					t.Errorf("%s: reached %v, a gradient other than 0 %v", q.Name, q.Reached, moved)
				}
			}
			slices.Sort(got)
			slices.Sort(tt.want)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("tensors without a path mismatch (-want +got):\n%s", diff)
			}
			m.ZeroGrad()
			m.Forward(b, nil)
			for _, q := range m.Params() {
				if q.Reached {
					t.Errorf("%s is reached without a backward pass", q.Name)
				}
			}
		})
	}
	for _, a := range ablations {
		if !slices.ContainsFunc(tests, func(tt reachedTest) bool { return tt.variant == a.variant && tt.ablation == a.ablation }) {
			t.Errorf("%s %s is not in the table", a.variant, a.name)
		}
	}
}
