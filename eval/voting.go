package eval

import (
	"math"
	"slices"
)

// MaxVotes is the greatest k of [Voting].
const MaxVotes = 4096

// negligible is what a chance is less than that counts for nothing: far below the
// rounding of the sums that it would be a term of.
const negligible = 1e-30

// Voting returns the chance that the plurality vote of k independent rollouts is
// for one answer, classes[correct], where classes are the chances of all answers
// and what is missing to 1 is that of none, which votes for nothing. Ties are split
// evenly: [MajorityAt] gives them to the earliest rollout, who among independent
// rollouts may as well be of any of the tied answers. With X_j votes for answer j,
//
//	Σ_{m=1}^{k} P(X_c = m) · E[ 1{X_j ≤ m for all j} / (1 + #{j ≠ c: X_j = m}) | X_c = m ]
//
// summed exactly, but for terms below 1e-30. The X_j are reckoned as Poisson variables
// of means k·p_j, which do not depend on each other, given that they and the rollouts
// without an answer are k in all; that is the same. Voting is never more than
// [Coverage] of the answer. It is NaN where the classes are no chances, correct is none
// of them or k is not in 1..[MaxVotes]: time grows with about its square.
func Voting(classes []float64, correct, k int) float64 {
	if correct < 0 || correct >= len(classes) || k < 1 || k > MaxVotes {
		return math.NaN()
	}
	sum := 0.0
	for _, p := range classes {
		if !(p >= 0) {
			return math.NaN()
		}
		sum += p
	}
	if sum > 1+1e-9 {
		return math.NaN()
	}
	covered := Coverage(min(classes[correct], 1), k)
	if k == 1 {
		return covered
	}
	var others []counts
	for i, p := range classes {
		if i != correct && p > 0 {
			others = append(others, poisson(float64(k)*p))
		}
	}
	none := poisson(float64(k) * max(1-sum, 0))
	own := poisson(float64(k) * classes[correct])
	chance := 0.0
	for m := max(own.least, 1); m <= min(own.most(), k); m++ {
		chance += own.of(m) * won(others, none, m, k-m)
	}
	return min(chance/poisson(float64(k)).of(k), covered)
}

// A counts is the chances of how often something happens: least times, once more,
// and so on. Other numbers have none.
type counts struct {
	least   int
	chances []float64
}

func (c counts) most() int { return c.least + len(c.chances) - 1 }

// of returns the chance of n.
func (c counts) of(n int) float64 {
	if n < c.least || n > c.most() {
		return 0
	}
	return c.chances[n-c.least]
}

// poisson returns the Poisson distribution, from its mode outwards as far as it is
// not negligible.
func poisson(mean float64) counts {
	mode := int(mean)
	var down, up []float64
	sum := 1.0
	for n, p := mode, 1.0; n > 0; n-- {
		if p *= float64(n) / mean; p < negligible {
			break
		}
		down, sum = append(down, p), sum+p
	}
	for n, p := mode, 1.0; ; n++ {
		if p *= mean / float64(n+1); p < negligible {
			break
		}
		up, sum = append(up, p), sum+p
	}
	slices.Reverse(down)
	c := counts{mode - len(down), slices.Concat(down, []float64{1}, up)}
	for i := range c.chances {
		c.chances[i] /= sum
	}
	return c
}

// won returns the expected share of a vote that an answer with m votes wins, times
// the chance that the others and none have left votes: 0 if one of them has more than
// m, else 1 / (1 + those that have as many).
func won(others []counts, none counts, m, left int) float64 {
	tied := min(left/m, len(others)) // at most
	now, next := grid(tied, left), grid(tied, left)
	now[0][0] = 1
	for _, other := range others {
		if other.least > m {
			return 0
		}
		for t, byVotes := range now {
			for v, chance := range byVotes {
				byVotes[v] = 0
				if chance < negligible {
					continue
				}
				last := min(other.most(), left-v)
				for n := other.least; n <= min(last, m-1); n++ {
					next[t][v+n] += chance * other.chances[n-other.least]
				}
				if m <= last {
					next[t+1][v+m] += chance * other.of(m)
				}
			}
		}
		now, next = next, now
	}
	share := 0.0
	for t, byVotes := range now {
		for v, chance := range byVotes {
			share += chance * none.of(left-v) / float64(1+t)
		}
	}
	return share
}

// grid returns chances by answers tied and votes given.
func grid(tied, left int) [][]float64 {
	g := make([][]float64, tied+1)
	for t := range g {
		g[t] = make([]float64, left+1)
	}
	return g
}
