package bm25

import (
	"fmt"
	"strings"
	"testing"

	"trawl/search"
	"trawl/search/index"
)

// bytes returns about what a scratch holds that grows with queries and hits.
func (s *scratch) bytes() int {
	n := 16*(cap(s.content)+cap(s.stops)+cap(s.found)+cap(s.windows)) + 64*len(s.place) + 24*cap(s.top.docs) +
		8*(cap(s.bounds)+cap(s.reading)+cap(s.inOrder)+cap(s.active)+cap(s.prefix)+cap(s.wide)) + cap(s.block.raw)
	for _, t := range s.terms[:cap(s.terms)] {
		n += 256 + cap(t.room) + 16*cap(t.larges)
	}
	return n
}

// openSimply opens an index of the documents.
func openSimply(t testing.TB, docs []search.Document, window int, params index.Params) *Index {
	t.Helper()
	dir := t.TempDir()
	if err := WriteSimply(dir, docs, params, window); err != nil {
		t.Fatal(err)
	}
	x, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// TestScratchReleased has searches that take much, each in its own way: they
// leave little to the next, and nothing of their index.
func TestScratchReleased(t *testing.T) {
	var words []string
	for i := range 50_000 {
		words = append(words, fmt.Sprint("q", i))
	}
	docs := []search.Document{{ID: "great", Text: strings.Join(words, " ")}, {ID: "huge", Text: "owl" + strings.Repeat(" ", 8<<20)}}
	for i := range 2000 {
		docs = append(docs, search.Document{ID: fmt.Sprint(i), Text: "elk gnu " + strings.Repeat("yak ", 300)})
	}
	x := openSimply(t, docs, 64, index.DefaultParams())
	for _, tt := range []struct {
		query   string
		n, hits int
		least   int // bytes that the search takes
	}{
		{"elk gnu yak", 10, 10, 0},
		{"owls and what not", 10, 1, 8 << 20},
		{"elk q77", 2000, 2000, 0},
		{strings.Join(words, " "), 10, 1, 10 << 20},
		{strings.Repeat("q1 ", 50_000), 10, 1, 1 << 20},
	} {
		s := scratches.New().(*scratch)
		hits, err := s.search(t.Context(), x, tt.query, tt.n)
		if err != nil || len(hits) != tt.hits {
			t.Fatalf("the best %d for %.40q: %d, %v, want %d", tt.n, tt.query, len(hits), err, tt.hits)
		}
		if got := s.bytes(); got < tt.least {
			t.Errorf("the best %d for %.40q took %d bytes, want at least %d", tt.n, tt.query, got, tt.least)
		}
		s.release()
		if got := s.bytes(); got > 1<<20 {
			t.Errorf("the best %d for %.40q leave %d bytes to the next search", tt.n, tt.query, got)
		}
		if s.index != nil || s.norms != nil || s.lengths != nil || s.top.ranks != nil || s.reader.data != nil || s.block.rest != nil {
			t.Errorf("a search for %.40q leaves its index", tt.query)
		}
		for i, q := range s.terms[:cap(s.terms)] {
			if q.list.heads != nil || q.list.body != nil || q.docs != nil || q.tfs != nil || q.more != nil {
				t.Errorf("a search for %.40q leaves the postings of term %d", tt.query, i)
			}
		}
	}
}

// TestScratchAmongIndexes has one scratch search two indexes in turn that differ
// in everything: each search finds its own index's documents.
func TestScratchAmongIndexes(t *testing.T) {
	var docs [2][]search.Document
	for i := range 40 {
		docs[0] = append(docs[0], search.Document{ID: fmt.Sprint("a", i), Text: "elk " + strings.Repeat("gnu ", i%7)})
		docs[1] = append(docs[1], search.Document{ID: fmt.Sprint("b", i), Text: strings.Repeat("elk ", 1+i)})
	}
	var all [2]*Index
	for i := range all {
		all[i] = openSimply(t, docs[i], 64, index.DefaultParams())
	}
	s := scratches.New().(*scratch)
	for round := range 4 {
		i := round % 2
		hits, err := s.search(t.Context(), all[i], "elk", 1)
		if err != nil {
			t.Fatal(err)
		}
		want := []search.Document{docs[0][0], docs[1][39]}[i] // behind the first, where that was read last
		if len(hits) != 1 || hits[0].Document != want {
			t.Errorf("round %d: found %+v, want %+v", round, hits, want)
		}
		if round > 1 { // as between searches, and as if that were forgotten
			s.release()
		}
	}
}

func TestKeep(t *testing.T) {
	if got := keep(make([]int, keepValues)); cap(got) != keepValues || len(got) != 0 {
		t.Errorf("of %d values, %d of %d are kept", keepValues, len(got), cap(got))
	}
	if got := keep(make([]int, keepValues+1)); got != nil {
		t.Errorf("more than %d values are kept", keepValues)
	}
	s := scratches.New().(*scratch)
	for range 100 {
		s.terms = append(s.terms, queryTerm{room: make([]byte, 10_000)})
	}
	s.release()
	rooms := 0
	for _, q := range s.terms[:100] {
		rooms += len(q.room)
	}
	if rooms == 0 || rooms > keepBytes {
		t.Errorf("%d bytes of lists are kept, want some and at most %d", rooms, keepBytes)
	}
}
