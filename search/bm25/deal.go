package bm25

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"golang.org/x/sync/errgroup"

	"trawl/search"
)

// A docPart is documents that follow each other, of one window, on their way to
// an inverter. It begins and ends where a block of texts does, so that the files
// are the same however the documents are dealt out.
type docPart struct {
	window   int
	first    uint32 // document
	within   uint32 // the same within the window
	docs     []search.Document
	reserved int64
	turn     <-chan struct{} // closed when what comes before is written
	done     chan struct{}   // the next one's turn
}

// A dealer puts documents into parts and deals these out.
type dealer struct {
	*builder
	g    *errgroup.Group
	turn chan struct{} // of the next part
	part *docPart

	// Of the block of texts that the last document did not end.
	blockAt       int // its first document in the part
	blockSize     int
	blockReserved int64
}

// deal deals the documents out, and waits until they are runs and texts.
func (b *builder) deal(ctx context.Context, docs iter.Seq2[search.Document, error]) error {
	g, ctx := errgroup.WithContext(ctx)
	d := &dealer{builder: b, g: g, turn: make(chan struct{})}
	close(d.turn)
	d.part = &docPart{}
	g.Go(func() error {
		for doc, err := range docs {
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				err = d.take(ctx, doc)
			}
			if err != nil {
				return err
			}
		}
		d.endBlock()
		if len(d.part.docs) == 0 {
			return ctx.Err()
		}
		return d.send(ctx)
	})
	return g.Wait()
}

// take puts a document into the part, and sends that if it is then full.
func (d *dealer) take(ctx context.Context, doc search.Document) error {
	if err := d.check(doc); err != nil {
		return err
	}
	need := costOf(doc)
	if err := d.makeRoom(ctx, doc, need); err != nil {
		return err
	}
	d.part.docs, d.part.reserved = append(d.part.docs, doc), d.part.reserved+need
	d.blockSize, d.blockReserved = d.blockSize+len(appendLengths(nil, doc))+int(bytesOf(doc)), d.blockReserved+need
	if d.meta.Documents++; d.meta.Documents%progressEvery == 0 {
		d.opts.Progress(Progress{Documents: d.meta.Documents})
	}
	windowEnds := d.meta.Documents%d.opts.window == 0
	if windowEnds || d.blockSize >= blockBytes {
		d.endBlock()
		if windowEnds || d.part.reserved >= d.budget.share() {
			return d.send(ctx)
		}
	}
	return nil
}

// check reports a document that no index has.
func (d *dealer) check(doc search.Document) error {
	switch n := bytesOf(doc); {
	case doc.ID == "":
		return fmt.Errorf("document %d has no id", d.meta.Documents+1)
	case n > d.opts.maxDocumentBytes:
		return fmt.Errorf("document %.100q has %d bytes, more than %d", doc.ID, n, d.opts.maxDocumentBytes)
	case d.meta.Documents == d.opts.maxDocuments:
		return fmt.Errorf("more than %d documents", d.opts.maxDocuments)
	}
	return d.ids.add(doc.ID)
}

// makeRoom waits until there is room for the next document. If nothing else is
// under way, it sends what comes before the block that the document is in.
func (d *dealer) makeRoom(ctx context.Context, doc search.Document, need int64) error {
	keep := int64(len(doc.ID)) + idCost
	if d.blockSize == 0 {
		keep += blockCost
	}
	for {
		fits, alone := d.budget.reserve(need, keep, d.part.reserved)
		var err error
		switch {
		case fits:
			return nil
		case !alone:
			err = d.budget.wait(ctx)
		case d.blockAt > 0:
			err = d.send(ctx)
		default:
			return d.budget.exceeded(doc, need+keep)
		}
		if err != nil {
			return err
		}
	}
}

func (d *dealer) endBlock() {
	d.blockAt, d.blockSize, d.blockReserved = len(d.part.docs), 0, 0
}

// send sends the part up to the block that has not ended. What is left begins
// the next part.
func (d *dealer) send(ctx context.Context) error {
	v, err := d.budget.lend(ctx)
	if err != nil {
		return err
	}
	p, n := d.part, d.blockAt
	p.turn, p.done = d.turn, make(chan struct{})
	first := d.meta.Documents - len(p.docs)
	p.window, p.first, p.within = first/d.opts.window, uint32(first), uint32(first%d.opts.window)
	d.part = &docPart{docs: slices.Clone(p.docs[n:]), reserved: d.blockReserved}
	p.docs, p.reserved = p.docs[:n:n], p.reserved-d.blockReserved
	d.turn, d.blockAt = p.done, 0 // the block that has not ended is all of the part
	d.g.Go(func() error { return d.work(ctx, p, v) })
	return nil
}
