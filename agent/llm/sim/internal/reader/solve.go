package reader

import (
	"slices"
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

// open notes a hop to be made, once.
func (v *solver) open(g Goal) {
	if !slices.Contains(v.out.Open, g) {
		v.out.Open = append(v.out.Open, g)
	}
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
