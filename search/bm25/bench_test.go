package bm25_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"trawl/search"
)

// BenchmarkSearch asks questions of 5 to 12 words of as many synthetic passages
// as $TRAWL_BENCH_CORPUS says.
func BenchmarkSearch(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("TRAWL_BENCH_CORPUS"))
	if err != nil {
		b.Skip("TRAWL_BENCH_CORPUS is not a number of passages")
	}
	r := rand.New(rand.NewPCG(1, 1))
	zipf := rand.NewZipf(r, 1.1, 20, 200_000)
	docs := make([]search.Document, n)
	for i := range docs {
		words := make([]string, 60)
		for j := range words {
			words[j] = word(int(zipf.Uint64()))
		}
		docs[i] = search.Document{ID: strconv.Itoa(i), Text: strings.Join(words, " ")}
	}
	queries := make([]string, 1000)
	for i := range queries {
		queries[i] = strings.Join(strings.Fields(docs[r.IntN(n)].Text)[:5+r.IntN(8)], " ")
	}
	x := reopen(b, write(b, docs, 1<<16))
	for _, top := range []int{1, 10, 100} {
		b.Run("top="+strconv.Itoa(top), func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if _, err := x.Search(b.Context(), queries[i%len(queries)], top); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}
