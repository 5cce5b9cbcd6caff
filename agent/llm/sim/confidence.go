package sim

import (
	"strconv"
	"strings"

	"trawl/agent/llm/sim/internal/reader"
	"trawl/internal/text"
)

// How the certainty of a reading is lowered where the record does not bear the
// answer out.
const (
	toldShare    = 0.6 // a passage says so, but how it was come by is not clear
	otherShare   = 0.3 // the passages lead to another answer
	nothingShare = 0.4 // nothing speaks for it
	doubtShare   = 0.7 // for each fact that the passages do not plainly say
)

// rate says how sure the answer at the end of a record is: by the facts that the
// record notes down or else that the model reads in it, as sure as it is of those
// (see [model.confidence]), and by whether the passages bear them out.
func (m *model) rate(c *conversation, q *reader.Question) string {
	_, rest, _ := strings.Cut(c.last, workAnswer)
	answer, _, _ := strings.Cut(strings.TrimLeft(rest, " "), "\n")
	answer = text.Collapse(answer)
	s := m.solve(c, q)
	p := float64(m.confidence(c, s.Facts, false))
	for _, f := range s.Facts {
		if status, _ := m.verify(c, f, c.shelf.Claims(f.Goal)); status != verified {
			p *= doubtShare
		}
	}
	switch told := c.shelf.Tells(q, answer); {
	case answer == "":
		p = 5
	case s.Done && sameName(s.Answer, answer):
	case s.Done:
		p *= otherShare
	case told:
		p *= toldShare
	default:
		p *= nothingShare
	}
	percent := strconv.Itoa(int(max(p, 5)))
	if m.hazard(m.traits.malformed, "malformed") {
		return m.considered(c) + "I would say about " + percent + " out of 100."
	}
	return m.considered(c) + "Confidence: " + percent + "%"
}
