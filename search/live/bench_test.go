package live_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"trawl/internal/testutil"
	"trawl/search"
	"trawl/search/index"
	"trawl/search/live"
)

// BenchmarkSearch asks the 601 real questions of 11,951 real paragraphs.
func BenchmarkSearch(b *testing.B) {
	x := reopen(b, build(b, multihop(b)))
	questions := readLines(b, testutil.Shared(b, "multihop_601/questions.jsonl"), func(q question) string { return q.Question })
	benchmark(b, x, questions)
}

// BenchmarkSearchSynthetic asks 10-word questions of as many synthetic passages
// as $TRAWL_BENCH_CORPUS says.
func BenchmarkSearchSynthetic(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("TRAWL_BENCH_CORPUS"))
	if err != nil {
		b.Skip("TRAWL_BENCH_CORPUS is not a number of passages")
	}
	dir := b.TempDir()
	if _, err := live.Build(b.Context(), dir, synthetic(n), live.BuildOptions{Params: index.DefaultParams()}); err != nil {
		b.Fatal(err)
	}
	var questions []string
	for doc := range synthetic(1000) {
		questions = append(questions, strings.Join(strings.Fields(doc.Text)[:10], " "))
	}
	benchmark(b, reopen(b, dir), questions)
}

// BenchmarkBuild builds an index of 11,951 real paragraphs.
func BenchmarkBuild(b *testing.B) {
	docs := multihop(b)
	bytes := 0
	for _, doc := range docs {
		bytes += len(doc.Title) + len(doc.Text)
	}
	b.SetBytes(int64(bytes))
	for b.Loop() {
		build(b, docs)
	}
}

// BenchmarkOpen opens it.
func BenchmarkOpen(b *testing.B) {
	dir := build(b, multihop(b))
	for b.Loop() {
		x, err := live.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		x.Close()
	}
}

func benchmark(b *testing.B, x *live.Index, questions []string) {
	b.Helper()
	b.ReportAllocs()
	start := time.Now()
	for _, q := range questions { // the first time, postings come from disk
		if _, err := x.Search(b.Context(), q, 10); err != nil {
			b.Fatal(err)
		}
	}
	first := float64(time.Since(start).Nanoseconds()) / float64(len(questions))
	i := 0
	for b.Loop() {
		if _, err := x.Search(b.Context(), questions[i%len(questions)], 10); err != nil {
			b.Fatal(err)
		}
		i++
	}
	b.ReportMetric(float64(i)/b.Elapsed().Seconds(), "queries/s")
	b.ReportMetric(first, "first-ns/op")
}

// synthetic yields passages of 100 words whose frequencies follow Zipf's law
// without its head, the stop words: the most frequent word is in a quarter of the
// passages.
func synthetic(n int) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		zipf := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.1, 100, 300_000)
		for id := range n {
			words := make([]string, 100)
			for i := range words {
				words[i] = fmt.Sprintf("w%dq", zipf.Uint64())
			}
			if !yield(search.Document{ID: strconv.Itoa(id), Title: words[0], Text: strings.Join(words, " ")}, nil) {
				return
			}
		}
	}
}
