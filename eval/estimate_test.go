package eval_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/eval"
	"trawl/internal/seed"
	"trawl/internal/text"
)

func TestPassAt(t *testing.T) {
	tests := []struct {
		n, c, k int
		want    float64
	}{
		// The published golden values of the estimator.
		{64, 20, 1, 0.3125},
		{64, 20, 4, 0.7863454081},
		{64, 1, 16, 0.25},
		{8, 3, 4, 0.9285714286},
		{4, 1, 2, 0.5},
		{8, 1, 4, 0.5}, // not 1 − (7/8)⁴ = 0.414
		{4, 0, 4, 0},
		{4, 4, 1, 1},
		{4, 3, 2, 1}, // n−c < k
	}
	for _, tt := range tests {
		if got := eval.PassAt(tt.n, tt.c, tt.k); math.Abs(got-tt.want) > 1e-10 {
			t.Errorf("PassAt(%d, %d, %d) = %.10f, want %.10f", tt.n, tt.c, tt.k, got, tt.want)
		}
	}
	for _, k := range []int{0, -1, 5} {
		if got := eval.PassAt(4, 2, k); !math.IsNaN(got) {
			t.Errorf("PassAt(4, 2, %d) = %v, want NaN", k, got)
		}
	}
}

// The product is the share of subsets with a right rollout, and grows with c
// and with k.
func TestPassAtCounts(t *testing.T) {
	for n := 1; n <= 7; n++ {
		for c := 0; c <= n; c++ {
			for k := 1; k <= n; k++ {
				hits, all := 0, 0
				for s := range eval.Subsets(n, k, 1000, nil) {
					all++
					if s[0] < c { // the first c are right
						hits++
					}
				}
				got := eval.PassAt(n, c, k)
				if !near(got, float64(hits)/float64(all)) {
					t.Errorf("PassAt(%d, %d, %d) = %v, want %d/%d", n, c, k, got, hits, all)
				}
				if k > 1 && got < eval.PassAt(n, c, k-1) || c > 0 && got < eval.PassAt(n, c-1, k) {
					t.Errorf("PassAt(%d, %d, %d) falls", n, c, k)
				}
			}
		}
	}
}

func TestMajorityAt(t *testing.T) {
	tests := []struct {
		name    string
		answers []string
		right   []bool
		want    []float64 // for k = 1, 2, …
	}{
		// Pairs: ab ab ac → a (ties go to the first), bb bc bc → b: 3 of 6.
		// Triples: abb bbc → b, abc abc → a: 2 of 4. All four → b.
		{"ties to the first", []string{"A", "b", "The B", "c"}, []bool{true, false, false, false}, []float64{0.25, 0.5, 0.5, 0}},
		// Alone the empty answer is nobody's vote; beside another it abstains.
		{"empty abstains", []string{"", "x", " "}, []bool{false, true, false}, []float64{1.0 / 3, 2.0 / 3, 1}},
		{"nobody votes", []string{"", ""}, []bool{false, false}, []float64{0, 0}},
		// "The" and "An" normalise to nothing and still are two answers.
		{"empty normal forms", []string{"The", "An", "An"}, []bool{false, true, true}, []float64{2.0 / 3, 1.0 / 3, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for i, want := range tt.want {
				if got := eval.MajorityAt(tt.answers, tt.right, i+1, 1000, nil); !near(got, want) {
					t.Errorf("MajorityAt(k=%d) = %v, want %v", i+1, got, want)
				}
			}
		})
	}
	if got := eval.MajorityAt([]string{"a"}, []bool{true}, 2, 1000, nil); !math.IsNaN(got) {
		t.Errorf("MajorityAt(k=2 of 1) = %v, want NaN", got)
	}
}

