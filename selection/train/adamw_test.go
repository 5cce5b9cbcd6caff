package train_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/selection/gnn"
	"trawl/selection/internal/compute"
	"trawl/selection/train"
)

// param returns a vector as a parameter that has been reached.
func param[T compute.Float](numbers ...T) *gnn.Param[T] {
	value, grad := compute.NewMatrix[T](1, len(numbers)), compute.NewMatrix[T](1, len(numbers))
	copy(value.Data, numbers)
	return &gnn.Param[T]{Shape: []int{len(numbers)}, Value: value, Grad: grad, Reached: true}
}

func TestAdamWGolden(t *testing.T) {
	var golden struct {
		Cases []struct {
			Name             string
			LR               float64
			WeightDecay      float64 `json:"weight_decay"`
			Start            []float64
			Gradients, After [][]float64
		}
	}
	readGolden(t, "adamw.json", &golden)
	for _, c := range golden.Cases {
		t.Run(c.Name, func(t *testing.T) {
			p := param(c.Start...)
			o := train.NewAdamW([]*gnn.Param[float64]{p}, c.LR, c.WeightDecay)
			var got [][]float64
			for _, g := range c.Gradients {
				copy(p.Grad.Data, g)
				o.Step()
				got = append(got, slices.Clone(p.Value.Data))
			}
			if diff := cmp.Diff(c.After, got, close8); diff != "" {
				t.Errorf("parameters mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAdamWByHand(t *testing.T) {
	// With rate and decay ½ a step first takes a quarter of p. The first step then
	// moves by rate·sign(g), whatever the size of g, since the biases of both
	// moments cancel.
	moved, still, idle := param(4.0, 4.0, -4.0), param(4.0), param(4.0)
	moved.Grad.Data = []float64{3, -0.5, 100}
	still.Grad.Data = []float64{0} // reached: decays all the same
	idle.Grad.Data = []float64{7}
	idle.Reached = false
	o := train.NewAdamW([]*gnn.Param[float64]{moved, still, idle}, 0.5, 0.5)
	o.Step()
	want := [][]float64{{3 - 0.5, 3 + 0.5, -3 - 0.5}, {3}, {4}}
	got := [][]float64{moved.Value.Data, still.Value.Data, idle.Value.Data}
	if diff := cmp.Diff(want, got, close8); diff != "" {
		t.Errorf("parameters mismatch (-want +got):\n%s", diff)
	}

	// A tensor that is reached later is at its own first step then.
	idle.Reached = true
	o.Step()
	if diff := cmp.Diff([]float64{3 - 0.5}, idle.Value.Data, close8); diff != "" {
		t.Errorf("late parameter mismatch (-want +got):\n%s", diff)
	}
}

// TestAdamWFloat32: what runs follows what was checked in float64.
func TestAdamWFloat32(t *testing.T) {
	const n = 1 << 16 // several ranges of rows
	wide, narrow := param(make([]float64, n)...), param(make([]float32, n)...)
	a := train.NewAdamW([]*gnn.Param[float64]{wide}, 1e-2, 1e-2)
	b := train.NewAdamW([]*gnn.Param[float32]{narrow}, 1e-2, 1e-2)
	for step := range 5 {
		for i := range n {
			g := float32((i*7919+step*31)%1013-500) / 256
			wide.Grad.Data[i], narrow.Grad.Data[i] = float64(g), g
		}
		a.Step()
		b.Step()
	}
	for i, x := range wide.Value.Data {
		if d := x - float64(narrow.Value.Data[i]); d > 1e-6 || d < -1e-6 {
			t.Fatalf("number %d: float32 %g, float64 %g", i, narrow.Value.Data[i], x)
		}
	}
}
