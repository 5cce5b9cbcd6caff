package sim

import (
	"fmt"
	"slices"
	"strings"

	"trawl/agent/llm/sim/internal/reader"
)

// A digest is what a summary says, by section.
type digest struct {
	lines [len(sections)][]string
	facts []finding
}

func (d *digest) say(section int, format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if !slices.Contains(d.lines[section], line) {
		d.lines[section] = append(d.lines[section], line)
	}
}

// digest collects what the plan of the question settled and left open, in this
// round and by what the summary before says.
func (m *model) digest(c *conversation, q *reader.Question) *digest {
	d := &digest{}
	s := q.Resume(c.shelf, m.recall(c), m.believe(c))
	for _, f := range s.Facts {
		m.report(c, d, f)
	}
	if !s.Done {
		m.suggest(c, d, s)
	}
	m.guessFact(c, d, s)
	carry(c, d, s)
	conclude(c, d, s)
	inventory(c, d)
	gaps(c, d, q, s)
	return d
}

// report writes down a fact, unless it slips the model's mind, with what speaks
// for and against it.
func (m *model) report(c *conversation, d *digest, f reader.Fact) {
	claims := c.shelf.Claims(f.Goal)
	status, source := m.verify(c, f, claims)
	if m.manages(c, "recall|"+thingOf(f.Goal), recallEase) {
		d.add(finding{f.Sentence(), source, status})
	}
	if len(claims) == 0 {
		return
	}
	var others []string
	for _, claim := range claims {
		if !sameName(claim.Value, f.Value) && !slices.Contains(others, claim.Value) {
			others = append(others, claim.Value)
		}
	}
	if status == partly {
		for _, v := range others {
			d.say(uncompleted, "%s%s is %s.", checkWhether, f.Phrase(), v)
		}
	}
	for _, v := range c.shelf.Distractors(f.Goal, claims, f.Value) {
		if !slices.Contains(others, v) {
			d.say(discarded, "%s: no document says that %s is %s.", v, f.Phrase(), v)
			break
		}
	}
}

// add notes a fact once.
func (d *digest) add(f finding) {
	if !slices.ContainsFunc(d.facts, func(old finding) bool { return old.sentence == f.sentence }) {
		d.facts = append(d.facts, f)
	}
}

// verify returns how far a fact is verified, and where it is from: by what the
// passages say; without one, as the earlier summary has it. That the passages
// say something else than it read, the model only notices at times.
func (m *model) verify(c *conversation, f reader.Fact, claims []reader.Claim) (status, source string) {
	said, disputed := -1, false
	for i, claim := range claims {
		switch {
		case !sameName(claim.Value, f.Value):
			disputed = true
		case said < 0:
			said = i
		}
	}
	if old, ok := c.carried(f); ok && said < 0 {
		return old.status, old.source
	}
	if len(claims) == 0 {
		return unverified, "search | an earlier result"
	}
	source = "search | " + c.shelf.Titles()[claims[max(said, 0)].Page]
	switch {
	case said < 0 && m.chance("verify", thingOf(f.Goal)) >= m.traits.checks/2:
		return verified, source
	case disputed:
		return partly, source
	}
	return verified, source
}

// carried returns the finding of the earlier summary that a fact was taken from.
func (c *conversation) carried(f reader.Fact) (finding, bool) {
	if c.earlier == nil || !f.Recalled {
		return finding{}, false
	}
	old, value, ok := c.earlier.about(f.Goal)
	return old, ok && value == f.Value
}

// suggest writes down candidates that nothing speaks against yet, and those that
// something does.
func (m *model) suggest(c *conversation, d *digest, s reader.Solution) {
	for _, f := range s.Candidates {
		if slices.ContainsFunc(s.Refuted, func(r reader.Fact) bool { return r.Subject == f.Value }) {
			continue
		}
		if m.manages(c, "recall|"+f.Value, recallEase) {
			d.add(finding{f.Suggestion(), "search | " + f.Value, verified})
		}
	}
	for _, f := range s.Refuted {
		d.say(discarded, "%s: %s is %s.", f.Subject, f.Phrase(), f.Value)
	}
}

