package utility

import (
	"context"
	"strings"

	"trawl/corpus/dataset"
	"trawl/trajectory"
)

// A QuestionDetail is everything about one question.
type QuestionDetail struct {
	ID        string          `json:"question_id"`
	Target    string          `json:"target"`    // "answer and facts", "answer" or "none"
	Reference string          `json:"reference"` // where T* comes from: "oracle", "correct rollouts" or "none"
	Enough    *float64        `json:"t_star"`    // T*, a cost
	Facts     int             `json:"facts"`     // of the reference
	Traps     int             `json:"traps"`
	TRS       *float64        `json:"trs"` // nil from fewer than three rollouts
	Failed    int             `json:"failed"`
	Rollouts  []RolloutDetail `json:"rollouts"` // completed
}

// Where a target or a reference comes from.
const (
	targetFacts  = "answer and facts"
	targetAnswer = "answer"
	fromOracle   = "oracle"
	fromCorrect  = "correct rollouts"
	unknown      = "none"
)

// A question is one question's runs and what came of them.
type question struct {
	detail    QuestionDetail
	unseeable int // traps
	present   int // rollouts, failed ones too
	highest   int // number of a rollout
	hasGolds  bool
	entropies entropies

	ungraded    bool // a claim, or a list of claims, is not known
	uncheckable bool // a fact is not judged
}

// question evaluates the rollouts of one question.
func (o *Options) question(ctx context.Context, ex dataset.Example, lines []*trajectory.Trajectory) (*question, error) {
	ref := o.References[ex.ID]
	q := &question{hasGolds: len(ex.Golds) > 0}
	q.detail = QuestionDetail{ID: ex.ID, Reference: unknown, Target: unknown, Facts: len(ref.Facts), Traps: len(o.Traps[ex.ID]), Rollouts: []RolloutDetail{}}
	for _, t := range o.Traps[ex.ID] {
		if t.unseeable(ex.Text) {
			q.unseeable++
		}
	}
	runs, judges := q.runs(ex, lines, o.Rollouts), o.judges(ex.ID)
	if judges.Extractor != nil {
		for _, r := range runs {
			if err := r.extract(ctx, judges.Extractor, ex.Text, o.Weights.Words); err != nil {
				return nil, err
			}
		}
	}
	target := q.target(ex, ref)
	v, err := o.embed(ctx, runs, target)
	if err != nil {
		return nil, err
	}
	for _, r := range runs {
		d, err := o.rollout(ctx, ex, r, judges, target, v)
		if err != nil {
			return nil, err
		}
		q.add(r, d)
	}
	q.close(runs, ref, o.Weights)
	return q, nil
}

// runs returns the completed rollouts of the lines, and counts the others. Of the
// lines the first so many rollouts count, all of them if expected is 0.
func (q *question) runs(ex dataset.Example, lines []*trajectory.Trajectory, expected int) []*run {
	var runs []*run
	for _, t := range lines {
		if expected > 0 && t.Rollout >= expected {
			continue
		}
		q.present++
		q.highest = max(q.highest, t.Rollout+1)
		if t.Error != "" {
			q.detail.Failed++
			continue
		}
		runs = append(runs, newRun(t, ex.Text))
	}
	return runs
}

// add takes in what one rollout has for itself alone.
func (q *question) add(r *run, d RolloutDetail) {
	q.entropies.add(r.t, d.Gains)
	q.ungraded = q.ungraded || d.ungraded()
	q.uncheckable = q.uncheckable || d.unchecked() > 0
	q.detail.Rollouts = append(q.detail.Rollouts, d)
}

// close works out what needs all rollouts of the question.
func (q *question) close(runs []*run, ref Reference, w Weights) {
	sequences := make([][]Action, len(runs))
	for i, r := range runs {
		sequences[i] = r.sequence()
	}
	if trs, ok := Stability(sequences); ok {
		q.detail.TRS = &trs
	}
	q.refer(ref, w)
	for i := range q.detail.Rollouts {
		q.detail.Rollouts[i].close(q.detail.Enough, w)
	}
}

// target returns y*, what observations are to come near to; "" without a gold answer.
func (q *question) target(ex dataset.Example, ref Reference) string {
	if len(ex.Golds) == 0 {
		return ""
	}
	if len(ref.Facts) == 0 {
		q.detail.Target = targetAnswer
		return ex.Golds[0]
	}
	q.detail.Target = targetFacts
	return strings.Join(append([]string{ex.Golds[0]}, ref.Facts...), "\n")
}

// refer finds T*: what the actions of the reference cost, or else the median of what
// those of the correct rollouts did, and no less than the cheapest action, where most
// of them called nothing.
func (q *question) refer(ref Reference, w Weights) {
	if len(ref.Actions) > 0 {
		q.detail.Reference, q.detail.Enough = fromOracle, pointer(w.way(ref.Actions))
		return
	}
	var costs []float64
	for _, d := range q.detail.Rollouts {
		if d.Correct != nil && *d.Correct {
			costs = append(costs, d.Bare)
		}
	}
	if len(costs) > 0 {
		q.detail.Reference, q.detail.Enough = fromCorrect, pointer(max(median(costs), w.least()))
	}
}

func pointer[T any](v T) *T { return &v }

// measured returns the values that f knows of completed rollouts.
func (q *question) measured(f func(*RolloutDetail) *float64) []float64 {
	var out []float64
	for i := range q.detail.Rollouts {
		if v := f(&q.detail.Rollouts[i]); v != nil {
			out = append(out, *v)
		}
	}
	return out
}
