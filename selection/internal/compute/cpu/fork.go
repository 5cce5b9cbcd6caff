package cpu

import (
	"iter"
	"sync"
	"sync/atomic"

	"trawl/selection/internal/compute"
)

// A scratch is the memory of one worker: a block of a, one of b, a tile of c.
type scratch[T compute.Float] struct {
	a, b, c []T
}

// fork carries out n tasks, in any order, on at most so many workers, and waits
// for them. Workers take one task after the other, so that one that starts late,
// or whose core has other things to do, holds up nobody.
func (b *backend[T]) fork(workers, n int, do func(i int, s *scratch[T])) {
	if n == 0 {
		return
	}
	workers = min(workers, n)
	for len(b.scratch) < workers {
		b.scratch = append(b.scratch, new(scratch[T]))
	}
	var taken atomic.Int64
	work := func(s *scratch[T]) {
		for i := int(taken.Add(1)) - 1; i < n; i = int(taken.Add(1)) - 1 {
			do(i, s)
		}
	}
	var wg sync.WaitGroup
	for _, s := range b.scratch[1:workers] {
		wg.Go(func() { work(s) })
	}
	work(b.scratch[0])
	wg.Wait()
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
