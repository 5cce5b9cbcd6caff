package search

import (
	"container/list"
	"context"
	"slices"
	"sync"
)

// Cached returns an engine that remembers the results of the maxEntries
// questions used last, a question being the query, byte for byte, and n.
// Errors are not remembered. maxEntries < 1 remembers nothing.
//
// It is for engines whose documents do not change while it is in use.
func Cached(engine Engine, maxEntries int) Engine {
	if maxEntries < 1 {
		return engine
	}
	return &cached{
		engine:  engine,
		max:     maxEntries,
		entries: make(map[question]*list.Element),
		recent:  list.New(),
	}
}

// A question is what two searches must share to have the same result.
type question struct {
	query string
	n     int
}

type cached struct {
	engine Engine
	max    int

	mu      sync.Mutex
	entries map[question]*list.Element // of recent
	recent  *list.List                 // of entry, the one used last in front
}

type entry struct {
	question question
	hits     []Hit // never handed out
}

// Search implements [Engine].
func (c *cached) Search(ctx context.Context, query string, n int) ([]Hit, error) {
	q := question{query, n}
	if hits, ok := c.get(q); ok {
		return hits, nil
	}
	hits, err := c.engine.Search(ctx, query, n)
	if err != nil {
		return nil, err
	}
	c.put(q, slices.Clone(hits))
	return hits, nil
}

func (c *cached) get(q question) ([]Hit, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[q]
	if !ok {
		return nil, false
	}
	c.recent.MoveToFront(e)
	return slices.Clone(e.Value.(entry).hits), true
}

func (c *cached) put(q question, hits []Hit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[q]; ok {
		c.recent.Remove(e)
	}
	c.entries[q] = c.recent.PushFront(entry{q, hits})
	if c.recent.Len() > c.max {
		last := c.recent.Remove(c.recent.Back()).(entry)
		delete(c.entries, last.question)
	}
}
