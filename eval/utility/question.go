package utility

import (
	"context"
	"strings"

	"trawl/corpus/dataset"
	"trawl/trajectory"
)

// A RolloutDetail is everything about one rollout.
type RolloutDetail struct {
	Rollout    int         `json:"rollout"`
	Answer     string      `json:"answer"`
	Correct    *bool       `json:"correct"` // nil: there is no gold answer
	Actions    int         `json:"actions"`
	Bare       float64     `json:"cost"`                      // Σ c, without penalties
	Cost       *float64    `json:"j"`                         // Σ c·p; nil without a target
	Gains      []float64   `json:"g"`                         // nil without a target
	Penalties  []float64   `json:"p"`                         // nil without a target
	Repetition *float64    `json:"repetition"`                // mean cosine of an observation with the one before
	E          *float64    `json:"e"`                         // nil without a reference
	Claims     []Claim     `json:"claims"`                    // c_i
	From       ClaimSource `json:"claims_from"`               // where they stand
	Left       int         `json:"sentences_left"`            // that are no claims
	Invented   int         `json:"claims_invented,omitempty"` // that a model listed and the explanation does not state; left out
	Unread     string      `json:"claims_error,omitempty"`    // why there are no claims, if a model could not list them
	GE         *float64    `json:"g_e"`                       // nil without an answer, or if a claim is not scored
	Keypoints  []Keypoint  `json:"keypoints"`                 // the facts of the reference
	KSR        *float64    `json:"ksr"`                       // share that it supports; nil without facts, or if one is not scored
	KCR        *float64    `json:"kcr"`                       // that it contradicts
	KOR        *float64    `json:"kor"`                       // that it omits
	Seen       int         `json:"traps_seen"`                // that were among its results
	Entered    []Entry     `json:"traps_entered"`             // T_trap
	RR         *float64    `json:"r_r"`                       // nil if no traps of the question are known
	C          *float64    `json:"c"`                         // nil without G_E; R_R is 1 where no traps are known
	U          *float64    `json:"u"`                         // nil without a gold answer, or if a claim is not scored
}

// A QuestionDetail is everything about one question.
type QuestionDetail struct {
	ID        string          `json:"question_id"`
	Target    string          `json:"target"`    // "answer and facts", "answer" or "none"
	Reference string          `json:"reference"` // where T* comes from: "oracle", "correct rollouts" or "none"
	Steps     *float64        `json:"t_star"`
	Facts     int             `json:"facts"` // of the reference
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
}

