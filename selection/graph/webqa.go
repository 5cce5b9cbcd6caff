package graph

// webqa adds what the candidates of the search-only variant did: a subquery for
// each search that returned something and, in order of rank, a piece of evidence
// for each of its chunks. (methods A.2)
func (b *builder) webqa(retained []int) {
	there, back := make([]Relation, b.options.Ranks), make([]Relation, b.options.Ranks)
	for n := range there {
		there[n], back[n] = Rank(n+1), RankOf(n+1)
	}
	for a, r := range retained {
		b.g.Answers[a].Text = b.text(b.answers[a])
		last := -1
		for i := range b.pool.Rollouts[r].Searches {
			s := &b.pool.Rollouts[r].Searches[i]
			if s.empty() {
				continue
			}
			sub := b.addSubquery(Subquery{Text: b.query(s.Query), Answers: []int{a}})
			if last < 0 {
				b.edge(Starts, 0, sub)
			} else {
				b.edge(Next, last, sub)
			}
			last = sub
			for rank, c := range s.Chunks {
				if c.blank() {
					continue
				}
				e := b.addEvidence(Evidence{Text: b.chunk(c), Answers: []int{a}, Document: -1})
				n := min(rank, len(there)-1)
				b.both(there[n], back[n], sub, e)
			}
		}
	}
}
