package weave

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"trawl/internal/seed"
	"trawl/internal/text"
)

// maxTries is how many drafts are drawn for one question before the world
// counts as too small.
const maxTries = 20000

// A draft is a question before it has a number.
type draft struct {
	Question
	hidden []string // names that the text must not hold
	proof  proof
}

// An asker composes questions.
type asker struct {
	w     *World
	rng   *rand.Rand
	say   speaker
	seen  map[string]bool
	turns int // counts drafts, to go round the kinds of answers
}

// A form is one of the forms of a [Mix].
type form struct {
	name  string
	share int
	draft func() (draft, bool)
}

// ask composes the questions of w, in the shares of its mix, in random order.
func (w *World) ask() error {
	rng := seed.Rand(w.opts.Seed, "weave", "questions")
	a := &asker{w: w, rng: rng, say: speaker{w, rng}, seen: make(map[string]bool)}
	m := w.opts.Mix
	forms := []form{
		{"chain2", m.Chain2, func() (draft, bool) { return a.chain(2) }},
		{"chain3", m.Chain3, func() (draft, bool) { return a.chain(3) }},
		{"chain4", m.Chain4, func() (draft, bool) { return a.chain(4) }},
		{"intersection", m.Intersection, a.intersection},
		{"comparison", m.Comparison, a.comparison},
		{"chain5", m.Chain5, func() (draft, bool) { return a.chain(5) }},
		{"chain6", m.Chain6, func() (draft, bool) { return a.chain(6) }},
		{"braid", m.Braid, a.braid},
	}
	for i, n := range apportion(w.opts.Questions, forms) {
		for j := range n {
			d, ok := a.compose(forms[i])
			if !ok {
				return fmt.Errorf("weave: a world of %d entities holds %d of the %d questions asked for of the form %s",
					w.Len(), j, n, forms[i].name)
			}
			w.questions = append(w.questions, d.Question)
			w.proofs = append(w.proofs, d.proof)
		}
	}
	rng.Shuffle(len(w.questions), func(i, j int) {
		w.questions[i], w.questions[j] = w.questions[j], w.questions[i]
		w.proofs[i], w.proofs[j] = w.proofs[j], w.proofs[i]
	})
	for i := range w.questions {
		w.questions[i].ID = fmt.Sprintf("woven_%d", i)
	}
	return nil
}

// apportion divides n by the forms' shares, remainders to the largest
// fractions (Hamilton's method), ties to the first.
func apportion(n int, forms []form) []int {
	total := 0
	for _, f := range forms {
		total += f.share
	}
	counts := make([]int, len(forms))
	rest := make([]int, len(forms))
	order := make([]int, len(forms))
	left := n
	for i, f := range forms {
		counts[i], rest[i], order[i] = n*f.share/total, n*f.share%total, i
		left -= counts[i]
	}
	slices.SortStableFunc(order, func(i, j int) int { return rest[j] - rest[i] })
	for _, i := range order[:left] {
		counts[i]++
	}
	return counts
}

// compose draws drafts of the form until one is new and gives nothing away.
func (a *asker) compose(f form) (draft, bool) {
	for range maxTries {
		a.turns++
		d, ok := f.draft()
		if !ok || a.seen[d.key()] || tells(d.Text, d.hidden) {
			continue
		}
		a.seen[d.key()] = true
		d.Supporting = supporting(d.Oracle)
		if d.Type == Comparison {
			conclude(d.Oracle, d.Answers[0])
		}
		return d, true
	}
	return draft{}, false
}

// key returns what is equal for questions that ask the same in other words,
// from the other end or in another order: the facts that they rest on.
func (d *draft) key() string {
	facts := make([]string, len(d.Oracle))
	for i, s := range d.Oracle {
		facts[i] = s.Subconclusion
	}
	slices.Sort(facts)
	return strings.Join(facts, "\n")
}

// tells reports whether one of the names stands in question, as whole words in
// the normal form of answers.
func tells(question string, names []string) bool {
	q := " " + text.Answer(question) + " "
	for _, name := range names {
		if strings.Contains(q, " "+text.Answer(name)+" ") {
			return true
		}
	}
	return false
}

// classes are the kinds of answers, between which questions go round.
var classes = [][]kind{
	{person}, {city}, {film, novel, album, play}, {year}, {country}, {company, university, institute, museum},
	{date}, {kilometres, metres}, {river, mountain}, {trade}, {festival, conference, battle, prize},
}

// class returns the class of answers whose turn it is. A class keeps its turn
// for some drafts, since many fail.
func (a *asker) class() []kind {
	return classes[(len(a.seen)+a.turns/200)%len(classes)]
}
