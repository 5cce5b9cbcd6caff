package httpcall_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"trawl/internal/httpcall"
)

func TestPersist(t *testing.T) {
	broken, busy := errors.New("broken"), errors.New("busy")
	passing := func(after time.Duration) error { return &httpcall.Passing{Err: busy, After: after} }
	tests := []struct {
		name     string
		answers  []error // of one attempt after the other
		want     error
		says     string
		attempts int
		min, max time.Duration // that it takes
	}{
		{"at once", []error{nil}, nil, "", 1, 0, 0},
		{"at the third attempt", []error{passing(0), passing(0), nil}, nil, "", 3, 1500 * time.Millisecond, 3 * time.Second}, // 0.5 to 1, and 1 to 2
		{"a failure that stays", []error{passing(0), broken}, broken, "broken", 2, 500 * time.Millisecond, time.Second},
		{"attempts are used up", []error{passing(0), passing(0), passing(0), nil}, busy, "attempt 3 of 3: busy", 3, 1500 * time.Millisecond, 3 * time.Second},
		{"the server says when", []error{passing(20 * time.Second), nil}, nil, "", 2, 20 * time.Second, 20 * time.Second},
		{"the server asks for too much", []error{passing(2 * time.Minute), nil}, busy, "the server asks to wait for 2m0s", 1, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start, n := time.Now(), 0
				err := httpcall.Persist(t.Context(), 3, time.Second, func(context.Context) error {
					n++
					return tt.answers[n-1]
				})
				if !errors.Is(err, tt.want) || tt.want != nil && !strings.Contains(err.Error(), tt.says) || n != tt.attempts {
					t.Errorf("error %v after %d attempts, want %v after %d", err, n, tt.says, tt.attempts)
				}
				if took := time.Since(start); took < tt.min || took > tt.max {
					t.Errorf("it took %v, want %v to %v", took, tt.min, tt.max)
				}
			})
		})
	}
}

func TestPersistEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		start := time.Now()
		err := httpcall.Persist(ctx, 9, 10*time.Second, func(context.Context) error { return &httpcall.Passing{Err: errors.New("busy")} })
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "busy") || time.Since(start) != 3*time.Second {
			t.Errorf("error %v after %v, want the deadline and what was wrong after 3s", err, time.Since(start))
		}
	})
}

func TestSaid(t *testing.T) {
	for said, want := range map[string]string{
		"<html><head><style>p {}</style></head><h1>502 Bad&nbsp;Gateway</h1>\n<p>nginx": "502 Bad Gateway nginx",
		"a\x1b[2J\x00b \xff": "a[2Jb \uFFFD",
		"1 < 2 and 3 > 2":    "1 < 2 and 3 > 2",
	} {
		if got := httpcall.FirstWords([]byte(said)); got != want {
			t.Errorf("FirstWords(%q) = %q, want %q", said, got, want)
		}
	}
	if got := httpcall.FirstWords([]byte(strings.Repeat("word ", 100))); len(got) > 210 || !strings.HasSuffix(got, " …") {
		t.Errorf("a long page becomes %q", got)
	}
	for value, want := range map[string]time.Duration{"": 0, "x": 0, "-1": 0, "NaN": 0, "1.5": 1500 * time.Millisecond, "1e30": 24 * time.Hour} {
		if got := httpcall.RetryAfter(http.Header{"Retry-After": {value}}); got != want {
			t.Errorf("Retry-After %q is %v, want %v", value, got, want)
		}
	}
	for status, want := range map[int]bool{200: false, 404: false, 429: true, 500: true, 503: true} {
		if httpcall.Passes(status) != want {
			t.Errorf("status %d passes: %v, want %v", status, !want, want)
		}
	}
}
