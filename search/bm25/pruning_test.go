package bm25

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/search"
	"trawl/search/index"
)

// TestPruning counts what searches do. With k1 = 1 and b = 0 a term adds
// idf · tf / (tf + 1): half its idf where it stands once.
func TestPruning(t *testing.T) {
	having := func(words ...string) string { return strings.Join(words, " ") }
	for _, tt := range []struct {
		name      string
		documents int
		window    int
		params    index.Params
		text      func(i int) string
		query     string
		best      string // the first hit
		want      work
	}{
		{
			// The first window has the best document; nothing in the others scores
			// more than 1/2, and it 3/4.
			"windows", 192, 64, index.Params{K1: 1},
			func(i int) string { return strings.Repeat("elk ", 1+2*(1/(1+i))) }, "elk", "0",
			work{windows: 1, alone: 64},
		}, {
			// The second window's best document has 104 terms, the first's 100; avgdl is
			// (100 + 63·300 + 64·104) / 128 = 200.4, and their saturations differ by
			// 10⁻⁴ · 4 / 200.4 / 4 = 5·10⁻⁷, which is not lost in the bounds.
			"windows that are nearly as good", 128, 64, index.Params{K1: 1, B: 1e-4},
			func(i int) string {
				length := 104
				if i < 64 {
					length = 300
				}
				if i == 0 {
					length = 100
				}
				return "elk" + strings.Repeat(" yak", length-1)
			}, "elk", "0",
			work{windows: 1, alone: 64},
		}, {
			// Document 0 has both terms. From the second span on "elk" alone does not
			// reach it, so that only documents with "owl" are looked at: 5000, which
			// ties with it.
			"spans", 8192, 1 << 16, index.Params{K1: 1},
			func(i int) string {
				if i%5000 == 0 {
					return having("elk", "owl")
				}
				return "elk"
			}, "elk owl", "0",
			work{windows: 1, summed: 4096 + 1, alone: 1, lookedUp: 1, again: 1},
		}, {
			// The same by terms in the other order.
			"spans, the frequent term last", 8192, 1 << 16, index.Params{K1: 1},
			func(i int) string {
				if i%5000 == 0 {
					return having("elk", "owl")
				}
				return "elk"
			}, "owl elk", "0",
			work{windows: 1, summed: 4096 + 1, alone: 1, lookedUp: 1, again: 1},
		}, {
			// Document 0 has all three. In the second span "gnu" leads to 5001 and 5002.
			// Both are looked up for "owl", and only 5001 has it: without, "elk" does not
			// make 5002 good enough. 5001 is looked up for "elk", and does not have it.
			"terms", 8192, 1 << 16, index.Params{K1: 1},
			func(i int) string {
				switch {
				case i == 0:
					return having("elk", "owl", "gnu")
				case i == 5001:
					return having("owl", "gnu")
				case i == 5002:
					return having("elk", "gnu")
				case i%4 == 0:
					return having("elk", "owl")
				}
				return "elk"
			}, "gnu elk owl", "0",
			work{windows: 1, summed: 4096 + 1024 + 1, alone: 2, lookedUp: 3},
		}, {
			// All documents are the same. From the second span on neither term alone
			// reaches the first, but each document ties with it.
			"ties", 8192, 1 << 16, index.Params{K1: 1},
			func(int) string { return having("elk", "owl") }, "elk owl", "0",
			work{windows: 1, summed: 2 * 4096, alone: 4096, lookedUp: 4096, again: 4096},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			docs := make([]search.Document, tt.documents)
			for i := range docs {
				docs[i] = search.Document{ID: strconv.Itoa(i), Text: tt.text(i)}
			}
			s := scratches.New().(*scratch)
			hits, err := s.search(t.Context(), openSimply(t, docs, tt.window, tt.params), tt.query, 1)
			if err != nil || len(hits) != 1 || hits[0].ID != tt.best {
				t.Fatalf("found %v, %v, want %s", hits, err, tt.best)
			}
			if diff := cmp.Diff(tt.want, s.did, cmp.AllowUnexported(work{})); diff != "" {
				t.Errorf("work mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
