package remote_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"trawl/search/remote"
)

// FuzzAnswer checks that whatever a server says is an error or keeps the
// engine's promises.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"result":[[{"document":{"id":"15","contents":"\"A\"\na"},"score":12.25},{"document":"b","score":-1}]]}`,
		`{"result":[{"document":{"title":"B","text":"b"},"docid":62}]}`,
		`{"result":[["\"A\"\na b",{"contents":"c"}]]}`,
		`{"result":[[{"document":"a","score":NaN},{"document":"b \"NaN","score":"-Infinity"}]]}`, "\uFEFF" + `{"result":[[{"document":"a","score":"1e999"}]]}`,
		`{"result":[null]}`, `{"result":[[null]]}`, `{"result":null}`, `{"result": [ [ ] ] }`, `{}`, `[]`, ``, `<html>`,
	} {
		f.Add([]byte(seed))
	}
	const n = 2
	f.Fuzz(func(t *testing.T, answer []byte) {
		c := client(t, "http://server", remote.Options{Transport: transport(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(bytes.NewReader(answer))}, nil
		})})
		hits, err := c.Search(t.Context(), "q", n)
		if err != nil && hits != nil || len(hits) > n {
			t.Fatalf("%d hits, error %v", len(hits), err)
		}
		for i, h := range hits {
			if h.ID == "" {
				t.Errorf("hit %d has no id", i)
			}
			if i > 0 && (h.ID == hits[i-1].ID || h.Score > hits[i-1].Score || h.Score == hits[i-1].Score && h.ID < hits[i-1].ID) {
				t.Errorf("%v stands behind %v", h, hits[i-1])
			}
		}
	})
}
