package summary

import (
	"strings"
	"unicode"
)

// sections is the number of sections of a state.
const sections = 8

// The sections, by their numbers in Re-TRAC (arXiv:2602.02486 §3.2).
const (
	secAnswer = iota
	secFacts
	secConclusions
	secSources
	secUncertainties
	secFailed
	secUncompleted
	secDiscarded
)

// A title is the words that the heading of a section may be made of: at least
// one of the first kind, any of the second.
type title struct{ keys, others string }

var titles = [sections]title{
	{"answer", "current best definite final so far"},
	{"facts fact evidence", "collected key known established verified"},
	{"analysis analyses conclusions conclusion", ""},
	{"sources inventory", "source verification status list visited"},
	{"uncertainties uncertainty limitations limitation gaps gap", "remaining open known"},
	{"failed failures", "attempts attempt searches queries approaches"},
	{"uncompleted incomplete unfinished unexplored", "proposals proposal leads plans"},
	{"discarded rejected excluded", "possibilities possibility candidates options hypotheses"},
}

// titleFillers may stand in any title.
const titleFillers = " and or the of "

// A headline is a line as a heading may be read of it.
type headline struct {
	level  int  // number of # marks; 0 for none
	bullet bool // a list mark stands in front
	bold   bool
	number int    // -1 if there is none from 0 to 7
	punct  bool   // the number is followed by a mark
	title  string // up to a colon or dash
	rest   string // behind that
	words  []string
}

// readHeadline takes a line apart.
func readHeadline(line string) headline {
	h := headline{number: -1}
	s := strings.TrimLeft(line, " \t>")
	for h.level < len(s) && s[h.level] == '#' {
		h.level++
	}
	s = strings.TrimSpace(s[h.level:])
	if h.level > 0 {
		s = strings.TrimSpace(strings.TrimRight(s, "#"))
	} else if item, ok := cutBullet(s); ok {
		h.bullet, s = true, item
	}
	h.bold = strings.HasPrefix(s, "**") || strings.HasPrefix(s, "__")
	s = h.cutNumber(strings.TrimSpace(unmarked.Replace(s)))
	h.title, h.rest = cutTitle(s)
	h.words = titleWords(h.title)
	return h
}

// unmarked takes away the marks of bold text.
var unmarked = strings.NewReplacer("**", "", "__", "")

// cutNumber reads "1.", "1)", "1:", "1 –" and "Section 1:" in front of a title.
func (h *headline) cutNumber(s string) string {
	n := s
	if len(n) > 7 && strings.EqualFold(n[:7], "section") {
		n = strings.TrimLeft(n[7:], " ")
	}
	if n == "" || n[0] < '0' || n[0] > '9' {
		return s
	}
	rest := strings.TrimLeft(n[1:], " ")
	after := strings.TrimLeft(rest, ".):-–—： ")
	h.punct = len(after) < len(rest)
	if !h.punct && rest != "" && len(rest) == len(n)-1 || len(n) > 1 && n[1] >= '0' && n[1] <= '9' {
		return s // "1st", "10."
	}
	if n[0] < '0'+sections {
		h.number = int(n[0] - '0')
	}
	return after
}

// cutTitle splits a line at its first colon or dash.
func cutTitle(s string) (title, rest string) { return cutFirst(s, ":", "：", " — ", " – ", " - ") }

// cutFirst splits s at the first of the separators that are in it.
func cutFirst(s string, seps ...string) (head, rest string) {
	at, width := len(s), 0
	for _, sep := range seps {
		if i := strings.Index(s[:at], sep); i >= 0 {
			at, width = i, len(sep)
		}
	}
	return strings.TrimSpace(s[:at]), strings.TrimSpace(s[at+width:])
}

// maxTitle is how many words a title has at most.
const maxTitle = 12

func titleWords(s string) []string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	if len(words) > maxTitle {
		return nil
	}
	return words
}

// strict returns the section whose title the words are, all of them, or -1.
func (h headline) strict() int {
	for n, t := range titles {
		keys := 0
		fits := true
		for _, w := range h.words {
			switch {
			case hasWord(t.keys, w):
				keys++
			case !hasWord(t.others, w) && !hasWord(titleFillers, w):
				fits = false
			}
		}
		if fits && keys > 0 {
			return n
		}
	}
	return -1
}

// loose returns the section that the first telling word stands for, or -1.
func (h headline) loose() int {
	for _, w := range h.words {
		for n, t := range titles {
			if hasWord(t.keys, w) {
				return n
			}
		}
	}
	return -1
}

func hasWord(list, w string) bool { return strings.Contains(" "+list+" ", " "+w+" ") }

// What a line is to the sections.
type lineKind uint8

const (
	content    lineKind = iota
	opens               // it begins a section
	subheading          // it structures the section it stands in
	strange             // it begins something that is no section
)

// An outline is what the headings so far were like, which decides what can be
// one: a model that marks its headings writes lists of single words without
// meaning any of them as one.
type outline struct {
	section int // -1 before the first and after a strange one
	level   int // of the last heading that opened a section
	seen    [sections]bool
	any     bool
	hashed  bool // a heading had # marks
	bare    bool // the last was a number alone
}

// kind says what h is, and which section it opens.
func (o *outline) kind(h headline) (lineKind, int) {
	strict := h.strict()
	switch {
	case h.level > 0:
		deeper := o.any && o.level > 0 && h.level > o.level
		switch {
		case strict >= 0:
			return opens, strict
		case deeper || o.any && o.level == 0 && o.section >= 0 && h.number < 0:
			return subheading, 0
		case h.number >= 0:
			return opens, h.number
		case h.loose() >= 0:
			return opens, h.loose()
		}
		return strange, 0
	case h.number >= 0 && h.title == "" && h.rest == "":
		if h.punct && !h.bullet && (!o.any || o.bare) {
			return opens, h.number
		}
	case strict >= 0 && o.plain(h, strict):
		return opens, strict
	case h.number >= 0 && h.bold && !h.bullet && h.loose() == h.number:
		return opens, h.number
	}
	return content, 0
}

// plain reports whether a line without # marks that reads like a title opens a
// section.
func (o *outline) plain(h headline, section int) bool {
	numbered := h.number >= 0
	switch {
	case h.bullet && (o.hashed || !h.bold):
		return false
	case o.hashed && (o.seen[section] || len(h.words) < 2 && h.number != o.section+1):
		return false
	}
	return h.rest == "" || numbered || section == secAnswer
}

// open notes that h opened a section.
func (o *outline) open(h headline, section int) {
	o.section, o.level, o.any = section, h.level, true
	o.hashed = o.hashed || h.level > 0
	o.bare = h.title == ""
	o.seen[section] = true
}

// asAsked reports whether h is a heading in the form of the prompt.
func (h headline) asAsked(section int) bool {
	return h.level == 2 && !h.bold && h.number == section && h.strict() == section && h.rest == ""
}
