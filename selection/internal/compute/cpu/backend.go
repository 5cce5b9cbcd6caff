// Package cpu multiplies matrices on the processor. [New] picks the best kernel
// that the machine has, [Open] a given one, and [NewPortable] is plain Go for
// either kind of number; all three drive the same packing and the same cutting
// into tiles, so that they differ in the innermost loop only.
//
// The scheme is that of Goto and van de Geijn, "Anatomy of High-Performance
// Matrix Multiplication" (2008): the right operand is packed in panels as wide
// as a tile of the kernel, the left one is read in place or, where that would be
// slow, copied in blocks that fit the second-level cache, and a tile of the
// result stays in registers while k runs. Weights are packed once after each
// change, in either orientation when a product first needs it. Workers take
// parts of the result until there are none left.
//
// An element of a result is a sum over k whose order depends on the shapes and
// the kernel alone, not on the number of workers; and in MulT and Mul not on
// what other rows there are, so that batching changes no score. A Backend works
// for one goroutine at a time.
//
// The assembly can be switched off from outside, as golang.org/x/sys/cpu has it:
// GODEBUG=cpu.avx512f=off, or cpu.avx512f=off,cpu.avx2=off.
package cpu

import (
	"fmt"
	"runtime"

	"trawl/selection/internal/compute"
)

const badShape = "cpu: shapes do not fit"

// A Kernel names an innermost loop.
type Kernel string

// The kernels. Auto is the fastest that the machine has.
const (
	Auto     Kernel = ""
	Portable Kernel = "portable"
	AVX2     Kernel = "avx2"
	AVX512   Kernel = "avx512"
)

// Options choose how to multiply. The zero value is the best of the machine.
type Options struct {
	Kernel  Kernel // default Auto
	Workers int    // goroutines that multiply; default GOMAXPROCS
}

// New returns the fastest backend of this machine.
func New() compute.Backend[float32] {
	b, err := Open(Options{})
	if err != nil {
		panic(err) // the machine has a kernel: the portable one
	}
	return b
}

// Open returns a backend as o asks, or says that the machine lacks the kernel.
func Open(o Options) (compute.Backend[float32], error) {
	k, err := choose(o.Kernel)
	if err != nil {
		return nil, fmt.Errorf("cpu: %w", err)
	}
	return &backend[float32]{kernel: k, workers: o.Workers}, nil
}

// NewPortable returns a backend in plain Go.
func NewPortable[T compute.Float]() compute.Backend[T] {
	return &backend[T]{kernel: portableKernel[T]()}
}

// choose returns the kernel of a name.
func choose(name Kernel) (*kernel[float32], error) {
	known := kernels()
	if name == Auto {
		return known[0], nil
	}
	for _, k := range known {
		if k.name == name {
			return k, nil
		}
	}
	have := make([]Kernel, len(known))
	for i, k := range known {
		have[i] = k.name
	}
	return nil, fmt.Errorf("kernel %q: this machine has %q", name, have)
}

// A backend multiplies with one kernel.
type backend[T compute.Float] struct {
	compute.Cores
	kernel  *kernel[T]
	workers int             // 0: GOMAXPROCS
	scratch []*scratch[T]   // one for each worker, kept from product to product
	sums    []T             // of the parts of AddOuter
	memory  compute.Slab[T] // of packed weights
}

// Name implements [compute.Backend].
func (b *backend[T]) Name() string {
	n := b.cores()
	if n == 1 {
		return fmt.Sprintf("cpu (%s, 1 core)", b.kernel.name)
	}
	return fmt.Sprintf("cpu (%s, %d cores)", b.kernel.name, n)
}

func (b *backend[T]) cores() int {
	if b.workers > 0 {
		return b.workers
	}
	return runtime.GOMAXPROCS(0)
}

// Weights implements [compute.Backend].
func (b *backend[T]) Weights(w compute.Matrix[T]) compute.Weights[T] {
	return &weights[T]{matrix: w}
}

// MulT implements [compute.Backend].
func (b *backend[T]) MulT(y, x compute.Matrix[T], w compute.Weights[T], add bool) {
	own := w.(*weights[T])
	if x.Cols != own.matrix.Cols || y.Cols != own.matrix.Rows || x.Rows != y.Rows {
		panic(badShape)
	}
	b.multiply(&product[T]{kernel: b.kernel, c: y, a: rowsOf(x), k: x.Cols, b: own.across(b), add: add})
}

// Mul implements [compute.Backend].
func (b *backend[T]) Mul(y, x compute.Matrix[T], w compute.Weights[T], add bool) {
	own := w.(*weights[T])
	if x.Cols != own.matrix.Rows || y.Cols != own.matrix.Cols || x.Rows != y.Rows {
		panic(badShape)
	}
	b.multiply(&product[T]{kernel: b.kernel, c: y, a: rowsOf(x), k: x.Cols, b: own.along(b), add: add})
}

// AddOuter implements [compute.Backend].
func (b *backend[T]) AddOuter(w, y, x compute.Matrix[T]) {
	if y.Rows != x.Rows || w.Rows != y.Cols || w.Cols != x.Cols {
		panic(badShape)
	}
	if parts := partsOf(w, x.Rows); parts > 1 {
		b.addParts(w, y, x, parts)
		return
	}
	b.multiply(&product[T]{kernel: b.kernel, c: w, a: columnsOf(y), k: y.Rows, source: x, add: true})
}

// Err implements [compute.Backend]: a processor has no faults.
func (b *backend[T]) Err() error { return nil }

// Close implements [compute.Backend].
func (b *backend[T]) Close() error { return nil }

// weights are a matrix and its packings.
type weights[T compute.Float] struct {
	matrix                compute.Matrix[T] // out×in
	acrossPanels          []T               // of wᵀ, for MulT
	alongPanels           []T               // of w, for Mul
	acrossFits, alongFits bool
}

// Changed implements [compute.Weights].
func (w *weights[T]) Changed() { w.acrossFits, w.alongFits = false, false }

// Free implements [compute.Weights].
func (w *weights[T]) Free() { *w = weights[T]{} }

// across returns the panels of wᵀ, in×out.
func (w *weights[T]) across(b *backend[T]) []T {
	if !w.acrossFits {
		w.acrossPanels = b.packAll(w.acrossPanels, w.matrix, true)
		w.acrossFits = true
	}
	return w.acrossPanels
}

// along returns the panels of w, out×in.
func (w *weights[T]) along(b *backend[T]) []T {
	if !w.alongFits {
		w.alongPanels = b.packAll(w.alongPanels, w.matrix, false)
		w.alongFits = true
	}
	return w.alongPanels
}
