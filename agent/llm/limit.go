package llm

import (
	"context"
	"errors"
	"sync"
)

// Limit returns a client that has at most inFlight calls of c under way at
// once, and fewer while the server refuses them: additive increase,
// multiplicative decrease, as in TCP.
//
//   - [ErrOverloaded] halves the limit, down to 1, but at most once a window:
//     calls that were let in before the last cut say nothing new.
//   - A window of successes, as many as the limit is now, raises it by 1, up to
//     inFlight.
//
// Calls wait their turn in order of arrival; a wait ends with ctx. There is one
// Limit for each endpoint; an inFlight below 1 counts as 1. For its place among
// the other decorators see [Retry].
func Limit(c Client, inFlight int) Client {
	inFlight = max(inFlight, 1)
	return &limit{client: c, ceiling: inFlight, size: inFlight}
}

type limit struct {
	client  Client
	ceiling int

	mu        sync.Mutex
	size      int // calls that may be under way now
	active    int // calls that are
	cuts      int // times that size was halved
	successes int // since size last changed
	waiting   []chan struct{}
}

// Complete implements [Client].
func (l *limit) Complete(ctx context.Context, req *Request) (*Response, error) {
	cuts, err := l.enter(ctx)
	if err != nil {
		return nil, err
	}
	resp, err := l.client.Complete(ctx, req)
	l.leave(cuts, err)
	return resp, err
}

// enter waits for a place and returns the number of cuts up to now.
func (l *limit) enter(ctx context.Context) (cuts int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	l.mu.Lock()
	if l.active < l.size { // then nobody waits, see admit
		l.active++
		defer l.mu.Unlock()
		return l.cuts, nil
	}
	turn := make(chan struct{})
	l.waiting = append(l.waiting, turn)
	l.mu.Unlock()

	select {
	case <-turn:
	case <-ctx.Done():
		l.mu.Lock()
		defer l.mu.Unlock()
		l.giveUp(turn)
		return 0, ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cuts, nil
}

// giveUp takes turn from the queue or, if it was called at the same moment,
// gives its place to the next.
func (l *limit) giveUp(turn chan struct{}) {
	for i, w := range l.waiting {
		if w == turn {
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			return
		}
	}
	l.active--
	l.admit()
}

// leave gives the place back and learns from how the call went.
func (l *limit) leave(cuts int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.active--
	switch {
	case err == nil:
		l.successes++
		if l.successes >= l.size && l.size < l.ceiling {
			l.size++
			l.successes = 0
		}
	case errors.Is(err, ErrOverloaded) && cuts == l.cuts:
		l.size = max(l.size/2, 1)
		l.cuts++
		l.successes = 0
	}
	l.admit()
}

// admit lets in those whose turn has come. It is called whenever a place may
// have become free.
func (l *limit) admit() {
	for l.active < l.size && len(l.waiting) > 0 {
		close(l.waiting[0])
		l.waiting = l.waiting[1:]
		l.active++
	}
}
