package reader

import (
	"slices"
	"strconv"
	"strings"
)

// A Fact is a goal and the value that is believed for it.
type Fact struct {
	Goal
	Value string
}

// Sentence returns the fact as a reader notes it down.
func (f Fact) Sentence() string { return note(f.Goal) + f.Value + "." }

func note(g Goal) string {
	if g.Back {
		return "The one with " + g.Rel.Label() + " " + g.Subject + " is "
	}
	return "The " + g.Rel.Label() + " of " + g.Subject + " is "
}

// Noted finds in notes what was noted down about a goal before: the last such
// sentence counts.
func Noted(notes string, g Goal) (string, bool) {
	head := note(g)
	i := strings.LastIndex(notes, head)
	if i < 0 {
		return "", false
	}
	value, _, _ := strings.Cut(notes[i+len(head):], "\n")
	value = strings.TrimSuffix(value, ".")
	return value, value != ""
}

// A Believer decides what to believe about a goal, given the claims on the
// shelf, of which there is at least one.
type Believer func(g Goal, claims []Claim) string

// A Solution is how far a plan could be followed.
type Solution struct {
	Answer string // if Done
	Done   bool
	Facts  []Fact // in the order in which they were established
	Open   []Goal // hops that the shelf says nothing about, the next one first
	Last   string // the value that was reached last
}

// Solve follows the plan of q over the shelf.
func (q *Question) Solve(s *Shelf, believe Believer) Solution {
	var out Solution
	if q.Root == nil {
		return out
	}
	v := solver{shelf: s, believe: believe, out: &out}
	out.Answer, out.Done = v.value(q.Root)
	return out
}

type solver struct {
	shelf   *Shelf
	believe Believer
	out     *Solution
}

func (v *solver) value(n *Node) (string, bool) {
	switch n.Op {
	case Entity:
		return n.Name, true
	case Follow:
		return v.follow(n)
	case Meet:
		return v.meet(n)
	case Compare:
		return v.compare(n)
	case Same:
		return v.same(n)
	}
	return "", false
}

func (v *solver) follow(n *Node) (string, bool) {
	subject, ok := v.value(n.Args[0])
	if !ok {
		return "", false
	}
	return v.hop(Goal{Rel: n.Rel, Subject: subject, Back: n.Back, Noun: n.Noun})
}

// hop makes one step. Where a country is wanted and only the place is told, the
// place's country is.
func (v *solver) hop(g Goal) (string, bool) {
	claims := v.shelf.Claims(g)
	if len(claims) == 0 && g.Rel.Name == "country" && !g.Back {
		if place, ok := v.stop(g.Subject); ok {
			g = Goal{Rel: g.Rel, Subject: place}
			claims = v.shelf.Claims(g)
		}
	}
	if len(claims) == 0 {
		g, claims = v.age(g)
	}
	if len(claims) == 0 {
		v.open(g)
		return "", false
	}
	value := v.believe(g, claims)
	v.out.Facts = append(v.out.Facts, Fact{Goal: g, Value: value})
	v.out.Last = value
	return value, true
}

// age finds when something that was not born came to be.
func (v *solver) age(g Goal) (Goal, []Claim) {
	if g.Rel.Name != "birthdate" || g.Back {
		return g, nil
	}
	for _, name := range [...]string{"founded", "released", "published", "premiered"} {
		other := Goal{Rel: theGrammar().byName[name], Subject: g.Subject}
		if claims := v.shelf.Claims(other); len(claims) > 0 {
			return other, claims
		}
	}
	return g, nil
}

// stop returns the city in which something other than a place is.
func (v *solver) stop(subject string) (string, bool) {
	g := theGrammar()
	for _, name := range [...]string{"location", "headquarters"} {
		goal := Goal{Rel: g.byName[name], Subject: subject}
		if claims := v.shelf.Claims(goal); len(claims) > 0 {
			value := v.believe(goal, claims)
			v.out.Facts = append(v.out.Facts, Fact{Goal: goal, Value: value})
			return value, true
		}
	}
	return "", false
}

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

// open notes a hop to be made, once.
func (v *solver) open(g Goal) {
	if !slices.Contains(v.out.Open, g) {
		v.out.Open = append(v.out.Open, g)
	}
}

func (v *solver) compare(n *Node) (string, bool) {
	a, okA := v.value(n.Args[0])
	b, okB := v.value(n.Args[1])
	if !okA || !okB {
		return "", false
	}
	x, y := v.measure(n.Args[0], a), v.measure(n.Args[1], b)
	if n.Life {
		x, y = v.life(n, 0, x), v.life(n, 1, y)
	}
	first := x < y
	if n.Greater {
		first = x > y
	}
	switch {
	case n.YesNo && first:
		return "yes", true
	case n.YesNo:
		return "no", true
	case first:
		return v.value(n.Sides[0])
	}
	return v.value(n.Sides[1])
}

// measure returns the number by which the value of a side orders.
func (v *solver) measure(side *Node, value string) float64 {
	if side.Op == Follow && side.Rel.Kind == Number {
		return numberOf(value)
	}
	return measureOf(value)
}

// life returns the life span of side i, who was born at born, in days.
func (v *solver) life(n *Node, i int, born float64) float64 {
	name, _ := v.value(n.Sides[i])
	death := Goal{Rel: theGrammar().byName["deathdate"], Subject: name}
	claims := v.shelf.Claims(death)
	if len(claims) == 0 {
		return 0
	}
	return measureOf(v.believe(death, claims)) - born
}

// measureOf returns a number by which values order: dates by the day, others
// by the first number in them.
func measureOf(value string) float64 {
	var day, month, year float64
	for w := range strings.FieldsSeq(strings.ReplaceAll(value, ",", " ")) {
		switch {
		case isYear(w):
			year, _ = strconv.ParseFloat(w, 64)
		case months[fold(w)] > 0:
			month = float64(months[fold(w)])
		case isDay(w):
			day, _ = strconv.ParseFloat(strings.TrimRight(w, "sthndr"), 64)
		}
	}
	if year > 0 && (month > 0 || strings.TrimSpace(value) == strconv.Itoa(int(year))) {
		return year*372 + month*31 + day
	}
	return numberOf(value)
}

// numberOf returns the first number in value.
func numberOf(value string) float64 {
	digits := strings.ReplaceAll(value, ",", "")
	at, ok := nextNumber(digits, 0, len(digits))
	if !ok {
		return 0
	}
	n, err := strconv.ParseFloat(digits[at.start:at.end], 64)
	if err != nil {
		return 0
	}
	return n
}

func (v *solver) same(n *Node) (string, bool) {
	a, okA := v.value(n.Args[0])
	b, okB := v.value(n.Args[1])
	if !okA || !okB {
		return "", false
	}
	if nameKey(a) == nameKey(b) {
		return "yes", true
	}
	return "no", true
}
