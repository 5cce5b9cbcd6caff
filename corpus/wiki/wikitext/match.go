package wikitext

import "strings"

// A pair is an opener of the page and its closer.
type pair struct {
	kind        pairKind
	open, close int // where they begin; close is -1 without a closer
	next        int // index of the first pair that opens behind the closer
}

type pairKind byte

const (
	templatePair pairKind = iota // {{ }}
	linkPair                     // [[ ]]
	tablePair                    // {| |}, at the beginning of lines
	webPair                      // [http: ], within a line
	pairKinds
)

// inner returns what stands between opener and closer.
func (p pair) inner() (from, to int) {
	if p.kind == webPair {
		return p.open + 1, p.close
	}
	return p.open + 2, p.close
}

// end returns where the closer ends.
func (p pair) end() int {
	if p.kind == webPair {
		return p.close + 1
	}
	return p.close + 2
}

// A parser walks a page without tags.
type parser struct {
	src       string
	dropped   Namespaces
	templates map[string]writer // not the variable, which comes to this type again
	pairs     []pair            // by opener
	stack     []int             // of open pairs
	open      [pairKinds]int
	out       []byte
}

// match finds the pairs. A closer closes the latest opener of its kind; openers
// that come between stay without one.
func (p *parser) match() {
	for i := 0; i < len(p.src); {
		switch p.src[i] {
		case '{':
			i = p.matchBraces(i)
		case '}':
			n := p.run(i)
			for j := i; j+1 < i+n; j += 2 {
				p.closeLatest(templatePair, j)
			}
			i += n
		case '[':
			i = p.matchBrackets(i)
		case ']':
			i = p.matchClosing(i)
		case '|':
			if p.closesTable(i) {
				p.closeLatest(tablePair, i)
				i++
			}
			i++
		case '\n':
			for p.top() == webPair {
				p.pop()
			}
			i++
		default:
			i++
		}
	}
}

// run returns how many times the character at i stands there.
func (p *parser) run(i int) int {
	n := 1
	for i+n < len(p.src) && p.src[i+n] == p.src[i] {
		n++
	}
	return n
}

func (p *parser) matchBraces(i int) int {
	n := p.run(i)
	if n == 1 && strings.HasPrefix(p.src[i:], "{|") && p.beginsLine(i) {
		p.push(tablePair, i)
		return i + 2
	}
	for j := i + n%2; j < i+n; j += 2 {
		p.push(templatePair, j)
	}
	return i + n
}

func (p *parser) matchBrackets(i int) int {
	n := p.run(i)
	if n%2 == 1 && isAddress(p.src[i+n:]) {
		for j := i; j+1 < i+n; j += 2 {
			p.push(linkPair, j)
		}
		p.push(webPair, i+n-1)
		return i + n
	}
	for j := i + n%2; j < i+n; j += 2 {
		p.push(linkPair, j)
	}
	return i + n
}

// matchClosing closes links, to the web or not, but none that a template was
// opened in.
func (p *parser) matchClosing(i int) int {
	end := i + p.run(i)
	for i < end {
		switch {
		case p.top() == webPair:
			p.closeLatest(webPair, i)
			i++
		case p.top() == linkPair && end-i >= 2:
			p.closeLatest(linkPair, i)
			i += 2
		default:
			i++
		}
	}
	return end
}

// closesTable reports whether the bar at i does, and does not begin the last
// parameter of a template.
func (p *parser) closesTable(i int) bool {
	if p.open[tablePair] == 0 || !strings.HasPrefix(p.src[i:], "|}") || !p.beginsLine(i) {
		return false
	}
	return !strings.HasPrefix(p.src[i+2:], "}") || p.top() != templatePair
}

// beginsLine reports whether only indentation stands before i.
func (p *parser) beginsLine(i int) bool {
	for i > 0 && strings.IndexByte(" \t:*#", p.src[i-1]) >= 0 {
		i--
	}
	return i == 0 || p.src[i-1] == '\n'
}

// isAddress reports whether an address of the web follows a bracket.
func isAddress(s string) bool {
	for _, scheme := range []string{"http://", "https://", "//", "ftp://", "mailto:", "news:", "irc://", "HTTP://", "Http://"} {
		if strings.HasPrefix(s, scheme) {
			return true
		}
	}
	return false
}

func (p *parser) push(kind pairKind, at int) {
	p.stack = append(p.stack, len(p.pairs))
	p.pairs = append(p.pairs, pair{kind: kind, open: at, close: -1})
	p.open[kind]++
}

// top returns the kind of the latest open pair; pairKinds if there is none.
func (p *parser) top() pairKind {
	if len(p.stack) == 0 {
		return pairKinds
	}
	return p.pairs[p.stack[len(p.stack)-1]].kind
}

// pop takes the latest open pair off the stack.
func (p *parser) pop() *pair {
	last := &p.pairs[p.stack[len(p.stack)-1]]
	p.stack = p.stack[:len(p.stack)-1]
	p.open[last.kind]--
	return last
}

func (p *parser) closeLatest(kind pairKind, at int) {
	if p.open[kind] == 0 {
		return
	}
	for {
		if last := p.pop(); last.kind == kind {
			last.close, last.next = at, len(p.pairs)
			return
		}
	}
}
