package cpu

import (
	"trawl/selection/internal/compute"
	"trawl/selection/internal/compute/vector"
)

// partsOf returns how many parts yᵀ·x of so many rows is cut into, each summed
// by itself: a worker then reads the rows of its parts alone, instead of all rows
// for some columns of w. It is a power of two, which most numbers of cores share
// well, and depends on the shapes alone, as the order of a sum must.
func partsOf[T compute.Float](w compute.Matrix[T], rows int) int {
	const (
		shortest = 320     // rows
		most     = 16      // parts
		largest  = 1 << 18 // elements of w; beyond that, the sums are more to move than the rows
	)
	parts := 1
	if w.Rows*w.Cols <= largest {
		for parts < most && rows >= 2*parts*shortest {
			parts *= 2
		}
	}
	return parts
}

// addParts adds yᵀ·x to w, part by part.
func (b *backend[T]) addParts(w, y, x compute.Matrix[T], parts int) {
	size := w.Rows * w.Cols
	b.sums = resize(b.sums, parts*size)
	products := make([]*product[T], parts)
	for i := range products {
		lo, hi := x.Rows*i/parts, x.Rows*(i+1)/parts
		products[i] = &product[T]{
			kernel: b.kernel,
			c:      compute.Matrix[T]{Rows: w.Rows, Cols: w.Cols, Stride: w.Cols, Data: b.sums[i*size : (i+1)*size]},
			a:      columnsOf(y.RowRange(lo, hi)),
			k:      hi - lo,
			source: x.RowRange(lo, hi),
		}
	}
	b.multiply(products...)
	b.fork(b.cores(), w.Rows, func(i int, _ *scratch[T]) {
		for _, p := range products {
			vector.Add(w.Row(i), p.c.Row(i))
		}
	})
}
