package wikitext

import "strings"

func first(p *parser, args []argument, depth int) {
	if a := nth(args, 1); a != nil {
		p.write(a, depth)
		return
	}
	p.write(named(args, "text", "quote"), depth)
}

func second(p *parser, args []argument, depth int) {
	if a := nth(args, 2); a != nil {
		p.write(a, depth)
		return
	}
	p.write(named(args, "text"), depth)
}

// last writes the last argument behind the first that is not empty: a standard of
// transliteration may come between a language and the text.
func last(p *parser, args []argument, depth int) {
	a := named(args, "text")
	for n := 2; nth(args, n) != nil; n++ {
		if next := nth(args, n); !p.isEmpty(next) {
			a = next
		}
	}
	p.write(a, depth)
}

func interlanguage(p *parser, args []argument, depth int) {
	if a := named(args, "lt", "display", "text"); a != nil {
		p.write(a, depth)
		return
	}
	p.write(nth(args, 1), depth)
}

// before writes a mark before the first argument, or by itself: the amount may
// stand behind the template.
func before(mark string) writer { return around(mark, "") }

// around writes the first argument between marks; without one, only the first mark.
func around(opening, closing string) writer {
	return func(p *parser, args []argument, depth int) {
		p.out = append(p.out, opening...)
		if a := nth(args, 1); a != nil {
			p.write(a, depth)
			p.out = append(p.out, closing...)
		}
	}
}

// citation writes a quotation of French Wikipedia. The template of this name that
// English has for references gives no argument by place.
func citation(p *parser, args []argument, depth int) {
	if nth(args, 1) != nil {
		around("« ", " »")(p, args, depth)
	}
}

// joined writes the arguments given by place that are not empty.
func joined(between string) writer {
	return func(p *parser, args []argument, depth int) {
		written := false
		for i := range args {
			if args[i].name != "" || p.isEmpty(&args[i]) {
				continue
			}
			if written {
				p.out = append(p.out, between...)
			}
			p.write(&args[i], depth)
			written = true
		}
	}
}

// lines writes an argument that is a list, whose marks count only at the beginning
// of lines.
func lines(p *parser, args []argument, depth int) {
	p.out = append(p.out, '\n')
	first(p, args, depth)
	p.out = append(p.out, '\n')
}

// pairOf writes two arguments.
func pairOf(between, closing string) writer {
	return func(p *parser, args []argument, depth int) {
		p.write(nth(args, 1), depth)
		if a := nth(args, 2); a != nil {
			p.out = append(p.out, between...)
			p.write(a, depth)
			p.out = append(p.out, closing...)
		}
	}
}

// nihongo writes "English (script, reading)".
func nihongo(p *parser, args []argument, depth int) {
	p.write(nth(args, 1), depth)
	p.out = append(p.out, " ("...)
	p.write(nth(args, 2), depth)
	p.out = append(p.out, ", "...)
	p.write(nth(args, 3), depth)
	p.out = append(p.out, ')')
}

func reign(p *parser, args []argument, depth int) {
	p.out = append(p.out, "r. "...)
	joined(" – ")(p, args, depth)
}

func music(p *parser, args []argument, _ int) {
	switch strings.ToLower(p.raw(nth(args, 1))) {
	case "flat", "b":
		p.out = append(p.out, "♭"...)
	case "sharp", "#":
		p.out = append(p.out, "♯"...)
	case "natural", "n":
		p.out = append(p.out, "♮"...)
	}
}
