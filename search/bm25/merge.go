package bm25

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"unsafe"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// batchBytes returns how many bytes of runs make a batch, unless one term has
// more, when limit bytes are planned for.
func batchBytes(limit int64, workers int) int {
	return int(min(max(limit/16/int64(workers+spareBatches), 16<<10), 1<<20))
}

// spareBatches are those that are filled or written while each worker encodes one.
const spareBatches = 2

// A merger makes dictionary and postings out of the runs. One goroutine merges
// them by term into batches, others encode, one writes in order.
type merger struct {
	*builder
	layout  layout
	norms   [classes]*norms
	lengths [classes]column
	told    uint64              // percent of postings
	room    *semaphore.Weighted // for batches
}

// A batch is some terms that follow each other, as they stand in the runs, and
// then as lists.
type batch struct {
	terms []mergedTerm
	names []byte
	parts []part
	data  []byte // of the parts

	postings []posting
	lists    []byte
	reserved int64
	encoded  chan struct{} // has room for one
}

// A mergedTerm is a term, its parts in the order of documents, and its list; all
// end where the next begins. df counts a document for each run that has it, until
// there is a list.
type mergedTerm struct {
	class                   class
	df                      int
	nameEnd, parts, listEnd int
}

// A part is what a run of a window has of a term.
type part struct{ window, end int }

// merge writes the files of terms and postings.
func (m *merger) merge(ctx context.Context) error {
	m.room = semaphore.NewWeighted(m.opts.merging)
	readers, err := m.open()
	if err != nil {
		return err
	}
	return m.pipe(ctx, readers)
}

// open reads the first term of each run. Those that one inverter wrote are in
// one file, so that their number is no matter.
func (m *merger) open() (runHeap, error) {
	buffer := int(min(max(m.opts.Memory/8/int64(max(len(m.runs), 1)), 4<<10), 1<<20))
	readers := make(runHeap, len(m.runs))
	for i, r := range m.runs {
		readers[i] = newRunReader(i, r, buffer)
		if err := readers[i].next(); err != nil { // none is empty
			return nil, fmt.Errorf("%s: %w", r.file.Name(), err)
		}
	}
	heap.Init(&readers)
	return readers, nil
}

