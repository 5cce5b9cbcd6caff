package live

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	bleve "github.com/blevesearch/bleve_index_api"

	"trawl/search"
	"trawl/search/index"
)

// batchBytes bounds the text that waits in memory before it is written. Its
// analysis takes some ten times as much.
const batchBytes = 8 << 20

// documentBytes is what a document takes apart from its text.
const documentBytes = 512

// An Index is an open index.
type Index struct {
	dir      string
	writable bool
	meta     meta
	claim    *index.Claim // nil if the index was complete before
	stale    atomic.Bool  // view lags behind the store

	adding  sync.Mutex // held while documents are added; taken before mu
	pending *bleve.Batch
	bytes   int                       // of pending
	added   map[string]index.Contents // of pending, by id
	broken  error                     // of a write, after which bleve is not asked again

	mu    sync.RWMutex // read-held by searches; held to exchange view or close
	store *store       // nil once closed
	view  *view
}

var _ search.Engine = (*Index)(nil)

// Create makes an empty index in dir, which must be absent, empty, left by a
// building that was cut short, or hold a damaged index. The index counts as complete once Close has
// returned without error.
func Create(dir string, params index.Params) (*Index, error) {
	x, err := create(dir, params)
	if err != nil {
		return nil, fmt.Errorf("live: create %s: %w", dir, err)
	}
	return x, nil
}

func create(dir string, params index.Params) (*Index, error) {
	if err := params.Validate(); err != nil {
		return nil, err
	}
	c, err := claim(dir)
	if err != nil {
		return nil, err
	}
	x, err := start(dir, true, newMeta(params))
	if err != nil {
		return nil, errors.Join(err, c.Abandon())
	}
	x.claim = c
	return x, nil
}

// Open opens the complete index in dir for searching. It fails with [index.ErrBusy] if
// a process that adds documents does not finish within a second, and with
// [index.ErrIncomplete] if the index was never finished. It fails with [index.ErrDamaged] if
// the files do not hold the documents that index.json counts, or, in an index of
// up to 1 GiB, are not those that were written. Damage that shows only later
// makes searches fail with it.
func Open(dir string) (*Index, error) { return open(dir, false) }

// Grow opens the complete index in dir for adding documents and searching. It
// fails with [index.ErrBusy] while any other process has the index open. Batches are
// safe on disk one by one: a process that dies loses the documents since its
// last Flush and nothing else.
func Grow(dir string) (*Index, error) { return open(dir, true) }

func open(dir string, writable bool) (*Index, error) {
	m, err := readMeta(dir)
	if err == nil {
		var x *Index
		if x, err = openComplete(dir, writable, m); err == nil {
			return x, nil
		}
	}
	return nil, fmt.Errorf("live: open %s: %w", dir, err)
}

// openComplete opens the store of a complete index, which must hold what
// index.json says.
func openComplete(dir string, writable bool, m meta) (*Index, error) {
	info, err := os.Stat(filepath.Join(dir, storeFolder, storeRoot))
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 { // bleve would begin a new one
		return nil, index.Damaged("its %s/%s is missing or empty", storeFolder, storeRoot)
	}
	x, err := start(dir, writable, m)
	if err != nil {
		return nil, err
	}
	if err := m.matches(x.view); err != nil {
		x.release()
		return nil, err
	}
	return x, nil
}

