package compare

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrNotKept ends the comparison if an error of a contestant wraps it: the decision
// was made, and what it cost would be spent again.
var ErrNotKept = errors.New("the decision cannot be kept")

// A Failure is why a question was not decided.
type Failure struct {
	QuestionID string `json:"question_id"`
	Selector   string `json:"selector"` // that failed first
	Error      string `json:"error"`
}

// mostFailures is how many failures a report names.
const mostFailures = 10

// A failure is an error of a contestant.
type failure struct {
	question, selector string
	err                error
}

func (f *failure) Error() string { return fmt.Sprintf("selector %s: %v", f.selector, f.err) }

func (f *failure) Unwrap() error { return f.err }

// keep keeps the failure of a contestant, the first one of a question. It returns
// errors that end the comparison.
func (o *outcome) keep(ctx context.Context, err error) error {
	var f *failure
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case !errors.As(err, &f) || errors.Is(err, ErrNotKept):
		return err
	case o.failure == nil:
		f.question = o.id
		o.failure = f
	}
	return nil
}

// fewest is the number of failures below which a comparison is not given up early.
const fewest = 8

// A beginning is the failures with which a comparison begins. A question without
// a rollout that is done is neither one nor their end: there nobody was asked.
type beginning struct {
	enough int // failures that end the comparison

	mu     sync.Mutex
	failed int
	last   *failure
	over   bool // a question was decided
}

// add adds a question that came to its end, and returns an error if there is no hope.
func (b *beginning) add(out *outcome) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case out.failure != nil:
		b.failed++
		b.last = out.failure
	case out.done > 0:
		b.over = true
	}
	if b.failed < b.enough {
		return nil
	}
	return b.hopeless()
}

// hopeless returns an error if there are only failures.
func (b *beginning) hopeless() error {
	if b.over || b.failed == 0 {
		return nil
	}
	return fmt.Errorf("compare: all %d questions so far failed: question %s: %w", b.failed, b.last.question, b.last)
}
