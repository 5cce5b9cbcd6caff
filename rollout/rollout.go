// Package rollout carries out an experiment: K rollouts of each of N questions,
// in one round or several, on as many goroutines as the model servers like, into
// a store from which a killed run goes on. [Run] does a [Plan].
//
// The order is question-major: the pool of first queries of a question is asked
// for once, and then all its rollouts start, so that a server that caches
// prefixes serves them from one cache. A rollout that can start goes before a
// question that is still to be asked about, and a pool that takes long keeps no
// other question waiting. Which rollouts of a round follow those of the round
// before, and when, is for a [Sequel] to say; they wait behind rollouts that
// could start before and go before questions that nobody began.
//
// One rollout's failure, a panic included, is a line in the store and not the
// end of the run. What ends a run is the end of its context, a store that cannot
// be written, a sequel that fails, and a beginning at which nothing works.
//
// Whatever depends on chance follows from the seed of the plan and from what it
// is for, never from scheduling: the same plan gives the same rollouts at any
// concurrency, as far as the model server does its part.
package rollout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"trawl/agent"
	"trawl/trajectory"
)

// A Runner carries out one rollout, usually an [agent.Agent]. It is safe for
// concurrent use. An error says that the rollout is lost.
type Runner interface {
	Run(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error)
}

// A Seeder chooses the first queries of rollouts, usually with a divinit.Seeder.
// It is safe for concurrent use. An error says that the question cannot be worked
// on now.
type Seeder interface {
	// Pool chooses the first queries of the k rollouts of a question in a round,
	// once for those that begin it together. A pool without queries leaves them to
	// the rollouts.
	Pool(ctx context.Context, q trajectory.Question, round, k int, seed int64) (trajectory.Pool, error)
}

// A Sequel says what follows a rollout that ended, usually a recursion.Loop.
// Calls come from one goroutine at a time, one for each rollout that is done
// already or ended in this run.
type Sequel interface {
	// Next returns the rollouts, by number, of the round after that of key, of the
	// same question, that can begin now that the rollout of key has ended; ok says
	// that it ended without an error. skipped is how many of the planned rollouts
	// will never begin in this run because of it. The error ends the run.
	Next(key trajectory.Key, ok bool) (begin []int, skipped int, err error)
}

// A Store keeps what was done, usually a store.Store. It is safe for concurrent
// use. An error of it ends the run.
type Store interface {
	Has(key trajectory.Key) bool
	Past(key trajectory.Key) []trajectory.Turn
	Record(key trajectory.Key, turn trajectory.Turn) error
	Pool(questionID string, round int) (trajectory.Pool, bool)
	RecordPool(p trajectory.Pool) error
	Append(t *trajectory.Trajectory) error
	Complete(questionIDs []string) error
}

// A Plan says what to do. Zero values are the defaults.
type Plan struct {
	Questions   []trajectory.Question
	Round       int    // the first; default 1
	Rounds      int    // of each rollout; default 1, at most 1,000; more than one takes a Sequel
	Count       int    // rollouts of a question; default 4, at most 10,000
	Concurrency int    // rollouts and pool requests at a time; default 64, at most 100,000
	Seed        int64  // of every random choice
	Config      string // hash of the settings, part of each key
	Shard       Shard
}

// A Shard is one of N parts of the questions: those at I−1, I−1+N, I−1+2N, …
// The zero value is all of them.
type Shard struct {
	I int `json:"i"` // 1 to N
	N int `json:"n"`
}

// Holds reports whether the question at index, counted from 0 in the order of
// the data set, is part of s.
func (s Shard) Holds(index int) bool { return s == Shard{} || index%s.N == s.I-1 }

// Deps are what a run works with.
type Deps struct {
	Runner   Runner
	Store    Store
	Seeder   Seeder         // nil: every rollout chooses its own first query
	Sequel   Sequel         // nil: there is one round
	Progress func(Progress) // nil: nobody looks; called by one goroutine at a time, first before the work begins
}

// Progress is how far a run is.
type Progress struct {
	Done   int   // rollouts that are done, those of earlier runs included
	Failed int   // rollouts that failed in this run
	Total  int   // rollouts of the plan, without those that are skipped
	Turns  int   // whole turns made in this run
	Err    error // which rollout just failed, and why; nil in all other calls
}

