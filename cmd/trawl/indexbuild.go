package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"

	"trawl/corpus/wiki"
	"trawl/internal/config"
	"trawl/search"
	"trawl/search/bm25"
	"trawl/search/index"
	"trawl/search/live"
	"trawl/search/opensearch"
)

// buildIndex builds an index with progress, or adds to one.
func buildIndex(ctx context.Context, e env, o indexOptions, reader *wiki.Reader, source string) (*indexResult, error) {
	bar := newProgress(e, "documents", 0, 0)
	bar.phase("documents", func() float64 {
		read, total := reader.Bytes()
		return float64(read) / float64(max(total, 1))
	})
	r := &indexResult{Index: config.RedactURL(o.out), Engine: o.engine}
	docs := some(reader.All(), source)
	var err error
	switch {
	case opensearch.IsAddress(o.out):
		err = r.buildCluster(ctx, o, docs, opensearch.BuildOptions{
			Params: o.params, Source: source, Replace: o.fresh, Progress: func(n int) { bar.set(n, 0) }, Client: clusterOptions(e),
			Waiting: func(err error) { bar.note(err.Error()) },
		})
	case o.engine == engineLive:
		err = r.buildLive(ctx, o, docs, live.BuildOptions{Params: o.params, Source: source, Progress: func(n int) { bar.set(n, 0) }})
	default:
		err = r.buildStatic(ctx, o, docs, bm25.Options{Params: o.params, Memory: int64(o.memory), Source: source, Progress: tellMerging(bar)})
	}
	bar.close()
	switch {
	case errors.Is(err, opensearch.ErrExists):
		return nil, fmt.Errorf("%w\n  nothing was changed; --replace deletes it first", err)
	case errors.Is(err, index.ErrExists):
		return nil, fmt.Errorf("%w\n  nothing was changed; name another folder with --out%s", err, addingHint(o))
	case errors.Is(err, index.ErrForeign):
		return nil, fmt.Errorf("%w\n  nothing was changed; name another folder with --out", err)
	case err != nil:
		return nil, err
	}
	if !opensearch.IsAddress(o.out) {
		r.Bytes, err = folderSize(o.out)
	}
	return r, err
}

// tellMerging shows how far a static index is: first its documents, then how much
// of them is merged.
func tellMerging(bar *progress) func(bm25.Progress) {
	var merged atomic.Uint64
	merging := false
	return func(p bm25.Progress) {
		bar.set(p.Documents, 0)
		merged.Store(math.Float64bits(p.Merged))
		if p.Merged > 0 && !merging {
			merging = true
			bar.phase("merging documents", func() float64 { return math.Float64frombits(merged.Load()) })
		}
	}
}

// addingHint says how documents come into an index that is there, if they can.
func addingHint(o indexOptions) string {
	if kind, err := index.KindOf(o.out); err == nil && kind.Format == index.Live.Format && o.engine != engineLive {
		return ", or add to this one with --engine live"
	}
	return ""
}

func (r *indexResult) buildStatic(ctx context.Context, o indexOptions, docs iter.Seq2[search.Document, error], opts bm25.Options) error {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(opts.Memory))
	stats, err := bm25.Build(ctx, o.out, docs, opts)
	r.Documents, r.Terms, r.Postings, r.Duplicates = stats.Documents, stats.Terms, stats.Postings, &stats.Duplicates
	return err
}

// buildLive builds a live index, or adds to the one that is there.
func (r *indexResult) buildLive(ctx context.Context, o indexOptions, docs iter.Seq2[search.Document, error], opts live.BuildOptions) error {
	if kind, err := index.KindOf(o.out); err != nil || kind.Format != index.Live.Format {
		stats, err := live.Build(ctx, o.out, docs, opts)
		r.Documents, r.Terms = stats.Documents, stats.Terms
		return err
	}
	if !o.chosen {
		opts.Params = index.Params{}
	}
	change, err := live.Extend(ctx, o.out, docs, opts)
	r.Documents, r.Terms, r.Added, r.Updated = change.Documents, change.Terms, &change.Added, &change.Replaced
	return err
}

// buildCluster builds an index in an OpenSearch cluster.
func (r *indexResult) buildCluster(ctx context.Context, o indexOptions, docs iter.Seq2[search.Document, error], opts opensearch.BuildOptions) error {
	stats, err := opensearch.Build(ctx, o.out, docs, opts)
	r.Engine, r.Documents = "opensearch", stats.Documents
	return err
}

// folderSize returns what the files in a folder take.
func folderSize(dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return total, err
}

// some makes a corpus without documents an error, since an index of nothing is
// never what anybody wanted.
func some(docs iter.Seq2[search.Document, error], source string) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		found := false
		for doc, err := range docs {
			found = true
			if !yield(doc, err) {
				return
			}
		}
		if !found {
			yield(search.Document{}, fmt.Errorf("%s holds no documents", source))
		}
	}
}
