package openai

import (
	"context"
	"sync/atomic"
)

// A lazy is a value that is found out when it is first needed, by one caller
// while the others wait. Failure is not remembered.
type lazy[T any] struct {
	gate  chan struct{} // holds a token while nobody is finding out
	value atomic.Pointer[T]
}

func newLazy[T any]() lazy[T] {
	gate := make(chan struct{}, 1)
	gate <- struct{}{}
	return lazy[T]{gate: gate}
}

// get returns the value, from find if there is none yet. It waits no longer
// than ctx.
func (l *lazy[T]) get(ctx context.Context, find func(context.Context) (T, error)) (T, error) {
	if v := l.value.Load(); v != nil {
		return *v, nil
	}
	var zero T
	select {
	case <-l.gate:
		defer func() { l.gate <- struct{}{} }()
	case <-ctx.Done():
		return zero, ctx.Err()
	}
	if v := l.value.Load(); v != nil {
		return *v, nil
	}
	v, err := find(ctx)
	if err != nil {
		return zero, err
	}
	l.value.Store(&v)
	return v, nil
}
