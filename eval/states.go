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
		if s.Origin == trajectory.StateModel && s.Blank() {
			c.Unread++
		}
		if len(s.Repairs) > 0 {
			c.Repaired++
		}
	}
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
