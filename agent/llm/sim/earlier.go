package sim

import (
	"slices"
	"strings"

	"trawl/agent/llm/sim/internal/reader"
	"trawl/internal/text"
)

// An earlier is what the model is told of earlier rounds at its question: a
// summary, or the lists of a pool's prompt.
type earlier struct {
	raw      string // the summary as it stands; empty for lists
	answer   string // empty: none
	facts    []finding
	leads    []string // what is open: uncertainties and proposals
	failed   []string // searches that led nowhere
	critical bool     // it is told to be critical of the summary
}

// A finding is a fact of a summary: a sentence, where it is from and how far it
// is verified.
type finding struct{ sentence, source, status string }

// The statuses of findings.
const (
	verified   = "yes"
	partly     = "partial"
	unverified = "no"
)

// sourceNote is how the note behind a fact begins.
const sourceNote = " [Source: "

// Marks of prompts that speak of earlier rounds.
const (
	earlierMark  = "Summary of the earlier attempts, after round "
	guidanceMark = "How to use this summary:"
	criticalMark = "Be critical."
	goOnMark     = "Go on with the question."
	foundMark    = "What earlier rounds found out:"
	disputeMark  = "Contradictory so far:"
	openMark     = "Still open, to be searched for first:"
	triedMark    = "Searches that were made before, not to be repeated:"
)

// readEarlier reads a summary, or lists of what is known, out of a message; nil
// if it has none.
func readEarlier(message string) *earlier {
	if _, rest, ok := strings.Cut(message, earlierMark); ok {
		_, rest, _ = strings.Cut(rest, "\n") // the number of the round
		raw, guidance, guided := strings.Cut(rest, guidanceMark)
		if !guided {
			raw, _, _ = strings.Cut(rest, goOnMark)
		}
		e := readSummary(raw)
		e.critical = guided && strings.Contains(guidance, criticalMark)
		return e
	}
	e := &earlier{leads: listBehind(message, openMark), failed: listBehind(message, triedMark)}
	for _, item := range listBehind(message, foundMark) {
		e.note(item)
	}
	if len(e.facts)+len(e.leads)+len(e.failed) == 0 {
		return nil
	}
	return e
}

// listBehind returns the lines "- …" that follow the line mark.
func listBehind(message, mark string) []string {
	_, rest, _ := strings.Cut(message, mark)
	var out []string
	for line := range strings.SplitSeq(strings.TrimPrefix(rest, "\n"), "\n") {
		item, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if !ok {
			break
		}
		out = append(out, item)
	}
	return out
}

// The numbers of the sections of a summary.
const (
	currentAnswer = iota
	factsCollected
	conclusions
	sourceInventory
	uncertainties
	failedAttempts
	uncompleted
	discarded
	noSection = -1
)

// sections are how the headings of the sections begin.
var sections = [...]string{"current answer", "facts", "analysis", "source inventory", "uncertainties", "failed attempts", "uncompleted", "discarded"}

// sectionOf reads a heading in any of the forms that models give it.
func sectionOf(line string) int {
	line = strings.ToLower(strings.TrimLeft(line, "#*_ .)0123456789"))
	for i, name := range sections {
		if strings.HasPrefix(line, name) && len(line) < 60 {
			return i
		}
	}
	return noSection
}

// readSummary reads a summary section by section; without any headings, by its
// sentences.
func readSummary(raw string) *earlier {
	e := &earlier{raw: raw}
	section := noSection
	for line := range strings.SplitSeq(raw, "\n") {
		line = strings.TrimSpace(line)
		item, bullet := strings.CutPrefix(line, "- ")
		if next := sectionOf(line); next != noSection && !bullet {
			section = next
			continue
		}
		if item = strings.TrimSpace(item); item != "" && !strings.EqualFold(item, "none") {
			e.take(section, item)
		}
	}
	return e
}

// take takes in one line of a section.
func (e *earlier) take(section int, item string) {
	switch section {
	case currentAnswer:
		if e.answer == "" {
			e.answer = strings.Trim(item, "*")
		}
	case factsCollected:
		e.note(item)
	case uncertainties, uncompleted:
		e.leads = append(e.leads, item)
	case failedAttempts:
		e.failed = append(e.failed, quoted(item))
	case noSection:
		for _, s := range sentences(item) {
			e.hear(s)
		}
	}
}

