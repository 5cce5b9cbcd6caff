package rollout

import (
	"context"
	"fmt"
	"slices"
	"time"

	"trawl/internal/seed"
	"trawl/trajectory"
)

// A group is the rollouts of a question that begin a round together: all in the
// first round, those that the sequel names in later ones.
type group struct {
	question trajectory.Question
	round    int
	rollouts []int           // by number
	pending  []int           // those that are to be done
	pool     trajectory.Pool // no queries: rollouts choose their own
}

// first returns the group with which a question begins.
func (r *run) first(q trajectory.Question) *group {
	g := &group{question: q, round: r.plan.Round}
	for i := range r.plan.Count {
		g.rollouts = append(g.rollouts, i)
	}
	return g
}

// payer returns the rollout in which the cost of the pool is counted.
func (g *group) payer() int { return slices.Min(g.rollouts) }

// seedQuery returns the first query of a rollout, nil if there is no pool.
func (g *group) seedQuery(i int) *trajectory.SeedQuery {
	if i >= len(g.pool.Queries) {
		return nil
	}
	q := g.pool.Queries[i]
	return &q
}

// open puts a group into the queue. Rollouts that are done already have ended,
// and what follows them is opened at once.
func (r *run) open(g *group) error {
	var done []int
	for _, i := range g.rollouts {
		if r.deps.Store.Has(r.plan.key(g.question, g.round, i)) {
			done = append(done, i)
		} else {
			g.pending = append(g.pending, i)
		}
	}
	if len(g.pending) > 0 {
		r.queue.add(func(ctx context.Context) error { return r.begin(ctx, g) })
	}
	for _, i := range done {
		if err := r.ended(g, i, true); err != nil {
			return err
		}
	}
	return nil
}

// begin sees to the pool of a group and puts its rollouts into the queue. If
// there is no pool, all of them fail.
func (r *run) begin(ctx context.Context, g *group) error {
	started := time.Now()
	err := r.seed(ctx, g)
	switch {
	case isStore(err) || err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		for _, i := range g.pending {
			if ended := r.finish(g, r.failed(g, i, started, err), err); ended != nil {
				return ended
			}
		}
		return nil
	}
	rollouts := make([]job, len(g.pending))
	for n, i := range g.pending {
		rollouts[n] = func(ctx context.Context) error { return r.rollout(ctx, g, i) }
	}
	r.queue.add(rollouts...)
	return nil
}

// seed gives g its pool: the one that the store has, or a new one.
func (r *run) seed(ctx context.Context, g *group) error {
	if r.deps.Seeder == nil {
		return nil
	}
	if pool, ok := r.deps.Store.Pool(g.question.ID, g.round); ok && len(pool.Queries) >= r.plan.Count {
		g.pool = pool
		return nil
	}
	pool, err := guard(func() (trajectory.Pool, error) {
		return r.deps.Seeder.Pool(ctx, g.question, g.round, r.plan.Count, seed.Derive(r.plan.Seed, g.question.ID, g.round, "pool"))
	})
	if err != nil {
		return err
	}
	if n := len(pool.Queries); n != 0 && n != r.plan.Count {
		return fmt.Errorf("%d first queries for %d rollouts", n, r.plan.Count)
	}
	pool.QuestionID, pool.Round, pool.Config = g.question.ID, g.round, r.plan.Config
	if len(pool.Queries) > 0 {
		if err := r.deps.Store.RecordPool(pool); err != nil {
			return storeError{err}
		}
	}
	g.pool = pool
	return nil
}

// ended tells the sequel that a rollout of g has ended, and opens what can begin
// now. The error ends the run.
func (r *run) ended(g *group, i int, ok bool) error {
	if r.deps.Sequel == nil {
		return nil
	}
	key := r.plan.key(g.question, g.round, i)
	begin, skipped, err := r.next(key, ok)
	if err != nil {
		return err
	}
	r.skip(skipped)
	if len(begin) == 0 {
		return nil
	}
	if g.round+1 >= r.plan.Round+r.plan.Rounds || slices.Min(begin) < 0 || slices.Max(begin) >= r.plan.Count {
		return fmt.Errorf("the rollouts %v cannot follow %v: there are %d rounds of %d", begin, key, r.plan.Rounds, r.plan.Count)
	}
	return r.open(&group{question: g.question, round: g.round + 1, rollouts: begin})
}

// next asks the sequel.
func (r *run) next(key trajectory.Key, ok bool) ([]int, int, error) {
	r.sequel.Lock()
	defer r.sequel.Unlock()
	return r.deps.Sequel.Next(key, ok)
}
