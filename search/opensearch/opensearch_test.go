package opensearch_test

import (
	"crypto/rand"
	"errors"
	"iter"
	"math"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/search"
	"trawl/search/index"
	"trawl/search/live"
	"trawl/search/opensearch"
	"trawl/search/searchtest"
)

// quick are options for tests: failures pass quickly.
func quick() opensearch.Options { return opensearch.Options{Wait: time.Microsecond} }

func building() opensearch.BuildOptions {
	return opensearch.BuildOptions{Params: index.DefaultParams(), Client: quick()}
}

// each yields documents.
func each(docs ...search.Document) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		for _, d := range docs {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// build makes an index, and opened opens it until the test ends.
func build(t *testing.T, address string, docs ...search.Document) opensearch.Stats {
	t.Helper()
	stats, err := opensearch.Build(t.Context(), address, each(docs...), building())
	if err != nil {
		t.Fatal(err)
	}
	return stats
}

func opened(t *testing.T, address string, o opensearch.Options) *opensearch.Index {
	t.Helper()
	x, err := opensearch.Open(t.Context(), address, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func ids(hits []search.Hit) string {
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return strings.Join(ids, " ")
}

func TestConformance(t *testing.T) {
	searchtest.Run(t, func(t *testing.T, docs []search.Document) search.Engine {
		_, address := newCluster(t)
		build(t, address, docs...)
		return opened(t, address, quick())
	})
}

// TestRealServer needs an OpenSearch for tests, in whose indexes it writes:
// TRAWL_TEST_OPENSEARCH is its address without an index. It deletes what it made.
func TestRealServer(t *testing.T) {
	server := os.Getenv("TRAWL_TEST_OPENSEARCH")
	if server == "" {
		t.Skip("no TRAWL_TEST_OPENSEARCH, the address of a server to test with, such as opensearch://127.0.0.1:9200")
	}
	fresh := func(t *testing.T) string {
		address := strings.TrimRight(server, "/") + "/trawl-test-" + strings.ToLower(rand.Text())
		t.Cleanup(func() { remove(t, address) })
		return address
	}
	open := func(t *testing.T, docs []search.Document) search.Engine {
		address := fresh(t)
		opts := building()
		opts.Shards = 3
		if _, err := opensearch.Build(t.Context(), address, each(docs...), opts); err != nil {
			t.Fatal(err)
		}
		return opened(t, address, quick())
	}
	searchtest.Run(t, open)
	t.Run("worked numbers", func(t *testing.T) { testNumbers(t, open) })
	t.Run("life of an index", func(t *testing.T) { testLife(t, fresh(t)) })
}

// remove deletes an index past the package.
func remove(t *testing.T, address string) {
	req, err := http.NewRequest(http.MethodDelete, strings.Replace(address, "opensearch", "http", 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
}

func TestNumbers(t *testing.T) {
	testNumbers(t, func(t *testing.T, docs []search.Document) search.Engine {
		_, address := newCluster(t)
		build(t, address, docs...)
		return opened(t, address, quick())
	})
}

// testNumbers has the three documents that package searchtest works by hand,
// with lengths that Lucene keeps exactly: cat in document 2 scores
// 0.4700036 · 2/3.02 = 0.3112607, or k1+1 = 1.9 times that by an OpenSearch
// before 3.
func testNumbers(t *testing.T, open searchtest.Open) {
	engine := open(t, []search.Document{
		{ID: "1", Title: "cat", Text: "dog"},
		{ID: "2", Title: "cat", Text: "cat dog fox"},
		{ID: "3", Title: "fox", Text: "owl owl"},
	})
	many := strings.Repeat("cat ", 1500)
	first, err := engine.Search(t.Context(), "cat", 1)
	if err != nil || len(first) != 1 {
		t.Fatalf("Search(cat) = %v, %v; want a hit", first, err)
	}
	factor := 1.0
	if first[0].Score > 0.5 {
		factor = 1.9
	}
	for _, tt := range []struct {
		query, want string
		score       float64 // of the first
	}{
		{"cat", "2 1", 0.3112606816},
		{"cat cat", "2 1", 0.6225213632},
		{"fox owl", "3 2", 0.9238042988},
		{"the owls", "3", 0.6764339676},
		{many + "owl", "2 1 3", 1500 * 0.3112606816},
	} {
		hits, err := engine.Search(t.Context(), tt.query, 10)
		if err != nil {
			t.Fatal(err)
		}
		if got := ids(hits); got != tt.want || math.Abs(hits[0].Score/tt.score/factor-1) > 1e-6 {
			t.Errorf("Search(%.20q) = %v, want %s, the first with %v", tt.query, hits, tt.want, factor*tt.score)
		}
	}
}

func TestLife(t *testing.T) {
	_, address := newCluster(t)
	testLife(t, address)
}

var (
	owl  = search.Document{ID: "owl", Title: "Owl", URL: "https://example.org/owl", Text: "An owl is a bird.\n\"It\" hunts <mice>."}
	crow = search.Document{ID: "crow", Title: "Crow", Text: "A crow is a bird, too."}
)

// testLife goes through what can become of an index.
func testLife(t *testing.T, address string) {
	if _, err := opensearch.Open(t.Context(), address, quick()); !errors.Is(err, opensearch.ErrMissing) {
		t.Fatalf("Open of nothing: error is %v, want ErrMissing", err)
	}
	broken := errors.New("the file ends")
	_, err := opensearch.Build(t.Context(), address, func(yield func(search.Document, error) bool) {
		_ = yield(owl, nil) && yield(search.Document{}, broken)
	}, building())
	if !errors.Is(err, broken) {
		t.Fatalf("Build of a file that ends: error is %v, want its own", err)
	}
	if _, err := opensearch.Open(t.Context(), address, quick()); !errors.Is(err, index.ErrIncomplete) {
		t.Fatalf("Open after a building that was cut short: error is %v, want ErrIncomplete", err)
	}
	var told []int
	opts := building()
	opts.Source, opts.Batch, opts.Workers, opts.Progress = "birds", 1, 1, func(n int) { told = append(told, n) }
	stats, err := opensearch.Build(t.Context(), address, each(owl, crow), opts)
	if err != nil {
		t.Fatal(err)
	}
	want := opensearch.Stats{Documents: 2, Params: index.DefaultParams(), SHA256: sumOf(t, owl, crow), Source: "birds"}
	if diff := cmp.Diff(want, stats); diff != "" {
		t.Errorf("stats mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{1, 2, 2}, told); diff != "" {
		t.Errorf("progress mismatch (-want +got):\n%s", diff)
	}
	x := opened(t, address, quick())
	info := x.Info()
	if !info.Ours || info.Documents != 2 || info.Source != "birds" || info.Params == nil || *info.Params != want.Params || info.UUID == "" {
		t.Errorf("Info() = %+v, want that of the building", info)
	}
	identity := `{"documents":2,"engine":"opensearch","params":{"k1":0.9,"b":0.4},"sha256":"` + want.SHA256 + `"}`
	if got := string(x.Identity()); got != identity {
		t.Errorf("Identity() = %s, want %s", got, identity)
	}
	hits, err := x.Search(t.Context(), "birds that hunt", 5)
	if err != nil || len(hits) != 2 || hits[0].Document != owl {
		t.Errorf("Search = %v, %v; want the owl first", hits, err)
	}
	testReplacing(t, address)
}

// testReplacing has a complete index, which is only replaced when that is asked.
func testReplacing(t *testing.T, address string) {
	opts := building()
	if _, err := opensearch.Build(t.Context(), address, each(crow), opts); !errors.Is(err, opensearch.ErrExists) {
		t.Fatalf("Build over a complete index: error is %v, want ErrExists", err)
	}
	opts.Replace, opts.Params = true, index.Params{K1: 1.5, B: 0}
	if _, err := opensearch.Build(t.Context(), address, each(crow), opts); err != nil {
		t.Fatal(err)
	}
	x := opened(t, address, quick())
	if info := x.Info(); info.Documents != 1 || *info.Params != opts.Params {
		t.Errorf("Info() after replacing = %+v, want one document and %+v", info, opts.Params)
	}
	if hits, err := x.Search(t.Context(), "owl", 5); err != nil || len(hits) != 0 {
		t.Errorf("Search for what was replaced = %v, %v; want nothing", hits, err)
	}
}

// sumOf returns the sha256 that package live has for documents.
func sumOf(t *testing.T, docs ...search.Document) string {
	t.Helper()
	stats, err := live.Build(t.Context(), t.TempDir(), each(docs...), live.BuildOptions{Params: index.DefaultParams()})
	if err != nil {
		t.Fatal(err)
	}
	return stats.SHA256
}