// The vote is text.Plurality, and a right vote needs a right rollout.
func TestMajorityAtIsPlurality(t *testing.T) {
	r := seed.Rand(1, "majority")
	for range 200 {
		n := 1 + r.IntN(7)
		answers, right := make([]string, n), make([]bool, n)
		for i := range answers {
			answers[i] = []string{"a", "b", "c", "", "The B."}[r.IntN(5)]
			right[i] = text.AnswerKey(answers[i]) == "b"
		}
		k := 1 + r.IntN(n)
		hits, all := 0, 0
		for s := range eval.Subsets(n, k, 1000, nil) {
			keys := make([]string, k)
			for j, i := range s {
				keys[j] = text.AnswerKey(answers[i])
			}
			if best := text.Plurality(keys); best >= 0 && right[s[best]] {
				hits++
			}
			all++
		}
		got := eval.MajorityAt(answers, right, k, 1000, nil)
		if want := float64(hits) / float64(all); !near(got, want) {
			t.Fatalf("MajorityAt(%q, k=%d) = %v, want %v", answers, k, got, want)
		}
		c := 0
		for _, ok := range right {
			if ok {
				c++
			}
		}
		if pass := eval.PassAt(n, c, k); got > pass+1e-12 {
			t.Fatalf("MajorityAt(%q, k=%d) = %v is above pass@k %v", answers, k, got, pass)
		}
	}
}

func TestSubsets(t *testing.T) {
	var got []string
	for s := range eval.Subsets(4, 2, 6, nil) {
		got = append(got, fmt.Sprint(s))
	}
	if diff := cmp.Diff([]string{"[0 1]", "[0 2]", "[0 3]", "[1 2]", "[1 3]", "[2 3]"}, got); diff != "" {
		t.Errorf("subsets (-want +got):\n%s", diff)
	}
	for range eval.Subsets(4, 5, 10, nil) {
		t.Error("a subset of five of four")
	}
	// Above the limit: as many as the limit, each a subset, each number alike.
	count, seen := 0, make([]int, 24)
	for s := range eval.Subsets(24, 12, 2000, seed.Rand(1)) {
		if len(s) != 12 || !slices.IsSorted(s) || s[0] < 0 || s[11] > 23 || len(slices.Compact(slices.Clone(s))) != 12 {
			t.Fatalf("%v is no subset", s)
		}
		for _, i := range s {
			seen[i]++
		}
		count++
	}
	if count != 2000 {
		t.Errorf("%d subsets, want 2000", count)
	}
	for i, n := range seen { // half of 2,000, σ = 22
		if n < 890 || n > 1110 {
			t.Errorf("number %d is in %d of 2000 subsets", i, n)
		}
	}
}

func TestMajorityAtSampled(t *testing.T) {
	answers, right := make([]string, 12), make([]bool, 12)
	for i := range answers {
		answers[i] = []string{"a", "b", "a", "c"}[i%4]
		right[i] = answers[i] == "a" && i > 3 || answers[i] == "b"
	}
	exact := eval.MajorityAt(answers, right, 6, 924, nil)
	sampled := eval.MajorityAt(answers, right, 6, 923, seed.Rand(3))
	if again := eval.MajorityAt(answers, right, 6, 923, seed.Rand(3)); again != sampled {
		t.Errorf("the same seed gives %v and %v", sampled, again)
	}
	if math.Abs(exact-sampled) > 0.05 || exact == 0 || exact == 1 { // σ ≤ 0.5/√923 = 0.016
		t.Errorf("sampled %v, exact %v", sampled, exact)
	}
}

func TestEstimate(t *testing.T) {
	if got := eval.Estimate(nil, 100, 1); got != nil {
		t.Errorf("Estimate of nothing = %v, want nil", got)
	}
	want := &eval.Stat{Mean: 0.25, CI95: [2]float64{0.25, 0.25}, N: 3}
	if diff := cmp.Diff(want, eval.Estimate([]float64{0.25, 0.25, 0.25}, 100, 1)); diff != "" {
		t.Errorf("constant values (-want +got):\n%s", diff)
	}
	values := make([]float64, 400)
	for i := range 100 {
		values[i] = 1
	}
	got := eval.Estimate(values, 2000, 7)
	if diff := cmp.Diff(got, eval.Estimate(values, 2000, 7)); diff != "" {
		t.Errorf("the same seed differs:\n%s", diff)
	}
	// Binomial: 0.25 ± 1.96·√(0.25·0.75/400) = 0.25 ± 0.0424.
	if got.Mean != 0.25 || math.Abs(got.CI95[0]-0.2076) > 0.006 || math.Abs(got.CI95[1]-0.2924) > 0.006 || got.N != 400 {
		t.Errorf("Estimate = %+v, want 0.25 within about [0.208, 0.292]", got)
	}
}

func BenchmarkEstimate(b *testing.B) { // 601 questions, one metric
	values := make([]float64, 601)
	for i := range values {
		values[i] = float64(i % 5)
	}
	for b.Loop() {
		eval.Estimate(values, 2000, 1)
	}
}
