package compare

import (
	"strconv"
	"time"

	"trawl/eval"
	"trawl/selection"
)

// A Report is what `trawl select --json` prints.
type Report struct {
	Questions int    `json:"questions"`
	Rollouts  int    `json:"rollouts"`  // expected of each question
	Complete  int    `json:"complete"`  // rollouts that are done, with or without an answer
	Failed    int    `json:"failed"`    // rollouts whose every line is an error
	Missing   int    `json:"missing"`   // rollouts without a line
	Unscored  int    `json:"unscored"`  // completed rollouts of questions without gold answers
	Undecided int    `json:"undecided"` // questions on which a contestant failed: the counts above have them, no figure has
	Subsets   string `json:"subsets"`   // "all", or of how many of a question at most the figures are; a contestant may have a number of its own
	Seed      int64  `json:"seed"`

	At map[int][]Row `json:"at"` // by k, in the order of the contestants

	Failures []Failure `json:"failures,omitempty"` // of the undecided questions, in their order; at most the first ten

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
	Empty   int  `json:"empty"`   // of Subsets without an answer, as nobody has one or the selector gave none: they count as wrong
	Noted   int  `json:"noted"`   // of Subsets whose decision has a note: what selections.jsonl says of those on all rollouts
}

// Cost is what deciding on a row's subsets cost.
type Cost struct {
	// Seconds are the sum of what each decision took from its beginning to its end:
	// as it says itself where it asked a model, perhaps in an earlier run, and as
	// measured otherwise. Decisions on several questions go on at once, so the sum
	// is not the time that a comparison takes, and where they share cores it grows
	// with [Options].Workers.
	Seconds float64 `json:"seconds"`

	ModelCalls        int  `json:"model_calls"`
	PromptTokens      int  `json:"prompt_tokens"`
	CompletionTokens  int  `json:"completion_tokens"`
	CachedTokens      int  `json:"cached_tokens"`       // of PromptTokens, as the server counted
	FreshPromptTokens int  `json:"fresh_prompt_tokens"` // of PromptTokens: what a conversation had not sent before
	Estimated         bool `json:"estimated,omitempty"` // some token counts are trawl's own estimates

	// USD is what the tokens cost where prefixes are cached, nil without a price:
	// (FreshPromptTokens·in + CompletionTokens·out) / 10⁶. (arXiv:2604.11753)
	USD *float64 `json:"usd,omitempty"`
}

// costOf returns what deciding cost at a price.
func costOf(c selection.Cost, took time.Duration, price *Price) Cost {
	out := Cost{
		Seconds: took.Seconds(), ModelCalls: c.Calls, PromptTokens: c.Prompt, CompletionTokens: c.Completion,
		CachedTokens: c.Cached, FreshPromptTokens: c.Fresh, Estimated: c.Estimated,
	}
	if price != nil {
		usd := (float64(c.Fresh)*price.In + float64(c.Completion)*price.Out) / 1e6
		out.USD = &usd
	}
	return out
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
		switch {
		case out.failure != nil:
			r.fail(out.failure)
		case out.scored:
			scored = append(scored, out)
		}
	}
	sampledAt := limits(o, c.field)
	for at, k := range o.At {
		rows := make([]Row, len(c.field))
		for i := range rows {
			rows[i] = c.row(scored, at, i)
			rows[i].Sampled = eval.Binomial(o.Rollouts, k) > float64(sampledAt[i])
		}
		r.At[k] = rows
	}
	return r
}

// fail counts a question on which a contestant failed.
func (r *Report) fail(f *failure) {
	r.Undecided++
	if len(r.Failures) < mostFailures {
		r.Failures = append(r.Failures, Failure{QuestionID: f.question, Selector: f.selector, Error: f.err.Error()})
	}
}

// row returns the figures of contestant i at the at-th size.
func (c *contest) row(scored []*outcome, at, i int) Row {
	row := Row{Selector: c.field[i].Name}
	stat := func(of func(result) float64) *eval.Stat {
		values := make([]float64, len(scored))
		for q, o := range scored {
			values[q] = of(o.sizes[at].results[i])
		}
		return eval.Estimate(values, c.opts.Resamples, c.opts.Seed)
	}
	row.Accuracy = stat(func(r result) float64 { return r.right })
	row.F1 = stat(func(r result) float64 { return r.f1 })
	if row.Selector != c.rival.Name {
		row.VsMajority = stat(func(r result) float64 { return r.right - r.rival })
	}
	var (
		cost   selection.Cost
		took   time.Duration
		chosen float64
	)
	for _, o := range scored {
		r := o.sizes[at].results[i]
		row.Coverage += r.coverage
		chosen += r.covered
		row.Subsets += r.subsets
		row.Empty += r.empty
		row.Noted += r.noted
		cost.Add(r.cost)
		took += r.took
	}
	row.Cost = costOf(cost, took, c.field[i].Price)
	if row.Coverage > 0 {
		given := chosen / row.Coverage
		row.SelectedGivenCovered = &given
	}
	row.Coverage /= float64(max(len(scored), 1))
	return row
}
