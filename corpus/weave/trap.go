package weave

import (
	"slices"
	"strconv"
	"strings"

	"trawl/search"
)

// A Trap is a document that says something false where an oracle searches.
// True is what other documents say instead, those of Contradicted.
type Trap struct {
	Question     string   `json:"question_id"`
	Doc          string   `json:"doc_id"`
	Kind         TrapKind `json:"kind"`
	False        string   `json:"false_claim"`
	True         string   `json:"true_claim"`
	Value        string   `json:"false_value"`            // the name or number by which the false claim is known
	Answer       string   `json:"false_answer,omitempty"` // what who believes it comes to; empty where that is nothing
	Contradicted []string `json:"contradicted_by"`
	Triggers     []string `json:"trigger_terms"` // the words of the oracle's query that stand in the document
	Step         int      `json:"at_step"`       // of the oracle, from 0
}

// A TrapKind is how a trap misleads.
type TrapKind string

// The kinds of traps.
const (
	Stale       TrapKind = "stale"             // an older statement of what is otherwise now
	Confusion   TrapKind = "entity-confusion"  // a namesake has the other value
	Attribution TrapKind = "false-attribution" // somebody or something else is given the credit
	Numeric     TrapKind = "numeric"           // a wrong number or date
)

// turns are the kinds in the order in which questions go round them; those that
// suit fewer spots come twice.
var turns = []TrapKind{Stale, Numeric, Attribution, Confusion, Numeric, Attribution}

// changing are the relations whose object may have been another before.
var changing = []relation{employer, spouse, headquarters, parent, seat, mayor, venue, organiser, awarder}

// credits are the relations by which somebody or something has made or won the
// subject.
var credits = []relation{director, composer, basis, author, artist, playwright, founder, victor, laureate, mentor, organiser, awarder}

// suits reports whether a false claim at the spot can be told as a trap of kind k.
func (s *spot) suits(k TrapKind) bool {
	r := s.truth.relation
	switch k {
	case Stale:
		return slices.Contains(changing, r)
	case Confusion:
		return !s.hop.back
	case Attribution:
		return slices.Contains(credits, r)
	}
	switch lexicon[r].object[0] {
	case date, year, kilometres, metres:
		return true
	}
	return false
}

// namesakes are what makes a near name of a name, by kind. No name of a world
// is made so.
var namesakes = [entityKinds][]string{
	person: {"{} the Younger", "{} the Elder"},
	film:   {"{} Revisited", "{} Continued"}, novel: {"{} Revisited", "{} Continued"},
	album: {"{} Revisited", "{} Continued"}, play: {"{} Revisited", "{} Continued"},
	company: {"{} Overseas", "{} Holdings"}, university: {"Free {}", "Second {}"},
	institute: {"Free {}", "Second {}"}, museum: {"Little {}", "Second {}"},
	city: {"{} Minor", "{} Parva"}, country: {"Outer {}", "Lesser {}"},
	river: {"Little {}", "Lesser {}"}, mountain: {"Little {}", "Lesser {}"},
	festival: {"Little {}", "Second {}"}, conference: {"Little {}", "Second {}"},
	battle: {"Second {}", "Lesser {}"}, prize: {"Little {}", "Second {}"},
}

// A snare is a trap before it has a number: its document, the later date that
// the true article gets, and what it lies about.
type snare struct {
	Trap
	doc   search.Document
	about uint32 // whose article holds the truth
	dated string // a sentence that this article gets, if the trap is stale
	lie   fact
	query string // that finds the article
}

// trap writes the document of a trap of kind k that tells lie, and the sentence
// that dates truth, if the kind wants one.
func (s *scribe) trap(k TrapKind, lie, truth fact) (d search.Document, dated string) {
	about := lie.subject
	if k == Attribution {
		about = lie.object
	}
	s.open(about)
	name, page := s.w.name(about), strconv.Itoa(1+s.rng.IntN(900))
	s.full = true
	switch k {
	case Stale:
		y := min(2014, max(1950, s.epoch())+s.rng.IntN(26))
		s.until = y
		then, now := strconv.Itoa(y), strconv.Itoa(2021+s.rng.IntN(4))
		d.Title = "Gazetteer of " + then + ", page " + page
		s.say("The entry on {} fills half of this page of the gazetteer of " + then + ".")
		s.say("As of " + then + ", " + s.w.plainly(lie))
		dated = "As of " + now + ", " + s.w.plainly(truth)
	case Confusion:
		d.Title = strings.Replace(pick(s.rng, namesakes[s.kind]), "{}", name, 1)
		s.say("{} appears in several local histories.")
		s.state(lie, pick(s.rng, lexicon[lie.relation].says))
	case Attribution:
		d.Title = "Lives and Works, page " + page
		s.say("The longest entry on this page of the collection is that on {}.")
		forms := lexicon[lie.relation].inverse
		if len(forms) == 0 {
			forms = lexicon[lie.relation].says
		}
		s.state(lie, pick(s.rng, forms))
	case Numeric:
		d.Title = "Tables of Dates and Figures, page " + page
		s.say("This page of the tables turns from smaller entries to {}.")
		s.say("By the tables, " + s.w.plainly(lie))
	}
	s.fill(minWords + s.rng.IntN(30))
	d.Text = s.text()
	if k == Confusion {
		d.Text = strings.ReplaceAll(d.Text, name, d.Title)
	}
	s.until, s.full = lastFiller, false
	return d, dated
}

// open begins an article about e.
func (s *scribe) open(e uint32) {
	s.pcg.Seed(s.seed, 1<<32|uint64(e))
	s.topic, s.kind = e, s.w.kind(e)
	s.buf, s.ends, s.words, s.stated = s.buf[:0], s.ends[:0], 0, s.stated[:0]
}

// say writes a sentence with the topic's name at {}.
func (s *scribe) say(form string) {
	from := len(s.buf)
	s.buf = append(s.buf, strings.Replace(form, "{}", string(s.w.appendThe(nil, s.topic)), 1)...)
	s.end(from)
}

// plainly returns the statement of t as it stands behind a comma.
func (w *World) plainly(t fact) string {
	sentence := w.statement(t)
	if rest, ok := strings.CutPrefix(sentence, "The "); ok {
		return "the " + rest
	}
	return sentence
}

// triggers returns the words of query that stand in d, in lower case, each once.
func triggers(query string, d search.Document) []string {
	split := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" .,:;?'()", r) })
	}
	there := split(d.Title + " " + d.Text)
	var found []string
	for _, word := range split(query) {
		if len(word) > 3 && slices.Contains(there, word) && !slices.Contains(found, word) {
			found = append(found, word)
		}
	}
	return found
}