// guessed returns the answer of a round that solved nothing: its own, else that
// of the summary before.
func (c *conversation) guessed() string {
	if c.answer == "" && c.earlier != nil {
		return c.earlier.answer
	}
	return c.answer
}

// guessFact writes a guess down among the facts, as a careless model does.
func (m *model) guessFact(c *conversation, d *digest, s reader.Solution) {
	if answer := c.guessed(); s.AtEnd && len(s.Open) > 0 && answer != "" && !m.holds(c, "fact|"+answer) {
		d.add(finding{reader.Fact{Goal: s.Open[0], Value: answer}.Sentence(), "inference | none", unverified})
	}
}

// carry takes over what the earlier summary says and this round did not replace.
func carry(c *conversation, d *digest, s reader.Solution) {
	if c.earlier == nil {
		return
	}
	for _, old := range c.earlier.facts {
		if strings.HasPrefix(old.sentence, "One ") || slices.ContainsFunc(s.Facts, func(f reader.Fact) bool {
			_, same := reader.Noted(old.sentence, f.Goal)
			return same
		}) {
			continue
		}
		d.add(old)
	}
	for _, query := range c.earlier.failed {
		d.say(failedAttempts, "Searched for \"%s\": it led nowhere.", query)
	}
}

// conclude gives the answer, what it rests on, and the numbered facts.
func conclude(c *conversation, d *digest, s reader.Solution) {
	var ids []string
	for i, f := range d.facts {
		id := fmt.Sprintf("E%d", i+1)
		ids = append(ids, id)
		d.say(factsCollected, "%s: %s [Source: %s | Verified: %s]", id, f.sentence, f.source, f.status)
		if f.status == partly {
			d.say(conclusions, "Documents contradict each other, and this is said more directly: %s [%s]", f.sentence, id)
		}
	}
	rests := ""
	if len(ids) > 0 {
		rests = " [" + strings.Join(ids, ", ") + "]"
	}
	answer := c.guessed()
	switch {
	case s.Done:
		d.say(currentAnswer, "%s", s.Answer)
		d.say(conclusions, "The answer is %s.%s", s.Answer, rests)
	case answer != "":
		d.say(currentAnswer, "%s", answer)
		d.say(conclusions, "The answer may be %s. (inference)%s", answer, rests)
	}
}

// maxUseless is how many sources that did not help are listed.
const maxUseless = 8

// inventory lists the passages: those that facts are from, then others.
func inventory(c *conversation, d *digest) {
	useless := 0
	for _, title := range c.shelf.Titles() {
		var settled []string
		for i, f := range d.facts {
			if f.source == "search | "+title {
				settled = append(settled, fmt.Sprintf("E%d", i+1))
			}
		}
		switch {
		case len(settled) > 0:
			d.say(sourceInventory, "%s | settled %s", title, strings.Join(settled, ", "))
		case useless < maxUseless:
			useless++
			d.say(sourceInventory, "%s | did not help", title)
		}
	}
}

// gaps lists what is open, which searches led nowhere, and what was not searched
// for.
func gaps(c *conversation, d *digest, q *reader.Question, s reader.Solution) {
	if s.Done {
		return
	}
	for _, g := range s.Open {
		d.say(uncertainties, "%s", g.Unknown())
		if c.asked(g.Subject) == 0 {
			d.say(uncompleted, "%s%s.", lookUp, g.Phrase())
		}
		for _, query := range c.queries {
			if names(query, g.Subject) {
				d.say(failedAttempts, "Searched for \"%s\": it did not tell %s.", query, g.Phrase())
			}
		}
	}
	if q.Root != nil {
		return
	}
	for _, name := range q.Entities {
		if c.asked(name) == 0 {
			d.say(uncompleted, "%s%s.", lookUp, name)
		}
	}
	for i, candidate := range q.Guess(c.shelf) {
		if i == maxGuess {
			break
		}
		d.say(uncertainties, "%s may be what is asked for.", candidate.Value)
	}
	for _, query := range c.queries {
		d.say(failedAttempts, "Searched for \"%s\": it did not settle the question.", query)
	}
}
