package remote_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/search"
	"trawl/search/remote"
)

func TestProbe(t *testing.T) {
	const (
		nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" // SHA-256 of no bytes
		hit     = `{"id":"1","contents":"\"A\"\na"}`
	)
	tests := []struct {
		name, answer string
		want         remote.Dialect // without the fingerprint
	}{
		{"Search-R1", `{"result":[[{"document":` + hit + `,"score":2},{"document":{"id":"2","text":""},"score":1}]]}`, remote.Dialect{Form: remote.SearchR1, IDs: true, Scores: true, Hits: 2}},
		{"distances", `{"result":[[{"document":` + hit + `,"score":1},{"document":{"id":"2","text":""},"score":2}]]}`, remote.Dialect{Form: remote.SearchR1, IDs: true, Scores: true, Rising: true, Hits: 2}},
		{"web search", `{"result":[[{"document":{"contents":"\"A\"\na"}}]]}`, remote.Dialect{Form: remote.SearchR1, Hits: 1}},
		{"BrowseComp-Plus", `{"result":[{"document":{"title":"A","text":"a"},"docid":"1"}]}`, remote.Dialect{Form: remote.BrowseCompPlus, IDs: true, Hits: 1}},
		{"nothing found", `{"result":[[]]}`, remote.Dialect{Form: remote.SearchR1, Fingerprint: nothing}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := dial(t, says(200, "application/json", tt.answer), remote.Options{}).Probe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Fingerprint) != 64 || (got.Fingerprint == nothing) != (got.Hits == 0) {
				t.Errorf("fingerprint %q", got.Fingerprint)
			}
			tt.want.Fingerprint = got.Fingerprint
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("dialect mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestIdentity checks what is the same corpus and what is not.
func TestIdentity(t *testing.T) {
	identity := func(h http.Handler) string {
		t.Helper()
		d, err := dial(t, h, remote.Options{}).Probe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return string(d.Identity())
	}
	engine := func(text string, score float64) search.Engine {
		return searcher(func(context.Context, string, int) ([]search.Hit, error) {
			return []search.Hit{{Document: search.Document{ID: "1", Text: text}, Score: score}}, nil
		})
	}
	foreign := func(e search.Engine) http.Handler { // without our health route
		mux := http.NewServeMux()
		mux.Handle("POST /retrieve", remote.Handler(e, remote.ServeOptions{}))
		return mux
	}
	about := remote.ServeOptions{About: map[string]any{"documents": 7, "sha256": "ab"}}
	if got, want := identity(remote.Handler(engine("a", 1), about)), `{"documents":7,"sha256":"ab"}`; got != want {
		t.Errorf("a server of ours is %s, want %s", got, want)
	}
	a := identity(foreign(engine("a", 1)))
	if !strings.HasPrefix(a, `{"fingerprint":"`) || !strings.HasSuffix(a, `","retrieve":"search-r1"}`) {
		t.Errorf("another server is %s", a)
	}
	if b := identity(foreign(engine("a", 1.0000001))); a != b {
		t.Errorf("scores that differ make %s of %s", b, a)
	}
	if b := identity(foreign(engine("b", 1))); a == b {
		t.Errorf("texts that differ are both %s", a)
	}
	if b := identity(remote.Handler(engine("a", 1), remote.ServeOptions{})); a != b {
		t.Errorf("a server of ours that says nothing is %s, want %s", b, a)
	}
	for _, found := range []string{"yesterday", "today"} {
		web := says(200, "application/json", `{"result":[[{"document":{"contents":"\"Title\"\n`+found+`"}}]]}`)
		if got, want := identity(web), `{"retrieve":"search-r1"}`; got != want {
			t.Errorf("a search of the web is %s, want %s", got, want)
		}
	}
}

func TestProbeFails(t *testing.T) {
	c := dial(t, says(404, "application/json", `{"detail":"Not Found"}`), remote.Options{})
	if _, err := c.Probe(t.Context()); err == nil || !strings.Contains(err.Error(), "HTTP 404") {
		t.Errorf("error %v, want the status", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" { // the health route
			cancel()
			<-r.Context().Done()
			return
		}
		says(200, "application/json", `{"result":[[]]}`)(w, r)
	})
	if _, err := dial(t, h, remote.Options{}).Probe(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}
