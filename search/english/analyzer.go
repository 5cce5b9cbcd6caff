package english

import "strings"

// Words that are remembered, and the longest of them in bytes: some 40 MB when
// all places are taken.
const (
	maxWords = 1 << 18
	maxWord  = 64
)

// An Analyzer finds the terms of texts. It remembers the words that it met, up
// to a bound, so that each is filtered and stemmed once. The zero value is ready.
type Analyzer struct {
	words map[string]word   // by token, in ASCII
	spans map[string][]word // by stretch of text that is not all ASCII
}

// A word is what became of a token.
type word struct {
	term string // empty: nothing
	stop bool
}

// Each calls f for every term of the text in its order, stop words included, and
// says which they are. It allocates nothing for words that it met before. Terms
// do not share memory with the text.
func (a *Analyzer) Each(text string, f func(term string, stop bool)) {
	for i := 0; i < len(text); {
		k := kinds[text[i]]
		if k != letter && k != digit && k != extend && k != foreign {
			i++
			continue
		}
		end, plain := i, false
		if k != foreign {
			end, plain = scanWord(text, i)
		}
		if plain && end-i <= maxWord {
			if w := a.word(text[i:end]); w.term != "" {
				f(w.term, w.stop)
			}
			i = end
			continue
		}
		if !plain {
			end = scanSpan(text, end)
		}
		for _, w := range a.span(text[i:end]) {
			f(w.term, w.stop)
		}
		i = end
	}
}

// word returns what becomes of a token in ASCII.
func (a *Analyzer) word(token string) word {
	w, ok := a.words[token]
	if ok {
		return w
	}
	token = strings.Clone(token)
	w = filter([]byte(token))
	if w.term == token {
		w.term = token // one copy serves both
	}
	if a.words == nil || len(a.words) >= maxWords {
		a.words = make(map[string]word)
	}
	a.words[token] = w
	return w
}

// span returns what becomes of a stretch of text that ends where a word does.
func (a *Analyzer) span(text string) []word {
	words, ok := a.spans[text]
	if ok {
		return words
	}
	words = chain(text)
	if len(text) > maxWord {
		return words
	}
	if a.spans == nil || len(a.spans) >= maxWords/4 {
		a.spans = make(map[string][]word)
	}
	a.spans[strings.Clone(text)] = words
	return words
}
