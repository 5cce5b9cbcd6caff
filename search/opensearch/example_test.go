package opensearch_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trawl/internal/testutil"
	"trawl/search"
	"trawl/search/index"
	"trawl/search/opensearch"
)

func Example() {
	server := httptest.NewServer(&cluster{indexes: make(map[string]*stored)})
	defer server.Close()
	ctx, address := context.Background(), strings.Replace(server.URL, "http", "opensearch", 1)+"/birds"

	docs := each(search.Document{ID: "1", Title: "Owl", Text: "An owl hunts at night."}, search.Document{ID: "2", Title: "Crow", Text: "A crow is black."})
	if _, err := opensearch.Build(ctx, address, docs, opensearch.BuildOptions{Params: index.DefaultParams()}); err != nil {
		log.Fatal(err)
	}
	x, err := opensearch.Open(ctx, address, opensearch.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	hits, err := x.Search(ctx, "Which birds hunt?", 3)
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range hits {
		fmt.Println(h.ID, h.Title)
	}
	// Output: 1 Owl
}

// TestRequests holds what is sent to a golden file: it is the format of an index.
func TestRequests(t *testing.T) {
	c, address := newCluster(t)
	var sent strings.Builder
	c.before = func(_ http.ResponseWriter, r *http.Request, body []byte) bool {
		fmt.Fprintf(&sent, "%s %s\n%s\n", r.Method, r.URL.RequestURI(), body)
		return false
	}
	build(t, address, owl)
	x := opened(t, address, quick())
	for _, query := range []string{"owls", "to be"} {
		if _, err := x.Search(t.Context(), query, 3); err != nil {
			t.Fatal(err)
		}
	}
	c.mu.Lock()
	id := c.indexes["passages"].mappings["_meta"].(map[string]any)["trawl"].(map[string]any)["building"].(string)
	c.mu.Unlock()
	testutil.Golden(t, "requests.txt", strings.ReplaceAll(sent.String(), id, "BUILDING"))
}
