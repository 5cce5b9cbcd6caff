package reader

import (
	"slices"
	"strings"
)

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
const sharedReach = 3

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
