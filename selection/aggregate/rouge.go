package aggregate

import (
	"math/bits"
	"strings"
	"unicode"
)

// A rouge scores texts by how much of a query stands in them, in order:
// ROUGE-L recall,
//
//	LCS(query, text) / |query|
//
// with LCS the length of the longest common subsequence of tokens. Tokens are
// the runs of [a-z0-9] in lower case, without stemming. If the query or the text
// has none, they are its single letters and digits.
type rouge struct {
	words, letters pattern
}

func newRouge(query string) rouge {
	return rouge{words: newPattern(wordTokens(query)), letters: newPattern(letterTokens(query))}
}

// recall returns the score of a text, 0 to 1.
func (r rouge) recall(s string) float64 {
	p, tokens := r.words, wordTokens(s)
	if p.n == 0 || len(tokens) == 0 {
		p, tokens = r.letters, letterTokens(s)
	}
	if p.n == 0 {
		return 0
	}
	return float64(p.lcs(tokens)) / float64(p.n)
}

// wordTokens returns the runs of [a-z0-9].
func wordTokens(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}

// letterTokens returns the letters and digits.
func letterTokens(s string) []string {
	var tokens []string
	for _, r := range strings.ToLower(s) {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			tokens = append(tokens, string(r))
		}
	}
	return tokens
}

// A pattern is a sequence of n tokens: for each token, the set of its places as
// bits.
type pattern struct {
	n      int
	places map[string][]uint64
}

func newPattern(tokens []string) pattern {
	p := pattern{n: len(tokens), places: make(map[string][]uint64, len(tokens))}
	for i, t := range tokens {
		if p.places[t] == nil {
			p.places[t] = make([]uint64, (p.n+63)/64)
		}
		p.places[t][i/64] |= 1 << (i % 64)
	}
	return p
}

// lcs returns the length of the longest common subsequence with tokens, by
// Hyyrö's bit-parallel algorithm: a row of the table of lengths is a vector v
// whose bit i is 0 where the length grows at place i, and for each token with
// the places m
//
//	u = v ∧ m;  v = (v + u) ∨ (v ∧ ¬u)
//
// so that a text of any length costs ⌈n/64⌉ steps a token, and tokens that are
// not in the pattern none.
func (p pattern) lcs(tokens []string) int {
	v := make([]uint64, (p.n+63)/64)
	for i := range v {
		v[i] = ^uint64(0)
	}
	for _, t := range tokens {
		m, ok := p.places[t]
		if !ok {
			continue
		}
		carry := uint64(0)
		for i := range v {
			u := v[i] & m[i]
			var sum uint64
			sum, carry = bits.Add64(v[i], u, carry)
			v[i] = sum | v[i]&^u
		}
	}
	length := 0
	for _, x := range v { // bits beyond n stay 1
		length += bits.OnesCount64(^x)
	}
	return length
}
