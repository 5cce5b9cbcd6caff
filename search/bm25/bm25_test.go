package bm25_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"trawl/search"
	"trawl/search/bm25"
	"trawl/search/english"
	"trawl/search/index"
	"trawl/search/live"
	"trawl/search/searchtest"
)

func TestConformance(t *testing.T) {
	for _, window := range []int{64, 1 << 16} {
		t.Run(fmt.Sprintf("windows of %d", window), func(t *testing.T) {
			searchtest.RunBM25(t, func(t *testing.T, docs []search.Document) search.Engine {
				return reopen(t, write(t, docs, window))
			})
		})
	}
}

// write makes an index of the documents and returns its folder.
func write(t testing.TB, docs []search.Document, window int) string {
	t.Helper()
	return writeWith(t, docs, window, index.DefaultParams())
}

func writeWith(t testing.TB, docs []search.Document, window int, params index.Params) string {
	t.Helper()
	dir := t.TempDir()
	if err := bm25.WriteSimply(dir, docs, params, window); err != nil {
		t.Fatal(err)
	}
	return dir
}

// reopen opens an index that has nothing wrong until the test ends.
func reopen(t testing.TB, dir string) *bm25.Index {
	t.Helper()
	x, err := bm25.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil && !errors.Is(err, index.ErrClosed) {
			t.Error(err)
		}
	})
	if err := x.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	return x
}

// word returns the i-th word of a language in which no word is a stop word or
// changes when it is stemmed.
func word(i int) string { return "q" + strconv.Itoa(i) }

// random returns documents of words of which few are frequent and many are rare,
// with ids in no order. Some are empty, some say one word hundreds of times, some
// are the same, and the frequent words cluster.
func random(r *rand.Rand, n int) []search.Document {
	zipf := rand.NewZipf(r, 1.2, 2, 3000)
	docs := make([]search.Document, n)
	for i, id := range r.Perm(n) {
		docs[i].ID = strconv.Itoa(id)
		switch r.IntN(20) {
		case 0:
			continue
		case 1:
			if i > 0 {
				docs[i].Title, docs[i].Text = docs[i-1].Title, docs[i-1].Text
				continue
			}
		case 2:
			docs[i].Title = strings.Repeat(word(r.IntN(4))+" ", 250+r.IntN(300))
		}
		words := []string{"the", "of"}
		for range r.IntN(40) {
			words = append(words, word(int(zipf.Uint64())))
			if i/200%3 == 0 {
				words = append(words, word(r.IntN(8)))
			}
		}
		docs[i].Text = strings.Join(words[r.IntN(3):], " ")
	}
	return docs
}

// randomQuery returns a query of such words, some of them more than once.
func randomQuery(r *rand.Rand) string {
	zipf := rand.NewZipf(r, 1.2, 8, 3000)
	var words []string
	for range 1 + r.IntN(9) {
		words = append(words, word(int(zipf.Uint64())))
		if r.IntN(4) == 0 {
			words = append(words, words[r.IntN(len(words))])
		}
	}
	return strings.Join(words, " ")
}

// A scored document.
type scored struct {
	ID    string
	Score float64
}

func scores(hits []search.Hit) []scored {
	all := []scored{}
	for _, h := range hits {
		all = append(all, scored{h.ID, h.Score})
	}
	return all
}

// exhaustive knows the counts of every document, and scores all of them by the
// formula.
type exhaustive struct {
	params index.Params
	docs   []search.Document
	counts []map[string]int
	dl     []int
	total  int
	df     map[string]int
}

func newExhaustive(docs []search.Document, params index.Params) *exhaustive {
	e := &exhaustive{params: params, docs: docs, df: make(map[string]int)}
	for _, doc := range docs {
		terms := english.Analyze(doc.Title + "\n" + doc.Text)
		counts := make(map[string]int)
		for _, term := range terms {
			if counts[term]++; counts[term] == 1 {
				e.df[term]++
			}
		}
		e.counts, e.dl, e.total = append(e.counts, counts), append(e.dl, len(terms)), e.total+len(terms)
	}
	return e
}

