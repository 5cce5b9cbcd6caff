package reader

import (
	"slices"
)

// A part is one statement of a meeting: a way back from its object.
type part struct {
	goal   Goal
	claims []Claim
}

// A verdict is what one part says of a candidate: yes, or no with the value that
// stands against it, or nothing.
type verdict struct {
	yes, known bool
	other      string
}

// says returns whether the part's statement holds of a candidate: by a claim on
// the way back or by what the candidate's own page says.
func (p *part) says(v *solver, candidate string) verdict {
	key := nameKey(candidate)
	for _, c := range p.claims {
		if nameKey(c.Value) == key && !(v.shelf.Careful && v.shelf.Refuted(p.goal, candidate)) {
			return verdict{yes: true, known: true}
		}
	}
	claims := v.claims(Goal{Rel: p.goal.Rel, Subject: candidate})
	for _, c := range claims {
		if nameKey(c.Value) == nameKey(p.goal.Subject) {
			return verdict{yes: true, known: true}
		}
	}
	if len(claims) == 0 {
		return verdict{}
	}
	return verdict{known: true, other: claims[0].Value}
}

// maxCandidates bounds how many candidates of a meeting are looked at.
const maxCandidates = 8

// meet looks for what all parts lead back to. Candidates of one part that the
// others say nothing of are left to be read about.
func (v *solver) meet(n *Node) (string, bool) {
	var parts []part
	var candidates []Claim
	for _, arg := range n.Args {
		object, ok := v.value(arg.Args[0])
		if !ok {
			return "", false
		}
		g := Goal{Rel: arg.Rel, Subject: object, Back: true, Noun: n.Noun}
		p := part{g, v.claims(g)}
		parts = append(parts, p)
		for _, c := range p.claims {
			if len(candidates) < maxCandidates && !slices.ContainsFunc(candidates, func(d Claim) bool { return nameKey(c.Value) == nameKey(d.Value) }) {
				candidates = append(candidates, c)
			}
		}
	}
	agreed, unread := v.sift(parts, candidates)
	if len(agreed) > 0 {
		value, known := v.believe(parts[0].goal, agreed)
		for _, p := range parts {
			v.out.Facts = append(v.out.Facts, Fact{p.goal, value, known})
		}
		return value, true
	}
	v.openParts(parts, unread)
	return "", false
}

// sift asks all parts about the candidates, and returns those on which they
// agree and what is to be read about others that none speaks against.
func (v *solver) sift(parts []part, candidates []Claim) (agreed []Claim, unread []Goal) {
	for _, c := range candidates {
		all, refuted := true, false
		for i := range parts {
			said := parts[i].says(v, c.Value)
			v.weigh(parts[i].goal, c.Value, said)
			all = all && said.yes
			refuted = refuted || said.known && !said.yes
			if !said.known {
				unread = append(unread, Goal{Rel: parts[i].goal.Rel, Subject: c.Value})
			}
		}
		if all {
			agreed = append(agreed, c)
		}
		if refuted {
			unread = slices.DeleteFunc(unread, func(g Goal) bool { return g.Subject == c.Value })
		} else {
			v.out.Last = c.Value
		}
	}
	return agreed, unread
}

// weigh notes what one part says of a candidate.
func (v *solver) weigh(g Goal, candidate string, said verdict) {
	switch {
	case said.yes:
		v.out.Candidates = append(v.out.Candidates, Fact{Goal: g, Value: candidate})
	case said.known:
		v.out.Refuted = append(v.out.Refuted, Fact{Goal: Goal{Rel: g.Rel, Subject: candidate}, Value: said.other})
	}
}

// openParts notes what a meeting needs: first the parts that name something and
// have no candidates, then the candidates to read about, then the parts that
// only give a date or number, which are hard to search for.
func (v *solver) openParts(parts []part, unread []Goal) {
	for _, literal := range [...]bool{false, true} {
		for _, p := range parts {
			switch p.goal.Rel.Kind {
			case Date, Year, Number:
				if literal {
					v.open(p.goal)
				}
			default:
				if !literal && len(p.claims) == 0 {
					v.open(p.goal)
				}
			}
		}
		for _, g := range unread {
			v.open(g)
		}
	}
}
