package eval

import (
	"slices"
	"time"

	"trawl/trajectory"
)

// costOf adds up the lines of the rounds up to round.
func costOf(runs []*trajectory.Trajectory, round int) Cost {
	var c Cost
	var spans []span
	for _, t := range runs {
		if t.Round > round {
			continue
		}
		c.LLMCalls += t.Usage.LLMCalls
		c.PromptTokens += t.Usage.Prompt
		c.CompletionTokens += t.Usage.Completion
		c.CachedTokens += t.Usage.Cached
		c.Searches += t.Usage.Searches
		c.Opens += t.Usage.Opens
		c.Estimated = c.Estimated || t.Usage.Estimated
		c.RolloutS += float64(t.Millis) / 1000
		spans = append(spans, span{t.Started, t.Started.Add(time.Duration(t.Millis) * time.Millisecond)})
	}
	c.WallS = covered(spans).Seconds()
	return c
}

type span struct{ from, to time.Time }

// covered returns the time that the spans cover together, so that the pause
// before a run was taken up again does not count.
func covered(spans []span) time.Duration {
	slices.SortFunc(spans, func(a, b span) int { return a.from.Compare(b.from) })
	var total time.Duration
	var end time.Time
	for _, s := range spans {
		if s.from.Before(end) {
			s.from = end
		}
		if s.to.After(s.from) {
			total += s.to.Sub(s.from)
			end = s.to
		}
	}
	return total
}
