package rollout

import (
	"errors"
	"fmt"
	"runtime/debug"

	"trawl/agent/llm"
)

// A storeError tells a store's failure from a rollout's.
type storeError struct{ error }

func (e storeError) Unwrap() error { return e.error }

func isStore(err error) bool { return errors.As(err, new(storeError)) }

// A PanicError is a panic in a Runner or Seeder. Its text leaves out the stack,
// which is not the same from run to run.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// guard makes a panic of f an error.
func guard[T any](f func() (T, error)) (result T, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}

// fewest is the number of failures below which a run is not given up early.
const fewest = 8

// A streak is the row of failures for one reason with which a run began.
type streak struct {
	length int
	last   error
	broken bool
}

func (s *streak) add(failure error) {
	switch {
	case s.broken:
	case failure == nil || s.length > 0 && reason(failure) != reason(s.last):
		s.broken = true
	default:
		s.length++
		s.last = failure
	}
}

// reason returns what two failures have in common if they have one cause: the
// kind of a model call's failure, or the innermost error. What a server says,
// and for which question, may differ.
func reason(err error) string {
	for _, kind := range []error{llm.ErrUnreachable, llm.ErrOverloaded, llm.ErrBadRequest, llm.ErrContextLength, llm.ErrMalformed} {
		if errors.Is(err, kind) {
			return kind.Error()
		}
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return err.Error()
}

// hopeless returns an error if the run began with a whole set of rollouts at a
// time, and at least eight, that failed for one reason. In a run that had
// results before only an unreachable server is such a reason: it begins with
// what failed then, and that may be the fault of those questions.
func (r *run) hopeless() error {
	s := &r.streak
	if s.broken || s.length < max(r.plan.Concurrency, fewest) {
		return nil
	}
	if r.summary.AlreadyDone > 0 && !errors.Is(s.last, llm.ErrUnreachable) {
		return nil
	}
	return fmt.Errorf("the first %d rollouts all failed: %w", s.length, s.last)
}

// nothingWorked returns an error if the run has only failures to show.
func (r *run) nothingWorked() error {
	s := r.summary
	if s.Failed == 0 || s.Done > 0 || s.AlreadyDone > 0 {
		return nil
	}
	return fmt.Errorf("all %d rollouts failed, the last with: %w", s.Failed, r.last)
}
