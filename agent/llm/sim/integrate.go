package sim

import (
	"cmp"
	"slices"
	"strings"

	"trawl/agent/llm/sim/internal/reader"
)

// A contender is an answer that some texts give, and how much speaks for it.
type contender struct {
	answer string
	weight float64
	facts  []reader.Fact // of the first text that shows how it came to it
	from   []int         // texts, from 0
}

// contenders groups records by their answers, the weightiest first, ties in the
// order of the records. A record weighs
//
//	(½ + confidence) · (1 + ½ [its lines lead to its answer])
//
// and one without an answer nothing.
func contenders(records []record) []contender {
	var out []contender
	for i, r := range records {
		if r.answer == "" {
			continue
		}
		at := slices.IndexFunc(out, func(c contender) bool { return sameName(c.answer, r.answer) })
		if at < 0 {
			at = len(out)
			out = append(out, contender{answer: r.answer})
		}
		weight := 0.5 + r.confidence/100
		if r.answered {
			weight *= 1.5
			if out[at].facts == nil {
				out[at].facts = r.facts
			}
		}
		out[at].weight += weight
		out[at].from = append(out[at].from, i)
	}
	weightiest(out)
	return out
}

func weightiest(all []contender) {
	slices.SortStableFunc(all, func(a, b contender) int { return cmp.Compare(b.weight, a.weight) })
}

// clearEase is by how much it is easier to choose right if all speaks for one
// answer than if two are even.
const clearEase = 4

// choose returns the weightiest contender or, by an error that is the likelier the
// closer they are, one of the others, the next ones first.
func (m *model) choose(c *conversation, all []contender) contender {
	if len(all) == 1 {
		return all[0]
	}
	total := 0.0
	for _, o := range all {
		total += o.weight
	}
	if m.manages(c, "choose|"+all[0].answer, clearEase*(all[0].weight-all[1].weight)/max(total, 1)) {
		return all[0]
	}
	i := 1
	for r := m.rand("choice"); m.temperature > 0 && i+1 < len(all) && r.Float64() < 0.5; i++ {
	}
	return all[i]
}

// integrate weighs the reports of several teams and answers.
func (m *model) integrate(c *conversation, q *reader.Question) string {
	var records []record
	for _, report := range reportsIn(c.last) {
		records = append(records, m.readRecord(q, report))
	}
	all := contenders(records)
	if len(all) == 0 { // an answer is asked for whatever the reports say
		return m.considered(c) + settled("No report has a clear answer.", m.guess(c, q, reader.Solution{}))
	}
	chosen := m.choose(c, all)
	why := explained(chosen.facts)
	if m.hazard(m.traits.malformed, "malformed") {
		return m.considered(c) + why + "\nThe answer is " + chosen.answer + "."
	}
	return m.considered(c) + settled(why, chosen.answer)
}

// reportsIn returns the texts behind the headings "## Report 1" and so on.
func reportsIn(prompt string) []string {
	var out []string
	for i, part := range strings.Split("\n"+prompt, "\n"+reportHeading) {
		if _, body, ok := strings.Cut(part, "\n"); ok && i > 0 {
			out = append(out, body)
		}
	}
	return out
}

// settled is a solution in the form that aggregators are asked for.
func settled(why, answer string) string {
	return "<explanation>" + why + "</explanation>\n" + answerOpen + answer + answerClose
}

// explained says what an answer rests on.
func explained(facts []reader.Fact) string {
	if len(facts) == 0 {
		return "This answer is supported best."
	}
	lines := make([]string, len(facts))
	for i, f := range facts {
		lines[i] = f.Sentence()
	}
	return strings.Join(lines, " ")
}
