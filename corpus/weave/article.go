package weave

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"strings"

	"trawl/internal/seed"
	"trawl/search"
)

// An article has minWords words or more, and not many more: no kind has facts
// for more than 130.
const minWords = 60

// A scribe writes articles, one at a time. What it writes of an entity depends
// on the world and the entity alone.
type scribe struct {
	w         *World
	seed      uint64
	pcg       *rand.PCG
	rng       *rand.Rand
	topic     uint32
	kind      kind
	buf       []byte   // of all sentences
	ends      []int    // of the sentences in buf
	words     int      // in buf
	stated    []fact   // by the definition
	order     []int    // of the sentences after the first
	fillers   []int    // numbers of filler sentences in random order
	fulfilled []string // definitions whose facts the topic has
	until     int      // the last year of a filler sentence
	full      bool     // the topic has its name in full, wherever it is mentioned
}

// lastFiller is the last year that a filler sentence tells of.
const lastFiller = 2024

func newScribe(w *World) *scribe {
	pcg := rand.NewPCG(0, 0)
	return &scribe{w: w, seed: uint64(seed.Derive(w.opts.Seed, "weave", "articles")), pcg: pcg, rng: rand.New(pcg), until: lastFiller}
}

// document writes the article of e: its definition, then the rest of its
// facts, some facts of which it is the object and some sentences that answer
// no question, shuffled.
func (s *scribe) document(e uint32) search.Document {
	s.pcg.Seed(s.seed, uint64(e))
	s.topic, s.kind = e, s.w.kind(e)
	s.buf, s.ends, s.words, s.stated = s.buf[:0], s.ends[:0], 0, s.stated[:0]
	s.define()
	s.ownFacts()
	s.mentions()
	s.fill(minWords + s.rng.IntN(40))
	return search.Document{ID: docID(e), Title: s.w.name(e), Text: s.text()}
}

// text joins the sentences, those after the first in random order.
func (s *scribe) text() string {
	s.order = s.order[:0]
	for i := 1; i < len(s.ends); i++ {
		s.order = append(s.order, i)
	}
	s.rng.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
	var b strings.Builder
	b.Grow(len(s.buf) + len(s.ends))
	b.Write(s.buf[:s.ends[0]])
	for _, i := range s.order {
		b.WriteByte(' ')
		b.Write(s.buf[s.ends[i-1]:s.ends[i]])
	}
	return b.String()
}

// end finishes the sentence that was written from position from: its first
// letter becomes a capital.
func (s *scribe) end(from int) {
	if c := s.buf[from]; 'a' <= c && c <= 'z' {
		s.buf[from] = c - 'a' + 'A'
	}
	s.words += 1 + bytes.Count(s.buf[from:], []byte{' '})
	s.ends = append(s.ends, len(s.buf))
}

// define writes the first sentence.
func (s *scribe) define() {
	s.fulfilled = s.fulfilled[:0]
	for _, d := range definitions[s.kind] {
		if s.has(d) {
			s.fulfilled = append(s.fulfilled, d)
		}
	}
	s.expand(s.fulfilled[s.rng.IntN(len(s.fulfilled))], func(slot string) {
		switch slot {
		case "s":
			s.the(s.topic)
		case "is":
			s.buf = append(s.buf, s.is()...)
		default:
			t, _ := s.w.facts.stored(s.topic, relationOf(slot))
			s.stated = append(s.stated, t)
			s.value(t)
		}
	})
	s.end(0)
}

// has reports whether the topic has every fact that the definition d states.
func (s *scribe) has(d string) bool {
	for {
		_, rest, found := strings.Cut(d, "{")
		if !found {
			return true
		}
		slot, tail, _ := strings.Cut(rest, "}")
		if slot != "s" && slot != "is" {
			if _, ok := s.w.facts.stored(s.topic, relationOf(slot)); !ok {
				return false
			}
		}
		d = tail
	}
}

func (s *scribe) is() string {
	if y, _ := s.w.facts.object(s.topic, birthyear); y < 1935 {
		return "was"
	}
	return "is"
}

