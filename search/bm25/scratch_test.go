package bm25

import (
	"fmt"
	"strings"
	"testing"

	"trawl/search"
	"trawl/search/index"
)

// TestScratchBytes holds what a search says it took to what a great query, many
// hits and a great document take, each of which leaves nothing to the next.
func TestScratchBytes(t *testing.T) {
	var words []string
	for i := range 100_000 {
		words = append(words, fmt.Sprint("q", i))
	}
	docs := []search.Document{{ID: "great", Text: strings.Join(words, " ")}, {ID: "huge", Text: "owl" + strings.Repeat(" ", keepBytes)}}
	for i := range 2000 {
		docs = append(docs, search.Document{ID: fmt.Sprint(i), Text: "elk"})
	}
	dir := t.TempDir()
	if err := WriteSimply(dir, docs, index.DefaultParams(), windowSize); err != nil {
		t.Fatal(err)
	}
	x, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, tt := range []struct {
		query string
		n     int
		hits  int
		kept  bool
	}{
		{"elk", 10, 10, true},
		{"elk elk owls and what not", 100, 100, false}, // the owl's document comes first
		{"elk", 2000, 2000, true},
		{strings.Join(words, " "), 10, 1, false},
	} {
		s := scratches.New().(*scratch)
		hits, err := s.search(t.Context(), x, tt.query, tt.n)
		if err != nil || len(hits) != tt.hits {
			t.Fatalf("the best %d for %.40q: %d, %v, want %d", tt.n, tt.query, len(hits), err, tt.hits)
		}
		if got := s.bytes(); (got <= keepBytes) != tt.kept {
			t.Errorf("the best %d for %.40q took %d bytes, kept: want %v", tt.n, tt.query, got, tt.kept)
		}
	}
}
