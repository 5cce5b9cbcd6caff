package weave

import "fmt"

// A Report says what [Prove] found.
type Report struct {
	Pool      int              `json:"pool"`      // questions that were drawn
	Trappable int              `json:"trappable"` // of which a trap fits
	Rounds    int              `json:"rounds"`    // of indexing and checking
	Replaced  map[Reason]int   `json:"replaced"`  // chosen questions that failed
	Unfit     int              `json:"unfit"`     // others of the pool whose oracle is lost, by the first round
	MeanC     float64          `json:"mean_c"`
	Trapped   int              `json:"trapped"`
	Kinds     map[TrapKind]int `json:"trap_kinds"`
	Guess     float64          `json:"guess_right"` // share of questions answered by the most frequent answer of their kind
}

// A Reason is why a question was replaced by another.
type Reason string

// The reasons.
const (
	Ambiguous Reason = "ambiguous"               // the facts do not prove exactly its answer
	Told      Reason = "told"                    // it holds its answer
	Lost      Reason = "oracle-lost"             // a query of the oracle does not find its document
	Unmet     Reason = "trap-not-found"          // the query of the trapped step does not find the trap
	Unopposed Reason = "contradiction-not-found" // no query finds what contradicts the trap
)

// judge fills in the report on w. It fails if a guess answers half of the
// questions of a suite.
func (p *prover) judge(w *World) error {
	for _, q := range w.questions {
		p.report.MeanC += q.Complexity.C
	}
	p.report.MeanC /= float64(max(1, len(w.questions)))
	for _, t := range w.traps {
		p.report.Kinds[t.Kind]++
	}
	p.report.Trapped = len(w.traps)
	right := guessed(p.pool.questions, w.questions)
	p.report.Guess = float64(right) / float64(max(1, len(w.questions)))
	if p.suite.Name != "" && 2*right >= len(w.questions) {
		return fmt.Errorf("weave: suite %s: a guess of the most frequent answer is right for %d of %d questions", p.suite.Name, right, len(w.questions))
	}
	return nil
}

// guessed returns how many questions are right by the answer of their kind that
// is the most frequent in the pool, the first in the alphabet among equals.
func guessed(pool, questions []Question) int {
	counts := make(map[string]map[string]int)
	best := make(map[string]string)
	for _, q := range pool {
		k, a := q.AnswerKind, q.Answers[0]
		if counts[k] == nil {
			counts[k] = make(map[string]int)
		}
		counts[k][a]++
	}
	for k, of := range counts {
		for a, n := range of {
			if m := of[best[k]]; n > m || n == m && a < best[k] {
				best[k] = a
			}
		}
	}
	right := 0
	for _, q := range questions {
		if q.Answers[0] == best[q.AnswerKind] {
			right++
		}
	}
	return right
}
