package live_test

import (
	"errors"
	"iter"
	"slices"
	"testing"

	"trawl/search"
	"trawl/search/index"
	"trawl/search/live"
	"trawl/search/searchtest"
)

func TestConformance(t *testing.T) {
	t.Run("built", func(t *testing.T) {
		searchtest.RunBM25(t, func(t *testing.T, docs []search.Document) search.Engine {
			return reopen(t, build(t, docs))
		})
	})
	t.Run("growing, in many segments", func(t *testing.T) {
		searchtest.RunBM25(t, func(t *testing.T, docs []search.Document) search.Engine {
			x := create(t)
			for _, doc := range docs {
				doc.Text = "a stale version with an estuary, owls, a band and a cat"
				if err := x.Add(doc); err != nil {
					t.Fatal(err)
				}
			}
			add(t, x)
			for some := range slices.Chunk(docs, 4) {
				add(t, x, some...)
			}
			return x
		})
	})
}

// build makes an index of the documents and returns its folder.
func build(t testing.TB, docs []search.Document) string {
	t.Helper()
	dir := t.TempDir()
	stats, err := live.Build(t.Context(), dir, stream(docs), live.BuildOptions{Params: index.DefaultParams()})
	if err != nil {
		t.Fatal(err)
	}
	if stats.Documents != len(docs) {
		t.Fatalf("index has %d documents, want %d", stats.Documents, len(docs))
	}
	return dir
}

// stream yields the documents and then the errors.
func stream(docs []search.Document, errs ...error) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		for _, doc := range docs {
			if !yield(doc, nil) {
				return
			}
		}
		for _, err := range errs {
			if !yield(search.Document{}, err) {
				return
			}
		}
	}
}

// reopen opens an index for searching until the test ends.
func reopen(t testing.TB, dir string) *live.Index {
	t.Helper()
	x, err := live.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeOnce(t, x) })
	return x
}

// create makes an empty index that is closed when the test ends.
func create(t testing.TB) *live.Index {
	t.Helper()
	x, err := live.Create(t.TempDir(), index.DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeOnce(t, x) })
	return x
}

func closeOnce(t testing.TB, x *live.Index) {
	if err := x.Close(); err != nil && !errors.Is(err, index.ErrClosed) {
		t.Error(err)
	}
}

// add adds and flushes the documents.
func add(t testing.TB, x *live.Index, docs ...search.Document) {
	t.Helper()
	for _, doc := range docs {
		if err := x.Add(doc); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Flush(); err != nil {
		t.Fatal(err)
	}
}

// found returns the ids of what the query finds.
func found(t testing.TB, engine search.Engine, query string) []string {
	t.Helper()
	hits, err := engine.Search(t.Context(), query, 10)
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{}
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return slices.Clip(ids)
}
