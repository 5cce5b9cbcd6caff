package weave

import (
	"math/rand/v2"

	"trawl/internal/text"
)

// A name is the recipe of an entity's name, of eight bytes: root is a code in
// the syllables or word pairs of the kind, word an index into the kind's list,
// form one of the kind's patterns.
type name struct {
	root uint32
	word uint16
	form uint8
}

const (
	placeSectors  = 1    // the form of a company named for a place
	tryNeighbours = 4    // draws near other names before one from the whole space
	stride        = 7919 // spreads a pool over its space; a prime that divides none of them
)

// The spaces that roots number.
var (
	surnames     = spell{surnameStarts, surnameMids, surnameEnds}
	places       = spell{placeStarts, placeMids, placeEnds}
	titles       = uint32(len(adjectives) * len(things))
	countrySpace = uint32(len(placeStarts) * len(countryEnds))
)

// A spell numbers the words that syllables make, those of two before those of
// three.
type spell struct{ starts, mids, ends []string }

func (s spell) short() uint32 { return uint32(len(s.starts) * len(s.ends)) }
func (s spell) all() uint32   { return s.short() * uint32(1+len(s.mids)) }

func (s spell) append(b []byte, code uint32) []byte {
	mid := code / s.short()
	code %= s.short()
	b = append(b, s.starts[code%uint32(len(s.starts))]...)
	if mid > 0 {
		b = append(b, s.mids[mid-1]...)
	}
	return append(b, s.ends[code/uint32(len(s.starts))]...)
}

// pool returns one of n words that the callers of equal n share; they are
// short ones if there are enough.
func (s spell) pool(rng *rand.Rand, n uint32) uint32 {
	space := s.short()
	if n > space/2 {
		space = s.all()
	}
	return uint32(uint64(rng.Uint32N(n)) * stride % uint64(space))
}

// nameAll names every entity such that no two names are equal in the normal
// form of answers and many are near: a part of the entities takes the root of
// the one before it, and roots come from pools that several kinds share.
func (w *World) nameAll(rng *rand.Rand) {
	n := uint32(w.Len())
	w.names = make([]name, n)
	used := make(map[uint64]struct{}, n)
	var buf []byte
	for e := range n {
		k := w.kind(e)
		for try := 0; ; try++ {
			w.names[e] = w.draw(rng, e, k, try)
			buf = appendName(buf[:0], k, w.names[e])
			norm := text.Answer(string(buf))
			key := hash(norm)
			if _, taken := used[key]; !taken && !famous[norm] {
				used[key] = struct{}{}
				break
			}
		}
	}
}

// draw proposes a name for e.
func (w *World) draw(rng *rand.Rand, e uint32, k kind, try int) name {
	near := try < tryNeighbours && e > w.starts[k] && rng.IntN(100) < 35
	var n name
	switch k {
	case person:
		n.word = uint16(rng.IntN(len(women) + len(men)))
		n.root = surnames.pool(rng, max(8, uint32(w.count(person)/6)))
		if try >= tryNeighbours {
			n.root = rng.Uint32N(surnames.all())
		}
	case film, novel, album, play:
		n.word = uint16(rng.IntN(len(tails)))
		n.form = uint8(rng.IntN(titleForms))
		families := uint32(w.starts[company]-w.starts[film])/4 + 1
		n.root = uint32(uint64(rng.Uint32N(families)) * stride % uint64(titles))
		if try >= tryNeighbours {
			n.root = rng.Uint32N(titles)
		}
	case company:
		n.word = uint16(rng.IntN(len(sectors)))
		n.form = uint8(rng.IntN(2))
		n.root = surnames.pool(rng, max(8, uint32(w.count(person)/6)))
		if n.form == placeSectors {
			n.root = w.placeRoot(rng, try)
		}
	case country:
		n.root = rng.Uint32N(countrySpace)
	default:
		n = w.drawPlace(rng, k, try)
	}
	if near && k != country {
		n.root = w.names[e-1].root
		if k == company {
			n.form = w.names[e-1].form
		}
	}
	return n
}

