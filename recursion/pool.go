package recursion

import (
	"context"
	"fmt"
	"slices"

	"trawl/rollout/divinit"
	"trawl/trajectory"
)

// Pool implements [rollout.Seeder]. Without a seeder, and for a rollout that goes
// on from a state of its own, the pool is empty. Rollouts that begin a round
// together from a merged state get first queries for what that leaves open.
func (l *Loop) Pool(ctx context.Context, q trajectory.Question, round, k int, seed int64) (trajectory.Pool, error) {
	if l.seeder == nil || round > 1 && l.opts.Mode == PerThread {
		return trajectory.Pool{}, nil
	}
	known, err := l.known(q.ID, round)
	if err != nil {
		return trajectory.Pool{}, err
	}
	return l.seeder.Pool(ctx, q, k, known, seed)
}

// How much a seeder is told: as much as a prompt that asks for a few queries has
// room for beside them.
const (
	mostFacts = 12
	mostOpen  = 16
)

// known returns what the rounds before round found out.
func (l *Loop) known(questionID string, round int) (divinit.Known, error) {
	var known divinit.Known
	if round == 1 {
		return known, nil
	}
	l.mu.Lock()
	key := trajectory.Key{QuestionID: questionID, Rollout: trajectory.MergedRollout, Config: l.config}
	l.mu.Unlock()
	var last trajectory.State
	for key.Round = 1; key.Round < round; key.Round++ {
		s, ok := l.store.State(key)
		if !ok {
			return known, fmt.Errorf("recursion: there is no state of %v", key)
		}
		known.Tried = append(known.Tried, s.Queries...)
		last = s
	}
	for _, f := range last.Facts {
		if strength(f.Verified) >= strength(trajectory.Partial) && len(known.Facts) < mostFacts {
			known.Facts = append(known.Facts, f.Text)
		}
	}
	open := slices.Concat(last.Branches(), last.Conflicts)
	known.Open = open[:min(len(open), mostOpen)]
	return known, nil
}
