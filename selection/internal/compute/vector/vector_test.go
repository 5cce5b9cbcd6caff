package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/seed"
	"trawl/selection/internal/compute"
)

// each runs a test with plain Go and with each assembly of this machine.
func each(t *testing.T, test func(t *testing.T, f *fast)) {
	t.Run("portable", func(t *testing.T) { test(t, nil) })
	for _, f := range assemblies() {
		t.Run(f.name, func(t *testing.T) { test(t, f) })
	}
}

// lengths end in every remainder of a register, and of four.
func lengths() []int {
	var all []int
	for n := range 70 {
		all = append(all, n)
	}
	return append(all, 128, 200, 255, 256, 257, 1024)
}

// row returns numbers around zero, between guards that [checkGuards] looks at.
func row(chance *rand.Rand, n int) []float32 {
	x := make([]float32, n+2)
	for i := range x {
		x[i] = float32(chance.NormFloat64())
	}
	x[0], x[n+1] = guard, guard
	return x[1 : n+1]
}

const guard = 12345

func checkGuards(t *testing.T, rows ...[]float32) {
	t.Helper()
	for i, x := range rows {
		if around := x[:len(x)+1]; around[len(x)] != guard {
			t.Fatalf("row %d: what follows was overwritten with %v", i, around[len(x)])
		}
	}
}

func clone(x []float32) []float32 {
	return append(append(make([]float32, 0, len(x)+1), x...), guard)[:len(x)]
}

// wide returns x in float64.
func wide(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// near compares with what float64 gives: off by at most tolerance·max(1, |want|).
func near[T compute.Float](t *testing.T, what string, got []T, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if d := math.Abs(float64(got[i]) - w); !(d <= tolerance*max(1, math.Abs(w))) {
			t.Fatalf("%s: element %d of %d = %v, want %v", what, i, len(want), got[i], w)
		}
	}
}

func TestByHand(t *testing.T) {
	x := []float64{1, -2, 3}
	Add(x, []float64{10, 20, 30})
	if diff := cmp.Diff([]float64{11, 18, 33}, x); diff != "" {
		t.Errorf("Add mismatch (-want +got):\n%s", diff)
	}
	AddScaled(x, -2, []float64{1, 2, 3})
	if diff := cmp.Diff([]float64{9, 14, 27}, x); diff != "" {
		t.Errorf("AddScaled mismatch (-want +got):\n%s", diff)
	}
	Scale(x, 0.5)
	if diff := cmp.Diff([]float64{4.5, 7, 13.5}, x); diff != "" {
		t.Errorf("Scale mismatch (-want +got):\n%s", diff)
	}
	if got, want := Dot(x, []float64{2, 1, -2}), 9.0+7-27; got != want {
		t.Errorf("Dot = %v, want %v", got, want)
	}
}

// TestElementwise compares every length with float64.
func TestElementwise(t *testing.T) {
	each(t, func(t *testing.T, f *fast) {
		chance := seed.Rand(42, "elementwise")
		for _, n := range lengths() {
			x, y := row(chance, n), row(chance, n)
			const a = 0.75

			got, want := clone(x), wide(x)
			add(f, got, y)
			add(nil, want, wide(y))
			near(t, "Add", got, want, 1e-6)
			checkGuards(t, got)

			got, want = clone(x), wide(x)
			addScaled(f, got, a, y)
			addScaled(nil, want, a, wide(y))
			near(t, "AddScaled", got, want, 1e-6)
			checkGuards(t, got)

			got, want = clone(x), wide(x)
			scale(f, got, a)
			scale(nil, want, a)
			near(t, "Scale", got, want, 1e-6)
			checkGuards(t, got)

			near(t, "Dot", []float32{dot(f, x, y)}, []float64{dot(nil, wide(x), wide(y))}, 1e-5)
		}
	})
}

// TestSoftmax: e⁰ : e¹ = 1 : e, and adding a constant changes nothing, however
// large it is.
func TestSoftmax(t *testing.T) {
	for _, shift := range []float64{0, -3, 1e6} {
		x := []float64{shift, shift + 1}
		Softmax(x)
		near(t, fmt.Sprintf("Softmax of %v + (0 1)", shift), x, []float64{1 / (1 + math.E), math.E / (1 + math.E)}, 1e-12)
	}
	x := make([]float32, 1000)
	Softmax(x)
	near(t, "Softmax of zeros", x[:1], []float64{0.001}, 1e-9)
	Softmax(x[:0])
}

// TestLengths panics wherever rows differ.
func TestLengths(t *testing.T) {
	a, b := make([]float32, 32), make([]float32, 33)
	tests := []struct {
		name string
		do   func()
	}{
		{"Add", func() { Add(a, b) }},
		{"AddScaled", func() { AddScaled(a, 1, b) }},
		{"Dot", func() { Dot(a, b) }},
		{"GELU", func() { GELU(a, b) }},
		{"GELUGrad: dx", func() { GELUGrad(b, a, a) }},
		{"GELUGrad: dy", func() { GELUGrad(a, b, a) }},
		{"Norm: dst", func() { Norm(b, a, a, a) }},
		{"Norm: weight", func() { Norm(a, a, b, a) }},
		{"Norm: bias", func() { Norm(a, a, a, b) }},
		{"NormGrad: dx", func() { NormGrad(b, a, a, a, 0, 1, a, a) }},
		{"NormGrad: dy", func() { NormGrad(a, b, a, a, 0, 1, a, a) }},
		{"NormGrad: weight", func() { NormGrad(a, a, a, b, 0, 1, a, a) }},
		{"NormGrad: dweight", func() { NormGrad(a, a, a, a, 0, 1, b, a) }},
		{"NormGrad: dbias", func() { NormGrad(a, a, a, a, 0, 1, a, b) }},
		{"AdamW: g", func() { AdamW(a, b, a, a, Step{Number: 1}) }},
		{"AdamW: m", func() { AdamW(a, a, b, a, Step{Number: 1}) }},
		{"AdamW: v", func() { AdamW(a, a, a, b, Step{Number: 1}) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			tt.do()
		})
	}
}

// TestNoAllocation: rows are many and short.
func TestNoAllocation(t *testing.T) {
	x, y, z := make([]float32, 256), make([]float32, 256), make([]float32, 256)
	w := make([]float32, 256)
	allocs := testing.AllocsPerRun(10, func() {
		Add(x, y)
		Dot(x, y)
		GELU(x, y)
		mean, rstd := Norm(x, y, z, w)
		NormGrad(x, y, y, y, mean, rstd, z, w)
		AdamW(x, y, z, w, Step{Number: 1, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8})
	})
	if allocs != 0 {
		t.Errorf("%v allocations, want none", allocs)
	}
}
