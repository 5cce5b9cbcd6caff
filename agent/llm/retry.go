package llm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// longestWait bounds one wait between two attempts.
const longestWait = 10 * time.Minute

// Retry returns a client that repeats a failed call, the same request with the
// same seed, until it has been made attempts times. It repeats [ErrOverloaded],
// [ErrUnreachable] and [ErrMalformed], which may pass, and nothing else.
//
// After attempt i (counted from 1) it waits
//
//	base · 2^(i−1) · (1 + j) / 2, with j from chance in [0, 1)
//
// or, if the server named a time (see [Error.RetryAfter]), that time and
// base · j more, so that those it sent away do not come back at once. No wait
// is longer than ten minutes; a server that asks for more, as one does whose
// quota of the day is used up, is not called again. When ctx ends it stops with ctx's error.
//
// Retry belongs outside of [Route] and [Limit], as in
//
//	Retry(Route([]Client{Limit(a, 64), Limit(b, 64)}), 5, time.Second)
//
// for there a call that waits holds no place among those in flight, its next
// attempt may go to another server, and Limit sees each refusal.
func Retry(c Client, attempts int, base time.Duration) Client {
	return retry{Client: c, attempts: attempts, base: base, chance: rand.Float64}
}

type retry struct {
	Client
	attempts int
	base     time.Duration
	chance   func() float64 // in [0, 1); safe for concurrent use
}

// Complete implements [Client].
func (r retry) Complete(ctx context.Context, req *Request) (resp *Response, err error) {
	err = r.again(ctx, func() error {
		resp, err = r.Client.Complete(ctx, req)
		return err
	})
	return resp, err
}

// RetryEmbedder is [Retry] for an embedder.
func RetryEmbedder(e Embedder, attempts int, base time.Duration) Embedder {
	return retryEmbedder{e, retry{attempts: attempts, base: base, chance: rand.Float64}}
}

type retryEmbedder struct {
	embedder Embedder
	retry    retry
}

// Embed implements [Embedder].
func (r retryEmbedder) Embed(ctx context.Context, texts []string) (vectors [][]float32, err error) {
	err = r.retry.again(ctx, func() error {
		vectors, err = r.embedder.Embed(ctx, texts)
		return err
	})
	return vectors, err
}

// again makes a call until it succeeds, its error will not pass, or it has been
// made often enough.
func (r retry) again(ctx context.Context, call func() error) error {
	for i := 1; ; i++ {
		err := call()
		if err == nil || i >= r.attempts || !passing(err) {
			return err
		}
		if asked := retryAfter(err); asked > longestWait {
			return fmt.Errorf("llm: the server asks to wait for %v, and trawl waits for %v at most: %w", asked, longestWait, err)
		}
		if ctxErr := pause(ctx, r.wait(i, err)); ctxErr != nil {
			return fmt.Errorf("llm: waiting to try again: %w (%v)", ctxErr, err)
		}
	}
}

// passing reports whether the same call may succeed later.
func passing(err error) bool {
	return errors.Is(err, ErrOverloaded) || errors.Is(err, ErrUnreachable) || errors.Is(err, ErrMalformed)
}

// wait returns how long to wait after attempt i failed with err.
func (r retry) wait(i int, err error) time.Duration {
	j := r.chance()
	if asked := retryAfter(err); asked > 0 {
		return min(asked+time.Duration(float64(r.base)*j), longestWait)
	}
	d := r.base
	for range i - 1 {
		d = min(2*d, longestWait)
	}
	return min(time.Duration(float64(d)*(1+j)/2), longestWait)
}

// retryAfter returns how long the server asked to wait.
func retryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.RetryAfter
	}
	return 0
}

// pause waits for d, or until ctx ends, whose error it then returns.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
