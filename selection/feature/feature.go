// Package feature gives the nodes of the selector's graphs their vectors: a
// [Table] embeds every distinct text once, in batches, and keeps what an
// [llm.Embedder] made of it, in memory or in a folder that later runs read.
//
// As in the paper, vectors have unit length, are stored as float16 and read as
// float32, and an empty text is never embedded: it is the zero vector
// (SEL §A.4). A text is known by the SHA-256 of its bytes; an embedder by a name
// that covers all that decides a vector (see [EndpointName]), so that vectors of
// two embedders never meet, in a cache or under a checkpoint.
//
// A row of a Table with a folder is read from its file when it is asked for, so
// that a table may be many times larger than memory: a million texts of 4096
// numbers are 8.2 GB on disk and under 100 MB here. The system's cache keeps in
// memory what there is room for; a read from it costs 0.7 µs more than one from a
// slice. (Mapping the file would save most of that, and would make a file that
// shrinks or a disk that fails end the process instead of [Table.Err] saying so.)
// FORMAT.md describes the file.
//
// One process writes to a folder at a time. A Table that finds it taken reads
// what is there and keeps what it adds in memory ([Counts].Note says so). A
// Table is safe for concurrent use, and embeds a text once however many
// goroutines ask for it.
package feature

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"

	"trawl/agent/llm"
)

// NoText is the row of the empty text: the zero vector.
const NoText int32 = -1

// Options say whose vectors a [Table] holds and where.
type Options struct {
	Name       string // of the embedder, for all that decides a vector; required
	Dims       int    // that every vector must have; default: those of the first one seen
	Cache      string // folder for the caches of all embedders; "" keeps vectors in memory only
	Chars      int    // of a text that are embedded, the rest is cut off; default all
	Batch      int    // texts in one call of the embedder; default 64
	Concurrent int    // calls of the embedder at a time; default 4
}

// A key stands for a text: the first half of its SHA-256, of which two texts
// share one with a chance of 2⁻⁸⁸ among a trillion.
type key [16]byte

func keyOf(text string) key {
	sum := sha256.Sum256([]byte(text))
	return key(sum[:])
}

// A Table maps texts to rows, and rows to vectors.
type Table struct {
	embedder llm.Embedder
	name     string
	chars    int
	batch    int
	parallel int

	cache *cache // nil: memory only
	slabs slabs

	mu      sync.Mutex
	dims    int // 0: not known yet
	rows    map[key]int32
	flights map[key]*flight
	counts  Counts

	faults fault
}

// Counts is what a [Table] came to.
type Counts struct {
	Rows     int    // texts that have a vector
	Stored   int    // texts that had one in the cache when it was opened
	Embedded int    // vectors that the embedder made
	Dropped  int    // records of the cache that were damaged; their texts are embedded anew
	Torn     int64  // bytes of an unfinished record that were cut off the cache
	Note     string // what a person should know about the cache; usually ""
}

// New opens a table for the vectors of e.
func New(e llm.Embedder, o Options) (*Table, error) {
	if o.Name == "" {
		return nil, errors.New("feature: the embedder has no name; without one its vectors cannot be told from another's")
	}
	if o.Dims < 0 || o.Dims > maxDims || o.Chars < 0 {
		return nil, fmt.Errorf("feature: %s: %d dimensions and %d characters asked for; want 0 to %d, and 0 or more", o.Name, o.Dims, o.Chars, maxDims)
	}
	t := &Table{
		embedder: e,
		name:     o.Name,
		chars:    o.Chars,
		batch:    o.Batch,
		parallel: o.Concurrent,
		dims:     o.Dims,
		rows:     make(map[key]int32),
		flights:  make(map[key]*flight),
	}
	if t.batch <= 0 {
		t.batch = 64
	}
	if t.parallel <= 0 {
		t.parallel = 4
	}
	if t.chars > 0 {
		t.name += fmt.Sprintf("/chars=%d", t.chars)
	}
	if o.Cache == "" {
		return t, nil
	}
	if err := t.openCache(o.Cache); err != nil {
		return nil, fmt.Errorf("feature: %w", err)
	}
	return t, nil
}

// openCache takes over what the cache holds.
func (t *Table) openCache(root string) error {
	c, keys, err := openCache(root, t.name, t.dims)
	if err != nil {
		return err
	}
	t.cache = c
	t.dims = c.dims
	for row, k := range keys {
		if k != (key{}) {
			t.rows[k] = int32(row) // of records for one text, the last
		}
	}
	t.counts = c.counts
	t.counts.Stored = len(t.rows)
	return nil
}

// Name returns the name of the embedder together with the limit of characters,
// if there is one: what a checkpoint remembers.
func (t *Table) Name() string { return t.name }

// Dims returns how many numbers a vector has. It is 0 as long as nobody knows:
// no vector was seen, in the cache or from the embedder, and none was asked for.
func (t *Table) Dims() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dims
}

// Counts returns what the table came to so far.
func (t *Table) Counts() Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.counts
	c.Rows = len(t.rows)
	return c
}

const badRow = "feature: no such row, or a vector of another length"

// Read sets dst to the vector of a row that [Table.Rows] gave; [NoText] is zeros.
// dst has [Table.Dims] numbers. A row that cannot be read from disk is zeros,
// and [Table.Err] says so.
func (t *Table) Read(row int32, dst []float32) {
	if row == NoText {
		clear(dst)
		return
	}
	if t.cache == nil {
		t.slabs.read(int(row), dst)
		return
	}
	n := t.cache.len()
	if int(row) >= n {
		t.slabs.read(int(row)-n, dst)
		return
	}
	if err := t.cache.read(int(row), dst); err != nil {
		clear(dst)
		t.faults.set(fmt.Errorf("feature: row %d: %w", row, err))
	}
}

// Err returns the first fault of the disk that [Table.Read] met, if there was one.
func (t *Table) Err() error { return t.faults.get() }

// Close puts the cache on disk and lets go of it. The table is not used again.
func (t *Table) Close() error {
	if t.cache == nil {
		return nil
	}
	if err := t.cache.close(); err != nil {
		return fmt.Errorf("feature: %w", err)
	}
	return nil
}

// Probe asks e for the vector of a word, to see how many numbers it has.
func Probe(ctx context.Context, e llm.Embedder) (dims int, err error) {
	vectors, err := e.Embed(ctx, []string{"word"})
	if err != nil {
		return 0, fmt.Errorf("feature: probe the embedder: %w", err)
	}
	if len(vectors) != 1 || len(vectors[0]) == 0 || len(vectors[0]) > maxDims {
		return 0, errors.New("feature: probe the embedder: no vector for a word")
	}
	return len(vectors[0]), nil
}

// A fault keeps the first error.
type fault struct {
	mu  sync.Mutex
	err error
}

func (f *fault) set(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
}

func (f *fault) get() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}