// question evaluates the rollouts of one question.
func (o *Options) question(ctx context.Context, ex dataset.Example, lines []*trajectory.Trajectory) (*question, error) {
	q := &question{hasGolds: len(ex.Golds) > 0}
	q.detail = QuestionDetail{ID: ex.ID, Reference: unknown, Target: unknown, Facts: len(o.References[ex.ID].Facts), Traps: len(o.Traps[ex.ID]), Rollouts: []RolloutDetail{}}
	var runs []*run
	for _, t := range lines {
		if o.Rollouts > 0 && t.Rollout >= o.Rollouts {
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
	for _, t := range o.Traps[ex.ID] {
		if t.unseeable(ex.Text) {
			q.unseeable++
		}
	}
	judges := o.judges(ex.ID)
	for _, r := range runs {
		if judges.Extractor == nil {
			break
		}
		if err := r.extract(ctx, judges.Extractor, ex.Text, o.Weights.Words); err != nil {
			return nil, err
		}
	}
	target := q.target(ex, o.References[ex.ID])
	v, err := o.embed(ctx, runs, target)
	if err != nil {
		return nil, err
	}
	sequences := make([][]Action, len(runs))
	for i, r := range runs {
		d, err := o.rollout(ctx, ex, r, judges, target, v)
		if err != nil {
			return nil, err
		}
		q.detail.Rollouts = append(q.detail.Rollouts, d)
		sequences[i] = r.sequence()
		q.entropies.add(r.t, d.Gains)
	}
	if trs, ok := Stability(sequences); ok {
		q.detail.TRS = &trs
	}
	q.refer(o.References[ex.ID])
	for i := range q.detail.Rollouts {
		q.detail.Rollouts[i].close(q.detail.Steps, o.Weights)
	}
	return q, nil
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

// rollout works out what one rollout has for itself alone.
func (o *Options) rollout(ctx context.Context, ex dataset.Example, r *run, j Judges, target string, v vectors) (RolloutDetail, error) {
	d := RolloutDetail{Rollout: r.t.Rollout, Answer: r.t.Answer, Actions: len(r.actions), From: r.from, Left: r.left, Invented: r.invented, Unread: r.unread, Entered: []Entry{}}
	d.Bare = o.Weights.spent(r.actions, nil)
	near, alike := r.similarities(target, v)
	if n := len(alike); n > 1 {
		sum := 0.0
		for _, x := range alike[1:] {
			sum += x
		}
		d.Repetition = pointer(sum / float64(n-1))
	}
	var err error
	if d.Claims, err = o.ground(ctx, j.Entailer, r, v); err != nil {
		return d, err
	}
	if d.Keypoints, err = r.check(ctx, j.Checker, ex.Text, o.References[ex.ID].Facts); err != nil {
		return d, err
	}
	d.rate()
	if d.From != FromNothing && d.Unread == "" {
		d.GE = grounding(d.Claims, o.Weights.Floor)
	}
	if target == "" {
		return d, nil
	}
	d.Correct = pointer(right(ex, r.t.Answer))
	d.Gains = Gains(near, o.Weights.Epsilon)
	d.Penalties = Penalties(d.Gains, alike, o.Weights.Alpha)
	d.Cost = pointer(o.Weights.spent(r.actions, d.Penalties))
	d.fall(o, r, ex)
	return d, nil
}

// fall works out the traps that a rollout walked into.
func (d *RolloutDetail) fall(o *Options, r *run, ex dataset.Example) {
	traps := o.Traps[ex.ID]
	if len(traps) == 0 {
		return
	}
	var steps []float64
	for _, t := range traps {
		seen, e := r.enter(t, ex.Text, d.Gains, o.Weights.Stuck)
		if seen {
			d.Seen++
		}
		if e != nil {
			d.Entered = append(d.Entered, *e)
			steps = append(steps, e.D)
		}
	}
	d.RR = pointer(Recovery(steps, o.Weights.Lambda))
}

// refer finds T*.
func (q *question) refer(ref Reference) {
	if ref.Steps > 0 {
		q.detail.Reference, q.detail.Steps = fromOracle, pointer(float64(ref.Steps))
		return
	}
	var costs []float64
	for _, d := range q.detail.Rollouts {
		if d.Correct != nil && *d.Correct {
			costs = append(costs, d.Bare)
		}
	}
	if len(costs) > 0 {
		q.detail.Reference, q.detail.Steps = fromCorrect, pointer(median(costs))
	}
}

// close works out what needs T*.
func (d *RolloutDetail) close(steps *float64, w Weights) {
	if steps != nil && d.Cost != nil {
		d.E = pointer(Efficiency(*steps, *d.Cost, w.Gamma))
	}
	if d.GE != nil {
		recovery := 1.0
		if d.RR != nil {
			recovery = *d.RR
		}
		d.C = pointer(Quality(*d.GE, recovery, w.Beta))
	}
	d.U = d.utility(w)
}

// utility returns U with the exponents of w; nil if it is not known. A rollout with
// claims that nobody judged has none even if it is wrong: to count the wrong ones
// alone would make the mean too low.
func (d *RolloutDetail) utility(w Weights) *float64 {
	switch {
	case d.Correct == nil || d.ungraded():
		return nil
	case !*d.Correct:
		return pointer(0.0)
	case d.E == nil || d.C == nil:
		return nil
	}
	return pointer(Utility(true, *d.E, *d.C, w))
}

// ungraded reports whether something of the claims is not known.
func (d *RolloutDetail) ungraded() bool { return d.Unread != "" || d.unscored() > 0 }

// unscored counts the claims that the entailer could not judge.
func (d *RolloutDetail) unscored() int {
	n := 0
	for _, c := range d.Claims {
		if c.P == nil {
			n++
		}
	}
	return n
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
