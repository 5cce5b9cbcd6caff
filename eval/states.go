package eval

import "trawl/trajectory"

// add counts the states in which round n of a question ended.
func (c *States) add(p *path, n int) {
	for _, s := range p.g.states {
		if s.Round != n {
			continue
		}
		c.Origins[s.Origin]++
		if s.Rollout == trajectory.MergedRollout {
			continue
		}
		if s.CurrentAnswer == nil {
			c.WithoutAnswer++
		}
		if s.Origin == trajectory.StateModel && unread(s) {
			c.Unread++
		}
		if len(s.Repairs) > 0 {
			c.Repaired++
		}
	}
}

// unread reports whether no section of s holds anything.
func unread(s trajectory.State) bool {
	return s.CurrentAnswer == nil && len(s.Facts) == 0 && len(s.Conclusions) == 0 && len(s.Sources) == 0 &&
		len(s.Uncertainties) == 0 && len(s.Failed) == 0 && len(s.Uncompleted) == 0 && len(s.Discarded) == 0
}

// summaries counts, over all rounds up to the scored one, the completed lines, how
// many of them have no state, the rollouts' own states, and how many of those the
// model did not write.
func summaries(groups []*group) (lines, without, states, unwritten int) {
	for _, g := range groups {
		p := newPath(g)
		for _, t := range p.lines {
			lines++
			if p.own(t) == nil {
				without++
			}
		}
		for _, s := range g.states {
			switch s.Origin {
			case trajectory.StateMerged:
			case trajectory.StateCarried, trajectory.StateNone:
				unwritten++
				states++
			default:
				states++
			}
		}
	}
	return lines, without, states, unwritten
}
