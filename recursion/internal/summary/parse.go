// Package summary reads the text in which a model writes down what a round came
// to: the eight sections of Re-TRAC, arXiv:2602.02486 §3.2. [Parse] is all of it.
// Models keep to no form, so whatever is recognised counts, and what had to be
// mended is noted; the names are in repairs.go.
//
// All functions are pure and safe for concurrent use.
package summary

import (
	"slices"
	"strings"

	"trawl/trajectory"
)

// Parse reads a summary into the sections of a state. It sets those, Raw and
// Repairs and nothing else; lists are never nil. Any text can be read: what is
// not in the form that the prompt asks for is understood as far as possible and
// what had to be mended is noted. Headings may be marked with #, in bold, by
// number, by title, or by both, in any case and order; a section that comes
// twice goes on. It takes linear time.
func Parse(raw string) trajectory.State {
	p := parser{outline: outline{section: -1}}
	for line := range strings.SplitSeq(raw, "\n") {
		p.line(strings.TrimRight(line, " \t\r"))
	}
	return p.state(raw)
}

// A parser sorts lines into sections.
type parser struct {
	outline outline
	items   [sections][]item
	apart   bool // a blank line came last
	repairs []string
}

// An item is a line of a section, with those that go on with it.
type item struct {
	parts  []string
	indent int
	row    bool // of a table
}

func (it *item) text() string { return strings.Join(it.parts, " ") }

// note remembers what had to be mended, each name once.
func (p *parser) note(repair string) {
	if !slices.Contains(p.repairs, repair) {
		p.repairs = append(p.repairs, repair)
	}
}

// line takes the next line.
func (p *parser) line(line string) {
	trimmed := strings.TrimSpace(line)
	switch {
	case trimmed == "":
		p.apart = true
		return
	case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") || isRule(trimmed):
		return
	}
	h := readHeadline(line)
	kind, section := p.outline.kind(h)
	switch kind {
	case opens:
		p.open(h, section)
	case strange:
		if p.outline.any {
			p.outline.section = -1
			p.note(repairUnknown)
		}
	case content:
		p.add(line)
	}
	p.apart = false
}

// isRule reports whether a line is drawn rather than written.
func isRule(s string) bool {
	return len(s) >= 3 && strings.Trim(s, "-*_= ") == ""
}

func (p *parser) open(h headline, section int) {
	if !h.asAsked(section) {
		p.note(repairHeading)
	}
	p.outline.open(h, section)
	if h.rest != "" {
		p.items[section] = append(p.items[section], item{parts: []string{h.rest}})
	}
}

// leftOut ends the line that stands in a rendered state for what it leaves out.
const leftOut = "left out here)"

// add adds a line to the section that is open.
func (p *parser) add(line string) {
	n := p.outline.section
	if n < 0 {
		if !p.outline.any {
			p.note(repairPreamble)
		}
		return
	}
	s := strings.TrimSpace(line)
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	s, bullet := cutBullet(s)
	if !bullet && n != secAnswer { // "1. FC Köln" is an answer
		s, bullet = cutDigits(s)
	}
	switch {
	case strings.HasPrefix(s, "|"):
		p.row(n, s)
	case strings.HasSuffix(s, leftOut):
	case p.goesOn(n, s, indent, bullet):
		last := &p.items[n][len(p.items[n])-1]
		last.parts = append(last.parts, s)
	default:
		p.items[n] = append(p.items[n], item{parts: []string{s}, indent: indent})
	}
}

// goesOn reports whether a line goes on with the item before it: one that is
// indented, or the note of a fact on a line of its own.
func (p *parser) goesOn(n int, s string, indent int, bullet bool) bool {
	if len(p.items[n]) == 0 || n == secAnswer {
		return false
	}
	last := p.items[n][len(p.items[n])-1]
	if n == secFacts && (!bullet || indent > last.indent) && beginsNote(s) {
		return true
	}
	return !bullet && !p.apart && indent > last.indent && !last.row
}

// beginsNote reports whether a line begins with a fact's note.
func beginsNote(s string) bool {
	s = strings.ToLower(s[:min(len(s), 40)])
	s = strings.TrimLeft(noteMarks.Replace(s), "[(")
	for _, word := range []string{"source:", "source=", "sources:", "verified:", "verified=", "url:"} {
		if strings.HasPrefix(s, word) {
			return true
		}
	}
	return false
}

// noteMarks takes away what may stand inside such a beginning.
var noteMarks = strings.NewReplacer("*", "", "_", "", " ", "")

// row adds a row of a table. One that is drawn turns the row before it into a
// head, which is dropped.
func (p *parser) row(n int, s string) {
	if strings.Trim(s, "|-: ") == "" {
		if last := len(p.items[n]) - 1; last >= 0 && p.items[n][last].row {
			p.items[n] = p.items[n][:last]
		}
		return
	}
	cells := splitTrim(strings.Trim(s, "| "), "|")
	p.items[n] = append(p.items[n], item{parts: []string{strings.Join(cells, " | ")}, row: true})
}

// state reads the items.
func (p *parser) state(raw string) trajectory.State {
	s := trajectory.State{Raw: raw, CurrentAnswer: p.answer()}
	var ids map[string]string
	s.Facts, ids = p.facts()
	s.Conclusions = p.conclusions(ids)
	s.Sources = []trajectory.Source{}
	for _, line := range p.texts(secSources) {
		if src := parseSource(line); src.URI != "" {
			s.Sources = append(s.Sources, src)
		}
	}
	for n, list := range map[int]*[]string{secUncertainties: &s.Uncertainties, secFailed: &s.Failed, secUncompleted: &s.Uncompleted, secDiscarded: &s.Discarded} {
		*list = []string{}
		for _, line := range p.texts(n) {
			*list = append(*list, plainText(line))
		}
	}
	switch {
	case !p.outline.any:
		p.repairs = []string{NoSections}
	case slices.Contains(p.outline.seen[:secUncertainties+1], false):
		p.note(repairMissing)
	}
	s.Repairs = p.repairs
	return s
}

// texts returns the lines of a section that say something.
func (p *parser) texts(n int) []string {
	var out []string
	for _, it := range p.items[n] {
		if line := it.text(); !isNone(line) {
			out = append(out, line)
		}
	}
	return out
}

// answer reads section 0: its first line that is more than an announcement.
func (p *parser) answer() *string {
	for _, it := range p.items[secAnswer] {
		line := it.text()
		if answerLead.ReplaceAllString(line, "") == "" {
			continue
		}
		answer := cleanAnswer(line)
		if answer != line && !isNone(line) {
			p.note(repairAnswer)
		}
		if answer == "" {
			return nil
		}
		return &answer
	}
	return nil
}

// facts reads section 1. It returns the facts, and which of them an id stands for.
func (p *parser) facts() ([]trajectory.Fact, map[string]string) {
	facts := []trajectory.Fact{}
	for _, line := range p.texts(secFacts) {
		f := parseFact(line)
		if isNone(f.Text) {
			continue
		}
		if f.SourceTool == "" && f.SourceURI == "" && f.Verified == "" {
			p.note(repairUnsourced)
		}
		facts = append(facts, f)
	}
	ids, renumbered := numberFacts(facts)
	if renumbered {
		p.note(repairIDs)
	}
	return facts, ids
}

func (p *parser) conclusions(ids map[string]string) []trajectory.Conclusion {
	out := []trajectory.Conclusion{}
	for _, line := range p.texts(secConclusions) {
		c, unknown := parseConclusion(line, ids)
		if unknown {
			p.note(repairEvidence)
		}
		if c.Text != "" {
			out = append(out, c)
		}
	}
	return out
}