// ownFacts writes a sentence for every fact about the topic that its
// definition has not stated.
func (s *scribe) ownFacts() {
	for _, t := range s.w.facts.about(s.topic) {
		if !s.said(t) {
			s.state(t, pick(s.rng, lexicon[t.relation].says))
		}
	}
}

func (s *scribe) said(t fact) bool {
	for _, u := range s.stated {
		if u == t {
			return true
		}
	}
	return false
}

// mentions writes up to two sentences about facts whose object is the topic.
func (s *scribe) mentions() {
	of := s.w.facts.of(s.topic)
	if len(of) == 0 {
		return
	}
	for range s.rng.IntN(3) {
		t := s.w.facts.all[of[s.rng.IntN(len(of))]]
		if forms := lexicon[t.relation].inverse; len(forms) > 0 && !s.said(t) {
			s.stated = append(s.stated, t)
			s.state(t, pick(s.rng, forms))
		}
	}
}

// state writes the sentence form about the fact t.
func (s *scribe) state(t fact, form string) {
	from := len(s.buf)
	s.expand(form, func(slot string) {
		switch slot {
		case "s":
			s.mention(t.subject, len(s.buf) == from)
		case "s's":
			s.possessive(t.subject, len(s.buf) == from)
		case "o's":
			s.possessive(t.object, len(s.buf) == from)
		case "p":
			s.buf = append(s.buf, s.pronoun().possessive...)
		case "o":
			if joins(t.relation) && t.object == s.topic {
				s.mention(t.object, len(s.buf) == from)
				return
			}
			s.value(t)
		}
	})
	s.end(from)
}

// expand writes form with slot called for what stands in braces.
func (s *scribe) expand(form string, slot func(string)) {
	for {
		open := strings.IndexByte(form, '{')
		if open < 0 {
			s.buf = append(s.buf, form...)
			return
		}
		s.buf = append(s.buf, form[:open]...)
		form = form[open+1:]
		shut := strings.IndexByte(form, '}')
		slot(form[:shut])
		form = form[shut+1:]
	}
}

// mention writes an entity: the topic by a pronoun, in short or in full, all
// others in full. A pronoun only begins a sentence.
func (s *scribe) mention(e uint32, first bool) {
	if e != s.topic || s.full {
		s.the(e)
		return
	}
	switch style := s.rng.IntN(3); {
	case style == 0 && first:
		s.buf = append(s.buf, s.pronoun().nominative...)
	case style == 1:
		s.short()
	default:
		s.the(e)
	}
}

// possessive writes the possessive of an entity, as [scribe.mention] would.
func (s *scribe) possessive(e uint32, first bool) {
	if e == s.topic && first && !s.full && s.rng.IntN(3) == 0 {
		s.buf = append(s.buf, s.pronoun().possessive...)
		return
	}
	s.mention(e, false)
	s.buf = append(s.buf, "'s"...)
}

// the writes an entity's name, after "the" where English wants it.
func (s *scribe) the(e uint32) { s.buf = s.w.appendThe(s.buf, e) }

func (w *World) appendThe(b []byte, e uint32) []byte {
	k := w.kind(e)
	if k.takesArticle() {
		b = append(b, "the "...)
	}
	return appendName(b, k, w.names[e])
}

// short writes the topic in short: a person's last name, or "the" and the
// word for its kind.
func (s *scribe) short() {
	if s.kind == person {
		s.buf = surnames.append(s.buf, s.w.names[s.topic].root)
		return
	}
	s.buf = append(append(s.buf, "the "...), s.kind.String()...)
}

type pronoun struct{ nominative, possessive string }

func (s *scribe) pronoun() pronoun {
	switch {
	case s.kind != person:
		return pronoun{"it", "its"}
	case s.w.isWoman(s.topic):
		return pronoun{"she", "her"}
	}
	return pronoun{"he", "his"}
}

