// Package httpcall is what clients of servers have in common: [Persist] calls
// again where a failure may pass, which is [Passing]; [FirstWords], [Kind],
// [Passes] and [RetryAfter] read answers that are none.
package httpcall

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// longestWait is how long Persist waits at most between two attempts.
const longestWait = time.Minute

// A Passing failure is one that may not come again.
type Passing struct {
	Err   error
	After time.Duration // what the server asks to wait; 0 if it does not
}

func (p *Passing) Error() string { return p.Err.Error() }

func (p *Passing) Unwrap() error { return p.Err }

// Persist calls until it works, the failure is not [Passing], or so many attempts
// are used up. Before attempt i+1 it waits
//
//	wait · 2^(i−1) · (1 + j) / 2, with j by chance in [0, 1)
//
// at most a minute, or longer if the server asks for it; one that asks for more
// than a minute is not called again.
func Persist(ctx context.Context, attempts int, wait time.Duration, call func(context.Context) error) error {
	for i := 1; ; i++ {
		err := call(ctx)
		p, again := errors.AsType[*Passing](err)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !again:
			return err
		case p.After > longestWait:
			return fmt.Errorf("%w (the server asks to wait for %v, and trawl waits for %v at most)", err, p.After, longestWait)
		case i >= attempts:
			return fmt.Errorf("attempt %d of %d: %w", i, attempts, err)
		}
		d := max(p.After, time.Duration(float64(wait)*(1+rand.Float64())/2))
		if ctxErr := pause(ctx, min(d, longestWait)); ctxErr != nil {
			return fmt.Errorf("waiting to try again: %w (%v)", ctxErr, err)
		}
		wait = min(2*wait, longestWait)
	}
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
