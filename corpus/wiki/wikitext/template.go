package wikitext

import (
	"strconv"
	"strings"
)

// maxName bounds the names of templates and namespaces, in bytes.
const maxName = 80

// template writes the text that a template carries, if it is one of the few that
// do.
func (p *parser) template(from, to, depth int) {
	bar := p.bar(from, to)
	if bar-from > maxName {
		return
	}
	name := templateName(p.src[from:bar])
	if function, value, ok := strings.Cut(name, ":"); ok {
		if isFunction := functions[function]; isFunction && bar == to {
			p.out = append(p.out, strings.TrimSpace(value)...)
		}
		return
	}
	if strings.HasPrefix(name, "lang-") {
		name = "nowrap"
	}
	if text, ok := marks[name]; ok {
		p.out = append(p.out, text...)
		return
	}
	write, ok := p.templates[name]
	if !ok {
		return
	}
	write(p, p.arguments(bar, to), depth)
}

// A writer writes what a template shows.
type writer func(p *parser, args []argument, depth int)

// An argument is one of a template: where it stands in the page. Named ones have
// a name.
type argument struct {
	name     string
	from, to int
}

// arguments returns the arguments that begin with the bar at a place.
func (p *parser) arguments(bar, to int) []argument {
	const most = 64
	var args []argument
	for bar < to && len(args) < most {
		from := bar + 1
		bar = p.bar(from, to)
		args = append(args, p.argument(from, bar))
	}
	return args
}

func (p *parser) argument(from, to int) argument {
	limit := min(to, from+maxName)
	if i := p.firstPair(from); i < len(p.pairs) {
		limit = max(from, min(limit, p.pairs[i].open))
	}
	equals := strings.IndexByte(p.src[from:limit], '=')
	if equals < 0 {
		return argument{from: from, to: to}
	}
	name := strings.TrimSpace(p.src[from : from+equals])
	return argument{name: strings.ToLower(name), from: from + equals + 1, to: to}
}

// nth returns the argument of a number from 1, given so or by place; nil if there
// is none.
func nth(args []argument, n int) *argument {
	place := 0
	for i := range args {
		if args[i].name == "" {
			place++
		}
		if args[i].name == "" && place == n || args[i].name == strconv.Itoa(n) {
			return &args[i]
		}
	}
	return nil
}

func named(args []argument, names ...string) *argument {
	for i := range args {
		for _, name := range names {
			if args[i].name == name {
				return &args[i]
			}
		}
	}
	return nil
}

// write writes an argument; nil is none.
func (p *parser) write(a *argument, depth int) {
	if a == nil {
		return
	}
	from, to := a.from, a.to
	for from < to && isBlank(p.src[from]) {
		from++
	}
	for to > from && isBlank(p.src[to-1]) {
		to--
	}
	p.span(from, to, depth)
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' }

func (p *parser) isEmpty(a *argument) bool { return strings.TrimSpace(p.src[a.from:a.to]) == "" }

// raw returns an argument as it stands, if it is a short one.
func (p *parser) raw(a *argument) string {
	if a == nil || a.to-a.from > maxName {
		return ""
	}
	return strings.TrimSpace(p.src[a.from:a.to])
}
