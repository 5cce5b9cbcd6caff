package rollout

import (
	"context"
	"sync"
)

// A job is a piece of work for one goroutine: a question's pool, or a rollout.
// Its error ends the run.
type job func(ctx context.Context) error

// A queue hands out jobs: rollouts that can start, oldest first, and only if
// there are none the next question. It is safe for concurrent use.
type queue struct {
	mu        sync.Mutex
	changed   sync.Cond
	questions []job
	rollouts  []job
	asking    int // questions handed out that have not led to rollouts yet
	stopped   bool
}

func newQueue(questions []job) *queue {
	q := &queue{questions: questions}
	q.changed.L = &q.mu
	return q
}

// next returns the next job. It waits while there may be one, and returns false
// when there will be none.
func (q *queue) next() (job, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		switch {
		case q.stopped:
			return nil, false
		case len(q.rollouts) > 0:
			j := q.rollouts[0]
			q.rollouts = q.rollouts[1:]
			return j, true
		case len(q.questions) > 0:
			j := q.questions[0]
			q.questions = q.questions[1:]
			q.asking++
			return j, true
		case q.asking == 0:
			return nil, false
		}
		q.changed.Wait()
	}
}

// answer adds the rollouts to which a question led. It is called once for each
// question that was handed out.
func (q *queue) answer(rollouts ...job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asking--
	q.rollouts = append(q.rollouts, rollouts...)
	q.changed.Broadcast()
}

// stop makes every call of next return false.
func (q *queue) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stopped = true
	q.changed.Broadcast()
}
