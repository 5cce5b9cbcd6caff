package compute_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"trawl/selection/internal/compute"
)

// cores sets how many cores there are for a test.
func cores(t *testing.T, n int) {
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// TestRows: every row is in one range, and no range but the last is short.
func TestRows(t *testing.T) {
	for _, n := range []int{0, 1, 5, 31, 64, 1000} {
		for _, grain := range []int{0, 1, 7, 64, 2000} {
			for _, workers := range []int{1, 2, 5} {
				t.Run(fmt.Sprintf("%d rows by %d on %d cores", n, grain, workers), func(t *testing.T) {
					cores(t, workers)
					var c compute.Cores
					times := make([]atomic.Int32, n)
					c.Rows(n, grain, func(lo, hi int) {
						if hi-lo < grain && hi < n {
							t.Errorf("rows %d to %d are fewer than %d", lo, hi, grain)
						}
						for i := lo; i < hi; i++ {
							times[i].Add(1)
						}
					})
					for i := range times {
						if got := times[i].Load(); got != 1 {
							t.Errorf("row %d was done %d times", i, got)
						}
					}
				})
			}
		}
	}
}

// TestForkAgain: one piece of work after the other is done once, each by a worker
// of its own number, by fewer workers than pieces and by more.
func TestForkAgain(t *testing.T) {
	cores(t, 4)
	var c compute.Cores
	for round := range 2000 {
		workers, n := 1+round%5, round%7
		done := make([]atomic.Int32, n)
		busy := make([]atomic.Int32, workers)
		c.Fork(workers, n, func(i, worker int) {
			if busy[worker].Add(1) != 1 {
				t.Errorf("round %d: two pieces at once have worker %d", round, worker)
			}
			done[i].Add(1)
			busy[worker].Add(-1)
		})
		for i := range done {
			if got := done[i].Load(); got != 1 {
				t.Fatalf("round %d: piece %d was done %d times", round, i, got)
			}
		}
	}
}

// TestForkTogether: two pieces that wait for each other end, because two workers
// have them.
func TestForkTogether(t *testing.T) {
	cores(t, 2)
	var c compute.Cores
	for range 100 {
		var both sync.WaitGroup
		both.Add(2)
		c.Fork(2, 2, func(int, int) {
			both.Done()
			both.Wait()
		})
	}
}

// TestForkWaitsLong: who calls sleeps when a helper's piece takes its time.
func TestForkWaitsLong(t *testing.T) {
	cores(t, 2)
	var c compute.Cores
	var took atomic.Int32
	c.Fork(2, 2, func(_, worker int) {
		for took.Load() == 0 && worker == 0 {
			runtime.Gosched() // the other piece is a helper's
		}
		took.Add(1)
		if worker == 1 {
			for range 1 << 22 {
				took.Load()
			}
		}
	})
	if got := took.Load(); got != 2 {
		t.Errorf("%d pieces are done, want 2", got)
	}
}

// TestForkWithin: work that forks, and goroutines that fork at once, do all there
// is to do.
func TestForkWithin(t *testing.T) {
	cores(t, 4)
	var c compute.Cores
	var done atomic.Int32
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range 50 {
				c.Fork(4, 4, func(int, int) { c.Rows(8, 1, func(lo, hi int) { done.Add(int32(hi - lo)) }) })
			}
		})
	}
	wg.Wait()
	if got, want := done.Load(), int32(3*50*4*8); got != want {
		t.Errorf("%d rows are done, want %d", got, want)
	}
}

// TestForkPanics: the panic of any worker is the caller's, and the cores work on.
func TestForkPanics(t *testing.T) {
	cores(t, 2)
	var c compute.Cores
	for guilty := range 2 {
		func() {
			var both sync.WaitGroup
			both.Add(2)
			defer func() {
				if got := recover(); got != guilty {
					t.Errorf("recover() = %v, want the panic of worker %d", got, guilty)
				}
			}()
			var begun atomic.Int32
			c.Fork(2, 5, func(_, worker int) {
				if begun.Add(1) > 2 {
					return
				}
				both.Done() // each worker has one of the first two
				both.Wait()
				if worker == guilty {
					panic(guilty)
				}
			})
		}()
		var done atomic.Int32
		c.Fork(2, 9, func(int, int) { done.Add(1) })
		if got := done.Load(); got != 9 {
			t.Errorf("after a panic of worker %d: %d pieces are done, want 9", guilty, got)
		}
	}
}

// TestCoresEnd: helpers end by themselves, or the bubble would not.
func TestCoresEnd(t *testing.T) {
	cores(t, 4)
	synctest.Test(t, func(t *testing.T) {
		var c compute.Cores
		for range 10 {
			c.Rows(100, 1, func(lo, hi int) {})
		}
	})
}
