package reader

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A span is a piece of a sentence.
type span struct{ start, end int }

// gapWords is how many words in lower case may stand between a cue and the
// name that it announces: "directed by the young Danish filmmaker Anna Berg".
const gapWords = 5

// nextSpan returns the first value of a kind in s from position at on, close
// enough to belong to what stands there.
func nextSpan(s string, at int, kind Kind) (span, bool) {
	switch kind {
	case Date:
		if clause := strings.IndexAny(s[at:], ";)"); clause >= 0 {
			s = s[:at+clause]
		}
		return nextDate(s, at, 24)
	case Year:
		return nextYear(s, at, 24)
	case Number:
		return nextNumber(s, at, 16)
	case Trade:
		return tradePhrase(s, at)
	case Origin:
		return originWord(s, at)
	case Work:
		at, ok := nextName(s, at, gapWords)
		if ok && (at.start == 0 || s[at.start-1] != '"') {
			at.end = titleEnd(s, at.end)
		}
		return at, ok
	default:
		return nextName(s, at, gapWords)
	}
}

// nextName returns the first name in s from at on, after at most gap other
// words: a run of capitalised words with connectors between, or quoted text.
// An adjective of nationality before a common noun is not a name.
func nextName(s string, at, gap int) (span, bool) {
	for i := at; i < len(s); {
		for i < len(s) && (s[i] == ' ' || s[i] == '(' || s[i] == '\'') {
			i++
		}
		if i >= len(s) {
			return span{}, false
		}
		if c := s[i]; c == ',' || c == ';' || c == '.' || c == ')' || c == ':' {
			if c != ',' || i > at+1 {
				return span{}, false
			}
			i++
			continue
		}
		if q, ok := quotedSpan(s, i); ok {
			return q, true
		}
		end := wordEnd(s, i)
		r, _ := utf8.DecodeRuneInString(s[i:])
		if after, ok := skipDate(s, i, end); ok {
			i = after
			continue
		}
		if unicode.IsUpper(r) || unicode.IsDigit(r) && runsOn(s, end) {
			name := span{i, runEnd(s, i)}
			if last := s[i+strings.LastIndexByte(s[i:name.end], ' ')+1 : name.end]; isDemonym(fold(last)) && followedByLower(s, name.end) {
				i = name.end
				continue
			}
			return name, true
		}
		if gap--; gap < 0 {
			return span{}, false
		}
		i = end
		if i < len(s) && s[i] == ',' { // "by director, X" is not this name's cue
			return span{}, false
		}
	}
	return span{}, false
}

// skipDate returns the end of the date, or of the name of a month, that begins
// at i with the word that ends at end. April, May, June and August are also
// names of persons, and count with a day or year only.
func skipDate(s string, i, end int) (after int, ok bool) {
	if c := s[i]; c >= 'a' || strings.IndexByte("0123456789JFMASOND", c) < 0 {
		return 0, false
	}
	upper := s[i] > '9'
	if upper && runsOn(s, end) {
		return 0, false
	}
	if after, ok = dateAt(s, i); ok {
		return after, true
	}
	month := months[fold(s[i:end])]
	return end, month > 0 && month != 4 && month != 5 && month != 6 && month != 8
}

// quotedSpan returns the inside of the double quotes that open at i.
func quotedSpan(s string, i int) (span, bool) {
	for _, q := range [...][2]string{{`"`, `"`}, {"“", "”"}} {
		if rest, ok := strings.CutPrefix(s[i:], q[0]); ok {
			first, _ := utf8.DecodeRuneInString(rest)
			if n := strings.Index(rest, q[1]); n > 0 && n < 80 && !unicode.IsLower(first) && first != ' ' {
				start := i + len(q[0])
				return span{start, start + len(strings.TrimRight(rest[:n], ",."))}, true
			}
		}
	}
	return span{}, false
}

// runsOn reports whether a capitalised word follows at i, as after the digits
// of a name that begins with a number.
func runsOn(s string, i int) bool {
	if i+1 >= len(s) || s[i] != ' ' {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[i+1:])
	return unicode.IsUpper(r)
}

func followedByLower(s string, i int) bool {
	if i+1 >= len(s) || s[i] != ' ' {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[i+1:])
	return unicode.IsLower(r)
}

// wordEnd returns the end of the word that begins at i: the next space or
// closing punctuation. Points inside initials and numbers belong to it, and so
// do apostrophes and hyphens.
func wordEnd(s string, i int) int {
	for i < len(s) {
		switch c := s[i]; c {
		case ' ', ',', ';', ':', '(', ')', '"', '?', '!':
			return i
		case '.':
			if i+1 >= len(s) || s[i+1] == ' ' {
				return i
			}
		}
		i++
	}
	return i
}

// runEnd returns the end of the run of name words that begins at i.
func runEnd(s string, i int) int {
	end := wordEnd(s, i)
	for {
		word := s[i:end]
		if strings.HasSuffix(word, "'s") || strings.HasSuffix(word, "’s") {
			return end - len(word) + strings.LastIndexAny(word, "'’")
		}
		next := end
		if next < len(s) && s[next] == '.' && isInitial(word) {
			next++
		}
		if next >= len(s) || s[next] != ' ' {
			return end
		}
		from := next + 1
		// Connectors count only if a name word follows.
		probe := from
		for n := 0; n < 3; n++ {
			stop := wordEnd(s, probe)
			if stop == probe || !isConnector(s[probe:stop]) && !bindsTopic(word, s[probe:stop]) || stop >= len(s) || s[stop] != ' ' {
				break
			}
			probe = stop + 1
		}
		r, _ := utf8.DecodeRuneInString(s[probe:])
		if !unicode.IsUpper(r) && !(unicode.IsDigit(r) && probe == from) {
			return end
		}
		if unicode.IsDigit(r) && isYear(s[probe:wordEnd(s, probe)]) {
			return end
		}
		i, end = probe, wordEnd(s, probe)
		if i == end {
			return next
		}
	}
}