// value writes the object of t as a sentence has it.
func (s *scribe) value(t fact) {
	if joins(t.relation) {
		s.the(t.object)
		return
	}
	k := lexicon[t.relation].object[0]
	if k == trade {
		s.buf = append(s.buf, article(trades[t.object])...)
	}
	s.buf = appendLiteral(s.buf, k, t.object)
}

// article returns "a " or "an ", as fits before noun.
func article(noun string) string {
	if strings.IndexByte("aeiou", noun[0]) >= 0 {
		return "an "
	}
	return "a "
}

var months = [...]string{
	1: "January", "February", "March", "April", "May", "June",
	"July", "August", "September", "October", "November", "December",
}

// appendLiteral appends the value v of the literal kind k: "12 March 1951",
// "1951", "412" or "novelist".
func appendLiteral(b []byte, k kind, v uint32) []byte {
	switch k {
	case date:
		b = strconv.AppendUint(b, uint64(v&31), 10)
		b = append(append(append(b, ' '), months[v>>5&15]...), ' ')
		return strconv.AppendUint(b, uint64(yearOf(v)), 10)
	case trade:
		return append(b, trades[v]...)
	}
	return strconv.AppendUint(b, uint64(v), 10)
}

// relationOf returns the relation of that name.
func relationOf(name string) relation {
	for r := range relation(relations) {
		if relationNames[r] == name {
			return r
		}
	}
	panic("weave: a definition names no relation")
}

func pick(rng *rand.Rand, list []string) string { return list[rng.IntN(len(list))] }

// fill adds sentences that answer no question until the article has at least
// words words.
func (s *scribe) fill(words int) {
	list := fillers[s.kind]
	s.fillers = s.fillers[:0]
	for i := range list {
		s.fillers = append(s.fillers, i)
	}
	s.rng.Shuffle(len(list), func(i, j int) { s.fillers[i], s.fillers[j] = s.fillers[j], s.fillers[i] })
	if near, ok := s.neighbour(); ok && s.rng.IntN(2) == 0 {
		from := len(s.buf)
		s.the(s.topic)
		s.buf = append(s.buf, " should not be confused with "...)
		s.the(near)
		s.buf = append(s.buf, '.')
		s.end(from)
	}
	for _, i := range s.fillers {
		if s.words >= words {
			return
		}
		s.filler(list[i])
	}
}

// neighbour returns the entity before or after the topic if it has a name of
// the same root.
func (s *scribe) neighbour() (uint32, bool) {
	for _, e := range []uint32{s.topic - 1, s.topic + 1} {
		if e >= s.w.starts[s.kind] && e < s.w.starts[s.kind+1] && s.w.names[e].root == s.w.names[s.topic].root {
			return e, true
		}
	}
	return 0, false
}

// filler writes a sentence of [fillers].
func (s *scribe) filler(form string) {
	from := len(s.buf)
	s.expand(form, func(slot string) {
		switch slot {
		case "s":
			s.mention(s.topic, len(s.buf) == from)
		case "s's":
			s.possessive(s.topic, len(s.buf) == from)
		case "p":
			s.buf = append(s.buf, s.pronoun().possessive...)
		case "city":
			s.the(s.elsewhere())
		case "y":
			s.buf = strconv.AppendInt(s.buf, int64(min(s.until, s.epoch()+2+s.rng.IntN(30))), 10)
		case "n":
			s.buf = strconv.AppendInt(s.buf, int64(2+s.rng.IntN(90)), 10)
		}
	})
	s.end(from)
}

// elsewhere returns a city that is not the topic.
func (s *scribe) elsewhere() uint32 {
	e := s.w.any(s.rng, city)
	if e == s.topic {
		e = s.w.starts[city] + (e-s.w.starts[city]+1)%uint32(s.w.count(city))
	}
	return e
}

// epoch returns the year before which nothing is told of the topic.
func (s *scribe) epoch() int {
	for _, t := range s.w.facts.about(s.topic) {
		switch lexicon[t.relation].object[0] {
		case date:
			return int(yearOf(t.object)) + 22
		case year:
			return int(t.object)
		}
	}
	return 1880
}
