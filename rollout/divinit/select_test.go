package divinit_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/seed"
	"trawl/internal/text"
	"trawl/rollout/divinit"
)

const oscars = "Who directed the film that won Best Picture in 1998?"

var oscarQueries = []string{
	"Best Picture winner 1998 film",
	"1998 Best Picture winner director",
	"Titanic film director",
	"James Cameron filmography",
	"Academy Awards 1998 results",
	"70th Academy Awards ceremony winners",
}

// The values for oscars are worked out from eq. 1 apart from this code. With λ = 0 by hand: 0 and 3
// share nothing and are the first such pair. To {0, 3}: 1 is 1−4/6 from 0; 2 is
// 1−1/7; 4 is 1−1/8; 5 is 1 from both, the greatest. To {0, 3, 5}: 1 stays 1/3,
// 2 has 6/7, 4 has min(7/8, 1−2/7) = 5/7; so 2.
func TestSelect(t *testing.T) {
	tests := []struct {
		name       string
		candidates []string
		k          int
		params     divinit.Params
		want       []int
	}{
		{"paper's setting", oscarQueries, 4, divinit.Params{}, []int{0, 3, 5, 2}},
		{"half relevance", oscarQueries, 4, divinit.Params{Lambda: 0.5}, []int{0, 3, 5, 2}},
		{"mostly relevance", oscarQueries, 4, divinit.Params{Lambda: 0.75}, []int{0, 3, 2, 4}},
		{"ties go to the smallest indices", []string{"aa", "bb", "cc", "dd"}, 3, divinit.Params{}, []int{0, 1, 2}},
		{"equal token sets count once", []string{"film titanic", "Titanic film!", "james cameron"}, 2, divinit.Params{}, []int{0, 2}},
		{"repeats come last", []string{"aa", "aa", "bb", "AA"}, 4, divinit.Params{}, []int{0, 2, 1, 3}},
		{"only repeats", []string{"aa", "aa", "aa"}, 2, divinit.Params{}, []int{0, 1}},
		{"one of many is the first of the pair", []string{"aa bb", "aa cc", "dd"}, 1, divinit.Params{}, []int{0}},
		{"more than there are", []string{"aa", "bb"}, 5, divinit.Params{}, []int{0, 1}},
		{"one", []string{"aa"}, 4, divinit.Params{}, []int{0}},
		{"two without tokens", []string{"!!", "??", "aa"}, 3, divinit.Params{}, []int{0, 2, 1}},
		{"none wanted", oscarQueries, 0, divinit.Params{}, nil},
		{"no candidates", nil, 4, divinit.Params{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := divinit.Select(oscars, tt.candidates, tt.k, tt.params)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Select mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSelectRandomFollowsTheSeed(t *testing.T) {
	pick := func(s int64) []int {
		return divinit.Select(oscars, oscarQueries, 4, divinit.Params{Pick: divinit.Random, Seed: s})
	}
	if !slices.Equal(pick(7), pick(7)) {
		t.Error("the same seed picks differently")
	}
	seen := map[string]bool{}
	for s := range int64(50) {
		got := pick(s)
		checkSubset(t, got, 4, len(oscarQueries))
		seen[fmt.Sprint(got)] = true
	}
	if len(seen) < 25 {
		t.Errorf("50 seeds give only %d choices", len(seen))
	}
}

// TestSelectSpreads checks on random pools that the choice is a subset, starts
// with the furthest pair and spreads more than the first k do.
func TestSelectSpreads(t *testing.T) {
	r := seed.Rand(1)
	var chosen, first float64
	for range 200 {
		pool := make([]string, 12)
		for i := range pool {
			words := make([]string, 2+r.IntN(4))
			for j := range words {
				words[j] = string(rune('a' + r.IntN(12)))
			}
			pool[i] = strings.Join(words, " ")
		}
		got := divinit.Select("", pool, 4, divinit.Params{})
		checkSubset(t, got, 4, len(pool))
		pair := distance(pool[got[0]], pool[got[1]])
		for i := range pool {
			for j := range i {
				if distance(pool[i], pool[j]) > pair {
					t.Fatalf("%q and %q are further apart than the chosen pair", pool[i], pool[j])
				}
			}
		}
		chosen += spread(pool, got)
		first += spread(pool, []int{0, 1, 2, 3})
	}
	if chosen < 1.1*first {
		t.Errorf("mean distance %v of chosen queries, %v of the first four", chosen/200, first/200)
	}
}

func TestSpreadOfTheGolden(t *testing.T) {
	if got, want := spread(oscarQueries, []int{0, 3, 5, 2}), 0.976190; math.Abs(got-want) > 1e-6 {
		t.Errorf("spread = %v, want %v", got, want)
	}
}

func checkSubset(t *testing.T, got []int, k, n int) {
	t.Helper()
	sorted := slices.Compact(slices.Sorted(slices.Values(got)))
	if len(sorted) != k || sorted[0] < 0 || sorted[k-1] >= n {
		t.Fatalf("Select = %v, want %d different indices below %d", got, k, n)
	}
}

func distance(a, b string) float64 { return text.Tokens(a).Distance(text.Tokens(b)) }

// spread returns the mean pairwise distance.
func spread(pool []string, of []int) float64 {
	sum, pairs := 0.0, 0
	for i := range of {
		for j := range i {
			sum += distance(pool[of[i]], pool[of[j]])
			pairs++
		}
	}
	return sum / float64(pairs)
}
