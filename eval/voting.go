package eval

import (
	"math"
	"slices"
)

// Voting returns the chance that the plurality vote of k independent rollouts is
// for one answer, classes[correct], where classes are the chances of all answers
// and what is missing to 1 is that of none, which votes for nothing. Ties are split
// evenly: [MajorityAt] gives them to the earliest rollout, who among independent
// rollouts may as well be of any of the tied answers. With X_j votes for answer j,
//
//	Σ_{m=1}^{k} P(X_c = m) · E[ 1{X_j ≤ m for all j} / (1 + #{j ≠ c: X_j = m}) | X_c = m ]
//
// summed exactly over the votes that are left and the answers that are tied, in
// about as many steps as there are answers times k³/6. It is NaN where the classes
// are no chances, correct is none of them or k is below 1.
func Voting(classes []float64, correct, k int) float64 {
	if correct < 0 || correct >= len(classes) || k < 1 {
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
	own, others := takes(classes, correct, max(1-sum, 0), k)
	chance := 0.0
	for m := 1; m <= k; m++ {
		if p := own[k][m]; p > 0 {
			chance += p * won(others, m, k-m)
		}
	}
	return min(chance, 1)
}

// A take is the chances of how many of v votes an answer takes: take[v][n].
type take [][]float64

// takes returns the take of the correct answer among all votes, and those of each
// other answer, one after the other, among the votes that those before it left.
// Votes that the last one leaves are for none.
func takes(classes []float64, correct int, none float64, k int) (own take, others []take) {
	rest := none // chance of none, of the correct answer and of what comes later
	for i := len(classes) - 1; i >= 0; i-- {
		if p := classes[i]; i != correct && p > 0 {
			rest += p
			others = append(others, binomial(p/rest, k))
		}
	}
	slices.Reverse(others)
	return binomial(min(classes[correct], 1), k), others
}

// binomial returns the chances of n successes in v tries, for all n ≤ v ≤ k, by
// Pascal's rule, which has only additions of what is not negative.
func binomial(p float64, k int) take {
	b := make(take, k+1)
	b[0] = []float64{1}
	for v := 1; v <= k; v++ {
		b[v] = make([]float64, v+1)
		for n, chance := range b[v-1] {
			b[v][n] += chance * (1 - p)
			b[v][n+1] += chance * p
		}
	}
	return b
}

// won returns the expected share of a vote that an answer with m votes wins, when
// left votes are among the others: 0 if one of them has more, else 1 / (1 + those
// that have as many).
func won(others []take, m, left int) float64 {
	most := min(left/m, len(others)) // that can be tied
	now, next := grid(left, most), grid(left, most)
	now[left][0] = 1
	for _, other := range others {
		for v := range now {
			for t, chance := range now[v] {
				if chance == 0 {
					continue
				}
				now[v][t] = 0
				for n := 0; n <= min(m, v); n++ {
					if n < m {
						next[v-n][t] += chance * other[v][n]
					} else {
						next[v-n][t+1] += chance * other[v][n]
					}
				}
			}
		}
		now, next = next, now
	}
	share := 0.0
	for v := range now {
		for t, chance := range now[v] {
			share += chance / float64(1+t)
		}
	}
	return share
}

// grid returns chances by votes left and answers tied.
func grid(left, most int) [][]float64 {
	g := make([][]float64, left+1)
	for v := range g {
		g[v] = make([]float64, most+1)
	}
	return g
}
