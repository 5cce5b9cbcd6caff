package bm25

import (
	"cmp"
	"context"
	"encoding/binary"
	"math/bits"
	"slices"
)

// spanSize is how many neighbouring documents are summed up at a time: few
// enough that their sums stay in a core's first cache.
const spanSize = 1 << 12

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

	windows []bound // best first
	bounds  []float64
	active  []*queryTerm // those in the window, the one with the least bound first
	inOrder []*queryTerm // those in the window, in the order of the query
	prefix  []float64    // sums of the bounds of active
	sums    [spanSize]float64
	seen    [spanSize / 64]uint64
	found   []candidate

	reading []int
	block   textBlock
}

// A bound says how good the documents of a window can be.
type bound struct {
	window int
	score  float64
}

// A candidate is a document in a window with what it has scored so far.
type candidate struct {
	at    uint32 // document within the window
	score float64
}

// A windowCursor is a place in the postings of a term in a window.
type windowCursor struct {
	window
	n      int // postings
	pos    int
	larges []large
	bound  float64 // no document in the window scores more by the term
	rest   bool    // the term is only looked up for what the others bring
}

// doc returns the document of posting i within the window.
func (c *windowCursor) doc(i int) uint32 {
	return uint32(binary.LittleEndian.Uint16(c.docs[2*i:]))
}

// tf returns how often the document of posting i has the term.
func (c *windowCursor) tf(i int) uint32 {
	tf := uint32(c.tfs[i])
	if tf == fullTF {
		tf = c.largeTF(i)
	}
	return tf
}

func (c *windowCursor) largeTF(i int) uint32 {
	at, _ := slices.BinarySearchFunc(c.larges, i, func(l large, i int) int { return l.at - i })
	return c.larges[at].tf
}

// seek moves to the first posting from the document on, in steps that grow, and
// reports whether it is the document's.
func (c *windowCursor) seek(doc uint32) bool {
	lo, step := c.pos, 1
	for lo+step < c.n && c.doc(lo+step) < doc {
		lo, step = lo+step, 2*step
	}
	hi := min(lo+step, c.n) // not before the document, or the end
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); c.doc(mid) < doc {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	c.pos = lo
	return lo < c.n && c.doc(lo) == doc
}

// atLeast makes of a sum of m terms, in whatever order they were added, what no
// other order exceeds.
func atLeast(sum float64, m int) float64 { return sum * (1 + float64(m+2)*0x1p-51) }

// run finds the best documents: window by window, the one with the best bound
// first, until no window can hold any.
func (s *scratch) run(ctx context.Context) error {
	s.rankWindows()
	for _, w := range s.windows {
		if err := ctx.Err(); err != nil {
			return err
		}
		if atLeast(w.score, len(s.terms)) < s.top.least() {
			break
		}
		if err := s.enter(w.window); err != nil {
			return err
		}
		s.searchWindow(w.window)
	}
	return ctx.Err()
}

// rankWindows adds up the terms' bounds in each window.
func (s *scratch) rankWindows() {
	s.bounds = slices.Grow(s.bounds[:0], s.index.layout.windows())[:s.index.layout.windows()]
	clear(s.bounds)
	for i := range s.terms {
		t := &s.terms[i]
		for j := range t.list.windows() {
			h := t.list.head(j)
			s.bounds[h.window] += t.score(float64(h.max))
		}
	}
	s.windows = s.windows[:0]
	for w, b := range s.bounds {
		if b > 0 {
			s.windows = append(s.windows, bound{w, b})
		}
	}
	slices.SortFunc(s.windows, func(a, b bound) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		return a.window - b.window
	})
}

// score returns what a saturation makes of the term. The conversions keep
// compilers from fusing operations.
func (t *queryTerm) score(saturation float64) float64 {
	return float64(t.count * float64(t.idf*saturation))
}

// enter puts the terms at the beginning of a window.
func (s *scratch) enter(w int) (err error) {
	s.active, s.inOrder = s.active[:0], s.inOrder[:0]
	for i := range s.terms {
		t := &s.terms[i]
		h, postings, ok := t.list.find(w)
		if !ok {
			continue
		}
		t.windowCursor = windowCursor{window: postings, n: h.count, larges: t.larges[:0], bound: t.score(float64(h.max))}
		if t.larges, err = postings.larges(t.larges); err != nil {
			return err
		}
		s.active, s.inOrder = append(s.active, t), append(s.inOrder, t)
	}
	slices.SortStableFunc(s.active, func(a, b *queryTerm) int { return cmp.Compare(a.bound, b.bound) })
	s.prefix = append(s.prefix[:0], 0)
	for i, t := range s.active {
		s.prefix = append(s.prefix, s.prefix[i]+t.bound)
	}
	return nil
}

