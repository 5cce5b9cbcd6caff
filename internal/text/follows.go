package text

import "strings"

// stopWords are words of English that say nothing about what a search is for:
// function words, and those in which a plan speaks of searching.
var stopWords = wordSet(`
	a an and are as at be been by did do does for from had has have how if in is it its of on or
	that the their this to was were what when where which who whom whose why will with
	about any check confirm find look search up verify whether`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// Follows reports whether a search with query carries out branch, a lead that
// was written down before. B and q are the sets of their tokens without stop
// words; it does if
//
//	|b ∩ q| ≥ ¾ · min(|b|, |q|)
//
// and neither is empty. Of two tokens both must be shared. A single token carries
// out a lead only if that has no other: the name of a thing alone is in many leads.
// A script without spaces is compared by whole runs, as [Tokens] has it.
func Follows(branch, query string) bool {
	b, q := contentTokens(branch), contentTokens(query)
	if len(b) > len(q) {
		b, q = q, b
	}
	shared := 0
	for t := range b {
		if _, ok := q[t]; ok {
			shared++
		}
	}
	return shared > 0 && 4*shared >= 3*len(b) && (len(b) > 1 || len(q) == 1)
}

func contentTokens(s string) TokenSet {
	set := Tokens(s)
	for t := range set {
		if stopWords[t] {
			delete(set, t)
		}
	}
	return set
}
