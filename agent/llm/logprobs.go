package llm

import (
	"math"
	"slices"
)

// A Token is one token of a completion, with the likeliest tokens of its place.
type Token struct {
	Text string
	Top  []float64 // their natural logarithms of probability, as the server gave them
}

// maxAlternatives is how many alternatives an entropy is over at most, as
// ParallelMuse has it.
const maxAlternatives = 16

// TokenEntropy returns the entropy in nats of the distribution over the 16 likeliest
// of the alternatives, fewer if there are fewer, as if there were no others:
//
//	p_i = exp(l_i) / Σ_j exp(l_j),  H = −Σ_i p_i · ln p_i
//
// One alternative alone says nothing about the others: ok is false.
func TokenEntropy(logprobs []float64) (h float64, ok bool) {
	top := slices.Clone(logprobs)
	slices.SortFunc(top, func(a, b float64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	top = top[:min(len(top), maxAlternatives)]
	if len(top) < 2 || math.IsInf(top[0], 0) || math.IsNaN(top[0]) {
		return 0, false
	}
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
