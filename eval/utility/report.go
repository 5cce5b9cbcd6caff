package utility

import (
	"slices"

	"trawl/eval"
)

// A Report is what `trawl evaluate --json` prints. Each [eval.Stat] is a mean over
// completed rollouts first and questions second; it is nil where nothing has a value,
// and then NotMeasured says why.
type Report struct {
	Questions int `json:"questions"`
	Rollouts  int `json:"rollouts"` // expected of each question
	Complete  int `json:"complete"`
	Failed    int `json:"failed"`
	Missing   int `json:"missing"`
	Unscored  int `json:"unscored"` // completed rollouts of questions without gold answers

	PassAt1  *eval.Stat `json:"pass_at_1"`
	UAll     *eval.Stat `json:"u_all"`     // over all completed rollouts, the wrong ones 0
	UCorrect *eval.Stat `json:"u_correct"` // over the correct ones, and the questions that have one
	E        *eval.Stat `json:"e"`
	C        *eval.Stat `json:"c"`
	GE       *eval.Stat `json:"g_e"`
	RR       *eval.Stat `json:"r_r"` // over questions whose traps are known
	TRS      *eval.Stat `json:"trs"` // over questions with three completed rollouts
	EA       *eval.Stat `json:"e_a"` // a correlation, over the pairs of all questions together

	LambdaMin *eval.Stat `json:"lambda_min"` // as [Options] have it: it takes rollouts of its own

	KSR *eval.Stat `json:"ksr"` // keypoint rates, over questions with a reference: facts that rollouts support
	KCR *eval.Stat `json:"kcr"` // that they contradict
	KOR *eval.Stat `json:"kor"` // that they omit; the three sum to 1

	Actions    *eval.Stat `json:"actions"`    // tool calls of a rollout
	Cost       *eval.Stat `json:"cost"`       // Σ c of a rollout, without penalties
	Repetition *eval.Stat `json:"repetition"` // cosine of an observation with the one before

	ClaimsFrom     map[ClaimSource]int `json:"claims_from"`        // completed rollouts
	Claims         int                 `json:"claims"`             // all of them
	UnscoredClaims int                 `json:"unscored_claims"`    // that the entailer could not judge
	InventedClaims int                 `json:"invented_claims"`    // that a model listed and no explanation states; they are not among Claims
	UnreadClaims   int                 `json:"unread_claims"`      // completed rollouts whose claims a model could not list
	RepeatedClaims int                 `json:"repeated_claims"`    // that a model listed again; likewise
	BeyondClaims   int                 `json:"beyond_claims"`      // that it listed beyond the most that count; likewise
	Ungraded       int                 `json:"ungraded"`           // completed rollouts with claims that are not judged or not listed
	LeftOut        int                 `json:"questions_left_out"` // that have one of those: in no figure of claims, which are U, C and G_E
	Keypoints      Keypoints           `json:"keypoints"`
	Targets        map[string]int      `json:"targets"`    // questions by what g is measured against
	References     map[string]int      `json:"references"` // questions by where T* comes from
	Traps          Traps               `json:"traps"`
	Entropies      Entropies           `json:"entropies"`

	NotMeasured []Unmeasured `json:"not_measured"`
	Constants   Weights      `json:"constants"`
	Sweep       []Cell       `json:"sweep"` // over ω_E and ω_C
	Method      Method       `json:"method"`

	Embedder   string `json:"embedder"`
	Entailment string `json:"entailment"`          // who judged claims and facts: lexical or endpoint
	ClaimsBy   string `json:"claims_by"`           // who listed claims: sentences or endpoint
	Judge      string `json:"judge,omitempty"`     // the model at the endpoint
	Simulated  bool   `json:"simulated,omitempty"` // a model was trawl's simulated one: no figure says anything about a real model

	Details []QuestionDetail `json:"details"`
}

// Traps counts how rollouts fared with the traps of their questions.
type Traps struct {
	Questions int `json:"questions"` // that have traps
	Unseeable int `json:"unseeable"` // traps of which nothing tells that they are believed
	Seen      int `json:"seen"`      // (rollout, trap)
	Entered   int `json:"entered"`
	Left      int `json:"left"` // before the end
}

// An Unmeasured is a figure that is not there, or is there in part, and why.
type Unmeasured struct {
	Figure string `json:"figure"`
	Why    string `json:"why"`
}

// A Cell is the utility with other exponents.
type Cell struct {
	OmegaE   float64  `json:"omega_e"`
	OmegaC   float64  `json:"omega_c"`
	UAll     *float64 `json:"u_all"`
	UCorrect *float64 `json:"u_correct"`
}

// sweepOver is the grid of exponents.
var sweepOver = [...]float64{0.25, 0.5, 1, 1.5}

// report sums up the questions.
func (o *Options) report(questions []*question) *Report {
	r := &Report{
		Questions: len(questions), Rollouts: o.Rollouts, LambdaMin: o.LambdaMin, Constants: o.Weights, Method: o.method(),
		ClaimsFrom: map[ClaimSource]int{}, Targets: map[string]int{}, References: map[string]int{},
		Details: make([]QuestionDetail, 0, len(questions)), NotMeasured: []Unmeasured{},
	}
	present := 0
	for _, q := range questions {
		present += q.present
		if o.Rollouts == 0 {
			r.Rollouts = max(r.Rollouts, q.highest)
		}
		r.count(q)
		r.Details = append(r.Details, q.detail)
	}
	r.Missing = max(0, r.Rollouts*r.Questions-present)
	graded := slices.DeleteFunc(slices.Clone(questions), func(q *question) bool { return q.ungraded })
	o.measure(r, questions, graded)
	o.adapt(r, questions)
	r.Sweep = o.sweep(graded)
	r.explain(o.Logprobs)
	return r
}

