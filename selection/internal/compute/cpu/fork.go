package cpu

import (
	"iter"

	"trawl/selection/internal/compute"
)

// A scratch is the memory of one worker: a block of a, one of b, a tile of c.
type scratch[T compute.Float] struct {
	a, b, c []T
}

// fork carries out n tasks, in any order, on at most so many workers, and waits
// for them.
func (b *backend[T]) fork(workers, n int, do func(i int, s *scratch[T])) {
	for len(b.scratch) < max(1, min(workers, n)) {
		b.scratch = append(b.scratch, new(scratch[T]))
	}
	b.Fork(workers, n, func(i, worker int) { do(i, b.scratch[worker]) })
}

// guided cuts 0 to n-1 into ranges for workers, smaller and smaller towards the
// end, of least to most elements; the last may be shorter.
func guided(n, workers, least, most int) iter.Seq2[int, int] {
	return func(yield func(lo, hi int) bool) {
		for lo := 0; lo < n; {
			size := n - lo
			if workers > 1 {
				size = ceil(n-lo, 2*workers)
			}
			hi := min(n, lo+max(1, min(max(size, least), most)))
			if !yield(lo, hi) {
				return
			}
			lo = hi
		}
	}
}
