package live

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"trawl/search"
)

// progressEvery is after how many documents progress is told.
const progressEvery = 1000

// BuildOptions say how to build an index.
type BuildOptions struct {
	Params   Params              // taken literally; see [DefaultParams]
	Source   string              // what the documents are, for index.json; may be empty
	Progress func(documents int) // called after every thousand documents and at the end; may be nil
}

// Build makes an index of the documents in dir, under the rules of [Create]. It
// takes memory for a few batches of 8 MiB of text, however many documents there
// are. Of documents with the same id the last one stays.
//
// When it fails, be it for an error among docs, it leaves the folder empty. A
// process that dies in it leaves an incomplete index, which Build starts anew.
func Build(ctx context.Context, dir string, docs iter.Seq2[search.Document, error], opts BuildOptions) (Stats, error) {
	x, err := Create(dir, opts.Params)
	if err != nil {
		return Stats{}, err
	}
	x.meta.Source = opts.Source
	stats, err := x.fill(ctx, docs, opts.Progress)
	if err == nil {
		err = x.Close()
	} else {
		err = errors.Join(fmt.Errorf("live: build %s: %w", dir, err), x.release(), abandon(dir))
	}
	if err != nil {
		return Stats{}, err
	}
	return stats, nil
}

// fill adds the documents, compacts the index and describes it.
func (x *Index) fill(ctx context.Context, docs iter.Seq2[search.Document, error], progress func(int)) (Stats, error) {
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
			return Stats{}, err
		}
		if n++; n%progressEvery == 0 {
			progress(n)
		}
	}
	if err := x.Flush(); err != nil {
		return Stats{}, err
	}
	if err := x.store.compact(ctx); err != nil {
		return Stats{}, err
	}
	x.stale.Store(true)
	progress(n)
	return x.Stats()
}
