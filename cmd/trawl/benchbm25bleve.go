package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	_ "github.com/blevesearch/bleve/v2/analysis/lang/en" // the analyzer that the mapping names
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
	"github.com/blevesearch/bleve/v2/mapping"
	blevesearch "github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/collector"
	"github.com/blevesearch/bleve/v2/search/query"
	bleveindex "github.com/blevesearch/bleve_index_api"
)

// bleve's side of the comparison: its own index, mapping, query, searchers and
// collector, put together as its Index does, which it may be spared.
const (
	bleveField = "text"
	bleveBatch = 1000 // passages
	bleveNote  = `index scorch; title and text in one field with the analyzer "en", not stored, without term vectors and doc values; batches of 1,000 passages, merged at the end; match query (OR) with scoring model "bm25", whose k1=1.2 and b=0.75 are fixed; ids only`
)

func bleveMapping() mapping.IndexMapping {
	field := mapping.NewTextFieldMapping()
	field.Analyzer, field.Store, field.IncludeInAll, field.IncludeTermVectors, field.DocValues = "en", false, false, false, false
	m := mapping.NewIndexMapping()
	m.ScoringModel = bleveindex.BM25Scoring
	m.DefaultMapping.Dynamic = false
	m.DefaultMapping.AddFieldMappingsAt(bleveField, field)
	return m
}

// A bleveStore is an index of scorch.
type bleveStore struct {
	*scorch.Scorch
	queue *bleveindex.AnalysisQueue
}

func openScorch(dir string, writable bool) (*bleveStore, error) {
	queue := bleveindex.NewAnalysisQueue(runtime.GOMAXPROCS(0))
	x, err := scorch.NewScorch(scorch.Name, map[string]any{"path": dir, "read_only": !writable}, queue)
	if err == nil {
		err = x.Open()
	}
	if err != nil {
		queue.Close()
		return nil, fmt.Errorf("bench: bleve: %w", err)
	}
	return &bleveStore{x.(*scorch.Scorch), queue}, nil
}

// Close closes the index.
func (s *bleveStore) Close() error {
	defer s.queue.Close()
	return s.Scorch.Close()
}

func (s *bleveStore) counter(name string) uint64 {
	n, _ := s.StatsMap()[name].(uint64)
	return n
}

// buildBleve builds bleve's own index. Its workers try again for ever what failed,
// so their count of errors is watched; they end with this process.
func buildBleve(ctx context.Context, p bm25Part, bar *progress, cost *buildCost) error {
	s, err := openScorch(p.dir(), true)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- s.fill(ctx, p, bar) }()
	watch := time.NewTicker(100 * time.Millisecond)
	defer watch.Stop()
	for {
		select {
		case err := <-done:
			cost.Segments = int(s.counter("TotFileSegmentsAtRoot"))
			return errors.Join(err, s.Close())
		case <-watch.C:
			if s.counter("TotOnErrors") > 0 {
				return fmt.Errorf("bench: bleve cannot write its index in %s (is the disk full?)", p.dir())
			}
		}
	}
}

// fill indexes the passages.
func (s *bleveStore) fill(ctx context.Context, p bm25Part, bar *progress) error {
	m, batch, n := bleveMapping(), bleveindex.NewBatch(), 0
	for doc, err := range readPassages(filepath.Join(p.work, passagesFile)) {
		if err != nil {
			return err
		}
		d := document.NewDocument(doc.ID)
		if err := m.MapDocument(d, map[string]any{bleveField: doc.Title + "\n" + doc.Text}); err != nil {
			return err
		}
		batch.Update(d)
		if n++; n%bleveBatch == 0 || n == p.passages {
			if err := errors.Join(ctx.Err(), s.Batch(batch)); err != nil {
				return err
			}
			batch.Reset()
			bar.set(n, 0)
		}
	}
	if err := errors.Join(s.ForceMerge(ctx, &mergeplan.SingleSegmentMergePlanOptions), ctx.Err()); err != nil {
		return err
	}
	return s.SetInternal([]byte("merged"), []byte("yes")) // returns when all is on disk
}

func openBleve(dir string) (*benchIndex, error) {
	s, err := openScorch(dir, false)
	if err != nil {
		return nil, err
	}
	m := bleveMapping()
	return &benchIndex{s, func(ctx context.Context, question string) (int, error) { return s.find(ctx, m, question) }}, nil
}

// find searches as bleve's Index does: the best ten by score.
func (s *bleveStore) find(ctx context.Context, m mapping.IndexMapping, question string) (hits int, err error) {
	reader, err := s.Reader()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	ctx = context.WithValue(ctx, blevesearch.GetScoringModelCallbackKey,
		blevesearch.GetScoringModelCallbackFn(func() string { return bleveindex.BM25Scoring }))
	ctx = blevesearch.ContextWithTermSearchersCounter(ctx)
	q := query.NewMatchQuery(question)
	q.SetField(bleveField)
	searcher, err := q.Searcher(ctx, reader, m, blevesearch.SearcherOptions{})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, searcher.Close()) }()
	top := collector.NewTopNCollector(benchTop, 0, blevesearch.SortOrder{&blevesearch.SortScore{Desc: true}})
	if err := top.Collect(ctx, searcher, reader); err != nil {
		return 0, err
	}
	return len(top.Results()), nil
}