func start(dir string, writable bool, m meta) (*Index, error) {
	s, err := openStore(dir, writable)
	if err != nil {
		return nil, err
	}
	x := &Index{dir: dir, writable: writable, meta: m, store: s, pending: bleve.NewBatch(), added: make(map[string]index.Contents)}
	if err = guarded(s.check); err == nil {
		x.view, err = newView(s, m.Params)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return x, nil
}

// Add adds a document, in place of the one with its id if there is one. It is
// found by searches once Flush or Close has returned, or earlier.
func (x *Index) Add(doc search.Document) error {
	x.adding.Lock()
	defer x.adding.Unlock()
	if err := x.add(doc); err != nil {
		return fmt.Errorf("live: add %q to %s: %w", doc.ID, x.dir, err)
	}
	return nil
}

func (x *Index) add(doc search.Document) error {
	switch {
	case !x.writable:
		return errors.New("it is open for searching only")
	case doc.ID == "":
		return errors.New("the id is empty")
	}
	x.pending.Update(newDocument(doc))
	x.added[doc.ID] = index.SumOf(doc)
	x.bytes += documentBytes + len(doc.ID) + len(doc.Title) + len(doc.Text) + len(doc.URL)
	if x.bytes < batchBytes {
		return nil
	}
	return x.flush()
}

// Flush writes what was added to disk and shows it to searches.
func (x *Index) Flush() error {
	x.adding.Lock()
	defer x.adding.Unlock()
	if err := x.flush(); err != nil {
		return fmt.Errorf("live: write %s: %w", x.dir, err)
	}
	return nil
}

// flush needs x.adding, under which the store stays open.
func (x *Index) flush() error {
	if x.store == nil {
		return index.ErrClosed
	}
	if x.broken != nil || x.bytes == 0 {
		return x.broken
	}
	sum, err := x.store.contentsWith(x.added)
	if err != nil {
		return err
	}
	x.pending.SetInternal(contentsKey, sum[:])
	if err := x.store.Batch(x.pending); err != nil {
		x.broken = fmt.Errorf("%w (is the disk full?)", err)
		return x.broken
	}
	x.pending, x.bytes = bleve.NewBatch(), 0
	clear(x.added)
	x.stale.Store(true)
	return nil
}

// Close writes what was added and closes the index. Searches under way finish
// first; later ones fail with [index.ErrClosed]. Closing twice is an error.
func (x *Index) Close() error {
	x.adding.Lock()
	defer x.adding.Unlock()
	if err := x.close(); err != nil {
		return fmt.Errorf("live: close %s: %w", x.dir, err)
	}
	return nil
}

func (x *Index) close() error {
	err := x.flush()
	if err == nil && x.writable {
		err = x.describe()
	}
	if err = errors.Join(err, x.release()); err != nil || !x.writable {
		return errors.Join(err, x.giveUp())
	}
	if x.claim == nil {
		return index.WriteMeta(x.dir, x.meta)
	}
	if err := x.claim.Finish(x.meta); err != nil {
		return errors.Join(err, x.claim.Release())
	}
	return nil
}

// describe brings the counts of meta up to date.
func (x *Index) describe() error {
	v, err := x.borrow()
	if err != nil {
		return err
	}
	defer x.mu.RUnlock()
	x.meta.Stats = v.stats(x.meta.Source)
	return nil
}

// giveUp leaves an index that is new incomplete.
func (x *Index) giveUp() error {
	if x.claim == nil {
		return nil
	}
	return x.claim.Release()
}

// release lets go of the store.
func (x *Index) release() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.store == nil {
		return index.ErrClosed
	}
	err := errors.Join(x.view.close(), x.store.close())
	x.store, x.view = nil, nil
	return err
}

// borrow returns a view of all that was flushed. Unless it fails, the caller has
// x.mu read-locked and must unlock it.
func (x *Index) borrow() (*view, error) {
	for {
		x.mu.RLock()
		if x.store == nil {
			x.mu.RUnlock()
			return nil, index.ErrClosed
		}
		if !x.stale.Load() {
			return x.view, nil
		}
		x.mu.RUnlock()
		if err := x.refresh(); err != nil {
			return nil, err
		}
	}
}

// refresh exchanges a view that lags behind for a new one.
func (x *Index) refresh() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.store == nil || !x.stale.Swap(false) {
		return nil
	}
	v, err := newView(x.store, x.meta.Params)
	if err != nil {
		x.stale.Store(true)
		return err
	}
	old := x.view
	x.view = v
	return old.close()
}

// Search implements [search.Engine].
func (x *Index) Search(ctx context.Context, query string, n int) ([]search.Hit, error) {
	v, err := x.borrow()
	if err == nil {
		defer x.mu.RUnlock()
		var hits []search.Hit
		if hits, err = v.search(ctx, query, n); err == nil {
			return hits, nil
		}
	}
	return nil, fmt.Errorf("live: search %s: %w", x.dir, err)
}

// Get returns the document with the id, if the index has it.
func (x *Index) Get(id string) (search.Document, bool, error) {
	v, err := x.borrow()
	if err != nil {
		return search.Document{}, false, fmt.Errorf("live: get %q from %s: %w", id, x.dir, err)
	}
	defer x.mu.RUnlock()
	doc, ok, err := v.get(id)
	if err != nil {
		return search.Document{}, false, fmt.Errorf("live: get %q from %s: %w", id, x.dir, err)
	}
	return doc, ok, nil
}

// Stats describes the index as searches see it.
func (x *Index) Stats() (index.Stats, error) {
	v, err := x.borrow()
	if err != nil {
		return index.Stats{}, fmt.Errorf("live: stats of %s: %w", x.dir, err)
	}
	defer x.mu.RUnlock()
	return v.stats(x.meta.Source), nil
}
