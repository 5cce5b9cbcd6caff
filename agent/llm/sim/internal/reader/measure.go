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
		x, y = v.life(n, 0, x), v.life(n, 1, y)
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

// life returns the life span of side i, who was born at born, in days.
func (v *solver) life(n *Node, i int, born float64) float64 {
	name, _ := v.value(n.Sides[i])
	death := Goal{Rel: theGrammar().byName["deathdate"], Subject: name}
	claims := v.shelf.Claims(death)
	if len(claims) == 0 {
		return 0
	}
	return measureOf(v.believe(death, claims)) - born
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
