package bm25

import (
	"context"
	"fmt"
	"sync"

	"trawl/search"
)

// What memory is planned for, in bytes.
const (
	idCost    = 20      // an id apart from its bytes
	blockCost = 16      // a block of texts: where it begins, and its first document
	fixedCost = 1 << 20 // an inverter apart from what grows: buffers of files and of the compression

	leastInverter = 4 << 20
	usualInverter = 16 << 20 // which makes no run too short
	mostInverter  = 128 << 20
)

// costOf returns what a document takes until it is written: its text, that in a
// block, and the block compressed, at worst.
func costOf(doc search.Document) int64 { return 160 + bytesOf(doc)*13/4 }

// inverterBytes returns how large an inverter may grow when limit bytes are
// planned for: half of them are for inverters, one for each worker if there is
// room.
func inverterBytes(limit int64, workers int) int64 {
	least := max(leastInverter, min(usualInverter, limit/4))
	return min(max(limit/2/int64(workers), least), mostInverter)
}

// A budget keeps what is in memory within a bound: documents, the inverters that
// are lent to their parts, and what stays. One goroutine takes, others give back.
type budget struct {
	limit   int64
	each    int64 // what an inverter takes
	workers int
	create  func() (*inverter, error)

	freed chan struct{} // has room for one
	mu    sync.Mutex
	kept  int64       // for good
	used  int64       // by documents
	out   int         // inverters that are lent
	warm  []*inverter // which wait, and have memory
	bare  []*inverter // which gave up their memory
}

func newBudget(limit, each int64, workers int, create func() (*inverter, error)) *budget {
	return &budget{limit: limit, each: each + fixedCost, workers: workers, create: create, freed: make(chan struct{}, 1)}
}

// share returns how much the documents of a part may take, so that each inverter
// that half of the memory has room for has one, one is being filled, and as many
// again wait for their turn.
func (b *budget) share() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	fit := max(min(int64(b.workers), b.limit/2/b.each), 1)
	return (b.limit - b.kept) / 2 / (fit + 1)
}

// reserve takes need bytes and others that stay for good, if there is room for
// them and for one inverter. Inverters that wait give up their memory for it. If
// it does not fit, alone says that own, which the caller reserved before, is all
// that is in use, so that waiting is no use.
func (b *budget) reserve(need, keep, own int64) (fits, alone bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.total()+need+keep > b.limit {
		last := len(b.warm) - 1
		if last < 0 || b.out+last == 0 {
			return false, b.out == 0 && b.used == own
		}
		b.warm[last].drop()
		b.bare, b.warm = append(b.bare, b.warm[last]), b.warm[:last]
	}
	b.used, b.kept = b.used+need, b.kept+keep
	return true, false
}

// total returns what is in use, with at least one inverter.
func (b *budget) total() int64 {
	return b.kept + b.used + b.each*int64(max(b.out+len(b.warm), 1))
}

// wait waits until something was given back since the last time.
func (b *budget) wait(ctx context.Context) error {
	select {
	case <-b.freed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lend waits for an inverter.
func (b *budget) lend(ctx context.Context) (*inverter, error) {
	for {
		v, err := b.tryLend()
		if v != nil || err != nil {
			return v, err
		}
		if err := b.wait(ctx); err != nil {
			return nil, err
		}
	}
}

// tryLend lends the inverter that was given back last, or another if there is
// room; it returns nil if there is none.
func (b *budget) tryLend() (v *inverter, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := len(b.warm); n > 0 {
		v, b.warm = b.warm[n-1], b.warm[:n-1]
		b.out++
		return v, nil
	}
	if b.out > 0 && (b.out >= b.workers || b.total()+b.each > b.limit) {
		return nil, nil
	}
	if n := len(b.bare); n > 0 {
		v, b.bare = b.bare[n-1], b.bare[:n-1]
	} else if v, err = b.create(); err != nil {
		return nil, err
	}
	b.out++
	return v, nil
}

// giveBack takes back an inverter.
func (b *budget) giveBack(v *inverter) {
	b.mu.Lock()
	b.out--
	b.warm = append(b.warm, v)
	b.mu.Unlock()
	b.signal()
}

// release gives back what documents took.
func (b *budget) release(n int64) {
	b.mu.Lock()
	b.used -= n
	b.mu.Unlock()
	b.signal()
}

func (b *budget) signal() {
	select {
	case b.freed <- struct{}{}:
	default:
	}
}

// exceeded is the error for a document that finds no room though nothing is
// under way but the documents of its block.
func (b *budget) exceeded(doc search.Document, need int64) error {
	const mib = 1 << 20
	b.mu.Lock()
	defer b.mu.Unlock()
	need += b.kept + b.used
	enough := b.limit
	for need+max(b.each, inverterBytes(enough, b.workers)+fixedCost) > enough {
		enough += mib
	}
	return fmt.Errorf("%d MiB of memory have no room for document %.100q of %d bytes, beside %d MiB for ids: allow %d MiB",
		2*b.limit/mib, doc.ID, bytesOf(doc), b.kept/mib, 2*((enough+mib-1)/mib))
}
