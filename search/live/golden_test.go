package live_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trawl/internal/testutil"
	"trawl/search"
)

// TestTopFive pins the best five of a small corpus, with scores.
func TestTopFive(t *testing.T) {
	x := reopen(t, build(t, readLines(t, filepath.Join("testdata", "mini.jsonl"), func(doc search.Document) search.Document { return doc })))
	queries, err := os.ReadFile(filepath.Join("testdata", "mini.queries"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for query := range strings.Lines(string(queries)) {
		hits, err := x.Search(t.Context(), query, 5)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(query)
		for _, h := range hits {
			fmt.Fprintf(&b, "  %8.5f  %2s  %s\n", h.Score, h.ID, h.Title)
		}
	}
	testutil.Golden(t, "mini.golden", b.String())
}

// A question of the 601 that lie beside the checkout.
type question struct {
	Question string
	Metadata struct {
		Source     string
		Supporting []string `json:"supporting_docids"`
	}
}

// TestRecall pins the recall of supporting paragraphs with the question itself as
// query, over 11,951 real paragraphs: the share of a question's supporting
// paragraphs that are found, averaged over the questions. The reciprocal rank is
// that of the first supporting paragraph among ten.
func TestRecall(t *testing.T) {
	t.Parallel()
	x := reopen(t, build(t, multihop(t)))
	questions := readLines(t, testutil.Shared(t, "multihop_601/questions.jsonl"), func(q question) question { return q })
	const r3, r10, rr = 0, 1, 2
	sums := make(map[string]*[3]float64)
	counts := make(map[string]int)
	for _, q := range questions {
		hits, err := x.Search(t.Context(), q.Question, 10)
		if err != nil {
			t.Fatal(err)
		}
		sum := sums[q.Metadata.Source]
		if sum == nil {
			sum = new([3]float64)
			sums[q.Metadata.Source] = sum
		}
		counts[q.Metadata.Source]++
		first := true
		for rank, h := range hits {
			if !slices.Contains(q.Metadata.Supporting, h.ID) {
				continue
			}
			share := 1 / float64(len(q.Metadata.Supporting))
			sum[r10] += share
			if rank < 3 {
				sum[r3] += share
			}
			if first {
				sum[rr] += 1 / float64(rank+1)
				first = false
			}
		}
	}
	var b strings.Builder
	b.WriteString("source               n  recall@3  recall@10  MRR@10\n")
	for _, source := range []string{"hotpotqa", "musique", "2wikimultihopqa"} {
		n, sum := counts[source], sums[source]
		fmt.Fprintf(&b, "%-17s  %3d  %8.4f  %9.4f  %6.4f\n", source, n, sum[r3]/float64(n), sum[r10]/float64(n), sum[rr]/float64(n))
	}
	if got := sums["hotpotqa"][r10] / float64(counts["hotpotqa"]); got < 0.85 {
		t.Errorf("recall@10 on HotpotQA is %.4f, want at least 0.85", got)
	}
	testutil.Golden(t, "multihop_601.golden", b.String())
}

// multihop returns the real paragraphs that lie beside the checkout.
func multihop(t testing.TB) []search.Document {
	type line struct{ ID, Contents string }
	return readLines(t, testutil.Shared(t, "multihop_601/corpus.jsonl"), func(l line) search.Document {
		title, text, _ := strings.Cut(l.Contents, "\n")
		return search.Document{ID: l.ID, Title: strings.Trim(title, `"`), Text: text}
	})
}

// readLines reads a file of JSON lines.
func readLines[Line, T any](t testing.TB, path string, convert func(Line) T) []T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l Line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		all = append(all, convert(l))
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
