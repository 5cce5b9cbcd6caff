package reader

import (
	"slices"
)

// A part is one statement of a meeting: a way back from its object.
type part struct {
	goal   Goal
	claims []Claim
}

// says reports whether the part's statement holds of a candidate: by a claim on
// the way back or by what the candidate's own page says. known is false if the
// shelf leaves it open.
func (p *part) says(s *Shelf, candidate string) (yes, known bool) {
	key := nameKey(candidate)
	for _, c := range p.claims {
		if nameKey(c.Value) == key {
			return true, true
		}
	}
	claims := s.Claims(Goal{Rel: p.goal.Rel, Subject: candidate})
	for _, c := range claims {
		if nameKey(c.Value) == nameKey(p.goal.Subject) {
			return true, true
		}
	}
	return false, len(claims) > 0
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
		p := part{g, v.shelf.Claims(g)}
		parts = append(parts, p)
		for _, c := range p.claims {
			if len(candidates) < maxCandidates && !slices.ContainsFunc(candidates, func(d Claim) bool { return nameKey(c.Value) == nameKey(d.Value) }) {
				candidates = append(candidates, c)
			}
		}
	}
	var agreed []Claim
	var unread []Goal
	for _, c := range candidates {
		all, refuted := true, false
		for i := range parts {
			yes, known := parts[i].says(v.shelf, c.Value)
			all = all && yes
			refuted = refuted || known && !yes
			if !known {
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
	if len(agreed) > 0 {
		value := v.believe(parts[0].goal, agreed)
		for _, p := range parts {
			v.out.Facts = append(v.out.Facts, Fact{p.goal, value})
		}
		return value, true
	}
	v.openParts(parts, unread)
	return "", false
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
