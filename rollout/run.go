package rollout

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"trawl/agent"
	"trawl/internal/seed"
	"trawl/trajectory"
)

// A run is a plan under way.
type run struct {
	plan  Plan
	deps  Deps
	queue *queue

	mu      sync.Mutex
	summary Summary
	turns   int
	streak  streak
	last    error // why a rollout failed last
}

// A group is a question with those of its rollouts that are to be done.
type group struct {
	question trajectory.Question
	pending  []int
	pool     trajectory.Pool // no queries: rollouts choose their own
}

// newRun finds out what is to be done. It fails if ctx ends.
func newRun(ctx context.Context, plan Plan, deps Deps) (*run, error) {
	r := &run{plan: plan, deps: deps}
	r.summary.Planned = len(plan.Questions) * plan.Count
	var questions []job
	for _, q := range plan.Questions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g := &group{question: q}
		for i := range plan.Count {
			if !deps.Store.Has(plan.key(q, i)) {
				g.pending = append(g.pending, i)
			}
		}
		r.summary.AlreadyDone += plan.Count - len(g.pending)
		if len(g.pending) > 0 {
			questions = append(questions, func(ctx context.Context) error { return r.begin(ctx, g) })
		}
	}
	r.queue = newQueue(questions)
	return r, nil
}

// begin sees to the pool of a question and puts its rollouts into the queue. If
// there is no pool, all of them fail.
func (r *run) begin(ctx context.Context, g *group) error {
	var rollouts []job
	defer func() { r.queue.answer(rollouts...) }()
	started := time.Now()
	err := r.seed(ctx, g)
	switch {
	case isStore(err) || err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		for _, i := range g.pending {
			if ended := r.finish(r.failed(g, i, started, err), err); ended != nil {
				return ended
			}
		}
		return nil
	}
	for _, i := range g.pending {
		rollouts = append(rollouts, func(ctx context.Context) error { return r.rollout(ctx, g, i) })
	}
	return nil
}

// seed gives g its pool: the one that the store has, or a new one.
func (r *run) seed(ctx context.Context, g *group) error {
	if r.deps.Seeder == nil {
		return nil
	}
	if pool, ok := r.deps.Store.Pool(g.question.ID, r.plan.Round); ok && len(pool.Queries) >= r.plan.Count {
		g.pool = pool
		return nil
	}
	pool, err := guard(func() (trajectory.Pool, error) {
		return r.deps.Seeder.Pool(ctx, g.question, r.plan.Count, seed.Derive(r.plan.Seed, g.question.ID, r.plan.Round, "pool"))
	})
	if err != nil {
		return err
	}
	if len(pool.Queries) != r.plan.Count {
		return fmt.Errorf("%d first queries for %d rollouts", len(pool.Queries), r.plan.Count)
	}
	pool.QuestionID, pool.Round, pool.Config = g.question.ID, r.plan.Round, r.plan.Config
	if err := r.deps.Store.RecordPool(pool); err != nil {
		return storeError{err}
	}
	g.pool = pool
	return nil
}

// rollout does one rollout, from its last whole turn if it was begun before.
func (r *run) rollout(ctx context.Context, g *group, i int) error {
	started := time.Now()
	task := r.task(g, i)
	task.Past = r.deps.Store.Past(task.Key)
	var spent trajectory.Usage
	for _, turn := range task.Past {
		spent.AddTurn(turn)
	}
	var unwritten error
	task.Record = func(turn trajectory.Turn) error {
		if unwritten = r.deps.Store.Record(task.Key, turn); unwritten != nil {
			return unwritten
		}
		spent.AddTurn(turn)
		r.turned()
		return nil
	}
	t, err := guard(func() (*trajectory.Trajectory, error) { return r.deps.Runner.Run(ctx, task) })
	if unwritten != nil {
		return storeError{unwritten}
	}
	if err == nil {
		err = check(t, task.Key)
	}
	failure := err
	if err == nil && t.Error != "" {
		failure = errors.New(t.Error)
	}
	if failure != nil && ctx.Err() != nil { // given up, to go on later
		return ctx.Err()
	}
	if err != nil {
		t = r.failed(g, i, started, err)
		t.Usage = spent
		resume(t, task.Past)
	}
	if i == 0 { // the question's pool is counted here
		t.Usage.AddCalls(g.pool.Calls, g.pool.Usage)
	}
	return r.finish(t, failure)
}

// task returns the task of a rollout without its past.
func (r *run) task(g *group, i int) agent.Task {
	key := r.plan.key(g.question, i)
	return agent.Task{
		Key:       key,
		Question:  g.question,
		Seed:      seed.Derive(r.plan.Seed, key.QuestionID, key.Round, key.Rollout),
		SeedQuery: g.seedQuery(i),
	}
}

// seedQuery returns the first query of a rollout, nil if there is no pool.
func (g *group) seedQuery(i int) *trajectory.SeedQuery {
	if i >= len(g.pool.Queries) {
		return nil
	}
	q := g.pool.Queries[i]
	return &q
}

// check reports what is wrong with a trajectory that a runner returned.
func check(t *trajectory.Trajectory, key trajectory.Key) error {
	switch {
	case t == nil:
		return errors.New("the runner returned no trajectory")
	case t.Key() != key:
		return fmt.Errorf("the runner returned the trajectory of %v", t.Key())
	}
	return t.Validate()
}

// failed returns the record of a rollout that was lost. Its whole turns stay in
// the journal.
func (r *run) failed(g *group, i int, started time.Time, err error) *trajectory.Trajectory {
	task := r.task(g, i)
	return &trajectory.Trajectory{
		V:           trajectory.Version,
		QuestionID:  task.Key.QuestionID,
		Round:       task.Key.Round,
		Rollout:     task.Key.Rollout,
		Config:      task.Key.Config,
		Question:    g.question.Text,
		Seed:        task.Seed,
		SeedQuery:   task.SeedQuery,
		Steps:       []trajectory.Step{},
		Messages:    []trajectory.Message{},
		Source:      trajectory.AnswerNone,
		Termination: trajectory.Failed,
		Error:       err.Error(),
		Started:     started.UTC(),
		Millis:      time.Since(started).Milliseconds(),
	}
}

// resume counts the time of turns that were made in earlier runs, as an agent
// does for a rollout that ends well.
func resume(t *trajectory.Trajectory, past []trajectory.Turn) {
	for i, turn := range past {
		if i == 0 {
			t.Started = turn.Started
		}
		t.Millis += turn.Millis
	}
}

// finish stores a rollout that ended, with failure if it failed. The error ends
// the run.
func (r *run) finish(t *trajectory.Trajectory, failure error) error {
	if err := r.deps.Store.Append(t); err != nil {
		return storeError{err}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.streak.add(failure)
	if failure != nil {
		r.summary.Failed++
		r.last = failure
		r.report(fmt.Errorf("question %s rollout %d: %w", t.QuestionID, t.Rollout, failure))
		return r.hopeless()
	}
	r.summary.Done++
	if t.Source == trajectory.AnswerNone {
		r.summary.Unanswered++
	}
	r.report(nil)
	return nil
}

// turned counts a whole turn.
func (r *run) turned() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turns++
	r.report(nil)
}

// begun tells what earlier runs have done.
func (r *run) begun() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report(nil)
}

func (r *run) report(failure error) {
	if r.deps.Progress == nil {
		return
	}
	s := r.summary
	r.deps.Progress(Progress{Done: s.AlreadyDone + s.Done, Failed: s.Failed, Total: s.Planned, Turns: r.turns, Err: failure})
}
