package reader

import (
	"strconv"
	"strings"
)

func (v *solver) compare(n *Node) (string, bool) {
	a, okA := v.value(n.Args[0])
	b, okB := v.value(n.Args[1])
	if !okA || !okB {
		return "", false
	}
	x, y := v.measure(n.Args[0], a), v.measure(n.Args[1], b)
	if n.Life {
		if x, y, okA = v.lives(n, x, y); !okA {
			return "", false
		}
	}
	first := x < y
	if n.Greater {
		first = x > y
	}
	switch {
	case n.YesNo && first:
		return "yes", true
	case n.YesNo:
		return "no", true
	case first:
		return v.value(n.Sides[0])
	}
	return v.value(n.Sides[1])
}

// measure returns the number by which the value of a side orders.
func (v *solver) measure(side *Node, value string) float64 {
	if side.Op == Follow && side.Rel.Kind == Number {
		return numberOf(value)
	}
	return measureOf(value)
}

// lives returns the life spans of both sides, who were born at x and y, in days.
// It fails where a death is not known and could be searched for in a later
// round; a reader who knows of no rounds takes it for none.
func (v *solver) lives(n *Node, x, y float64) (a, b float64, ok bool) {
	a, endA := v.life(n.Sides[0], x)
	b, endB := v.life(n.Sides[1], y)
	return a, b, v.known == nil || endA && endB
}

// life returns the life span of a side that was born at born, in days; 0 and
// false if its end is not known.
func (v *solver) life(side *Node, born float64) (days float64, ok bool) {
	name, _ := v.value(side)
	death := Goal{Rel: theGrammar().byName["deathdate"], Subject: name}
	claims := v.claims(death)
	if len(claims) == 0 {
		if v.known != nil {
			v.open(death)
		}
		return 0, false
	}
	if v.known != nil {
		return measureOf(v.settle(death, claims)) - born, true
	}
	died, _ := v.believe(death, claims)
	return measureOf(died) - born, true
}

// measureOf returns a number by which values order: dates by the day, others
// by the first number in them.
func measureOf(value string) float64 {
	var day, month, year float64
	for w := range strings.FieldsSeq(strings.ReplaceAll(value, ",", " ")) {
		switch {
		case isYear(w):
			year, _ = strconv.ParseFloat(w, 64)
		case months[fold(w)] > 0:
			month = float64(months[fold(w)])
		case isDay(w):
			day, _ = strconv.ParseFloat(strings.TrimRight(w, "sthndr"), 64)
		}
	}
	if year > 0 && (month > 0 || strings.TrimSpace(value) == strconv.Itoa(int(year))) {
		return year*372 + month*31 + day
	}
	return numberOf(value)
}

// numberOf returns the first number in value.
func numberOf(value string) float64 {
	digits := strings.ReplaceAll(value, ",", "")
	at, ok := nextNumber(digits, 0, len(digits))
	if !ok {
		return 0
	}
	n, err := strconv.ParseFloat(digits[at.start:at.end], 64)
	if err != nil {
		return 0
	}
	return n
}
