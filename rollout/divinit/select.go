package divinit

import (
	"math"

	"trawl/internal/seed"
	"trawl/internal/text"
)

// A Pick is a way to choose from the pool.
type Pick string

// The ways to choose.
const (
	MaxMin Pick = "max-min" // the paper's method
	Random Pick = "random"  // the paper's ablation: any subset
)

// Params set a choice.
type Params struct {
	Lambda float64 // weight of closeness to the question, for MaxMin
	Pick   Pick    // default MaxMin
	Seed   int64   // for Random
}

// Select returns the indices of k of the candidates, or of all if there are no
// more, in the order in which they are chosen. With [MaxMin] (DivInit eq. 1)
// these are the two that lie furthest apart and then, until there are k, the
// candidate c with the greatest
//
//	(1−λ)·min over the chosen s of d_J(c, s) − λ·d_J(c, question)
//
// where d_J is the Jaccard distance of the token sets. Ties go to the smallest
// indices. Of candidates with the same token set only the first is chosen, as
// long as there are others.
func Select(question string, candidates []string, k int, params Params) []int {
	k = min(k, len(candidates))
	if k <= 0 {
		return nil
	}
	tokens := tokenSets(candidates)
	distinct, repeated := split(tokens)
	var chosen []int
	if params.Pick == Random {
		for _, i := range seed.Rand(params.Seed).Perm(len(distinct)) {
			chosen = append(chosen, distinct[i])
		}
	} else {
		chosen = maxMin(tokens, distinct, text.Tokens(question), min(k, len(distinct)), params.Lambda)
	}
	return append(chosen, repeated...)[:k]
}

// split returns the indices of the first of each token set, and of the others.
func split(tokens []text.TokenSet) (distinct, repeated []int) {
	var seen []text.TokenSet
	for i, t := range tokens {
		if nearest(t, seen) == 0 {
			repeated = append(repeated, i)
			continue
		}
		seen = append(seen, t)
		distinct = append(distinct, i)
	}
	return distinct, repeated
}

// maxMin chooses k of the candidates at the indices from. A single one is the
// first of the pair.
func maxMin(tokens []text.TokenSet, from []int, question text.TokenSet, k int, lambda float64) []int {
	chosen := furthestPair(tokens, from)
	least := make([]float64, len(tokens)) // distance to the nearest of the chosen
	taken := make([]bool, len(tokens))
	for i := range least {
		least[i] = math.Inf(1)
	}
	take := func(s int) {
		taken[s] = true
		for _, c := range from {
			least[c] = min(least[c], tokens[c].Distance(tokens[s]))
		}
	}
	for _, s := range chosen {
		take(s)
	}
	for len(chosen) < k {
		best, bestScore := -1, math.Inf(-1)
		for _, c := range from {
			score := (1-lambda)*least[c] - lambda*tokens[c].Distance(question)
			if !taken[c] && score > bestScore {
				best, bestScore = c, score
			}
		}
		chosen = append(chosen, best)
		take(best)
	}
	return chosen[:k]
}

// furthestPair returns the first pair with the greatest distance, or what there
// is if that is fewer than two.
func furthestPair(tokens []text.TokenSet, from []int) []int {
	if len(from) < 2 {
		return append([]int(nil), from...)
	}
	best := -1.0
	var pair []int
	for n, i := range from {
		for _, j := range from[n+1:] {
			if d := tokens[i].Distance(tokens[j]); d > best {
				best, pair = d, []int{i, j}
			}
		}
	}
	return pair
}

// nearest returns the distance of t to the nearest of the others; +Inf if there
// are none.
func nearest(t text.TokenSet, others []text.TokenSet) float64 {
	least := math.Inf(1)
	for _, o := range others {
		least = min(least, t.Distance(o))
	}
	return least
}

// tokenSets returns the token sets of texts.
func tokenSets(texts []string) []text.TokenSet {
	sets := make([]text.TokenSet, len(texts))
	for i, t := range texts {
		sets[i] = text.Tokens(t)
	}
	return sets
}

// furthest returns the index of the first candidate whose nearest query of the
// past is furthest, or -1 if each repeats one of them.
func furthest(candidates []string, past []searched) int {
	queries := make([]text.TokenSet, len(past))
	for i, p := range past {
		queries[i] = text.Tokens(p.Query)
	}
	best, bestDistance := -1, 0.0
	for i, c := range candidates {
		if d := nearest(text.Tokens(c), queries); d > bestDistance {
			best, bestDistance = i, d
		}
	}
	return best
}
