package reader

import (
	"strings"
	"sync"
)

// A step is one relation as it is followed: from subject to object or back.
type step struct {
	rel  *Relation
	back bool
}

// A template is one way to write something around a hole, as words in lower
// case before and behind it.
type template struct {
	left, right []string
	steps       []step
}

// grammar is the lexicon made ready for parsing.
type grammar struct {
	nouns   map[string][]step    // "director" → its steps
	longest int                  // words in the longest noun
	phrases index                // noun phrases
	asks    index                // questions
	preds   index                // predicates
	byName  map[string]*Relation // relations by name
}

// An index finds templates by their first word or, for those that begin with
// the hole, by their last.
type index struct {
	first map[string][]template
	last  map[string][]template
}

// theGrammar compiles the lexicon on first use.
var theGrammar = sync.OnceValue(compile)

func compile() *grammar {
	g := &grammar{nouns: map[string][]step{}, byName: map[string]*Relation{}}
	for i := range relations {
		r := &relations[i]
		g.byName[r.Name] = r
		fore, back := []step{{rel: r}}, []step{{rel: r, back: true}}
		g.addNouns(r.nouns, fore)
		g.phrases.add(r.phrases, fore)
		g.phrases.add(r.whose, back)
		g.asks.add(r.asks, fore)
		g.preds.add(r.preds, fore)
		for _, pred := range r.preds {
			g.phrases.add([]string{subjectNouns + " (that|which|who|) " + pred}, back)
		}
	}
	for i := range paths {
		p := &paths[i]
		var steps []step
		for _, name := range strings.Fields(p.steps) {
			steps = append(steps, step{rel: g.byName[name]})
		}
		g.addNouns(p.nouns, steps)
		g.phrases.add(p.phrases, steps)
		g.asks.add(p.asks, steps)
	}
	return g
}

// subjectNouns are words for the things that predicates are said of.
const subjectNouns = "(person|man|woman|film|movie|novel|book|album|song|play|company|university|institute|museum|city|river|festival|conference|battle|prize|mountain|organisation|organization)"

func (g *grammar) addNouns(nouns string, steps []step) {
	for noun := range strings.SplitSeq(nouns, "|") {
		if noun == "" {
			continue
		}
		if _, taken := g.nouns[noun]; !taken {
			g.nouns[noun] = steps
		}
		g.longest = max(g.longest, 1+strings.Count(noun, " "))
	}
}

func (x *index) add(patterns []string, steps []step) {
	if x.first == nil {
		x.first, x.last = map[string][]template{}, map[string][]template{}
	}
	for _, pattern := range patterns {
		for _, words := range expand(pattern) {
			x.insert(words, steps)
		}
	}
}

func (x *index) insert(words []string, steps []step) {
	t := template{steps: steps}
	hole := -1
	for i, w := range words {
		if w == "%" {
			hole = i
		}
	}
	if hole < 0 {
		return
	}
	t.left, t.right = words[:hole], words[hole+1:]
	switch {
	case len(t.left) > 0:
		x.first[t.left[0]] = append(x.first[t.left[0]], t)
	case len(t.right) > 0:
		last := t.right[len(t.right)-1]
		x.last[last] = append(x.last[last], t)
	}
}

// expand returns the word lists that a pattern with groups stands for.
func expand(pattern string) [][]string {
	open := strings.IndexByte(pattern, '(')
	if open < 0 {
		return [][]string{strings.Fields(pattern)}
	}
	end := open + strings.IndexByte(pattern[open:], ')')
	var out [][]string
	for alternative := range strings.SplitSeq(pattern[open+1:end], "|") {
		out = append(out, expand(pattern[:open]+alternative+pattern[end+1:])...)
	}
	return out
}

// A match is a reading of words by one template: what stands in the hole.
type match struct {
	hole  []word
	steps []step
	fixed int // words that the template accounts for
}

// match calls f with the readings of words, until f returns true.
func (x *index) match(words []word, f func(match) bool) bool {
	if len(words) < 2 {
		return false
	}
	for _, list := range [...][]template{x.first[words[0].low], x.last[words[len(words)-1].low]} {
		for i := range list {
			t := &list[i]
			n := len(t.left) + len(t.right)
			if n >= len(words) || !equalWords(words[:len(t.left)], t.left) || !equalWords(words[len(words)-len(t.right):], t.right) {
				continue
			}
			if f(match{hole: words[len(t.left) : len(words)-len(t.right)], steps: t.steps, fixed: n}) {
				return true
			}
		}
	}
	return false
}

func equalWords(words []word, want []string) bool {
	for i := range want {
		if words[i].low != want[i] {
			return false
		}
	}
	return true
}
