package sim

import (
	"slices"
	"strings"

	"trawl/agent/llm/sim/internal/reader"
	"trawl/internal/seed"
	"trawl/internal/text"
)

// solve follows the plan of the question over the passages, over what a hint
// concludes, and over what earlier rounds found out.
func (m *model) solve(c *conversation, q *reader.Question) reader.Solution {
	c.shelf.Careful = m.careful(c)
	switch {
	case c.earlier != nil:
		return q.Resume(c.shelf, m.recall(c), m.believe(c))
	case c.hint != nil:
		return m.settle(c, q.Resume(c.shelf, m.concluded(c), m.believe(c)))
	}
	return q.Solve(c.shelf, m.believe(c))
}

// recall is the model's [reader.Recall]: what it noted down in this conversation,
// then what the summary of earlier rounds says, unless it doubts that and has
// passages to read instead.
func (m *model) recall(c *conversation) reader.Recall {
	return func(g reader.Goal) []string {
		if v, ok := reader.Noted(c.notes, g); ok {
			return []string{v}
		}
		if c.earlier == nil {
			return nil
		}
		f, value, ok := c.earlier.about(g)
		switch {
		case !ok:
			return c.earlier.suggested(g)
		case m.doubts(c, f, value) && len(c.shelf.Claims(g)) > 0:
			return nil
		}
		return []string{value}
	}
}

// suggested returns the candidates for what leads back to a goal's subject.
func (e *earlier) suggested(g reader.Goal) []string {
	var out []string
	for _, f := range e.facts {
		if v, ok := reader.Suggested(f.sentence, g); ok && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// deadEnd is how many searches for what a fact led to make the fact doubtful.
const deadEnd = 2

// doubts reports whether the model does not take a finding at its word. Only one
// that is told to be critical does, of what is not verified or what led nowhere,
// and it keeps to it through the conversation.
func (m *model) doubts(c *conversation, f finding, value string) bool {
	e := c.earlier
	if !e.critical || f.status == verified && e.failures(value) < deadEnd {
		return false
	}
	return seed.Rand(0, "doubt", e.raw, f.sentence).Float64() < m.traits.checks
}

// toCheck returns the first doubtful fact that the plan rests on and that this
// conversation has neither read nor searched for.
func (m *model) toCheck(c *conversation, facts []reader.Fact) (reader.Fact, bool) {
	if c.earlier == nil {
		return reader.Fact{}, false
	}
	for _, f := range facts {
		if _, noted := reader.Noted(c.notes, f.Goal); noted || !f.Recalled || c.asked(f.Subject) > 0 {
			continue
		}
		if old, value, ok := c.earlier.about(f.Goal); ok && m.doubts(c, old, value) {
			return f, true
		}
	}
	return reader.Fact{}, false
}

// leadsOn reports whether there is something to go on from, so that the question
// need not be begun again.
func (e *earlier) leadsOn(q *reader.Question) bool {
	return e != nil && q.Root != nil && (len(e.facts) > 0 || e.critical && len(e.leads) > 0)
}

// leadsFirst puts the goals that the summary names as open before the others, for
// a reader who is told to start from those.
func (e *earlier) leadsFirst(open []reader.Goal) []reader.Goal {
	if e == nil || !e.critical {
		return open
	}
	out := slices.Clone(open)
	slices.SortStableFunc(out, func(a, b reader.Goal) int { return e.named(b) - e.named(a) })
	return out
}

// named counts the leads that name a goal.
func (e *earlier) named(g reader.Goal) int {
	n, subject := 0, text.Answer(g.Subject)
	for _, lead := range e.leads {
		if strings.Contains(lead, g.Rel.Label()) && strings.Contains(text.Answer(lead), subject) {
			n++
		}
	}
	return n
}

// leadQuery returns the first lead, as a query, that was not searched for, for a
// reader without a plan who is told to start from leads.
func (c *conversation) leadQuery() (string, bool) {
	if c.earlier == nil || !c.earlier.critical {
		return "", false
	}
	for _, lead := range c.earlier.leads {
		query := keywords(lead)
		if query != "" && !slices.Contains(c.queries, query) && !c.earlier.tried(query) {
			return query, true
		}
	}
	return "", false
}

// keywords returns a lead without the words that only make a sentence of it.
func keywords(lead string) string {
	for _, head := range [...]string{"Conflict: ", lookUp, checkWhether} {
		lead = strings.TrimPrefix(lead, head)
	}
	lead = strings.TrimSuffix(strings.TrimSuffix(lead, "."), " is unknown")
	lead = strings.NewReplacer("The one with ", "", "the one with ", "", "One with ", "", "The ", "", "the ", "", " of ", " ", " is ", " ").Replace(lead)
	return text.Truncate(text.Collapse(lead), 200)
}

// keeps returns the answer of the earlier rounds if this one, which has to guess,
// found nothing out to set against it.
func (e *earlier) keeps(q *reader.Question, s reader.Solution) (string, bool) {
	if e == nil || e.answer == "" || q.Root == nil && e.critical {
		return "", false
	}
	for _, f := range s.Facts {
		if !f.Recalled {
			return "", false
		}
	}
	return e.answer, true
}
