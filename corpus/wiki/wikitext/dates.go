package wikitext

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// date writes "June 23, 1912", or "23 June 1912" with df=yes; less if there is
// less. Text that is no number is written as it is.
func date(p *parser, args []argument, depth int) {
	first := nth(args, 1)
	year := p.number(first)
	if year <= 0 || nth(args, 2) == nil {
		p.write(first, depth)
		return
	}
	dayFirst := strings.HasPrefix(p.raw(named(args, "df")), "y")
	p.out = append(p.out, dateText(year, p.month(nth(args, 2)), p.number(nth(args, 3)), dayFirst)...)
}

// dateDayFirst writes a date as French Wikipedia gives it, day, month and year, or
// as English does.
func dateDayFirst(p *parser, args []argument, depth int) {
	const longestMonth = 31
	if p.number(nth(args, 1)) > longestMonth {
		date(p, args, depth)
		return
	}
	joined(" ")(p, args[:min(3, len(args))], depth)
}

func dateText(year int, month string, day int, dayFirst bool) string {
	switch {
	case year <= 0:
		return ""
	case month != "" && day > 0 && dayFirst:
		return fmt.Sprintf("%d %s %d", day, month, year)
	case month != "" && day > 0:
		return fmt.Sprintf("%s %d, %d", month, day, year)
	case month != "":
		return fmt.Sprintf("%s %d", month, year)
	}
	return strconv.Itoa(year)
}

// month returns the name of the month that an argument has the number of, or the
// word that it is; "" if neither.
func (p *parser) month(a *argument) string {
	if n := p.number(a); 1 <= n && n <= 12 {
		return time.Month(n).String()
	}
	word := p.raw(a)
	if word == "" || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return ""
	}
	return word
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
	first := nth(args, 1)
	if first == nil {
		return
	}
	word := "As of "
	if named(args, "lc") != nil {
		word = "as of "
	}
	p.out = append(p.out, word...)
	if text := dateText(p.number(first), p.month(nth(args, 2)), p.number(nth(args, 3)), true); text != "" {
		p.out = append(p.out, text...)
		return
	}
	p.write(first, depth)
}

// circa writes "c. 1900", or "c. 1900 – c. 1910".
func circa(p *parser, args []argument, depth int) {
	before("c. ")(p, args, depth)
	if a := nth(args, 2); a != nil && !p.isEmpty(a) {
		p.out = append(p.out, " – c. "...)
		p.write(a, depth)
	}
}
