package sim

import (
	"strings"

	"trawl/agent/llm/sim/internal/reader"
	"trawl/internal/text"
)

// act is one turn of a research conversation: it follows the plan of the
// question as far as the passages lead, then searches for the next hop, or
// answers.
func (m *model) act(c *conversation, q *reader.Question) string {
	if c.shelf.Len() == 0 && len(c.queries) < m.traits.searches && !c.earlier.leadsOn(q) {
		return m.search(c, nil, m.firstQuery(q), "I need to find out about "+topic(q)+".")
	}
	if n := len(c.queries); n > 0 && m.hazard(m.traits.repeat, "repeat") {
		return m.search(c, nil, c.queries[n-1], "I should look at this again.")
	}
	if q.Root == nil {
		return m.explore(c, q)
	}
	s := m.solve(c, q)
	if f, ok := m.toCheck(c, s.Facts); ok {
		return m.search(c, s.Facts, m.hopQuery(c, q, f.Goal, 0), "I should check that "+f.Phrase()+" is "+f.Value+".")
	}
	if s.Done {
		return m.answer(c, s.Facts, s.Answer, false)
	}
	if s.Last != "" && m.hazard(m.traits.early, "early") {
		return m.answer(c, s.Facts, s.Last, true)
	}
	for _, g := range c.earlier.leadsFirst(s.Open) {
		if n := c.asked(g.Subject); n < m.traits.tries {
			return m.search(c, s.Facts, m.hopQuery(c, q, g, n), "I still need the "+g.Rel.Label()+" of "+g.Subject+".")
		}
	}
	return m.answer(c, s.Facts, m.guess(c, q, s), true)
}

// explore is a turn on a question without a plan: a few queries, each about
// what the passages so far seem to point to, then the likeliest answer.
func (m *model) explore(c *conversation, q *reader.Question) string {
	if len(c.queries) >= m.traits.searches || m.hazard(m.traits.early, "early") {
		return m.answer(c, nil, m.guess(c, q, reader.Solution{}), true)
	}
	if query, ok := c.leadQuery(); ok {
		return m.search(c, nil, query, "This was left open.")
	}
	for _, name := range q.Entities {
		if c.asked(name) == 0 {
			return m.search(c, nil, c.dragging(name), "I should read about "+name+".")
		}
	}
	for _, candidate := range q.Guess(c.shelf) {
		if c.asked(candidate.Value) == 0 {
			return m.search(c, nil, c.dragging(candidate.Value), candidate.Value+" may be what is asked for.")
		}
	}
	return m.answer(c, nil, m.guess(c, q, reader.Solution{}), true)
}

// final answers whatever is known.
func (m *model) final(c *conversation, q *reader.Question) string {
	s := m.solve(c, q)
	if s.Done {
		return m.answer(c, s.Facts, s.Answer, false)
	}
	return m.answer(c, s.Facts, m.guess(c, q, s), true)
}

// asked returns how many earlier queries name the subject.
func (c *conversation) asked(subject string) int {
	n := 0
	for _, q := range c.queries {
		if names(q, subject) {
			n++
		}
	}
	return n
}

// names reports whether a query names the subject.
func names(query, subject string) bool {
	return strings.Contains(text.Answer(query), text.Answer(subject))
}

// guess answers without a finished plan: with a yes or no, with one of the
// things that the question offers, with a candidate that nothing speaks
// against, or with a span of the passages. It always has an answer, and but for
// yes and no it is made of words that were shown.
func (m *model) guess(c *conversation, q *reader.Question, s reader.Solution) string {
	if answer, ok := c.earlier.keeps(q, s); ok {
		return answer
	}
	if v, ok := q.Choose(c.shelf); ok {
		return v
	}
	if s.Last != "" && q.Root != nil && q.Root.Op == reader.Meet {
		return s.Last
	}
	var options []string
	if len(s.Open) > 0 {
		options = c.shelf.Likely(s.Open[0])
	}
	for _, candidate := range q.Guess(c.shelf) {
		options = append(options, candidate.Value)
	}
	for i, option := range options {
		if i == len(options)-1 || i == maxGuess || m.holds(c, "guess|"+option) {
			return option
		}
	}
	switch titles := c.shelf.Titles(); {
	case s.Last != "":
		return s.Last
	case len(titles) > 0:
		return titles[0]
	case len(q.Entities) > 0:
		return q.Entities[0]
	}
	return text.Truncate(c.question, 40)
}

// maxGuess bounds how far down its list of guesses the model goes.
const maxGuess = 4

// topic returns what the question is about, for a thought.
func topic(q *reader.Question) string {
	if len(q.Entities) > 0 {
		return q.Entities[0]
	}
	return "this"
}
