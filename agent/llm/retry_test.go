package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
)

// failing returns a client that fails with the errors in turn, then succeeds.
// It appends the time of each call since the first to times.
func failing(times *[]time.Duration, errs ...error) llm.Client {
	var first time.Time
	calls := 0
	return llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) {
		if calls == 0 {
			first = time.Now()
		}
		*times = append(*times, time.Since(first))
		calls++
		if calls <= len(errs) {
			return nil, errs[calls-1]
		}
		return &llm.Response{Finish: "stop"}, nil
	})
}

func kind(err error) *llm.Error { return &llm.Error{Kind: err, Endpoint: "http://a/v1"} }

func TestRetry(t *testing.T) {
	overloaded, unreachable, malformed := kind(llm.ErrOverloaded), kind(llm.ErrUnreachable), kind(llm.ErrMalformed)
	later := &llm.Error{Kind: llm.ErrOverloaded, RetryAfter: 7 * time.Second}
	longest := &llm.Error{Kind: llm.ErrOverloaded, RetryAfter: llm.Longest}
	tooLate := &llm.Error{Kind: llm.ErrOverloaded, RetryAfter: llm.Longest + time.Second}
	const s = time.Second
	tests := []struct {
		name     string
		errs     []error
		attempts int
		chance   float64
		want     []time.Duration // of the calls
		wantErr  error
	}{
		{"success", nil, 3, 0, []time.Duration{0}, nil},
		// ½ · 1 s and ½ · 2 s
		{"least waits", []error{overloaded, unreachable}, 5, 0, []time.Duration{0, s / 2, s/2 + s}, nil},
		// ¾ · 1 s, ¾ · 2 s, ¾ · 4 s
		{"waits double", []error{malformed, malformed, malformed}, 5, 0.5, []time.Duration{0, 750 * time.Millisecond, 2250 * time.Millisecond, 5250 * time.Millisecond}, nil},
		{"attempts end", []error{overloaded, overloaded, unreachable}, 3, 0, []time.Duration{0, s / 2, s/2 + s}, llm.ErrUnreachable},
		{"no attempts is one", []error{overloaded}, 0, 0, []time.Duration{0}, llm.ErrOverloaded},
		// 7 s + 0.5 · 1 s; then the second wait of the usual row, ¾ · 2 s
		{"the server's time", []error{later, overloaded}, 5, 0.5, []time.Duration{0, 7500 * time.Millisecond, 9 * time.Second}, nil},
		{"the server's time is bounded", []error{longest}, 5, 0.5, []time.Duration{0, llm.Longest}, nil},
		{"too long to wait", []error{tooLate}, 5, 0.5, []time.Duration{0}, llm.ErrOverloaded},
		{"a server's failure", []error{kind(llm.ErrServer)}, 5, 0, []time.Duration{0, s / 2}, nil},
		{"bad request", []error{kind(llm.ErrBadRequest)}, 5, 0, []time.Duration{0}, llm.ErrBadRequest},
		{"context length", []error{kind(llm.ErrContextLength)}, 5, 0, []time.Duration{0}, llm.ErrContextLength},
		{"cancelled", []error{context.Canceled}, 5, 0, []time.Duration{0}, context.Canceled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var times []time.Duration
				c := llm.RetryWith(failing(&times, tt.errs...), tt.attempts, time.Second, func() float64 { return tt.chance })
				_, err := c.Complete(t.Context(), &llm.Request{})
				if !errors.Is(err, tt.wantErr) || (err == nil) != (tt.wantErr == nil) {
					t.Errorf("err = %v, want %v", err, tt.wantErr)
				}
				if diff := cmp.Diff(tt.want, times); diff != "" {
					t.Errorf("times of calls mismatch (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestWords checks what a user reads.
func TestWords(t *testing.T) {
	long := &llm.Error{Kind: llm.ErrServer, Endpoint: "http://a/v1", Status: 500, Body: strings.Repeat("é", 500)}
	later := &llm.Error{Kind: llm.ErrOverloaded, Endpoint: "http://a/v1", Status: 429, RetryAfter: 24 * time.Hour}
	script := llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) { return nil, later })
	_, refused := llm.Retry(script, 5, time.Second).Complete(t.Context(), &llm.Request{})
	down := llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) { return nil, kind(llm.ErrUnreachable) })
	broken := llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) { return nil, kind(llm.ErrServer) })
	_, none := llm.Route([]llm.Client{down, broken}).Complete(t.Context(), &llm.Request{})
	tests := []struct {
		err  error
		want string
	}{
		{long, "llm: http://a/v1: the server failed (HTTP 500): " + strings.Repeat("é", 150) + " …"},
		{refused, "llm: the server asks to wait for 24h0m0s, and trawl waits for 10m0s at most: llm: http://a/v1: the server is overloaded (HTTP 429)"},
		{none, "llm: none of 2 servers can be reached: llm: http://a/v1: the server cannot be reached; llm: http://a/v1: the server failed"},
	}
	for _, tt := range tests {
		if tt.err == nil || tt.err.Error() != tt.want {
			t.Errorf("error %v, want %s", tt.err, tt.want)
		}
	}
	if !errors.Is(long, llm.ErrServer) || !errors.Is(long, llm.ErrUnreachable) || errors.Is(kind(llm.ErrUnreachable), llm.ErrServer) {
		t.Error("ErrServer is not a kind of ErrUnreachable")
	}
	if e, ok := errors.AsType[*llm.Error](none); !ok || e.Endpoint != "http://a/v1" || !errors.Is(none, llm.ErrServer) {
		t.Errorf("the errors of all servers are not in %v", none)
	}
}

