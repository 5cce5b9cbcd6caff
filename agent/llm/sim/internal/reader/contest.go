package reader

import (
	"slices"
)

// contest parses questions about two things: "Which film was released first,
// A or B?", "Was A born before B?", "Are A and B located in the same country?".
func (p *parser) contest(q *Question) *Node {
	words := q.words
	if len(words) < 4 {
		return nil
	}
	if n := p.same(words); n != nil {
		return n
	}
	if n := p.whether(words); n != nil {
		return n
	}
	return p.which(words)
}

// which parses "HEAD, A or B" and "between A and B, which …".
func (p *parser) which(words []word) *Node {
	or := -1
	for i := len(words) - 2; i > 1; i-- {
		if words[i].low == "or" && !words[i].quoted {
			or = i
			break
		}
	}
	if or < 0 {
		return nil
	}
	start := p.contestStart(words, or)
	if start <= 0 {
		return p.first(words, or)
	}
	a, b := p.phrase(words[start:or], 1), p.phrase(words[or+1:], 1)
	if a == nil || b == nil {
		return nil
	}
	head := words[:start]
	steps, greater, ok := p.measure(head)
	if !ok {
		return nil
	}
	n := &Node{Op: Compare, Greater: greater, Sides: []*Node{a, b}}
	n.Life = hasWord(head, "longer") && hasWord(head, "lived")
	if n.Life {
		steps = []step{{rel: p.g.byName["birthdate"]}}
	}
	n.Args = []*Node{follow(a, steps), follow(b, steps)}
	return n
}

// first parses "Was A or B born first?".
func (p *parser) first(words []word, or int) *Node {
	if !oneOf(words[0].low, "was|is|did|were|are") {
		return nil
	}
	for end := or + 2; end < len(words); end++ {
		steps, greater, ok := p.measure(words[end:])
		if !ok || !p.isLower(words[end]) {
			continue
		}
		a, b := p.phrase(words[1:or], 1), p.phrase(words[or+1:end], 1)
		if a != nil && b != nil {
			return &Node{Op: Compare, Greater: greater, Sides: []*Node{a, b}, Args: []*Node{follow(a, steps), follow(b, steps)}}
		}
	}
	return nil
}

// contestStart returns where A begins in "HEAD, A or B": behind the last comma
// or adverb of comparison that leaves a verb or adjective before it.
func (p *parser) contestStart(words []word, or int) int {
	for i := 1; i < or; i++ {
		if _, _, ok := p.measure(words[:i]); !ok {
			continue
		}
		if words[i-1].comma || oneOf(words[i-1].low, "first|earlier|later|longer|older|younger|last|recently|recent|higher|shorter|lower|taller") {
			return i
		}
	}
	return 0
}

// measure reads what is compared, and which way, from the head of a question.
func (p *parser) measure(head []word) (steps []step, greater, ok bool) {
	name := ""
	for _, w := range head {
		switch w.low {
		case "born", "age":
			name = "birthdate"
		case "died", "die", "death", "deceased":
			name = "deathdate"
		case "lived", "live":
			name = "birthdate"
		case "released", "came", "release", "aired", "recent":
			name = "released"
		case "published", "publication":
			name = "published"
		case "premiered", "premiere", "performed":
			name = "premiered"
		case "founded", "established", "formed", "created", "started", "opened", "built", "began", "introduced", "launched", "completed", "incorporated", "debuted", "inaugurated":
			name = "founded"
		case "longer", "shorter":
			if name == "" {
				name = "length"
			}
		case "higher", "lower", "taller", "elevation":
			name = "height"
		case "population", "populated", "populous", "people", "inhabitants", "members":
			name = "population"
		case "older", "oldest", "younger", "youngest":
			if name == "" {
				name = p.ageOf(head)
			}
		}
		switch w.low {
		case "younger", "later", "last", "recent", "recently", "latest", "longer", "higher", "taller", "larger", "more":
			greater = true
		case "first", "earlier", "older", "oldest", "shorter", "lower", "less", "fewer":
			ok, greater = true, false
		}
		ok = ok || greater
	}
	if name == "" || !ok {
		return nil, false, false
	}
	return append(p.via(head), step{rel: p.g.byName[name]}), greater, true
}

// ageOf says what "older" compares for the kind of thing that head names; a
// person counts before the work.
func (p *parser) ageOf(head []word) string {
	has := func(list string) bool {
		return slices.ContainsFunc(head, func(w word) bool { return oneOf(w.low, list) })
	}
	switch {
	case has("director|composer|author|performer|founder|producer|person|actor|actress"):
		return "birthdate"
	case has("film|movie|album|song|single|game"):
		return "released"
	case has("novel|book|magazine|newspaper|journal"):
		return "published"
	case has("play"):
		return "premiered"
	case has("company|university|institute|museum|school|college|band|organization|club|city|town"):
		return "founded"
	}
	return "birthdate"
}

// via returns the step to the person meant in "the director who was born
// later", if the head speaks of one.
func (p *parser) via(head []word) []step {
	for i, w := range head {
		if i == 0 {
			continue
		}
		if oneOf(w.low, "director|composer|author|performer|founder|producer") && (hasWord(head, "has") || hasWord(head, "whose") || hasWord(head, "the")) {
			if s, ok := p.g.nouns[w.low]; ok {
				return append([]step(nil), s...)
			}
		}
	}
	return nil
}

// whether parses "Was A born before B?" and "Is A older than B?".
func (p *parser) whether(words []word) *Node {
	if !oneOf(words[0].low, "was|is|did|were|are") {
		return nil
	}
	for i := 2; i < len(words)-1; i++ {
		greater, known := false, true
		switch words[i].low {
		case "before":
		case "after":
			greater = true
		case "than":
			greater = oneOf(words[i-1].low, "younger|longer|higher|later|larger|taller")
		default:
			known = false
		}
		if !known {
			continue
		}
		for j := i - 1; j >= 2; j-- {
			head := append([]word{words[0]}, words[j:i]...)
			steps, _, ok := p.measure(append(head, word{low: "first"}))
			if !ok {
				continue
			}
			a, b := p.phrase(words[1:j], 1), p.phrase(words[i+1:], 1)
			if a == nil || b == nil {
				continue
			}
			return &Node{Op: Compare, Greater: greater, YesNo: true, Args: []*Node{follow(a, steps), follow(b, steps)}}
		}
	}
	return nil
}

func hasWord(words []word, low string) bool {
	for _, w := range words {
		if w.low == low {
			return true
		}
	}
	return false
}
