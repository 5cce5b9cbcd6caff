package reader

import (
	"strings"
	"unicode/utf8"
)

var months = map[string]int{"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12}

// nextDate returns the first date in s from at on that begins within reach
// bytes: "12 March 1951", "March 12, 1951", "March 1951" or a year.
func nextDate(s string, at, reach int) (span, bool) {
	for i := at; i < len(s) && i <= at+reach; i++ {
		if i > 0 && !isBreak(s[i-1]) {
			continue
		}
		if end, ok := dateAt(s, i); ok {
			return span{i, end}, true
		}
	}
	return span{}, false
}

func isBreak(c byte) bool {
	return c == ' ' || c == '(' || c == ',' || c == '-' || c == '"' || c >= utf8.RuneSelf
}

// dateAt returns the end of the date that begins at i.
func dateAt(s string, i int) (end int, ok bool) {
	tok := func(from int) (string, int) {
		for from < len(s) && (s[from] == ' ' || s[from] == ',') {
			from++
		}
		e := from
		for e < len(s) && (isWordByte(s[e])) {
			e++
		}
		return s[from:e], e
	}
	first, e1 := tok(i)
	if first == "" || s[i] == ' ' {
		return 0, false
	}
	second, e2 := tok(e1)
	third, e3 := tok(e2)
	switch {
	case isDay(first) && months[fold(second)] > 0 && isYear(third): // 12 March 1951
		return e3, true
	case isDay(first) && months[fold(second)] > 0: // 22 November
		return e2, true
	case months[fold(first)] > 0 && isDay(second) && isYear(third): // March 12, 1951
		return e3, true
	case months[fold(first)] > 0 && isYear(second): // March 1951
		return e2, true
	case months[fold(first)] > 0 && isDay(second): // March 12
		return e2, true
	case isYear(first):
		return e1, true
	}
	return 0, false
}

func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= utf8.RuneSelf
}

func isDay(w string) bool {
	if len(w) == 0 || len(w) > 4 || w[0] < '0' || w[0] > '9' {
		return false
	}
	digits := strings.TrimRight(w, "sthndr")
	return len(digits) <= 2 && allDigits(digits)
}

func isYear(w string) bool { return (len(w) == 4 && (w[0] == '1' || w[0] == '2')) && allDigits(w) }

func allDigits(w string) bool {
	for i := range len(w) {
		if w[i] < '0' || w[i] > '9' {
			return false
		}
	}
	return w != ""
}

// nextYear returns the first year that begins within reach bytes of at.
func nextYear(s string, at, reach int) (span, bool) {
	for i := at; i+4 <= len(s) && i <= at+reach; i++ {
		if (i == 0 || !isWordByte(s[i-1])) && isYear(s[i:i+4]) && (i+4 == len(s) || !isWordByte(s[i+4])) {
			return span{i, i + 4}, true
		}
	}
	return span{}, false
}
