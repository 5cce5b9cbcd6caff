package reader

import (
	"strings"
)

// life reads what stands in brackets behind a person's name, dates and perhaps
// places: "(15 October 1934 in Aberarth – 4 January 2010)".
func (r *reading) life() {
	var second, place bool
	switch r.goal.Rel.Name {
	case "birthdate", "birthyear":
	case "deathdate", "deathyear":
		second = true
	case "birthplace":
		place = true
	case "deathplace":
		second, place = true, true
	default:
		return
	}
	text := r.page.Text
	for at, n := 0, 0; n < 2; n++ {
		open := strings.IndexByte(text[at:min(len(text), at+200)], '(')
		if open < 0 {
			return
		}
		open += at
		end := strings.IndexByte(text[open:], ')')
		if end < 0 {
			return
		}
		if value, ok := lifeValue(text[open:open+end], r.goal.Rel.Kind, second, place); ok {
			r.claim(value, 0.1)
			return
		}
		at = open + end
	}
}

// lifeValue picks the date or place of birth, or of death, from what stands in
// the brackets.
func lifeValue(inside string, kind Kind, second, place bool) (string, bool) {
	first, ok := nextDate(inside, 0, len(inside))
	if !ok {
		return "", false
	}
	last, both := nextDate(inside, first.end, len(inside))
	if !both && (second || !strings.Contains(inside, "born") && !place) {
		return "", false
	}
	at, rest := first, inside[first.end:]
	switch {
	case second:
		at, rest = last, inside[last.end:]
	case both:
		rest = inside[first.end:last.start]
	}
	switch {
	case place:
		rest = strings.TrimPrefix(strings.TrimLeft(rest, ", "), "in ")
		name, ok := nextName(rest, 0, 0)
		return rest[name.start:name.end], ok
	case kind == Year:
		return yearOf(inside[at.start:at.end]), true
	}
	return inside[at.start:at.end], true
}

// yearOf returns the year in a date, or the date if there is none.
func yearOf(date string) string {
	if at, ok := nextYear(date, 0, len(date)); ok {
		return date[at.start:at.end]
	}
	return date
}
