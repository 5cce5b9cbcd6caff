package opensearch_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"trawl/search"
	"trawl/search/index"
	"trawl/search/opensearch"
)

const page = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1><hr>nginx</body></html>"

// failing makes a cluster answer the first times calls whose path ends so with f.
func (c *cluster) failing(path string, times int32, f http.HandlerFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.before = func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		if !strings.HasSuffix(r.URL.Path, path) || atomic.AddInt32(&times, -1) < 0 {
			return false
		}
		f(w, r)
		return true
	}
}

func html(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		io.WriteString(w, page)
	}
}

func overloaded(w http.ResponseWriter, _ *http.Request) {
	failure(w, 429, "rejected_execution_exception", "rejected execution of primary operation")
}

// cut ends the connection within the answer.
func cut(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"took":1,`)
	panic(http.ErrAbortHandler)
}

func body(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, s)
	}
}

// A searching is a search whose first so many calls are answered by f.
type searching struct {
	name  string
	times int32
	f     http.HandlerFunc
	want  []string // in the error; none: the search works
	calls int
}

func (tt searching) run(t *testing.T) {
	c, address := newCluster(t)
	build(t, address, owl, crow)
	x := opened(t, address, quick())
	c.failing("/_search", tt.times, tt.f)
	hits, err := x.Search(t.Context(), "owl", 3)
	switch {
	case tt.want == nil && (err != nil || ids(hits) != "owl"):
		t.Errorf("Search = %v, %v; want the owl", hits, err)
	case tt.want != nil && err == nil:
		t.Fatalf("Search = %v, want an error with %q", hits, tt.want)
	}
	for _, want := range tt.want {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error is %q, want %q in it", err, want)
		}
	}
	if got := c.called("POST /passages/_search"); got != tt.calls {
		t.Errorf("%d calls, want %d", got, tt.calls)
	}
}

func TestSearchFailures(t *testing.T) {
	tests := []searching{
		{"429, then it works", 2, overloaded, nil, 3},
		{"502, then it works", 3, html(502), nil, 4},
		{"cut off, then it works", 1, cut, nil, 2},
		{"429 for good", 9, overloaded, []string{"attempt 4 of 4", "HTTP 429", "rejected execution of primary"}, 4},
		{"502 for good", 9, html(502), []string{"HTTP 502 Bad Gateway, text/html", "nginx"}, 4},
		{"cut off for good", 9, cut, []string{"cannot be reached", "EOF"}, 4},
		{"a page in place of JSON", 9, html(200), []string{"not an answer of OpenSearch, but text/html (HTTP 200)", "nginx"}, 1},
		{"another JSON", 9, body(`{"ok": true}`), []string{"has no hits"}, 1},
		{"a hit without score", 9, body(`{"hits":{"hits":[{"_id":"7","_score":null,"_source":{"id":"7"}}]}}`), []string{`document "7" has no score`}, 1},
		{"a title that is a list", 9, body(`{"hits":{"hits":[{"_id":"7","_score":1,"_source":{"title":["a"]}}]}}`), []string{`document "7"`, "key title", "want a string"}, 1},
		{"not allowed", 9, func(w http.ResponseWriter, _ *http.Request) {
			failure(w, 403, "security_exception", "no permissions for [indices:data/read/search]")
		}, []string{"HTTP 403 Forbidden: security_exception: no permissions"}, 1},
		{"the index is gone", 9, func(w http.ResponseWriter, _ *http.Request) { missing(w, "passages") }, []string{"no such index"}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, tt.run)
	}
}

func TestSearchEnds(t *testing.T) {
	c, address := newCluster(t)
	build(t, address, owl)
	x := opened(t, address, opensearch.Options{Wait: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	c.failing("/_search", 9, func(w http.ResponseWriter, r *http.Request) {
		cancel()
		overloaded(w, r)
	})
	if _, err := x.Search(ctx, "owl", 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want context.Canceled", err)
	}
}

func TestUnreachable(t *testing.T) {
	_, err := opensearch.Open(t.Context(), "opensearch://u:secret@127.0.0.1:1/x", quick())
	if !errors.Is(err, opensearch.ErrUnreachable) || strings.Contains(err.Error(), "secret") {
		t.Errorf("error is %v, want ErrUnreachable without the password", err)
	}
}

func TestBuildFailures(t *testing.T) {
	long := search.Document{ID: strings.Repeat("x", 513)}
	tests := []struct {
		name  string
		docs  []search.Document
		setup func(c *cluster)
		want  string // in the error; empty: the building works
	}{
		{"429 for all, then it works", nil, func(c *cluster) { c.failing("/_bulk", 2, overloaded) }, ""},
		{"429 for one document, then it works", nil, func(c *cluster) { c.refuse = times(2, "owl", 429) }, ""},
		{"429 for one document for good", nil, func(c *cluster) { c.refuse = times(99, "owl", 429) }, `1 of 1 documents refused for now: document "owl": status 429: rejected_execution_exception`},
		{"an answer that is lost", nil, func(c *cluster) { c.lose() }, ""},
		{"a document refused for good", nil, func(c *cluster) { c.refuse = times(99, "crow", 400) }, `document "crow": status 400: mapper_parsing_exception: failed to parse`},
		{"an id twice", []search.Document{owl, crow, owl}, func(*cluster) {}, `document "owl": an earlier document has the same id`},
		{"an id twice, whose answer is lost", []search.Document{owl, crow, owl}, func(c *cluster) { c.lose() }, "it has 2 documents, and 3 were sent"},
		{"no id", []search.Document{{Text: "x"}}, func(*cluster) {}, "document 1: it has no id"},
		{"an id that is too long", []search.Document{long}, func(*cluster) {}, "513 bytes, and OpenSearch takes 512"},
		{"fewer results than documents", nil, func(c *cluster) { c.failing("/_bulk", 1, body(`{"items":[]}`)) }, "is for 0 documents, and 2 were sent"},
		{"a page in place of JSON", nil, func(c *cluster) { c.failing("/_bulk", 1, html(200)) }, "not an answer of OpenSearch"},
		{"no room for an index", nil, func(c *cluster) {
			c.failing("/passages", 2, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					missing(w, "passages")
					return
				}
				failure(w, 400, "validation_exception", "this cluster currently has [1000]/[1000] maximum shards open")
			})
		}, "maximum shards open"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, address := newCluster(t)
			tt.setup(c)
			docs := tt.docs
			if docs == nil {
				docs = []search.Document{owl, crow}
			}
			_, err := opensearch.Build(t.Context(), address, each(docs...), building())
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if n := opened(t, address, quick()).Info().Documents; n != len(docs) {
					t.Errorf("%d documents, want %d", n, len(docs))
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error is %v, want %q in it", err, tt.want)
			}
			c.before, c.refuse = nil, nil
			if stats := build(t, address, owl, crow); stats.Documents != 2 {
				t.Errorf("the building after it: %+v, want 2 documents", stats)
			}
		})
	}
}

// times returns a refusal of one document so many times.
func times(n int, id string, status int) func(string) int {
	return func(got string) int {
		if got != id || n == 0 {
			return 0
		}
		n--
		return status
	}
}

// lose makes the cluster take the first bulk request whole and cut its answer off.
func (c *cluster) lose() {
	lost := false
	c.before = func(w http.ResponseWriter, r *http.Request, body []byte) bool {
		if lost || !strings.HasSuffix(r.URL.Path, "/_bulk") {
			return false
		}
		lost = true
		c.mu.Lock()
		c.bulk(c.indexes["passages"], body)
		c.mu.Unlock()
		cut(w, r)
		return true
	}
}

func TestPassword(t *testing.T) {
	for _, given := range []struct {
		name, user string
		opts       opensearch.Options
	}{
		{"in the address", "ada:s3cret@", opensearch.Options{User: "other", Password: "other"}},
		{"in the options", "", opensearch.Options{User: "ada", Password: "s3cret"}},
	} {
		t.Run(given.name, func(t *testing.T) {
			c, address := newCluster(t)
			build(t, address, owl)
			address = strings.Replace(address, "://", "://"+given.user, 1)
			allowed := "s3cret"
			c.before = func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
				if user, password, _ := r.BasicAuth(); user == "ada" && password == allowed {
					return false
				}
				w.WriteHeader(http.StatusUnauthorized)
				io.WriteString(w, "Unauthorized")
				return true
			}
			given.opts.Wait = time.Microsecond
			x := opened(t, address, given.opts)
			if strings.Contains(x.String()+string(x.Identity()), "ada") {
				t.Errorf("%s and %s: want no user in them", x, x.Identity())
			}
			allowed = "changed"
			_, err := x.Search(t.Context(), "owl", 1)
			if err == nil || !strings.Contains(err.Error(), "HTTP 401 Unauthorized") || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("error is %v, want HTTP 401 without the password", err)
			}
		})
	}
}

// TestBuildingTakenOver has another program replace the index while it is built.
func TestBuildingTakenOver(t *testing.T) {
	c, address := newCluster(t)
	_, err := opensearch.Build(t.Context(), address, func(yield func(search.Document, error) bool) {
		c.mu.Lock()
		c.indexes["passages"].mappings["_meta"] = map[string]any{}
		c.mu.Unlock()
		yield(owl, nil)
	}, building())
	if err == nil || !strings.Contains(err.Error(), "another program has made the index") {
		t.Errorf("error is %v, want that another program made the index", err)
	}
}

func TestBuildCancelled(t *testing.T) {
	c, address := newCluster(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := opensearch.Build(ctx, address, func(yield func(search.Document, error) bool) {
		cancel()
		yield(owl, nil)
	}, building())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want context.Canceled", err)
	}
	if i := slices.Index(c.calls, "PUT /passages/_mapping"); i >= 0 {
		t.Errorf("call %d says that the index is complete", i)
	}
	if _, err := opensearch.Open(t.Context(), address, quick()); !errors.Is(err, index.ErrIncomplete) {
		t.Errorf("Open: error is %v, want ErrIncomplete", err)
	}
}
