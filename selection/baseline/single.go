package baseline

import (
	"context"

	"trawl/internal/seed"
	"trawl/selection"
	"trawl/trajectory"
)

// Random chooses among the rollouts that have an answer, each as likely as any
// other. The choice follows from Seed, the id of the question and which rollouts
// there are to choose from, so that it is the same whenever it is made, and that
// two subsets of the rollouts of a question are two draws.
type Random struct{ Seed int64 }

var _ selection.Selector = Random{}

// Select implements [selection.Selector].
func (s Random) Select(_ context.Context, g selection.Group) (selection.Decision, error) {
	keys := ballots(g)
	parts := []any{"random", g.Question.ID}
	var candidates []int
	for i, key := range keys {
		if key != "" {
			candidates = append(candidates, i)
			parts = append(parts, g.Trajectories[i].Rollout)
		}
	}
	if len(candidates) == 0 {
		return selection.Decision{}, selection.ErrEmpty
	}
	i := candidates[seed.Rand(s.Seed, parts...).IntN(len(candidates))]
	return selection.Decision{Answer: g.Trajectories[i].Answer, Index: i}, nil
}

// FewestTools chooses the rollout that carried out the fewest tool calls, ties
// to the first: who finds the answer soon was less often lost. A trajectory's
// score is the number of its calls, negated.
type FewestTools struct{}

var _ selection.Selector = FewestTools{}

// Select implements [selection.Selector].
func (FewestTools) Select(_ context.Context, g selection.Group) (selection.Decision, error) {
	return decide(g, ballots(g), func(i int) float64 { return -float64(toolCalls(g.Trajectories[i])) }, true)
}

// toolCalls counts the searches, openings and finds that a rollout carried out:
// not those that failed, and not those that repeat a call of the rollout and
// were not made again, which have no results.
func toolCalls(t *trajectory.Trajectory) int {
	n := 0
	made := map[string]bool{}
	for _, s := range t.Steps {
		switch s.Kind {
		case trajectory.KindSearch, trajectory.KindOpen, trajectory.KindFind:
		default:
			continue
		}
		key := string(s.Kind) + " " + s.Query
		if s.Call != nil {
			key = s.Call.Name + " " + string(s.Call.Arguments)
		}
		if s.Error == "" && (len(s.Results) > 0 || !made[key]) {
			n++
		}
		made[key] = true
	}
	return n
}

// Oracle chooses the first rollout whose answer is right or, if there is none,
// the first with an answer: no selector that chooses among the rollouts does
// better. It needs to be told what is right, which no other selector is. A
// trajectory's score is 1 if it is right and 0 otherwise.
type Oracle struct {
	Right func(*trajectory.Trajectory) bool
}

var _ selection.Selector = Oracle{}

// Select implements [selection.Selector].
func (o Oracle) Select(_ context.Context, g selection.Group) (selection.Decision, error) {
	return decide(g, ballots(g), func(i int) float64 {
		if o.Right(g.Trajectories[i]) {
			return 1
		}
		return 0
	}, true)
}