func (e *exhaustive) search(query string) []scored {
	k1, b := e.params.K1, e.params.B
	var distinct []string
	qtf := make(map[string]int)
	for _, term := range english.Analyze(query) {
		if qtf[term]++; qtf[term] == 1 {
			distinct = append(distinct, term)
		}
	}
	n, all := float64(len(e.docs)), []scored{}
	for i, doc := range e.docs {
		score := 0.0
		for _, term := range distinct {
			if tf := float64(e.counts[i][term]); tf > 0 {
				df := float64(e.df[term])
				idf := math.Log1p((n - df + 0.5) / (df + 0.5))
				length := float64(b * float64(e.dl[i]) / (float64(e.total) / n))
				norm := float64(k1 * (1 - b + length))
				score += float64(float64(qtf[term]) * float64(idf*(tf/(tf+norm))))
			}
		}
		if score > 0 {
			all = append(all, scored{doc.ID, score})
		}
	}
	slices.SortFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
	})
	return all
}

// TestEqualsExhaustiveSearch compares every top n, scores bit for bit.
func TestEqualsExhaustiveSearch(t *testing.T) {
	usual := index.DefaultParams()
	for _, tt := range []struct {
		documents, window, queries int
		params                     index.Params
	}{
		{1, 64, 10, usual}, {63, 64, 20, usual}, {64, 64, 20, usual}, {65, 64, 20, usual},
		{1000, 64, 40, usual}, {2000, 128, 10, usual}, {2000, 1 << 16, 10, usual},
		{9000, 1 << 13, 8, usual}, {6000, 1024, 8, usual},
		{800, 64, 20, index.Params{}}, // all that have the same terms are tied
		{800, 64, 20, index.Params{K1: 1.2, B: 1}}, {800, 64, 20, index.Params{K1: 100}},
	} {
		t.Run(fmt.Sprintf("%d documents in windows of %d by %v", tt.documents, tt.window, tt.params), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(tt.documents), uint64(tt.window)))
			docs := random(r, tt.documents)
			x, e := reopen(t, writeWith(t, docs, tt.window, tt.params)), newExhaustive(docs, tt.params)
			for i := range tt.queries {
				query := randomQuery(r)
				if i == 0 { // more terms than MaxScore is used for
					for range 30 {
						query += " " + randomQuery(r)
					}
				}
				want := e.search(query)
				for _, n := range []int{1, 2, 10, 100, len(docs) + i%2} {
					hits, err := x.Search(t.Context(), query, n)
					if err != nil {
						t.Fatal(err)
					}
					if want, got := want[:min(n, len(want))], scores(hits); !slices.Equal(want, got) {
						t.Fatalf("the best %d for %q mismatch (-exhaustive +got):\n%s", n, query, gocmp.Diff(want, got))
					}
				}
			}
		})
	}
}

// TestLongDocuments has documents on both sides of the length up to which norms
// are looked up.
func TestLongDocuments(t *testing.T) {
	var docs []search.Document
	for _, n := range []int{1, 4095, 4096, 4097, 9000} {
		docs = append(docs, search.Document{ID: strconv.Itoa(n), Text: strings.Repeat("q1 ", n-n/2) + strings.Repeat("q2 ", n/2)})
	}
	params := index.Params{K1: 1.2, B: 0.75}
	x, e := reopen(t, writeWith(t, docs, 64, params)), newExhaustive(docs, params)
	for _, query := range []string{"q1", "q2", "q2 q1"} {
		hits, err := x.Search(t.Context(), query, 10)
		if diff := gocmp.Diff(e.search(query), scores(hits)); err != nil || diff != "" {
			t.Errorf("hits for %q: %v, mismatch (-exhaustive +got):\n%s", query, err, diff)
		}
	}
}

