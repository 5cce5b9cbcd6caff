package eval

import (
	"cmp"

	"trawl/internal/text"
	"trawl/trajectory"
)

// Diversity says how far the rollouts of a question go apart: means over the
// questions for which a measure is defined, nil if there are none. (DivInit §3,
// §6.2)
type Diversity struct {
	QPD     *float64 `json:"qpd"`              // distance of the queries of turn 1
	ATD     *float64 `json:"atd"`              // distance of queries across rollouts
	Overlap *float64 `json:"document_overlap"` // similarity of the retrieved documents
	ITC     *float64 `json:"itc"`              // similarity of a rollout's first query to its later ones

	// RepeatedQueries is, by n from 2, the share of the queries of the n-th rollout
	// by number that rollouts before it made, without regard to case and white
	// space, over the queries of all questions: what [Round.DuplicatesAcross] is
	// held against.
	RepeatedQueries map[int]float64 `json:"repeated_queries"`

	N       int `json:"n"`        // questions with two completed rollouts or more
	LeftOut int `json:"left_out"` // the other questions
}

// QPD returns the mean pairwise Jaccard distance of the queries; false if there
// are fewer than two.
func QPD(queries []string) (float64, bool) {
	sets := make([]text.TokenSet, len(queries))
	for i, q := range queries {
		sets[i] = text.Tokens(q)
	}
	var m running
	for i, a := range sets {
		for _, b := range sets[:i] {
			m.add(a.Distance(b))
		}
	}
	return m.mean()
}

// firstQueries returns the first query of turn 1 of each rollout that searches
// in turn 1.
func firstQueries(rollouts []*trajectory.Trajectory) []string {
	var queries []string
	for _, t := range rollouts {
		for _, s := range t.Steps {
			if s.Kind == trajectory.KindSearch && s.Turn == 1 {
				queries = append(queries, s.Query)
				break
			}
		}
	}
	return queries
}

// A posed is a query and the turn it was made in.
type posed struct {
	turn   int
	tokens text.TokenSet
}

func queriesOf(t *trajectory.Trajectory) []posed {
	var queries []posed
	for _, s := range t.Steps {
		if s.Kind == trajectory.KindSearch {
			queries = append(queries, posed{s.Turn, text.Tokens(s.Query)})
		}
	}
	return queries
}

// atd returns the mean Jaccard distance between queries of different rollouts:
// of the same turn, pooled over turns, or with allPairs of any two turns.
func atd(queries [][]posed, allPairs bool) (float64, bool) {
	var m running
	for i := range queries {
		for j := range i {
			for _, a := range queries[i] {
				for _, b := range queries[j] {
					if allPairs || a.turn == b.turn {
						m.add(a.tokens.Distance(b.tokens))
					}
				}
			}
		}
	}
	return m.mean()
}

// itc returns the mean Jaccard similarity of each rollout's first query to its
// later ones, averaged over the rollouts that have later ones.
func itc(queries [][]posed) (float64, bool) {
	var over running
	for _, q := range queries {
		var m running
		for i := 1; i < len(q); i++ {
			m.add(1 - q[0].tokens.Distance(q[i].tokens))
		}
		if v, ok := m.mean(); ok {
			over.add(v)
		}
	}
	return over.mean()
}

// overlap returns the mean pairwise Jaccard similarity of the sets of documents
// that the rollouts retrieved; pairs that retrieved nothing at all do not count.
func overlap(rollouts []*trajectory.Trajectory) (float64, bool) {
	sets := make([]text.TokenSet, len(rollouts))
	for i, t := range rollouts {
		sets[i] = retrieved(t)
	}
	var m running
	for i, a := range sets {
		for _, b := range sets[:i] {
			if len(a)+len(b) > 0 {
				m.add(1 - a.Distance(b))
			}
		}
	}
	return m.mean()
}

// retrieved returns the ids of the documents that the searches of t returned.
func retrieved(t *trajectory.Trajectory) text.TokenSet {
	ids := make(text.TokenSet)
	for _, s := range t.Steps {
		if s.Kind != trajectory.KindSearch {
			continue
		}
		for _, r := range s.Results {
			ids[cmp.Or(r.ID, r.Title)] = struct{}{} // some servers return no ids
		}
	}
	return ids
}

// A spread is the diversity of one question; a measure that is not defined for
// it is nil.
type spread struct {
	qpd, atd, overlap, itc *float64
	repeats                map[int]share
}

func spreadOf(rollouts []*trajectory.Trajectory, allPairs bool) spread {
	queries := make([][]posed, len(rollouts))
	for i, t := range rollouts {
		queries[i] = queriesOf(t)
	}
	return spread{
		qpd:     pointer(QPD(firstQueries(rollouts))),
		atd:     pointer(atd(queries, allPairs)),
		overlap: pointer(overlap(rollouts)),
		itc:     pointer(itc(queries)),
		repeats: repeats(rollouts),
	}
}

// diversityOf returns the diversity of the questions that have two completed
// rollouts.
func diversityOf(groups []*group) Diversity {
	var d Diversity
	var qpd, atd, overlap, itc running
	repeated := make(map[int]share)
	for _, g := range groups {
		if len(g.done) < 2 {
			d.LeftOut++
			continue
		}
		d.N++
		qpd.addIf(g.spread.qpd)
		atd.addIf(g.spread.atd)
		overlap.addIf(g.spread.overlap)
		itc.addIf(g.spread.itc)
		for n, s := range g.spread.repeats {
			s.join(repeated[n])
			repeated[n] = s
		}
	}
	d.RepeatedQueries = make(map[int]float64)
	for n, s := range repeated {
		if v := s.value(); v != nil {
			d.RepeatedQueries[n] = *v
		}
	}
	d.QPD, d.ATD, d.Overlap, d.ITC = pointer(qpd.mean()), pointer(atd.mean()), pointer(overlap.mean()), pointer(itc.mean())
	return d
}

// running is a mean under way.
type running struct {
	sum float64
	n   int
}

func (m *running) add(v float64) { m.sum, m.n = m.sum+v, m.n+1 }

func (m *running) addIf(v *float64) {
	if v != nil {
		m.add(*v)
	}
}

// mean returns the mean; false if nothing was added.
func (m *running) mean() (float64, bool) {
	if m.n == 0 {
		return 0, false
	}
	return m.sum / float64(m.n), true
}

func pointer(v float64, ok bool) *float64 {
	if !ok {
		return nil
	}
	return &v
}
