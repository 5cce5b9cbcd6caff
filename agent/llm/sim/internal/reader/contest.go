package reader

import (
	"slices"
	"strings"
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

// same parses yes-or-no questions whether two things share something: "same"
// or "share" with "A and B", or "both" with a common noun.
func (p *parser) same(words []word) *Node {
	if !oneOf(words[0].low, "are|were|do|did|is|have|does|has|was") {
		return nil
	}
	steps, ok := p.shared(words)
	if !ok {
		return nil
	}
	if via := p.viaOf(words[1:]); via != nil && steps[0].rel != via[0].rel {
		steps = append(via, steps...)
	}
	start := 1
	for start < len(words)-3 && p.isLower(words[start]) && oneOf(words[start].low, "both|the|movies|films|directors|director|of|songs|albums|bands|cities|villages|writers|authors|composers|musicians|persons|people") {
		start++
	}
	for and := start + 1; and < len(words)-2; and++ {
		if words[and].low != "and" || words[and].quoted {
			continue
		}
		a := p.phrase(words[start:and], 1)
		if a == nil {
			continue
		}
		for end := len(words) - 1; end > and+1; end-- {
			rest := words[end:]
			if !hasWord(rest, "same") && !hasWord(rest, "share") {
				continue
			}
			b := p.phrase(words[and+1:end], 1)
			if b != nil && (b.Op != Entity || !p.isLower(words[end-1])) {
				return &Node{Op: Same, Args: []*Node{follow(a, steps), follow(b, steps)}}
			}
		}
	}
	return nil
}

// viaOf returns the step of "Do both films A and B have directors …".
func (p *parser) viaOf(words []word) []step {
	for _, w := range words {
		switch w.low {
		case "director", "directors":
			return []step{{rel: p.g.byName["director"]}}
		case "composer", "composers":
			return []step{{rel: p.g.byName["composer"]}}
		}
	}
	return nil
}

// isCommon reports whether a word between the verb and the first name is only
// there to say what kind of things the names are.
func (p *parser) isLower(w word) bool {
	return !w.quoted && w.start < w.end && strings.ToLower(p.text[w.start:w.end]) == p.text[w.start:w.end] || w.low == "'s"
}

// sharedReach is how many words before "same" can say what is the same.
const sharedReach = 4

// shared reads what two things are asked to share.
func (p *parser) shared(words []word) ([]step, bool) {
	at := slices.IndexFunc(words, func(w word) bool { return w.low == "same" || w.low == "share" })
	if at < 0 {
		return nil, false
	}
	words = words[max(0, at-sharedReach):]
	name := func(names ...string) ([]step, bool) {
		var out []step
		for _, n := range names {
			out = append(out, step{rel: p.g.byName[n]})
		}
		return out, true
	}
	has := func(list string) bool {
		for _, w := range words {
			if p.isLower(w) && oneOf(w.low, list) {
				return true
			}
		}
		return false
	}
	country := has("country|nation")
	switch {
	case has("nationality"), country && has("from|originate|originated|origin|come"):
		return name("nationality")
	case has("born") && country:
		return name("birthplace", "country")
	case has("born|birthplace"):
		return name("birthplace")
	case has("headquartered|based") && country:
		return name("headquarters", "country")
	case has("study|studied|attend|university"):
		return name("school")
	case has("directed|director"):
		if has("directors") {
			return nil, false
		}
		return name("director")
	case has("written|author"):
		return name("author")
	case has("river"):
		return name("waterway")
	case has("city") && has("located|in"):
		return name("location")
	case country:
		return name("country")
	case has("occupation|profession|career|job"):
		return name("occupation")
	case has("genre|type|kind"):
		return name("genre")
	}
	return nil, false
}

func hasWord(words []word, low string) bool {
	for _, w := range words {
		if w.low == low {
			return true
		}
	}
	return false
}
