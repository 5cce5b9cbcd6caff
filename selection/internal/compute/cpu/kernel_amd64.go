package cpu

import (
	"golang.org/x/sys/cpu"

	"trawl/selection/internal/compute"
)

// kernels are those of this machine, the fastest first.
func kernels() []*kernel[float32] {
	var known []*kernel[float32]
	if cpu.X86.HasAVX512F {
		known = append(known, avx512Kernel())
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		known = append(known, avx2Kernel())
	}
	return append(known, portableKernel[float32]())
}

// avx512Kernel keeps twelve rows by two registers, 24 sums: more than the two
// multipliers of a core need to be busy, and so many for each load that loads do
// not hold them up.
func avx512Kernel() *kernel[float32] {
	return &kernel[float32]{
		name:      AVX512,
		cols:      32,
		tiles:     []tile[float32]{{12, avx512Tile12}, {8, avx512Tile8}, {4, avx512Tile4}},
		transpose: transposeRows,
		panels:    assembled(copyPieces32),
		columns:   assembled(copyPieces12),
		peak:      peakLoop{24 * 16 * 2, avx512Sums},
	}
}

// avx2Kernel keeps six rows by two registers, twelve sums of sixteen registers.
func avx2Kernel() *kernel[float32] {
	return &kernel[float32]{
		name:      AVX2,
		cols:      16,
		tiles:     []tile[float32]{{6, avx2Tile6}, {3, avx2Tile3}},
		transpose: transposeRows,
		panels:    assembled(copyPieces16),
		columns:   assembled(copyPieces6),
		peak:      peakLoop{12 * 8 * 2, avx2Sums},
	}
}

//go:noescape
func avx512Tile12(k int, a []float32, row, step int, b, c []float32, cStride int, add bool)

//go:noescape
func avx512Tile8(k int, a []float32, row, step int, b, c []float32, cStride int, add bool)

//go:noescape
func avx512Tile4(k int, a []float32, row, step int, b, c []float32, cStride int, add bool)

//go:noescape
func avx2Tile6(k int, a []float32, row, step int, b, c []float32, cStride int, add bool)

//go:noescape
func avx2Tile3(k int, a []float32, row, step int, b, c []float32, cStride int, add bool)

//go:noescape
func avx512Sums(n int)

//go:noescape
func avx2Sums(n int)

// transposeRows packs wᵀ, the rows of w being a multiple of eight, into one panel.
func transposeRows(panel []float32, w compute.Matrix[float32]) {
	// Some rows of the panel at a time, so that their lines stay in the
	// first-level cache until they are full.
	const some = 128
	width := w.Rows
	for lo := 0; lo < w.Cols; lo += some {
		hi := min(lo+some, w.Cols)
		for j := 0; j < width; j += 8 {
			transposeEight(panel[lo*width+j:], width, w.Data[j*w.Stride+lo:], w.Stride, (hi-lo)/8)
		}
	}
	if rest := w.Cols % 8; rest > 0 {
		lo := w.Cols - rest
		transpose(panel[lo*width:], w.ColRange(lo, w.Cols), width)
	}
}

//go:noescape
func transposeEight(dst []float32, width int, src []float32, stride, blocks int)

// assembled is the copier that is one of the functions below.
func assembled(f func(dst []float32, pitch int, src []float32, stride, rows, pieces int)) copier[float32] {
	return func(dst []float32, pitch int, w compute.Matrix[float32], some int) {
		f(dst, pitch, w.Data, w.Stride, w.Rows, some)
	}
}

//go:noescape
func copyPieces6(dst []float32, pitch int, src []float32, stride, rows, pieces int)

//go:noescape
func copyPieces12(dst []float32, pitch int, src []float32, stride, rows, pieces int)

//go:noescape
func copyPieces16(dst []float32, pitch int, src []float32, stride, rows, pieces int)

//go:noescape
func copyPieces32(dst []float32, pitch int, src []float32, stride, rows, pieces int)
