package utility

import (
	"math"
	"slices"

	"trawl/trajectory"
)

// Gains returns the information gain of each observation from its similarity to
// the target,
//
//	g_t = max(0, s_t − f_{t−1}),  f_t = max(f_{t−1}, s_t),  f_0 = 0
//
// where a gain below epsilon is 0 and s_t is clipped to 0…1: only what comes nearer
// to the target than every observation before it is a gain.
func Gains(similarity []float64, epsilon float64) []float64 {
	gains := make([]float64, len(similarity))
	frontier := 0.0
	for t, s := range similarity {
		s = clip(s)
		if g := s - frontier; g >= epsilon && g > 0 {
			gains[t] = g
		}
		frontier = max(frontier, s)
	}
	return gains
}

// Penalties returns by what the cost of each action is multiplied,
//
//	p_t = 1 + 1[g_t=0 ∧ g_{t−1}=0] · α · cos(Φ(o_t), Φ(o_{t−1}))
//
// with p_1 = 1. alike[t] is the cosine of an observation with the one before,
// clipped to 0…1; alike[0] is not read.
func Penalties(gains, alike []float64, alpha float64) []float64 {
	p := make([]float64, len(gains))
	for t := range gains {
		p[t] = 1
		if t > 0 && gains[t] == 0 && gains[t-1] == 0 {
			p[t] += alpha * clip(alike[t])
		}
	}
	return p
}

// Efficiency returns
//
//	E = min(1, R_C / J),  R_C = T* + γ·ln(1 + T*)
//
// of a rollout that cost J where a cost of T* is enough; 1 where it cost nothing.
func Efficiency(enough, cost, gamma float64) float64 {
	if cost <= 0 {
		return 1
	}
	return min(1, (enough+gamma*math.Log1p(enough))/cost)
}

// cost returns c of an action; one of another kind than the three costs a search.
func (w Weights) cost(k trajectory.Kind) float64 {
	switch k {
	case trajectory.KindOpen:
		return w.Open
	case trajectory.KindFind:
		return w.Find
	}
	return w.Search
}

// way returns what the actions of a reference cost, T*.
func (w Weights) way(actions []trajectory.Kind) float64 {
	sum := 0.0
	for _, k := range actions {
		sum += w.cost(k)
	}
	return sum
}

// least returns the cost of the cheapest action.
func (w Weights) least() float64 { return min(w.Search, w.Open, w.Find) }

// spent returns J, or with penalties nil, what the actions cost without them.
func (w Weights) spent(actions []action, penalties []float64) float64 {
	sum := 0.0
	for t, a := range actions {
		p := 1.0
		if penalties != nil {
			p = penalties[t]
		}
		sum += w.cost(a.kind) * p
	}
	return sum
}

// median returns the median of values, of which there is at least one.
func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

func clip(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(1, max(0, x))
}

// cosine returns the cosine of two vectors clipped to 0…1; 0 where one is zero.
func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range min(len(a), len(b)) {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return clip(dot / math.Sqrt(aa*bb))
}

// Quality returns C = β·G_E + (1−β)·R_R.
func Quality(grounding, recovery, beta float64) float64 {
	return beta*grounding + (1-beta)*recovery
}

// Utility returns U = E^ω_E · C^ω_C of a correct rollout, and 0 of another.
func Utility(correct bool, efficiency, quality float64, w Weights) float64 {
	if !correct {
		return 0
	}
	return math.Pow(efficiency, w.OmegaE) * math.Pow(quality, w.OmegaC)
}
