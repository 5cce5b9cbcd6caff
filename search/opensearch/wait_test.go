package opensearch_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"trawl/search/opensearch"
)

// A scripted transport answers what the path says, and counts.
type scripted struct {
	answers map[string]string // by end of path; a search is overloaded
	calls   int
}

func (s *scripted) RoundTrip(r *http.Request) (*http.Response, error) {
	resp := &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"7"}}, Request: r}
	answer := "{}"
	for end, a := range s.answers {
		if strings.HasSuffix(r.URL.Path, end) {
			resp.StatusCode, answer = 200, a
		}
	}
	if resp.StatusCode == 429 {
		s.calls++
	}
	resp.Body = io.NopCloser(strings.NewReader(answer))
	return resp, nil
}

// TestWaits asks four times, seven seconds apart as the server says, and leaves
// no goroutine behind.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours := `{"x":{"mappings":{"_meta":{"trawl":{"format":"trawl opensearch index","version":1,"complete":true,"documents":1,` +
			`"params":{"k1":0.9,"b":0.4}}}},"settings":{"index":{"uuid":"u","similarity":{"default":{"type":"BM25","k1":"0.9","b":"0.4"}}}}}}`
		s := &scripted{answers: map[string]string{"/x": ours, "/_count": `{"count":1,"_shards":{"total":1,"successful":1,"failed":0}}`}}
		x, err := opensearch.Open(t.Context(), "opensearch://host/x", opensearch.Options{Transport: s})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		began := time.Now()
		_, err = x.Search(t.Context(), "owl", 1)
		if err == nil || s.calls != 4 || time.Since(began) != 21*time.Second {
			t.Errorf("%d calls in %v and error %v; want 4 in 21 s and an error", s.calls, time.Since(began), err)
		}
	})
}
