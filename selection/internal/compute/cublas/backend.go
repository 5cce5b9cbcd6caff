//go:build cgo && linux

package cublas

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"fmt"
	"unsafe"

	"trawl/selection/internal/compute"
)

const (
	badShape = "cublas: shape mismatch"

	// blockFloats bounds the numbers of one operand in a block: 8 MiB, some
	// hundred microseconds of transfer, so that starting a copy and a product,
	// a few microseconds each, does not show and two blocks still overlap in
	// matrices of a few thousand rows. An estimate, not a measurement.
	blockFloats = 1 << 21
)

var _ compute.Backend[float32] = (*backend)(nil)

type backend struct {
	compute.Cores
	gpu      *C.trawl_gpu
	name     string
	lanes    [C.trawl_lanes]lane
	resident map[*weights]bool
	err      error // the first fault
}

func (b *backend) Name() string { return b.name }

func (b *backend) Err() error { return b.err }

// well keeps a fault, if s is one and there was none, and says whether there is
// still none.
func (b *backend) well(s C.trawl_status) bool {
	if s.call != nil && b.err == nil {
		b.err = fmt.Errorf("cublas: %s: %w", b.name, fault(b.gpu, s))
	}
	return b.err == nil
}

// Close gives back the device, its weights too. It returns an error if that
// fails, but not a fault that Err has told already.
func (b *backend) Close() error {
	told := b.err != nil
	for i := range b.lanes {
		b.lanes[i].free()
	}
	for w := range b.resident {
		w.copy.free(b)
	}
	b.well(C.trawl_stop(b.gpu))
	C.free(unsafe.Pointer(b.gpu))
	if told {
		return nil
	}
	return b.err
}

// MulT implements [compute.Backend].
func (b *backend) MulT(y, x compute.Matrix[float32], w compute.Weights[float32], add bool) {
	r := w.(*weights)
	if x.Rows != y.Rows || x.Cols != r.w.Cols || y.Cols != r.w.Rows {
		panic(badShape)
	}
	b.multiply(y, x, factor{r, true}, add)
}

// Mul implements [compute.Backend].
func (b *backend) Mul(y, x compute.Matrix[float32], w compute.Weights[float32], add bool) {
	r := w.(*weights)
	if x.Rows != y.Rows || x.Cols != r.w.Rows || y.Cols != r.w.Cols {
		panic(badShape)
	}
	b.multiply(y, x, factor{r, false}, add)
}

// A factor is the second operand of a product.
type factor struct {
	*weights
	transposed bool
}

// multiply sets y = x·w or y += x·w, or the same with wᵀ, in blocks of rows.
func (b *backend) multiply(y, x compute.Matrix[float32], w factor, add bool) {
	if x.Cols == 0 || y.Cols == 0 {
		for i := 0; i < y.Rows && !add; i++ {
			clear(y.Row(i))
		}
		return
	}
	if y.Rows > 0 {
		w.ready()
	}
	for block, rows := range blocks(x, y) {
		l := &b.lanes[block%len(b.lanes)]
		l.finish()
		l.multiply(y.RowRange(rows.lo, rows.hi), x.RowRange(rows.lo, rows.hi), w, add)
	}
	b.finish()
}

// AddOuter implements [compute.Backend]. Each lane sums its blocks; the lanes'
// sums are added to w in a fixed order.
func (b *backend) AddOuter(w, y, x compute.Matrix[float32]) {
	if y.Rows != x.Rows || w.Rows != y.Cols || w.Cols != x.Cols {
		panic(badShape)
	}
	if w.Rows == 0 || w.Cols == 0 {
		return
	}
	for block, rows := range blocks(x, y) {
		l := &b.lanes[block%len(b.lanes)]
		l.wait()
		l.addOuter(y.RowRange(rows.lo, rows.hi), x.RowRange(rows.lo, rows.hi), block >= len(b.lanes))
	}
	for i := range b.lanes {
		if l := &b.lanes[i]; l.busy {
			l.fetch(&l.sum, w, true)
		}
	}
	b.finish()
}

func (b *backend) finish() {
	for i := range b.lanes {
		b.lanes[i].finish()
	}
}

type span struct{ lo, hi int }

// blocks returns ranges of rows that keep x and y within blockFloats.
func blocks(x, y compute.Matrix[float32]) []span {
	step := max(1, blockFloats/max(x.Cols, y.Cols))
	var out []span
	for lo := 0; lo < x.Rows; lo += step {
		out = append(out, span{lo, min(lo+step, x.Rows)})
	}
	return out
}
