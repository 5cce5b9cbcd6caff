package english

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// filter returns the term that becomes of a token, made in b, and whether it is of
// a stop word.
func filter(b []byte, token string) (term []byte, stop bool) {
	b = b[:0]
	token = trimPossessive(token)
	for _, r := range token {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		} else if r >= utf8.RuneSelf {
			r = unicode.ToLower(r)
		}
		b = utf8.AppendRune(b, r)
	}
	stop = isStopWord(b)
	return stem(b), stop
}

// trimPossessive removes an s in either case with one of three apostrophes
// before it.
func trimPossessive(token string) string {
	rest := strings.TrimSuffix(strings.TrimSuffix(token, "s"), "S")
	if len(rest) != len(token)-1 {
		return token
	}
	for _, mark := range []string{"'", "’", "＇"} {
		if s, ok := strings.CutSuffix(rest, mark); ok {
			return s
		}
	}
	return token
}

// isStopWord reports whether the word is one of Lucene's
// EnglishAnalyzer.ENGLISH_STOP_WORDS_SET.
func isStopWord(word []byte) bool {
	switch string(word) {
	case "a", "an", "and", "are", "as", "at", "be", "but", "by",
		"for", "if", "in", "into", "is", "it",
		"no", "not", "of", "on", "or", "such",
		"that", "the", "their", "then", "there", "these",
		"they", "this", "to", "was", "will", "with":
		return true
	}
	return false
}
