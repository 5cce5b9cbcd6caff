package reader

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// An Op is how a [Node] gets its value.
type Op uint8

// The operations of a plan.
const (
	Entity  Op = iota // a name, given
	Follow            // along a relation, from the value of Args[0]
	Meet              // what all Args, which lead back, have in common
	Compare           // the Arg whose value is smaller, or greater
	Same              // whether both Args have equal values
)

// A Node is a plan for a question or a part of it.
type Node struct {
	Op      Op
	Name    string    // of an Entity
	Rel     *Relation // to Follow
	Back    bool      // from object to subject
	Noun    string    // what kind of thing is sought, on the way back; may be empty
	Args    []*Node
	Greater bool    // Compare takes the greater
	YesNo   bool    // Compare says whether Args[0] is the one
	Sides   []*Node // what Compare chooses between
	Life    bool    // Compare looks at life spans
}

// A Question is a question as it was understood.
type Question struct {
	Text     string
	Root     *Node    // nil if no plan was found
	Kind     Kind     // of the answer
	Entities []string // names that it mentions, in order
	Content  []string // its other content words, in lower case
	words    []word
}

// maxDepth bounds the nesting of noun phrases, and maxWords the questions that
// are parsed; beyond, there is no plan.
const (
	maxDepth = 8
	maxWords = 60
)

// Understand reads a question. It never fails: without a plan the question is
// its names, its words and the kind of its answer.
func Understand(question string) *Question {
	q := &Question{Text: question, words: split(question)}
	q.Entities = q.names()
	q.Kind = q.answerKind()
	if len(q.words) > maxWords {
		q.content()
		return q
	}
	p := parser{text: question, g: theGrammar(), phrases: map[span]*Node{}, preds: map[span]*Node{}, parts: map[partKey][]*Node{}}
	if q.Root = p.contest(q); q.Root == nil {
		q.Root = p.question(q.words)
	}
	if q.Root != nil {
		q.Entities = q.Root.leaves(nil)
		if q.Root.Op == Follow && !q.Root.Back {
			q.Kind = q.Root.Rel.Kind
		}
	}
	q.content()
	return q
}

// leaves appends the names that the plan starts from.
func (n *Node) leaves(names []string) []string {
	if n.Op == Entity {
		return append(names, n.Name)
	}
	for _, arg := range n.Args {
		names = arg.leaves(names)
	}
	return names
}

// A parser reads one question. It keeps what it read, since the same words are
// tried as parts of many readings; without that, some questions take for ever.
type parser struct {
	text    string
	g       *grammar
	phrases map[span]*Node
	preds   map[span]*Node
	parts   map[partKey][]*Node
}

// question parses a whole question.
func (p *parser) question(words []word) *Node {
	if n := p.by(&p.g.asks, words, 0); n != nil {
		return n
	}
	if n := p.meet(words); n != nil {
		return n
	}
	if rest, ok := afterAny(words, "who|what|which|whom|name|where", "is|are|was|were|'s|of|"); ok {
		if n := p.phrase(rest, 0); n != nil && n.Op != Entity {
			return n
		}
	}
	// "Which country the composer of X is from?", "What nationality is the director of X?"
	if len(words) > 2 {
		if n := p.inner(words); n != nil {
			return n
		}
	}
	return nil
}

// inner looks for a noun phrase at the end of a question whose beginning it
// does not know, and takes the relation from the noun before it.
func (p *parser) inner(words []word) *Node {
	for i := 1; i < len(words)-1; i++ {
		steps, known := p.g.nouns[words[i].low]
		if !known || i > 2 || isStop(words[i].low) {
			continue
		}
		for j := i + 1; j < len(words)-1 && isStop(words[j].low); j++ {
			rest := trimTail(words[j+1:])
			if n := p.phrase(rest, 0); n != nil {
				return follow(n, steps)
			}
		}
	}
	return nil
}

// trimTail drops prepositions and auxiliary verbs from the end of words.
func trimTail(words []word) []word {
	for len(words) > 1 && isStop(words[len(words)-1].low) {
		words = words[:len(words)-1]
	}
	return words
}

// by parses words by templates and their holes as noun phrases; the template
// that accounts for most words wins.
func (p *parser) by(x *index, words []word, depth int) *Node {
	var best *Node
	fixed := 0
	x.match(words, func(m match) bool {
		if m.fixed > fixed {
			if n := p.phrase(m.hole, depth+1); n != nil {
				best, fixed = follow(n, m.steps), m.fixed
				if best.Back {
					best.Noun = words[0].low
				}
			}
		}
		return false
	})
	return best
}

func follow(n *Node, steps []step) *Node {
	for _, s := range steps {
		n = &Node{Op: Follow, Rel: s.rel, Back: s.back, Args: []*Node{n}}
	}
	return n
}