// TestEqualsLive compares with the growing index, queries of stop words included.
func TestEqualsLive(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	docs := random(r, 2000)
	for i := range docs {
		docs[i].Text += strings.Repeat(" to be or not to be", r.IntN(3)) + strings.Repeat(" wa was", r.IntN(2))
	}
	dir := t.TempDir()
	stats, err := live.Build(t.Context(), dir, func(yield func(search.Document, error) bool) {
		for _, doc := range docs {
			if !yield(doc, nil) {
				return
			}
		}
	}, live.BuildOptions{Params: index.DefaultParams()})
	if err != nil {
		t.Fatal(err)
	}
	other, err := live.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	x := reopen(t, write(t, docs, 256))
	if got := x.Stats(); got.SHA256 != stats.SHA256 || got.Terms != stats.Terms || got.Documents != stats.Documents {
		t.Errorf("Stats() = %+v, and of the growing index %+v", got, stats)
	}
	queries := []string{"to be or not to be", "the", "of the", "was", "wa", "wa was", "this"}
	for range 100 {
		queries = append(queries, randomQuery(r)+" the")
	}
	for _, query := range queries {
		for _, n := range []int{1, 10, 3000} {
			want, err := other.Search(t.Context(), query, n)
			if err != nil {
				t.Fatal(err)
			}
			got, err := x.Search(t.Context(), query, n)
			if err != nil {
				t.Fatal(err)
			}
			if want, got := scores(want), scores(got); !slices.Equal(want, got) {
				t.Fatalf("the best %d for %q mismatch (-live +got):\n%s", n, query, gocmp.Diff(want, got))
			}
		}
	}
}

// TestExplain holds explanations to the scores of searches.
func TestExplain(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	docs := random(r, 500)
	x := reopen(t, write(t, docs, 64))
	for range 50 {
		query := randomQuery(r) + " zyzzyva"
		hits, err := x.Search(t.Context(), query, 20)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			e, ok, err := x.Explain(t.Context(), query, h.ID)
			if err != nil || !ok || e.Score != h.Score || e.Document != h.Document {
				t.Fatalf("Explain(%q, %q) = %+v, %v, %v, want score %v", query, h.ID, e, ok, err, h.Score)
			}
			if last := e.Terms[len(e.Terms)-1]; last != (bm25.ExplainedTerm{Term: last.Term, InQuery: 1}) {
				t.Errorf("a word that no document has is explained as %+v", last)
			}
		}
	}
	if _, ok, err := x.Explain(t.Context(), "q1", "no such id"); ok || err != nil {
		t.Errorf("Explain of an id that is not there: %v, %v", ok, err)
	}
}

// TestExplainNumbers has searchtest's three documents, worked by hand there.
func TestExplainNumbers(t *testing.T) {
	x := reopen(t, write(t, []search.Document{
		{ID: "1", Title: "cat", Text: "dog"},
		{ID: "2", Title: "cat", Text: "cat dog fox"},
		{ID: "3", Title: "fox", Text: "owl owl"},
	}, 64))
	e, _, err := x.Explain(t.Context(), "owls, a cat and cats", "2")
	if err != nil {
		t.Fatal(err)
	}
	want := bm25.Explanation{
		Document: search.Document{ID: "2", Title: "cat", Text: "cat dog fox"},
		Score:    0.6225213632, Params: index.DefaultParams(), Documents: 3, Length: 4, Average: 3,
		Terms: []bm25.ExplainedTerm{
			{Term: "owl", InQuery: 1, Documents: 1, IDF: 0.9808292530117262},
			{Term: "cat", InQuery: 2, Frequency: 2, Documents: 2, IDF: 0.4700036292457356, Part: 0.6225213632},
		},
	}
	near := gocmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	if diff := gocmp.Diff(want, e, near); diff != "" {
		t.Errorf("explanation mismatch (-want +got):\n%s", diff)
	}
}

func TestGet(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(5, 6)), 300)
	docs[7].URL, docs[8].ID = "https://example.org", ""
	x := reopen(t, write(t, docs, 64))
	for _, want := range docs {
		if got, ok, err := x.Get(want.ID); err != nil || !ok || got != want {
			t.Errorf("Get(%q) = %+v, %v, %v, want %+v", want.ID, got, ok, err, want)
		}
	}
	for _, id := range []string{"300", "no", "\xff"} {
		if _, ok, err := x.Get(id); ok || err != nil {
			t.Errorf("Get(%q) = %v, %v", id, ok, err)
		}
	}
}
