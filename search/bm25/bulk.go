package bm25

import "context"

// fewTerms is up to how many terms of a query in a window MaxScore is used. Among
// 60,000 synthetic passages the best 10 take as long either way at 30 terms, and
// three times as long by MaxScore at 256; where words go together, as in real
// text, it skips more.
const fewTerms = 48

// lookPostings is after how many postings a search looks at its context.
const lookPostings = 1 << 16

// sumWindow adds up the terms in a window one after the other, in the order of
// the query, and offers every document that has one. It takes as long as the
// window has postings, which is little beside what [scratch.searchWindow] takes
// for many terms, each of which that touches for every span and every document.
func (s *scratch) sumWindow(ctx context.Context, w int) error {
	lengths := s.lengthsIn(w)
	if s.wide == nil {
		s.wide = make([]float64, windowSize)
	}
	sums, unseen := s.wide[:lengths.len()], 0
	for _, t := range s.inOrder {
		if unseen += t.n; unseen > lookPostings {
			if err := ctx.Err(); err != nil {
				clear(sums)
				return err
			}
			unseen = 0
		}
		for pos := range t.n {
			doc := t.doc(pos)
			sums[doc] += t.score(s.norms.saturation(t.tf(pos), lengths.at(doc)))
		}
		s.did.summed += t.n
	}
	first, least := uint32(w*s.index.layout.window), s.top.least()
	for at, score := range sums {
		if score == 0 {
			continue
		}
		sums[at] = 0
		if score >= least {
			s.top.offer(first+uint32(at), score)
			least = s.top.least()
		}
	}
	return nil
}
