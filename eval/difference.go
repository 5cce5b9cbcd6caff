package eval

import (
	"math"
	"math/bits"

	"trawl/internal/seed"
	"trawl/trajectory"
)

// difference compares a figure of A with one of B over the pairs that have them;
// false if none has.
func difference(of [2]metric, pairs [][2]*group, opts ContrastOptions) (Difference, bool) {
	d := Difference{Metric: of[0].name}
	if of[1].name != of[0].name {
		d.MetricB = of[1].name
	}
	var a, b running
	var differences []float64
	for _, p := range pairs {
		x, okA := of[0].of(p[0])
		y, okB := of[1].of(p[1])
		if !okA || !okB {
			continue
		}
		a.add(x)
		b.add(y)
		differences = append(differences, y-x)
	}
	if len(differences) == 0 {
		return d, false
	}
	d.A, _ = a.mean()
	d.B, _ = b.mean()
	d.Diff = Estimate(differences, opts.Resamples, opts.Seed)
	d.P = SignFlip(differences, opts.Resamples, opts.Seed)
	return d, true
}

// A spent is what the completed rollouts of a question took on average.
type spent struct {
	searches, tokens     float64
	uncounted, estimated int // of the rollouts: without a count of tokens in some round, with an estimated one
}

// spentOn adds up the rounds of the completed rollouts of g and their summaries. A
// merged summary is that of all of them.
func spentOn(g *group) spent {
	var s spent
	done, uncounted, estimated := map[int]bool{trajectory.MergedRollout: true}, map[int]bool{}, map[int]bool{}
	for _, t := range g.done {
		done[t.Rollout] = true
	}
	for _, t := range g.lines {
		if t.Error != "" || !done[t.Rollout] {
			continue
		}
		s.searches += float64(t.Usage.Searches)
		s.tokens += float64(t.Usage.Prompt + t.Usage.Completion)
		if t.Usage.Prompt+t.Usage.Completion == 0 {
			uncounted[t.Rollout] = true
		}
		if t.Usage.Estimated {
			estimated[t.Rollout] = true
		}
	}
	for _, state := range g.states {
		if state.Calls > 0 && done[state.Rollout] {
			s.tokens += float64(state.Usage.Prompt + state.Usage.Completion)
		}
	}
	n := float64(max(len(g.done), 1))
	s.searches, s.tokens = s.searches/n, s.tokens/n
	s.uncounted, s.estimated = len(uncounted), len(estimated)
	return s
}

// SignFlip returns the p value of the two-sided sign-flip test that the mean of
// paired differences is 0: the share of all ways to give them signs whose mean is
// at least as far from 0. Differences of 0 have no sign. If there are more than
// resamples ways, so many are drawn, and the observed one counts with them,
//
//	p = (1 + hits) / (1 + resamples)
//
// so that it is never 0. It is 1 without a difference.
func SignFlip(differences []float64, resamples int, base int64) float64 {
	resamples = max(resamples, 1)
	var sizes []float64
	sum, total := 0.0, 0.0
	for _, d := range differences {
		if d != 0 {
			sizes = append(sizes, math.Abs(d))
			sum, total = sum+d, total+math.Abs(d)
		}
	}
	n := len(sizes)
	reached := math.Abs(sum) - 1e-12*total // sums of the same terms differ by their rounding
	if n < bits.UintSize-2 && 1<<n <= resamples {
		hits := 0
		for way := range 1 << n {
			if math.Abs(flipped(sizes, func(i int) bool { return way>>i&1 == 1 })) >= reached {
				hits++
			}
		}
		return float64(hits) / float64(int(1)<<n)
	}
	r := seed.Rand(base, "sign-flip", n)
	hits := 1
	for range resamples {
		if math.Abs(flipped(sizes, func(int) bool { return r.IntN(2) == 1 })) >= reached {
			hits++
		}
	}
	return float64(hits) / float64(1+resamples)
}

// flipped adds up sizes, less those that minus says.
func flipped(sizes []float64, minus func(i int) bool) float64 {
	sum := 0.0
	for i, v := range sizes {
		if minus(i) {
			v = -v
		}
		sum += v
	}
	return sum
}
