// Package eval scores rollouts against gold answers. [Score] makes the whole
// [Report] of a run, [Contrast] holds two runs against each other, [GapOf] says what
// a vote leaves of what is covered; [Mark], [PassAt], [MajorityAt], [Estimate], [QPD],
// [Recall] and [CalibrationError] are its formulas, for others that compare answers.
//
// Answers are normalised as the field does, by [text.Answer]. F1 has two
// variants, chosen by [RuleOf] from the data set that a question comes from.
// Means are over completed rollouts first and over questions second; rollouts
// that failed or are missing are never taken for wrong answers but counted
// beside the scores. A completed rollout without an answer is wrong.
//
// Sources: pass@k, majority and recall as in arXiv:2609.39912 (A.3, D, G); diversity as in
// DivInit (§3, §6.2); RT@n, AP@N and the branches that a round leaves as in Re-TRAC
// (arXiv:2602.02486 §4); EM, F1 and sub-EM as in the scripts of HotpotQA, MuSiQue,
// FlashRAG and Search-R1.
//
// # Departures
//
// F1 of two answers whose normal forms are both empty is 1 under every rule, so
// that EM ≤ F1 always holds; EM is 1 there too, as in the official scripts, where
// SEL takes an answer whose normal form is empty for wrong. A gold whose normal
// form is empty is contained only in an answer like it. A rollout without an
// answer is wrong whatever the golds are.
//
// The distance between the queries of rollouts (ATD) is over queries of the same
// turn, as DivInit's figures are; Options.AllPairs takes all pairs, as its text
// says.
//
// A judge's figures are over the rollouts whose answer it ruled on; answers without
// a ruling are counted beside them ([Judged]) and are never wrong. The scripts of
// BrowseComp and HLE leave the last bin out of the calibration error and fail for
// fewer than 100 answers; [CalibrationError] does neither, and its result does not
// depend on an order among equal confidences.
//
// A rollout of several rounds is scored by its outcome, [trajectory.Outcomes]: the
// answer of the state in which its last round ended. Re-TRAC has a model sort failed
// rollouts by the branches that they leave; here a branch is a lead that a state
// lists, and the words of a search say whether it is followed.
//
// That a vote fails where a wrong answer is the most likely one is SEL's; to put a
// run's own shares of answers into [Coverage] and [Voting] is a reconstruction, and
// biased as [Gap].Extrapolated says. Paired intervals and [SignFlip] are our choice.
//
// Same input and seed, same report: nothing depends on the order of maps or on
// time. All functions are safe for concurrent use.
package eval

import (
	"cmp"
	"fmt"
	"slices"

	"trawl/corpus/dataset"
	"trawl/trajectory"
)

// Options say what is scored. The zero value selects the defaults.
type Options struct {
	Rollouts  int   // expected of each question, the first so many count; default: as many as there are
	Round     int   // that is scored; default: the last one that there is a line of
	At        []int // k of pass@k and majority@k; default: powers of two up to Rollouts, and Rollouts
	Cuts      []int // ranks for recall; default 3 and 10
	Seed      int64 // of resampling
	Resamples int   // of the bootstrap; default 2,000
	Subsets   int   // of k rollouts for majority@k, beyond which they are sampled; default 2,000
	AllPairs  bool  // ATD over all pairs of turns
	Simulated bool  // the model was the simulated one; said in the report

	Jury   *Jury              // rules on answers; nil if no judge was asked
	States []trajectory.State // in which rounds ended, if the run made any; of several with one key the last counts
}

func (o Options) withDefaults(runs []*trajectory.Trajectory) Options {
	rollouts, round := 0, 1
	for _, t := range runs {
		rollouts, round = max(rollouts, t.Rollout+1), max(round, t.Round)
	}
	o.Rollouts = cmp.Or(o.Rollouts, rollouts)
	o.Round = cmp.Or(o.Round, round)
	o.Resamples = cmp.Or(o.Resamples, DefaultResamples)
	o.Subsets = cmp.Or(o.Subsets, 2000)
	if len(o.Cuts) == 0 {
		o.Cuts = []int{3, 10}
	}
	if len(o.At) == 0 {
		for k := 1; k < o.Rollouts; k *= 2 {
			o.At = append(o.At, k)
		}
		o.At = append(o.At, max(o.Rollouts, 1))
	}
	return o
}

