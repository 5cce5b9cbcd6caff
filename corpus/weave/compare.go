package weave

import "slices"

// comparison drafts a question about two things: which of them comes first,
// whether one does, or whether they share something.
func (a *asker) comparison() (draft, bool) {
	if a.rng.IntN(4) == 0 {
		return a.sameness()
	}
	k := contestants[a.rng.IntN(len(contestants))]
	i := slices.IndexFunc(contests, func(c contest) bool { return slices.Contains(c.kinds, k) })
	c := &contests[i]
	x, y := a.w.any(a.rng, k), a.w.any(a.rng, k)
	u, okx := a.w.facts.object(x, c.relation)
	v, oky := a.w.facts.object(y, c.relation)
	if x == y || !okx || !oky || u == v {
		return draft{}, false
	}
	p, q, ok := a.operands(x, y)
	if !ok {
		return draft{}, false
	}
	form, winner := a.verdict(c, u < v)
	answers, answerKind := []string{winner}, "yes/no"
	switch winner {
	case "a":
		answers, answerKind = a.w.golden(k, x), k.String()
	case "b":
		answers, answerKind = a.w.golden(k, y), k.String()
	}
	d := a.between(p, q, []hop{{c.relation, false, lexicon[c.relation].object[0]}}, form)
	d.Answers, d.AnswerKind = answers, answerKind
	return d, true
}

// verdict draws a form of c and says what answers it, "a", "b", "yes" or "no",
// if a's value is less than b's, or is greater.
func (a *asker) verdict(c *contest, less bool) (form, answer string) {
	switch way := a.rng.IntN(3); {
	case way == 0 && less:
		return pick(a.rng, c.less), "yes"
	case way == 0:
		return pick(a.rng, c.less), "no"
	case way == 1 && less:
		return pick(a.rng, c.least), "a"
	case way == 1:
		return pick(a.rng, c.least), "b"
	case less:
		return pick(a.rng, c.greatest), "b"
	}
	return pick(a.rng, c.greatest), "a"
}

// operands returns paths to x and y: their names, or for some drafts
// descriptions of both, if such lead to them alone.
func (a *asker) operands(x, y uint32) (p, q path, ok bool) {
	k := a.w.kind(x)
	p, q = path{kind: k, start: x}, path{kind: k, start: y}
	if a.rng.IntN(5) > 1 {
		return p, q, true
	}
	fromX, h, okX := a.into(x)
	fromY, i, okY := a.into(y)
	if !okX || !okY || fromX == y || fromY == x || fromX == fromY {
		return p, q, false
	}
	return path{a.w.kind(fromX), fromX, []hop{h}}, path{a.w.kind(fromY), fromY, []hop{i}}, true
}

// between is the draft, without its answer, of the question form about what p
// and q lead to, which is compared at the ends of the hops last.
func (a *asker) between(p, q path, last []hop, form string) draft {
	var d draft
	k := p.end()
	d.Text, d.Type = a.say.compare(form, p, q, k), Comparison
	for _, o := range []path{p, q} {
		if reached, _, _ := a.w.follow(o); len(reached) > 0 {
			d.hidden = append(d.hidden, a.names(o, reached)...)
		}
		o.hops = append(slices.Clone(o.hops), last...)
		reached, _, _ := a.w.follow(o)
		d.hidden = append(d.hidden, a.names(o, reached)[len(o.hops)-len(last):]...)
		d.Oracle = append(d.Oracle, a.w.trace(o)...)
	}
	d.Complexity = newComplexity(len(d.Oracle), 1, 2)
	return d
}

// sameness drafts a question whether two things share something; the answers
// are yes and no in turn.
func (a *asker) sameness() (draft, bool) {
	s := same[a.rng.IntN(len(same))]
	k := s.kinds[a.rng.IntN(len(s.kinds))]
	x := a.w.any(a.rng, k)
	last := make([]hop, len(s.path))
	for i, r := range s.path {
		last[i] = hop{r, false, lexicon[r].object[0]}
	}
	end, ok := a.w.value(path{k, x, last})
	if !ok {
		return draft{}, false
	}
	y, answer := a.w.any(a.rng, k), "no"
	if len(a.seen)%2 == 0 {
		y, answer = a.sharer(end, s.path, k), "yes"
	}
	v, ok := a.w.value(path{k, y, last})
	if !ok || x == y || (v == end) != (answer == "yes") {
		return draft{}, false
	}
	p, q, ok := a.operands(x, y)
	if !ok {
		return draft{}, false
	}
	d := a.between(p, q, last, pick(a.rng, s.asks))
	d.Answers, d.AnswerKind = []string{answer}, "yes/no"
	return d, true
}

// sharer draws an entity of kind k that relations lead from to end, or any of
// kind k if a few draws find no way back.
func (a *asker) sharer(end uint32, relations []relation, k kind) uint32 {
	at := end
	for _, r := range slices.Backward(relations) {
		from, ok := a.backwards(at, r)
		if !ok {
			return a.w.any(a.rng, k)
		}
		at = from
	}
	if a.w.kind(at) != k {
		return a.w.any(a.rng, k)
	}
	return at
}

// backwards draws a subject of which r leads to o.
func (a *asker) backwards(o uint32, r relation) (uint32, bool) {
	of := a.w.facts.of(o)
	for try := 0; try < 20 && len(of) > 0; try++ {
		if t := a.w.facts.all[of[a.rng.IntN(len(of))]]; t.relation == r {
			return t.subject, true
		}
	}
	return 0, false
}
