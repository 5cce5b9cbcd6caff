package search_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"trawl/search"
	"trawl/search/searchtest"
)

// An engineFunc is an [search.Engine].
type engineFunc func(ctx context.Context, query string, n int) ([]search.Hit, error)

func (f engineFunc) Search(ctx context.Context, query string, n int) ([]search.Hit, error) {
	return f(ctx, query, n)
}

// counting finds one document, named for the question, and counts its searches.
func counting(searches *atomic.Int64) search.Engine {
	return engineFunc(func(_ context.Context, query string, n int) ([]search.Hit, error) {
		searches.Add(1)
		return []search.Hit{{Document: search.Document{ID: query + "/" + strconv.Itoa(n)}}}, nil
	})
}

// simple is an engine that satisfies the contract by counting the words of the
// query that a document has.
func simple(_ *testing.T, docs []search.Document) search.Engine {
	return engineFunc(func(ctx context.Context, query string, n int) ([]search.Hit, error) {
		if n < 1 {
			return nil, nil
		}
		var hits []search.Hit
		for _, doc := range docs {
			score := 0.0
			words := strings.FieldsFunc(strings.ToLower(doc.Title+" "+doc.Text), notWord)
			for _, word := range strings.FieldsFunc(strings.ToLower(query), notWord) {
				for _, w := range words {
					if w == word {
						score++
					}
				}
			}
			if score > 0 {
				hits = append(hits, search.Hit{Document: doc, Score: score})
			}
		}
		for i := range hits {
			for j := i; j > 0 && (hits[j].Score > hits[j-1].Score || hits[j].Score == hits[j-1].Score && hits[j].ID < hits[j-1].ID); j-- {
				hits[j], hits[j-1] = hits[j-1], hits[j]
			}
		}
		return hits[:min(n, len(hits))], ctx.Err()
	})
}

func notWord(r rune) bool { return r < 128 && !('a' <= r && r <= 'z' || '0' <= r && r <= '9') }

func TestDecoratorsConform(t *testing.T) {
	tests := []struct {
		name string
		open searchtest.Open
	}{
		{"the plain engine", simple},
		{"cached", func(t *testing.T, docs []search.Document) search.Engine { return search.Cached(simple(t, docs), 2000) }},
		{"shared", func(t *testing.T, docs []search.Document) search.Engine { return search.Shared(simple(t, docs)) }},
		{"both", func(t *testing.T, docs []search.Document) search.Engine {
			return search.Cached(search.Shared(simple(t, docs)), 1<<20)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { searchtest.Run(t, tt.open) })
	}
}

// large finds one document of ten kilobytes, named for the query, or as many
// as n says, and counts its searches.
func large(searches *atomic.Int64) search.Engine {
	text := strings.Repeat("x", 10_000)
	return engineFunc(func(_ context.Context, query string, n int) ([]search.Hit, error) {
		searches.Add(1)
		hits := make([]search.Hit, n)
		for i := range hits {
			hits[i].ID, hits[i].Text = query, text
		}
		return hits, nil
	})
}

func TestCachedKeepsTheLatest(t *testing.T) {
	tests := []struct {
		name      string
		max       int64
		questions string // one letter a query, in upper case for three documents
		want      int64  // searches of the engine
	}{
		{"nothing is kept", 0, "aaa", 3},
		{"one", 11_000, "aaabba", 3},
		{"two", 22_000, "ababab", 2},
		{"bytes count, not results", 19_000, "abab", 4},
		{"the one not used longest goes", 22_000, "abaca", 3},
		{"and has to be searched again", 22_000, "abacab", 4},
		{"a large one takes the place of several", 33_000, "abcAabc", 7},
		{"one too large is not kept and drives out none", 22_000, "abAAab", 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var searches atomic.Int64
			engine := search.Cached(large(&searches), tt.max)
			for _, q := range strings.Split(tt.questions, "") {
				n := 1
				if q != strings.ToLower(q) {
					n = 3
				}
				hits, err := engine.Search(t.Context(), q, n)
				if err != nil || len(hits) != n || hits[0].ID != q {
					t.Fatalf("Search(%q) = %d hits, %v", q, len(hits), err)
				}
			}
			if got := searches.Load(); got != tt.want {
				t.Errorf("%d searches, want %d", got, tt.want)
			}
		})
	}
}

// TestCachedBound keeps small results, whose overhead is most of what they take.
func TestCachedBound(t *testing.T) {
	const many = 20_000
	engine := search.Cached(engineFunc(func(context.Context, string, int) ([]search.Hit, error) { return nil, nil }), 1<<20)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range many {
		if _, err := engine.Search(t.Context(), strconv.Itoa(i), 1); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
		t.Errorf("%d questions take %d bytes, want at most %d", many, grown, 1<<20)
	}
	runtime.KeepAlive(engine)
}

func TestCachedTellsQuestionsApart(t *testing.T) {
	var searches atomic.Int64
	engine := search.Cached(counting(&searches), 1<<20)
	for _, q := range []struct {
		query string
		n     int
	}{{"a", 1}, {"a", 2}, {"A", 1}, {"a ", 1}} {
		hits, err := engine.Search(t.Context(), q.query, q.n)
		want := q.query + "/" + strconv.Itoa(q.n)
		if err != nil || hits[0].ID != want {
			t.Errorf("Search(%q, %d) = %v, %v", q.query, q.n, hits, err)
		}
	}
	if got := searches.Load(); got != 4 {
		t.Errorf("%d searches, want 4", got)
	}
}

func TestCachedForgetsErrors(t *testing.T) {
	failure := errors.New("no network")
	first := true
	engine := search.Cached(engineFunc(func(context.Context, string, int) ([]search.Hit, error) {
		if first {
			first = false
			return nil, failure
		}
		return nil, nil
	}), 1<<20)
	if _, err := engine.Search(t.Context(), "q", 1); !errors.Is(err, failure) {
		t.Errorf("first search: %v, want %v", err, failure)
	}
	if hits, err := engine.Search(t.Context(), "q", 1); err != nil || len(hits) != 0 {
		t.Errorf("second search: %v, %v, want nothing", hits, err)
	}
}

func ExampleCached() {
	var searches atomic.Int64
	engine := search.Cached(search.Shared(counting(&searches)), 1<<20)
	for range 3 {
		engine.Search(context.Background(), "capital of Uruguay", 10)
	}
	fmt.Println(searches.Load(), "search")
	// Output: 1 search
}
