package eval

import (
	"slices"
	"time"

	"trawl/trajectory"
)

// costOf adds up the lines and states of the rounds from first to last.
func costOf(runs []*trajectory.Trajectory, states []trajectory.State, first, last int) Cost {
	var c Cost
	var spans []span
	took := func(started time.Time, millis int64) {
		c.RolloutS += float64(millis) / 1000
		spans = append(spans, span{started, started.Add(time.Duration(millis) * time.Millisecond)})
	}
	for _, t := range runs {
		if t.Round < first || t.Round > last {
			continue
		}
		c.addCalls(t.Usage.LLMCalls, trajectory.CallUsage{Prompt: t.Usage.Prompt, Completion: t.Usage.Completion, Cached: t.Usage.Cached, Estimated: t.Usage.Estimated})
		c.Searches += t.Usage.Searches
		c.Opens += t.Usage.Opens
		took(t.Started, t.Millis)
	}
	for _, s := range states {
		if s.Round < first || s.Round > last || s.Calls == 0 {
			continue
		}
		c.addCalls(s.Calls, s.Usage)
		took(s.Started, s.Millis)
	}
	c.WallS = covered(spans).Seconds()
	return c
}

func (c *Cost) addCalls(n int, u trajectory.CallUsage) {
	c.LLMCalls += n
	c.PromptTokens += u.Prompt
	c.CompletionTokens += u.Completion
	c.CachedTokens += u.Cached
	c.Estimated = c.Estimated || u.Estimated
}

// add adds what the completed lines of round n, and its summaries, took.
func (r *Resources) add(p *path, n int) {
	for _, t := range p.of(n) {
		w := &r.PerRollout
		w.add(t.Usage.LLMCalls, trajectory.CallUsage{Prompt: t.Usage.Prompt, Completion: t.Usage.Completion, Cached: t.Usage.Cached}, t.Millis)
		w.Searches += float64(t.Usage.Searches)
		w.Opens += float64(t.Usage.Opens)
	}
	for _, s := range p.g.states {
		if s.Round == n && s.Calls > 0 {
			r.PerSummary.add(s.Calls, s.Usage, s.Millis)
		}
	}
}

func (c *Calls) add(n int, u trajectory.CallUsage, millis int64) {
	c.N++
	c.LLMCalls += float64(n)
	c.PromptTokens += float64(u.Prompt)
	c.CompletionTokens += float64(u.Completion)
	c.CachedTokens += float64(u.Cached)
	c.Seconds += float64(millis) / 1000
}

// divide makes the sums means.
func (r *Resources) divide() {
	n := float64(max(r.PerRollout.N, 1))
	r.PerRollout.Searches /= n
	r.PerRollout.Opens /= n
	r.PerRollout.divide()
	r.PerSummary.divide()
}

func (c *Calls) divide() {
	n := float64(max(c.N, 1))
	for _, v := range []*float64{&c.LLMCalls, &c.PromptTokens, &c.CompletionTokens, &c.CachedTokens, &c.Seconds} {
		*v /= n
	}
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
