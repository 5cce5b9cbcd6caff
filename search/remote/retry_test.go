package remote_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"trawl/search"
	"trawl/search/remote"
)

// TestRetries counts the calls and the time between them. With j by chance in
// [0, 1), the waits are (1+j)/4, (1+j)/2 and 1+j seconds by default.
func TestRetries(t *testing.T) {
	tests := []struct {
		name        string
		fails       int // so many times, then it works
		status      int
		retryAfter  string
		calls       int
		least, most time.Duration
		want        string // of the error; "" if there is none
	}{
		{"works at once", 0, 0, "", 1, 0, 0, ""},
		{"overloaded once", 1, 429, "", 2, 250 * time.Millisecond, 500 * time.Millisecond, ""},
		{"fails three times", 3, 503, "", 4, 1750 * time.Millisecond, 3500 * time.Millisecond, ""},
		{"fails for ever", 9, 502, "", 4, 1750 * time.Millisecond, 3500 * time.Millisecond, "attempt 4 of 4: HTTP 502 Bad Gateway, text/html: down"},
		{"names a time", 1, 429, "7", 2, 7 * time.Second, 7 * time.Second, ""},
		{"names a long time", 1, 429, "3600", 1, 0, 0, "the server asks to wait for 1h0m0s, and trawl waits for 1m0s at most"},
		{"wants a password", 1, 401, "", 1, 0, 0, "HTTP 401 Unauthorized, text/html: down"},
		{"does not know the call", 1, 422, "", 1, 0, 0, "HTTP 422"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				o, stop := piped(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					io.Copy(io.Discard, r.Body) //nolint:errcheck // it is a pipe
					if calls++; calls > tt.fails {
						io.WriteString(w, `{"result":[["a"]]}`) //nolint:errcheck // see says
						return
					}
					w.Header().Set("Retry-After", tt.retryAfter)
					says(tt.status, "text/html", "<b>down</b>")(w, r)
				}))
				defer stop()
				start := time.Now()
				hits, err := client(t, "http://server", o).Search(t.Context(), "q", 3)
				if took := time.Since(start); calls != tt.calls || took < tt.least || took > tt.most {
					t.Errorf("%d calls in %v, want %d in %v to %v", calls, took, tt.calls, tt.least, tt.most)
				}
				if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) || (len(hits) == 1) != (err == nil) {
					t.Errorf("%d hits, error %v, want %q", len(hits), err, tt.want)
				}
			})
		})
	}
}

// TestConnections has connections that fail before an answer.
func TestConnections(t *testing.T) {
	tests := []struct {
		name string
		rt   transport
		want string
	}{
		{"refused", func(*http.Request) (*http.Response, error) { return nil, syscall.ECONNREFUSED }, "connection refused"},
		{"silent", func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}, "no answer within 2s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				c := client(t, "http://ann:secret@server/?key=k", remote.Options{Attempts: 3, Timeout: 2 * time.Second, Transport: transport(func(r *http.Request) (*http.Response, error) {
					calls++
					return tt.rt(r)
				})})
				_, err := c.Search(t.Context(), "q", 3)
				want := "remote: http://server/retrieve: attempt 3 of 3: the server cannot be reached: " + tt.want
				if !errors.Is(err, remote.ErrUnreachable) || err.Error() != want || calls != 3 {
					t.Errorf("%d calls, error\n%v, want\n%s", calls, err, want)
				}
			})
		})
	}
}

// TestCancelledSearch leaves while the server works and while the client waits
// to try again. The engine behind the server sees it, and no goroutine stays.
func TestCancelledSearch(t *testing.T) {
	for name, h := range map[string]http.Handler{
		"at work": remote.Handler(searcher(func(ctx context.Context, _ string, _ int) ([]search.Hit, error) {
			return nil, wait(ctx, time.Hour)
		}), remote.ServeOptions{}),
		"between attempts": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) //nolint:errcheck // it is a pipe
			w.Header().Set("Retry-After", "50")
			w.WriteHeader(http.StatusTooManyRequests)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o, stop := piped(h)
				defer stop()
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				start := time.Now()
				_, err := client(t, "http://server", o).Search(ctx, "q", 3)
				if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, remote.ErrUnreachable) || took != 3*time.Second {
					t.Errorf("error %v after %v, want that of the context after 3s", err, took)
				}
			})
		})
	}
}
