package baseline

import (
	"context"
	"fmt"

	"trawl/selection"
)

// Majority chooses the most frequent answer, in the words of the first rollout
// that gave it. A trajectory's score is the share of votes for its answer.
type Majority struct{}

var _ selection.Selector = Majority{}

// Select implements [selection.Selector].
func (Majority) Select(_ context.Context, g selection.Group) (selection.Decision, error) {
	keys := ballots(g)
	return keys.vote(g, func(int) float64 { return 1 })
}

// Weighted chooses the answer whose rollouts state the most confidence together,
// in the words of the first rollout that gave it. A trajectory's score is its
// answer's share of all stated confidence.
//
// A rollout that states no confidence does not vote, because any number put in
// its place would be ours and not the model's; its answer can still be chosen for
// the confidence of others. If nobody states any, or all state 0, the decision is
// that of [Majority]. The note of the decision says either.
type Weighted struct{}

var _ selection.Selector = Weighted{}

// Select implements [selection.Selector].
func (Weighted) Select(ctx context.Context, g selection.Group) (selection.Decision, error) {
	keys := ballots(g)
	silent, candidates, sum := stated(g, keys)
	if sum == 0 {
		return fallback(ctx, g)
	}
	d, err := keys.vote(g, func(i int) float64 { return confidence(g, i) })
	d.Note = abstained(silent, candidates)
	return d, err
}

// BestOfN chooses the rollout that states the highest confidence. A rollout that
// states none counts as one that states 0; if nobody states more than that, the
// decision is that of [Majority]. The note says either. A trajectory's score is
// its confidence.
type BestOfN struct{}

var _ selection.Selector = BestOfN{}

// Select implements [selection.Selector].
func (BestOfN) Select(ctx context.Context, g selection.Group) (selection.Decision, error) {
	keys := ballots(g)
	silent, candidates, sum := stated(g, keys)
	if sum == 0 {
		return fallback(ctx, g)
	}
	d, err := decide(g, keys, func(i int) float64 { return confidence(g, i) }, true)
	d.Note = abstained(silent, candidates)
	return d, err
}

// vote chooses the answer whose votes weigh most, ties to the answer that stands
// first. A score is an answer's share of all weight.
func (keys ballot) vote(g selection.Group, weight func(i int) float64) (selection.Decision, error) {
	weights := make(map[string]float64, len(keys))
	sum := 0.0
	for i, key := range keys {
		if key != "" {
			weights[key] += weight(i)
			sum += weight(i)
		}
	}
	return decide(g, keys, func(i int) float64 { return weights[keys[i]] / sum }, true)
}

// stated counts the candidates, those of them that state no confidence, and adds
// up what the others state.
func stated(g selection.Group, keys ballot) (silent, candidates int, sum float64) {
	for i, key := range keys {
		if key == "" {
			continue
		}
		candidates++
		if g.Trajectories[i].Confidence == nil {
			silent++
		}
		sum += confidence(g, i)
	}
	return silent, candidates, sum
}

func confidence(g selection.Group, i int) float64 {
	if c := g.Trajectories[i].Confidence; c != nil {
		return *c
	}
	return 0
}

// fallback is the decision where no confidence is stated.
func fallback(ctx context.Context, g selection.Group) (selection.Decision, error) {
	d, err := Majority{}.Select(ctx, g)
	if err == nil {
		d.Note = "no rollout states a confidence: decided by majority"
	}
	return d, err
}

func abstained(silent, candidates int) string {
	if silent == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d rollouts with an answer state no confidence", silent, candidates)
}
