package weave

import (
	"slices"
	"sort"
)

// A fact is a triple. The object is an entity or a literal, as the relation's
// objects are: an entity's number, a year, a count of kilometres or metres, an
// index into trades, or a date as year·512 + month·32 + day.
type fact struct {
	subject, object uint32
	relation        relation
}

// facts are all facts of a world, ordered by subject and then relation, with
// an index by object of those whose object is an entity. Each subject has at
// most one fact of a relation.
type facts struct {
	all      []fact
	first    []uint32 // all[first[e]:first[e+1]] are about e
	inverse  []uint32 // positions in all, by object
	firstInv []uint32 // inverse[firstInv[e]:firstInv[e+1]] have the object e
}

// newFacts orders and indexes the facts of n entities.
func newFacts(all []fact, n int) facts {
	f := facts{all: make([]fact, len(all))}
	subject := func(i int) (uint32, bool) { return all[i].subject, true }
	order, first := group(len(all), n, subject)
	for to, from := range order {
		f.all[to] = all[from]
	}
	for e := range n {
		own := f.all[first[e]:first[e+1]]
		slices.SortFunc(own, func(a, b fact) int { return int(a.relation) - int(b.relation) })
	}
	f.first = first
	f.inverse, f.firstInv = group(len(f.all), n, func(i int) (uint32, bool) {
		return f.all[i].object, joins(f.all[i].relation)
	})
	return f
}

// group lists the numbers below count by their key, of which there are n, and
// says where each key starts. A number without a key is left out.
func group(count, n int, key func(int) (uint32, bool)) (order, first []uint32) {
	first = make([]uint32, n+1)
	for i := range count {
		if k, ok := key(i); ok {
			first[k+1]++
		}
	}
	for k := range n {
		first[k+1] += first[k]
	}
	order = make([]uint32, first[n])
	next := slices.Clone(first)
	for i := range count {
		if k, ok := key(i); ok {
			order[next[k]] = uint32(i)
			next[k]++
		}
	}
	return order, first
}

// joins reports whether the objects of r are entities.
func joins(r relation) bool { return lexicon[r].object[0].isEntity() }

// about returns the facts whose subject is e.
func (f *facts) about(e uint32) []fact { return f.all[f.first[e]:f.first[e+1]] }

// of returns the positions of the facts whose object is the entity e.
func (f *facts) of(e uint32) []uint32 { return f.inverse[f.firstInv[e]:f.firstInv[e+1]] }

// stored returns the fact of relation r about e, if there is one. A birth year
// is in the fact of the birth date.
func (f *facts) stored(e uint32, r relation) (fact, bool) {
	if r == birthyear {
		r = birthdate
	}
	own := f.about(e)
	i := sort.Search(len(own), func(i int) bool { return own[i].relation >= r })
	if i == len(own) || own[i].relation != r {
		return fact{}, false
	}
	return own[i], true
}

// object returns the object of relation r for e, if it has one.
func (f *facts) object(e uint32, r relation) (uint32, bool) {
	t, ok := f.stored(e, r)
	if ok && r == birthyear {
		return yearOf(t.object), true
	}
	return t.object, ok
}

func newDate(year, month, day int) uint32 { return uint32(year<<9 | month<<5 | day) }
func yearOf(date uint32) uint32           { return date >> 9 }
