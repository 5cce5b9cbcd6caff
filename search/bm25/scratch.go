package bm25

import (
	"sync"

	"trawl/search/english"
)

// A scratch is a search under way.
type scratch struct {
	analyzer

	index   *Index
	class   class
	norms   *norms
	lengths column
	reader  blockReader
	terms   []queryTerm // in the order in which they first stand in the query
	place   map[string]int
	top     ranking

	few     int     // up to how many terms a window is searched by searchWindow
	windows []bound // best first
	bounds  []float64
	inOrder []*queryTerm // those in the window, in the order of the query
	active  []*queryTerm // the same, the one with the least bound first
	prefix  []float64    // sums of the bounds of active
	sums    [spanSize]float64
	seen    [spanSize / 64]uint64
	found   []candidate
	wide    []float64 // zeros, of sumWindow

	reading []int
	block   textBlock
	did     work
}

// work counts what a search does.
type work struct {
	windows  int // that it entered
	summed   int // postings added to sums
	alone    int // postings of a term that was alone in not being looked up
	lookedUp int // times that a term was looked up for a document
	again    int // documents whose sum was added up again
}

// scratches lends what searches write on.
var scratches = sync.Pool{New: func() any {
	return &scratch{
		analyzer: analyzer{english: english.Analyzer{MaxWords: queryWords}},
		place:    make(map[string]int),
		few:      fewTerms,
	}
}}

// What one search leaves to another, lest a great one make all others slow or
// hold memory for ever.
const (
	queryWords = 1 << 12   // words that are remembered: some hundred kilobytes
	keepTerms  = 1 << 10   // of a query
	keepValues = 1 << 16   // of a slice
	keepBytes  = 256 << 10 // of the sparse lists, and of a block of texts
)

// release lets go of the index and its files, and of what is large.
func (s *scratch) release() {
	s.index, s.norms, s.lengths, s.top.ranks = nil, nil, nil, nil
	s.reader = blockReader{term: s.reader.term[:0]}
	if len(s.place) > keepTerms {
		s.place = make(map[string]int)
	}
	if len(s.content)+len(s.stops) > keepTerms {
		s.content, s.stops = nil, nil
		s.terms, s.inOrder, s.active, s.prefix = nil, nil, nil, nil
	}
	rooms := 0
	for i := range s.terms[:cap(s.terms)] {
		t := &s.terms[:cap(s.terms)][i]
		rooms += cap(t.room) + 16*cap(t.larges)
		*t = queryTerm{room: t.room, windowCursor: windowCursor{larges: t.larges[:0]}}
		if rooms > keepBytes {
			*t = queryTerm{}
		}
	}
	s.windows, s.bounds = keep(s.windows), keep(s.bounds)
	s.top.docs, s.found, s.reading = keep(s.top.docs), keep(s.found), keep(s.reading)
	s.block = textBlock{raw: s.block.raw}
	if cap(s.block.raw) > keepBytes {
		s.block.raw = nil
	}
}

// keep returns a slice for the next search.
func keep[T any](s []T) []T {
	if cap(s) > keepValues {
		return nil
	}
	return s[:0]
}