// measure works out the figures that are means. Those that need the claims are over
// the graded questions, those that need the facts over the ones that are all judged: a
// question of which a judge left out something is left out whole, since what it
// cannot judge may well be the wrong rollouts, or the right ones.
func (o *Options) measure(r *Report, questions, graded []*question) {
	checked := slices.DeleteFunc(slices.Clone(questions), func(q *question) bool { return q.uncheckable })
	for _, m := range []struct {
		to *(*eval.Stat)
		of []*question
		f  func(*RolloutDetail) *float64
	}{
		{&r.PassAt1, questions, func(d *RolloutDetail) *float64 { return indicator(d.Correct) }},
		{&r.UAll, graded, func(d *RolloutDetail) *float64 { return d.U }},
		{&r.UCorrect, graded, func(d *RolloutDetail) *float64 { return d.whenCorrect(d.U) }},
		{&r.E, questions, func(d *RolloutDetail) *float64 { return d.E }},
		{&r.C, graded, func(d *RolloutDetail) *float64 { return d.C }},
		{&r.GE, graded, func(d *RolloutDetail) *float64 { return d.GE }},
		{&r.RR, questions, func(d *RolloutDetail) *float64 { return d.RR }},
		{&r.KSR, checked, func(d *RolloutDetail) *float64 { return d.KSR }},
		{&r.KCR, checked, func(d *RolloutDetail) *float64 { return d.KCR }},
		{&r.KOR, checked, func(d *RolloutDetail) *float64 { return d.KOR }},
		{&r.Actions, questions, func(d *RolloutDetail) *float64 { return pointer(float64(d.Actions)) }},
		{&r.Cost, questions, func(d *RolloutDetail) *float64 { return &d.Bare }},
		{&r.Repetition, questions, func(d *RolloutDetail) *float64 { return d.Repetition }},
	} {
		*m.to = eval.Estimate(means(m.of, m.f), o.Resamples, o.Seed)
	}
	var stable []float64
	for _, q := range questions {
		if q.detail.TRS != nil {
			stable = append(stable, *q.detail.TRS)
		}
	}
	r.TRS = eval.Estimate(stable, o.Resamples, o.Seed)
}

// count adds what is counted of a question.
func (r *Report) count(q *question) {
	r.Failed += q.detail.Failed
	r.Targets[q.detail.Target]++
	r.References[q.detail.Reference]++
	if q.detail.Traps > 0 {
		r.Traps.Questions++
	}
	r.Traps.Unseeable += q.unseeable
	if q.ungraded {
		r.LeftOut++
	}
	if q.uncheckable {
		r.Keypoints.LeftOut++
	}
	for i := range q.detail.Rollouts {
		r.Complete++
		if !q.hasGolds {
			r.Unscored++
		}
		r.countRollout(&q.detail.Rollouts[i])
	}
}

// countRollout adds what is counted of a completed rollout.
func (r *Report) countRollout(d *RolloutDetail) {
	r.ClaimsFrom[d.From]++
	r.Claims += len(d.Claims)
	r.UnscoredClaims += d.unscored()
	r.InventedClaims += d.Invented
	r.RepeatedClaims += d.Repeated
	r.BeyondClaims += d.Beyond
	r.Keypoints.count(d.Keypoints)
	if d.Unread != "" {
		r.UnreadClaims++
	}
	if d.ungraded() {
		r.Ungraded++
	}
	r.Traps.Seen += d.Seen
	r.Traps.Entered += len(d.Entered)
	for _, e := range d.Entered {
		if e.Left > 0 {
			r.Traps.Left++
		}
	}
}

// means returns one value a question: the mean over its rollouts that have one.
func means(questions []*question, f func(*RolloutDetail) *float64) []float64 {
	var out []float64
	for _, q := range questions {
		values := q.measured(f)
		if len(values) == 0 {
			continue
		}
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		out = append(out, sum/float64(len(values)))
	}
	return out
}

// sweep works out the utility for each pair of exponents of the grid.
func (o *Options) sweep(questions []*question) []Cell {
	mean := func(f func(*RolloutDetail) *float64) *float64 {
		values := means(questions, f)
		if len(values) == 0 {
			return nil
		}
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		return pointer(sum / float64(len(values)))
	}
	var cells []Cell
	for _, e := range sweepOver {
		for _, c := range sweepOver {
			w := o.Weights
			w.OmegaE, w.OmegaC = e, c
			cells = append(cells, Cell{
				OmegaE: e, OmegaC: c,
				UAll:     mean(func(d *RolloutDetail) *float64 { return d.utility(w) }),
				UCorrect: mean(func(d *RolloutDetail) *float64 { return d.whenCorrect(d.utility(w)) }),
			})
		}
	}
	return cells
}

// whenCorrect returns v of a correct rollout, and nil of another.
func (d *RolloutDetail) whenCorrect(v *float64) *float64 {
	if d.Correct == nil || !*d.Correct {
		return nil
	}
	return v
}

func indicator(b *bool) *float64 {
	switch {
	case b == nil:
		return nil
	case *b:
		return pointer(1.0)
	}
	return pointer(0.0)
}
