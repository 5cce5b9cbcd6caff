package weave

import "slices"

// chain drafts a chain of n facts, from its answer back to what it names.
func (a *asker) chain(n int) (draft, bool) {
	at, last, ok := a.ending()
	if !ok {
		return draft{}, false
	}
	p := path{hops: []hop{last}}
	for len(p.hops) < n {
		from, h, ok := a.into(at)
		if !ok {
			return draft{}, false
		}
		p.hops = slices.Insert(p.hops, 0, h)
		at = from
	}
	p.kind, p.start = a.w.kind(at), at
	reached, _, ok := a.w.follow(p)
	if !ok || plain(p) || !straight(p, reached) {
		return draft{}, false
	}
	k, v := last.kind, reached[n-1]
	return draft{
		Question: Question{
			Text: a.say.chain(p), Answers: a.w.golden(k, v), AnswerKind: k.String(), Type: Chain,
			Complexity: newComplexity(n, 1, 1), Oracle: a.w.trace(p),
		},
		hidden: a.names(p, reached),
		proof:  a.w.proveChain(p),
	}, true
}

// ending draws the last hop of a chain with an answer of the class whose turn
// it is, and the entity that it leaves.
func (a *asker) ending() (uint32, hop, bool) {
	class := a.class()
	r := relation(a.rng.IntN(relations))
	l := &lexicon[r]
	s := a.w.any(a.rng, l.domain[a.rng.IntN(len(l.domain))])
	t, ok := a.w.facts.stored(s, r)
	if !ok {
		return 0, hop{}, false
	}
	if k := a.w.objectKind(r, t); slices.Contains(class, k) {
		return s, hop{r, false, k}, true
	}
	k := a.w.kind(s)
	if !slices.Contains(class, k) || len(l.verbs) == 0 || !joins(r) {
		return 0, hop{}, false
	}
	_, ok = a.w.sole(r, t.object, k)
	return t.object, hop{r, true, k}, ok
}

// objectKind returns the kind of the object of t, seen as relation r.
func (w *World) objectKind(r relation, t fact) kind {
	if joins(r) {
		return w.kind(t.object)
	}
	return lexicon[r].object[0]
}

// into draws a hop that leads to the entity e and to nothing else, and where
// it comes from.
func (a *asker) into(e uint32) (uint32, hop, bool) {
	k := a.w.kind(e)
	if of := a.w.facts.of(e); len(of) > 0 && a.rng.IntN(3) > 0 {
		t := a.w.facts.all[of[a.rng.IntN(len(of))]]
		return t.subject, hop{t.relation, false, k}, true
	}
	about := a.w.facts.about(e)
	t := about[a.rng.IntN(len(about))]
	if !joins(t.relation) || len(lexicon[t.relation].whose) == 0 {
		return 0, hop{}, false
	}
	_, ok := a.w.sole(t.relation, t.object, k)
	return t.object, hop{t.relation, true, k}, ok
}

// plain reports whether the answer to p follows from its words: the
// occupation of a director, or of whoever did something else that only one
// trade does.
func plain(p path) bool {
	n := len(p.hops)
	if p.hops[n-1].relation != occupation {
		return false
	}
	switch p.hops[n-2].relation {
	case spouse, mentor, founder, laureate:
		return false
	}
	return true
}

// straight reports whether p passes no entity twice.
func straight(p path, reached []uint32) bool {
	seen := []uint32{p.start}
	for i, v := range reached {
		if !p.hops[i].kind.isEntity() {
			continue
		}
		if slices.Contains(seen, v) {
			return false
		}
		seen = append(seen, v)
	}
	return true
}

// names returns the names of what p reaches.
func (a *asker) names(p path, reached []uint32) []string {
	names := make([]string, len(reached))
	for i, v := range reached {
		names[i] = a.w.literal(p.hops[i].kind, v)
	}
	return names
}
