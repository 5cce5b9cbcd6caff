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

	sequel sync.Mutex // held while the sequel is asked

	mu      sync.Mutex
	summary Summary
	turns   int
	streak  streak
	last    error // why a rollout failed last
}

// newRun finds out what is to be done. It fails if ctx ends.
func newRun(ctx context.Context, plan Plan, deps Deps) (*run, error) {
	r := &run{plan: plan, deps: deps}
	r.summary.Planned = len(plan.Questions) * plan.Rounds * plan.Count
	questions := make([]job, len(plan.Questions))
	for n, q := range plan.Questions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for round := range plan.Rounds {
			for i := range plan.Count {
				if deps.Store.Has(plan.key(q, plan.Round+round, i)) {
					r.summary.AlreadyDone++
				}
			}
		}
		questions[n] = func(context.Context) error { return r.open(r.first(q)) }
	}
	r.queue = newQueue(questions)
	return r, nil
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
	if i == g.payer() { // the pool is counted here
		t.Usage.AddCalls(g.pool.Calls, g.pool.Usage)
	}
	return r.finish(g, t, failure)
}

// task returns the task of a rollout without its past.
func (r *run) task(g *group, i int) agent.Task {
	key := r.plan.key(g.question, g.round, i)
	return agent.Task{
		Key:       key,
		Question:  g.question,
		Seed:      seed.Derive(r.plan.Seed, key.QuestionID, key.Round, key.Rollout),
		SeedQuery: g.seedQuery(i),
	}
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

// finish stores a rollout that ended, with failure if it failed, and begins what
// follows it. The error ends the run.
func (r *run) finish(g *group, t *trajectory.Trajectory, failure error) error {
	if err := r.deps.Store.Append(t); err != nil {
		return storeError{err}
	}
	if err := r.count(t, failure); err != nil {
		return err
	}
	return r.ended(g, t.Rollout, failure == nil)
}

// count adds a rollout that ended to the summary. The error says that nothing
// will come of the run.
func (r *run) count(t *trajectory.Trajectory, failure error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.streak.add(failure)
	if failure != nil {
		r.summary.Failed++
		r.last = failure
		r.report(fmt.Errorf("%s: %w", r.name(t.Key()), failure))
		return r.hopeless()
	}
	r.summary.Done++
	if t.Source == trajectory.AnswerNone {
		r.summary.Unanswered++
	}
	r.report(nil)
	return nil
}

// name returns a rollout as failures name it.
func (r *run) name(key trajectory.Key) string {
	if r.plan.Rounds > 1 {
		return key.String()
	}
	return fmt.Sprintf("question %s rollout %d", key.QuestionID, key.Rollout)
}

// skip counts rollouts that will not begin.
func (r *run) skip(rollouts int) {
	if rollouts == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.summary.Skipped += rollouts
	r.report(nil)
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
	r.deps.Progress(Progress{Done: s.AlreadyDone + s.Done, Failed: s.Failed, Total: s.Planned - s.Skipped, Turns: r.turns, Err: failure})
}
