package trajectory

import (
	"cmp"
	"slices"
)

// Outcomes returns what each rollout of a question had come to at the end of a
// round, sorted by rollout: its line of that round, or of the round at which its
// rounds were stopped for good (see [State.Stopped]), or that of an earlier round
// in which it failed. A rollout that never got so far has none. The answer is that
// of the state in which the round ended, and the line's own where the state has
// none (methods of Re-TRAC, arXiv:2602.02486 §3) or is [StateCarried], when nobody
// has summed the round up: then the state's is taken only where the line has none.
// Without states it is the line's own. A line that differs from its record is a
// copy. Lines and states are those of one question, each the newest of its key.
func Outcomes(lines []*Trajectory, states []State, round int) []*Trajectory {
	at := make(map[[2]int]*State, len(states)) // by round and rollout
	for i := range states {
		at[[2]int{states[i].Round, states[i].Rollout}] = &states[i]
	}
	last := map[int]*Trajectory{}
	for _, t := range lines {
		if old := last[t.Rollout]; t.Round <= round && (old == nil || t.Round > old.Round) {
			last[t.Rollout] = t
		}
	}
	var out []*Trajectory
	for _, t := range last {
		own, merged := at[[2]int{t.Round, t.Rollout}], at[[2]int{t.Round, MergedRollout}]
		stopped := own != nil && own.Stopped != "" || merged != nil && merged.Stopped != ""
		if t.Round < round && t.Error == "" && !stopped {
			continue
		}
		out = append(out, restated(t, own))
	}
	slices.SortFunc(out, func(a, b *Trajectory) int { return cmp.Compare(a.Rollout, b.Rollout) })
	return out
}

// restated returns t with the answer of its state.
func restated(t *Trajectory, s *State) *Trajectory {
	if s == nil || s.CurrentAnswer == nil || t.Error != "" || *s.CurrentAnswer == t.Answer {
		return t
	}
	if s.Origin == StateCarried && t.Answer != "" {
		return t
	}
	again := *t
	again.Answer, again.Source = *s.CurrentAnswer, AnswerState
	return &again
}

// Whole returns outcomes with the steps of all rounds of their rollouts, so that
// what a rollout searched for and found is all of it. Turns are counted on, with
// as much room for each round as the longest of the lines took, so that the same
// turns of the same round still have the same number. Lines are those of the
// question, by round.
func Whole(outcomes, lines []*Trajectory) []*Trajectory {
	longest, rounds := 0, 1
	for _, t := range lines {
		rounds = max(rounds, t.Round)
		for _, s := range t.Steps {
			longest = max(longest, s.Turn)
		}
	}
	if rounds == 1 {
		return outcomes
	}
	out := make([]*Trajectory, len(outcomes))
	for i, t := range outcomes {
		joined := *t
		joined.Steps = nil
		for _, line := range lines { // by round
			if line.Rollout != t.Rollout || line.Round > t.Round || line.Error != "" {
				continue
			}
			for _, s := range line.Steps {
				s.Turn += (line.Round - 1) * longest
				joined.Steps = append(joined.Steps, s)
			}
		}
		out[i] = &joined
	}
	return out
}
