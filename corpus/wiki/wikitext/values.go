package wikitext

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ranges are the words between two numbers of {{convert}}.
var ranges = map[string]string{
	"to": " to ", "-": "–", "–": "–", "to(-)": "–", "and": " and ", "or": " or ", "x": " × ", "×": " × ", "by": " by ", "*": " × ", "+/-": " ± ", "±": " ± ",
	"and(-)": " and ", "to about": " to about ", "xx": " × ", "(-)": "–",
}

// convert writes the measure that is converted, as it is given: number, or
// numbers with a word between, and unit.
func convert(p *parser, args []argument, depth int) {
	n := 1
	for {
		p.write(nth(args, n), depth)
		between, ok := ranges[p.raw(nth(args, n+1))]
		if !ok {
			break
		}
		p.out = append(p.out, between...)
		n += 2
	}
	unit := p.raw(nth(args, n+1))
	switch strings.ToLower(unit) {
	case "c", "°c", "f", "°f":
		unit = "°" + strings.ToUpper(strings.TrimPrefix(unit, "°"))
	}
	p.out = append(p.out, ' ')
	p.out = append(p.out, strings.ReplaceAll(unit, "sqkm", "km2")...)
}

// date writes "June 23, 1912", or "23 June 1912" with df=yes; less if there is
// less. Text that is no number is written as it is.
func date(p *parser, args []argument, depth int) {
	if day := nth(args, 1); day != nil && nth(args, 2) == nil {
		p.write(day, depth)
		return
	}
	year, month, day := p.number(nth(args, 1)), p.number(nth(args, 2)), p.number(nth(args, 3))
	dayFirst := strings.HasPrefix(p.raw(named(args, "df")), "y")
	p.out = append(p.out, dateText(year, month, day, dayFirst)...)
}

func dateText(year, month, day int, dayFirst bool) string {
	hasMonth := 1 <= month && month <= 12
	switch {
	case year <= 0:
		return ""
	case hasMonth && day > 0 && dayFirst:
		return fmt.Sprintf("%d %v %d", day, time.Month(month), year)
	case hasMonth && day > 0:
		return fmt.Sprintf("%v %d, %d", time.Month(month), day, year)
	case hasMonth:
		return fmt.Sprintf("%v %d", time.Month(month), year)
	}
	return strconv.Itoa(year)
}

// number returns the number that an argument is, or 0.
func (p *parser) number(a *argument) int {
	n, err := strconv.Atoi(p.raw(a))
	if err != nil {
		return 0
	}
	return n
}

// asOf writes "As of May 2010".
func asOf(p *parser, args []argument, depth int) {
	if alt := named(args, "alt"); alt != nil {
		p.write(alt, depth)
		return
	}
	word := "As of "
	if named(args, "lc") != nil {
		word = "as of "
	}
	text := dateText(p.number(nth(args, 1)), p.number(nth(args, 2)), p.number(nth(args, 3)), true)
	if text == "" {
		return
	}
	p.out = append(p.out, word...)
	p.out = append(p.out, text...)
}
