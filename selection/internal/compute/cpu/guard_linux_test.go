package cpu_test

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"unsafe"

	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/cpu"
)

// TestBounds multiplies matrices that end where memory ends: a kernel that reads
// or writes one element too many ends the test.
func TestBounds(t *testing.T) {
	for _, k := range kernels {
		t.Run(string(k), func(t *testing.T) {
			b := open(t, cpu.Options{Kernel: k})
			for _, s := range [][3]int{{1, 1, 1}, {12, 32, 32}, {13, 33, 35}, {24, 16, 64}, {5, 300, 7}, {300, 6, 40}, {8, 1024, 4}} {
				n, in, out := s[0], s[1], s[2]
				x, y, w := atEnd(t, n, in), atEnd(t, n, out), atEnd(t, out, in)
				weights := b.Weights(w)
				b.MulT(y, x, weights, true)
				b.Mul(x, y, weights, true)
				b.AddOuter(w, y, x)
				for _, m := range []compute.Matrix[float32]{x, y, w} {
					if m.Data[len(m.Data)-1] != 0 {
						t.Errorf("%v: products of zeros give %v", s, m.Data[len(m.Data)-1])
					}
				}
			}
		})
	}
}

// atEnd returns a matrix of zeros after which no memory can be touched.
func atEnd(t *testing.T, rows, cols int) compute.Matrix[float32] {
	t.Helper()
	page := os.Getpagesize()
	size := 4 * rows * cols
	pages := (size + page - 1) / page * page
	memory, err := syscall.Mmap(-1, 0, pages+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(fmt.Errorf("mmap: %w", err))
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(memory); err != nil {
			t.Error(err)
		}
	})
	if err := syscall.Mprotect(memory[pages:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	first := (*float32)(unsafe.Pointer(&memory[pages-size]))
	return compute.Matrix[float32]{Rows: rows, Cols: cols, Stride: cols, Data: unsafe.Slice(first, rows*cols)}
}
