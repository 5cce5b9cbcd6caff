package weave

import (
	"math"
	"math/rand/v2"
)

// Persons are born from firstBirth on, over the next births years, in the
// order of their numbers give or take a few years, so that a contemporary is a
// neighbour. No fact is later than lastYear.
const (
	firstBirth = 1850
	births     = 140
	lastYear   = 2020
)

// A relater draws the facts of a world, kind by kind.
type relater struct {
	w       *World
	rng     *rand.Rand
	all     []fact
	born    []uint16   // year, by person
	began   []uint16   // year of founding, by organisation
	writing []uint16   // year of publication, by novel
	skilled [][]uint32 // persons by trade, oldest first
}

// relate draws the facts of w.
func relate(w *World, rng *rand.Rand) facts {
	r := &relater{w: w, rng: rng, all: make([]fact, 0, w.Len()*6)}
	r.trades()
	r.organisations()
	r.persons()
	r.novels()
	r.films()
	r.stageAndMusic()
	r.placesAndRivers()
	r.events()
	return newFacts(r.all, w.Len())
}

func (r *relater) add(s uint32, rel relation, o uint32) {
	r.all = append(r.all, fact{subject: s, relation: rel, object: o})
}

// chance is true in p of 100 draws.
func (r *relater) chance(p int) bool { return r.rng.IntN(100) < p }

// each calls f for every entity of kind k.
func (r *relater) each(k kind, f func(e uint32)) {
	for e := r.w.starts[k]; e < r.w.starts[k+1]; e++ {
		f(e)
	}
}

// popular returns an entity of kind k, the first of them more often than the
// last: one in n^u^1.6 with u uniform, so that there are capitals and villages.
func (r *relater) popular(k kind) uint32 {
	n := float64(r.w.count(k))
	return r.w.starts[k] + uint32(n*math.Pow(r.rng.Float64(), 1.6))
}

// within draws a year from y on, within the next n years, up to lastYear.
func (r *relater) within(y, n int) uint32 { return uint32(min(lastYear, y+r.rng.IntN(n))) }

// trades gives every person an occupation and a birth date.
func (r *relater) trades() {
	n := r.w.count(person)
	r.born = make([]uint16, n)
	r.skilled = make([][]uint32, len(trades))
	var cycle []uint8
	for p := range n {
		if len(cycle) == 0 {
			cycle = append(cycle, tradeCycle...)
			r.rng.Shuffle(len(cycle), func(i, j int) { cycle[i], cycle[j] = cycle[j], cycle[i] })
		}
		t := cycle[0]
		cycle = cycle[1:]
		y := firstBirth + births*p/n + r.rng.IntN(13) - 6
		r.born[p] = uint16(y)
		r.skilled[t] = append(r.skilled[t], uint32(p))
		r.add(uint32(p), occupation, uint32(t))
		r.add(uint32(p), birthdate, newDate(y, 1+r.rng.IntN(12), 1+r.rng.IntN(28)))
	}
}

// member returns a person of the trade, or any person if it has none.
func (r *relater) member(t int) uint32 {
	if list := r.skilled[t]; len(list) > 0 {
		return list[r.rng.IntN(len(list))]
	}
	return r.w.any(r.rng, person)
}

// contemporary returns a person of the trade who was born at about year y.
func (r *relater) contemporary(t, y int) uint32 {
	list := r.skilled[t]
	if len(list) == 0 {
		return r.w.any(r.rng, person)
	}
	spread := max(1, len(list)/10)
	at := (y-firstBirth)*len(list)/births + r.rng.IntN(2*spread+1) - spread
	return list[max(0, min(len(list)-1, at))]
}

func (r *relater) organisations() {
	r.began = make([]uint16, r.w.starts[city]-r.w.starts[company])
	begin := func(o uint32, y int) {
		r.began[o-r.w.starts[company]] = uint16(y)
		r.add(o, founded, uint32(y))
	}
	for _, k := range []kind{company, institute, museum} {
		r.each(k, func(o uint32) {
			p := r.w.any(r.rng, person)
			r.add(o, founder, p)
			begin(o, min(lastYear, int(r.born[p])+24+r.rng.IntN(30)))
		})
	}
	r.each(university, func(o uint32) { begin(o, 1420+r.rng.IntN(440)) })
	for _, k := range houses {
		r.each(k, func(o uint32) { r.add(o, seat, r.popular(city)) })
	}
	r.each(company, func(o uint32) {
		r.add(o, headquarters, r.popular(city))
		if i := o - r.w.starts[company]; i > 0 && r.chance(35) {
			r.add(o, parent, r.w.starts[company]+r.rng.Uint32N(i))
		}
	})
}