// pipe sends batches from the runs through the encoders to the files.
func (m *merger) pipe(ctx context.Context, readers runHeap) error {
	g, ctx := errgroup.WithContext(ctx)
	n := m.opts.Workers + spareBatches
	free, jobs, ordered := make(chan *batch, n), make(chan *batch, n), make(chan *batch, n)
	for range n {
		free <- &batch{encoded: make(chan struct{}, 1)}
	}
	g.Go(func() error {
		defer close(jobs)
		defer close(ordered)
		for len(readers) > 0 {
			select {
			case b := <-free:
				err := b.fill(&readers, m.opts.batchBytes)
				if err == nil {
					b.reserved = min(b.need(), m.opts.merging)
					err = m.room.Acquire(ctx, b.reserved)
				}
				if err != nil {
					return err
				}
				jobs <- b
				ordered <- b
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for range m.opts.Workers {
		g.Go(func() error {
			for b := range jobs {
				m.encode(b)
				b.encoded <- struct{}{}
			}
			return nil
		})
	}
	g.Go(func() error { return m.write(ctx, ordered, free) })
	return g.Wait()
}

// fill takes terms from the runs until the batch is full.
func (b *batch) fill(readers *runHeap, full int) (err error) {
	b.reset(full)
	for len(*readers) > 0 && b.size() < full {
		first := (*readers)[0]
		t := mergedTerm{class: first.class}
		start := len(b.names)
		b.names = append(b.names, first.term...)
		name := b.names[start:]
		for len(*readers) > 0 {
			r := (*readers)[0]
			if r.class != t.class || !bytes.Equal(r.term, name) {
				break
			}
			t.df += r.df
			if b.data, err = r.postings(b.data); err != nil {
				return err
			}
			b.parts = append(b.parts, part{r.run.window, len(b.data)})
			if err := readers.advance(); err != nil {
				return err
			}
		}
		t.nameEnd, t.parts = len(b.names), len(b.parts)
		b.terms = append(b.terms, t)
	}
	return nil
}

// size returns what the runs gave, in bytes.
func (b *batch) size() int {
	return len(b.data) + len(b.names) + int(unsafe.Sizeof(part{}))*len(b.parts) + int(unsafe.Sizeof(mergedTerm{}))*len(b.terms)
}

// need returns what the batch takes until it is written: what the runs gave,
// the postings of one term at a time, and the lists, of a few bytes for each
// posting more than in the runs.
func (b *batch) need() int64 {
	all, most := 0, 0
	for _, t := range b.terms {
		all, most = all+t.df, max(most, t.df)
	}
	return int64(2*b.size()) + int64(unsafe.Sizeof(posting{}))*int64(most) + 3*int64(all)
}

// reset empties the batch. It lets go of what a frequent term took.
func (b *batch) reset(full int) {
	if cap(b.data)+cap(b.names)+cap(b.lists)+int(unsafe.Sizeof(posting{}))*cap(b.postings) > 4*full {
		b.data, b.names, b.lists, b.postings = nil, nil, nil, nil
	}
	b.terms, b.names, b.parts, b.data, b.lists = b.terms[:0], b.names[:0], b.parts[:0], b.data[:0], b.lists[:0]
}

// encode makes the lists of the batch.
func (m *merger) encode(b *batch) {
	at, nextPart := 0, 0
	for i := range b.terms {
		t := &b.terms[i]
		b.postings = slices.Grow(b.postings[:0], t.df)
		for _, p := range b.parts[nextPart:t.parts] {
			b.postings = appendRunPostings(b.postings, b.data[at:p.end], uint32(p.window*m.layout.window))
			at = p.end
		}
		nextPart, t.df = t.parts, len(b.postings)
		b.lists = appendList(b.lists, m.layout, b.postings, m.norms[t.class], m.lengths[t.class])
		t.listEnd = len(b.lists)
	}
}

// write writes the batches in order.
func (m *merger) write(ctx context.Context, ordered <-chan *batch, free chan<- *batch) error {
	terms, err := createFile(m.dir, termsFile, true)
	if err != nil {
		return err
	}
	postings, err := createFile(m.dir, postingsFile, false)
	if err != nil {
		_, closed := terms.close()
		return errors.Join(err, closed)
	}
	dictionary := newTermsWriter(terms)
	err = m.writeBatches(ctx, ordered, free, dictionary, postings)
	if err == nil {
		err = dictionary.close()
	}
	var closed [2]error
	m.meta.Files[termsFile], closed[0] = terms.close()
	m.meta.Files[postingsFile], closed[1] = postings.close()
	return errors.Join(err, closed[0], closed[1])
}

func (m *merger) writeBatches(ctx context.Context, ordered <-chan *batch, free chan<- *batch, dictionary *termsWriter, postings io.Writer) error {
	for b := range ordered {
		select {
		case <-b.encoded:
		case <-ctx.Done():
			return ctx.Err()
		}
		name, list := 0, 0
		for _, t := range b.terms {
			if err := dictionary.add(b.names[name:t.nameEnd], t.class, t.df, t.listEnd-list); err != nil {
				return err
			}
			name, list = t.nameEnd, t.listEnd
			m.meta.Postings += uint64(t.df)
		}
		m.meta.DistinctTerms += uint64(len(b.terms))
		if _, err := postings.Write(b.lists); err != nil {
			return err
		}
		m.room.Release(b.reserved)
		free <- b
		m.tell()
	}
	return ctx.Err()
}

// tell tells progress when another percent of the postings is merged. The end is
// another's to tell.
func (m *merger) tell() {
	if percent := 100 * m.meta.Postings / m.postings; percent > m.told && percent < 100 {
		m.told = percent
		m.opts.Progress(Progress{m.meta.Documents, float64(percent) / 100})
	}
}

// A runHeap has the run in front whose term comes first, of the earliest documents.
type runHeap []*runReader

// Len, Less, Swap, Push and Pop implement [heap.Interface].
func (h runHeap) Len() int { return len(h) }
func (h runHeap) Less(i, j int) bool {
	a, b := h[i], h[j]
	return cmp.Or(bytes.Compare(a.term, b.term), cmp.Compare(a.class, b.class), cmp.Compare(a.number, b.number)) < 0
}
func (h runHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *runHeap) Push(x any)   { *h = append(*h, x.(*runReader)) }
func (h *runHeap) Pop() any {
	last := len(*h) - 1
	r := (*h)[last]
	*h = (*h)[:last]
	return r
}

// advance goes on to the next term of the run in front, and drops a run that has
// none left.
func (h *runHeap) advance() error {
	r := (*h)[0]
	switch err := r.next(); {
	case err == io.EOF:
		heap.Pop(h)
		return nil
	case err != nil:
		return err
	}
	heap.Fix(h, 0)
	return nil
}
