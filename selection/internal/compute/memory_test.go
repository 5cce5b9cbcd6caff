package compute_test

import (
	"slices"
	"testing"
	"unsafe"

	"trawl/selection/internal/compute"
)

// TestMake: as many zeros as asked for; from a quarter of a MiB on they begin
// where a huge page does, and do not end inside one that others use.
func TestMake(t *testing.T) {
	const page = 2 << 20
	for _, n := range []int{0, 1, 1000, 1<<16 - 1, 1 << 16, 1<<19 - 1, 1 << 19, 1<<19 + 1} {
		got := compute.Make[float32](n)
		if len(got) != n || slices.ContainsFunc(got, func(v float32) bool { return v != 0 }) {
			t.Errorf("Make(%d) has %d numbers, want as many zeros", n, len(got))
		}
		if n < 1<<16 {
			continue
		}
		if at := uintptr(unsafe.Pointer(&got[0])) % page; at != 0 {
			t.Errorf("Make(%d) begins at byte %d of a huge page, want 0", n, at)
		}
		if room := cap(got) * 4 % page; room != 0 {
			t.Errorf("Make(%d) has room for whole huge pages and %d bytes", n, room)
		}
	}
}

// TestSlab: what a slab hands out is zero and nobody else's, small or large.
func TestSlab(t *testing.T) {
	var s compute.Slab[float64]
	var all [][]float64
	for i, n := range []int{3, 0, 16, 5000, 1, 1 << 17, 1 << 19, 600, 1 << 18} {
		got := s.Make(n)
		if len(got) != n || slices.ContainsFunc(got, func(v float64) bool { return v != 0 }) {
			t.Errorf("Make(%d) has %d numbers, want as many zeros", n, len(got))
		}
		got = append(got, -1)[:n] // what follows it is not in reach
		for j := range got {
			got[j] = float64(i + 1)
		}
		all = append(all, got)
	}
	for i, numbers := range all {
		for j, v := range numbers {
			if v != float64(i+1) {
				t.Fatalf("number %d of piece %d has been written to as %v", j, i, v)
			}
		}
	}
	if m := s.Matrix(3, 5); m.Rows != 3 || m.Cols != 5 || m.Stride != 5 || len(m.Data) != 15 {
		t.Errorf("Matrix(3, 5) = %d×%d, stride %d, %d numbers", m.Rows, m.Cols, m.Stride, len(m.Data))
	}
}
