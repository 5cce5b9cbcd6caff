// Package computetest is the suite that every [compute.Backend] passes: [Run].
package computetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/seed"
	"trawl/selection/internal/compute"
)

// Run checks the backends that open returns: products worked by hand, products
// of many shapes against sums in float64, and the life of weights. An element
// may be off by tolerance times the sum of the magnitudes of its terms; what was
// worked by hand is exact in any kind of number.
func Run[T compute.Float](t *testing.T, open func() compute.Backend[T], tolerance float64) {
	t.Helper()
	s := suite[T]{open: open, tolerance: tolerance}
	t.Run("by hand", s.byHand)
	t.Run("shapes", s.shapes)
	t.Run("views", s.views)
	t.Run("changed weights", s.changed)
	t.Run("freed weights", s.freed)
	t.Run("empty", s.empty)
	t.Run("same bits", s.sameBits)
	t.Run("wrong shapes", s.wrongShapes)
}

type suite[T compute.Float] struct {
	open      func() compute.Backend[T]
	tolerance float64
}

// backend opens one for the length of a test, at the end of which it must have
// had no fault.
func (s suite[T]) backend(t *testing.T) compute.Backend[T] {
	t.Helper()
	b := s.open()
	if b.Name() == "" {
		t.Error("the backend has no name")
	}
	t.Cleanup(func() {
		if err := b.Err(); err != nil {
			t.Errorf("Err() = %v", err)
		}
		if err := b.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return b
}

// byHand multiplies
//
//	x = 1 2  w = 1  0    x·wᵀ = 1·1+2·0  1·3+2·1  1·(-1)+2·2 = 1  5  3
//	    3 4      3  1           3·1+4·0  3·3+4·1  3·(-1)+4·2   3 13  5
//	            -1  2
//
//	y = 1 0 2   y·w = 1·1+2·(-1)  2·2         = -1 4
//	    0 1 1         3-1         1+2            2 3
//
//	yᵀ·x = 1·1+0·3  1·2+0·4 =  1  2
//	       0·1+1·3  0·2+1·4    3  4
//	       2·1+1·3  2·2+1·4    5  8
func (s suite[T]) byHand(t *testing.T) {
	b := s.backend(t)
	x := matrix[T](2, 1, 2, 3, 4)
	w := matrix[T](2, 1, 0, 3, 1, -1, 2)
	y := matrix[T](3, 1, 0, 2, 0, 1, 1)
	weights := b.Weights(w)
	defer weights.Free()

	got := matrix[T](3, 9, 9, 9, 9, 9, 9)
	b.MulT(got, x, weights, false)
	same(t, "MulT", got, 1, 5, 3, 3, 13, 5)
	b.MulT(got, x, weights, true)
	same(t, "MulT, added", got, 2, 10, 6, 6, 26, 10)

	got = matrix[T](2, 9, 9, 9, 9)
	b.Mul(got, y, weights, false)
	same(t, "Mul", got, -1, 4, 2, 3)
	b.Mul(got, y, weights, true)
	same(t, "Mul, added", got, -2, 8, 4, 6)

	got = matrix[T](2, 100, 100, 100, 100, 100, 100)
	b.AddOuter(got, y, x)
	same(t, "AddOuter", got, 101, 102, 103, 104, 105, 108)
}

// shapes go around the sides of tiles and blocks of every kernel, one side at a
// time, and through chance.
func (s suite[T]) shapes(t *testing.T) {
	b := s.backend(t)
	chance := seed.Rand(42, "computetest", "shapes")
	for n := 1; n <= 26; n++ { // rows of tiles
		s.check(t, b, chance, shape{n: n, in: 9, out: 35})
		s.check(t, b, chance, shape{n: 15, in: n, out: 33})
	}
	for out := 1; out <= 66; out++ { // columns of tiles
		s.check(t, b, chance, shape{n: 7, in: 6, out: out})
	}
	for _, k := range []int{1, 2, 3, 4, 5, 7, 8, 63, 255, 256, 257, 513, 1030} { // blocks of the inner side
		s.check(t, b, chance, shape{n: 5, in: k, out: 11})
		s.check(t, b, chance, shape{n: k, in: 9, out: 6})
		s.check(t, b, chance, shape{n: 6, in: 7, out: k})
	}
	s.check(t, b, chance, shape{n: 1600, in: 9, out: 6}) // many rows to add up
	for range 8 {
		s.check(t, b, chance, shape{n: 1 + chance.IntN(120), in: 1 + chance.IntN(120), out: 1 + chance.IntN(80)})
	}
}

// views multiplies parts of bigger matrices, whose other elements must stay.
func (s suite[T]) views(t *testing.T) {
	b := s.backend(t)
	chance := seed.Rand(42, "computetest", "views")
	for _, sh := range []shape{
		{n: 1, in: 1, out: 1, pad: 1}, {n: 5, in: 6, out: 7, pad: 3}, {n: 12, in: 32, out: 32, pad: 32},
		{n: 25, in: 64, out: 40, pad: 5}, {n: 130, in: 300, out: 20, pad: 11}, {n: 40, in: 512, out: 32, pad: 512},
		{n: 50, in: 96, out: 64, pad: 928}, // rows that lie a multiple of a page apart
	} {
		s.check(t, b, chance, sh)
	}
}

// changed writes to a matrix between products.
func (s suite[T]) changed(t *testing.T) {
	b := s.backend(t)
	w := matrix[T](2, 1, 2, 3, 4)
	x := matrix[T](2, 1, 1)
	weights := b.Weights(w)
	defer weights.Free()
	got := compute.NewMatrix[T](1, 2)
	for i := range 3 {
		b.MulT(got, x, weights, false)
		same(t, fmt.Sprintf("MulT after %d changes", i), got, T(3+10*i), 7)
		b.Mul(got, x, weights, false)
		same(t, fmt.Sprintf("Mul after %d changes", i), got, T(4+10*i), 6)
		w.Data[0] += 10
		weights.Changed()
	}
	// Written by AddOuter: w += (1 0)ᵀ·(1 1).
	b.AddOuter(w, matrix[T](2, 1, 0), x)
	weights.Changed()
	b.MulT(got, x, weights, false)
	same(t, "MulT after AddOuter", got, 35, 7)
}

// freed gives weights back and goes on with others.
func (s suite[T]) freed(t *testing.T) {
	b := s.backend(t)
	x := matrix[T](1, 2)
	got := compute.NewMatrix[T](1, 1)
	for i := range 5 {
		weights := b.Weights(matrix(1, T(i)))
		b.MulT(got, x, weights, false)
		same(t, "MulT", got, T(2*i))
		weights.Free()
	}
	b.Weights(matrix[T](1, 1)).Free() // never used
}

// empty has sides of length zero: an empty sum is zero.
func (s suite[T]) empty(t *testing.T) {
	b := s.backend(t)
	none := b.Weights(compute.NewMatrix[T](2, 0))
	defer none.Free()
	got := matrix[T](2, 5, 6)
	b.MulT(got, compute.NewMatrix[T](1, 0), none, true)
	same(t, "MulT of nothing, added", got, 5, 6)
	b.MulT(got, compute.NewMatrix[T](1, 0), none, false)
	same(t, "MulT of nothing", got, 0, 0)

	w := matrix[T](2, 1, 2, 3, 4)
	weights := b.Weights(w)
	defer weights.Free()
	b.MulT(compute.NewMatrix[T](0, 2), compute.NewMatrix[T](0, 2), weights, false)
	b.Mul(compute.NewMatrix[T](0, 2), compute.NewMatrix[T](0, 2), weights, true)
	b.AddOuter(w, compute.NewMatrix[T](0, 2), compute.NewMatrix[T](0, 2))
	same(t, "AddOuter of nothing", w, 1, 2, 3, 4)
}

// sameBits multiplies twice, which must not show.
func (s suite[T]) sameBits(t *testing.T) {
	b := s.backend(t)
	chance := seed.Rand(42, "computetest", "bits")
	x, w := random[T](chance, 100, 130, 3), random[T](chance, 70, 130, 3)
	weights := b.Weights(w)
	defer weights.Free()
	want, got := compute.NewMatrix[T](100, 70), compute.NewMatrix[T](100, 70)
	b.MulT(want, x, weights, false)
	b.MulT(got, x, weights, false)
	if diff := cmp.Diff(want.Data, got.Data); diff != "" {
		t.Errorf("the same product twice (-first +second):\n%s", diff)
	}
}

// wrongShapes panic.
func (s suite[T]) wrongShapes(t *testing.T) {
	b := s.backend(t)
	weights := b.Weights(compute.NewMatrix[T](3, 2))
	defer weights.Free()
	m := compute.NewMatrix[T]
	tests := []struct {
		name string
		do   func()
	}{
		{"MulT: x too wide", func() { b.MulT(m(4, 3), m(4, 3), weights, false) }},
		{"MulT: y too wide", func() { b.MulT(m(4, 4), m(4, 2), weights, false) }},
		{"MulT: rows", func() { b.MulT(m(5, 3), m(4, 2), weights, false) }},
		{"Mul: x too narrow", func() { b.Mul(m(4, 2), m(4, 2), weights, false) }},
		{"Mul: y too wide", func() { b.Mul(m(4, 3), m(4, 3), weights, false) }},
		{"Mul: rows", func() { b.Mul(m(3, 2), m(4, 3), weights, false) }},
		{"AddOuter: rows", func() { b.AddOuter(m(3, 2), m(4, 3), m(5, 2)) }},
		{"AddOuter: in", func() { b.AddOuter(m(3, 2), m(4, 3), m(4, 3)) }},
		{"AddOuter: out", func() { b.AddOuter(m(3, 2), m(4, 2), m(4, 2)) }},
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

// A shape is that of a layer and of what goes through it. The matrices are
// views with pad elements between their rows.
type shape struct{ n, in, out, pad int }

// check multiplies matrices of a shape in all three ways, set and added.
func (s suite[T]) check(t *testing.T, b compute.Backend[T], chance *rand.Rand, sh shape) {
	t.Helper()
	x := random[T](chance, sh.n, sh.in, sh.pad)
	y := random[T](chance, sh.n, sh.out, sh.pad)
	w := random[T](chance, sh.out, sh.in, sh.pad)
	weights := b.Weights(w)
	defer weights.Free()
	for _, add := range []bool{false, true} {
		got := random[T](chance, sh.n, sh.out, sh.pad)
		want := reference(got, add, sh.in, plain(x), plain(w))
		b.MulT(got, x, weights, add)
		s.compare(t, fmt.Sprintf("MulT %+v add=%v", sh, add), got, want)

		got = random[T](chance, sh.n, sh.in, sh.pad)
		want = reference(got, add, sh.out, plain(y), turned(w))
		b.Mul(got, y, weights, add)
		s.compare(t, fmt.Sprintf("Mul %+v add=%v", sh, add), got, want)
	}
	want := reference(w, true, sh.n, turned(y), turned(x))
	b.AddOuter(w, y, x)
	s.compare(t, fmt.Sprintf("AddOuter %+v", sh), w, want)
}

// An expected is a matrix in float64 and how large the terms of its sums are. It
// has what was between the rows too, where the terms have no size.
type expected struct{ sum, size []float64 }

// A factor is a matrix in any layout: element (i, k) is data[i·row + k·step].
type factor[T compute.Float] struct {
	data      []T
	row, step int
}

func plain[T compute.Float](m compute.Matrix[T]) factor[T]  { return factor[T]{m.Data, m.Stride, 1} }
func turned[T compute.Float](m compute.Matrix[T]) factor[T] { return factor[T]{m.Data, 1, m.Stride} }

// reference returns c = a·bᵀ or c += a·bᵀ, inner being the columns of a and b.
func reference[T compute.Float](c compute.Matrix[T], add bool, inner int, a, b factor[T]) expected {
	e := expected{sum: make([]float64, len(c.Data)), size: make([]float64, len(c.Data))}
	for i, v := range c.Data {
		e.sum[i] = float64(v)
	}
	for i := range c.Rows {
		for j := range c.Cols {
			sum, size := 0.0, 0.0
			for k := range inner {
				v := float64(a.data[i*a.row+k*a.step]) * float64(b.data[j*b.row+k*b.step])
				sum += v
				size += math.Abs(v)
			}
			at := i*c.Stride + j
			if add {
				sum += e.sum[at]
				size += math.Abs(e.sum[at])
			}
			e.sum[at], e.size[at] = sum, size
		}
	}
	return e
}

// compare reports the first element that is off.
func (s suite[T]) compare(t *testing.T, what string, got compute.Matrix[T], want expected) {
	t.Helper()
	for i, v := range got.Data {
		if math.IsNaN(want.sum[i]) && v != v {
			continue // between the rows of a view
		}
		if d := math.Abs(float64(v) - want.sum[i]); !(d <= s.tolerance*want.size[i]) {
			t.Errorf("%s: element (%d,%d) = %v, want %v ± %v", what, i/got.Stride, i%got.Stride, v, want.sum[i], s.tolerance*want.size[i])
			return
		}
	}
}

// matrix returns the matrix of values, row by row.
func matrix[T compute.Float](cols int, values ...T) compute.Matrix[T] {
	return compute.Matrix[T]{Rows: len(values) / cols, Cols: cols, Stride: cols, Data: values}
}

// random returns a matrix of chance. With pad it is a view of a bigger one, pad
// columns wider, whose other elements are not numbers and spoil what they get
// into.
func random[T compute.Float](chance *rand.Rand, rows, cols, pad int) compute.Matrix[T] {
	m := compute.NewMatrix[T](rows, cols)
	if pad > 0 {
		m = compute.NewMatrix[T](rows+2, cols+pad)
		for i := range m.Data {
			m.Data[i] = T(math.NaN())
		}
		m = m.RowRange(1, rows+1).ColRange(pad/2, pad/2+cols)
	}
	for i := range m.Rows {
		for j := range m.Row(i) {
			m.Row(i)[j] = T(chance.Float64()*2 - 1)
		}
	}
	return m
}

func same[T compute.Float](t *testing.T, what string, got compute.Matrix[T], want ...T) {
	t.Helper()
	if diff := cmp.Diff(want, got.Data); diff != "" {
		t.Errorf("%s mismatch (-want +got):\n%s", what, diff)
	}
}
