package reader

// meet parses "Which K p1 p2?" with two or more predicates, "and" and "also"
// between them.
func (p *parser) meet(words []word) *Node {
	if len(words) < 4 || !oneOf(words[0].low, "which|what|who") {
		return nil
	}
	noun := ""
	start := 1
	if words[0].low != "who" {
		start, noun = 2, words[1].low
	}
	parts := p.predicates(words[start:], 0)
	switch len(parts) {
	case 0:
		return nil
	case 1:
		parts[0].Noun = noun
		return parts[0]
	}
	return &Node{Op: Meet, Args: parts, Noun: noun}
}

// maxParts bounds the predicates of one question.
const maxParts = 4

// predicates splits words into predicates, the first of them as short as it can
// be.
func (p *parser) predicates(words []word, depth int) []*Node {
	if len(words) == 0 {
		return nil
	}
	key := partKey{extent(words), depth}
	parts, known := p.parts[key]
	if !known {
		parts = p.newPredicates(words, depth)
		p.parts[key] = parts
	}
	return parts
}

// A partKey names a piece of a question at a depth of splitting.
type partKey struct {
	at    span
	depth int
}

func (p *parser) newPredicates(words []word, depth int) []*Node {
	for len(words) > 0 && oneOf(words[0].low, "and|also|that|who|which|but") {
		words = words[1:]
	}
	if depth == maxParts {
		return nil
	}
	for i := 2; i < len(words)-1; i++ {
		left := words[:i]
		for len(left) > 0 && oneOf(left[len(left)-1].low, "and|also|that|who|which|but") {
			left = left[:len(left)-1]
		}
		first := p.predicate(left)
		if first == nil {
			continue
		}
		if rest := p.predicates(words[i:], depth+1); rest != nil {
			return append([]*Node{first}, rest...)
		}
	}
	if n := p.predicate(words); n != nil {
		return []*Node{n}
	}
	return nil
}

// predicate parses "was directed by X" into the way back from X.
func (p *parser) predicate(words []word) *Node {
	if len(words) < 2 {
		return nil
	}
	at := extent(words)
	n, known := p.preds[at]
	if !known {
		if n = p.by(&p.g.preds, words, 0); n != nil {
			n.Back = true
		}
		p.preds[at] = n
	}
	return n
}