// drawPlace proposes a name that is made of a place's.
func (w *World) drawPlace(rng *rand.Rand, k kind, try int) name {
	n := name{root: w.placeRoot(rng, try)}
	switch k {
	case city:
		if rng.IntN(3) == 0 {
			n.word = uint16(rng.IntN(len(cityModifiers)))
		}
	case university:
		n.word = uint16(rng.IntN(len(universityForms)))
	case institute, conference:
		n.word = uint16(rng.IntN(len(sciences)))
	case museum:
		n.word = uint16(rng.IntN(len(collections)))
	case festival:
		n.word = uint16(rng.IntN(len(arts)))
	case prize:
		n.word = uint16(rng.IntN(len(fields)))
	}
	return n
}

func (w *World) placeRoot(rng *rand.Rand, try int) uint32 {
	if try >= tryNeighbours {
		return rng.Uint32N(places.all())
	}
	return places.pool(rng, max(8, uint32(w.count(city)/2)))
}

var universityForms = []string{" University", " Technical University", " State University", " Agricultural University"}

// titleForms is the number of patterns of works' titles.
const titleForms = 7

// appendName appends the name that n is the recipe of, without an article
// unless it is part of a title.
func appendName(b []byte, k kind, n name) []byte {
	switch k {
	case person:
		b = append(append(b, givenName(n)...), ' ')
		return surnames.append(b, n.root)
	case film, novel, album, play:
		return appendTitle(b, n)
	case company:
		if n.form == placeSectors {
			b = places.append(b, n.root)
		} else {
			b = surnames.append(b, n.root)
		}
		return append(append(b, ' '), sectors[n.word]...)
	case country:
		start, end := n.root%uint32(len(placeStarts)), n.root/uint32(len(placeStarts))
		return append(append(b, placeStarts[start]...), countryEnds[end]...)
	case city:
		return places.append(append(b, cityModifiers[n.word]...), n.root)
	case mountain:
		return places.append(append(b, "Mount "...), n.root)
	case battle:
		return places.append(append(b, "Battle of "...), n.root)
	}
	b = places.append(b, n.root)
	switch k {
	case university:
		b = append(b, universityForms[n.word]...)
	case institute:
		b = append(append(b, " Institute of "...), sciences[n.word]...)
	case museum:
		b = append(append(b, " Museum of "...), collections[n.word]...)
	case river:
		b = append(b, " River"...)
	case festival:
		b = append(append(append(b, ' '), arts[n.word]...), " Festival"...)
	case conference:
		b = append(append(b, " Conference on "...), sciences[n.word]...)
	case prize:
		b = append(append(b, " Prize for "...), fields[n.word]...)
	}
	return b
}

// appendTitle appends a work's title. Titles of one root share their words.
func appendTitle(b []byte, n name) []byte {
	adjective := adjectives[n.root%uint32(len(adjectives))]
	thing := things[n.root/uint32(len(adjectives))]
	before, after := "", ""
	switch n.form {
	case 0:
		before = "The "
	case 1:
		after = plural(thing)
	case 2, 3:
		before, after = "The ", " "+tails[n.word]
	case 4:
		after = " " + tails[n.word]
	case 5:
		before = "Beyond the "
	case 6:
		before = "Return to the "
	}
	b = append(append(b, before...), adjective...)
	b = append(b, ' ')
	if n.form == 1 {
		return append(b, after...)
	}
	return append(append(b, thing...), after...)
}

// plural returns the plural of a thing.
func plural(s string) string {
	switch last := s[len(s)-1]; {
	case s == "Wolf":
		return "Wolves"
	case s == "Reef":
		return "Reefs"
	case len(s) > 2 && s[len(s)-2:] == "ch":
		return s + "es"
	case last == 'y' && s[len(s)-2] != 'e' && s[len(s)-2] != 'a':
		return s[:len(s)-1] + "ies"
	}
	return s + "s"
}

func givenName(n name) string {
	if int(n.word) < len(women) {
		return women[n.word]
	}
	return men[int(n.word)-len(women)]
}

// name returns the name of e, which is the title of its article.
func (w *World) name(e uint32) string {
	return string(appendName(nil, w.kind(e), w.names[e]))
}

// isWoman reports whether the person e is one.
func (w *World) isWoman(e uint32) bool { return int(w.names[e].word) < len(women) }

// hash is 64-bit FNV-1a.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}
