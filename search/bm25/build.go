package bm25

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"runtime"

	"golang.org/x/sync/errgroup"

	"trawl/search"
	"trawl/search/index"
)

// progressEvery is after how many documents progress is told.
const progressEvery = 1000

// DefaultMemory is what a building takes unless it is told otherwise.
const DefaultMemory = 2 << 30

// Options say how to build an index.
type Options struct {
	Params  index.Params // taken literally; see [index.DefaultParams]
	Memory  int64        // bytes that the building may take; default [DefaultMemory]
	Source  string       // what the documents are, for index.json; may be empty
	Workers int          // default one for each core that Go uses

	// Progress is called after every thousand documents, after every percent of
	// the merging, and at the end, once at a time; may be nil.
	Progress func(Progress)

	window int // documents in a window; default windowSize
}

// A Progress is how far a building is. Both numbers only grow, the first one
// before the second.
type Progress struct {
	Documents int     // that were read
	Merged    float64 // share of their postings that the index's files hold; 1 is the end
}

func (o Options) withDefaults() Options {
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	if o.Workers < 1 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	if o.window == 0 {
		o.window = windowSize
	}
	return o
}

// Build makes an index of the documents in dir, which must be absent, empty,
// left by a building that was cut short, or hold a damaged index. The same
// documents in the same order give the same files, on any number of workers;
// how texts are compressed may differ between kinds of processors.
//
// Documents are analysed in windows, as many at once as Memory has room for. Its
// half is planned with, since the other is what the garbage collector may leave
// uncollected; a program that wants the bound kept strictly sets Go's soft limit
// (debug.SetMemoryLimit) to it. Besides, the ids of all documents and some 16
// bytes for each stay in memory. On its way a building takes as much disk as
// the index's postings once more.
//
// It fails for a document without id or with that of an earlier one, and if
// Memory has no room for one window. When it fails, be it for an error among
// docs, it leaves the folder empty. A process that dies in it leaves an
// incomplete index, which Build starts anew.
func Build(ctx context.Context, dir string, docs iter.Seq2[search.Document, error], opts Options) (Stats, error) {
	stats, err := build(ctx, dir, docs, opts.withDefaults())
	if err != nil {
		return Stats{}, fmt.Errorf("bm25: build %s: %w", dir, err)
	}
	return stats, nil
}

func build(ctx context.Context, dir string, docs iter.Seq2[search.Document, error], opts Options) (Stats, error) {
	if err := opts.Params.Validate(); err != nil {
		return Stats{}, err
	}
	c, err := claim(dir)
	if err != nil {
		return Stats{}, err
	}
	b := &builder{dir: dir, opts: opts, ids: newIDs(), budget: newBudget(opts.Memory / 2)}
	b.meta = meta{Format: index.Static.Format, Version: index.Static.Version, Window: opts.window, Files: make(map[string]fileSum)}
	b.meta.Params, b.meta.Source = opts.Params, opts.Source
	err = b.invert(ctx, docs)
	if err == nil {
		err = b.join(ctx)
	}
	if err == nil {
		err = finish(c, dir, b.meta)
	}
	if err != nil {
		return Stats{}, errors.Join(err, c.Abandon())
	}
	opts.Progress(Progress{b.meta.Documents, 1})
	return b.meta.Stats, nil
}

// A builder is a building under way.
type builder struct {
	dir    string
	opts   Options
	meta   meta
	ids    *ids
	budget *budget
	runs   int

	// Of the file of texts, by whichever worker's turn it is.
	texts  *outFile
	starts []uint64
	firsts []uint32
	sum    [32]byte

	postings uint64 // in the runs
}

// A docWindow is the documents of a window on their way to a worker.
type docWindow struct {
	number   int
	first    uint32
	docs     []search.Document
	reserved int64
	turn     <-chan struct{} // closed when what comes before is written
	done     chan struct{}   // the next one's turn
}

// invert turns the documents into runs and texts.
func (b *builder) invert(ctx context.Context, docs iter.Seq2[search.Document, error]) (err error) {
	if b.texts, err = createFile(b.dir, textsFile, false); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	windows := make(chan *docWindow)
	g.Go(func() error {
		defer close(windows)
		return b.read(ctx, docs, windows)
	})
	for range b.opts.Workers {
		g.Go(func() error { return b.work(ctx, windows) })
	}
	err = g.Wait()
	sum, closed := b.texts.close()
	b.meta.Files[textsFile] = sum
	b.starts = append(b.starts, uint64(sum.Size))
	b.meta.SHA256 = hex.EncodeToString(b.sum[:])
	return errors.Join(err, closed)
}

// read deals the documents out in windows.
func (b *builder) read(ctx context.Context, docs iter.Seq2[search.Document, error], windows chan<- *docWindow) error {
	turn := make(chan struct{})
	close(turn)
	var w *docWindow
	send := func() error {
		b.runs++
		turn = w.done
		select {
		case windows <- w:
			w = nil
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for doc, err := range docs {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && w == nil {
			w = &docWindow{number: b.runs, first: uint32(b.meta.Documents), turn: turn, done: make(chan struct{})}
		}
		if err == nil {
			err = b.take(ctx, w, doc)
		}
		if err == nil && len(w.docs) == b.opts.window {
			err = send()
		}
		if err != nil {
			return err
		}
	}
	if w == nil {
		return nil
	}
	return send()
}

// take puts a document into a window.
func (b *builder) take(ctx context.Context, w *docWindow, doc search.Document) error {
	switch {
	case doc.ID == "":
		return fmt.Errorf("document %d has no id", b.meta.Documents+1)
	case b.meta.Documents == maxDocuments:
		return fmt.Errorf("more than %d documents", maxDocuments)
	}
	if err := b.ids.add(doc.ID); err != nil {
		return err
	}
	need := costOf(doc)
	if len(w.docs) == 0 {
		need += windowCost
	}
	if err := b.budget.reserve(ctx, need, w.reserved, int64(len(doc.ID))+idCost); err != nil {
		return err
	}
	w.reserved += need
	w.docs = append(w.docs, doc)
	if b.meta.Documents++; b.meta.Documents%progressEvery == 0 {
		b.opts.Progress(Progress{Documents: b.meta.Documents})
	}
	return nil
}

// work turns windows into runs, and writes their texts when it is their turn.
func (b *builder) work(ctx context.Context, windows <-chan *docWindow) error {
	v := newInverter(b.dir, b.ids.seed)
	for w := range windows {
		out, err := v.invert(w)
		if err != nil {
			return err
		}
		select {
		case <-w.turn:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := b.append(out); err != nil {
			return err
		}
		close(w.done)
		b.budget.release(w.reserved)
	}
	return ctx.Err()
}

// append adds what a window became to that of those before it.
func (b *builder) append(out *inverted) error {
	for i, start := range out.starts {
		b.starts = append(b.starts, uint64(b.texts.sum.Size)+uint64(start))
		b.firsts = append(b.firsts, out.firsts[i])
	}
	b.meta.Terms += out.total[byContent]
	b.meta.AllTerms += out.total[byAll]
	b.postings += uint64(out.postings)
	for i := range b.sum {
		b.sum[i] ^= out.sum[i]
	}
	_, err := b.texts.Write(out.texts)
	return err
}
