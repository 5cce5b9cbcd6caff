//go:build unix

package bm25_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"trawl/search"
	"trawl/search/bm25"
	"trawl/search/index"
)

// BenchmarkBuild builds an index of as many passages of 100 English-like words as
// $TRAWL_BENCH_CORPUS says, and one of as many real paragraphs, which repeat
// under new ids. Time is that of all cores, without the making of passages.
func BenchmarkBuild(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("TRAWL_BENCH_CORPUS"))
	if err != nil {
		b.Skip("TRAWL_BENCH_CORPUS is not a number of passages")
	}
	b.Run("synthetic", func(b *testing.B) { benchmarkBuild(b, n, synthetic(n)) })
	b.Run("real", func(b *testing.B) { benchmarkBuild(b, n, repeated(paragraphs(b, "multihop_601"), n)) })
}

func benchmarkBuild(b *testing.B, n int, docs iter.Seq2[search.Document, error]) {
	for b.Loop() {
		begin, _ := usage(b)
		for range docs {
		}
		made, _ := usage(b)
		dir, start := b.TempDir(), time.Now()
		stats, err := bm25.Build(b.Context(), dir, docs, bm25.Options{Params: index.DefaultParams()})
		if err != nil {
			b.Fatal(err)
		}
		wall := time.Since(start)
		end, peak := usage(b)
		cpu := end - made - (made - begin)
		size := func(name string) float64 {
			info, err := os.Stat(dir + "/" + name)
			if err != nil {
				b.Fatal(err)
			}
			return float64(info.Size())
		}
		b.ReportMetric(float64(n)/cpu.Seconds(), "passages/CPU-s")
		b.ReportMetric(float64(end-made)/float64(wall), "cores")
		b.ReportMetric((size("postings")+size("terms"))/float64(stats.Postings), "B/posting")
		b.ReportMetric(size("postings")/float64(stats.Postings), "B/posting-bare")
		b.ReportMetric(size("texts")/float64(n), "text-B/passage")
		b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
	}
}

// usage returns the CPU time and the greatest memory of this process.
func usage(b *testing.B) (cpu time.Duration, peak int64) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), int64(u.Maxrss) << 10
}

// synthetic yields passages whose words, frequent ones short and rare ones long,
// follow Zipf's law behind the 33 stop words.
func synthetic(n int) iter.Seq2[search.Document, error] {
	r := rand.New(rand.NewPCG(1, 1))
	words := strings.Fields("the of and in to a is was for as on with by that it at an be are this or not but they such will their into if no there then these")
	syllables := strings.Fields("ba ber co con di el en fa ga hi in ka la lo ma mer mi na ness or pa per ra ri ro sa ser ta ter ti tion un va ver")
	for i := range 1_000_000 {
		word := ""
		for range 2 + r.IntN(1+i/200_000+1) {
			word += syllables[r.IntN(len(syllables))]
		}
		words = append(words, word)
	}
	return func(yield func(search.Document, error) bool) {
		r := rand.New(rand.NewPCG(2, 2))
		zipf := rand.NewZipf(r, 1.07, 4, uint64(len(words)-1))
		var b []byte
		for i := range n {
			b = b[:0]
			for range 100 {
				word := words[zipf.Uint64()]
				if k := r.IntN(16); k == 0 {
					word = strings.ToUpper(word[:1]) + word[1:] + "."
				} else if k == 1 {
					word += ","
				}
				b = append(append(b, word...), ' ')
			}
			if !yield(search.Document{ID: strconv.Itoa(i), Title: string(b[:12]), Text: string(b)}, nil) {
				return
			}
		}
	}
}

func repeated(docs []search.Document, n int) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		for i := range n {
			doc := docs[i%len(docs)]
			doc.ID = fmt.Sprint(i)
			if !yield(doc, nil) {
				return
			}
		}
	}
}
