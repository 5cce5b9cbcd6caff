package rollout

import (
	"context"
	"sync"
)

// A job is a piece of work for one goroutine: a question's beginning, a pool, or
// a rollout. Its error ends the run.
type job func(ctx context.Context) error

// A queue hands out jobs: those that came up on the way, oldest first, and only
// if there are none the next question. It is safe for concurrent use.
type queue struct {
	mu        sync.Mutex
	changed   sync.Cond
	questions []job
	ready     []job
	working   int // jobs handed out that have not ended
	stopped   bool
}

func newQueue(questions []job) *queue {
	q := &queue{questions: questions}
	q.changed.L = &q.mu
	return q
}

// next returns the next job. It waits while there may be one, and returns false
// when there will be none. Each job that it returns is followed by a call of done.
func (q *queue) next() (job, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		switch {
		case q.stopped:
			return nil, false
		case len(q.ready) > 0:
			return q.take(&q.ready), true
		case len(q.questions) > 0:
			return q.take(&q.questions), true
		case q.working == 0:
			return nil, false
		}
		q.changed.Wait()
	}
}

// take hands out the first job of a list.
func (q *queue) take(list *[]job) job {
	j := (*list)[0]
	*list = (*list)[1:]
	q.working++
	return j
}

// add puts jobs behind those that came up before.
func (q *queue) add(jobs ...job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ready = append(q.ready, jobs...)
	q.changed.Broadcast()
}

// done says that a job has ended, and with the last one the queue.
func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.working--; q.working == 0 {
		q.changed.Broadcast()
	}
}

// stop makes every call of next return false.
func (q *queue) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stopped = true
	q.changed.Broadcast()
}
