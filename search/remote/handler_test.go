package remote_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/search"
	"trawl/search/remote"
)

// numbered finds n documents for every query but "nothing".
var numbered = searcher(func(_ context.Context, query string, n int) ([]search.Hit, error) {
	if query == "nothing" {
		return nil, nil
	}
	var hits []search.Hit
	for i := range min(n, 5) {
		hits = append(hits, search.Hit{Document: search.Document{ID: fmt.Sprint(i), Title: query, Text: "text"}, Score: float64(9 - i)})
	}
	return hits, nil
})

// call makes one call of a handler.
func call(ctx context.Context, h http.Handler, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "POST", "/retrieve", strings.NewReader(body)))
	return w
}

func TestAnswers(t *testing.T) {
	tests := []struct{ name, call, want string }{
		{"with scores", `{"queries":["a","b"],"topk":1,"return_scores":true}`,
			`{"result":[[{"document":{"id":"0","contents":"\"a\"\ntext"},"score":9}],[{"document":{"id":"0","contents":"\"b\"\ntext"},"score":9}]]}`},
		{"without scores", `{"queries":["a"],"topk":2,"return_scores":false}`,
			`{"result":[[{"id":"0","contents":"\"a\"\ntext"},{"id":"1","contents":"\"a\"\ntext"}]]}`},
		{"scores are off", `{"queries":["a","nothing"],"topk":1}`, `{"result":[[{"id":"0","contents":"\"a\"\ntext"}],[]]}`},
		{"no hits", `{"queries":["nothing"],"return_scores":true}`, `{"result":[[]]}`},
		{"no queries", `{"queries":[],"topk":3}`, `{"result":[]}`},
		{"unknown keys and nulls", `{"queries":["nothing"],"topk":null,"return_scores":null,"retriever":"e5"}`, `{"result":[[]]}`},
		{"one query", `{"query":"a","topk":1}`, `{"result":[{"document":{"title":"a","text":"text"},"docid":"0"}]}`},
		{"one query with scores", `{"query":"a","topk":1,"return_scores":true}`, `{"result":[{"document":{"title":"a","text":"text"},"docid":"0","score":9}]}`},
		{"one query without hits", `{"query":"nothing"}`, `{"result":[]}`},
		{"both", `{"queries":["b"],"query":"a","topk":1}`, `{"result":[[{"id":"0","contents":"\"b\"\ntext"}]]}`},
		{"both, without queries", `{"queries":[],"query":"a","topk":1}`, `{"result":[{"document":{"title":"a","text":"text"},"docid":"0"}]}`},
		{"tags are not escaped", `{"queries":["<b>"],"topk":1}`, `{"result":[[{"id":"0","contents":"\"<b>\"\ntext"}]]}`},
	}
	h := remote.Handler(numbered, remote.ServeOptions{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := call(t.Context(), h, tt.call)
			if diff := cmp.Diff(tt.want, w.Body.String()); diff != "" || w.Code != http.StatusOK {
				t.Errorf("status %d, answer mismatch (-want +got):\n%s", w.Code, diff)
			}
			if got := w.Header().Get("Content-Type"); got != "application/json" {
				t.Errorf("content type %q", got)
			}
		})
	}
}

func TestDefaultTop(t *testing.T) {
	for _, tt := range []struct {
		topk string
		top  int
		want int
	}{{"null", 0, 3}, {"0", 0, 3}, {`"0"`, 0, 3}, {"0", 4, 4}, {"2", 4, 2}} {
		w := call(t.Context(), remote.Handler(numbered, remote.ServeOptions{Top: tt.top}), `{"queries":["a"],"topk":`+tt.topk+`}`)
		var got struct{ Result [][]any }
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || len(got.Result) != 1 || len(got.Result[0]) != tt.want {
			t.Errorf("topk %s of %d by default: %s, want %d hits", tt.topk, tt.top, w.Body, tt.want)
		}
	}
}

