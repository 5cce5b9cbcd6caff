package recursion

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"trawl/agent"
	"trawl/agent/llm"
	"trawl/rollout"
	"trawl/rollout/divinit"
	"trawl/trajectory"
)

// A Store keeps states, usually a store.Store. It is safe for concurrent use.
type Store interface {
	State(key trajectory.Key) (trajectory.State, bool)
	PutState(s trajectory.State) error
}

// A Seeder chooses the first queries of k rollouts that begin together, from what
// is known of their question; usually a divinit.Seeder. It is safe for concurrent
// use.
type Seeder interface {
	Pool(ctx context.Context, q trajectory.Question, k int, known divinit.Known, seed int64) (trajectory.Pool, error)
}

// A Loop makes rounds of the rollouts of a run. It stands between the run and its
// runner and seeder: it tells a rollout what the round before came to, makes a
// state of what it returns, and says what follows. A state is in the store
// before the rollout of its round is handed on, and is not made again.
type Loop struct {
	runner     rollout.Runner
	seeder     Seeder
	compressor *Compressor
	store      Store
	opts       Options

	mu     sync.Mutex
	rounds map[roundKey]*meeting // of merged rounds
}

var (
	_ rollout.Runner = (*Loop)(nil)
	_ rollout.Seeder = (*Loop)(nil)
	_ rollout.Sequel = (*Loop)(nil)
)

// New returns a loop around runner and seeder; without a seeder every rollout
// chooses its own first query. Client writes the summaries. With one round,
// client and store are not used.
func New(runner rollout.Runner, seeder Seeder, client llm.Client, store Store, o Options) (*Loop, error) {
	if err := o.settle(); err != nil {
		return nil, fmt.Errorf("recursion: %w", err)
	}
	if o.Rounds > 1 && (client == nil || store == nil) {
		return nil, errors.New("recursion: several rounds need a model and a store")
	}
	return &Loop{
		runner: runner, seeder: seeder, compressor: NewCompressor(client, o), store: store, opts: o,
		rounds: map[roundKey]*meeting{},
	}, nil
}

// Run implements [rollout.Runner]: it carries out a rollout of a round and makes
// its state.
func (l *Loop) Run(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
	if l.opts.Rounds == 1 {
		return l.runner.Run(ctx, task)
	}
	before, lost := l.before(task.Key)
	task.Preface = preface(before, l.opts)
	l.bound(&task, before)
	t, err := l.runner.Run(ctx, task)
	if err != nil || t == nil || t.Error != "" {
		return t, err
	}
	if _, done := l.store.State(task.Key); done {
		return t, nil
	}
	if before != nil && l.opts.Mode == Merged {
		own := *before
		own.Spent = l.ownSpent(task.Key)
		before = &own
	}
	s, err := l.compressor.Compress(ctx, t, before)
	if err != nil {
		return nil, err
	}
	if lost {
		s.Repairs = append([]string{repairLost}, s.Repairs...)
	}
	if l.opts.Mode == PerThread {
		s.Stopped = l.stopped(&s, before, s.Origin == trajectory.StateModel)
	}
	if err := l.store.PutState(s); err != nil {
		return nil, fmt.Errorf("recursion: %w", err)
	}
	return t, nil
}

// before returns the state that the round of key begins with, nil for the first.
// The round before is done, but its line in the store may have been damaged: it is
// lost then, and the round begins as after one without a summary.
func (l *Loop) before(key trajectory.Key) (s *trajectory.State, lost bool) {
	if key.Round == 1 {
		return nil, false
	}
	last := key
	last.Round--
	if l.opts.Mode == Merged {
		last.Rollout = trajectory.MergedRollout
	}
	if s, ok := l.store.State(last); ok {
		return &s, false
	}
	return &trajectory.State{Round: last.Round, Origin: trajectory.StateNone, Spent: l.ownSpent(key)}, true
}

// ownSpent returns what the earlier rounds of the rollout of key have cost. Of a
// merged loop those count in which it has a part of the merged state: one that
// failed and is made again once its round is over may end before or after key
// begins.
func (l *Loop) ownSpent(key trajectory.Key) trajectory.Spent {
	for key.Round--; key.Round >= 1; key.Round-- {
		if l.opts.Mode == Merged && !l.hasPart(key) {
			continue
		}
		if s, ok := l.store.State(key); ok {
			return s.Spent
		}
	}
	return trajectory.Spent{}
}

// hasPart reports whether the rollout of key has a part of the merged state of
// its round.
func (l *Loop) hasPart(key trajectory.Key) bool {
	rollout := key.Rollout
	key.Rollout = trajectory.MergedRollout
	s, ok := l.store.State(key)
	return ok && slices.Contains(s.From, rollout)
}

// bound gives a task what is left of the budgets.
func (l *Loop) bound(task *agent.Task, before *trajectory.State) {
	spent := each(before)
	if l.opts.Tokens > 0 {
		task.Tokens = tighter(task.Tokens, l.opts.Tokens-spent.Tokens)
	}
	if l.opts.Time > 0 {
		task.Time = tighter(task.Time, l.opts.Time-spent.time())
	}
}

// tighter returns the smaller of two bounds, the first of which may be none. What
// is left of a budget is always one.
func tighter[T int | time.Duration](given, left T) T {
	left = max(left, 1)
	if given > 0 {
		return min(given, left)
	}
	return left
}

// Next implements [rollout.Sequel].
func (l *Loop) Next(key trajectory.Key, ok bool) (begin []int, skipped int, err error) {
	left := l.opts.Rounds - key.Round
	switch {
	case left <= 0:
		return nil, 0, nil
	case l.opts.Mode == Merged:
		return l.meet(key, ok)
	case !ok:
		return nil, left, nil
	}
	if s, kept := l.store.State(key); kept && s.Stopped != "" {
		return nil, left, nil
	}
	return []int{key.Rollout}, 0, nil
}
