// Package text holds the text rules that several packages must agree on: how an
// answer is normalised, what a token set is, what white space is.
//
// The rules are those of the Python scripts that the field scores with, so they
// follow Python's notions: white space as in str.split, word characters as in
// \w, lower case with the special cases of Unicode. Everything here is pure and
// safe for concurrent use.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// Fields splits s at white space as Python's str.split does: Unicode white
// space and the four information separators U+001C to U+001F.
func Fields(s string) []string { return strings.FieldsFunc(s, IsSpace) }

// Trim returns s without white space at its ends.
func Trim(s string) string { return strings.TrimFunc(s, IsSpace) }

// Blank reports whether s is white space only.
func Blank(s string) bool { return strings.TrimLeftFunc(s, IsSpace) == "" }

// IsSpace reports white space as Python's str.split knows it: U+001C to U+001F too.
func IsSpace(r rune) bool { return unicode.IsSpace(r) || '\x1c' <= r && r <= '\x1f' }

// Collapse returns s with every run of white space made one space, and none at
// the ends.
func Collapse(s string) string { return strings.Join(Fields(s), " ") }

// Printable returns s on one line and without control characters, which a text from
// elsewhere could steer a terminal with.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, Collapse(s))
}

// Normal returns the text normal form of queries and passages: NFC, then
// [Collapse]. (arXiv:2609.39912)
func Normal(s string) string { return Collapse(norm.NFC.String(s)) }

// Lower returns s in lower case with Unicode's special cases, as Python's
// str.lower does ("İ" becomes two code points, a final "Σ" becomes "ς").
func Lower(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return cases.Lower(language.Und).String(s)
		}
	}
	return strings.ToLower(s)
}

// Fold returns what is equal for texts that differ in case, composition of
// characters and white space alone: [Normal], in lower case.
func Fold(s string) string { return Lower(Normal(s)) }

// Answer returns the normal form of an answer, by which exact match, F1 and
// votes compare: lower case; the 32 ASCII punctuation characters deleted, with
// no space in their place; the words a, an and the replaced by a space; white
// space collapsed. It is the normalize_answer of SQuAD, HotpotQA, MuSiQue,
// 2Wiki, FlashRAG and Search-R1. It may be empty ("The" is).
func Answer(s string) string {
	s = strings.Map(func(r rune) rune {
		if isPunct(r) {
			return -1
		}
		return r
	}, Lower(s))
	var b strings.Builder
	for len(s) > 0 {
		n := strings.IndexFunc(s, func(r rune) bool { return !IsWord(r) })
		if n < 0 {
			n = len(s)
		}
		switch word := s[:n]; word {
		case "a", "an", "the":
			b.WriteByte(' ')
		default:
			b.WriteString(word)
		}
		s = s[n:]
		if _, size := utf8.DecodeRuneInString(s); size > 0 {
			b.WriteString(s[:size])
			s = s[size:]
		}
	}
	return Collapse(b.String())
}

// AnswerKey returns the key under which an answer votes: its [Answer] form or,
// where that is empty, the lower-cased text, so that no answer becomes nothing.
func AnswerKey(s string) string {
	if key := Answer(s); key != "" {
		return key
	}
	return Lower(Collapse(s))
}

// Plurality returns the index of the first of the most frequent keys, ties to
// the key that stands first. Empty keys abstain; -1 if there are no others.
func Plurality(keys []string) int {
	count := make(map[string]int, len(keys))
	for _, k := range keys {
		if k != "" {
			count[k]++
		}
	}
	best := -1
	for i, k := range keys {
		if k != "" && (best < 0 || count[k] > count[keys[best]]) {
			best = i
		}
	}
	return best
}

func isPunct(r rune) bool {
	return r < utf8.RuneSelf && ('!' <= r && r <= '/' || ':' <= r && r <= '@' || '[' <= r && r <= '`' || '{' <= r && r <= '~')
}

// IsWord reports whether r is a letter or a number: whether Python's \w matches
// it, "_" apart, which is punctuation wherever it matters here.
func IsWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// FirstChars returns the first n characters of s.
func FirstChars(s string, n int) string {
	for i := range s {
		if n <= 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Middle returns s with its middle left out and mark in its place, so that n
// characters stay, half of them from the end; s itself if it has no more.
func Middle(s string, n int, mark string) string {
	length := utf8.RuneCountInString(s)
	if length <= n {
		return s
	}
	head := FirstChars(s, n/2)
	tail := s[len(FirstChars(s, length-(n-n/2))):]
	return head + mark + tail
}

// Truncate returns the longest prefix of s of at most n bytes that cuts no rune.
func Truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
