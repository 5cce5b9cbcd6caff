package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"trawl/search"
	"trawl/search/bm25"
	"trawl/search/index"
	"trawl/search/live"
)

// How much of the passages and queries is compared with search/live.
const (
	checkPassages = 20_000
	checkQueries  = 200
)

// A rankingCheck is how many queries found the same with bm25 as with search/live,
// which scores every passage that has a term: ids, order, scores and texts.
type rankingCheck struct {
	Passages int    `json:"passages"`
	Queries  int    `json:"queries"`
	Equal    int    `json:"equal"`
	Hits     int    `json:"hits"`            // of all queries, in each of the two
	First    string `json:"first,omitempty"` // query that found something else
}

// checkRanking builds both indexes of the sample and compares their top 10.
func checkRanking(ctx context.Context, work string, sample []search.Document, queries []string) (c *rankingCheck, err error) {
	dir := filepath.Join(work, "check")
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	params := index.DefaultParams()
	if _, err := bm25.Build(ctx, filepath.Join(dir, engineStatic), each(sample), bm25.Options{Params: params}); err != nil {
		return nil, err
	}
	if _, err := live.Build(ctx, filepath.Join(dir, engineLive), each(sample), live.BuildOptions{Params: params}); err != nil {
		return nil, err
	}
	x, err := bm25.Open(filepath.Join(dir, engineStatic))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	other, err := live.Open(filepath.Join(dir, engineLive))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, other.Close()) }()
	return compareRankings(ctx, x, other, &rankingCheck{Passages: len(sample)}, queries)
}

func compareRankings(ctx context.Context, x, other search.Engine, c *rankingCheck, queries []string) (*rankingCheck, error) {
	for _, q := range queries[:min(len(queries), checkQueries)] {
		got, err := x.Search(ctx, q, benchTop)
		if err != nil {
			return nil, err
		}
		want, err := other.Search(ctx, q, benchTop)
		if err != nil {
			return nil, err
		}
		c.Queries++
		c.Hits += len(want)
		if slices.Equal(got, want) {
			c.Equal++
		} else if c.First == "" {
			c.First = q
		}
	}
	return c, nil
}

// err says that the two differ, if they do.
func (c *rankingCheck) err() error {
	if c.Equal == c.Queries {
		return nil
	}
	return fmt.Errorf("bench: bm25 and search/live find different top %d for %d of %d queries, first for %q", benchTop, c.Queries-c.Equal, c.Queries, c.First)
}

func each(docs []search.Document) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		for _, doc := range docs {
			if !yield(doc, nil) {
				return
			}
		}
	}
}
