package utility_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trawl/eval/utility"
	"trawl/trajectory"
)

// unit returns n numbers from 0 to 1.
func unit(r *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = r.Float64()
	}
	return out
}

// within fails the test if x is not from lo to hi.
func within(t *testing.T, what string, x, lo, hi float64) {
	t.Helper()
	if !(x >= lo-1e-12 && x <= hi+1e-12) {
		t.Fatalf("%s = %g, want %g to %g", what, x, lo, hi)
	}
}

// Gains are none below 0, add up to the best similarity at most, and what comes later
// changes no earlier one.
func TestGainsProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for range 300 {
		s := unit(r, 1+r.IntN(9))
		gains, sum := utility.Gains(s, 0.01), 0.0
		for _, g := range gains {
			within(t, "a gain", g, 0, 1)
			sum += g
		}
		within(t, "their sum", sum, 0, slices.Max(s))
		if more := utility.Gains(append(s, r.Float64()), 0.01); !slices.Equal(more[:len(s)], gains) {
			t.Fatalf("one more observation changes the gains of %v to %v", gains, more)
		}
	}
}

// E is above 0 and at most 1, falls with the cost, and rises with the steps of the
// reference.
func TestEfficiencyProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	for range 300 {
		steps, cost, gamma := 1+9*r.Float64(), 0.5+20*r.Float64(), r.Float64()
		e := utility.Efficiency(steps, cost, gamma)
		if within(t, "E", e, 0, 1); e == 0 {
			t.Fatalf("Efficiency(%g, %g, %g) = 0", steps, cost, gamma)
		}
		within(t, "E of a higher cost", utility.Efficiency(steps, cost+r.Float64(), gamma), 0, e)
		within(t, "E of a longer reference", utility.Efficiency(steps+r.Float64(), cost, gamma), e, 1)
	}
}

// G_E is from the floor to 1, between the least and the greatest probability, rises
// with each of them, and does not depend on their order.
func TestGroundingProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 3))
	for range 300 {
		p := unit(r, 1+r.IntN(6))
		g := utility.Grounding(p, 1e-3)
		within(t, "G_E", g, max(1e-3, slices.Min(p)), max(1e-3, slices.Max(p)))
		i := r.IntN(len(p))
		better := slices.Clone(p)
		better[i] = min(1, p[i]+0.1)
		within(t, "G_E of a surer claim", utility.Grounding(better, 1e-3), g, 1)
		r.Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
		within(t, "G_E in another order", utility.Grounding(p, 1e-3), g, g)
	}
}

// R_R is above 0 and at most 1, falls with each step in a trap and with λ, and does not
// depend on the order of traps.
func TestRecoveryProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 4))
	for range 300 {
		d := make([]float64, 1+r.IntN(5))
		for i := range d {
			d[i] = float64(1 + r.IntN(10))
		}
		lambda := 0.01 + r.Float64()
		rr := utility.Recovery(d, lambda)
		within(t, "R_R", rr, math.Exp(-lambda*slices.Max(d)), math.Exp(-lambda*slices.Min(d)))
		within(t, "R_R of a greater λ", utility.Recovery(d, lambda+0.1), 0, rr)
		r.Shuffle(len(d), func(i, j int) { d[i], d[j] = d[j], d[i] })
		within(t, "R_R in another order", utility.Recovery(d, lambda), rr, rr)
		d[0]++
		if later := utility.Recovery(d, lambda); later >= rr {
			t.Fatalf("R_R is %g, and %g one step later", rr, later)
		}
	}
}

// C is between G_E and R_R; U is from 0 to 1, rises with E and C, falls with each
// exponent, and is E = C where both are equal and the exponents sum to 1.
func TestUtilityProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 5))
	for range 300 {
		x := unit(r, 4)
		e, g, rr, beta := x[0], x[1], x[2], x[3]
		c := utility.Quality(g, rr, beta)
		within(t, "C", c, min(g, rr), max(g, rr))
		within(t, "C of more grounding", utility.Quality(min(1, g+0.1), rr, beta), c, 1)
		w := utility.DefaultWeights()
		u := utility.Utility(true, e, c, w)
		within(t, "U", u, min(e, c), max(e, c))
		within(t, "U of more efficiency", utility.Utility(true, min(1, e+0.1), c, w), u, 1)
		within(t, "U of more quality", utility.Utility(true, e, min(1, c+0.1), w), u, 1)
		within(t, "U of equals", utility.Utility(true, e, e, w), e, e)
		w.OmegaC += r.Float64()
		within(t, "U of a greater exponent", utility.Utility(true, e, c, w), 0, u)
	}
}

// J is at least what the actions cost and at most (1+α) times that; with α = 0 it is
// that; and what other rollouts do changes nothing of it.
func TestCostProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 6))
	for range 60 {
		var steps []trajectory.Step
		for i := range 1 + r.IntN(8) {
			s := found(fmt.Sprint(i), fmt.Sprintf("x@%d", 10*r.IntN(10)))
			s.Kind = []trajectory.Kind{trajectory.KindSearch, trajectory.KindOpen, trajectory.KindFind}[r.IntN(3)]
			steps = append(steps, s)
		}
		cost := func(alpha float64, more ...*trajectory.Trajectory) (j, bare float64) {
			w := utility.DefaultWeights()
			w.Alpha = alpha
			d := evaluated(t, utility.Options{Weights: w}, barrow, append([]*trajectory.Trajectory{rollout(0, "1782", "", steps...)}, more...)...).Details[0].Rollouts[0]
			return *d.Cost, d.Bare
		}
		j, bare := cost(0.5)
		within(t, "J", j, bare, 1.5*bare)
		if free, _ := cost(0); free != bare {
			t.Fatalf("J = %g without a penalty, want %g", free, bare)
		}
		if beside, _ := cost(0.5, rollout(1, "x", "", slices.Clip(steps[:1])...)); beside != j {
			t.Fatalf("J = %g beside another rollout, %g alone", beside, j)
		}
	}
}
