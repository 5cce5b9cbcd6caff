package utility

import (
	"context"

	"trawl/corpus/dataset"
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
	Repeated   int         `json:"claims_repeated,omitempty"` // that it listed again; left out
	Beyond     int         `json:"claims_beyond,omitempty"`   // that it listed beyond the most that count; left out
	Unread     string      `json:"claims_error,omitempty"`    // why there are no claims, if a model could not list them
	GE         *float64    `json:"g_e"`                       // nil without an answer, or if a claim is not scored
	Keypoints  []Keypoint  `json:"keypoints"`                 // the facts of the reference
	KSR        *float64    `json:"ksr"`                       // share that it supports; nil without facts, or if one is not scored
	KCR        *float64    `json:"kcr"`                       // that it contradicts
	KOR        *float64    `json:"kor"`                       // that it omits
	Seen       int         `json:"traps_seen"`                // that were among its results
	Entered    []Entry     `json:"traps_entered"`             // T_trap
	RR         *float64    `json:"r_r"`                       // nil if no traps of the question are known, or no gold answer
	C          *float64    `json:"c"`                         // nil without G_E; R_R is 1 where no traps are known
	U          *float64    `json:"u"`                         // nil without a gold answer, or if a claim is not scored
}

// rollout works out what one rollout has for itself alone.
func (o *Options) rollout(ctx context.Context, ex dataset.Example, r *run, j Judges, target string, v vectors) (RolloutDetail, error) {
	d := RolloutDetail{Rollout: r.t.Rollout, Answer: r.t.Answer, Actions: len(r.actions), From: r.from, Left: r.left, Unread: r.unread, Entered: []Entry{}}
	d.Invented, d.Repeated, d.Beyond = r.invented, r.repeated, r.beyond
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

// close works out what needs T*.
func (d *RolloutDetail) close(enough *float64, w Weights) {
	if enough != nil && d.Cost != nil {
		d.E = pointer(Efficiency(*enough, *d.Cost, w.Gamma))
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

// utility returns U with the exponents of w; nil if it is not known, as of a rollout
// with claims that nobody judged, be it right or wrong.
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

// unchecked counts the facts that the checker could not judge.
func (d *RolloutDetail) unchecked() int {
	n := 0
	for _, k := range d.Keypoints {
		if k.Stance == "" {
			n++
		}
	}
	return n
}
