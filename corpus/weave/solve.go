package weave

// A hop follows a relation, from the subject to its object or back.
type hop struct {
	relation relation
	back     bool
	kind     kind // of what it leads to
}

// A path leads over hops from something that a question names to something
// that it hides. Without hops it is the named thing itself, which may be a
// literal.
type path struct {
	kind  kind // of start
	start uint32
	hops  []hop
}

// end returns the kind of what p leads to.
func (p path) end() kind {
	if n := len(p.hops); n > 0 {
		return p.hops[n-1].kind
	}
	return p.kind
}

// An arm is the statement that the object of relation for the thing sought is
// what known leads to.
type arm struct {
	relation relation
	known    path
}

// holders returns the facts of relation r with the entity o as object and a
// subject of kind k.
func (w *World) holders(r relation, o uint32, k kind) []fact {
	var found []fact
	for _, i := range w.facts.of(o) {
		if t := w.facts.all[i]; t.relation == r && w.kind(t.subject) == k {
			found = append(found, t)
		}
	}
	return found
}

// sole returns the only fact of relation r with object o and a subject of kind
// k. It is false if there is none or there are several.
func (w *World) sole(r relation, o uint32, k kind) (fact, bool) {
	var found fact
	n := 0
	for _, i := range w.facts.of(o) {
		if t := w.facts.all[i]; t.relation == r && w.kind(t.subject) == k {
			if n++; n > 1 {
				return fact{}, false
			}
			found = t
		}
	}
	return found, n == 1
}

// follow walks p. It returns the values that the hops reach and the facts that
// they use, and false unless every hop has exactly one way to go.
func (w *World) follow(p path) (reached []uint32, proof []fact, ok bool) {
	at := p.start
	for _, h := range p.hops {
		t, ok := w.take(at, h)
		if !ok {
			return nil, nil, false
		}
		at = w.reach(t, h)
		reached = append(reached, at)
		proof = append(proof, t)
	}
	return reached, proof, true
}

// take returns the only fact over which h leaves at.
func (w *World) take(at uint32, h hop) (fact, bool) {
	if h.back {
		return w.sole(h.relation, at, h.kind)
	}
	return w.facts.stored(at, h.relation)
}

// reach returns where h arrives over t.
func (w *World) reach(t fact, h hop) uint32 {
	switch {
	case h.back:
		return t.subject
	case h.relation == birthyear:
		return yearOf(t.object)
	}
	return t.object
}

// value returns what p leads to.
func (w *World) value(p path) (uint32, bool) {
	reached, _, ok := w.follow(p)
	switch {
	case !ok:
		return 0, false
	case len(reached) == 0:
		return p.start, true
	}
	return reached[len(reached)-1], true
}

// meet returns the entities of kind k of which all arms hold. At least one arm
// must be a relation to an entity.
func (w *World) meet(k kind, arms []arm) []uint32 {
	var found []uint32
	for i, a := range arms {
		if !joins(a.relation) {
			continue
		}
		o, ok := w.value(a.known)
		if !ok {
			return nil
		}
		for _, t := range w.holders(a.relation, o, k) {
			if w.meets(t.subject, arms[:i]) && w.meets(t.subject, arms[i+1:]) {
				found = append(found, t.subject)
			}
		}
		return found
	}
	return nil
}

// meets reports whether all arms hold of e.
func (w *World) meets(e uint32, arms []arm) bool {
	for _, a := range arms {
		want, ok := w.value(a.known)
		got, has := w.facts.object(e, a.relation)
		if !ok || !has || got != want {
			return false
		}
	}
	return true
}
