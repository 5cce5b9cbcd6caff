package eval

import "fmt"

// unwrittenShare is the part of the states, of a hundred, up to which it is no
// warning that the model wrote none.
const unwrittenShare = 5

// warnings says, a sentence each, what makes the figures of r doubtful: a run
// in which nothing worked must not look like one whose answers are wrong.
func warnings(r *Report, groups []*group, opts Options) []string {
	var out []string
	warn := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	answered, retrieved, reworded, golds := 0, 0, 0, 0
	for _, g := range groups {
		reworded += g.reworded()
		golds += min(len(g.example.Golds), 1)
		for _, t := range g.done {
			answered += min(len(t.Answer), 1)
		}
		for _, t := range g.whole {
			for range results(t, 1) {
				retrieved++
			}
		}
	}
	switch {
	case r.Complete == 0:
		warn("no rollout is complete: %d failed, %d are missing", r.Failed, r.Missing)
	case answered == 0:
		warn("none of %d completed rollouts has an answer: check the model and its answer format", r.Complete)
	case golds == 0:
		warn("the data set has no answers: %d completed rollouts are unscored", r.Unscored)
	case r.F1 != nil && r.F1.Mean == 0 && r.Contains.Mean == 0:
		warn("no answer of %d questions shares a word with its gold answers: check that the data set is that of the run", r.F1.N)
	}
	if reworded > 0 {
		warn("%d completed rollouts have a question that is worded otherwise in the data set: check that it is that of the run", reworded)
	}
	if r.Complete > 0 && retrieved == 0 {
		warn("no completed rollout retrieved a document")
	}
	if nothingFound(r, opts) && retrieved > 0 {
		warn("no supporting document was retrieved: the ids of the index may not be those of the data set")
	}
	if len(r.Rounds) > 0 {
		out = append(out, stateWarnings(r.Round, groups)...)
	}
	for _, k := range opts.At {
		if r.PassAt[k] == nil && r.EM != nil {
			warn("no question has %d completed rollouts: pass@%d and majority@%d are left out", k, k, k)
		}
	}
	return out
}

// stateWarnings says what makes the figures of a run of several rounds doubtful.
func stateWarnings(rounds int, groups []*group) []string {
	var out []string
	lines, without, states, unwritten := summaries(groups)
	if without > 0 {
		out = append(out, fmt.Sprintf("%d of %d completed rollouts in %d rounds have no state: their own answers are scored", without, lines, rounds))
	}
	if unwritten*100 > states*unwrittenShare {
		out = append(out, fmt.Sprintf("%d of %d states were not written by the model: those rounds are not summed up", unwritten, states))
	}
	return out
}

func nothingFound(r *Report, opts Options) bool {
	for _, cut := range opts.Cuts {
		if r.Retrieval.RecallPooledAt[cut] > 0 {
			return false
		}
	}
	return r.Retrieval.N > 0
}
