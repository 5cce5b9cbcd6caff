package gnn

import "trawl/selection/internal/compute"

// rowGrain is how many rows of a state are worth a goroutine: a few microseconds
// of work.
const rowGrain = 32

// A buffer is memory that is used again from call to call.
type buffer[T compute.Float] struct{ data []T }

// matrix returns a matrix of unspecified numbers in the buffer. It is valid until
// the next call.
func (b *buffer[T]) matrix(rows, cols int) compute.Matrix[T] {
	if n := rows * cols; cap(b.data) < n {
		b.data = compute.Make[T](n + n/4)
	}
	b.data = b.data[:rows*cols]
	return compute.Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: b.data}
}

// zeros is matrix, all 0.
func (b *buffer[T]) zeros(rows, cols int) compute.Matrix[T] {
	m := b.matrix(rows, cols)
	clear(m.Data)
	return m
}

// blockRows is how many rows are summed up by themselves before the sums are
// added up in order. It does not depend on the number of cores, so neither does
// the result.
const blockRows = 64

// sumRows calls f for blocks of the rows lo to hi-1, on all cores, and returns the
// sum of the vectors of the given width that the calls add to.
func (b *buffer[T]) sumRows(on compute.Backend[T], lo, hi, width int, f func(lo, hi int, sum []T)) []T {
	blocks := (hi - lo + blockRows - 1) / blockRows
	partial := b.zeros(max(blocks, 1), width)
	on.Rows(blocks, 1, func(first, end int) {
		for k := first; k < end; k++ {
			f(lo+k*blockRows, min(lo+(k+1)*blockRows, hi), partial.Row(k))
		}
	})
	total := partial.Row(0)
	for k := 1; k < blocks; k++ {
		addTo(total, partial.Row(k))
	}
	return total
}