// phrase parses a noun phrase: a template, "the N of …", "…'s N" or a name.
func (p *parser) phrase(words []word, depth int) *Node {
	words = p.stripArticle(words)
	if len(words) == 0 || depth > maxDepth {
		return nil
	}
	at := extent(words)
	n, known := p.phrases[at]
	if !known {
		n = p.newPhrase(words, depth)
		p.phrases[at] = n
	}
	return n
}

// extent returns where words stand in the question.
func extent(words []word) span { return span{words[0].start, words[len(words)-1].end} }

func (p *parser) newPhrase(words []word, depth int) *Node {
	if words[0].quoted && words[len(words)-1].quoted && allQuoted(words) {
		return p.entity(words)
	}
	if n := p.by(&p.g.phrases, words, depth); n != nil {
		return n
	}
	if n := p.nounOf(words, depth); n != nil {
		return n
	}
	if n := p.possessive(words, depth); n != nil {
		return n
	}
	return p.entity(words)
}

// nounOf parses "director of X", also with words before the noun.
func (p *parser) nounOf(words []word, depth int) *Node {
	for skip := 0; skip < 2 && skip < len(words); skip++ {
		if skip > 0 && !p.isLower(words[0]) {
			break
		}
		for n := min(p.g.longest, len(words)-skip-2); n >= 1; n-- {
			at := skip + n
			switch words[at].low {
			case "of", "for", "behind", "in":
			default:
				continue
			}
			steps, ok := p.g.nouns[joined(words[skip:at])]
			if !ok {
				continue
			}
			if arg := p.phrase(words[at+1:], depth+1); arg != nil {
				return follow(arg, steps)
			}
		}
	}
	return nil
}

// possessive parses "X's mother" at the last possessive whose noun is known.
func (p *parser) possessive(words []word, depth int) *Node {
	for i := len(words) - 2; i >= 1; i-- {
		if words[i].low != "'s" {
			continue
		}
		rest := words[i+1:]
		for skip := 0; skip < 2 && skip < len(rest); skip++ {
			steps, ok := p.g.nouns[joined(rest[skip:])]
			if !ok {
				continue
			}
			if arg := p.phrase(words[:i], depth+1); arg != nil {
				return follow(arg, steps)
			}
		}
	}
	return nil
}

// entity takes words as a name if they look like one: a capital, a digit or
// quotes at the beginning, once articles and a noun for its kind are off.
func (p *parser) entity(words []word) *Node {
	words = p.stripKind(p.stripArticle(words))
	if len(words) == 0 || len(words) > 16 {
		return nil
	}
	for _, w := range words[1:] {
		if p.isLower(w) && oneOf(w.low, "was|is|were|are|did|does|has|have|also|who|which|whose|that|what|where|when") && !w.quoted {
			return nil
		}
	}
	name := text(p.text, words)
	r, _ := utf8.DecodeRuneInString(name)
	if !unicode.IsUpper(r) && !unicode.IsDigit(r) && !words[0].quoted || name == "" {
		return nil
	}
	return &Node{Op: Entity, Name: name}
}

// stripKind drops common nouns, and "of" or "called" behind them, from before a
// name: "film Titanic", "the village of Clonbrook".
func (p *parser) stripKind(words []word) []word {
	for i := 0; i+1 < len(words); i++ {
		r, _ := utf8.DecodeRuneInString(p.text[words[i].start:])
		if unicode.IsUpper(r) || unicode.IsDigit(r) || words[i].quoted {
			return words[i:]
		}
		if _, noun := kindOfNoun(words[i].low); !noun && !oneOf(words[i].low, "of|called|named|titled|entitled|the|a|an|both") {
			break
		}
	}
	return words
}

// stripArticle drops articles in lower case; others belong to a title.
func (p *parser) stripArticle(words []word) []word {
	for len(words) > 1 && oneOf(p.text[words[0].start:words[0].end], "the|a|an") && !words[0].quoted {
		words = words[1:]
	}
	return words
}

func allQuoted(words []word) bool {
	for _, w := range words {
		if !w.quoted && w.low != "'s" {
			return false
		}
	}
	return true
}

func joined(words []word) string {
	if len(words) == 1 {
		return words[0].low
	}
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.low)
	}
	return b.String()
}

// afterAny drops one word of the first list and up to one of the second.
func afterAny(words []word, first, second string) ([]word, bool) {
	if len(words) < 3 || !oneOf(words[0].low, first) {
		return nil, false
	}
	words = words[1:]
	if oneOf(words[0].low, second) {
		words = words[1:]
	}
	return words, true
}

// oneOf reports whether w is one of the words of list, split at "|".
func oneOf(w, list string) bool {
	for item := range strings.SplitSeq(list, "|") {
		if item == w {
			return true
		}
	}
	return false
}