// searchWindow offers the documents of a window that may be among the best. The
// terms whose bounds together do not reach the worst of those are looked up only
// for documents that have another term.
func (s *scratch) searchWindow(w int) {
	first := uint32(w * s.index.layout.window)
	size := uint32(s.index.layout.size(w))
	lengths := s.lengths[4*first : 4*(first+size)]
	rest := 0 // how many terms are only looked up
	for from := uint32(0); from < size; from += spanSize {
		for rest < len(s.active) && s.hopeless(s.prefix[rest+1]) {
			s.active[rest].rest = true
			rest++
		}
		if rest == len(s.active) {
			return
		}
		if rest == len(s.active)-1 {
			s.collectOne(s.active[rest], from, s.prefix[rest], lengths)
		} else {
			for _, t := range s.inOrder {
				if !t.rest {
					s.addSpan(t, from, lengths)
				}
			}
			s.collect(from, s.prefix[rest])
		}
		for i := rest - 1; i >= 0 && len(s.found) > 0; i-- {
			s.lookUp(s.active[i], s.prefix[i], lengths)
		}
		s.offer(first, rest > 0, lengths)
	}
}

// hopeless reports that a document of the score, added up in any order, is not
// among the best. At the score of the worst it may be, by its id.
func (s *scratch) hopeless(score float64) bool {
	return atLeast(score, len(s.active)) < s.top.least()
}

// addSpan adds a term to the sums of the documents of a span.
func (s *scratch) addSpan(t *queryTerm, from uint32, lengths column) {
	pos, end := t.pos, from+spanSize
	for ; pos < t.n; pos++ {
		doc := t.doc(pos)
		if doc >= end {
			break
		}
		at := doc % spanSize
		s.sums[at] += t.score(s.norms.saturation(t.tf(pos), lengths.at(doc)))
		s.seen[at/64] |= 1 << (at % 64)
	}
	t.pos = pos
}

// collect takes the sums of a span, of those documents that may reach the best
// with rest more.
func (s *scratch) collect(from uint32, rest float64) {
	s.found = s.found[:0]
	least := s.top.least() / atLeast(1, 2*len(s.active)+2)
	for i, word := range s.seen {
		if word == 0 {
			continue
		}
		s.seen[i] = 0
		for ; word != 0; word &= word - 1 {
			at := 64*i + bits.TrailingZeros64(word)
			score := s.sums[at]
			s.sums[at] = 0
			if score+rest >= least {
				s.found = append(s.found, candidate{from + uint32(at), score})
			}
		}
	}
}

// collectOne is addSpan and collect of one term.
func (s *scratch) collectOne(t *queryTerm, from uint32, rest float64, lengths column) {
	s.found = s.found[:0]
	least := s.top.least() / atLeast(1, 2*len(s.active)+2)
	pos, end := t.pos, from+spanSize
	for ; pos < t.n; pos++ {
		doc := t.doc(pos)
		if doc >= end {
			break
		}
		score := t.score(s.norms.saturation(t.tf(pos), lengths.at(doc)))
		if score+rest >= least {
			s.found = append(s.found, candidate{doc, score})
		}
	}
	t.pos = pos
}

// lookUp adds a term to what was found, and drops what cannot reach the best
// with rest more.
func (s *scratch) lookUp(t *queryTerm, rest float64, lengths column) {
	kept := s.found[:0]
	least := s.top.least() / atLeast(1, 2*len(s.active)+2)
	for _, c := range s.found {
		if t.seek(c.at) {
			c.score += t.score(s.norms.saturation(t.tf(t.pos), lengths.at(c.at)))
		}
		if c.score+rest >= least {
			kept = append(kept, c)
		}
	}
	s.found = kept
}

// offer puts what was found among the best. Sums of all terms were added in the
// order of the query; others are added again.
func (s *scratch) offer(first uint32, again bool, lengths column) {
	for _, c := range s.found {
		if s.hopeless(c.score) {
			continue
		}
		if again {
			c.score = s.exact(c.at, lengths)
		}
		s.top.offer(first+c.at, c.score)
	}
}

// exact adds up the score of a document in the order of the query.
func (s *scratch) exact(doc uint32, lengths column) float64 {
	sum := 0.0
	for _, t := range s.inOrder {
		c := windowCursor{window: t.window, n: t.n, larges: t.larges}
		if c.seek(doc) {
			sum += t.score(s.norms.saturation(c.tf(c.pos), lengths.at(doc)))
		}
	}
	return sum
}
