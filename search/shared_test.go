package search_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"trawl/search"
)

// gated is an engine whose searches wait for the gate or their context.
type gated struct {
	gate     chan struct{}
	searches atomic.Int64
	ended    atomic.Int64 // by their context
	err      error
}

func newGated() *gated { return &gated{gate: make(chan struct{})} }

func (g *gated) Search(ctx context.Context, query string, n int) ([]search.Hit, error) {
	g.searches.Add(1)
	select {
	case <-g.gate:
		return []search.Hit{{Document: search.Document{ID: query}}}, g.err
	case <-ctx.Done():
		g.ended.Add(1)
		return nil, ctx.Err()
	}
}

func TestSharedSearchesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated()
		engine := search.Shared(g)
		var callers sync.WaitGroup
		for i := range 10 {
			callers.Go(func() {
				hits, err := engine.Search(t.Context(), "q", 3)
				if err != nil || len(hits) != 1 || hits[0].ID != "q" {
					t.Errorf("caller %d got %v, %v", i, hits, err)
					return
				}
				hits[0].ID = "spoiled by a caller"
			})
		}
		callers.Go(func() { engine.Search(t.Context(), "q", 4) })
		synctest.Wait()
		close(g.gate)
		callers.Wait()
		if got := g.searches.Load(); got != 2 {
			t.Errorf("%d searches for two questions", got)
		}
		engine.Search(t.Context(), "q", 3)
		if got := g.searches.Load(); got != 3 {
			t.Errorf("a later search is not a new one: %d searches, want 3", got)
		}
	})
}

func TestSharedCallerThatLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated()
		engine := search.Shared(g)
		first, leave := context.WithCancel(t.Context())
		var callers sync.WaitGroup
		callers.Go(func() {
			if _, err := engine.Search(first, "q", 3); !errors.Is(err, context.Canceled) {
				t.Errorf("the caller that leaves got error %v", err)
			}
		})
		synctest.Wait()
		callers.Go(func() {
			if hits, err := engine.Search(t.Context(), "q", 3); err != nil || len(hits) != 1 {
				t.Errorf("the caller that stays got %v, %v", hits, err)
			}
		})
		synctest.Wait()
		leave()
		synctest.Wait()
		if g.ended.Load() != 0 {
			t.Error("the search was cancelled while somebody waited for it")
		}
		close(g.gate)
		callers.Wait()
		if got := g.searches.Load(); got != 1 {
			t.Errorf("%d searches, want 1", got)
		}
	})
}

func TestSharedAllLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated()
		engine := search.Shared(g)
		ctx, leave := context.WithCancel(t.Context())
		var callers sync.WaitGroup
		for range 3 {
			callers.Go(func() { engine.Search(ctx, "q", 3) })
		}
		synctest.Wait()
		leave()
		callers.Wait()
		callers.Go(func() {
			if hits, err := engine.Search(t.Context(), "q", 3); err != nil || len(hits) != 1 {
				t.Errorf("a newcomer got %v, %v from a search that was given up", hits, err)
			}
		})
		synctest.Wait()
		if g.ended.Load() != 1 {
			t.Error("the search went on though nobody waited for it")
		}
		close(g.gate)
		callers.Wait()
		if got := g.searches.Load(); got != 2 {
			t.Errorf("%d searches, want 2", got)
		}
	})
}

func TestSharedError(t *testing.T) {
	g := newGated()
	g.err = errors.New("no network")
	close(g.gate)
	engine := search.Shared(g)
	if hits, err := engine.Search(t.Context(), "q", 3); !errors.Is(err, g.err) || hits != nil {
		t.Errorf("Search = %v, %v, want the engine's error", hits, err)
	}
}

// A search runs in no caller's goroutine, so its panic would end the process.
func TestSharedPanic(t *testing.T) {
	engine := search.Shared(engineFunc(func(context.Context, string, int) ([]search.Hit, error) {
		panic("slice of nothing")
	}))
	for range 2 {
		hits, err := engine.Search(t.Context(), "q", 3)
		if err == nil || err.Error() != "search: panic: slice of nothing" || hits != nil {
			t.Errorf("Search = %v, %v, want the panic as an error", hits, err)
		}
	}
}

func TestSharedUnderLoad(t *testing.T) {
	var searches atomic.Int64
	engine := search.Shared(counting(&searches))
	var callers sync.WaitGroup
	for i := range 16 {
		callers.Go(func() {
			for round := range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				if (i+round)%3 == 0 {
					go cancel()
				}
				hits, err := engine.Search(ctx, "q", 1+round%2)
				cancel()
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("Search: %v", err)
				}
				if err != nil && (i+round)%3 != 0 {
					t.Errorf("a caller that stayed got %v", err)
				}
				if err == nil && len(hits) != 1 {
					t.Errorf("Search found %v", hits)
				}
			}
		})
	}
	callers.Wait()
}
