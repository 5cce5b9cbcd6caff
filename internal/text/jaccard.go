package text

import (
	"maps"
	"slices"
	"strings"
)

// A TokenSet is the set of tokens of a query.
type TokenSet map[string]struct{}

// Tokens returns the token set of s: lower case, everything deleted but word
// characters ("_" is one) and white space, split at white space. (DivInit's code)
func Tokens(s string) TokenSet {
	s = strings.Map(func(r rune) rune {
		if IsWord(r) || r == '_' || IsSpace(r) {
			return r
		}
		return -1
	}, Lower(s))
	set := make(TokenSet)
	for _, t := range Fields(s) {
		set[t] = struct{}{}
	}
	return set
}

// TokenKey returns what is equal for texts of the same token set: the tokens of
// s, sorted, with spaces between; "" if it has none.
func TokenKey(s string) string { return strings.Join(slices.Sorted(maps.Keys(Tokens(s))), " ") }

// Distance returns the Jaccard distance of two token sets,
//
//	d_J(a, b) = 1 − |a ∩ b| / |a ∪ b|
//
// which is 0 for two empty sets. (DivInit eq. 1)
func (a TokenSet) Distance(b TokenSet) float64 {
	shared := 0
	for t := range a {
		if _, ok := b[t]; ok {
			shared++
		}
	}
	union := len(a) + len(b) - shared
	if union == 0 {
		return 0
	}
	return 1 - float64(shared)/float64(union)
}
