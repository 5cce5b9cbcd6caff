package weave

import "slices"

// intersection drafts a question for an entity by two statements about it, or
// by three, or by two of which one describes what it is about.
func (a *asker) intersection() (draft, bool) {
	class := a.class()
	k := class[a.rng.IntN(len(class))]
	if !k.isEntity() {
		k = []kind{person, film, company}[a.rng.IntN(3)]
	}
	e := a.w.any(a.rng, k)
	n, extend := 2, false
	switch a.rng.IntN(6) {
	case 0:
		n = 3
	case 1, 2:
		extend = true
	}
	arms, ok := a.arms(e, n)
	if !ok || extend && !a.extend(e, arms) {
		return draft{}, false
	}
	return a.meeting(e, arms)
}

// meeting is the draft of the question for e by arms, if they hold of e alone.
func (a *asker) meeting(e uint32, arms []arm) (draft, bool) {
	k, n := a.w.kind(e), len(arms)
	if found := a.w.meet(k, arms); len(found) != 1 {
		return draft{}, false
	}
	d := draft{hidden: []string{a.w.name(e)}, proof: a.w.proveMeet(k, e, arms)}
	d.Text, d.Type, d.AnswerKind = a.say.meet(k, arms), Intersection, k.String()
	d.Answers, d.Oracle = a.w.golden(k, e), a.w.traceMeet(e, arms)
	d.Complexity = newComplexity(len(d.Oracle), n, n)
	for _, m := range arms {
		if reached, _, _ := a.w.follow(m.known); len(reached) > 0 {
			d.hidden = append(d.hidden, a.names(m.known, reached)...)
		}
	}
	return d, true
}

// arms draws n statements about e of which none about an entity holds of e
// alone. No kind has two relations to a literal with verbs, so that at least
// one is about an entity.
func (a *asker) arms(e uint32, n int) ([]arm, bool) {
	k := a.w.kind(e)
	about := slices.Clone(a.w.facts.about(e))
	a.rng.Shuffle(len(about), func(i, j int) { about[i], about[j] = about[j], about[i] })
	var arms []arm
	for _, t := range about {
		if len(lexicon[t.relation].verbs) == 0 || len(arms) == n {
			continue
		}
		o := a.w.objectKind(t.relation, t)
		if o.isEntity() {
			if _, alone := a.w.sole(t.relation, t.object, k); alone {
				continue
			}
		}
		arms = append(arms, arm{t.relation, path{kind: o, start: t.object}})
	}
	return arms, len(arms) == n
}

// extend replaces what one arm names, an entity or a year, by a path that
// leads to it from another entity.
func (a *asker) extend(e uint32, arms []arm) bool {
	return a.describe(e, &arms[a.rng.IntN(len(arms))].known)
}

// describe makes p longer by a hop at its start, from an entity that is not e.
func (a *asker) describe(e uint32, p *path) bool {
	into := a.into
	if p.kind == year {
		into = a.intoYear
	}
	from, h, ok := into(p.start)
	if !ok || from == e {
		return false
	}
	*p = path{a.w.kind(from), from, append([]hop{h}, p.hops...)}
	reached, _, ok := a.w.follow(*p)
	return ok && straight(*p, reached)
}

// intoYear draws an entity and the hop from it to the year y.
func (a *asker) intoYear(y uint32) (uint32, hop, bool) {
	for range 500 {
		r := relation(a.rng.IntN(relations))
		l := &lexicon[r]
		if l.object[0] != year {
			continue
		}
		e := a.w.any(a.rng, l.domain[a.rng.IntN(len(l.domain))])
		if v, ok := a.w.facts.object(e, r); ok && v == y {
			return e, hop{r, false, year}, true
		}
	}
	return 0, hop{}, false
}