// A Summary is what a run came to.
type Summary struct {
	Planned     int
	AlreadyDone int
	Done        int // in this run
	Unanswered  int // of Done: those that ended without an answer
	Failed      int // in this run
	Skipped     int // planned rollouts of later rounds that were not begun: the rounds before failed, or were stopped
	Elapsed     time.Duration
}

const (
	defaultCount       = 4
	defaultConcurrency = 64

	// Far beyond what makes sense, and within what memory holds.
	mostCount       = 10_000
	mostConcurrency = 100_000
	mostRounds      = 1_000
)

// Run does what of the plan is not done yet. It returns an error if ctx ended
// (that of ctx; rollouts under way are left at their last whole turn, from which
// the next run goes on), if the store or the sequel failed, or if nothing worked: see
// [Summary] for single failures. All goroutines have ended when it returns.
func Run(ctx context.Context, plan Plan, deps Deps) (Summary, error) {
	start := time.Now()
	err := plan.settle()
	if err == nil && plan.Rounds > 1 && deps.Sequel == nil {
		err = fmt.Errorf("%d rounds, and nothing that leads from one to the next", plan.Rounds)
	}
	if err != nil {
		return Summary{}, fmt.Errorf("rollout: %w", err)
	}
	r, err := newRun(ctx, plan, deps)
	if err != nil {
		return Summary{}, err
	}
	r.begun()
	err = r.work(ctx)
	if err == nil && r.summary.Failed == 0 {
		err = deps.Store.Complete(plan.ids())
	}
	if err == nil {
		err = r.nothingWorked()
	}
	r.summary.Elapsed = time.Since(start)
	switch {
	case err == nil:
		return r.summary, nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return r.summary, ctx.Err()
	}
	return r.summary, fmt.Errorf("rollout: %w", err)
}

// settle fills in the defaults, takes the shard's questions and checks the rest.
func (p *Plan) settle() error {
	if p.Round == 0 {
		p.Round = 1
	}
	if p.Rounds == 0 {
		p.Rounds = 1
	}
	if p.Count == 0 {
		p.Count = defaultCount
	}
	if p.Concurrency == 0 {
		p.Concurrency = defaultConcurrency
	}
	switch {
	case p.Round < 1 || p.Count < 1 || p.Concurrency < 1:
		return fmt.Errorf("round %d, count %d, concurrency %d: want 1 or more", p.Round, p.Count, p.Concurrency)
	case p.Count > mostCount:
		return fmt.Errorf("%d rollouts of a question: want at most %d", p.Count, mostCount)
	case p.Concurrency > mostConcurrency:
		return fmt.Errorf("concurrency %d: want at most %d", p.Concurrency, mostConcurrency)
	case p.Rounds < 1 || p.Rounds > mostRounds:
		return fmt.Errorf("%d rounds: want 1 to %d", p.Rounds, mostRounds)
	case p.Shard != Shard{} && (p.Shard.I < 1 || p.Shard.I > p.Shard.N):
		return fmt.Errorf("shard %d of %d", p.Shard.I, p.Shard.N)
	}
	seen := make(map[string]bool, len(p.Questions))
	var mine []trajectory.Question
	for i, q := range p.Questions {
		switch {
		case q.ID == "":
			return fmt.Errorf("question %d has no id", i+1)
		case seen[q.ID]:
			return fmt.Errorf("two questions have the id %s", q.ID)
		}
		seen[q.ID] = true
		if p.Shard.Holds(i) {
			mine = append(mine, q)
		}
	}
	p.Questions = mine
	return nil
}

// ids returns the ids of the questions.
func (p *Plan) ids() []string {
	ids := make([]string, len(p.Questions))
	for i, q := range p.Questions {
		ids[i] = q.ID
	}
	return ids
}

// key returns the key of a rollout.
func (p *Plan) key(q trajectory.Question, round, rollout int) trajectory.Key {
	return trajectory.Key{QuestionID: q.ID, Round: round, Rollout: rollout, Config: p.Config}
}

// work starts the goroutines and waits for them.
func (r *run) work(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	stop := context.AfterFunc(ctx, r.queue.stop)
	defer stop()
	for range min(r.plan.Concurrency, r.summary.Planned) {
		g.Go(func() error {
			for {
				job, ok := r.queue.next()
				if !ok {
					return ctx.Err()
				}
				err := job(ctx)
				r.queue.done()
				if err != nil {
					return err
				}
			}
		})
	}
	return g.Wait()
}
