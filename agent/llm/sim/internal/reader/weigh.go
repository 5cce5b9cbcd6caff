package reader

import "strings"

// Strongest returns the value that claims say most strongly: the sum of the
// strengths of its claims, the first of them among equals.
func Strongest(claims []Claim) string {
	sum := make(map[string]float64, len(claims))
	pages := make(map[string]map[int]struct{}, len(claims))
	best := ""
	for _, c := range claims {
		key := nameKey(c.Value)
		if pages[key] == nil {
			pages[key] = map[int]struct{}{}
		}
		if _, twice := pages[key][c.Page]; twice {
			continue // one passage has one vote, by its strongest claim
		}
		pages[key][c.Page] = struct{}{}
		sum[key] += c.Strength
	}
	for _, c := range claims {
		if best == "" || sum[nameKey(c.Value)] > sum[nameKey(best)] {
			best = c.Value
		}
	}
	return best
}

// Distractors returns wrong values for a goal that a careless reader could
// take, the nearest first: what other claims say, then values of the same kind
// that stand on the page of the first claim.
func (s *Shelf) Distractors(g Goal, claims []Claim, right string) []string {
	var out []string
	add := func(value string, kind Kind) {
		value = clean(value, kind)
		key := nameKey(value)
		if key == "" || len(out) >= 6 || key == nameKey(right) || key == nameKey(g.Subject) || partOf(key, nameKey(right)) || partOf(key, nameKey(g.Subject)) {
			return
		}
		for _, old := range out {
			if nameKey(old) == key {
				return
			}
		}
		out = append(out, value)
	}
	for _, c := range claims {
		add(c.Value, g.Rel.Kind)
	}
	p := &s.pages[claims[0].Page]
	for _, at := range p.split() {
		sentence := p.Text[at.start:at.end]
		for _, n := range spansOf(sentence, g.Rel.Kind) {
			add(sentence[n.start:n.end], g.Rel.Kind)
		}
	}
	return out
}

// spansOf returns all values of a kind in a sentence.
func spansOf(s string, kind Kind) []span {
	var out []span
	collect := func(at span) { out = append(out, at) }
	switch kind {
	case Date:
		each(s, nextDate, collect)
	case Year:
		each(s, nextYear, collect)
	case Number:
		each(s, nextNumber, collect)
	case Trade:
		for _, verb := range [...]string{" is ", " was ", " as "} {
			if i := strings.Index(s, verb); i >= 0 {
				if at, ok := tradePhrase(s, i+len(verb)); ok {
					out = append(out, at)
				}
			}
		}
	default:
		return names(s)
	}
	return out
}

// Choose answers a question that offers its answers: yes or no, or one of two
// names. It takes the side that the passages speak for.
func (q *Question) Choose(s *Shelf) (string, bool) {
	if q.Kind == YesNo {
		return q.yesOrNo(s), true
	}
	if len(q.Entities) < 2 || !hasWord(q.words, "or") {
		return "", false
	}
	n := len(q.Entities)
	a, b := q.Entities[n-2], q.Entities[n-1]
	if !strings.Contains(fold(q.Text), fold(a)+" or ") && !strings.Contains(fold(q.Text), fold(a)+"\" or ") {
		return "", false
	}
	if q.support(s, b) > q.support(s, a) {
		return b, true
	}
	return a, true
}

// yesOrNo says yes if the pages about all things that the question names have
// at least half of its other words.
func (q *Question) yesOrNo(s *Shelf) string {
	for _, name := range q.Entities {
		if has := q.support(s, name); has >= 0 && has < 0.5 {
			return "no"
		}
	}
	return "yes"
}

// support returns the share of the question's content words on pages about
// name; −1 if there is no page or no word.
func (q *Question) support(s *Shelf, name string) float64 {
	key := nameKey(name)
	best := -1.0
	for i := range s.pages {
		p := &s.pages[i]
		if p.isAbout(key) == 0 || len(q.Content) == 0 {
			continue
		}
		n := 0
		for _, w := range q.Content {
			if findStem(p.low, stemOf(w), 0) >= 0 {
				n++
			}
		}
		best = max(best, float64(n)/float64(len(q.Content)))
	}
	return best
}
