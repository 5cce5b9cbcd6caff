package bm25_test

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"trawl/search/bm25"
	"trawl/search/index"
)

// TestReopenWhileSearching has 64 goroutines search an index that is opened
// again and the one before closed, over and over: each call has the right answer
// or is told that the index is closed, and nothing stays behind.
func TestReopenWhileSearching(t *testing.T) {
	const query = "q0 q1 q2 q9"
	dir := small(t)
	x, err := bm25.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	want, err := x.Search(t.Context(), query, 10)
	if err != nil {
		t.Fatal(err)
	}
	goroutines := runtime.NumGoroutine()
	if n, ok := mappings(dir); ok && n != 6 {
		t.Errorf("%d mappings of an open index, want one for each of its 6 files", n)
	}
	var current atomic.Pointer[bm25.Index]
	current.Store(x)
	var stop atomic.Bool
	var searches sync.WaitGroup
	var answers atomic.Int64
	for i := range 64 {
		searches.Go(func() {
			for !stop.Load() {
				if ask(t, current.Load(), i, query, want[0].ID, want[0].Score) {
					answers.Add(1)
				}
				runtime.Gosched() // else each keeps its core for a scheduler's slice
			}
		})
	}
	for range 30 {
		next, err := bm25.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		for seen := answers.Load(); answers.Load() < seen+8; { // searches are under way
			runtime.Gosched()
		}
		last := current.Swap(next)
		if err := last.Close(); err != nil {
			t.Error(err)
		}
		if err := last.Close(); !errors.Is(err, index.ErrClosed) {
			t.Errorf("closing twice: %v", err)
		}
	}
	stop.Store(true)
	searches.Wait()
	if err := current.Load().Close(); err != nil {
		t.Error(err)
	}
	if n, _ := mappings(dir); n != 0 {
		t.Errorf("%d mappings are left", n)
	}
	for range 1000 { // a goroutine that is done may not have gone yet
		if runtime.NumGoroutine() <= goroutines {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d goroutines, and %d before", runtime.NumGoroutine(), goroutines)
}

// ask makes a call that reads the index, and reports whether it had an answer.
func ask(t *testing.T, x *bm25.Index, i int, query, best string, score float64) bool {
	ok, err := false, error(nil)
	switch i % 4 {
	case 0:
		_, ok, err = x.Get(best)
	case 1:
		var e bm25.Explanation
		e, ok, err = x.Explain(t.Context(), query, best)
		ok = ok && e.Score == score
	default:
		hits, searchErr := x.Search(t.Context(), query, 10)
		ok, err = len(hits) == 10 && hits[0].ID == best && hits[0].Score == score, searchErr
	}
	if errors.Is(err, index.ErrClosed) {
		return false
	}
	if err != nil || !ok {
		t.Errorf("call %d: answered %v, %v", i%4, ok, err)
	}
	return true
}

// mappings returns how many files of a folder this process maps, if the system
// tells.
func mappings(dir string) (n int, ok bool) {
	maps, err := os.ReadFile("/proc/self/maps")
	return strings.Count(string(maps), dir+"/"), err == nil
}
