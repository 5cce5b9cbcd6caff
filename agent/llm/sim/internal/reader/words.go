package reader

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A word is a piece of a question between spaces, without the punctuation
// around it. Possessive endings are words of their own ("'s").
type word struct {
	low        string
	start, end int  // in the question, punctuation left out
	comma      bool // a comma or semicolon stands behind it
	quoted     bool // inside double quotes
}

// fold returns s in lower case, byte for byte in the same place: characters
// whose lower case has another length stay as they are.
func fold(s string) string {
	ascii := true
	upper := false
	for i := range len(s) {
		c := s[i]
		ascii = ascii && c < utf8.RuneSelf
		upper = upper || 'A' <= c && c <= 'Z'
	}
	if ascii {
		if !upper {
			return s
		}
		return strings.ToLower(s)
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			b = append(b, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if low := unicode.ToLower(r); r != utf8.RuneError && utf8.RuneLen(low) == n {
			b = utf8.AppendRune(b, low)
		} else {
			b = append(b, s[i:i+n]...)
		}
		i += n
	}
	return string(b)
}

// split returns the words of a question.
func split(s string) []word {
	var out []word
	quoted := false
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) {
			i += n
			continue
		}
		start := i
		for i < len(s) {
			r, n = utf8.DecodeRuneInString(s[i:])
			if unicode.IsSpace(r) {
				break
			}
			i += n
		}
		out, quoted = appendWord(out, s, start, i, quoted)
	}
	return out
}

func appendWord(out []word, s string, start, end int, quoted bool) ([]word, bool) {
	opens := strings.HasPrefix(s[start:end], `"`) || strings.HasPrefix(s[start:end], "“")
	closes := strings.Contains(s[start:end][1:], `"`) || strings.Contains(s[start:end], "”")
	w := word{quoted: quoted || opens}
	raw := s[start:end]
	w.comma = strings.HasSuffix(raw, ",") || strings.HasSuffix(raw, ";") || strings.HasSuffix(raw, `,"`) || strings.HasSuffix(raw, `",`)
	trimmed := strings.TrimLeft(raw, "\"“”'‘,;:")
	if strings.HasPrefix(trimmed, "(") && !strings.Contains(trimmed, ")") && unclosed(s[end:]) {
		trimmed = trimmed[1:]
	}
	w.start = start + len(raw) - len(trimmed)
	trimmed = strings.TrimRight(trimmed, "\"“”‘,;:?!")
	trimmed = strings.TrimSuffix(trimmed, "'")
	if strings.Count(trimmed, "(") < strings.Count(trimmed, ")") {
		trimmed = strings.TrimRight(trimmed, ")")
	}
	w.end = w.start + len(trimmed)
	quoted = (quoted || opens) && !closes
	if trimmed == "" {
		if w.comma && len(out) > 0 {
			out[len(out)-1].comma = true
		}
		return out, quoted
	}
	for _, suffix := range [...]string{"'s", "’s"} {
		if stem, ok := strings.CutSuffix(trimmed, suffix); ok && stem != "" {
			w.low, w.end = fold(stem), w.start+len(stem)
			poss := word{low: "'s", start: w.end, end: w.end + len(suffix), comma: w.comma}
			w.comma = false
			return append(out, w, poss), quoted
		}
	}
	w.low = fold(trimmed)
	if strings.HasSuffix(raw, "s'") || strings.HasSuffix(raw, "s’") { // "the Smiths' album"
		w.low = strings.TrimSuffix(w.low, "’")
		return append(out, w, word{low: "'s", start: end, end: end}), quoted
	}
	return append(out, w), quoted
}

// unclosed reports whether no bracket closes in what follows.
func unclosed(rest string) bool { return !strings.Contains(rest, ")") }

// text returns what words cover in the question.
func text(question string, words []word) string {
	if len(words) == 0 {
		return ""
	}
	start, end := words[0].start, words[len(words)-1].end
	if start > end || end > len(question) {
		return ""
	}
	return strings.Trim(question[start:end], " \"“”,;:?")
}

// isStop reports whether a word carries no content.
func isStop(low string) bool {
	_, ok := stopWords[low]
	return ok
}

var stopWords = setOf(`a an the of in on at by for to from with and or is are was were be been being has have had do does did who whom whose which what when where why how that this these those it its
	he she his her him they their them as into than then also both same other not no yes 's there here about after before during between through over under if but so such one ones two can could would
	will shall may might must i you we my your our me us`)

func setOf(s string) map[string]struct{} {
	set := map[string]struct{}{}
	for _, w := range strings.Fields(s) {
		set[w] = struct{}{}
	}
	return set
}
