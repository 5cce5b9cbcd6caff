package eval

import (
	"slices"

	"trawl/corpus/dataset"
	"trawl/internal/seed"
	"trawl/internal/text"
	"trawl/trajectory"
)

// An Answered is an answer to a question, as a judge rules on it: rollouts with the
// same answer have one ruling.
type Answered struct{ QuestionID, Answer string }

// A Jury is what a judge said of answers.
type Jury struct {
	Name    string            // of the judge, for people
	Rulings map[Answered]bool // whether an answer is right; one that is not here is unscored

	// Except are the rollouts of an answer of which the judge said the opposite, as
	// judges do that are asked of each rollout; usually none.
	Except map[Answered][]int
}

// of returns the ruling on the answer of a rollout, if there is one.
func (j *Jury) of(t *trajectory.Trajectory) (right, ok bool) {
	a := Answered{t.QuestionID, t.Answer}
	right, ok = j.Rulings[a]
	if slices.Contains(j.Except[a], t.Rollout) {
		right = !right
	}
	return right, ok
}

// Judged counts the rollouts that a judge ruled on.
type Judged struct {
	Rollouts      int          `json:"rollouts"`              // completed rollouts that the figures are of
	WithoutAnswer int          `json:"without_answer"`        // of those: they are wrong, and nobody has to rule
	Unscored      int          `json:"unscored"`              // completed rollouts with an answer on which there is no ruling
	Calibration   *Calibration `json:"calibration,omitempty"` // nil if no rollout with a ruling states how sure it is
}

// Calibration is the [CalibrationError] of N rollouts that state how sure they are
// of an answer on which there is a ruling.
type Calibration struct {
	Error float64 `json:"error"`
	N     int     `json:"n"`
}

// Answers returns the answers that a judge is to rule on so that [Score] can use its
// rulings, each once: those of completed outcomes, in the order of the examples, then
// of the rollouts. Options and errors are those of Score.
func Answers(examples []dataset.Example, runs []*trajectory.Trajectory, opts Options) ([]Answered, error) {
	groups, err := gather(examples, runs, opts.withDefaults(runs))
	if err != nil {
		return nil, err
	}
	var out []Answered
	seen := map[Answered]bool{}
	for _, g := range groups {
		for _, t := range g.done {
			a := Answered{t.QuestionID, t.Answer}
			if !text.Blank(t.Answer) && !seen[a] {
				seen[a] = true
				out = append(out, a)
			}
		}
	}
	return out, nil
}

// A verdicts is what a judge said of the outcomes of one question.
type verdicts struct {
	answers     []string // of those with a ruling
	right       []bool
	confidences []float64 // of those with a ruling and a stated confidence
	sure        []bool    // whether those are right
	empty       int       // of answers
	unscored    int

	pass, majority map[int]float64 // by k, for k up to the number of rulings
}

// mean returns the share of the rulings that say right.
func (v *verdicts) mean() (float64, bool) {
	if len(v.right) == 0 {
		return 0, false
	}
	return float64(v.hits()) / float64(len(v.right)), true
}

func (v *verdicts) hits() int {
	n := 0
	for _, right := range v.right {
		n += int(number(right))
	}
	return n
}

// judge takes in the rulings on the outcomes of g. An outcome without an answer is
// wrong, but where nothing says what is right, gold answers or a ruling.
func (g *group) judge(opts Options) {
	if opts.Jury == nil {
		return
	}
	known := len(g.example.Golds) > 0 || slices.ContainsFunc(g.done, func(t *trajectory.Trajectory) bool {
		_, ok := opts.Jury.of(t)
		return ok
	})
	v := &g.verdicts
	for _, t := range g.done {
		right, ruled := opts.Jury.of(t)
		switch {
		case text.Blank(t.Answer):
			right, ruled = false, known
		case !ruled:
			v.unscored++
		}
		if !ruled {
			continue
		}
		if text.Blank(t.Answer) {
			v.empty++
		}
		v.answers, v.right = append(v.answers, t.Answer), append(v.right, right)
		if t.Confidence != nil && !text.Blank(t.Answer) {
			v.confidences, v.sure = append(v.confidences, *t.Confidence), append(v.sure, right)
		}
	}
	v.pass, v.majority = make(map[int]float64), make(map[int]float64)
	for _, k := range opts.At {
		if k <= len(v.right) {
			v.pass[k] = PassAt(len(v.right), v.hits(), k)
			voted := MajorityAt(v.answers, v.right, k, opts.Subsets, seed.Rand(opts.Seed, "majority", g.example.ID, k))
			v.majority[k] = min(voted, v.pass[k])
		}
	}
}

// judgedOf puts the figures of the judge into s.
func (s *Scores) judgedOf(groups []*group, opts Options, stat func(func(*group) (float64, bool)) *Stat) {
	if opts.Jury == nil {
		return
	}
	s.Judge = stat(func(g *group) (float64, bool) { return g.verdicts.mean() })
	s.JudgePassAt, s.JudgeMajorityAt = make(map[int]*Stat), make(map[int]*Stat)
	for _, k := range opts.At {
		if pass := stat(func(g *group) (float64, bool) { v, ok := g.verdicts.pass[k]; return v, ok }); pass != nil {
			s.JudgePassAt[k] = pass
			s.JudgeMajorityAt[k] = stat(func(g *group) (float64, bool) { v, ok := g.verdicts.majority[k]; return v, ok })
		}
	}
	s.Judged = new(Judged)
	var confidences []float64
	var right []bool
	for _, g := range groups {
		s.Judged.Rollouts += len(g.verdicts.right)
		s.Judged.WithoutAnswer += g.verdicts.empty
		s.Judged.Unscored += g.verdicts.unscored
		confidences, right = append(confidences, g.verdicts.confidences...), append(right, g.verdicts.sure...)
	}
	if e, ok := CalibrationError(confidences, right, 0); ok {
		s.Judged.Calibration = &Calibration{e, len(right)}
	}
}
