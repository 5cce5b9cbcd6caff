package live

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"trawl/search"
	"trawl/search/index"
)

// progressEvery is after how many documents progress is told.
const progressEvery = 1000

// BuildOptions say how to build an index.
type BuildOptions struct {
	Params   index.Params        // taken literally; see [index.DefaultParams]
	Source   string              // what the documents are, for index.json; may be empty
	Progress func(documents int) // called after every thousand documents and at the end; may be nil
}

// Build makes an index of the documents in dir, under the rules of [Create]. It
// takes memory for a few batches of 8 MiB of text, however many documents there
// are. Of documents with the same id the last one stays.
//
// When it fails, be it for an error among docs, it leaves the folder empty. A
// process that dies in it leaves an incomplete index, which Build starts anew.
func Build(ctx context.Context, dir string, docs iter.Seq2[search.Document, error], opts BuildOptions) (index.Stats, error) {
	x, err := Create(dir, opts.Params)
	if err != nil {
		return index.Stats{}, err
	}
	x.meta.Source = opts.Source
	err = x.fill(ctx, docs, opts.Progress)
	if err == nil {
		err = x.store.compact(ctx)
		x.stale.Store(true)
	}
	var stats index.Stats
	if err == nil {
		stats, err = x.Stats()
	}
	if err == nil {
		err = x.Close()
	} else {
		err = errors.Join(fmt.Errorf("live: build %s: %w", dir, err), x.release(), x.claim.Abandon())
	}
	if err != nil {
		return index.Stats{}, err
	}
	return stats, nil
}

// A Change says what adding documents did to an index.
type Change struct {
	index.Stats     // of all documents, afterwards
	Added       int // that are new
	Replaced    int // that took the place of one with their id
}

// Extend adds documents to the complete index in dir, under the rules of [Grow].
// opts.Source is not looked at, and opts.Params must be those of the index, or
// zero for whichever it has.
//
// When it fails, be it for an error among docs, the documents before that may be
// in the index, which is as good as it was; running it again adds none twice.
func Extend(ctx context.Context, dir string, docs iter.Seq2[search.Document, error], opts BuildOptions) (Change, error) {
	x, err := Grow(dir)
	if err != nil {
		return Change{}, err
	}
	before, err := x.Stats()
	given := 0
	if err == nil && opts.Params != (index.Params{}) && opts.Params != before.Params {
		err = fmt.Errorf("it has k1=%g b=%g, which stay as they are: make another index for k1=%g b=%g", before.Params.K1, before.Params.B, opts.Params.K1, opts.Params.B)
	}
	if err == nil {
		err = x.fill(ctx, counted(docs, &given), opts.Progress)
	}
	var after index.Stats
	if err == nil {
		after, err = x.Stats()
	}
	if closed := x.Close(); err == nil { // else it says the same, or nothing new
		err = closed
	}
	if err != nil {
		return Change{}, fmt.Errorf("live: extend %s: %w", dir, err)
	}
	added := after.Documents - before.Documents
	return Change{after, added, given - added}, nil
}

// counted counts documents as they pass.
func counted(docs iter.Seq2[search.Document, error], n *int) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		for doc, err := range docs {
			if err == nil {
				*n++
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

// fill adds the documents, and tells how many.
func (x *Index) fill(ctx context.Context, docs iter.Seq2[search.Document, error], progress func(int)) error {
	if progress == nil {
		progress = func(int) {}
	}
	n := 0
	for doc, err := range docs {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = x.Add(doc)
		}
		if err != nil {
			return err
		}
		if n++; n%progressEvery == 0 {
			progress(n)
		}
	}
	if err := x.Flush(); err != nil {
		return err
	}
	progress(n)
	return nil
}
