package utility

import (
	"fmt"

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

	KSR *eval.Stat `json:"ksr"` // keypoint rates, over questions with a reference: facts that rollouts support
	KCR *eval.Stat `json:"kcr"` // that they contradict
	KOR *eval.Stat `json:"kor"` // that they omit; the three sum to 1

	Actions    *eval.Stat `json:"actions"`    // tool calls of a rollout
	Cost       *eval.Stat `json:"cost"`       // Σ c of a rollout, without penalties
	Repetition *eval.Stat `json:"repetition"` // cosine of an observation with the one before

	ClaimsFrom     map[ClaimSource]int `json:"claims_from"`     // completed rollouts
	Claims         int                 `json:"claims"`          // all of them
	UnscoredClaims int                 `json:"unscored_claims"` // that the entailer could not judge
	InventedClaims int                 `json:"invented_claims"` // that a model listed and no explanation states; they are not among Claims
	UnreadClaims   int                 `json:"unread_claims"`   // completed rollouts whose claims a model could not list
	Ungraded       int                 `json:"ungraded"`        // completed rollouts that have no G_E for one of these reasons
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

// A Method tells apart what the sources of EVAL report and what this project made up.
type Method struct {
	Reported       []string `json:"reported"`
	Reconstruction []string `json:"reconstruction"`
}

// method is what [Report.Method] says; the package comment has it at length.
func method() Method {
	return Method{
		Reported: []string{
			"U = 1[correct] · E^omega_e · C^omega_c; E = R_C / J; p_t = 1 + 1[g_t=0, g_t-1=0] · alpha · cos",
			"C = beta·G_E + (1-beta)·R_R; G_E: geometric mean of P(claim | evidence); R_R = exp(-lambda · mean recovery)",
			"g_t, TRS and E_A in words only",
		},
		Reconstruction: []string{
			"all constants; E = min(1, R_C/J) with R_C = T* + gamma·ln(1+T*), T* the steps of the reference, else the median cost of correct rollouts",
			"g_t: how much nearer (cosine) an observation comes to gold answer and facts than any before; less than epsilon is 0",
			"claims: sentences of the last reply with a number, a name or a word of the answer, or what a model lists; without any, the question and the answer as given",
			"evidence: observations cited, else the nearest by cosine; a trap is believed if later words assert its false claim, or the answer is its false answer",
			"E_A = Pearson's correlation of g_t with H_t-1 - H_t over all turns together, H_t the mean token entropy of the action (16 likeliest), or that of resampled actions",
			"TRS = 1 - mean normalised edit distance of action sequences; U_all over all rollouts, U_correct over the correct ones",
			"KSR, KCR, KOR: from a related note on deep research, not of EVAL: shares of the reference's facts that explanation and answer support, contradict or omit",
		},
	}
}

// report sums up the questions.
func (o *Options) report(questions []*question) *Report {
	r := &Report{
		Questions: len(questions), Rollouts: o.Rollouts, Constants: o.Weights, Method: method(),
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
	stat := func(f func(*RolloutDetail) *float64) *eval.Stat {
		return eval.Estimate(means(questions, f), o.Resamples, o.Seed)
	}
	r.PassAt1 = stat(func(d *RolloutDetail) *float64 { return indicator(d.Correct) })
	r.UAll = stat(func(d *RolloutDetail) *float64 { return d.U })
	r.UCorrect = stat(func(d *RolloutDetail) *float64 { return d.whenCorrect(d.U) })
	r.E = stat(func(d *RolloutDetail) *float64 { return d.E })
	r.C = stat(func(d *RolloutDetail) *float64 { return d.C })
	r.GE = stat(func(d *RolloutDetail) *float64 { return d.GE })
	r.RR = stat(func(d *RolloutDetail) *float64 { return d.RR })
	r.KSR = stat(func(d *RolloutDetail) *float64 { return d.KSR })
	r.KCR = stat(func(d *RolloutDetail) *float64 { return d.KCR })
	r.KOR = stat(func(d *RolloutDetail) *float64 { return d.KOR })
	r.Actions = stat(func(d *RolloutDetail) *float64 { return pointer(float64(d.Actions)) })
	r.Cost = stat(func(d *RolloutDetail) *float64 { return &d.Bare })
	r.Repetition = stat(func(d *RolloutDetail) *float64 { return d.Repetition })
	var stable []float64
	for _, q := range questions {
		if q.detail.TRS != nil {
			stable = append(stable, *q.detail.TRS)
		}
	}
	r.TRS = eval.Estimate(stable, o.Resamples, o.Seed)
	o.adapt(r, questions)
	r.Sweep = o.sweep(questions)
	r.explain()
	return r
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
	for i := range q.detail.Rollouts {
		d := &q.detail.Rollouts[i]
		r.Complete++
		if !q.hasGolds {
			r.Unscored++
		}
		r.ClaimsFrom[d.From]++
		r.Claims += len(d.Claims)
		r.UnscoredClaims += d.unscored()
		r.InventedClaims += d.Invented
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
}

// explain says what is not measured, and what is so only in part.
func (r *Report) explain() {
	say := func(figure, format string, args ...any) {
		r.NotMeasured = append(r.NotMeasured, Unmeasured{figure, fmt.Sprintf(format, args...)})
	}
	if r.Unscored > 0 || r.Targets[unknown] == r.Questions {
		say("pass@1, U, E", "%d of %d questions have no gold answer", r.Targets[unknown], r.Questions)
	}
	if n := r.References[unknown] - r.Targets[unknown]; n > 0 {
		say("E", "%d questions have neither a reference nor a correct rollout", n)
	}
	if r.Ungraded > 0 {
		say("G_E, C, U", "%d of %d rollouts have claims that could not be listed or judged", r.Ungraded, r.Complete)
	}
	r.explainKeypoints(say)
	if n := r.ClaimsFrom[FromNothing]; n > 0 {
		say("G_E, C", "%d rollouts have no answer", n)
	}
	if r.Traps.Questions < r.Questions {
		say("R_R", "no traps are known of %d of %d questions; C takes 1 there", r.Questions-r.Traps.Questions, r.Questions)
	}
	if r.Traps.Unseeable > 0 {
		say("R_R", "%d traps cannot be seen: nothing tells that their claim is believed", r.Traps.Unseeable)
	}
	if r.TRS == nil {
		say("TRS", "no question has %d completed rollouts", minRuns)
	}
	if why := r.lacksEntropy(); why != "" {
		say("E_A", "%s", why)
	}
	say("lambda_min", "it needs new rollouts that begin with hints")
}

// explainKeypoints says which rollouts have no keypoint rates.
func (r *Report) explainKeypoints(say func(figure, format string, args ...any)) {
	without := 0
	for _, q := range r.Details {
		if q.Facts == 0 {
			without++
		}
	}
	if without > 0 {
		say("KSR, KCR, KOR", "no facts are known of %d of %d questions", without, r.Questions)
	}
	if r.Keypoints.Unscored > 0 {
		say("KSR, KCR, KOR", "%d of %d facts could not be judged; rollouts with one of them have no rates", r.Keypoints.Unscored, r.Keypoints.Facts)
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
