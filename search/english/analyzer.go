package english

import (
	"strings"
	"unicode/utf8"
)

// Words that are remembered, and the longest of them in bytes: some 30 to 50 MB when
// all places are taken.
const (
	maxWords = 1 << 18
	maxWord  = 64
)

// An Analyzer finds the terms of texts. It remembers the words that it met, up
// to a bound, so that each is filtered and stemmed once. The zero value is ready.
type Analyzer struct {
	MaxWords int // that are remembered, some 120 bytes each, if fewer than 262,144

	words   map[string]*Word // by token
	scratch []byte
	barren  int // no token of what begins with a connector or a joiner begins before this place of the text
}

// A Word is what became of a token. Tokens with the same term may be one Word or
// several.
type Word struct {
	Term string
	Stop bool   // it is the stem of a stop word
	Mark uint64 // the caller's, to remember something by; 0 in a word that was not met before or is forgotten
}

// Each calls f for every term of the text in its order, stop words included, and
// says which they are. It allocates nothing for words that it met before, and
// reads no more than a token ahead. Terms do not share memory with the text.
func (a *Analyzer) Each(text string, f func(term string, stop bool)) {
	a.EachWord(text, func(w *Word) { f(w.Term, w.Stop) })
}

// EachWord is [Analyzer.Each] for callers that mark words.
func (a *Analyzer) EachWord(text string, f func(w *Word)) {
	a.barren = 0
	for i := 0; i < len(text); {
		end, found := i+1, false
		switch kinds[text[i]] {
		case letter, digit:
			var plain bool
			end, plain = scanWord(text[:min(len(text), i+maxToken)], i)
			if found = true; !plain {
				end, found = a.scan(text, i)
			}
		case extend, foreign:
			end, found = a.scan(text, i)
		case enclosed:
			if end < len(text) && kinds[text[end]] == foreign {
				end, found = a.scan(text, i)
			}
		}
		if found {
			f(a.word(text[i:end]))
		}
		i = end
	}
}

// scan returns where the token at i ends, or where to go on if none begins there.
func (a *Analyzer) scan(text string, i int) (end int, found bool) {
	r, size := utf8.DecodeRuneInString(text[i:])
	t := runeClasses()
	c := t.of(r)
	repeats := c == extendNumLet || c == zwj
	if repeats && i < a.barren {
		return i + size, false
	}
	if n := t.token(text[i:]); n > 0 {
		return i + n, true
	}
	if repeats {
		a.barren = t.barren(text, i)
	}
	return i + size, false
}

// bound returns how many words are remembered.
func (a *Analyzer) bound() int {
	if a.MaxWords > 0 {
		return min(a.MaxWords, maxWords)
	}
	return maxWords
}

// word returns what becomes of a token.
func (a *Analyzer) word(token string) *Word {
	w, ok := a.words[token]
	if ok {
		return w
	}
	var term []byte
	w = new(Word)
	term, w.Stop = filter(a.scratch, token)
	a.scratch = term
	if len(token) > maxWord {
		w.Term = string(term)
		return w
	}
	token = strings.Clone(token)
	if w.Term = token; string(term) != token { // else one copy serves both
		w.Term = string(term)
	}
	if a.words == nil || len(a.words) >= a.bound() {
		a.words = make(map[string]*Word)
	}
	a.words[token] = w
	return w
}
