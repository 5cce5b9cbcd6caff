package bm25

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime"

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
	// the merging, and at the end, once at a time. A number of documents may be
	// told more than once. May be nil.
	Progress func(Progress)

	// For tests.
	window           int   // documents in a window; default windowSize
	inverter         int64 // bytes of an inverter; default by Memory and Workers
	maxDocuments     int   // default maxDocuments
	maxDocumentBytes int64 // default maxDocumentBytes
	batchBytes       int   // default by Memory and Workers
	merging          int64 // bytes that batches may take together; default half of what is planned with
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
	o.window = cmp.Or(o.window, windowSize)
	o.inverter = cmp.Or(o.inverter, inverterBytes(o.Memory/2, o.Workers))
	o.maxDocuments = int(min(int64(cmp.Or(o.maxDocuments, maxDocuments)), int64(o.window)*maxWindows))
	o.maxDocumentBytes = cmp.Or(o.maxDocumentBytes, maxDocumentBytes)
	o.batchBytes = cmp.Or(o.batchBytes, batchBytes(o.Memory/2, o.Workers))
	o.merging = cmp.Or(o.merging, max(o.Memory/4, 1))
	return o
}

// Build makes an index of the documents in dir, which must be absent, empty,
// left by a building that was cut short, or hold a damaged index. The same
// documents in the same order give the same files, on any number of workers;
// how texts are compressed may differ between kinds of processors.
//
// Documents are analysed by Workers goroutines, or as few as Memory has room for.
// Its half is planned with, since the other is what the garbage collector may
// leave uncollected; a program that wants the bound kept strictly sets Go's soft
// limit (debug.SetMemoryLimit) to it. What grows with the number of documents is
// within Memory while they are read: some 20 bytes for each and its id, and 16
// for each 4 KiB of text. Sorting the ids then takes 28 bytes for each and its
// id, whatever Memory is; for 21 million documents with ids of ten bytes, that
// is 0.6 GB and then 0.8 GB. The list of one term, of 13 bytes for each document
// that has it, may exceed Memory, too. On its way a building takes as much disk
// as the index's postings once more.
//
// It fails for a document without id or with that of an earlier one, for one of
// more than 128 MiB, and for one that Memory has no room for. When it fails, be
// it for an error among docs, it leaves the folder empty. A process that dies in
// it leaves an incomplete index, which Build starts anew.
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
	b := &builder{dir: dir, opts: opts, ids: newIDs()}
	b.budget = newBudget(opts.Memory/2, opts.inverter, opts.Workers, b.newInverter)
	b.meta = meta{Format: index.Static.Format, Version: index.Static.Version, Window: opts.window, Files: make(map[string]fileSum)}
	b.meta.Params, b.meta.Source = opts.Params, opts.Source
	err = b.invert(ctx, docs)
	if err == nil {
		err = b.join(ctx)
	}
	err = errors.Join(err, b.closeRuns())
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
	files  []*os.File // of runs, one for each inverter

	// By whichever part's turn it is.
	texts   *outFile
	records *bufio.Writer
	starts  []uint64
	firsts  []uint32
	sum     index.Contents
	runs    []run

	postings uint64 // in the runs
}

// newInverter returns an inverter with a file for its runs.
func (b *builder) newInverter() (*inverter, error) {
	f, err := os.Create(runPath(b.dir, fmt.Sprintf("%05d.terms", len(b.files))))
	if err != nil {
		return nil, err
	}
	b.files = append(b.files, f)
	return newInverter(f, b.ids.seed, b.opts.inverter), nil
}

func (b *builder) closeRuns() (err error) {
	for _, f := range b.files {
		err = errors.Join(err, f.Close())
	}
	return err
}

// invert turns the documents into runs, records and texts.
func (b *builder) invert(ctx context.Context, docs iter.Seq2[search.Document, error]) (err error) {
	if b.texts, err = createFile(b.dir, textsFile, false); err != nil {
		return err
	}
	records, err := os.Create(b.recordsPath())
	if err == nil {
		b.records = bufio.NewWriterSize(records, 1<<18)
		err = b.deal(ctx, docs)
		err = errors.Join(err, b.records.Flush(), records.Close())
	}
	sum, closed := b.texts.close()
	b.meta.Files[textsFile] = sum
	b.starts = append(b.starts, uint64(sum.Size))
	b.meta.SHA256 = b.sum.String()
	return errors.Join(err, closed)
}

// work turns a part into runs, and writes the rest of it when it is its turn.
func (b *builder) work(ctx context.Context, p *docPart, v *inverter) error {
	out, err := v.invert(ctx, p)
	p.docs = nil
	b.budget.giveBack(v)
	if err != nil {
		return err
	}
	select {
	case <-p.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := b.append(out); err != nil {
		return err
	}
	close(p.done)
	b.budget.release(p.reserved)
	return nil
}

// append adds what a part became to that of those before it.
func (b *builder) append(out *inverted) error {
	for i, start := range out.starts {
		b.starts = append(b.starts, uint64(b.texts.sum.Size)+uint64(start))
		b.firsts = append(b.firsts, out.firsts[i])
	}
	b.meta.Terms += out.total[byContent]
	b.meta.AllTerms += out.total[byAll]
	b.postings += out.postings
	b.sum.Toggle(out.sum)
	b.runs = append(b.runs, out.runs...)
	if _, err := b.records.Write(out.records); err != nil {
		return err
	}
	_, err := b.texts.Write(out.texts)
	return err
}
