package cpu

import "trawl/selection/internal/compute"

// Panels: the right side of a product, k×n, is cut into panels of as many
// columns as a tile has. A panel is stored row by row, without gaps, the last
// one filled up with zeros; panels follow each other.

// packGrain is the number of elements below which packing is not worth another
// goroutine.
const packGrain = 1 << 15

// packAll packs the right side w, or wᵀ, into panels, reusing dst.
func (b *backend[T]) packAll(dst []T, w compute.Matrix[T], transpose bool) []T {
	k, n := w.Rows, w.Cols
	if transpose {
		k, n = n, k
	}
	width := b.kernel.cols
	panels := ceil(n, width)
	if size := panels * width * k; len(dst) != size {
		dst = b.memory.Make(size)
	}
	parts := 1
	if b.cores() > 1 && n*k > packGrain {
		parts = min(panels, ceil(n*k, packGrain))
	}
	b.fork(b.cores(), parts, func(i int, _ *scratch[T]) {
		lo, hi := panels*i/parts, panels*(i+1)/parts
		part := dst[lo*width*k : hi*width*k]
		if transpose {
			b.kernel.packAcross(part, w.RowRange(lo*width, min(n, hi*width)))
		} else {
			packAlong(part, w.ColRange(lo*width, min(n, hi*width)), width, b.kernel.panels)
		}
	})
	return dst
}

// A copier copies some pieces of the rows of w, each as long as one kind of panel
// is wide, into panels that are pitch apart.
type copier[T compute.Float] func(dst []T, pitch int, w compute.Matrix[T], some int)

// packAlong packs w, k×n, into panels of a width.
func packAlong[T compute.Float](dst []T, w compute.Matrix[T], width int, pieces copier[T]) {
	pitch := width * w.Rows
	whole := w.Cols / width
	for p := 0; p < whole; p += 4 {
		pieces(dst[p*pitch:], pitch, w.ColRange(p*width, w.Cols), min(4, whole-p))
	}
	if rest := w.Cols % width; rest > 0 {
		last := w.ColRange(w.Cols-rest, w.Cols)
		for i := range w.Rows {
			row := dst[whole*pitch+i*width:][:width]
			clear(row[copy(row, last.Row(i)):])
		}
	}
}

// copyPieces is the copier for a width. Some pieces at a time are a good stretch
// of memory to read; too many fall on the same lines of the first-level cache.
func copyPieces[T compute.Float](width int) copier[T] {
	return func(dst []T, pitch int, w compute.Matrix[T], some int) {
		for i := range w.Rows {
			row := w.Row(i)
			for p := range some {
				copy(dst[p*pitch+i*width:][:width], row[p*width:])
			}
		}
	}
}

// packAcross packs wᵀ, w being n×k, into panels.
func (k *kernel[T]) packAcross(dst []T, w compute.Matrix[T]) {
	for row := 0; row < w.Rows; row += k.cols {
		panel := dst[row*w.Cols:][:k.cols*w.Cols]
		if row+k.cols <= w.Rows {
			k.transpose(panel, w.RowRange(row, row+k.cols))
		} else {
			transpose(panel, w.RowRange(row, w.Rows), k.cols)
		}
	}
}

// transpose packs wᵀ, w being (at most width)×k, into one panel.
func transpose[T compute.Float](panel []T, w compute.Matrix[T], width int) {
	if w.Rows < width {
		clear(panel)
	}
	// A few columns at a time: the lines of the panel stay in the first-level
	// cache until they are full.
	const few = 16
	for lo := 0; lo < w.Cols; lo += few {
		hi := min(lo+few, w.Cols)
		for j := range w.Rows {
			for i, v := range w.Row(j)[lo:hi] {
				panel[(lo+i)*width+j] = v
			}
		}
	}
}

// resize returns a slice of n elements, s itself if it is large enough.
func resize[T compute.Float](s []T, n int) []T {
	if cap(s) < n {
		return compute.Make[T](n)
	}
	return s[:n]
}

// ceil returns ⌈n/d⌉.
func ceil(n, d int) int { return (n + d - 1) / d }
