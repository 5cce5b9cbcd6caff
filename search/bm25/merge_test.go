package bm25

import (
	"container/heap"
	"hash/maphash"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/search"
)

// runsOf returns readers of the runs that inverters of so many bytes make of
// parts of a window each.
func runsOf(t *testing.T, bytes int64, parts ...[]search.Document) runHeap {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "runs"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	v := newInverter(f, maphash.MakeSeed(), bytes)
	var readers runHeap
	for i, docs := range parts {
		out, err := v.invert(t.Context(), &docPart{window: i, docs: docs})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range out.runs {
			reader := newRunReader(len(readers), r, 4<<10)
			if err := reader.next(); err != nil {
				t.Fatal(err)
			}
			readers = append(readers, reader)
		}
	}
	heap.Init(&readers)
	return readers
}

// termsOf returns the terms of a batch, those of class byAll behind a star.
func termsOf(b *batch) (terms []string) {
	start := 0
	for _, t := range b.terms {
		terms = append(terms, strings.Repeat("*", int(t.class))+string(b.names[start:t.nameEnd]))
		start = t.nameEnd
	}
	return terms
}

// TestFill has a term in both classes in two windows, and batches that one term
// fills, and two do.
func TestFill(t *testing.T) {
	first := []search.Document{{ID: "a", Text: "wa was owl"}, {ID: "b", Text: "was"}}
	second := []search.Document{{ID: "c", Text: "was wa zoo"}}
	for _, tt := range []struct {
		full int
		want [][]string
	}{
		{1, [][]string{{"owl"}, {"wa"}, {"*wa"}, {"zoo"}}},
		{64, [][]string{{"owl", "wa"}, {"*wa"}, {"zoo"}}}, // owl takes 3 bytes, 1 of a posting, 16 and 40, and *wa 2, 3, 32 and 40
		{1 << 20, [][]string{{"owl", "wa", "*wa", "zoo"}}},
	} {
		readers := runsOf(t, 1<<20, first, second)
		var got [][]string
		var b batch
		for len(readers) > 0 {
			if err := b.fill(&readers, tt.full); err != nil {
				t.Fatal(err)
			}
			got = append(got, termsOf(&b))
			if tt.full == 1<<20 {
				df := []int{b.terms[0].df, b.terms[1].df, b.terms[2].df, b.terms[3].df}
				if diff := cmp.Diff([]int{1, 2, 3, 1}, df); diff != "" {
					t.Errorf("df mismatch (-want +got):\n%s", diff)
				}
				want := int64(2*b.size() + 3*8 + 3*7)
				if b.need() != want {
					t.Errorf("need = %d, want %d", b.need(), want)
				}
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("batches of %d bytes mismatch (-want +got):\n%s", tt.full, diff)
		}
	}
}

// TestBatchLetsGo sees that a batch keeps what is ordinary, and no more.
func TestBatchLetsGo(t *testing.T) {
	for _, tt := range []struct {
		b    batch
		want bool
	}{
		{batch{data: make([]byte, 100), lists: make([]byte, 100), postings: make([]posting, 25)}, true}, // 400
		{batch{data: make([]byte, 101), lists: make([]byte, 100), postings: make([]posting, 25)}, false},
		{batch{postings: make([]posting, 51)}, false}, // 408
	} {
		if tt.b.reset(100); (cap(tt.b.postings) > 0) != tt.want {
			t.Errorf("room for %d postings, kept should be %v", cap(tt.b.postings), tt.want)
		}
	}
}

// TestInverterBound has an inverter end its runs by tuples, and by terms.
func TestInverterBound(t *testing.T) {
	docs := []search.Document{{ID: "a", Text: "q1 q2 q3 q1"}, {ID: "b", Text: "q1"}, {ID: "c", Text: "q1 q2 q3 q4"}}
	for _, tt := range []struct {
		limit limits
		want  [][]string // of each run
	}{
		{limits{100, 1 << 20}, [][]string{{"q1", "q2", "q3", "q4"}}},
		{limits{4, 1 << 20}, [][]string{{"q1", "q2", "q3"}, {"q1", "q2", "q3", "q4"}}},
		{limits{3, 1 << 20}, [][]string{{"q1", "q2", "q3"}, {"q1"}, {"q2", "q3", "q4"}}}, // q1 in three documents is three tuples
		{limits{100, 2 * (termCost + 2)}, [][]string{{"q1", "q2"}, {"q1", "q3"}, {"q1", "q2"}, {"q3", "q4"}}},
	} {
		f, err := os.Create(filepath.Join(t.TempDir(), "runs"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		v := newInverter(f, maphash.MakeSeed(), 1<<20)
		v.limit = tt.limit
		out, err := v.invert(t.Context(), &docPart{docs: docs})
		if err != nil {
			t.Fatal(err)
		}
		var got [][]string
		total := 0
		for i, r := range out.runs {
			var names []string
			for reader := newRunReader(i, r, 100); reader.next() == nil; {
				names = append(names, string(reader.term))
				total += reader.df
				if _, err := reader.postings(nil); err != nil {
					t.Fatal(err)
				}
			}
			got = append(got, names)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("terms of runs within %+v mismatch (-want +got):\n%s", tt.limit, diff)
		}
		if uint64(total) != out.postings {
			t.Errorf("%d postings in the runs, and %d are counted", total, out.postings)
		}
	}
}

// TestDefaults works out what follows from memory and workers by hand.
func TestDefaults(t *testing.T) {
	const mib = 1 << 20
	for _, tt := range []struct {
		limit    int64
		workers  int
		inverter int64
		batch    int
	}{
		{1 << 30, 2, 128 * mib, 1 * mib},  // half of a half is more
		{1 << 30, 16, 32 * mib, 1 * mib},  // 512 MiB / 16; 64 MiB / 18 is more
		{256 * mib, 16, 16 * mib, 932067}, // 8 MiB make short runs; 16 MiB / 18
		{48 * mib, 16, 12 * mib, 174762},  // a quarter; 3 MiB / 18
		{1 * mib, 1, 4 * mib, 21845},      // 64 KiB / 3
		{64 << 10, 1, 4 * mib, 16 << 10},  // 4 KiB / 3 is less
	} {
		if got := inverterBytes(tt.limit, tt.workers); got != tt.inverter {
			t.Errorf("inverterBytes(%d, %d) = %d, want %d", tt.limit, tt.workers, got, tt.inverter)
		}
		if got := batchBytes(tt.limit, tt.workers); got != tt.batch {
			t.Errorf("batchBytes(%d, %d) = %d, want %d", tt.limit, tt.workers, got, tt.batch)
		}
	}
	for window, want := range map[int]int{64: 64 << 16, 1 << 16: maxDocuments} {
		if got := (Options{window: window}).withDefaults().maxDocuments; got != want {
			t.Errorf("in windows of %d, up to %d documents, want %d", window, got, want)
		}
	}
}