// organisation returns one that existed in year y, if a few draws find one,
// and the year of its founding.
func (r *relater) organisation(y int) (o uint32, began int) {
	for range 6 {
		o = r.w.any(r.rng, employers[r.rng.IntN(len(employers))])
		began = int(r.began[o-r.w.starts[company]])
		if began <= y {
			break
		}
	}
	return o, began
}

func (r *relater) persons() {
	n := uint32(r.w.count(person))
	r.each(person, func(p uint32) {
		y := int(r.born[p])
		r.add(p, birthplace, r.popular(city))
		if r.chance(75) {
			r.add(p, school, r.popular(university))
		}
		if o, began := r.organisation(y + 45); began <= y+45 && r.chance(60) {
			r.add(p, employer, o)
		}
		if back := n * uint32(15+r.rng.IntN(25)) / births; back <= p && r.chance(35) && int(r.born[p-back])+10 <= y {
			r.add(p, mentor, p-back)
		}
	})
	for p := uint32(0); p+3 < n; p += 4 {
		for q := p; q < p+2; q++ {
			if r.chance(50) {
				r.add(q, spouse, q+2)
				r.add(q+2, spouse, q)
			}
		}
	}
}

func (r *relater) novels() {
	r.writing = make([]uint16, r.w.count(novel))
	r.each(novel, func(e uint32) {
		p := r.member(novelist)
		y := r.within(int(r.born[p])+25, 35)
		r.writing[e-r.w.starts[novel]] = uint16(y)
		r.add(e, author, p)
		r.add(e, published, y)
	})
}

func (r *relater) films() {
	r.each(film, func(e uint32) {
		p := r.member(filmDirector)
		for try := 0; r.born[p] < 1885 && try < 6; try++ {
			p = r.member(filmDirector)
		}
		y := max(1910, r.within(int(r.born[p])+25, 35))
		r.add(e, director, p)
		r.add(e, released, y)
		if r.chance(70) {
			r.add(e, composer, r.contemporary(composing, int(y)-40))
		}
		if n := r.w.any(r.rng, novel); uint32(r.writing[n-r.w.starts[novel]]) < y && r.chance(75) {
			r.add(e, basis, n)
		}
	})
}

func (r *relater) stageAndMusic() {
	r.each(album, func(e uint32) {
		p := r.member(singer)
		for try := 0; r.born[p] < 1915 && try < 6; try++ {
			p = r.member(singer)
		}
		r.add(e, artist, p)
		r.add(e, released, max(1948, r.within(int(r.born[p])+20, 30)))
	})
	r.each(play, func(e uint32) {
		p := r.member(playwriting)
		r.add(e, playwright, p)
		r.add(e, premiered, r.within(int(r.born[p])+24, 35))
	})
}

func (r *relater) placesAndRivers() {
	countries := uint32(r.w.count(country))
	mayors := r.skilled[politician]
	r.each(city, func(e uint32) {
		i := e - r.w.starts[city]
		if i < countries {
			r.add(e, located, r.w.starts[country]+i)
			r.add(r.w.starts[country]+i, capital, e)
		} else {
			r.add(e, located, r.popular(country))
		}
		if r.chance(60) {
			r.add(e, waterway, r.w.any(r.rng, river))
		}
		if len(mayors) > 0 && r.chance(70) {
			last := len(mayors) - 1
			r.add(e, mayor, mayors[last])
			mayors = mayors[:last]
		}
	})
	r.each(river, func(e uint32) {
		r.add(e, source, r.w.any(r.rng, mountain))
		r.add(e, length, uint32(40+r.rng.IntN(2360)))
	})
	r.each(mountain, func(e uint32) {
		r.add(e, located, r.popular(country))
		r.add(e, height, uint32(610+r.rng.IntN(7200)))
	})
}

func (r *relater) events() {
	for _, k := range meetings {
		r.each(k, func(e uint32) {
			o, began := r.organisation(1990)
			r.add(e, venue, r.popular(city))
			r.add(e, organiser, o)
			r.add(e, held, r.within(max(1880, began+1), 40))
		})
	}
	r.each(battle, func(e uint32) {
		p := r.contemporary(general, firstBirth+r.rng.IntN(births/2))
		r.add(e, site, r.popular(city))
		r.add(e, victor, p)
		r.add(e, fought, r.within(int(r.born[p])+28, 25))
	})
	r.each(prize, func(e uint32) {
		o, began := r.organisation(1990)
		y := r.within(max(1880, began+1), 40)
		n := r.w.count(person)
		at := (int(y)-45-firstBirth)*n/births + r.rng.IntN(n/8+1)
		r.add(e, awarder, o)
		r.add(e, awarded, y)
		r.add(e, laureate, uint32(max(0, min(n-1, at))))
	})
}
