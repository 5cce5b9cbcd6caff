package bm25

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
)

// spanSize is how many neighbouring documents are summed up at a time: few
// enough that their sums stay in a core's first cache.
const spanSize = 1 << 12

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

// atLeast makes of a sum of m terms, in whatever order they were added, what no
// other order exceeds.
func atLeast(sum float64, m int) float64 { return sum * (1 + float64(m+2)*0x1p-51) }

// run finds the best documents: window by window, the one with the best bound
// first, until no window can hold any.
func (s *scratch) run(ctx context.Context) error {
	if err := s.rankWindows(ctx); err != nil {
		return err
	}
	for _, w := range s.windows {
		if atLeast(w.score, len(s.terms)) < s.top.least() {
			break
		}
		if err := s.enter(ctx, w.window); err != nil {
			return err
		}
		search := s.searchWindow
		if len(s.inOrder) > s.few {
			search = s.sumWindow
		}
		if err := search(ctx, w.window); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// rankWindows adds up the terms' bounds in each window.
func (s *scratch) rankWindows(ctx context.Context) error {
	s.bounds = slices.Grow(s.bounds[:0], s.index.layout.windows())[:s.index.layout.windows()]
	clear(s.bounds)
	for i := range s.terms {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
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
	return nil
}

// score returns what a saturation makes of the term. The conversions keep
// compilers from fusing operations.
func (t *queryTerm) score(saturation float64) float64 {
	return float64(t.count * float64(t.idf*saturation))
}

// enter puts the terms at the beginning of a window.
func (s *scratch) enter(ctx context.Context, w int) (err error) {
	s.did.windows++
	s.inOrder = s.inOrder[:0]
	for i := range s.terms {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t := &s.terms[i]
		h, postings, ok := t.list.find(w)
		if !ok {
			continue
		}
		t.windowCursor = windowCursor{window: postings, n: h.count, larges: t.larges[:0], bound: t.score(float64(h.max))}
		if len(postings.more) > 0 { // else no tf is large, or the list is damaged, which tf meets
			if t.larges, err = postings.larges(t.larges); err != nil {
				return err
			}
		}
		s.inOrder = append(s.inOrder, t)
	}
	return nil
}

// rankTerms puts the terms in a window in the order of their bounds.
func (s *scratch) rankTerms() {
	s.active = append(s.active[:0], s.inOrder...)
	slices.SortStableFunc(s.active, func(a, b *queryTerm) int { return cmp.Compare(a.bound, b.bound) })
	s.prefix = append(s.prefix[:0], 0)
	for i, t := range s.active {
		s.prefix = append(s.prefix, s.prefix[i]+t.bound)
	}
}

// searchWindow offers the documents of a window that may be among the best. The
// terms whose bounds together do not reach the worst of those are looked up only
// for documents that have another term.
func (s *scratch) searchWindow(ctx context.Context, w int) error {
	s.rankTerms()
	first, size := uint32(w*s.index.layout.window), uint32(s.index.layout.size(w))
	lengths := s.lengthsIn(w)
	rest := 0 // how many terms are only looked up
	for from := uint32(0); from < size; from += spanSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		for rest < len(s.active) && s.hopeless(s.prefix[rest+1]) {
			s.active[rest].rest = true
			rest++
		}
		if rest == len(s.active) {
			return nil
		}
		for _, t := range s.active {
			t.begin = t.pos
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
	return nil
}

// lengthsIn returns the lengths of the documents of a window.
func (s *scratch) lengthsIn(w int) column {
	first := w * s.index.layout.window
	return s.lengths[4*first : 4*(first+s.index.layout.size(w))]
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
	s.did.summed += pos - t.pos
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
	s.did.alone += pos - t.pos
	t.pos = pos
}

// lookUp adds a term to what was found, and drops what cannot reach the best
// with rest more.
func (s *scratch) lookUp(t *queryTerm, rest float64, lengths column) {
	s.did.lookedUp += len(s.found)
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

// exact adds up the score of a document of the span in the order of the query.
func (s *scratch) exact(doc uint32, lengths column) float64 {
	s.did.again++
	sum := 0.0
	for _, t := range s.inOrder {
		c := windowCursor{window: t.window, n: t.n, larges: t.larges, pos: t.begin}
		if c.seek(doc) {
			sum += t.score(s.norms.saturation(c.tf(c.pos), lengths.at(doc)))
		}
	}
	return sum
}
