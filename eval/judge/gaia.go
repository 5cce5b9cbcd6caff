package judge

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"trawl/internal/text"
)

// GAIA reports whether an answer is right by the scorer of the GAIA benchmark,
// which asks no model (huggingface/smolagents, gaia_scorer.py):
//
//   - a gold that is a number: the answer is the same number, once "$", "%" and ","
//     are taken out of it
//   - a gold with a "," or ";": both are lists of as many elements, and each element
//     of the answer is the gold's: the same number, or the same text without white
//     space and in lower case
//   - any other gold: the same text without white space and ASCII punctuation, in
//     lower case
func GAIA(gold, answer string) bool {
	if want, ok := float(gold); ok {
		return want == gaiaNumber(answer)
	}
	if !strings.ContainsAny(gold, ",;") {
		return gaiaText(gold, true) == gaiaText(answer, true)
	}
	golds, answers := gaiaList(gold), gaiaList(answer)
	if len(golds) != len(answers) {
		return false
	}
	for i, g := range golds {
		if want, ok := float(g); ok {
			if want != gaiaNumber(answers[i]) {
				return false
			}
			continue
		}
		if gaiaText(g, false) != gaiaText(answers[i], false) {
			return false
		}
	}
	return true
}

// gaiaNumber reads the number of an answer; what is none is infinite.
func gaiaNumber(s string) float64 {
	f, ok := float(strings.NewReplacer("$", "", "%", "", ",", "").Replace(s))
	if !ok {
		return math.Inf(1)
	}
	return f
}

func gaiaList(s string) []string {
	return strings.Split(strings.ReplaceAll(s, ";", ","), ",")
}

func gaiaText(s string, dropPunctuation bool) string {
	s = strings.Map(func(r rune) rune {
		if text.IsSpace(r) || dropPunctuation && r < unicode.MaxASCII && (unicode.IsPunct(r) || unicode.IsSymbol(r)) {
			return -1
		}
		return r
	}, s)
	return text.Lower(s)
}

// float reads a number as Python's float does: white space around it, an
// underscore between digits, inf and nan in any case, but no hexadecimal form.
func float(s string) (float64, bool) {
	s = text.Trim(s)
	if strings.ContainsAny(s, "xXpP") {
		return 0, false
	}
	digits := strings.ReplaceAll(s, "_", "")
	if digits != s && !underscored(s) {
		return 0, false
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil && !math.IsInf(f, 0) { // a number beyond the range is infinite there too
		return 0, false
	}
	return f, true
}

// underscored reports whether each underscore of s stands between two digits.
func underscored(s string) bool {
	for i := range len(s) {
		if s[i] == '_' && (i == 0 || i+1 == len(s) || !isDigit(s[i-1]) || !isDigit(s[i+1])) {
			return false
		}
	}
	return true
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
