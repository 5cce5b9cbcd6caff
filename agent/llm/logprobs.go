package llm

import (
	"cmp"
	"math"
	"slices"
)

// A Token is one token of a completion, with the likeliest tokens of its place.
type Token struct {
	Text string
	Top  []float64 // their natural logarithms of probability, as the server gave them
}

// MaxAlternatives is how many alternatives an entropy is over at most, as
// ParallelMuse has it.
const MaxAlternatives = 16

// Bounds of the greatest logarithm of a place. Beyond the one it is no probability,
// whatever a server rounds; below the other it is not the likeliest token of any
// vocabulary, which has at least the probability that all would have alike.
const (
	mostLogprob  = 1e-3
	leastLogprob = -50
)

// TokenEntropy returns the entropy in nats of the distribution over the 16 likeliest
// of the alternatives, fewer if there are fewer, as if there were no others:
//
//	p_i = exp(l_i) / Σ_j exp(l_j),  H = −Σ_i p_i · ln p_i
//
// One alternative alone says nothing about the others, and a number that is no
// logarithm of a probability nothing at all: ok is false. Other than the likeliest may
// be as good as impossible, for which servers write -9999.
func TokenEntropy(logprobs []float64) (h float64, ok bool) {
	top := slices.Clone(logprobs)
	slices.SortFunc(top, func(a, b float64) int { return cmp.Compare(b, a) })
	if len(top) < 2 || top[0] > mostLogprob || top[0] < leastLogprob || slices.ContainsFunc(top, math.IsNaN) {
		return 0, false
	}
	top = top[:min(len(top), MaxAlternatives)]
	sum, weighted := 0.0, 0.0
	for _, l := range top {
		d := l - top[0] // so that nothing is too large, and most likely is 1
		p := math.Exp(d)
		sum += p
		if p > 0 {
			weighted += p * d
		}
	}
	return max(0, math.Log(sum)-weighted/sum), true
}

// MeanEntropy returns the mean of the entropies of tokens; ok is false if there are
// none, or if one has no entropy.
func MeanEntropy(tokens []Token) (h float64, ok bool) {
	for _, t := range tokens {
		e, ok := TokenEntropy(t.Top)
		if !ok {
			return 0, false
		}
		h += e
	}
	return h / float64(max(len(tokens), 1)), len(tokens) > 0
}
