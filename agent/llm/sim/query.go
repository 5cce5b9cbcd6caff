package sim

import (
	"math"
	"slices"
	"strings"

	"trawl/agent/llm/sim/internal/reader"
	"trawl/internal/text"
)

// Without a pool, models that are sampled for one question open with
// near-identical queries ("anchor collapse", DivInit §3). The simulated model
// does so by design: a core that never changes and words that come and go, as
// often as it takes for two first queries to be this far apart on average
//
//	0.13 + 0.08 · temperature
//
// in Jaccard distance, which is about what DivInit measured for Qwen3-8B. The
// part at temperature 0 stands for the batch effects of real servers.
const (
	collapseAtZero    = 0.13
	collapsePerDegree = 0.08
)

// firstQuery returns the first query of a conversation that begins without one.
func (m *model) firstQuery(q *reader.Question) string {
	core, extra := q.Anchor()
	if len(core) == 0 {
		return text.Truncate(q.Text, 200)
	}
	p := flip(collapseAtZero+collapsePerDegree*m.temperature, len(text.Tokens(strings.Join(core, " "))), len(extra))
	r := m.rand("first query")
	words := append([]string(nil), core...)
	for i, w := range extra {
		in := i%2 == 0
		if r.Float64() < p {
			in = !in
		}
		if in {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

// flip returns the chance with which each of n optional words, half of which
// are in by default, changes its state, so that two draws lie at Jaccard
// distance d on average. They differ in 2p(1−p)n words and have about
// core + n/2 + p(1-p)n together, so that
//
//	2x n = d (core + n/2 + x n)   with x = p(1−p)
//	x = d (core + n/2) / (n (2 − d))
func flip(d float64, core, n int) float64 {
	if n == 0 {
		return 0
	}
	x := d * (float64(core) + float64(n)/2) / (float64(n) * (2 - d))
	if x >= 0.25 {
		return 0.5
	}
	return (1 - math.Sqrt(1-4*x)) / 2
}

// dragged is how many words of its first query a conversation drags along.
const dragged = 3

// hopQuery returns the n-th query for a hop: first the relation, the subject and
// what the first query of the conversation was about, then the subject alone,
// then the subject with words of the question. So conversations that began
// alike stay alike, and those that began apart stay apart. What led nowhere in an
// earlier round is worded anew, by a model that is told of it and to be critical.
func (m *model) hopQuery(c *conversation, q *reader.Question, g reader.Goal, n int) string {
	query := m.hopForm(c, q, g, n)
	if c.earlier == nil || !c.earlier.critical || !c.earlier.tried(query) {
		return query
	}
	for _, form := range g.Wordings() {
		if !c.earlier.tried(form) && !slices.Contains(c.queries, form) {
			return form
		}
	}
	return query
}

func (m *model) hopForm(c *conversation, q *reader.Question, g reader.Goal, n int) string {
	forms := g.Queries()
	switch n {
	case 0:
		return c.dragging(forms[m.rand("hop", g.Subject).IntN(len(forms))])
	case 1:
		return g.Subject
	}
	words := q.Content
	if len(words) > 4 {
		words = words[:4]
	}
	return strings.TrimSpace(g.Subject + " " + strings.Join(words, " "))
}

// dragging returns a query with the first words of the conversation's first one
// that it lacks.
func (c *conversation) dragging(query string) string {
	if len(c.queries) == 0 {
		return query
	}
	have := text.Tokens(query)
	var words []string
	for _, w := range text.Fields(c.queries[0]) {
		for t := range text.Tokens(w) {
			if _, ok := have[t]; !ok && len(words) < dragged {
				words = append(words, w)
			}
		}
	}
	return strings.Join(append([]string{query}, words...), " ")
}
