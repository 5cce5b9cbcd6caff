package aggregate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"trawl/selection/aggregate"
)

func TestRecall(t *testing.T) {
	tests := []struct {
		name, query, text string
		want              float64
	}{
		{"the same", "Jane Doe", "jane doe", 1},
		{"in order, with gaps", "born in Paris", "Doe was born, they say, in old Paris.", 1},
		{"out of order: 2 of 3", "in Paris born", "born in Paris", 2.0 / 3},
		{"a word twice in the query: 2 of 4", "a b a b", "a b", 0.5},
		{"a word twice in the text counts once: 1 of 2", "a c", "a a a", 0.5},
		{"no stemming", "borne", "born", 0},
		{"punctuation divides", "U.S.A. 1,000", "u s a 1 000", 1},
		{"other letters divide: gr, e", "Größe", "gr e", 1},
		{"nothing in common", "x", "y", 0},
		{"an empty text", "x", "", 0},
		{"an empty query", "", "x", 0},
		{"a query without a letter", "?!", "x ?!", 0},
		// No run of [a-z0-9] in the query: 東, 京, 都 against t, o, k, y, o, 東, 京, 2, 0: 2 of 3.
		{"letters of another script", "東京都", "Tokyo 東京 20", 2.0 / 3},
		// None in the text: 東, 京, 2, 0, 2, 0 against 東, 京: 2 of 6.
		{"a text of another script", "東京2020", "東京", 1.0 / 3},
		{"another script with case", "МОСКВА", "москва", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := aggregate.Recall(tt.query, tt.text); math.Abs(got-tt.want) > 1e-12 {
				t.Errorf("Recall(%q, %q) = %v, want %v", tt.query, tt.text, got, tt.want)
			}
		})
	}
}

// The bit-parallel length is that of the textbook's table, at the edges of words
// of 64 bits too.
func TestLCS(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(n, kinds int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprint(random.IntN(kinds))
		}
		return out
	}
	for _, n := range []int{0, 1, 2, 63, 64, 65, 127, 128, 129, 200} {
		for _, m := range []int{0, 1, 64, 150} {
			for _, kinds := range []int{1, 2, 8, 100} {
				a, b := draw(n, kinds), draw(m, kinds)
				if got, want := aggregate.LCS(a, b), lcsByTable(a, b); got != want {
					t.Fatalf("LCS of %d and %d tokens of %d kinds = %d, want %d", n, m, kinds, got, want)
				}
			}
		}
	}
}

func lcsByTable(a, b []string) int {
	table := make([][]int, len(a)+1)
	table[0] = make([]int, len(b)+1)
	for i := range a {
		table[i+1] = make([]int, len(b)+1)
		for j := range b {
			table[i+1][j+1] = max(table[i][j+1], table[i+1][j])
			if a[i] == b[j] {
				table[i+1][j+1] = table[i][j] + 1
			}
		}
	}
	return table[len(a)][len(b)]
}

func BenchmarkRecall(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprint("word", random.IntN(1000))
		}
		return strings.Join(out, " ")
	}
	page := draw(100_000)
	for _, n := range []int{8, 64, 1000} {
		b.Run(fmt.Sprintf("query=%d", n), func(b *testing.B) {
			query := draw(n)
			b.ReportAllocs()
			b.SetBytes(int64(len(page)))
			for b.Loop() {
				aggregate.Recall(query, page)
			}
		})
	}
}