func TestRetryBounds(t *testing.T) {
	// Whatever chance says, 20 waits are each within [d/2, d), d doubling to the bound.
	synctest.Test(t, func(t *testing.T) {
		var errs []error
		for range 20 {
			errs = append(errs, kind(llm.ErrOverloaded))
		}
		var times []time.Duration
		if _, err := llm.Retry(failing(&times, errs...), 21, time.Second).Complete(t.Context(), &llm.Request{}); err != nil {
			t.Fatal(err)
		}
		d := time.Second
		for i := range errs {
			if wait := times[i+1] - times[i]; wait < d/2 || wait > d {
				t.Errorf("wait %d = %v, want within [%v, %v]", i+1, wait, d/2, d)
			}
			d = min(2*d, llm.Longest)
		}
	})
}

func TestRetrySendsTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seed := int64(17)
		var seen []*llm.Request
		c := llm.Retry(llmtest.Func(func(_ context.Context, req *llm.Request) (*llm.Response, error) {
			seen = append(seen, req)
			return nil, kind(llm.ErrMalformed)
		}), 3, time.Second)
		req := &llm.Request{Seed: &seed}
		if _, err := c.Complete(t.Context(), req); !errors.Is(err, llm.ErrMalformed) {
			t.Errorf("err = %v", err)
		}
		for _, r := range seen {
			if r != req || *r.Seed != 17 {
				t.Errorf("request %+v, want the first one", r)
			}
		}
		if len(seen) != 3 {
			t.Errorf("%d calls, want 3", len(seen))
		}
	})
}

func TestRetryStopsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		var times []time.Duration
		later := &llm.Error{Kind: llm.ErrOverloaded, RetryAfter: time.Minute}
		start := time.Now()
		_, err := llm.Retry(failing(&times, later), 5, time.Second).Complete(ctx, &llm.Request{})
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, llm.ErrOverloaded) {
			t.Errorf("err = %v, want the context's", err)
		}
		if got := time.Since(start); got != 3*time.Second || len(times) != 1 {
			t.Errorf("%v and %d calls, want 3 s and 1", got, len(times))
		}
	})
}

// TestOrderOfDecorators shows why Retry stands outside: while one call waits to
// be tried again, another uses the only place.
func TestOrderOfDecorators(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		first := true
		inner := llmtest.Func(func(_ context.Context, req *llm.Request) (*llm.Response, error) {
			if req.Affinity == "refused" && first {
				first = false
				return nil, &llm.Error{Kind: llm.ErrOverloaded, RetryAfter: time.Minute}
			}
			return &llm.Response{}, nil
		})
		c := llm.Retry(llm.Limit(inner, 1), 2, 0)
		done := make(chan time.Duration)
		go func() {
			if _, err := c.Complete(t.Context(), &llm.Request{Affinity: "refused"}); err != nil {
				t.Error(err)
			}
			done <- time.Since(start)
		}()
		synctest.Wait()
		if _, err := c.Complete(t.Context(), &llm.Request{Affinity: "other"}); err != nil {
			t.Error(err)
		}
		if got := time.Since(start); got != 0 {
			t.Errorf("the other call took %v, want 0", got)
		}
		if got := <-done; got != time.Minute {
			t.Errorf("the refused call took %v, want 1 min", got)
		}
	})
}

// flaky is an embedder that fails with the errors in turn, then embeds.
type flaky struct {
	errs  []error
	calls int
}

func (f *flaky) Embed(_ context.Context, texts []string) ([][]float32, error) {
	f.calls++
	if f.calls <= len(f.errs) {
		return nil, f.errs[f.calls-1]
	}
	return make([][]float32, len(texts)), nil
}

func TestRetryEmbedder(t *testing.T) {
	bad := kind(llm.ErrBadRequest)
	tests := []struct {
		name  string
		errs  []error
		calls int
		err   error
	}{
		{"passes", []error{kind(llm.ErrUnreachable), kind(llm.ErrOverloaded)}, 3, nil},
		{"attempts end", []error{kind(llm.ErrServer), kind(llm.ErrServer), kind(llm.ErrServer), kind(llm.ErrServer)}, 4, llm.ErrServer},
		{"does not pass", []error{bad}, 1, llm.ErrBadRequest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &flaky{errs: tt.errs}
				vectors, err := llm.RetryEmbedder(f, 4, time.Second).Embed(t.Context(), []string{"a", "b"})
				if !errors.Is(err, tt.err) || (err == nil) != (len(vectors) == 2) {
					t.Errorf("Embed = %d vectors, %v; want error %v", len(vectors), err, tt.err)
				}
				if f.calls != tt.calls {
					t.Errorf("%d calls, want %d", f.calls, tt.calls)
				}
			})
		})
	}
}