// check says what of o, which has its defaults, makes no sense.
func (o Options) check() error {
	if o.Rollouts < 0 || o.Round < 1 || slices.Min(o.At) < 1 || slices.Min(o.Cuts) < 1 {
		return fmt.Errorf("eval: rollouts %d, round %d, at %v, cuts %v: all must be positive", o.Rollouts, o.Round, o.At, o.Cuts)
	}
	return nil
}

// Score scores the lines of one run against the examples of its data set, which
// are the questions that the run was to answer. Of several lines of one rollout in
// one round the last success counts. It returns an error if two examples have the
// same id, if a line or state belongs to no example, if they are of several
// settings, or if opts make no sense; what makes figures doubtful without making them wrong is a
// warning in the report.
func Score(examples []dataset.Example, runs []*trajectory.Trajectory, opts Options) (*Report, error) {
	opts = opts.withDefaults(runs)
	if err := opts.check(); err != nil {
		return nil, err
	}
	groups, err := groupRuns(examples, runs, opts)
	if err != nil {
		return nil, err
	}
	r := &Report{
		Rollouts:  opts.Rollouts,
		Round:     opts.Round,
		Scores:    *scoresOf(groups, opts),
		Cost:      costOf(runs, opts.States, 1, opts.Round),
		Rounds:    roundsOf(groups, runs, opts),
		BySource:  scoresBy(groups, opts, func(g *group) string { return g.example.Source }),
		ByHops:    scoresBy(groups, opts, func(g *group) int { return g.example.Hops }),
		Simulated: opts.Simulated,
	}
	if opts.Jury != nil {
		r.JudgedBy = opts.Jury.Name
	}
	r.tally(groups)
	r.Warnings = warnings(r, groups, opts)
	return r, nil
}

// scoresOf returns the scores of a set of questions.
func scoresOf(groups []*group, opts Options) *Scores {
	s := &Scores{Questions: len(groups), PassAt: make(map[int]*Stat), MajorityAt: make(map[int]*Stat)}
	for _, g := range groups {
		s.Complete += len(g.done)
		s.Failed += len(g.failed)
		s.Missing += opts.Rollouts - len(g.done) - len(g.failed)
		if len(g.example.Golds) == 0 {
			s.Unscored += len(g.done)
		}
	}
	stat := func(value func(g *group) (float64, bool)) *Stat {
		var values []float64
		for _, g := range groups {
			if v, ok := value(g); ok {
				values = append(values, v)
			}
		}
		return Estimate(values, opts.Resamples, opts.Seed)
	}
	s.EM = stat(func(g *group) (float64, bool) { return g.em, g.scored() })
	s.F1 = stat(func(g *group) (float64, bool) { return g.f1, g.scored() })
	s.Contains = stat(func(g *group) (float64, bool) { return g.contains, g.scored() })
	for _, k := range opts.At {
		if pass := stat(func(g *group) (float64, bool) { v, ok := g.pass[k]; return v, ok }); pass != nil {
			s.PassAt[k] = pass
			s.MajorityAt[k] = stat(func(g *group) (float64, bool) { v, ok := g.majority[k]; return v, ok })
		}
	}
	s.judgedOf(groups, opts, stat)
	s.Diversity = diversityOf(groups)
	s.Retrieval = retrievalOf(groups, opts.Cuts)
	return s
}

// scoresBy returns the scores of the questions of each kind; nil if there is
// only one kind. Questions of the zero kind, which is unknown, are in no part.
func scoresBy[K cmp.Ordered](groups []*group, opts Options, kind func(*group) K) map[K]*Scores {
	parts := make(map[K][]*group)
	for _, g := range groups {
		parts[kind(g)] = append(parts[kind(g)], g)
	}
	if len(parts) < 2 {
		return nil
	}
	var unknown K
	delete(parts, unknown)
	scores := make(map[K]*Scores, len(parts))
	for k, part := range parts {
		scores[k] = scoresOf(part, opts)
	}
	return scores
}

// tally counts how the rollouts began and ended.
func (r *Report) tally(groups []*group) {
	r.Terminations = make(map[trajectory.Termination]int)
	r.AnswerSources = make(map[trajectory.AnswerSource]int)
	r.FirstQueries = make(map[trajectory.SeedSource]int)
	for _, g := range groups {
		for _, t := range g.failed {
			r.Terminations[t.Termination]++
		}
		for _, t := range g.done {
			r.Terminations[t.Termination]++
			r.AnswerSources[t.Source]++
			first := FirstOwn
			if t.SeedQuery != nil {
				first = t.SeedQuery.Source
			}
			r.FirstQueries[first]++
		}
	}
}
