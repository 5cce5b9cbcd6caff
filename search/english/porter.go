package english

import "unicode/utf8"

// stem returns the stem of a word in lower case, which it overwrites, by Porter's
// algorithm with the two departures of his own programs (bli to ble, and logi to
// log). Words of two UTF-16 code units stay. Runes beyond ASCII are consonants,
// and so are, for all that is asked here, their bytes.
func stem(w []byte) []byte {
	if !longerThanTwo(w) {
		return w
	}
	w = plural(w)
	w = pastOrGerund(w)
	if s, ok := cut(w, "y"); ok && hasVowel(s) {
		w[len(s)] = 'i'
	}
	w = replace(w, doubleSuffixes)
	w = replace(w, suffixes)
	w = residual(w)
	return final(w)
}

func longerThanTwo(w []byte) bool {
	if len(w) <= 2 {
		return false
	}
	if len(w) > 6 { // two units have at most three bytes each
		return true
	}
	units := 0
	for _, r := range string(w) {
		units += codeUnits(r)
	}
	return units > 2
}

// plural is step 1a.
func plural(w []byte) []byte {
	n := len(w)
	switch {
	case w[n-1] != 's':
	case ends(w, "sses"), ends(w, "ies"):
		return w[:n-2]
	case w[n-2] != 's':
		return w[:n-1]
	}
	return w
}

// pastOrGerund is step 1b.
func pastOrGerund(w []byte) []byte {
	if s, ok := cut(w, "eed"); ok {
		if measure(s) > 0 {
			return w[:len(w)-1]
		}
		return w
	}
	s, ok := cut(w, "ed")
	if !ok {
		s, ok = cut(w, "ing")
	}
	if !ok || !hasVowel(s) {
		return w
	}
	switch {
	case ends(s, "at"), ends(s, "bl"), ends(s, "iz"):
		return append(s, 'e')
	}
	if size := double(s); size > 0 {
		if c := s[len(s)-1]; c == 'l' || c == 's' || c == 'z' {
			return s
		}
		return s[:len(s)-size]
	}
	if measure(s) == 1 && short(s) {
		return append(s, 'e')
	}
	return s
}

// A suffix and what takes its place.
type suffix struct{ old, new string }

// The suffixes of steps 2 and 3. The first that a word has decides.
var (
	doubleSuffixes = []suffix{
		{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"},
		{"bli", "ble"}, {"alli", "al"}, {"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"},
		{"ization", "ize"}, {"ation", "ate"}, {"ator", "ate"},
		{"alism", "al"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"},
		{"aliti", "al"}, {"iviti", "ive"}, {"biliti", "ble"}, {"logi", "log"},
	}
	suffixes = []suffix{
		{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""},
	}
	residualSuffixes = []string{
		"al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
		"ism", "ate", "iti", "ous", "ive", "ize",
	}
)

func replace(w []byte, table []suffix) []byte {
	for i := range table {
		if s, ok := cut(w, table[i].old); ok {
			if measure(s) > 0 {
				return append(s, table[i].new...)
			}
			return w
		}
	}
	return w
}

// residual is step 4.
func residual(w []byte) []byte {
	for _, old := range residualSuffixes {
		s, ok := cut(w, old)
		if !ok {
			continue
		}
		if old == "ion" && !ends(s, "s") && !ends(s, "t") || measure(s) <= 1 {
			return w
		}
		return s
	}
	return w
}

// final is step 5.
func final(w []byte) []byte {
	m := measure(w)
	if s, ok := cut(w, "e"); ok && (m > 1 || m == 1 && !short(s)) {
		w = s
	}
	if ends(w, "l") && double(w) > 0 && m > 1 {
		w = w[:len(w)-1]
	}
	return w
}

func ends(w []byte, suffix string) bool {
	return len(w) >= len(suffix) && string(w[len(w)-len(suffix):]) == suffix
}

func cut(w []byte, suffix string) ([]byte, bool) {
	if !ends(w, suffix) {
		return w, false
	}
	return w[:len(w)-len(suffix)], true
}

// consonant reports whether the byte at i is of a consonant; y is one at the
// beginning and behind a vowel.
func consonant(w []byte, i int) bool {
	switch w[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		// In a run of y each differs from the one before it.
		first := i
		for first > 0 && w[first-1] == 'y' {
			first--
		}
		odd := (i-first)%2 == 1
		return (first == 0 || !consonant(w, first-1)) != odd
	}
	return true
}

// measure returns how often a consonant follows a vowel.
func measure(w []byte) (m int) {
	before := true
	for i, c := range w {
		now := true
		switch c {
		case 'a', 'e', 'i', 'o', 'u':
			now = false
		case 'y':
			now = i == 0 || !before
		}
		if now && !before {
			m++
		}
		before = now
	}
	return m
}

func hasVowel(w []byte) bool {
	for i := range w {
		if !consonant(w, i) {
			return true
		}
	}
	return false
}

// double returns the size of the last rune if it is a consonant and the one
// before it is the same, else 0. Runes of two code units never count as the same.
func double(w []byte) int {
	last, size := utf8.DecodeLastRune(w)
	before, _ := utf8.DecodeLastRune(w[:len(w)-size])
	if size == len(w) || last != before || last > 0xFFFF || !consonant(w, len(w)-1) {
		return 0
	}
	return size
}

// short reports whether the word ends in consonant, vowel, consonant, the last of
// which is not w, x or y, and one code unit.
func short(w []byte) bool {
	last, size := utf8.DecodeLastRune(w)
	n := len(w) - size
	if n < 2 || last > 0xFFFF || !consonant(w, len(w)-1) || consonant(w, n-1) || !consonant(w, n-2) {
		return false
	}
	return last != 'w' && last != 'x' && last != 'y'
}