// TestLenient has what pydantic takes for numbers and truth.
func TestLenient(t *testing.T) {
	h := remote.Handler(numbered, remote.ServeOptions{})
	hit := `{"id":"0","contents":"\"a\"\ntext"}`
	plain, scored := `{"result":[[`+hit+`]]}`, `{"result":[[{"document":`+hit+`,"score":9}]]}`
	for want, tests := range map[string][]string{
		plain:  {`false`, `0`, `0.0`, `null`, `"false"`, `"F"`, `"no"`, `"n"`, `"off"`, `"0"`},
		scored: {`true`, `1`, `1.0`, `"True"`, `"t"`, `"yes"`, `"Y"`, `"on"`, `"1"`},
	} {
		for _, scores := range tests {
			if w := call(t.Context(), h, `{"queries":["a"],"topk":1,"return_scores":`+scores+`}`); w.Body.String() != want {
				t.Errorf("return_scores %s: %s, want %s", scores, w.Body, want)
			}
		}
	}
	for _, topk := range []string{`1`, `1.0`, `10e-1`, `"1"`, `" 1 "`, `"1.0"`} {
		if w := call(t.Context(), h, `{"queries":["a"],"topk":`+topk+`}`); w.Body.String() != plain {
			t.Errorf("topk %s: %s, want %s", topk, w.Body, plain)
		}
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		name, call string
		status     int
		want       string
	}{
		{"nothing", ``, 400, "not JSON: it is cut off"},
		{"cut off", `{"queries":["a"`, 400, "not JSON: it is cut off"},
		{"no JSON", `queries=a`, 400, "not JSON at byte 1"},
		{"two values", `{"queries":["a"]} {}`, 400, "not JSON at byte 19"},
		{"a list", `["a"]`, 400, "want an object, found a list"},
		{"no queries", `{"topk":3}`, 400, `key queries: missing; a call is such as {"queries": ["a question"], "topk": 3, "return_scores": true}`},
		{"queries are null", `{"queries":null}`, 400, `key queries: missing; a call is such as {"queries": ["a question"], "topk": 3, "return_scores": true}`},
		{"one string", `{"queries":"a"}`, 400, "key queries: want a list, found a string"},
		{"numbers", `{"queries":[7]}`, 400, "key queries: want a string, found a number"},
		{"topk is text", `{"queries":["a"],"topk":"three"}`, 400, `key topk: "three": want a whole number from 1 to 1000`},
		{"topk is a part", `{"queries":["a"],"topk":2.5}`, 400, "key topk: 2.5: want a whole number from 1 to 1000"},
		{"topk is true", `{"queries":["a"],"topk":true}`, 400, "key topk: true: want a whole number from 1 to 1000"},
		{"topk below 0", `{"queries":["a"],"topk":-1}`, 400, "key topk: -1: want a whole number from 1 to 1000"},
		{"topk too great", `{"queries":["a"],"topk":1001}`, 400, "key topk: 1001: want a whole number from 1 to 1000"},
		{"topk beyond numbers", `{"queries":["a"],"topk":1e99}`, 400, "key topk: 1e99: want a whole number from 1 to 1000"},
		{"scores are a list", `{"queries":["a"],"return_scores":[]}`, 400, "key return_scores: []: want true or false"},
		{"scores are two", `{"queries":["a"],"return_scores":2}`, 400, "key return_scores: 2: want true or false"},
		{"a long query", `{"queries":["a","` + strings.Repeat("b", 101) + `"]}`, 400, "query 2 has 101 bytes: want at most 100"},
		{"too many queries", `{"queries":["a","b","c","d"]}`, 400, "key queries: 4 of them: want at most 3 in one call"},
		{"too long", `{"queries":["` + strings.Repeat("a", 200) + `"]}`, 413, "the call has more than 150 bytes"},
		{"the search fails", `{"queries":["a","fail"]}`, 500, "the disk is on fire"},
	}
	h := remote.Handler(searcher(func(ctx context.Context, query string, n int) ([]search.Hit, error) {
		if query == "fail" {
			return nil, errors.New("the disk is on fire")
		}
		return numbered(ctx, query, n)
	}), remote.ServeOptions{MaxQueries: 3, MaxQuery: 100, MaxBody: 150})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := call(t.Context(), h, tt.call)
			var got map[string]string
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
				t.Fatalf("%q is no JSON: %v", w.Body, err)
			}
			if diff := cmp.Diff(map[string]string{"error": tt.want}, got); diff != "" || w.Code != tt.status {
				t.Errorf("status %d, want %d; mismatch (-want +got):\n%s", w.Code, tt.status, diff)
			}
		})
	}
}

