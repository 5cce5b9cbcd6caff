package feature

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"unicode/utf8"

	"trawl/agent/llm"
	"trawl/internal/text"
)

// A flight is one call of [Table.Rows] at work on texts that no other is at work
// on. done is closed when it has made their vectors, or given up.
type flight struct{ done chan struct{} }

// An item is a text to embed, or to find in the cache at row stored, if that is
// not negative.
type item struct {
	text   string
	key    key
	stored int32
}

// Rows returns the row of every text, having embedded those that have none. When
// it fails, it has kept the vectors of all batches that did not, so that the next
// call goes on from there. Rows that were returned stay valid.
func (t *Table) Rows(ctx context.Context, texts []string) ([]int32, error) {
	texts, keys := t.prepare(texts)
	rows := make([]int32, len(texts))
	for {
		own, items, others := t.claim(texts, keys, rows)
		if len(items) > 0 {
			err := t.fill(ctx, items)
			t.release(own, items)
			if err != nil {
				return nil, err
			}
		}
		if len(items) == 0 && len(others) == 0 {
			return rows, nil
		}
		for _, f := range others {
			select {
			case <-f.done:
			case <-ctx.Done():
				return nil, fmt.Errorf("feature: %w", ctx.Err())
			}
		}
	}
}

// prepare cuts the texts and hashes them.
func (t *Table) prepare(texts []string) ([]string, []key) {
	cut := texts
	if t.chars > 0 {
		cut = make([]string, len(texts))
		for i, s := range texts {
			cut[i] = text.FirstChars(s, t.chars)
		}
	}
	keys := make([]key, len(cut))
	for i, s := range cut {
		keys[i] = keyOf(s)
	}
	return cut, keys
}

// claim sets the rows of texts that have one, begins a flight for those that are
// nobody's yet, and returns the flights of others that have the rest.
func (t *Table) claim(texts []string, keys []key, rows []int32) (own *flight, items []item, others []*flight) {
	t.mu.Lock()
	defer t.mu.Unlock()
	own = &flight{done: make(chan struct{})}
	seen := make(map[*flight]bool)
	for i, k := range keys {
		if texts[i] == "" {
			rows[i] = NoText
			continue
		}
		row, known := t.rows[k]
		if known && (t.cache == nil || t.cache.checked(row)) {
			rows[i] = row
			continue
		}
		if f := t.flights[k]; f != nil {
			if f != own && !seen[f] {
				seen[f] = true
				others = append(others, f)
			}
			continue
		}
		if !known {
			row = -1
		}
		t.flights[k] = own
		items = append(items, item{text: texts[i], key: k, stored: row})
	}
	return own, items, others
}

// release ends a flight.
func (t *Table) release(own *flight, items []item) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, it := range items {
		delete(t.flights, it.key)
	}
	close(own.done)
}

// fill gives every item a row. What the cache holds is checked the first time
// that it is asked for; what is damaged is embedded like what is missing.
func (t *Table) fill(ctx context.Context, items []item) error {
	missing := items[:0:0]
	for _, it := range items {
		if it.stored < 0 || !t.recall(it) {
			missing = append(missing, it)
		}
	}
	for done := 0; done < len(missing); {
		wave := missing[done:min(len(missing), done+t.batch*t.parallel)]
		kept, err := t.embed(ctx, wave)
		done += kept
		if err != nil {
			return fmt.Errorf("feature: embed with %s: %d of %d texts done: %w", t.name, done, len(missing), err)
		}
	}
	return nil
}

// recall reports whether the cache holds the vector of an item undamaged.
func (t *Table) recall(it item) bool {
	ok := t.cache.check(it.stored, it.key)
	t.mu.Lock()
	defer t.mu.Unlock()
	if ok {
		t.cache.pass(it.stored)
		return true
	}
	delete(t.rows, it.key)
	t.counts.Dropped++
	return false
}

