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

// functions are those whose value is their text.
var functions = words("formatnum|lc|uc|lcfirst|ucfirst")

// marks are templates for characters.
var marks = map[string]string{
	"nbsp": " ", "spaces": " ", "thinsp": " ", "zwsp": "", "shy": "", "-": "", "clear": "",
	"ndash": "–", "en dash": "–", "mdash": "—", "em dash": "—", "--": "—", "dash": "–",
	"snd": " – ", "spnd": " – ", "spaced ndash": " – ", "spaced en dash": " – ", "snds": " – ", "sndash": " – ",
	"'": "'", "'s": "'s", "\"": `"`, "' \"": `'"`, "\" '": `"'`, "=": "=", "·": " · ", "•": " • ", "bull": " • ",
	"dot": " · ", "middot": " · ", "\\": " / ", "co2": "CO2", "h2o": "H2O", "times": "×", "minus": "−", "prime": "′",
	"degree": "°", "&": "&", "ya": "", "ellipsis": "…", "...": "…", "zwj": "", "sp": " ", "pipe": " ",
}

// templates are those that write arguments of theirs.
var templates = func() map[string]writer {
	all := make(map[string]writer)
	for _, group := range []struct {
		names string
		write writer
	}{
		{`nowrap|nobr|j|small|smaller|big|nobold|noitalic|italic|em|strong|bold|larger|resize|smallcaps|sc|sic|not a typo|typo|
			visible anchor|vanchor|abbr|tooltip|quote|blockquote|cquote|quotation|angbr|flag|flagcountry|flagu|mono|code|kbd|var|math|mvar|
			chem2|nofold|script|unicode|vr|varserif|val|number|nts|sub|sup|wikt-lang|transl-text|keypress|key|nihongo2|zh-text|as written|notatypo`, first},
		{`lang|langx|transl|transliteration|rtl-lang|wikt|lang2|font|color|colour|fontcolor|text color`, second},
		{`ill|interlanguage link|link-interwiki|illm`, interlanguage},
		{`convert|cvt|conv|convert2`, convert},
		{`circa|c.`, before("c. ")},
		{`floruit|fl.|fl`, before("fl. ")},
		{`us$|usd|us dollar`, before("US$")}, {`£|gbp|pound sterling`, before("£")}, {`€|euro`, before("€")}, {`¥|jpy|yen`, before("¥")},
		{`uss`, before("USS ")}, {`hms`, before("HMS ")}, {`ss`, before("SS ")}, {`rms`, before("RMS ")}, {`hmas`, before("HMAS ")}, {`hmcs`, before("HMCS ")},
		{`frac|fraction|sfrac|frac2`, fraction},
		{`chem|chem formula`, joined("")},
		{`ship|sclass|sclass2`, ship},
		{`nihongo|nihongo3|korean|nihongo krt`, nihongo},
		{`birth date|birth date and age|bda|dob|death date|death date and age|dda|birth-date|death-date|start date|end date|
			film date|release date|start date and age|date|dts|birth date and given age|geburtsdatum`, date},
		{`as of|asof`, asOf},
		{`reign|r.`, reign},
	} {
		for name := range words(group.names) {
			all[name] = group.write
		}
	}
	return all
}()

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

// raw returns an argument as it stands, if it is a short one.
func (p *parser) raw(a *argument) string {
	if a == nil || a.to-a.from > maxName {
		return ""
	}
	return strings.TrimSpace(p.src[a.from:a.to])
}

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

func interlanguage(p *parser, args []argument, depth int) {
	if a := named(args, "lt", "display", "text"); a != nil {
		p.write(a, depth)
		return
	}
	p.write(nth(args, 1), depth)
}

func before(mark string) writer {
	return func(p *parser, args []argument, depth int) {
		if a := nth(args, 1); a != nil {
			p.out = append(p.out, mark...)
			p.write(a, depth)
		}
	}
}

func joined(between string) writer {
	return func(p *parser, args []argument, depth int) {
		for i := range args {
			if args[i].name != "" {
				continue
			}
			if i > 0 {
				p.out = append(p.out, between...)
			}
			p.write(&args[i], depth)
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

func ship(p *parser, args []argument, depth int) {
	p.write(nth(args, 1), depth)
	p.out = append(p.out, ' ')
	p.write(nth(args, 2), depth)
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
