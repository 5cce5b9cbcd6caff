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
	MaxWords int // that are remembered, if fewer than 262,144, and a quarter as many stretches beyond ASCII

	words map[string]*Word  // by token, in ASCII
	spans map[string][]Word // by stretch of text that is not all ASCII
}

// A Word is what became of a token. Tokens with the same term may be one Word or
// several.
type Word struct {
	Term string
	Stop bool   // it is the stem of a stop word
	Mark uint64 // the caller's, to remember something by; 0 in a word that was not met before or is forgotten
}

// Each calls f for every term of the text in its order, stop words included, and
// says which they are. It allocates nothing for words that it met before. Terms
// do not share memory with the text.
func (a *Analyzer) Each(text string, f func(term string, stop bool)) {
	a.EachWord(text, func(w *Word) { f(w.Term, w.Stop) })
}

// EachWord is [Analyzer.Each] for callers that mark words.
func (a *Analyzer) EachWord(text string, f func(w *Word)) {
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
			if w := a.word(text[i:end]); w.Term != "" {
				f(w)
			}
			i = end
			continue
		}
		if !plain {
			end = scanSpan(text, end)
		}
		for words := a.span(text[i:end]); len(words) > 0; words = words[1:] {
			f(&words[0])
		}
		i = end
	}
}

// bound returns how many words are remembered.
func (a *Analyzer) bound() int {
	if a.MaxWords > 0 {
		return min(a.MaxWords, maxWords)
	}
	return maxWords
}

// word returns what becomes of a token in ASCII.
func (a *Analyzer) word(token string) *Word {
	w, ok := a.words[token]
	if ok {
		return w
	}
	token = strings.Clone(token)
	w = new(Word)
	*w = filter([]byte(token))
	if w.Term == token {
		w.Term = token // one copy serves both
	}
	if a.words == nil || len(a.words) >= a.bound() {
		a.words = make(map[string]*Word)
	}
	a.words[token] = w
	return w
}

// span returns what becomes of a stretch of text that ends where a word does.
func (a *Analyzer) span(text string) []Word {
	words, ok := a.spans[text]
	if ok {
		return words
	}
	words = chain(text)
	if len(text) > maxWord {
		return words
	}
	if a.spans == nil || len(a.spans) >= a.bound()/4 {
		a.spans = make(map[string][]Word)
	}
	a.spans[strings.Clone(text)] = words
	return words
}