// TestTooManyHits asks for the hits of few queries that are many together.
func TestTooManyHits(t *testing.T) {
	h := remote.Handler(numbered, remote.ServeOptions{})
	queries := strings.TrimSuffix(strings.Repeat(`"a",`, 101), ",")
	for topk, status := range map[int]int{990: http.StatusOK, 991: http.StatusBadRequest} { // 101 · 990 = 99,990
		if w := call(t.Context(), h, fmt.Sprintf(`{"queries":[%s],"topk":%d}`, queries, topk)); w.Code != status {
			t.Errorf("topk %d: status %d, want %d: %.100s", topk, w.Code, status, w.Body)
		}
	}
}

func TestRoutes(t *testing.T) {
	h := remote.Handler(numbered, remote.ServeOptions{About: map[string]int{"documents": 7}})
	for _, tt := range []struct {
		method, path string
		status       int
		want         string
	}{
		{"GET", "/health", 200, `{"status":"ok","server":"trawl","index":{"documents":7}}`},
		{"GET", "/retrieve", 405, "Method Not Allowed\n"},
		{"POST", "/search", 404, "404 page not found\n"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(tt.method, tt.path, nil))
		if w.Code != tt.status || w.Body.String() != tt.want {
			t.Errorf("%s %s: %d %q, want %d %q", tt.method, tt.path, w.Code, w.Body, tt.status, tt.want)
		}
	}
}

// TestWorkers makes two calls at once, of queries that take a second each, with
// three workers: 10 searches take four seconds, and three run at once.
func TestWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		h := remote.Handler(searcher(func(ctx context.Context, query string, n int) ([]search.Hit, error) {
			now := running.Add(1)
			for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
			}
			defer running.Add(-1)
			wait(ctx, time.Second)
			return numbered(ctx, query, n)
		}), remote.ServeOptions{Workers: 3})
		start := time.Now()
		other := make(chan int)
		go func() { other <- call(t.Context(), h, `{"queries":["a","b","c","d","e"]}`).Code }()
		w := call(t.Context(), h, `{"queries":["a","b","c","d","nothing"],"topk":1}`)
		if code := <-other; code != 200 || w.Code != 200 {
			t.Errorf("status %d and %d", code, w.Code)
		}
		if took := time.Since(start); took != 4*time.Second || most.Load() != 3 {
			t.Errorf("took %v, %d at once, want 4s, 3", took, most.Load())
		}
		one := func(title string) string { return `[{"id":"0","contents":"\"` + title + `\"\ntext"}]` }
		if diff := cmp.Diff(`{"result":[`+one("a")+","+one("b")+","+one("c")+","+one("d")+",[]]}", w.Body.String()); diff != "" {
			t.Errorf("the lists are not in the order of the queries (-want +got):\n%s", diff)
		}
	})
}

// TestCancelledCall leaves while searches run and others wait.
func TestCancelledCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Int32
		h := remote.Handler(searcher(func(ctx context.Context, _ string, _ int) ([]search.Hit, error) {
			defer ended.Add(1)
			return nil, wait(ctx, time.Hour)
		}), remote.ServeOptions{Workers: 2})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		w := call(ctx, h, `{"queries":["a","b","c","d"]}`)
		if took := time.Since(start); took != time.Second || w.Code != http.StatusServiceUnavailable || ended.Load() != 2 {
			t.Errorf("status %d after %v, %d searches ended, want 503 after 1s, 2", w.Code, took, ended.Load())
		}
	})
}

// wait waits, or returns why it did not.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
