package reader

import (
	"slices"
	"strings"
)

// A Fact is a goal and the value that is believed for it.
type Fact struct {
	Goal
	Value    string
	Recalled bool // it was known before: the shelf was not read for it
}

// Sentence returns the fact as a reader notes it down.
func (f Fact) Sentence() string { return note(f.Goal) + f.Value + "." }

// Suggestion returns the fact, of a goal that leads back, as one that holds of
// other things too.
func (f Fact) Suggestion() string { return "One" + strings.TrimPrefix(f.Sentence(), "The one") }

// Suggested finds in one sentence what [Fact.Suggestion] wrote about a goal.
func Suggested(sentence string, g Goal) (string, bool) {
	if rest, ok := strings.CutPrefix(sentence, "One "); ok && g.Back {
		return Noted("The one "+rest, g)
	}
	return "", false
}

func note(g Goal) string {
	if g.Back {
		return "The one with " + g.Rel.Label() + " " + g.Subject + " is "
	}
	return "The " + g.Rel.Label() + " of " + g.Subject + " is "
}

// Unknown says that the goal is open.
func (g Goal) Unknown() string { return note(g) + "unknown." }

// Phrase names what the goal seeks.
func (g Goal) Phrase() string {
	return "the" + strings.TrimSuffix(strings.TrimPrefix(note(g), "The"), " is ")
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

// A Recall returns what is known about a goal beside the shelf, which is then
// not read for it.
type Recall func(g Goal) []string

// A Solution is how far a plan could be followed.
type Solution struct {
	Answer     string // if Done
	Done       bool
	Facts      []Fact // in the order in which they were established
	Open       []Goal // hops that the shelf says nothing about, the next one first
	Last       string // the value that was reached last
	AtEnd      bool   // the last hop is all that is missing
	Candidates []Fact // of a meeting that was not reached: what some of its parts lead back to and none speaks against
	Refuted    []Fact // what a part speaks against, with the value that does
}

// Solve follows the plan of q over the shelf.
func (q *Question) Solve(s *Shelf, believe Believer) Solution { return q.Resume(s, nil, believe) }

// Resume follows the plan of q over the shelf and what is known beside it.
func (q *Question) Resume(s *Shelf, known Recall, believe Believer) Solution {
	var out Solution
	if q.Root == nil {
		return out
	}
	v := solver{shelf: s, known: known, decide: believe, out: &out}
	out.Answer, out.Done = v.value(q.Root)
	out.AtEnd = !out.Done && v.ended == q.Root
	return out
}

type solver struct {
	shelf  *Shelf
	known  Recall // may be nil
	decide Believer
	out    *Solution
	ended  *Node // at which a walk ended, with its subject known
}

// recalled is the page of claims that are known beside the shelf.
const recalled = -1

// claims returns what is known about a goal or else what the shelf says.
func (v *solver) claims(g Goal) []Claim {
	if v.known == nil {
		return v.shelf.Claims(g)
	}
	var out []Claim
	for _, value := range v.known(g) {
		out = append(out, Claim{Value: value, Page: recalled, Strength: onOwnPage})
	}
	if len(out) == 0 {
		return v.shelf.Claims(g)
	}
	return out
}

// believe returns the value to go on with, and whether it is one that was known.
func (v *solver) believe(g Goal, claims []Claim) (value string, known bool) {
	if claims[0].Page == recalled {
		return claims[0].Value, true
	}
	return v.decide(g, claims), false
}

// settle notes a fact, and returns its value.
func (v *solver) settle(g Goal, claims []Claim) string {
	value, known := v.believe(g, claims)
	v.out.Facts = append(v.out.Facts, Fact{Goal: g, Value: value, Recalled: known})
	return value
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
	v.ended = n
	return v.hop(Goal{Rel: n.Rel, Subject: subject, Back: n.Back, Noun: n.Noun})
}

// hop makes one step. Where a country is wanted and only the place is told, the
// place's country is.
func (v *solver) hop(g Goal) (string, bool) {
	claims := v.claims(g)
	if len(claims) == 0 && g.Rel.Name == "country" && !g.Back {
		if place, ok := v.stop(g.Subject); ok {
			g = Goal{Rel: g.Rel, Subject: place}
			claims = v.claims(g)
		}
	}
	if len(claims) == 0 {
		g, claims = v.age(g)
	}
	if len(claims) == 0 {
		v.open(g)
		return "", false
	}
	v.out.Last = v.settle(g, claims)
	return v.out.Last, true
}

// age finds when something that was not born came to be.
func (v *solver) age(g Goal) (Goal, []Claim) {
	if g.Rel.Name != "birthdate" || g.Back {
		return g, nil
	}
	for _, name := range [...]string{"founded", "released", "published", "premiered"} {
		other := Goal{Rel: theGrammar().byName[name], Subject: g.Subject}
		if claims := v.claims(other); len(claims) > 0 {
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
		if claims := v.claims(goal); len(claims) > 0 {
			return v.settle(goal, claims), true
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
