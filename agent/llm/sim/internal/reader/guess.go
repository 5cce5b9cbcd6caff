package reader

import (
	"math"
	"slices"
	"strings"
)

// A Candidate is a possible answer that no plan led to.
type Candidate struct {
	Value string
	Page  int
	Score float64
}

// What makes a candidate likely, beside the question's words around it.
const (
	titleWeight  = 0.5 // of question words that stand in the page's title and not in the sentence
	spreadWeight = 0.4 // of question words elsewhere on the page
	kindBonus    = 1.5 // for a value that looks like what was asked for
	subjectBonus = 1.2 // for what the page is about
	cueBonus     = 1.0 // for a value near a word of the question that is in no name
	nearReach    = 60  // bytes that are near
	maxTerms     = 24  // of the question
)

// Guess returns possible answers to q from the shelf, likeliest first: spans of
// the kind that is asked for, scored by how rare the question's words are that
// stand around them. What the question itself names is no answer to it.
func (q *Question) Guess(s *Shelf) []Candidate {
	g := guesser{q: q, shelf: s, best: map[string]Candidate{}, asked: " " + nameKey(q.Text) + " "}
	g.weigh()
	for i := range s.pages {
		g.read(i)
	}
	out := make([]Candidate, 0, len(g.best))
	for _, key := range g.order {
		out = append(out, g.best[key])
	}
	slices.SortStableFunc(out, func(a, b Candidate) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return out
}

type guesser struct {
	q     *Question
	shelf *Shelf
	terms []term
	best  map[string]Candidate
	order []string // keys of best as they came
	asked string
}

// A term is a word of the question and its weight.
type term struct {
	stem    string
	weight  float64
	content bool // in no name
}

// weigh gives the words of the question the weight
//
//	ln(1 + N/df)
//
// over the N passages of the shelf, of which df have the word.
func (g *guesser) weigh() {
	inNames := fold(strings.Join(g.q.Entities, " "))
	for _, w := range g.q.words {
		if isStop(w.low) || len(g.terms) == maxTerms || len(w.low) < 2 {
			continue
		}
		stem := stemOf(w.low)
		if slices.ContainsFunc(g.terms, func(t term) bool { return t.stem == stem }) {
			continue
		}
		df := 0
		for i := range g.shelf.pages {
			p := &g.shelf.pages[i]
			if findStem(p.low, stem, 0) >= 0 || findStem(p.name, stem, 0) >= 0 {
				df++
			}
		}
		if df > 0 {
			g.terms = append(g.terms, term{stem, math.Log1p(float64(len(g.shelf.pages)) / float64(df)), !holds(inNames, w.low)})
		}
	}
}

// stemOf cuts the usual endings off a word.
func stemOf(w string) string {
	for _, suffix := range [...]string{"ing", "ed", "es", "s"} {
		if stem, ok := strings.CutSuffix(w, suffix); ok && len(stem) >= 4 {
			return stem
		}
	}
	return w
}

// findStem returns the first word of s from at on that begins with stem, or −1.
func findStem(s, stem string, at int) int {
	for at <= len(s) {
		i := strings.Index(s[at:], stem)
		if i < 0 {
			return -1
		}
		i += at
		if i == 0 || !isWordByte(s[i-1]) {
			return i
		}
		at = i + 1
	}
	return -1
}

func (g *guesser) read(index int) {
	p := &g.shelf.pages[index]
	title, all := 0.0, 0.0
	hits := make([][]int, len(g.terms)) // where each term stands
	for i, t := range g.terms {
		if findStem(p.name, t.stem, 0) >= 0 {
			title += t.weight
		}
		for at := findStem(p.low, t.stem, 0); at >= 0; at = findStem(p.low, t.stem, at+1) {
			hits[i] = append(hits[i], at)
		}
		if hits[i] != nil {
			all += t.weight
		}
	}
	if all+title == 0 {
		return
	}
	g.offer(bareTitle(p.Title), index, all*spreadWeight+g.bestSentence(p, hits)+subjectBonus+g.kind(p.Title))
	for _, at := range p.split() {
		here := 0.0
		var near []int
		for i, t := range g.terms {
			if hit, ok := hitIn(hits[i], at); ok {
				here += t.weight
				if t.content {
					near = append(near, hit-at.start)
				}
			}
		}
		if here > 0 {
			g.sentence(index, p.Text[at.start:at.end], here+title*titleWeight+all*spreadWeight, near)
		}
	}
}

// bestSentence returns the greatest weight of question words in one sentence.
func (g *guesser) bestSentence(p *page, hits [][]int) float64 {
	best := 0.0
	for _, at := range p.split() {
		sum := 0.0
		for i, t := range g.terms {
			if _, ok := hitIn(hits[i], at); ok {
				sum += t.weight
			}
		}
		best = max(best, sum)
	}
	return best
}

// hitIn returns the first of the ascending places that lies in a sentence.
func hitIn(places []int, at span) (int, bool) {
	i, _ := slices.BinarySearch(places, at.start)
	if i == len(places) || places[i] >= at.end {
		return 0, false
	}
	return places[i], true
}

// sentence offers the spans of one sentence.
func (g *guesser) sentence(index int, s string, score float64, near []int) {
	add := func(at span) {
		value := clean(s[at.start:at.end], g.q.Kind)
		bonus := 0.0
		for _, n := range near {
			if n < at.start && at.start-n < nearReach {
				bonus = cueBonus
			}
		}
		g.offer(value, index, score+bonus+g.kind(value))
	}
	for _, at := range spansOf(s, g.q.Kind) {
		add(at)
	}
}

func each(s string, next func(string, int, int) (span, bool), f func(span)) {
	for at := 0; at < len(s); {
		n, ok := next(s, at, len(s))
		if !ok {
			return
		}
		f(n)
		at = max(n.end, at+1)
	}
}

// kind returns the bonus of a value that looks like what was asked for.
func (g *guesser) kind(value string) float64 {
	words := strings.Count(value, " ") + 1
	digits := strings.ContainsAny(value, "0123456789")
	switch g.q.Kind {
	case Date, Year, Number:
		if digits {
			return kindBonus
		}
		return -kindBonus
	case Person:
		if words >= 2 && words <= 4 && !digits && !strings.HasPrefix(value, "The ") {
			return kindBonus
		}
	case Place, Origin:
		if words <= 3 && !digits {
			return kindBonus / 2
		}
	case Work, Organisation:
		if words >= 2 {
			return kindBonus / 3
		}
	}
	return 0
}

// offer keeps a candidate if it is the best of its name so far, and if the
// question does not name it.
func (g *guesser) offer(value string, page int, score float64) {
	key := nameKey(value)
	if key == "" || holds(g.asked, key) {
		return
	}
	old, known := g.best[key]
	if !known {
		g.order = append(g.order, key)
	}
	if !known || score > old.Score {
		g.best[key] = Candidate{Value: value, Page: page, Score: score}
	}
}