// titleEnd goes on from the end of a run of name words over the small words
// that stand in titles: "Return to the Pale Arrow".
func titleEnd(s string, end int) int {
	for end < len(s) && s[end] == ' ' {
		small := wordEnd(s, end+1)
		if !oneOf(s[end+1:small], "to|in|on|at|with|from|under|over|beyond|without|after|into|for|and|before|through|by") || small >= len(s) || s[small] != ' ' {
			return end
		}
		next := small + 1
		if strings.HasPrefix(s[next:], "the ") || strings.HasPrefix(s[next:], "a ") {
			next += strings.IndexByte(s[next:], ' ') + 1
		}
		r, _ := utf8.DecodeRuneInString(s[next:])
		if !unicode.IsUpper(r) {
			return end
		}
		end = runEnd(s, next)
	}
	return end
}

// isInitial reports whether a point behind the word belongs to a name.
func isInitial(w string) bool {
	if utf8.RuneCountInString(w) == 1 {
		return true
	}
	switch w {
	case "St", "Dr", "Mr", "Mrs", "Ms", "Jr", "Sr", "Mt", "Sgt", "Lt", "Gen", "Col", "Prof", "Rev", "Capt", "Hon", "Gov", "Sen":
		return true
	}
	return len(w) <= 4 && strings.Contains(w, ".")
}

// isConnector reports whether a word in lower case can stand inside a name.
func isConnector(w string) bool {
	switch w {
	case "of", "the", "de", "da", "del", "della", "la", "le", "las", "los", "van", "von", "der", "den", "di", "du", "des", "y", "e", "ibn", "bin", "al", "el", "zu", "ter", "ten", "af", "av", "do", "dos", "for", "&", "in":
		return w != "in" && w != "for"
	}
	return false
}

// bindsTopic reports whether a preposition behind a word goes on with a name:
// "Conference on Acoustics", "Prize for Physics".
func bindsTopic(before, w string) bool {
	if w != "on" && w != "for" {
		return false
	}
	switch before {
	case "Conference", "Prize", "Award", "Museum", "Society", "Centre", "Center", "Institute", "Council", "Committee", "Congress", "Foundation", "Medal", "School", "Symposium", "Association":
		return true
	}
	return false
}

// isDemonym guesses whether a word is an adjective of nationality.
func isDemonym(low string) bool {
	switch low {
	case "french", "greek", "dutch", "german", "cuban", "croat", "serb", "turk", "dane", "swede", "pole", "scot", "afghan", "moroccan", "swiss", "thai", "czech", "welsh", "norse", "african", "native", "catholic", "jewish", "british", "american":
		return true
	}
	if len(low) < 5 {
		return false
	}
	for _, suffix := range [...]string{"ish", "ese", "ian", "ican", "rican", "ean", "yan", "ani", "aqi", "eli"} {
		if strings.HasSuffix(low, suffix) {
			return true
		}
	}
	return false
}

// nextNumber returns the first number that begins within reach bytes of at.
func nextNumber(s string, at, reach int) (span, bool) {
	for i := at; i < len(s) && i <= at+reach; i++ {
		if s[i] < '0' || s[i] > '9' || i > 0 && isWordByte(s[i-1]) {
			continue
		}
		end := i
		for end < len(s) && (s[end] >= '0' && s[end] <= '9' || (s[end] == ',' || s[end] == '.') && end+1 < len(s) && s[end+1] >= '0' && s[end+1] <= '9') {
			end++
		}
		return span{i, end}, true
	}
	return span{}, false
}

// tradePhrase returns the noun phrase at at, from behind its article to the end
// of what it says: "a Danish film director and" gives "Danish film director".
func tradePhrase(s string, at int) (span, bool) {
	i := at
	for i < len(s) && s[i] == ' ' {
		i++
	}
	for _, article := range [...]string{"a ", "an ", "the "} {
		if strings.HasPrefix(s[i:], article) {
			i += len(article)
			break
		}
	}
	end := i
	for end < len(s) {
		stop := wordEnd(s, end)
		if stop == end || isTradeEnd(s[end:stop]) {
			break
		}
		end = stop
		if end >= len(s) || s[end] != ' ' {
			return span{i, end}, end > i
		}
		end++
	}
	end = len(strings.TrimRight(s[:end], " "))
	return span{i, end}, end > i
}

func isTradeEnd(w string) bool {
	switch w {
	case "and", "who", "which", "that", "from", "in", "at", "by", "with", "for", "on", "of", "born", "whose", "known", "to":
		return true
	}
	return false
}

// originWord returns the adjective of nationality or the country that at
// announces.
func originWord(s string, at int) (span, bool) {
	i := at
	for n := 0; n < 4 && i < len(s); n++ {
		for i < len(s) && s[i] == ' ' {
			i++
		}
		end := wordEnd(s, i)
		r, _ := utf8.DecodeRuneInString(s[i:])
		if unicode.IsUpper(r) {
			return span{i, end}, true
		}
		if end == i || end < len(s) && s[end] != ' ' {
			return span{}, false
		}
		i = end
	}
	return span{}, false
}
