package recursion

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"trawl/internal/text"
	"trawl/trajectory"
)

// A conflict is what the prompt of one is filled with: different answers, or two
// facts, or a fact of which one state says what another denies.
type conflict struct {
	Holders     []holders
	Fact, Other string
}

// holders are the rollouts that have an answer.
type holders struct {
	Answer   string
	Rollouts []string
}

// conflicts returns what the states say against each other, and what they knew
// of that before.
func conflicts(states []trajectory.State, f facts) []string {
	out := unite(states, func(s *trajectory.State) []string { return s.Conflicts }, claimKey)
	var found []conflict
	if held := heldAnswers(states); len(held) > 1 {
		found = append(found, conflict{Holders: held})
	}
	for _, u := range f.all {
		if u.disputed() {
			found = append(found, conflict{Fact: u.fact.Text})
		}
	}
	for _, pair := range contradictions(f.all) {
		found = append(found, conflict{Fact: pair[0], Other: pair[1]})
	}
	for _, c := range found {
		if line := render("conflict", c); !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// heldAnswers returns the different answers with those who have them, the most
// frequent first.
func heldAnswers(states []trajectory.State) []holders {
	var out []holders
	at := map[string]int{}
	for _, s := range states {
		if s.CurrentAnswer == nil {
			continue
		}
		k := text.AnswerKey(*s.CurrentAnswer)
		n, known := at[k]
		if !known {
			n = len(out)
			at[k] = n
			out = append(out, holders{Answer: *s.CurrentAnswer})
		}
		out[n].Rollouts = append(out[n].Rollouts, strconv.Itoa(s.Rollout))
	}
	slices.SortStableFunc(out, func(a, b holders) int { return cmp.Compare(len(b.Rollouts), len(a.Rollouts)) })
	return out
}

// sharedWords is how many words two facts begin with alike, at least, if they may
// contradict each other.
const sharedWords = 3

// maxContradictions bounds what lists of alike facts would make of themselves.
const maxContradictions = 20

// A statement is a fact as it is held against others.
type statement struct {
	text  string
	words []string // of its claim
	cased []string // the same, as they are written
}

// contradictions returns the pairs of facts that begin alike and go on unlike:
// with at least [sharedWords] words, and at least half of the longer one, in
// common at the beginning, two numbers or two names where they part, and no word
// in common behind that. "A was born in 1934" and "A was born in 1943" are one;
// so, sometimes, are two facts that are both true. Pairs of the same claim stand
// once, and no more than [maxContradictions] stand at all, those of the best facts.
func contradictions(all []*united) [][2]string {
	byBeginning := map[string][]statement{}
	seen := map[string]bool{}
	var order []string
	for _, u := range all {
		claim := claimKey(u.fact.Text)
		s := statement{u.fact.Text, strings.Fields(claim), strings.Fields(text.Normal(u.fact.Text))}
		if seen[claim] || len(s.words) < sharedWords {
			continue
		}
		seen[claim] = true
		k := strings.Join(s.words[:sharedWords], " ")
		if byBeginning[k] == nil {
			order = append(order, k)
		}
		byBeginning[k] = append(byBeginning[k], s)
	}
	var out [][2]string
	for _, k := range order {
		group := byBeginning[k]
		for i, a := range group {
			for _, b := range group[:i] {
				if len(out) < maxContradictions && contradict(a, b) {
					out = append(out, [2]string{b.text, a.text})
				}
			}
		}
	}
	return out
}

func contradict(a, b statement) bool {
	n := 0
	for n < len(a.words) && n < len(b.words) && a.words[n] == b.words[n] {
		n++
	}
	if 2*n < max(len(a.words), len(b.words)) || n == len(a.words) || n == len(b.words) || !alike(a.cased[n], b.cased[n]) {
		return false
	}
	return !slices.ContainsFunc(a.words[n:], func(w string) bool { return slices.Contains(b.words[n:], w) })
}

// alike reports whether two words are both numbers or both names: whether they
// could stand for each other, as "1934" and "in" could not.
func alike(a, b string) bool {
	a, b = strings.TrimLeftFunc(a, isMark), strings.TrimLeftFunc(b, isMark)
	first, _ := utf8.DecodeRuneInString(a)
	second, _ := utf8.DecodeRuneInString(b)
	return unicode.IsNumber(first) && unicode.IsNumber(second) || unicode.IsUpper(first) && unicode.IsUpper(second)
}

func isMark(r rune) bool { return !text.IsWord(r) }
