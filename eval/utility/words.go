package utility

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"trawl/internal/text"
)

// functionWords are words of English that say nothing to be checked.
var functionWords = wordSet(`
	a an and are as at be because been but by did do does for from had has have he her hers him his how however
	i if in is it its me my no not of on one or our s she so than that the their them then there therefore these
	they this those thus to was we were what when where which while who whom whose why will with would you your`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// A word is a word of a text as it is compared, and what it looked like.
type word struct {
	key     string // lower case; of a number without the commas of its thousands
	number  bool
	capital bool
	entity  bool // capitalised, and not only because a sentence begins
	uncase  bool // of a script that has no case
}

// words returns the words of s: runs of letters and digits, numbers with their
// decimal points.
func words(s string) []word {
	var (
		out    []word
		starts []bool // a sentence
		begins = true
	)
	s = text.Normal(s)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !text.IsWord(r) {
			begins = begins || strings.ContainsRune(".!?。！？:", r)
			i += size
			continue
		}
		end := wordEnd(s, i)
		out, starts = append(out, newWord(s[i:end])), append(starts, begins)
		begins, i = false, end
	}
	for i := range out {
		if w := &out[i]; w.entity && (functionWords[w.key] || starts[i] && (i+1 == len(out) || !out[i+1].entity || starts[i+1])) {
			w.entity = false
		}
	}
	return out
}

// wordEnd returns where the word of s at i ends. Between digits a comma or a point
// is part of it.
func wordEnd(s string, i int) int {
	var last rune
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !text.IsWord(r) {
			next, _ := utf8.DecodeRuneInString(s[i+size:])
			if r != ',' && r != '.' || !unicode.IsDigit(last) || !unicode.IsDigit(next) {
				break
			}
		}
		last = r
		i += size
	}
	return i
}

func newWord(s string) word {
	first, _ := utf8.DecodeRuneInString(s)
	w := word{
		number: strings.ContainsFunc(s, unicode.IsDigit),
		entity: unicode.IsUpper(first) || unicode.IsTitle(first),
		uncase: unicode.IsLetter(first) && unicode.ToUpper(first) == unicode.ToLower(first),
	}
	w.capital = w.entity
	if w.key = text.Lower(s); w.number {
		w.key = strings.ReplaceAll(w.key, ",", "")
	}
	return w
}

// contentSet returns the words of s that are no function words.
func contentSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words(s) {
		if !functionWords[w.key] {
			set[w.key] = true
		}
	}
	return set
}
