package eval

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"trawl/internal/seed"
	"trawl/internal/text"
)

// DefaultResamples is how often questions are drawn anew for an interval, unless
// options say otherwise.
const DefaultResamples = 2000

// A Stat is a mean over questions with its 95 % bootstrap interval.
type Stat struct {
	Mean float64    `json:"mean"`
	CI95 [2]float64 `json:"ci95"`
	N    int        `json:"n"` // questions that the mean is over
}

// Estimate returns the mean of one value a question, with the percentile
// bootstrap interval: questions are drawn with replacement, as many as there
// are, resamples times, and the interval runs from the 2.5th to the 97.5th
// percentile of the means, linearly interpolated. Values of equal number and
// the same seed are resampled alike, so that intervals of two metrics over the
// same questions are comparable. It returns nil if there are no values.
func Estimate(values []float64, resamples int, base int64) *Stat {
	n := len(values)
	if n == 0 {
		return nil
	}
	r := seed.Rand(base, "bootstrap", n)
	means := make([]float64, max(resamples, 1))
	for i := range means {
		sum := 0.0
		for range n {
			sum += values[r.IntN(n)]
		}
		means[i] = sum / float64(n)
	}
	slices.Sort(means)
	return &Stat{Mean: mean(values), CI95: Interval(means), N: n}
}

// mean returns the mean of values; 0 if there are none.
func mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Interval returns the percentile interval of 95 % of values that were resampled, which
// it takes sorted.
func Interval(sorted []float64) [2]float64 {
	return [2]float64{quantile(sorted, 0.025), quantile(sorted, 0.975)}
}

// quantile returns the q-quantile of sorted values, interpolated linearly
// between the two nearest ranks (numpy's default).
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// PassAt returns the unbiased estimate of pass@k from n rollouts of which c are
// right: the chance that k of them, drawn without putting back, hold a right
// one,
//
//	1 − C(n−c, k) / C(n, k) = 1 − Π_{j=0}^{k−1} (n−c−j)/(n−j)
//
// It is NaN where k is not in 1..n: from fewer than k rollouts there is no
// estimate. (arXiv:2609.39912, A.3)
func PassAt(n, c, k int) float64 {
	if k < 1 || k > n {
		return math.NaN()
	}
	switch {
	case k == 1:
		return float64(c) / float64(n) // as 1 − (n−c)/n is not
	case n-c < k:
		return 1
	}
	miss := 1.0
	for j := range k {
		miss *= float64(n-c-j) / float64(n-j)
	}
	return 1 - miss
}

// MajorityAt returns the chance that the plurality answer of k of the rollouts
// is right, over the [Subsets] of k that limit and r give. Answers vote by
// [text.AnswerKey] and the vote is that of [text.Plurality]: ties go to the
// answer of the earliest rollout, an empty answer abstains, and nobody's vote
// is wrong. right[i] says whether answers[i] is. It is NaN where k is not in
// 1..len(answers).
func MajorityAt(answers []string, right []bool, k, limit int, r *rand.Rand) float64 {
	if k < 1 || k > len(answers) {
		return math.NaN()
	}
	votes := ballot(answers)
	counts := make([]int, len(answers)+1)
	hits, subsets := 0, 0
	for s := range Subsets(len(answers), k, limit, r) {
		if i := plurality(votes, s, counts); i >= 0 && right[i] {
			hits++
		}
		subsets++
	}
	return float64(hits) / float64(subsets)
}

// ballot numbers the answers by key from 1; 0 abstains.
func ballot(answers []string) []int {
	number := map[string]int{"": 0}
	votes := make([]int, len(answers))
	for i, a := range answers {
		key := text.AnswerKey(a)
		if _, ok := number[key]; !ok {
			number[key] = len(number)
		}
		votes[i] = number[key]
	}
	return votes
}

// plurality is [text.Plurality] over the votes of a subset, without allocating:
// counts is scratch, all zero between calls. It returns an index into votes.
func plurality(votes, subset, counts []int) int {
	for _, i := range subset {
		counts[votes[i]]++
	}
	counts[0] = 0
	best := -1
	for _, i := range subset {
		if c := counts[votes[i]]; c > 0 && (best < 0 || c > counts[votes[best]]) {
			best = i
		}
	}
	for _, i := range subset {
		counts[votes[i]] = 0
	}
	return best
}

// Subsets yields the subsets of k of the numbers 0..n−1, each in rising order:
// all C(n, k) in lexicographic order if there are at most limit, and otherwise
// limit of them drawn by r, independently and each equally likely. The slice is
// used again for the next subset.
func Subsets(n, k, limit int, r *rand.Rand) iter.Seq[[]int] {
	if Binomial(n, k) <= float64(limit) {
		return allSubsets(n, k)
	}
	return func(yield func([]int) bool) {
		all, s := make([]int, n), make([]int, k)
		for i := range all {
			all[i] = i
		}
		for range limit {
			for i := range k {
				j := i + r.IntN(n-i)
				all[i], all[j] = all[j], all[i]
			}
			copy(s, all)
			slices.Sort(s)
			if !yield(s) {
				return
			}
		}
	}
}

func allSubsets(n, k int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		if k < 0 || k > n {
			return
		}
		s := make([]int, k)
		for i := range s {
			s[i] = i
		}
		for yield(s) {
			i := k - 1
			for i >= 0 && s[i] == n-k+i {
				i--
			}
			if i < 0 {
				return
			}
			s[i]++
			for j := i + 1; j < k; j++ {
				s[j] = s[j-1] + 1
			}
		}
	}
}

// Binomial returns C(n, k), rounded where it is large; 0 where k is not in 0..n.
func Binomial(n, k int) float64 {
	if k < 0 || k > n {
		return 0
	}
	c := 1.0
	for j := range min(k, n-k) {
		c *= float64(n-j) / float64(j+1)
	}
	return math.Round(c)
}
