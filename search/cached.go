package search

import (
	"container/list"
	"context"
	"slices"
	"sync"
	"unsafe"
)

// Cached returns an engine that remembers the results of the questions used
// last, as many as take maxBytes of memory, a question being the query, byte for
// byte, and n. Errors are not remembered, nor is a result too large for maxBytes;
// maxBytes < 1 remembers nothing.
//
// Every string of a result counts, as if no other result had it: engines that
// read documents from disk give each hit its own.
//
// It is for engines whose documents do not change while it is in use.
func Cached(engine Engine, maxBytes int64) Engine {
	if maxBytes < 1 {
		return engine
	}
	return &cached{
		engine:  engine,
		max:     maxBytes,
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
	max    int64

	mu      sync.Mutex
	entries map[question]*list.Element // of recent
	recent  *list.List                 // of entry, the one used last in front
	bytes   int64                      // of all entries
}

type entry struct {
	question question
	hits     []Hit // never handed out
}

// entryBytes is what an entry takes apart from its query and hits: itself in the
// list, and its place in the map.
const entryBytes = 256

// bytes returns the memory that e takes.
func (e entry) bytes() int64 {
	n := entryBytes + len(e.question.query) + len(e.hits)*int(unsafe.Sizeof(Hit{}))
	for _, h := range e.hits {
		n += len(h.ID) + len(h.Title) + len(h.URL) + len(h.Text)
	}
	return int64(n)
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
	c.put(entry{q, slices.Clone(hits)})
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

func (c *cached) put(e entry) {
	if e.bytes() > c.max {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.entries[e.question]; ok {
		c.drop(old)
	}
	c.entries[e.question] = c.recent.PushFront(e)
	for c.bytes += e.bytes(); c.bytes > c.max; {
		c.drop(c.recent.Back())
	}
}

// drop needs c.mu.
func (c *cached) drop(element *list.Element) {
	e := c.recent.Remove(element).(entry)
	delete(c.entries, e.question)
	c.bytes -= e.bytes()
}
