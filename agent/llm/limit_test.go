package llm_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
)

// sleeping returns a client whose calls take a second, and the greatest number
// of them that were under way at once.
func sleeping() (llm.Client, *atomic.Int64) {
	var active, most atomic.Int64
	return llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) {
		n := active.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		<-time.After(time.Second)
		active.Add(-1)
		return &llm.Response{}, nil
	}), &most
}

func TestLimitBoundsCalls(t *testing.T) {
	tests := []struct {
		inFlight, calls int
		wantMost        int64
		want            time.Duration
	}{
		{4, 10, 4, 3 * time.Second}, // 4 + 4 + 2
		{16, 10, 10, time.Second},
		{1, 3, 1, 3 * time.Second},
		{0, 2, 1, 2 * time.Second}, // counts as 1
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%d of %d", tt.inFlight, tt.calls), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner, most := sleeping()
				c := llm.Limit(inner, tt.inFlight)
				start := time.Now()
				var wg sync.WaitGroup
				for range tt.calls {
					wg.Go(func() {
						if _, err := c.Complete(t.Context(), &llm.Request{}); err != nil {
							t.Error(err)
						}
					})
				}
				wg.Wait()
				if got := time.Since(start); got != tt.want || most.Load() != tt.wantMost {
					t.Errorf("%v with %d at once, want %v with %d", got, most.Load(), tt.want, tt.wantMost)
				}
			})
		})
	}
}

// TestLimitAdapts follows the limit through calls made one after another.
func TestLimitAdapts(t *testing.T) {
	var next error
	c := llm.Limit(llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) {
		return &llm.Response{}, next
	}), 8)
	steps := []struct {
		name  string
		err   error
		calls int
		want  int
	}{
		{"refused", kind(llm.ErrOverloaded), 1, 4},
		{"refused again, in a new window", kind(llm.ErrOverloaded), 1, 2},
		{"not the server's load", kind(llm.ErrUnreachable), 9, 2},
		{"less than a window", nil, 1, 2},
		{"a window of 2", nil, 1, 3},
		{"a window of 3", nil, 3, 4},
		{"a failure does not undo successes", nil, 3, 4},
		{"bad request", kind(llm.ErrBadRequest), 1, 4},
		{"the fourth", nil, 1, 5},
		{"windows of 5, 6, 7", nil, 18, 8},
		{"no further than inFlight", nil, 100, 8},
		{"down to 1", kind(llm.ErrOverloaded), 9, 1},
	}
	for _, s := range steps {
		next = s.err
		for range s.calls {
			_, err := c.Complete(t.Context(), &llm.Request{})
			if !errors.Is(err, s.err) {
				t.Fatalf("%s: err = %v", s.name, err)
			}
		}
		if got := llm.Size(c); got != s.want {
			t.Fatalf("%s: limit = %d, want %d", s.name, got, s.want)
		}
	}
}

func TestLimitHalvesOnceAWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refuse := make(chan struct{})
		c := llm.Limit(llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) {
			<-refuse
			return nil, kind(llm.ErrOverloaded)
		}), 16)
		var wg sync.WaitGroup
		for range 16 { // one window
			wg.Go(func() { c.Complete(t.Context(), &llm.Request{}) })
		}
		synctest.Wait()
		close(refuse)
		wg.Wait()
		if got := llm.Size(c); got != 8 {
			t.Errorf("limit = %d after 16 refusals at once, want 8", got)
		}
	})
}

func TestLimitWaitEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner, _ := sleeping()
		c := llm.Limit(inner, 1)
		var (
			mu    sync.Mutex
			order []string
		)
		call := func(name string, ctx context.Context) func() {
			return func() {
				_, err := c.Complete(ctx, &llm.Request{})
				mu.Lock()
				defer mu.Unlock()
				order = append(order, fmt.Sprintf("%s %v", name, err))
			}
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		var wg sync.WaitGroup
		for _, f := range []func(){call("first", t.Context()), call("gives up", short), call("last", t.Context())} {
			wg.Go(f)
			synctest.Wait()
		}
		start := time.Now()
		wg.Wait()
		if got := time.Since(start); got != 2*time.Second {
			t.Errorf("took %v, want 2 s", got)
		}
		want := []string{"gives up context deadline exceeded", "first <nil>", "last <nil>"}
		if diff := cmp.Diff(want, order); diff != "" {
			t.Errorf("order mismatch (-want +got):\n%s", diff)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if _, err := c.Complete(ended, &llm.Request{}); !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v, want context.Canceled", err)
		}
	})
}

// TestLimitLosesNoPlace ends a wait at the moment when its turn comes: the call
// that has the place ends the context of the one that waits, and returns.
func TestLimitLosesNoPlace(t *testing.T) {
	for range 100 { // which of the two comes first is up to the scheduler
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			release := make(chan struct{})
			c := llm.Limit(llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) {
				<-release
				cancel()
				return &llm.Response{}, nil
			}), 1)
			var wg sync.WaitGroup
			wg.Go(func() { c.Complete(t.Context(), &llm.Request{}) })
			synctest.Wait()
			wg.Go(func() { c.Complete(ctx, &llm.Request{}) })
			synctest.Wait()
			close(release)
			wg.Wait()
			if _, err := c.Complete(t.Context(), &llm.Request{}); err != nil { // or it waits for ever
				t.Error(err)
			}
		})
	}
}
