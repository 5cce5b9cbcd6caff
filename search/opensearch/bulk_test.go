package opensearch_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/search"
	"trawl/search/opensearch"
)

// admit makes the proxy before the cluster refuse bulk requests of more than so
// many documents, and returns the number of documents of all requests.
func (c *cluster) admit(most int) *[]int {
	sent := new([]int)
	c.before = func(w http.ResponseWriter, r *http.Request, body []byte) bool {
		if !strings.HasSuffix(r.URL.Path, "/_bulk") {
			return false
		}
		n := bytes.Count(body, []byte("\n")) / 2
		c.mu.Lock()
		*sent = append(*sent, n)
		c.mu.Unlock()
		if n <= most {
			return false
		}
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		io.WriteString(w, "<h1>413 Request Entity Too Large</h1>")
		return true
	}
	return sent
}

// named returns documents of one size, 81 bytes of a request, one for each letter.
func named(letters string) []search.Document {
	var docs []search.Document
	for _, id := range letters {
		docs = append(docs, search.Document{ID: string(id), Text: "An owl is a bird."})
	}
	return docs
}

func TestTooLarge(t *testing.T) {
	tests := []struct {
		name  string
		docs  string
		most  int
		sent  []int
		wants []string // in the error; none: the building works
	}{
		{"nothing is", "abcdefgh", 8, []int{8}, nil},
		{"a batch", "abcdefgh", 3, []int{8, 4, 2, 2, 4, 2, 2}, nil},
		{"an odd batch", "abcde", 2, []int{5, 2, 3, 1, 2}, nil},
		{"a document", "abcde", 0, []int{5, 2, 1}, []string{`document "a", of 81 bytes, is too large`, "http.max_content_length", "HTTP 413 Request Entity Too Large, text/html"}},
		{"a batch with an id twice", "abcdeb", 3, []int{6, 3, 3}, []string{`document "b": an earlier document has the same id`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, address := newCluster(t)
			sent := c.admit(tt.most)
			last := 0
			opts := building()
			opts.Progress = func(n int) { last = n }
			stats, err := opensearch.Build(t.Context(), address, each(named(tt.docs)...), opts)
			if tt.wants == nil && (err != nil || stats.Documents != len(tt.docs) || last != len(tt.docs)) {
				t.Errorf("Build = %+v, %v, with %d documents told; want %d", stats, err, last, len(tt.docs))
			}
			for _, want := range tt.wants {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error is %v, want %q in it", err, want)
				}
			}
			if diff := cmp.Diff(tt.sent, *sent); diff != "" {
				t.Errorf("documents of the requests mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTooLargeOnce has batches of eight where three are admitted; what comes
// after the first one is sent in batches of two at once.
func TestTooLargeOnce(t *testing.T) {
	c, address := newCluster(t)
	sent := c.admit(3)
	first := make(chan bool)
	opts := building()
	opts.Workers, opts.Batch = 1, 8*81
	opts.Progress = func(n int) {
		if n == 8 {
			close(first)
		}
	}
	_, err := opensearch.Build(t.Context(), address, func(yield func(search.Document, error) bool) {
		for i, doc := range named("abcdefghijklmnop") {
			if i == 9 {
				select {
				case <-first:
				case <-time.After(10 * time.Second):
					t.Error("the first batch is not told of")
				}
			}
			if !yield(doc, nil) {
				return
			}
		}
	}, opts)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{8, 4, 2, 2, 4, 2, 2, 2, 2, 2, 2}, *sent); diff != "" {
		t.Errorf("documents of the requests mismatch (-want +got):\n%s", diff)
	}
}

func TestWaiting(t *testing.T) {
	const item = `1 of 2 documents refused for now: document "owl": status 429: rejected_execution_exception: rejected execution of coordinating operation`
	again := strings.Replace(item, "of 2", "of 1", 1)
	tests := []struct {
		name  string
		setup func(c *cluster)
		want  []string
		fails bool
	}{
		{"it works at once", func(*cluster) {}, nil, false},
		{"a document that is refused twice", func(c *cluster) { c.refuse = times(2, "owl", 429) }, []string{"attempt 1 of 3: " + item, "attempt 2 of 3: " + again}, false},
		{"one that is refused until the end", func(c *cluster) { c.refuse = times(9, "owl", 429) }, []string{"attempt 1 of 3: " + item, "attempt 2 of 3: " + again}, true},
		{"all refused once", func(c *cluster) { c.failing("/_bulk", 1, overloaded) },
			[]string{"attempt 1 of 3: HTTP 429 Too Many Requests: rejected_execution_exception: rejected execution of primary operation"}, false},
		{"an error with status 200", func(c *cluster) { c.failing("/_bulk", 1, body(failed)) },
			[]string{"attempt 1 of 3: HTTP 200 with an error of status 500: node_closed_exception: node closed"}, false},
		{"a document that is refused for good", func(c *cluster) { c.refuse = times(9, "owl", 400) }, nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, address := newCluster(t)
			tt.setup(c)
			var told []string
			opts := building()
			opts.Client.Attempts = 3
			opts.Waiting = func(err error) { told = append(told, err.Error()) }
			if _, err := opensearch.Build(t.Context(), address, each(owl, crow), opts); (err != nil) != tt.fails {
				t.Errorf("error is %v; want one: %v", err, tt.fails)
			}
			if diff := cmp.Diff(tt.want, told); diff != "" {
				t.Errorf("what was told mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
