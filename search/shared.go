package search

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sync/singleflight"
)

// Shared returns an engine that searches once for callers who ask the same
// question at the same time. Each gets a copy of the result, or the error; a
// panic of engine is an error too.
//
// A caller whose context ends gets that context's error at once and disturbs
// nobody: the search goes on for the others, with the values of the context of
// the caller that started it, and is cancelled when nobody waits for it.
func Shared(engine Engine) Engine {
	return &shared{engine: engine, flights: make(map[string]*flight)}
}

type shared struct {
	engine Engine
	group  singleflight.Group

	mu      sync.Mutex
	flights map[string]*flight // those that a newcomer may still join
}

// A flight is one search and the callers that wait for it.
type flight struct {
	key     string
	ctx     context.Context
	cancel  context.CancelFunc
	callers int
}

// Search implements [Engine].
func (s *shared) Search(ctx context.Context, query string, n int) ([]Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, result := s.board(ctx, query, n)
	defer s.leave(f)
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-result:
		if r.Err != nil {
			return nil, r.Err
		}
		return slices.Clone(r.Val.([]Hit)), nil
	}
}

// board joins the flight for the question, or starts one.
func (s *shared) board(ctx context.Context, query string, n int) (*flight, <-chan singleflight.Result) {
	key := strconv.Itoa(n) + " " + query
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.flights[key]
	if !ok {
		f = &flight{key: key}
		f.ctx, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
		s.flights[key] = f
	}
	f.callers++
	return f, s.group.DoChan(key, func() (any, error) { return s.search(f.ctx, query, n) })
}

// search makes a panic of the engine an error: singleflight would raise it again
// in a goroutine of its own, where no caller can recover it.
func (s *shared) search(ctx context.Context, query string, n int) (hits []Hit, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("search: panic: %v", v)
		}
	}()
	return s.engine.Search(ctx, query, n)
}

// leave takes one caller off. The last one cancels the search and sees to it
// that no newcomer joins it.
func (s *shared) leave(f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.callers--
	if f.callers > 0 {
		return
	}
	f.cancel()
	delete(s.flights, f.key)
	s.group.Forget(f.key)
}
