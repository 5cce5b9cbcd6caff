package bm25

import (
	"context"
	"fmt"
	"sync"

	"trawl/search"
)

// What memory is planned for, in bytes.
const (
	windowCost = 24 << 20 // a window apart from its documents: vocabulary and buffers
	idCost     = 16       // an id apart from its bytes
)

// costOf returns what a document takes until its window is a run: its text, its
// text compressed, and its postings twice, which hardly take more than text does.
func costOf(doc search.Document) int64 {
	return 160 + 4*int64(len(doc.ID)+len(doc.Title)+len(doc.URL)+len(doc.Text))
}

// A budget keeps the documents in memory within a bound. One goroutine reserves,
// others release.
type budget struct {
	limit int64
	kept  int64 // for good

	mu    sync.Mutex
	freed chan struct{} // has room for one
	used  int64         // by windows
}

func newBudget(limit int64) *budget {
	return &budget{limit: limit, freed: make(chan struct{}, 1)}
}

// reserve waits until there is room for need bytes, and takes them and others
// that stay for good. It fails if there is none though own, which the caller
// reserved before, is all that is in use.
func (b *budget) reserve(ctx context.Context, need, own, kept int64) error {
	b.kept += kept
	for {
		b.mu.Lock()
		others := b.used - own
		fits := b.kept+b.used+need <= b.limit
		if fits {
			b.used += need
		}
		b.mu.Unlock()
		switch {
		case fits:
			return nil
		case others == 0:
			return fmt.Errorf("%d MiB of memory have no room for a window of documents, and %d MiB of ids: allow more", 2*b.limit>>20, b.kept>>20)
		}
		select {
		case <-b.freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// release gives back what a window reserved.
func (b *budget) release(n int64) {
	b.mu.Lock()
	b.used -= n
	b.mu.Unlock()
	select {
	case b.freed <- struct{}{}:
	default:
	}
}