// embed sends one batch for each of the calls that may be under way at a time,
// keeps the vectors of those that succeed, in order, and returns how many these
// are.
func (t *Table) embed(ctx context.Context, items []item) (kept int, err error) {
	batches := (len(items) + t.batch - 1) / t.batch
	vectors := make([][][]float32, batches)
	errs := make([]error, batches)
	part := func(b int) []item { return items[b*t.batch : min(len(items), (b+1)*t.batch)] }
	var wg sync.WaitGroup
	for b := range batches {
		wg.Go(func() { vectors[b], errs[b] = t.request(ctx, part(b)) })
	}
	wg.Wait()
	for b := range batches {
		if errs[b] == nil {
			errs[b] = t.keep(part(b), vectors[b])
		}
		if errs[b] == nil {
			kept += len(part(b))
		} else if err == nil {
			err = errs[b]
		}
	}
	return kept, err
}

// request calls the embedder for one batch.
func (t *Table) request(ctx context.Context, items []item) ([][]float32, error) {
	texts := make([]string, len(items))
	longest := 0
	for i, it := range items {
		texts[i] = it.text
		if len(it.text) > len(texts[longest]) {
			longest = i
		}
	}
	vectors, err := t.embedder.Embed(ctx, texts)
	switch {
	case errors.Is(err, llm.ErrContextLength):
		return nil, fmt.Errorf("%w; limit the characters of a text: the longest of this batch has %d and begins %q",
			err, utf8.RuneCountInString(texts[longest]), beginning(texts[longest]))
	case err != nil:
		return nil, err
	case len(vectors) != len(items):
		return nil, fmt.Errorf("the embedder gave %d vectors for %d texts", len(vectors), len(items))
	}
	return vectors, nil
}

// keep stores the vectors of one batch and gives their texts rows.
func (t *Table) keep(items []item, vectors [][]float32) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	dims := t.dims
	if dims == 0 && len(vectors) > 0 {
		dims = len(vectors[0])
	}
	packed := make([]byte, 0, len(items)*2*dims)
	for i, v := range vectors {
		var err error
		if packed, err = pack(packed, v, dims); err != nil {
			return fmt.Errorf("the vector of the text that begins %q %w", beginning(items[i].text), err)
		}
	}
	first, err := t.store(items, packed, dims)
	if err != nil {
		return err
	}
	t.dims = dims
	for i, it := range items {
		t.rows[it.key] = int32(first + i)
	}
	t.counts.Embedded += len(items)
	return nil
}

// store appends vectors to the cache, or to memory, and returns the first row.
func (t *Table) store(items []item, packed []byte, dims int) (first int, err error) {
	behind := 0 // rows of the cache, which those in memory come after
	if t.cache != nil {
		behind = t.cache.len()
	}
	if behind+t.slabs.len()+len(items) > math.MaxInt32 {
		return 0, errors.New("the table is full: it has 2³¹-1 rows")
	}
	if t.cache == nil || t.cache.readOnly() {
		return behind + t.slabs.append(packed, 2*dims), nil
	}
	keys := make([]key, len(items))
	for i, it := range items {
		keys[i] = it.key
	}
	return t.cache.append(keys, packed, dims)
}

// pack appends v at unit length in float16 to dst. A zero vector stays.
func pack(dst []byte, v []float32, dims int) ([]byte, error) {
	if len(v) == 0 || len(v) != dims || dims > maxDims {
		return nil, fmt.Errorf("has %d numbers; want %d, at most %d", len(v), dims, maxDims)
	}
	square := 0.0
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	if math.IsNaN(square) || math.IsInf(square, 0) {
		return nil, errors.New("has a number that is NaN or infinite")
	}
	scale := 1.0
	if square > 0 {
		scale = 1 / math.Sqrt(square)
	}
	for _, x := range v {
		h, ok := half(float32(float64(x) * scale))
		if !ok {
			return nil, fmt.Errorf("has the number %v, which no float16 holds", x)
		}
		dst = append(dst, byte(h), byte(h>>8))
	}
	return dst, nil
}

// beginning returns what an error shows of a text.
func beginning(s string) string { return text.Truncate(s, 60) }
