package compare

import (
	"context"
	"errors"
	"fmt"
	"time"

	"trawl/selection"
)

// A timed decision says how long it took.
type timed struct {
	selection.Decision
	took time.Duration
}

// decide returns a contestant's decision on each pool. One that asked a model
// says itself how long it took, for it may have been made before; others are timed.
// The error is a [failure], or the end of ctx.
func (c *contest) decide(ctx context.Context, contestant Contestant, pools []pool) ([]timed, error) {
	decisions := make([]timed, len(pools))
	var groups []selection.Group // of pools that are not empty
	var at []int
	for i, p := range pools {
		decisions[i].Decision = selection.None()
		if len(p.group.Trajectories) > 0 {
			groups, at = append(groups, p.group), append(at, i)
		}
	}
	if len(groups) == 0 {
		return decisions, ctx.Err()
	}
	made, err := c.selectAll(ctx, contestant.Selector, groups)
	if err == nil && len(made) != len(groups) {
		err = fmt.Errorf("%d decisions on %d groups", len(made), len(groups))
	}
	if err != nil {
		return nil, &failure{selector: contestant.Name, err: err}
	}
	for i, d := range made {
		if n := len(groups[i].Trajectories); d.Index < -1 || d.Index >= n {
			return nil, &failure{selector: contestant.Name, err: fmt.Errorf("it chose the rollout at %d of %d", d.Index, n)}
		}
		if d.Cost.Calls > 0 {
			d.took = time.Duration(d.Cost.Millis) * time.Millisecond
		}
		decisions[at[i]] = d
	}
	return decisions, nil
}

// selectAll decides groups together where the selector can.
func (c *contest) selectAll(ctx context.Context, s selection.Selector, groups []selection.Group) ([]timed, error) {
	if b, ok := s.(selection.Batcher); ok {
		return c.selectBatch(ctx, b, groups)
	}
	decisions := make([]timed, len(groups))
	for i, g := range groups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		began := time.Now()
		d, err := s.Select(ctx, g)
		if errors.Is(err, selection.ErrEmpty) {
			d, err = selection.None(), nil
		}
		if err != nil {
			return nil, err
		}
		decisions[i] = timed{d, time.Since(began)}
	}
	return decisions, nil
}

// selectBatch decides groups together. Batchers, which use the cores by themselves,
// take turns, so that nobody's time is spent waiting for another; each decision
// took its part of the whole.
func (c *contest) selectBatch(ctx context.Context, b selection.Batcher, groups []selection.Group) ([]timed, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	began := time.Now()
	made, err := b.SelectAll(ctx, groups)
	if err != nil {
		return nil, err
	}
	took := time.Since(began) / time.Duration(max(len(made), 1))
	decisions := make([]timed, len(made))
	for i, d := range made {
		decisions[i] = timed{d, took}
	}
	return decisions, nil
}
