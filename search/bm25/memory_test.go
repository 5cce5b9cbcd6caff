package bm25_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"trawl/search"
	"trawl/search/bm25"
)

// TestBuildMemory builds indexes of more than the memory that is allowed, with
// many workers, and looks at the heap on the way.
func TestBuildMemory(t *testing.T) {
	const memory = 96 << 20
	var text strings.Builder
	for i := range 900 {
		fmt.Fprintf(&text, "fox%d ", i%40)
	}
	r := rand.New(rand.NewPCG(1, 1))
	zipf := rand.NewZipf(r, 1.1, 10, 1<<20)
	words := func(n int, next func() uint64) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "%x ", next())
		}
		return b.String()
	}
	tests := []struct {
		name string
		docs int
		text func(i int) string
	}{
		{"long documents", 24_000, func(i int) string { return fmt.Sprint(i, text.String()) }}, // 127 MB
		{"a long document in Chinese", 2, func(i int) string { return strings.Repeat("中文检索", i*(8<<20)/12) }},
		{"a rich vocabulary", 20_000, func(int) string { return words(60, zipf.Uint64) }},
		{"words of one document alone", 5_000, func(int) string { return words(100, func() uint64 { return r.Uint64() >> 32 }) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			opts := defaults
			opts.Memory, opts.Workers = memory, 16
			var peak uint64
			look := func() {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapInuse)
			}
			opts.Progress = func(bm25.Progress) { look() }
			runtime.GC() // what other tests left
			build(t, sequence(tt.docs, tt.text), opts)
			if t.Logf("%d MiB of heap", peak>>20); peak > memory {
				t.Errorf("%d MiB of heap, want at most %d", peak>>20, memory>>20)
			}
		})
	}
}

// sequence yields n documents with these texts.
func sequence(n int, text func(i int) string) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		for i := range n {
			if !yield(search.Document{ID: fmt.Sprint(i), Text: text(i)}, nil) {
				return
			}
		}
	}
}

// TestBuildOpensFewFiles has thousands of runs.
func TestBuildOpensFewFiles(t *testing.T) {
	open := func() int {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("this system does not say which files are open")
		}
		return len(files)
	}
	docs := random(rand.New(rand.NewPCG(9, 9)), 3000)
	before, most := open(), 0
	opts := defaults.WithInverter(1200).WithBatch(1 << 10) // 30 postings in a run
	opts.Workers = 4
	opts.Progress = func(bm25.Progress) { most = max(most, open()) }
	dir := build(t, stream(docs), opts)
	if runs := reopen(t, dir).Stats().Postings / 30; runs < 1200 || most > before+20 {
		t.Errorf("%d files open, and %d before, for %d runs", most, before, runs)
	}
	if left := open() - before; left > 20 {
		t.Errorf("%d more files are open afterwards", left)
	}
	if _, err := os.Stat(filepath.Join(dir, "runs")); err == nil {
		t.Error("the runs are still there")
	}
}
