package weave

import (
	"slices"
	"strings"

	"trawl/internal/seed"
	"trawl/internal/text"
)

// drawsPerSite is how many false claims are drawn for one kind of trap at one
// spot before the next is tried, of which the first half must lead to another
// answer.
const drawsPerSite = 600

// A layer lays traps.
type layer struct {
	w       *World
	scribe  *scribe
	names   map[string]bool // of all entities, in normal form
	claimed map[claim]int   // how many questions rest on a fact, by both its ends
}

// A claim is one end of a fact and the relation: what a second fact of the same
// would make doubtful.
type claim struct {
	relation relation
	end      uint32
	back     bool
}

func claims(t fact) [2]claim {
	return [2]claim{{t.relation, t.subject, false}, {t.relation, t.object, true}}
}

// lay makes a trap for every question that can have one without touching what
// another rests on; the others are nil.
func (w *World) lay() []*snare {
	l := &layer{w: w, scribe: newScribe(w), names: make(map[string]bool), claimed: make(map[claim]int)}
	for e := range uint32(w.entities()) {
		l.names[text.Answer(w.name(e))] = true
	}
	for _, p := range w.proofs {
		for c := range p.claims() {
			l.claimed[c]++
		}
	}
	snares := make([]*snare, len(w.questions))
	for i := range w.questions {
		snares[i] = l.snare(i)
	}
	l.part(snares)
	return snares
}

// claims returns what p rests on, as a set.
func (p *proof) claims() map[claim]bool {
	set := make(map[claim]bool)
	for _, t := range p.facts {
		for _, c := range claims(t) {
			set[c] = true
		}
	}
	return set
}

// snare makes a trap for question i, of the kind whose turn it is if one of its
// spots suits that.
func (l *layer) snare(i int) *snare {
	rng := seed.Rand(l.w.opts.Seed, "weave", "traps", i)
	p := &l.w.proofs[i]
	order := rng.Perm(len(p.spots))
	for turn := range turns {
		k := turns[(i+turn)%len(turns)]
		for _, at := range order {
			s := &p.spots[at]
			if !s.suits(k) {
				continue
			}
			for try := range drawsPerSite {
				lie, truth, reached, ok := s.lie(l.w, rng)
				if !ok || !l.free(i, lie) {
					continue
				}
				answer := s.outcome(l.w, reached)
				if answer == l.w.questions[i].Answers[0] || answer == "" && try < drawsPerSite/2 {
					continue
				}
				if found := l.tell(i, s, k, lie, truth, answer); found != nil {
					return found
				}
			}
		}
	}
	return nil
}

// free reports whether lie concerns no other question, and names nothing that
// question i names or its oracle finds.
func (l *layer) free(i int, lie fact) bool {
	own := l.w.proofs[i].claims()
	for _, c := range claims(lie) {
		n := l.claimed[c]
		if own[c] {
			n--
		}
		if n > 0 {
			return false
		}
	}
	return true
}

// tell writes the trap that lie is. It is nil if the document would give itself
// or the answer away.
func (l *layer) tell(i int, s *spot, k TrapKind, lie, truth fact, answer string) *snare {
	q := &l.w.questions[i]
	value := l.w.literal(lexicon[lie.relation].object[0], lie.object)
	if joins(lie.relation) {
		value = l.w.name(lie.object)
	}
	if s.hop.back {
		value = l.w.name(lie.subject)
	}
	if tells(q.Text, []string{value}) || l.found(i, value) {
		return nil
	}
	d, dated := l.scribe.trap(k, lie, truth)
	if l.names[text.Answer(d.Title)] {
		return nil
	}
	return &snare{
		Trap: Trap{
			Kind: k, False: l.w.statement(lie), True: l.w.statement(truth), Value: value, Answer: answer,
			Contradicted: []string{docID(truth.subject)}, Triggers: triggers(q.Oracle[s.step].Args.Query, d), Step: s.step,
		},
		doc: d, about: truth.subject, dated: dated, lie: lie,
		query: strings.Replace(lexicon[truth.relation].query, "{}", l.w.name(truth.subject), 1),
	}
}

// found reports whether the oracle of question i finds the value.
func (l *layer) found(i int, value string) bool {
	return slices.ContainsFunc(l.w.questions[i].Oracle, func(s Step) bool { return tells(s.Subconclusion, []string{value}) })
}

// part drops the later of two traps that lie about the same or have one title.
func (l *layer) part(snares []*snare) {
	taken, titles := make(map[claim]bool), make(map[string]bool)
	for i, s := range snares {
		if s == nil {
			continue
		}
		both := claims(s.lie)
		if taken[both[0]] || taken[both[1]] || titles[s.doc.Title] {
			snares[i] = nil
			continue
		}
		taken[both[0]], taken[both[1]], titles[s.doc.Title] = true, true, true
	}
}
