package weave

import (
	"math/rand/v2"
	"slices"
)

// A proof is what a question rests on.
type proof struct {
	facts []fact          // that the oracle finds, by its steps
	solve func() []string // all answers; nil for a comparison
	spots []spot          // where a false claim would lead astray
}

// A spot is a step of an oracle at which a false claim can stand: about the
// object of what is known or, where the hop leads back, about the subject.
type spot struct {
	step   int
	known  uint32
	hop    hop
	truth  fact
	rivals []uint32 // the subjects that a way back may be led to; any of their kind if empty
	rest   []hop    // of the path, after the hop
	finish func(end uint32) string
}

// proveChain returns the proof of the chain p.
func (w *World) proveChain(p path) proof {
	_, facts, _ := w.follow(p)
	k := p.end()
	finish := func(end uint32) string { return w.golden(k, end)[0] }
	return proof{
		facts: facts,
		spots: w.spots(p, 0, finish),
		solve: func() []string {
			v, ok := w.value(p)
			if !ok {
				return nil
			}
			return []string{finish(v)}
		},
	}
}

// spots returns the spot of every hop of p, whose first step is first.
func (w *World) spots(p path, first int, finish func(uint32) string) []spot {
	reached, facts, _ := w.follow(p)
	all := make([]spot, len(facts))
	at := p.start
	for i, t := range facts {
		all[i] = spot{step: first + i, known: at, hop: p.hops[i], truth: t, rest: p.hops[i+1:], finish: finish}
		at = reached[i]
	}
	return all
}

// proveMeet returns the proof that e alone is the thing of kind k of which arms
// hold. Its spots are those of the paths to what arms describe, and for every
// arm the things that meet all others.
func (w *World) proveMeet(k kind, e uint32, arms []arm) proof {
	var p proof
	others := func(i int) []arm { return slices.Delete(slices.Clone(arms), i, i+1) }
	for i, a := range arms {
		p.spots = append(p.spots, w.spots(a.known, len(p.facts), func(end uint32) string {
			changed := slices.Clone(arms)
			changed[i].known = path{kind: a.known.end(), start: end}
			return w.only(w.meet(k, changed))
		})...)
		_, facts, _ := w.follow(a.known)
		p.facts = append(p.facts, facts...)
	}
	joint := len(p.facts)
	for i, a := range arms {
		t, _ := w.facts.stored(e, a.relation)
		p.facts = append(p.facts, t)
		rivals := slices.DeleteFunc(w.meet(k, others(i)), func(r uint32) bool { return r == e })
		if len(rivals) > 0 {
			v, _ := w.value(a.known)
			p.spots = append(p.spots, spot{
				step: joint, known: v, hop: hop{a.relation, true, k}, truth: t, rivals: rivals, finish: w.name,
			})
		}
	}
	p.solve = func() []string {
		var names []string
		for _, e := range w.meet(k, arms) {
			names = append(names, w.name(e))
		}
		return names
	}
	return p
}

// only returns the name of the one entity in found, if it is one.
func (w *World) only(found []uint32) string {
	if len(found) != 1 {
		return ""
	}
	return w.name(found[0])
}

// outcome returns the answer of who reaches v at the spot.
func (s *spot) outcome(w *World, v uint32) string {
	end, ok := w.value(path{s.hop.kind, v, s.rest})
	if !ok {
		return ""
	}
	return s.finish(end)
}

// lie draws a false claim for the spot, what is true instead, and what the claim
// reaches. It is false if the draw is not plausible.
func (s *spot) lie(w *World, rng *rand.Rand) (lie, truth fact, reached uint32, ok bool) {
	if !s.hop.back {
		lie = s.truth
		lie.object = w.other(rng, s.truth)
		return lie, s.truth, w.reach(lie, s.hop), lie.object != lie.subject && w.alike(s.truth.object, lie.object, lexicon[lie.relation].object[0])
	}
	e := w.any(rng, s.hop.kind)
	if n := len(s.rivals); n > 0 {
		e = s.rivals[rng.IntN(n)]
	}
	truth, ok = w.facts.stored(e, s.hop.relation)
	lie = fact{subject: e, relation: s.hop.relation, object: s.known}
	return lie, truth, e, ok && truth.object != s.known && e != s.known
}

// other draws an object that t has not: for a number one nearby.
func (w *World) other(rng *rand.Rand, t fact) uint32 {
	sign := 1 - 2*rng.IntN(2)
	switch k := w.objectKind(t.relation, t); k {
	case date:
		return newDate(int(yearOf(t.object))+sign*(1+rng.IntN(9)), int(t.object>>5&15), 1+rng.IntN(28))
	case year:
		return uint32(min(lastYear, int(t.object)+sign*(1+rng.IntN(12))))
	case kilometres, metres:
		return uint32(max(20, int(t.object)*(100+sign*(5+rng.IntN(30)))/100))
	case trade:
		return uint32(rng.IntN(len(trades)))
	default:
		return w.any(rng, k)
	}
}

// alike reports whether a careful reader could take b for a: another person must
// have the same occupation and have been born within thirty years.
func (w *World) alike(a, b uint32, k kind) bool {
	if a == b {
		return false
	}
	if k != person {
		return true
	}
	trade1, _ := w.facts.object(a, occupation)
	trade2, _ := w.facts.object(b, occupation)
	born1, _ := w.facts.object(a, birthyear)
	born2, _ := w.facts.object(b, birthyear)
	return trade1 == trade2 && max(born1, born2)-min(born1, born2) <= 30
}
