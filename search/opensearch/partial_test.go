package opensearch_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"trawl/search/index"
	"trawl/search/opensearch"
)

// partial is what a search or a count says of an index of which two shards are
// not started, and so have not failed.
const partial = `{"count":0,"_shards":{"total":5,"successful":3,"skipped":0,"failed":0},"hits":{"hits":[]}}`

// failed is an error that a proxy has passed on with status 200.
const failed = `{"error":{"root_cause":[],"type":"node_closed_exception","reason":"node closed"},"status":500}`

// source is an answer with a hit of this _source.
func source(s string) http.HandlerFunc {
	return body(`{"hits":{"hits":[{"_id":"1","_score":1` + s + `}]}}`)
}

func TestSearchPartial(t *testing.T) {
	none := []string{`document "1" has no _source`, "index the documents again with _source enabled"}
	tests := []searching{
		{"no _source", 9, source(``), none, 1},
		{"an empty _source", 9, source(`,"_source":{}`), none, 1},
		{"a _source that is null", 9, source(`,"_source":null`), none, 1},
		{"a _source without text", 9, source(`,"_source":{"id":"1"}`), []string{`document "1" has neither title nor text in its _source`}, 1},
		{"two shards did not start, then it works", 1, body(partial), nil, 2},
		{"two shards do not start", 9, body(partial), []string{"attempt 4 of 4", "2 of the index's 5 shards did not answer, 0 of them with a failure"}, 4},
		{"a shard that fails", 9, body(`{"_shards":{"total":3,"successful":2,"failed":1},"hits":{"hits":[]}}`), []string{"1 of the index's 3 shards did not answer, 1 of them with a failure"}, 4},
		{"shards that are skipped", 9, body(`{"_shards":{"total":3,"successful":1,"skipped":1},"hits":{"hits":[]}}`), []string{"2 of the index's 3 shards"}, 4},
		{"timed out, then it works", 1, body(`{"timed_out":true,"_shards":{"total":5,"successful":5},"hits":{"hits":[]}}`), nil, 2},
		{"timed out", 9, body(`{"timed_out":true,"_shards":{"total":5,"successful":5},"hits":{"hits":[]}}`), []string{"the search timed out in the cluster"}, 4},
		{"hits that are null", 9, body(`{"hits":{"hits":null}}`), []string{"the answer to _search has no hits"}, 1},
		{"an error with status 200, then it works", 3, body(failed), nil, 4},
		{"an error with status 200", 9, body(failed), []string{"HTTP 200 with an error of status 500: node_closed_exception: node closed"}, 4},
		{"a refusal with status 200", 9, body(`{"error":"no handler","status":400}`), []string{"HTTP 200 with an error of status 400", "no handler"}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, tt.run)
	}
}

func TestOpenPartial(t *testing.T) {
	ours := func(t *testing.T, _ *cluster, address string) { build(t, address, owl) }
	theirs := func(_ *testing.T, c *cluster, _ string) {
		c.foreign(map[string]any{"text": text()}, map[string]map[string]any{"1": {"text": "The city."}})
	}
	tests := []struct {
		name  string
		make  func(*testing.T, *cluster, string)
		path  string
		times int32
		f     http.HandlerFunc
		want  string // in the error; empty: it opens with one document
	}{
		{"ours", ours, "/_count", 9, body(partial), "2 of the index's 5 shards did not answer"},
		{"ours, then it works", ours, "/_count", 3, body(partial), ""},
		{"ours, an error with status 200", ours, "/_count", 9, body(failed), "error of status 500"},
		{"ours, an error in place of the index", ours, "/passages", 9, body(failed), "error of status 500"},
		{"theirs", theirs, "/_count", 9, body(partial), "2 of the index's 5 shards did not answer"},
		{"theirs, then it works", theirs, "/_count", 3, body(partial), ""},
		{"theirs, no _source", theirs, "/_search", 1, source(``), `document "1" has no _source`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, address := newCluster(t)
			tt.make(t, c, address)
			c.failing(tt.path, tt.times, tt.f)
			if tt.want == "" {
				if n := opened(t, address, quick()).Info().Documents; n != 1 {
					t.Errorf("%d documents, want 1", n)
				}
				return
			}
			_, err := opensearch.Open(t.Context(), address, quick())
			if err == nil || errors.Is(err, index.ErrDamaged) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want %q in it and that nothing is damaged", err, tt.want)
			}
		})
	}
}

// TestNamedError opens an index whose description has the key of an error.
func TestNamedError(t *testing.T) {
	_, address := newCluster(t)
	address = strings.TrimSuffix(address, "passages") + "error"
	build(t, address, owl)
	if n := opened(t, address, quick()).Info().Documents; n != 1 {
		t.Errorf("%d documents, want 1", n)
	}
}

// TestForeignFields has a document with one of two fields that are searched.
func TestForeignFields(t *testing.T) {
	c, address := newCluster(t)
	c.foreign(map[string]any{"a": text(), "b": text()}, map[string]map[string]any{"1": {"a": "The city."}})
	x := opened(t, address, opensearch.Options{Fields: []string{"a", "b"}})
	hits, err := x.Search(t.Context(), "city", 1)
	if err != nil || len(hits) != 1 || hits[0].Text != "The city." {
		t.Errorf("Search = %v, %v; want the text of field a", hits, err)
	}
}
