package wikitext

import "strings"

// ranges are the words between two numbers of {{convert}}.
var ranges = map[string]string{
	"to": " to ", "-": "–", "–": "–", "to(-)": "–", "and": " and ", "or": " or ", "x": " × ", "×": " × ", "by": " by ", "*": " × ", "+/-": " ± ", "±": " ± ",
	"and(-)": " and ", "to about": " to about ", "xx": " × ", "(-)": "–",
}

// convert writes the measure that is converted, as it is given: number, or
// numbers with a word between, and unit; more such if a number and unit follow, as
// in "5 ft 11 in".
func convert(p *parser, args []argument, depth int) {
	for n := 1; ; {
		p.write(nth(args, n), depth)
		if between, isRange := ranges[p.raw(nth(args, n+1))]; isRange {
			p.out = append(p.out, between...)
			n += 2
			continue
		}
		p.out = append(p.out, ' ')
		p.out = append(p.out, unitName(p.raw(nth(args, n+1)))...)
		next, behind := p.raw(nth(args, n+2)), p.raw(nth(args, n+3))
		between, isRange := ranges[next]
		switch {
		case isRange && isNumber(behind):
			p.out = append(p.out, between...)
			n += 3
		case isNumber(next) && behind != "" && !isNumber(behind):
			p.out = append(p.out, ' ')
			n += 2
		default:
			return
		}
	}
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789.,/+-−") == "" }

func unitName(unit string) string {
	switch strings.ToLower(unit) {
	case "c", "°c", "f", "°f":
		unit = "°" + strings.ToUpper(strings.TrimPrefix(unit, "°"))
	}
	return strings.ReplaceAll(unit, "sqkm", "km2")
}

// value writes "1.2±0.3×10^4 kg", which {{val}} shows so.
func value(p *parser, args []argument, depth int) {
	p.write(nth(args, 1), depth)
	if a := nth(args, 2); a != nil && !p.isEmpty(a) {
		if !strings.ContainsAny(p.raw(a)[:min(1, len(p.raw(a)))], "(+") {
			p.out = append(p.out, "±"...)
		}
		p.write(a, depth)
		p.write(nth(args, 3), depth)
	}
	p.power(named(args, "e"), depth)
	if u := named(args, "u", "ul"); u != nil {
		if raw := p.raw(u); raw != "%" && raw != "°" {
			p.out = append(p.out, ' ')
		}
		p.write(u, depth)
	}
	if u := named(args, "up", "upl"); u != nil {
		p.out = append(p.out, '/')
		p.write(u, depth)
	}
}

// power writes a power of ten; nil is none.
func (p *parser) power(exponent *argument, depth int) {
	if exponent != nil {
		p.out = append(p.out, "×10^"...)
		p.write(exponent, depth)
	}
}

// unit writes a measure as French Wikipedia gives it: number, unit, exponent of
// the unit, and more units with theirs.
func unit(p *parser, args []argument, depth int) {
	p.write(nth(args, 1), depth)
	p.power(named(args, "e"), depth)
	for n := 2; nth(args, n) != nil; n++ {
		if n == 2 {
			p.out = append(p.out, ' ')
		}
		p.write(nth(args, n), depth)
	}
}

// height writes the height of a person, whose units are names of arguments.
func height(p *parser, args []argument, depth int) {
	for _, unit := range []string{"ft", "in", "m", "cm"} {
		if a := named(args, unit); a != nil {
			p.out = append(p.out, ' ')
			p.write(a, depth)
			p.out = append(p.out, ' ')
			p.out = append(p.out, unit...)
		}
	}
}

// fraction writes a/b, or w a/b.
func fraction(p *parser, args []argument, depth int) {
	w, a, b := nth(args, 1), nth(args, 2), nth(args, 3)
	switch {
	case a == nil:
		p.out = append(p.out, "1/"...)
		p.write(w, depth)
	case b == nil:
		joined("/")(p, args, depth)
	default:
		p.write(w, depth)
		p.out = append(p.out, ' ')
		p.write(a, depth)
		p.out = append(p.out, '/')
		p.write(b, depth)
	}
}

// ordinal writes "3rd".
func ordinal(p *parser, args []argument, depth int) {
	p.write(nth(args, 1), depth)
	n := p.number(nth(args, 1))
	ending := "th"
	if tens := n / 10 % 10; tens != 1 {
		switch n % 10 {
		case 1:
			ending = "st"
		case 2:
			ending = "nd"
		case 3:
			ending = "rd"
		}
	}
	p.out = append(p.out, ending...)
}
