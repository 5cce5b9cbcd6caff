// Package baseline holds the selectors that need no model: [Majority] and
// [First].
//
// Answers are compared by [text.AnswerKey], so "The Hague" and "the hague." are
// one answer and no answer is normalised to nothing. A rollout without an answer
// does not vote. Ties go to the answer that stands first.
package baseline

import (
	"context"

	"trawl/internal/text"
	"trawl/selection"
)

// Majority chooses the most frequent answer, in the words of the first rollout
// that gave it. A trajectory's score is the share of votes for its answer.
type Majority struct{}

var _ selection.Selector = Majority{}

// Select implements [selection.Selector].
func (Majority) Select(_ context.Context, g selection.Group) (selection.Decision, error) {
	keys, votes := ballots(g)
	best := text.Plurality(keys)
	if best < 0 {
		return selection.Decision{}, selection.ErrEmpty
	}
	count := make(map[string]int, len(keys))
	for _, k := range keys {
		count[k]++
	}
	scores := make([]float64, len(keys))
	for i, k := range keys {
		if k != "" {
			scores[i] = float64(count[k]) / float64(votes)
		}
	}
	return selection.Decision{Answer: g.Trajectories[best].Answer, Index: best, Scores: scores}, nil
}

// ballots returns the key for which each trajectory votes, "" for one without
// an answer, and how many vote.
func ballots(g selection.Group) (keys []string, votes int) {
	keys = make([]string, len(g.Trajectories))
	for i, t := range g.Trajectories {
		if t.Error == "" {
			keys[i] = text.AnswerKey(t.Answer)
		}
		if keys[i] != "" {
			votes++
		}
	}
	return keys, votes
}

// First chooses the first rollout that has an answer.
type First struct{}

var _ selection.Selector = First{}

// Select implements [selection.Selector].
func (First) Select(_ context.Context, g selection.Group) (selection.Decision, error) {
	keys, _ := ballots(g)
	for i, k := range keys {
		if k != "" {
			return selection.Decision{Answer: g.Trajectories[i].Answer, Index: i}, nil
		}
	}
	return selection.Decision{}, selection.ErrEmpty
}
