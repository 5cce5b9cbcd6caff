package train

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/selection/gnn"
	"trawl/selection/graph"
	"trawl/selection/internal/compute/cpu"
)

// TestTwoStages: the first stage moves everything; the second moves readout and
// score, which begin anew, and nothing else.
func TestTwoStages(t *testing.T) {
	_, examples, v := load(t, "batch/long-horizon")
	c := gnn.Config{Variant: graph.LongHorizon, Embedding: v.N, Hidden: 8, Layers: 2, Heads: 2}
	m, err := gnn.New(c, 1, cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	begin := values(m)
	var first [][]float32 // at the end of the first stage
	note := func(p Progress) {
		if p.Validation == nil {
			return
		}
		if (p.Loss.Hard == 0) != (p.Stage == 1) {
			t.Errorf("stage %d: loss %+v", p.Stage, p.Loss)
		}
		for i, q := range m.Params() {
			part := "readout"
			if represents(q.Name) {
				part = "representation"
			}
			from := begin
			if p.Stage == 2 && part == "representation" {
				from = first
			}
			moved := !cmp.Equal(from[i], q.Value.Data)
			want := q.Reached && (p.Stage == 1 || part == "readout")
			if moved != want {
				got = append(got, fmt.Sprintf("stage %d: %s moved: %v", p.Stage, q.Name, moved))
			}
		}
		if p.Stage == 1 {
			first = values(m)
		}
	}
	o := Options{Epochs: 1, TwoStage: true, Progress: note}
	if _, err := Run(t.Context(), m, examples, nil, v, o); err != nil {
		t.Fatal(err)
	}
	if got != nil {
		t.Errorf("%v", got)
	}
}

// TestRepresents: each parameter is on its side, in every ablation.
func TestRepresents(t *testing.T) {
	c := gnn.Config{Variant: graph.LongHorizon, Embedding: 4, Hidden: 4, Layers: 1, Heads: 1, Ablation: gnn.Ablation{FixedQuery: true}}
	m, err := gnn.New(c, 1, cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	var readout []string
	for _, p := range m.Params() {
		if !represents(p.Name) {
			readout = append(readout, p.Name)
		}
	}
	want := []string{
		"attention.fixed", "attention.query.weight", "attention.key.weight", "attention.value.weight", "attention.output.weight",
		"attention.type", "attention.norm.weight", "attention.norm.bias",
		"ffn.in.weight", "ffn.in.bias", "ffn.out.weight", "ffn.out.bias", "ffn.norm.weight", "ffn.norm.bias",
		"score.query.weight", "score.query.bias", "score.response.weight", "score.response.bias", "score.log_scale",
	}
	if diff := cmp.Diff(want, readout); diff != "" {
		t.Errorf("parameters of the readout mismatch (-want +got):\n%s", diff)
	}
}

// TestMergedLabels: the label of a merged answer is the mean of its candidates'.
func TestMergedLabels(t *testing.T) {
	f, examples, v := load(t, "webqa/05-equal-answers-empty-query") // answers a a b a c
	e := examples[0]
	e.Labels = []float64{1, 0, 1, 0.5, 0}
	got := trainable([]Example{e}, true)
	if diff := cmp.Diff([]float64{0.5, 1, 0}, got[0].Labels); diff != "" {
		t.Errorf("labels mismatch (-want +got):\n%s", diff)
	}
	if got, want := posWeight(got), 2.0; got != want { // b alone counts as positive
		t.Errorf("weight of positives %g, want %g", got, want)
	}
	c := gnn.Config{Variant: f.Variant, Embedding: v.N, Hidden: 8, Layers: 1, Heads: 1, Ablation: gnn.Ablation{MergeAnswers: true}}
	m, err := gnn.New(c, 1, cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), m, []Example{e}, []Example{e}, v, Options{Epochs: 1}); err != nil {
		t.Fatal(err)
	}
	scores, err := Scores(t.Context(), m, []Example{e}, v)
	if err != nil {
		t.Fatal(err)
	}
	s := scores[0]
	if s[0] != s[1] || s[0] != s[3] || s[0] == s[2] {
		t.Errorf("scores %v: want equal ones for equal answers", s)
	}
}
