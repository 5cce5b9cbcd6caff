package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"

	"trawl/search/bm25"
	"trawl/search/index"
)

// benchTop is how many passages a search finds.
const benchTop = 10

// A benchIndex is an index that is open for being measured.
type benchIndex struct {
	io.Closer
	find func(ctx context.Context, query string) (hits int, err error)
}

func (p bm25Part) open() (*benchIndex, error) {
	if p.engine == engineBleve {
		return openBleve(p.dir())
	}
	x, err := bm25.Open(p.dir())
	if err != nil {
		return nil, err
	}
	return &benchIndex{x, func(ctx context.Context, query string) (int, error) {
		hits, err := x.Search(ctx, query, benchTop)
		return len(hits), err
	}}, nil
}

// buildBM25 builds the static index as trawl index does.
func buildBM25(ctx context.Context, p bm25Part, bar *progress, cost *buildCost) error {
	debug.SetMemoryLimit(int64(p.memory)) // this process does nothing else
	stats, err := bm25.Build(ctx, p.dir(), readPassages(filepath.Join(p.work, passagesFile)), bm25.Options{
		Params: index.DefaultParams(), Memory: int64(p.memory), Progress: func(told bm25.Progress) { bar.set(told.Documents, 0) },
	})
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(p.dir())
	if err != nil {
		return err
	}
	cost.Files = make(map[string]int64)
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			return err
		}
		cost.Files[entry.Name()] = info.Size()
	}
	cost.Postings, cost.Terms = stats.Postings, stats.DistinctTerms
	postings := max(float64(stats.Postings), 1)
	cost.PerPosting = float64(cost.Files["postings"]) / postings
	cost.WithTerms = float64(cost.Files["postings"]+cost.Files["terms"]) / postings
	cost.TextEach = float64(cost.Files["texts"]) / max(float64(stats.Documents), 1)
	return nil
}
