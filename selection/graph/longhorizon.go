package graph

import (
	"slices"

	"trawl/trajectory"
)

// longHorizon adds what the candidates of the browsing variant did: a subquery
// for each search and for the root of each chain of views that no search began,
// and a piece of evidence for each open and find that showed something.
// (methods A.3)
func (b *builder) longHorizon(retained []int) {
	c := newCatalog(b.pool.ID)
	all := make([][]event, len(retained))
	for a, r := range retained {
		all[a] = readEvents(b.pool.Rollouts[r].Events)
		link(all[a])
		c.number(all[a])
	}
	documents := make(map[string]int)
	for a, r := range retained {
		events := all[a]
		c.identify(b.pool.Rollouts[r].name(), events)
		b.g.Answers[a].Text = b.text(b.answers[a])
		subqueries := b.chain(a, events)
		for i := range events {
			e := &events[i]
			if e.text == "" {
				continue
			}
			doc := c.document(e)
			d, known := documents[doc.ID]
			if !known {
				d = len(b.g.Documents)
				documents[doc.ID] = d
				b.g.Documents = append(b.g.Documents, doc)
			}
			find := e.Tool == trajectory.KindFind
			ev := b.addEvidence(Evidence{Text: b.text(e.text), Answers: []int{a}, Document: d, Find: find})
			b.both(BelongsTo, Contains, ev, d)
			first, _ := root(events, i)
			if find {
				b.both(Finds, FoundBy, subqueries[first], ev)
			} else {
				b.both(Opens, OpenedBy, subqueries[first], ev)
			}
		}
	}
}

// chain adds the subqueries of a candidate, joined in the order of their events,
// and returns them by event. Roots of chains without a search are orphans.
func (b *builder) chain(answer int, events []event) map[int]int {
	var roots []int
	for i := range events {
		if events[i].Tool == trajectory.KindSearch {
			roots = append(roots, i)
		} else if events[i].text != "" {
			if first, search := root(events, i); !search {
				roots = append(roots, first)
			}
		}
	}
	slices.Sort(roots)
	roots = slices.Compact(roots)
	subqueries := make(map[int]int, len(roots))
	for n, i := range roots {
		s := Subquery{Text: NoText, Answers: []int{answer}, Orphan: true}
		if events[i].Tool == trajectory.KindSearch {
			s.Text, s.Orphan = b.query(events[i].Query), false
		}
		subqueries[i] = b.addSubquery(s)
		if n > 0 {
			b.both(Next, Previous, subqueries[roots[n-1]], subqueries[i])
		}
	}
	return subqueries
}
