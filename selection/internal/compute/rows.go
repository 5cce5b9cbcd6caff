package compute

import (
	"runtime"
	"sync"
)

// Rows calls f for ranges of rows that together are 0 to n-1, on all cores, and
// returns when all are done. No range but the last has fewer than grain rows.
// Where the ranges end depends on the number of cores, so f must treat every row
// by itself.
func Rows(n, grain int, f func(lo, hi int)) {
	parts := min(runtime.GOMAXPROCS(0), n/max(grain, 1))
	if parts <= 1 {
		if n > 0 {
			f(0, n)
		}
		return
	}
	var wg sync.WaitGroup
	for p := 1; p < parts; p++ {
		wg.Go(func() { f(n*p/parts, n*(p+1)/parts) })
	}
	f(0, n/parts)
	wg.Wait()
}
