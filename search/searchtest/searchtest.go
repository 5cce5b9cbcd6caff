// Package searchtest holds every [search.Engine] to its contract. [Run] is for
// any engine that can be given documents; [RunBM25] is for those that rank by
// this project's BM25, and checks its numbers.
package searchtest

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/search"
)

// An Open makes an engine over documents, whose ids differ. It reports failures
// to the test that it was given, and leaves it to that test's end to close the engine.
type Open func(t *testing.T, docs []search.Document) search.Engine

// Run tests what every engine promises.
func Run(t *testing.T, open Open) {
	t.Run("a hit is the document whole", func(t *testing.T) { testDocuments(t, open) })
	t.Run("best first and no hit twice", func(t *testing.T) { testOrder(t, open) })
	t.Run("ties by ascending id", func(t *testing.T) { testTies(t, open) })
	t.Run("n bounds the hits", func(t *testing.T) { testBounds(t, open) })
	t.Run("any string is a query", func(t *testing.T) { testOddQueries(t, open) })
	t.Run("an index of nothing", func(t *testing.T) { testEmpty(t, open) })
	t.Run("the result belongs to the caller", func(t *testing.T) { testOwnership(t, open) })
	t.Run("a cancelled search", func(t *testing.T) { testCancelled(t, open) })
	t.Run("searches at once", func(t *testing.T) { testConcurrency(t, open) })
}

// corpus is a small corpus on which many queries have several hits.
func corpus() []search.Document {
	return []search.Document{
		{ID: "10", Title: "Río de la Plata", Text: "The Río de la Plata is an estuary.\nIt lies between Uruguay and Argentina.", URL: "https://example.org/plata"},
		{ID: "2", Title: "AC/DC", Text: "AC/DC are a rock band formed in Sydney."},
		{ID: "1", Title: "C++", Text: "C++ is a programming language."},
		{ID: "x:y", Title: "The Who", Text: "The Who are an English rock band formed in London."},
		{ID: "α", Title: "Hamlet", Text: "\"To be, or not to be\" is a line of Hamlet."},
		{ID: "東", Title: "東京", Text: "東京 is the capital of Japan.\tIt was Edo."},
		{ID: "e", Title: "", Text: "A passage without a title about a rock."},
		{ID: "n", Title: "Nothing but a title about a band", Text: ""},
	}
}

func testDocuments(t *testing.T, open Open) {
	docs := corpus()
	engine := open(t, docs)
	for _, doc := range docs {
		hits := find(t, engine, doc.Title+" "+doc.Text, len(docs))
		i := slices.IndexFunc(hits, func(h search.Hit) bool { return h.ID == doc.ID })
		if i < 0 {
			t.Errorf("the words of document %q do not find it", doc.ID)
			continue
		}
		if diff := cmp.Diff(doc, hits[i].Document); diff != "" {
			t.Errorf("document mismatch (-want +got):\n%s", diff)
		}
	}
}

func testOrder(t *testing.T, open Open) {
	engine := open(t, corpus())
	hits := find(t, engine, "rock band formed in London, Sydney and Japan", 10)
	if len(hits) < 4 {
		t.Fatalf("%d hits, want several", len(hits))
	}
	seen := make(map[string]bool)
	for i, h := range hits {
		if seen[h.ID] {
			t.Errorf("document %q is there twice", h.ID)
		}
		seen[h.ID] = true
		if i > 0 && before(h, hits[i-1]) {
			t.Errorf("hit %d (%q, %v) stands after hit %d (%q, %v)", i, h.ID, h.Score, i-1, hits[i-1].ID, hits[i-1].Score)
		}
	}
}

// before reports whether a must stand before b.
func before(a, b search.Hit) bool {
	return a.Score > b.Score || a.Score == b.Score && a.ID < b.ID
}

func testTies(t *testing.T, open Open) {
	var docs []search.Document
	for _, id := range []string{"b", "9", "a", "10", "é", "B", "11", "z"} {
		docs = append(docs, search.Document{ID: id, Title: "heron", Text: "a grey bird"})
	}
	docs = append(docs, search.Document{ID: "zz", Title: "heron heron", Text: "grey heron"})
	engine := open(t, docs)
	all := []string{"zz", "10", "11", "9", "B", "a", "b", "z", "é"}
	for _, n := range []int{1, 2, 4, 9} {
		if diff := cmp.Diff(all[:n], ids(find(t, engine, "heron", n))); diff != "" {
			t.Errorf("ids of the first %d mismatch (-want +got):\n%s", n, diff)
		}
	}
}

