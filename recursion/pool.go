package recursion

import (
	"context"
	"fmt"

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
// room for beside them. It is told of all searches that were made.
const (
	mostFacts     = 12
	mostConflicts = 8
	mostOpen      = 16
)

// known returns what the rounds before round found out. A state that the store
// has lost tells nothing.
func (l *Loop) known(questionID string, round int) (divinit.Known, error) {
	var known divinit.Known
	if round == 1 {
		return known, nil
	}
	l.mu.Lock()
	m := l.rounds[roundKey{questionID, round - 1}]
	l.mu.Unlock()
	if m == nil {
		return known, fmt.Errorf("recursion: question %s has no round before round %d", questionID, round)
	}
	var last trajectory.State
	key := m.key
	for key.Round = 1; key.Round < round; key.Round++ {
		if s, ok := l.store.State(key); ok {
			known.Tried = append(known.Tried, s.Queries...)
			last = s
		}
	}
	for _, f := range last.Facts {
		if strength(f.Verified) >= strength(trajectory.Partial) {
			known.Facts = append(known.Facts, f.Text)
		}
	}
	known.Facts = atMost(known.Facts, mostFacts)
	known.Conflicts = atMost(last.Conflicts, mostConflicts)
	known.Open = atMost(last.Branches(), mostOpen)
	return known, nil
}

func atMost(lines []string, n int) []string { return lines[:min(len(lines), n)] }