// note takes in a fact: "E1: sentence [Source: tool | where | Verified: yes]",
// of which all but the sentence may be missing.
func (e *earlier) note(item string) {
	if id, rest, ok := strings.Cut(item, ": "); ok && !strings.Contains(id, " ") {
		item = rest
	}
	f := finding{sentence: item, source: "summary | none", status: unverified}
	if i := strings.LastIndex(item, sourceNote); i >= 0 {
		f.sentence = item[:i]
		tag := strings.TrimSuffix(item[i+len(sourceNote):], "]")
		if source, status, whole := strings.Cut(tag, " | Verified: "); whole {
			f.source, f.status = source, status
		} else {
			f.source = tag // it was cut
		}
	}
	e.facts = append(e.facts, f)
}

// hear takes in a sentence of prose.
func (e *earlier) hear(s string) {
	switch answer, found := strings.CutPrefix(s, bestAnswer); {
	case found:
		e.answer = strings.TrimSuffix(answer, ".")
	case strings.HasSuffix(s, " is unknown."), strings.HasPrefix(s, lookUp), strings.HasPrefix(s, checkWhether):
		e.leads = append(e.leads, s)
	case strings.HasPrefix(s, "The "), strings.HasPrefix(s, "One "):
		e.note(s)
	}
}

// How sentences begin that the model writes into summaries.
const (
	bestAnswer   = "The best answer so far is "
	lookUp       = "Look up "
	checkWhether = "Check whether "
)

// sentences splits prose where one of the sentences that the model writes begins.
func sentences(s string) []string {
	var out []string
	for _, piece := range strings.SplitAfter(s, ". ") {
		begins := false
		for _, head := range [...]string{"The ", "One ", lookUp, checkWhether, "So far"} {
			begins = begins || strings.HasPrefix(piece, head)
		}
		if n := len(out); n > 0 && !begins {
			out[n-1] += piece
			continue
		}
		out = append(out, piece)
	}
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

// quoted returns what stands between the outermost quotes of s, or s.
func quoted(s string) string {
	i, j := strings.IndexByte(s, '"'), strings.LastIndexByte(s, '"')
	if i >= 0 && j > i+1 {
		return s[i+1 : j]
	}
	return s
}

// about returns the best verified finding about a goal, the first of equals, and
// its value. One that another contradicts, as well verified as itself, counts as
// verified in part.
func (e *earlier) about(g reader.Goal) (f finding, value string, ok bool) {
	disputed := false
	for _, candidate := range e.facts {
		v, told := reader.Noted(candidate.sentence, g)
		if !told || v == "unknown" {
			continue
		}
		switch {
		case !ok || rank(candidate.status) > rank(f.status):
			f, value, ok, disputed = candidate, v, true, false
		case rank(candidate.status) == rank(f.status) && !sameName(v, value):
			disputed = true
		}
	}
	if disputed && f.status == verified {
		f.status = partly
	}
	return f, value, ok
}

func rank(status string) int {
	switch status {
	case verified:
		return 2
	case partly:
		return 1
	}
	return 0
}

func sameName(a, b string) bool { return text.Answer(a) == text.Answer(b) }

// tried reports whether a search of the same content words led nowhere before.
func (e *earlier) tried(query string) bool {
	key := contentKey(query)
	return slices.ContainsFunc(e.failed, func(old string) bool { return contentKey(old) == key })
}

// failures counts the searches that name something and led nowhere.
func (e *earlier) failures(name string) int {
	n := 0
	for _, old := range e.failed {
		if names(old, name) {
			n++
		}
	}
	return n
}

// contentKey is the same for queries that differ in order and little words.
func contentKey(query string) string {
	words := slices.DeleteFunc(text.Fields(text.Answer(query)), func(w string) bool {
		return w == "of" || w == "what" || w == "is" || w == "in" || w == "for" || w == "by"
	})
	slices.Sort(words)
	return strings.Join(words, " ")
}