func testBounds(t *testing.T, open Open) {
	engine := open(t, corpus())
	all := find(t, engine, "rock band", 100)
	if len(all) != 4 {
		t.Fatalf("%d documents have rock or band, found %d", 4, len(all))
	}
	for _, tt := range []struct{ n, want int }{
		{math.MinInt, 0}, {-1, 0}, {0, 0}, {1, 1}, {3, 3}, {4, 4}, {5, 4}, {math.MaxInt, 4},
	} {
		got := find(t, engine, "rock band", tt.n)
		if len(got) != tt.want {
			t.Errorf("n = %d: %d hits, want %d", tt.n, len(got), tt.want)
			continue
		}
		if diff := cmp.Diff(ids(all[:tt.want]), ids(got)); diff != "" {
			t.Errorf("n = %d is no prefix of all (-want +got):\n%s", tt.n, diff)
		}
	}
}

// OddQueries returns queries that have broken search engines.
func OddQueries() []string {
	return []string{
		"", " ", "\t\n", "\x00", "\xff\xfe", "a\xc3", "AC/DC", "C++", "-5", "title:x", "+must -not",
		"==", "++", "/", "\\", "\"", "\"unclosed", "(", ")", "[a TO b]", "{", "~", "^2", "*", "?", "a*b?",
		"field:", ":value", "a AND", "OR", "NOT", "&&", "||", "!", "'", "’s", "it's", "the", "To be, or not to be",
		"東京", "ﬁ", "e\u0301", "👩‍👩‍👧", "\u202e", "İ", strings.Repeat("long", 20000), strings.Repeat("many words ", 5000),
		"https://example.org/?q=a&b=c#d", "<b>bold</b>", "%s%d", "${x}", "'; DROP TABLE documents; --",
	}
}

func testOddQueries(t *testing.T, open Open) {
	engine := open(t, corpus())
	for _, q := range OddQueries() {
		hits, err := engine.Search(t.Context(), q, 5)
		if err != nil {
			t.Errorf("Search(%.40q): %v", q, err)
		}
		if len(hits) > 5 {
			t.Errorf("Search(%.40q) returned %d hits, want at most 5", q, len(hits))
		}
	}
	for _, tt := range []struct{ query, id string }{
		{"AC/DC", "2"}, {"C++", "1"}, {"東京", "東"}, {"+(hamlet)^2", "α"}, {"RÍO", "10"}, {"-plata", "10"},
	} {
		if got := ids(find(t, engine, tt.query, 1)); len(got) != 1 || got[0] != tt.id {
			t.Errorf("Search(%q) found %q, want %q", tt.query, got, tt.id)
		}
	}
	if got := find(t, engine, "zyzzyva", 5); len(got) != 0 {
		t.Errorf("a word that no document has found %q", ids(got))
	}
}

func testEmpty(t *testing.T, open Open) {
	engine := open(t, nil)
	for _, q := range []string{"", "anything", "to be"} {
		if hits := find(t, engine, q, 10); len(hits) != 0 {
			t.Errorf("Search(%q) found %q", q, ids(hits))
		}
	}
}

func testOwnership(t *testing.T, open Open) {
	engine := open(t, corpus())
	want := find(t, engine, "rock band", 10)
	spoiled := find(t, engine, "rock band", 10)
	for i := range spoiled {
		spoiled[i] = search.Hit{}
	}
	_ = append(spoiled[:1], search.Hit{})
	if diff := cmp.Diff(want, find(t, engine, "rock band", 10)); diff != "" {
		t.Errorf("spoiling a result changed the next one (-want +got):\n%s", diff)
	}
}

func testCancelled(t *testing.T, open Open) {
	engine := open(t, corpus())
	want := find(t, engine, "estuary", 3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	hits, err := engine.Search(ctx, "estuary", 3)
	if err == nil {
		if diff := cmp.Diff(want, hits); diff != "" {
			t.Errorf("no error, but another result (-want +got):\n%s", diff)
		}
	} else if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want context.Canceled in it", err)
	}
}

func testConcurrency(t *testing.T, open Open) {
	engine := open(t, corpus())
	queries := []string{"rock band", "London", "estuary Argentina", "the capital of Japan", "to be", ""}
	want := make([][]search.Hit, len(queries))
	for i, q := range queries {
		want[i] = find(t, engine, q, 5)
	}
	var g sync.WaitGroup
	for worker := range 8 {
		g.Go(func() {
			for round := range 20 {
				i := (worker + round) % len(queries)
				hits, err := engine.Search(t.Context(), queries[i], 5)
				if err != nil {
					t.Errorf("Search(%q): %v", queries[i], err)
					return
				}
				if diff := cmp.Diff(want[i], hits); diff != "" {
					t.Errorf("Search(%q) beside others mismatch (-alone +beside):\n%s", queries[i], diff)
					return
				}
			}
		})
	}
	g.Wait()
}

func find(t *testing.T, engine search.Engine, query string, n int) []search.Hit {
	t.Helper()
	hits, err := engine.Search(t.Context(), query, n)
	if err != nil {
		t.Fatalf("Search(%.40q, %d): %v", query, n, err)
	}
	return hits
}

func ids(hits []search.Hit) []string {
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return ids
}
