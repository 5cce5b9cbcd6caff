package live

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"trawl/search"
	"trawl/search/english"
	"trawl/search/index"
)

// TestAgainstReference compares searches over more documents than a window
// holds with the formula written down plainly. Texts are few and short, so that
// ties abound.
func TestAgainstReference(t *testing.T) {
	const n = windowSize + 100
	rng := rand.New(rand.NewPCG(7, 7))
	docs := make([]search.Document, n)
	for i := range docs {
		words := make([]string, 1+rng.IntN(6))
		for j := range words {
			words[j] = fmt.Sprintf("w%dx", int(30*rng.Float64()*rng.Float64()))
		}
		docs[i] = search.Document{ID: fmt.Sprint(rng.Uint64()), Title: words[0], Text: strings.Join(words, " ")}
	}
	x, err := Create(t.TempDir(), index.DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, doc := range docs {
		if err := x.Add(doc); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Flush(); err != nil {
		t.Fatal(err)
	}
	rank := reference(docs)
	for _, query := range []string{"w0x", "w29x w3x", "w1x w1x w2x", "w5x w6x w7x w8x w9x w10x nothing", "w28x"} {
		all := rank(query)
		for _, k := range []int{1, 10, 1000, n} {
			got, err := x.Search(t.Context(), query, k)
			if err != nil {
				t.Fatal(err)
			}
			want := all[:min(k, len(all))]
			if len(got) != len(want) {
				t.Fatalf("%q, %d: %d hits, want %d", query, k, len(got), len(want))
			}
			for i := range got {
				if got[i].Document != want[i].Document || math.Abs(got[i].Score-want[i].Score) > 1e-12 {
					t.Fatalf("%q, %d: hit %d is %q with %v, want %q with %v", query, k, i, got[i].ID, got[i].Score, want[i].ID, want[i].Score)
				}
			}
		}
	}
}

// reference returns a function that ranks all documents by the formula.
func reference(docs []search.Document) func(query string) []search.Hit {
	counts := make([]map[string]int, len(docs))
	lengths := make([]int, len(docs))
	df := make(map[string]int)
	total := 0
	for i, doc := range docs {
		terms := english.Analyze(doc.Title + "\n" + doc.Text)
		counts[i], lengths[i] = make(map[string]int), len(terms)
		total += len(terms)
		for _, term := range terms {
			if counts[i][term]++; counts[i][term] == 1 {
				df[term]++
			}
		}
	}
	avgdl := float64(total) / float64(len(docs))
	return func(query string) []search.Hit {
		var order []string
		qtf := make(map[string]float64)
		for _, term := range english.Analyze(query) {
			if qtf[term]++; qtf[term] == 1 {
				order = append(order, term)
			}
		}
		var hits []search.Hit
		for i, doc := range docs {
			score := 0.0
			for _, term := range order {
				if tf := float64(counts[i][term]); tf > 0 {
					score += qtf[term] * (index.IDF(len(docs), df[term]) * (tf / (tf + 0.9*(1-0.4+0.4*float64(lengths[i])/avgdl))))
				}
			}
			if score > 0 {
				hits = append(hits, search.Hit{Document: doc, Score: score})
			}
		}
		sort.Slice(hits, func(i, j int) bool {
			a, b := hits[i], hits[j]
			return a.Score > b.Score || a.Score == b.Score && a.ID < b.ID
		})
		return hits
	}
}

// TestBatchBytes sees that documents do not pile up in memory: what exceeds a
// batch is written and found before anybody flushes.
func TestBatchBytes(t *testing.T) {
	x, err := Create(t.TempDir(), index.DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	padding := strings.Repeat("x", 1<<20)
	for i := range 9 {
		if x.bytes >= batchBytes {
			t.Fatalf("%d bytes wait", x.bytes)
		}
		if err := x.Add(search.Document{ID: fmt.Sprint(i), Text: "owl", URL: padding}); err != nil {
			t.Fatal(err)
		}
	}
	hits, err := x.Search(t.Context(), "owl", 10)
	if err != nil || len(hits) != 8 {
		t.Errorf("%d hits, %v, want the 8 of the first batch", len(hits), err)
	}
}

func TestCacheIsBounded(t *testing.T) {
	long := func() *list { return &list{docs: make([]uint32, 100), scores: make([]float64, 100)} }
	key := func(i int) listKey { return listKey{byContent, fmt.Sprint(i)} }
	size := long().bytes(key(10))
	c := newCache(8 * size)
	for i := 10; i < 60; i++ {
		c.put(key(i), long())
		c.get(key(10)) // is used again and again
		held := 0
		for range c.young {
			held++
		}
		for k := range c.old {
			if _, both := c.young[k]; !both {
				held++
			}
		}
		if held > 8 {
			t.Fatalf("%d lists are held, want at most 8", held)
		}
	}
	if c.get(key(10)) == nil || c.get(key(59)) == nil {
		t.Error("a list used all the time, or the last one, is gone")
	}
	if c.get(key(30)) != nil {
		t.Error("a list not used for long is still there")
	}
	c.put(key(99), &list{docs: make([]uint32, 10000)})
	if c.get(key(99)) != nil {
		t.Error("a list larger than the cache was kept")
	}
}

// TestCompactFails sees that a merge that cannot be written ends in an error; by
// itself bleve tries it for ever. It takes a new index where bleve was quicker
// and has merged the segments by itself, so that nothing is left to fail.
func TestCompactFails(t *testing.T) {
	for range 50 {
		segments, err := compactWithoutFolder(t)
		if err == nil && segments <= 1 {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "cannot merge") {
			t.Errorf("compact of %d segments without their folder: %v", segments, err)
		}
		return
	}
	t.Error("bleve was always quicker: nothing was tested")
}

// compactWithoutFolder compacts an index whose folder was taken away, and
// returns how many segments it then has.
func compactWithoutFolder(t *testing.T) (segments uint64, err error) {
	t.Helper()
	dir := t.TempDir()
	x, err := Create(dir, index.DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	defer x.release()
	for i := range 3 {
		if err := x.Add(search.Document{ID: fmt.Sprint(i), Text: "owl"}); err != nil {
			t.Fatal(err)
		}
		if err := x.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(filepath.Join(dir, storeFolder), filepath.Join(t.TempDir(), "away")); err != nil {
		t.Fatal(err)
	}
	err = x.store.compact(t.Context())
	for _, name := range []string{"TotFileSegmentsAtRoot", "TotMemorySegmentsAtRoot"} {
		n, _ := x.store.StatsMap()[name].(uint64)
		segments += n
	}
	return segments, err
}
