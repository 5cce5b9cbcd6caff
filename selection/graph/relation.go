package graph

import (
	"strconv"
	"strings"
)

// Rank returns the relation of a subquery → the evidence at rank n, from 1.
func Rank(n int) Relation { return Relation("rank" + strconv.Itoa(n)) }

// RankOf returns the relation of the evidence at rank n, from 1 → its subquery.
func RankOf(n int) Relation { return Relation("rank" + strconv.Itoa(n) + "_of") }

// A kind is a kind of node.
type kind int

const (
	kindQuery kind = iota
	kindSubquery
	kindEvidence
	kindDocument
)

// listed returns the relations that are listed as edges in a graph of v with so
// many rank relations.
func listed(v Variant, ranks int) []Relation {
	if v == LongHorizon {
		return []Relation{BelongsTo, Contains, Opens, OpenedBy, Finds, FoundBy, Next, Previous}
	}
	all := []Relation{Starts, Next}
	for n := 1; n <= ranks; n++ {
		all = append(all, Rank(n), RankOf(n))
	}
	return all
}

// ends returns the kinds that a relation of v joins, and false if v has none of
// that name.
func (r Relation) ends(v Variant) (source, target kind, ok bool) {
	if r == Next {
		return kindSubquery, kindSubquery, true
	}
	if v == LongHorizon {
		switch r {
		case Previous:
			return kindSubquery, kindSubquery, true
		case BelongsTo:
			return kindEvidence, kindDocument, true
		case Contains:
			return kindDocument, kindEvidence, true
		case Opens, Finds:
			return kindSubquery, kindEvidence, true
		case OpenedBy, FoundBy:
			return kindEvidence, kindSubquery, true
		}
		return 0, 0, false
	}
	if r == Starts {
		return kindQuery, kindSubquery, true
	}
	name, back := strings.CutSuffix(string(r), "_of")
	n, err := strconv.Atoi(strings.TrimPrefix(name, "rank"))
	switch {
	case err != nil || n < 1 || string(Rank(n)) != name:
		return 0, 0, false
	case back:
		return kindEvidence, kindSubquery, true
	}
	return kindSubquery, kindEvidence, true
}

// SameContent returns the relations that are not stored: every ordered pair of
// evidence with one content, intra if one rollout read both and cross if two
// did, sorted. Their number is quadratic in the evidence of a content; means over
// them follow from sums (SEL §3.3), so this is for looking and for tests. A graph
// of merged evidence has none.
func (g *Graph) SameContent() (intra, cross []Edge) {
	members := make([][]int, g.Contents)
	for e := range g.Evidence {
		c := g.Evidence[e].Content
		members[c] = append(members[c], e)
	}
	for e := range g.Evidence {
		for _, other := range members[g.Evidence[e].Content] {
			switch {
			case other == e:
			case g.Origin(e) == g.Origin(other):
				intra = append(intra, Edge{e, other})
			default:
				cross = append(cross, Edge{e, other})
			}
		}
	}
	return intra, cross
}

// Origin returns the number of the retained rollout that read evidence e, as
// candidates are numbered before equal answers are merged. By it two pieces of
// evidence are of one rollout or of two, whatever candidates they support.
func (g *Graph) Origin(e int) int {
	if g.Origins != nil {
		return g.Origins[e]
	}
	return g.Evidence[e].Answers[0]
}
