//go:build cgo && linux

package cublas_test

import (
	"errors"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/computetest"
)

func TestConformance(t *testing.T) {
	f := plant(t)
	computetest.Run(t, func() compute.Backend[float32] { return f.open(t) }, 1e-6)
	f.checkUse(t)
	f.checkReleased(t)
}

// TestBlocks multiplies matrices of five blocks, of whole numbers so that every
// order of summation gives the same: each lane is used again while the other is
// still busy.
func TestBlocks(t *testing.T) {
	f := plant(t)
	b := f.open(t)
	const n, in, out = 4200, 2048, 2
	x, w, y := whole(n, in, 3), whole(out, in, 4), whole(n, out, 5)
	weights := b.Weights(w)
	b.MulT(compute.NewMatrix[float32](600, out), x.RowRange(0, 600), weights, false) // more than half a block, to grow from

	got := whole(n, out, 6)
	want := clone(got)
	for i := range n {
		for j := range out {
			for k := range in {
				want.Row(i)[j] += x.Row(i)[k] * w.Row(j)[k]
			}
		}
	}
	b.MulT(got, x, weights, true)
	same(t, "MulT", want, got)

	got = whole(n, in, 7)
	want = compute.NewMatrix[float32](n, in)
	sum := clone(w)
	for i := range n {
		for k := range in {
			for j := range out {
				want.Row(i)[k] += y.Row(i)[j] * w.Row(j)[k]
				sum.Row(j)[k] += y.Row(i)[j] * x.Row(i)[k]
			}
		}
	}
	b.Mul(got, y, weights, false)
	same(t, "Mul", want, got)
	b.AddOuter(w, y, x)
	same(t, "AddOuter", sum, w)

	if err := errors.Join(b.Err(), b.Close()); err != nil {
		t.Error(err)
	}
	f.checkUse(t)
	f.checkReleased(t)
	for _, line := range append(f.events(t, "+ device"), f.events(t, "+ pinned")...) {
		if size, err := strconv.Atoi(line[strings.LastIndex(line, " ")+1:]); err != nil || size > 8<<20 {
			t.Errorf("%q: want at most the 8 MiB of a block", line)
		}
	}
}

// TestWeightsStay counts what goes to the device: the rows with each product, the
// weights once and again after a change.
func TestWeightsStay(t *testing.T) {
	f := plant(t)
	b := f.open(t)
	defer b.Close()
	w, x, y := whole(5, 7, 3), whole(2, 7, 4), compute.NewMatrix[float32](2, 5) // 140, 56 and 40 bytes
	weights := b.Weights(w)
	for range 2 {
		b.MulT(y, x, weights, false)
	}
	b.Mul(x, y, weights, true)
	weights.Changed()
	b.MulT(y, x, weights, true)
	want := []string{"upload 140", "upload 56", "upload 56", "upload 40", "upload 140", "upload 56"}
	if diff := cmp.Diff(want, f.events(t, "upload")); diff != "" {
		t.Errorf("uploads mismatch (-want +got):\n%s", diff)
	}
}

// TestThreads makes each product on a thread that has not seen the device. (The
// fake libraries see to it that each call sets it.)
func TestThreads(t *testing.T) {
	f := plant(t)
	b := f.open(t)
	weights := b.Weights(whole(2, 2, 3))
	for range 4 {
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread() // and never unlocks: the thread ends with the goroutine
			b.MulT(compute.NewMatrix[float32](1, 2), whole(1, 2, 4), weights, false)
		}()
		<-done
	}
	if err := errors.Join(b.Err(), b.Close()); err != nil {
		t.Error(err)
	}
	f.checkUse(t)
	f.checkReleased(t)
}

// whole returns a matrix of small whole numbers, other ones for another salt.
func whole(rows, cols, salt int) compute.Matrix[float32] {
	m := compute.NewMatrix[float32](rows, cols)
	for i := range m.Data {
		m.Data[i] = float32((i*salt+i/7)%5 - 2)
	}
	return m
}

func clone(m compute.Matrix[float32]) compute.Matrix[float32] {
	m.Data = append([]float32(nil), m.Data...)
	return m
}

// same reports the first element that differs.
func same(t *testing.T, what string, want, got compute.Matrix[float32]) {
	t.Helper()
	for i, v := range got.Data {
		if v != want.Data[i] {
			t.Errorf("%s: element %d = %v, want %v", what, i, v, want.Data[i])
			return
		}
	}
}
