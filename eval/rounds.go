package eval

import "trawl/trajectory"

// A Round is how a run stood after one of its rounds, and what the round did. The
// outcome of a rollout is that of [trajectory.Outcomes]: the state's answer, and
// for a rollout whose rounds have been stopped for good that of its last round.
// Means are over the rollouts of a question first and over questions second.
// (Re-TRAC, arXiv:2602.02486 §4)
type Round struct {
	Round    int `json:"round"`
	Complete int `json:"complete"` // rollouts whose line of this round is done
	Failed   int `json:"failed"`   // rollouts that failed in this round, or before it for good
	Missing  int `json:"missing"`  // rollouts that did not get so far
	Stopped  int `json:"stopped"`  // rollouts whose rounds had been stopped for good before this one

	RT       *Stat `json:"rt"`       // RT@n: the outcomes are right
	AP       *Stat `json:"ap"`       // AP@n: an outcome of this round or of one before it is right, of the rollouts that have any
	Pass     *Stat `json:"pass"`     // any outcome of the question is right; with all K rollouts, pass@K
	Majority *Stat `json:"majority"` // the plurality answer of the outcomes is right; with all K rollouts, majority@K
	Own      *Stat `json:"own"`      // the answers that the same lines gave themselves, without states, are right

	Restated *float64 `json:"restated"` // share of the outcomes with another answer than the line gave, by [text.AnswerKey]

	Resources Resources `json:"resources"`

	// Shares of the searches of this round's completed lines whose query, without
	// regard to case and white space, was made before: by the same rollout in this
	// round or an earlier one, and by any rollout of the question, in the order of
	// rounds, then rollouts, then steps.
	DuplicateQueries *float64 `json:"duplicate_queries"`
	DuplicatesAcross *float64 `json:"duplicates_across"`

	Branches Branches `json:"branches"`
	States   States   `json:"states"`
}

// Resources is what a round cost.
type Resources struct {
	PerRollout Work  `json:"per_rollout"` // means over the round's completed lines
	PerSummary Calls `json:"per_summary"` // means over the round's states that took a model call
	Total      Cost  `json:"total"`       // of all that was read of the round, as in Report.Cost
}

// Calls is what N rollouts or summaries took on average; all zero if there are none.
type Calls struct {
	N                int     `json:"n"`
	LLMCalls         float64 `json:"llm_calls"`
	PromptTokens     float64 `json:"prompt_tokens"`
	CompletionTokens float64 `json:"completion_tokens"`
	CachedTokens     float64 `json:"cached_tokens"`
	Seconds          float64 `json:"seconds"`
}

// Work is Calls with the tools that were used.
type Work struct {
	Calls
	Searches float64 `json:"searches"`
	Opens    float64 `json:"opens"`
}

// Branches says what became of the leads with which rollouts began a round: those
// of [trajectory.State.Branches], distinct by their tokens, of the merged state of
// the round before or, without one, of the rollout's own. Only completed lines of
// the round count. A merged branch counts once, whoever follows it.
type Branches struct {
	Planned   int      `json:"planned"`
	Executed  int      `json:"executed"` // a search of the round follows it, by [text.Follows]
	Left      int      `json:"left"`
	LeftShare *float64 `json:"left_share"`     // of the planned; nil if there are none
	Open      *int     `json:"open,omitempty"` // of the scored round alone: the branches of the states in which its outcomes ended
}

// States counts the states in which a round ended. A merged one is only counted
// among the origins.
type States struct {
	Origins       map[trajectory.StateOrigin]int `json:"origins"`
	WithoutAnswer int                            `json:"without_answer"`
	Unread        int                            `json:"unread"` // written by the model, but nothing could be read of it
	Repaired      int                            `json:"repaired"`
}

// roundsOf returns the figures of each round up to the scored one; nil for a run
// of one round without states.
func roundsOf(groups []*group, runs []*trajectory.Trajectory, opts Options) []Round {
	several := len(opts.States) > 0 || opts.Round > 1
	for _, t := range runs {
		several = several || t.Round > 1
	}
	if !several {
		return nil
	}
	paths := make([]*path, len(groups))
	for i, g := range groups {
		paths[i] = newPath(g)
	}
	rounds := make([]Round, opts.Round)
	for i := range rounds {
		rounds[i] = roundOf(i+1, paths, opts)
		rounds[i].Resources.Total = costOf(runs, opts.States, i+1, i+1)
	}
	return rounds
}

// roundOf takes every path one round further and returns what came of it.
func roundOf(n int, paths []*path, opts Options) Round {
	r := Round{Round: n, States: States{Origins: make(map[trajectory.StateOrigin]int)}}
	stages := make([]stage, len(paths))
	var restated, duplicates, across share
	for i, p := range paths {
		s := p.step(n)
		stages[i] = s
		r.Complete += s.complete
		r.Failed += s.failed
		r.Stopped += s.stopped
		r.Missing += opts.Rollouts - s.complete - s.failed - s.stopped
		restated.join(s.restated)
		duplicates.join(s.duplicates)
		across.join(s.across)
		r.Branches.add(p.branches(n))
		r.Resources.add(p, n)
		r.States.add(p, n)
	}
	r.Restated, r.DuplicateQueries, r.DuplicatesAcross = restated.value(), duplicates.value(), across.value()
	r.Branches.LeftShare = share{r.Branches.Left, r.Branches.Planned}.value()
	if n == opts.Round {
		r.Branches.Open = new(int)
		for _, p := range paths {
			*r.Branches.Open += p.open()
		}
	}
	r.Resources.divide()
	r.score(stages, opts)
	return r
}

// score sets the figures that stand against gold answers.
func (r *Round) score(stages []stage, opts Options) {
	stat := func(of func(stage) *float64) *Stat {
		var values []float64
		for _, s := range stages {
			if v := of(s); v != nil {
				values = append(values, *v)
			}
		}
		return Estimate(values, opts.Resamples, opts.Seed)
	}
	r.RT = stat(func(s stage) *float64 { return s.rt })
	r.AP = stat(func(s stage) *float64 { return s.ap })
	r.Pass = stat(func(s stage) *float64 { return s.pass })
	r.Majority = stat(func(s stage) *float64 { return s.majority })
	r.Own = stat(func(s stage) *float64 { return s.own })
}
