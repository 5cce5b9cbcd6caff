// Package baseline holds the selectors that need no model: [First], [Random],
// [Majority], [Weighted], [BestOfN], [FewestTools], and [Oracle], which is told
// what is right and bounds what any selector can reach.
//
// Answers are compared by [text.AnswerKey], so "The Hague" and "the hague." are
// one answer and no answer is normalised to nothing. Only a rollout that is done
// and has an answer is a candidate; the others neither vote nor are chosen, and
// score 0 or, where scores are negative, the least there is. Ties go to the
// rollout that stands first. (arXiv:2609.39912 A.2; arXiv:2604.11753)
//
// # Departures
//
// The papers break ties at random with a fixed seed and let a rollout without an
// answer vote for "None"; here ties are settled by order, so that a decision
// depends on the group alone, and silence is no vote. Votes compare normal forms,
// where AggAgent compares raw strings.
package baseline

import (
	"context"

	"trawl/internal/text"
	"trawl/selection"
)

// First chooses the first rollout that has an answer.
type First struct{}

var _ selection.Selector = First{}

// Select implements [selection.Selector].
func (First) Select(_ context.Context, g selection.Group) (selection.Decision, error) {
	return decide(g, ballots(g), func(int) float64 { return 0 }, false)
}

// A ballot is the key for which each trajectory of a group votes, "" for one
// that is no candidate.
type ballot []string

func ballots(g selection.Group) ballot {
	keys := make(ballot, len(g.Trajectories))
	for i, t := range g.Trajectories {
		if t.Error == "" {
			keys[i] = text.AnswerKey(t.Answer)
		}
	}
	return keys
}

// tie is how far two scores may be apart and still tie: sums of stated
// confidences, which have few decimals, differ by rounding.
const tie = 1e-9

// decide chooses the candidate of the highest score, ties to the first; scored
// says whether the scores are worth telling.
func decide(g selection.Group, keys ballot, score func(i int) float64, scored bool) (selection.Decision, error) {
	best := -1
	scores := make([]float64, len(keys))
	least := 0.0
	for i, key := range keys {
		if key == "" {
			continue
		}
		scores[i] = score(i)
		least = min(least, scores[i])
		if best < 0 || scores[i] > scores[best]+tie {
			best = i
		}
	}
	if best < 0 {
		return selection.Decision{}, selection.ErrEmpty
	}
	d := selection.Decision{Answer: g.Trajectories[best].Answer, Index: best}
	if scored {
		for i, key := range keys {
			if key == "" {
				scores[i] = least
			}
		}
		d.Scores = scores
	}
	return d, nil
}
