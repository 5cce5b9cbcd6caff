package eval

import "trawl/trajectory"

// whole returns outcomes with the steps of all rounds of their rollouts, so that
// what a rollout searched for and found is all of it. Turns are counted on, with
// as much room for each round as the longest of the lines took, so that the same
// turns of the same round still have the same number.
func whole(outcomes, lines []*trajectory.Trajectory) []*trajectory.Trajectory {
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
	out := make([]*trajectory.Trajectory, len(outcomes))
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
