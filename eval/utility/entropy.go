package utility

import (
	"maps"
	"math"
	"slices"

	"trawl/eval"
	"trawl/internal/seed"
)

// A Pair is what a step gained and by how much the entropy of the actions fell.
type Pair struct {
	Gain float64 // g_t
	Fall float64 // H_{t−1} − H_t
}

// ActionEntropy returns the entropy in nats of the distribution of actions, each
// given as often as it was drawn,
//
//	H = −Σ_a n_a/n · ln(n_a/n)
//
// which is from 0, all the same, to ln n, all different. From fewer than two there
// is none: ok is false.
func ActionEntropy(actions []string) (h float64, ok bool) {
	times := map[string]int{}
	for _, a := range actions {
		times[a]++
	}
	for _, n := range slices.Sorted(maps.Values(times)) { // the same sum in every order
		p := float64(n) / float64(len(actions))
		h -= p * math.Log(p)
	}
	return max(0, h), len(actions) > 1
}

// Adaptability returns the entropy adaptability E_A, Pearson's correlation of gains
// and falls. It is not defined, and ok is false, where either is everywhere the same.
func Adaptability(pairs []Pair) (r float64, ok bool) {
	if alike(pairs, func(p Pair) float64 { return p.Gain }) || alike(pairs, func(p Pair) float64 { return p.Fall }) {
		return 0, false
	}
	return momentsOf(pairs, center(pairs)).correlation(moments{})
}

// alike reports whether f is the same of all pairs, or there are none.
func alike(pairs []Pair, f func(Pair) float64) bool {
	return !slices.ContainsFunc(pairs, func(p Pair) bool { return f(p) != f(pairs[0]) })
}

// center returns the mean of the pairs.
func center(pairs []Pair) Pair {
	var c Pair
	for _, p := range pairs {
		c.Gain += p.Gain / float64(len(pairs))
		c.Fall += p.Fall / float64(len(pairs))
	}
	return c
}

// moments are the sums that a correlation is made of; those of several groups of
// pairs are their sums.
type moments struct{ n, x, y, xx, yy, xy float64 }

// momentsOf returns the moments of pairs about a center, which keeps the sums small.
func momentsOf(pairs []Pair, c Pair) moments {
	m := moments{n: float64(len(pairs))}
	for _, p := range pairs {
		x, y := p.Gain-c.Gain, p.Fall-c.Fall
		m = m.plus(moments{0, x, y, x * x, y * y, x * y})
	}
	return m
}

func (m moments) plus(o moments) moments {
	return moments{m.n + o.n, m.x + o.x, m.y + o.y, m.xx + o.xx, m.yy + o.yy, m.xy + o.xy}
}

// correlation returns r. A variance that is nothing beside that of whole, but for
// rounding, is 0, and then r is not defined.
func (m moments) correlation(whole moments) (r float64, ok bool) {
	const rounding = 1e-12
	xx, yy := m.xx-m.x*m.x/m.n, m.yy-m.y*m.y/m.n
	if !(xx > rounding*whole.xx && yy > rounding*whole.yy) {
		return 0, false
	}
	r = (m.xy - m.x*m.y/m.n) / (math.Sqrt(xx) * math.Sqrt(yy))
	return min(1, max(-1, r)), true
}

// adapted returns the correlation of all the pairs together, a group of them for
// each question, with its bootstrap interval over the questions that have any; nil
// where it is not defined. Draws in which it is not defined are left out.
func adapted(groups [][]Pair, resamples int, base int64) *eval.Stat {
	groups = slices.DeleteFunc(slices.Clone(groups), func(g []Pair) bool { return len(g) == 0 })
	all := slices.Concat(groups...)
	r, ok := Adaptability(all)
	if !ok {
		return nil
	}
	about := center(all)
	whole, each := momentsOf(all, about), make([]moments, len(groups))
	for i, g := range groups {
		each[i] = momentsOf(g, about)
	}
	chance := seed.Rand(base, "adaptability", len(groups))
	drawn := make([]float64, 0, resamples)
	for range resamples {
		var m moments
		for range each {
			m = m.plus(each[chance.IntN(len(each))])
		}
		if r, ok := m.correlation(whole); ok {
			drawn = append(drawn, r)
		}
	}
	if len(drawn) == 0 {
		drawn = append(drawn, r)
	}
	slices.Sort(drawn)
	return &eval.Stat{Mean: r, CI95: eval.Interval(drawn), N: len(groups)}
}
