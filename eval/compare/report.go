package compare

import (
	"strconv"

	"trawl/eval"
)

// A Report is what `trawl select --json` prints.
type Report struct {
	Questions int    `json:"questions"`
	Rollouts  int    `json:"rollouts"` // expected of each question
	Complete  int    `json:"complete"` // rollouts that are done, with or without an answer
	Failed    int    `json:"failed"`   // rollouts whose every line is an error
	Missing   int    `json:"missing"`  // rollouts without a line
	Unscored  int    `json:"unscored"` // completed rollouts of questions without gold answers
	Subsets   string `json:"subsets"`  // "all", or of how many of a question at most the figures are
	Seed      int64  `json:"seed"`

	At map[int][]Row `json:"at"` // by k, in the order of the contestants

	Simulated bool `json:"simulated,omitempty"` // the model is trawl's simulated one: no figure says anything about a real model
}

// A Row is how one contestant fares with k rollouts a question.
type Row struct {
	Selector string     `json:"selector"`
	Accuracy *eval.Stat `json:"accuracy"` // the selected answer is right; nil if no question has gold answers
	F1       *eval.Stat `json:"f1"`       // of the selected answer
	Coverage float64    `json:"coverage"` // share of the subsets that have a right candidate

	// SelectedGivenCovered is the share of those for which the selected answer is
	// right; nil if there are none.
	SelectedGivenCovered *float64 `json:"selected_given_covered"`

	// VsMajority is the accuracy less that of majority on the same subsets, with
	// the interval of the paired bootstrap; nil for majority itself.
	VsMajority *eval.Stat `json:"vs_majority,omitempty"`

	Cost    Cost `json:"cost"`
	Subsets int  `json:"subsets"` // decided, over all questions
	Sampled bool `json:"sampled"` // these are not all subsets
	Empty   int  `json:"empty"`   // of Subsets without a decision, as nobody has an answer: they count as wrong
	Noted   int  `json:"noted"`   // of Subsets whose decision has a note: what selections.jsonl says of those on all rollouts
}

// Cost is what deciding cost.
type Cost struct {
	Seconds    float64 `json:"seconds"` // of deciding, added up over the cores
	ModelCalls int     `json:"model_calls"`
}

// report puts the outcomes together.
func (c *contest) report(results []*outcome) *Report {
	o := c.opts
	r := &Report{Questions: len(results), Rollouts: o.Rollouts, Seed: o.Seed, Subsets: "all", At: map[int][]Row{}}
	if o.Subsets < All {
		r.Subsets = strconv.Itoa(o.Subsets)
	}
	var scored []*outcome
	for _, out := range results {
		r.Complete += out.done
		r.Failed += out.failed
		r.Missing += o.Rollouts - out.done - out.failed
		r.Unscored += out.unscored
		if out.scored {
			scored = append(scored, out)
		}
	}
	for at, k := range o.At {
		rows := make([]Row, c.shown)
		for i := range rows {
			rows[i] = c.row(scored, at, i)
			rows[i].Sampled = eval.Binomial(o.Rollouts, k) > float64(o.Subsets)
		}
		r.At[k] = rows
	}
	return r
}

// row returns the figures of contestant i at the at-th size.
func (c *contest) row(scored []*outcome, at, i int) Row {
	row := Row{Selector: c.field[i].Name}
	values := func(of func(size) float64) []float64 {
		out := make([]float64, len(scored))
		for q, o := range scored {
			out[q] = of(o.sizes[at])
		}
		return out
	}
	stat := func(of func(size) float64) *eval.Stat {
		return eval.Estimate(values(of), c.opts.Resamples, c.opts.Seed)
	}
	row.Accuracy = stat(func(s size) float64 { return s.results[i].right })
	row.F1 = stat(func(s size) float64 { return s.results[i].f1 })
	if i != c.reference {
		row.VsMajority = stat(func(s size) float64 { return s.results[i].right - s.results[c.reference].right })
	}
	chosen := 0.0
	for _, o := range scored {
		s := o.sizes[at]
		row.Coverage += s.coverage
		chosen += s.results[i].covered
		row.Subsets += s.subsets
		row.Empty += s.results[i].empty
		row.Noted += s.results[i].noted
		row.Cost.Seconds += s.results[i].took.Seconds()
	}
	if row.Coverage > 0 {
		given := chosen / row.Coverage
		row.SelectedGivenCovered = &given
	}
	row.Coverage /= float64(max(len(scored), 1))
	return row
}
