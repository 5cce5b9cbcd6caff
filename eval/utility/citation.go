package utility

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"trawl/internal/text"
)

// A citation is a mark by which a claim names a document, "[id]" or an address, and
// the steps that showed it, from 1.
type citation struct {
	mark  string
	steps []int
}

// citations returns the marks of what a rollout was shown, the longest first, so that
// an address is taken before one that it begins with.
func (r *run) citations() []citation {
	steps := map[string][]int{}
	for i, a := range r.actions {
		for _, mark := range a.marks {
			steps[mark] = append(steps[mark], i+1)
		}
	}
	marks := slices.SortedFunc(maps.Keys(steps), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	out := make([]citation, len(marks))
	for i, mark := range marks {
		out[i] = citation{mark, steps[mark]}
	}
	return out
}

// cite returns the steps whose documents a claim names, and the claim without the
// marks.
func cite(claim string, all []citation) (bare string, steps []int) {
	bare = claim
	for _, c := range all {
		rest, cited := without(bare, c.mark)
		if cited {
			bare, steps = rest, append(steps, c.steps...)
		}
	}
	slices.Sort(steps)
	return bare, slices.Compact(steps)
}

// without returns s with a space in the place of each mark that stands there whole,
// and whether there was one.
func without(s, mark string) (string, bool) {
	var b strings.Builder
	cited := false
	for before := ""; ; {
		at := strings.Index(s, mark)
		if at < 0 {
			b.WriteString(s)
			return b.String(), cited
		}
		end := at + len(mark)
		b.WriteString(s[:at])
		if whole := strings.HasPrefix(mark, "[") || !embedded(before+s[:at]) && !continues(s[end:]); whole {
			b.WriteByte(' ')
			cited = true
		} else {
			b.WriteString(mark)
		}
		before, s = mark, s[end:]
	}
}

// embedded reports whether an address behind s is a part of a longer one, as in
// "https://archive.org/https://e.org/1".
func embedded(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return s != "" && (text.IsWord(r) || strings.ContainsRune("/=&?%#", r))
}

// continues reports whether s goes on with the address before it: behind marks that
// may also end a sentence, a slash among them, stands a letter, a digit, or what only
// addresses have.
func continues(s string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, ".,;:!?'*_/"))
	return r != utf8.RuneError && (text.IsWord(r) || strings.ContainsRune("&=#%-~+@$(", r))
}
