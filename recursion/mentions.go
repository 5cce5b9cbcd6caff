package recursion

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"trawl/recursion/internal/summary"
	"trawl/trajectory"
)

// A renaming is what the facts of a state are called in a merged one.
type renaming struct {
	ids   map[string]string // by their own id
	facts int               // of the merged state
}

// What a text calls facts by: an id or a range of them, and brackets that hold
// those and nothing else, with the blanks before them.
const (
	idForm       = `E(\d{1,4})(?:\s*[-–]\s*E?(\d{1,4}))?`
	listForm     = `\s*` + idForm + `(?:(?:\s*[,;&]\s*|\s+and\s+)` + idForm + `)*\s*`
	citationForm = `\s*(?:\[` + listForm + `\]|\(` + listForm + `\))`
)

var (
	mention  = regexp.MustCompile(`\b` + idForm + `\b`)
	citation = regexp.MustCompile(citationForm)
	either   = regexp.MustCompile(citationForm + `|\b` + idForm + `\b`)
)

// maxRange is how many facts a mention such as E1–E9 stands for at most.
const maxRange = 50

// of returns the new ids of the facts that s mentions. Taken says that each of
// its ids, known or not, is one of the merged state.
func (r renaming) of(s string) (known []string, taken bool) {
	taken = true
	for _, m := range mention.FindAllStringSubmatch(s, -1) {
		from, _ := strconv.Atoi(m[1]) // at most four digits
		to, _ := strconv.Atoi(m[2])
		for n := from; n <= min(max(from, to), from+maxRange); n++ {
			taken = taken && n <= r.facts
			if id := r.ids[summary.FactID(n)]; id != "" && !slices.Contains(known, id) {
				known = append(known, id)
			}
		}
	}
	return known, taken
}

// text returns s with facts by their new ids. An id in brackets that is none of
// the state is left out, with the brackets if there is no other, so that it does
// not come to mean another fact. Elsewhere what looks like an id and is none
// stays: roads and additives have such names.
func (r renaming) text(s string) string { return r.replace(s, either) }

// claim is text for a fact, which is about the world: only what stands in
// brackets is taken for a mention.
func (r renaming) claim(s string) string { return r.replace(s, citation) }

// replace renames what matches. Of what says nothing else, nothing is left out.
func (r renaming) replace(s string, form *regexp.Regexp) string {
	return cmp.Or(strings.TrimSpace(form.ReplaceAllStringFunc(s, r.part)), s)
}

// part renames a match.
func (r renaming) part(old string) string {
	known, taken := r.of(old)
	list := strings.Join(known, ", ")
	inside := strings.TrimSpace(old)
	bracket := inside[0] == '[' || inside[0] == '('
	switch {
	case len(known) > 0 && bracket:
		return old[:strings.IndexAny(old, "[(")+1] + list + inside[len(inside)-1:]
	case len(known) > 0:
		return list
	case bracket && taken:
		return ""
	}
	return old
}

// state returns s with what it says of its facts renamed; the facts themselves
// are as they were.
func (r renaming) state(s trajectory.State) trajectory.State {
	s.Conclusions = slices.Clone(s.Conclusions)
	for i, c := range s.Conclusions {
		s.Conclusions[i].Text = r.text(c.Text)
	}
	s.Sources = slices.Clone(s.Sources)
	for i, src := range s.Sources {
		s.Sources[i].Status = r.text(src.Status)
	}
	for _, list := range []*[]string{&s.Uncertainties, &s.Failed, &s.Uncompleted, &s.Discarded, &s.Conflicts} {
		*list = slices.Clone(*list)
		for i, line := range *list {
			(*list)[i] = r.text(line)
		}
	}
	return s
}
