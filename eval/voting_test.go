package eval_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"trawl/eval"
	"trawl/internal/seed"
)

func TestCoverage(t *testing.T) {
	tests := []struct {
		p    float64
		k    int
		want float64
	}{
		{0.2, 1, 0.2},
		{0.2, 2, 0.36},  // 1 − 0.8²
		{0.2, 3, 0.488}, // 1 − 0.512
		{0, 9, 0},
		{1, 1, 1},
	}
	for _, tt := range tests {
		if got := eval.Coverage(tt.p, tt.k); !near(got, tt.want) {
			t.Errorf("Coverage(%v, %d) = %v, want %v", tt.p, tt.k, got, tt.want)
		}
	}
	for _, got := range []float64{eval.Coverage(0.5, 0), eval.Coverage(-0.1, 1), eval.Coverage(1.1, 1), eval.Coverage(math.NaN(), 1)} {
		if !math.IsNaN(got) {
			t.Errorf("Coverage of what is no chance = %v, want NaN", got)
		}
	}
}

func TestVoting(t *testing.T) {
	paper := []float64{0.2, 0.5, 0.3}
	tests := []struct {
		name    string
		classes []float64
		correct int
		want    []float64 // for k = 1, 2, …
	}{
		// k = 2: both 0.2² = 0.04; one of two, 2·0.2·0.8 = 0.32, is a tie and half won.
		// k = 3: three 0.008; two 3·0.04·0.8 = 0.096; one beside one of each other,
		// 3!·0.2·0.5·0.3 = 0.18, is a tie of three. In all 0.008 + 0.096 + 0.06.
		{"the paper's, right", paper, 0, []float64{0.2, 0.2, 0.164}},
		// k = 3: 0.125 + 3·0.25·0.5 + 0.06.
		{"the paper's, most likely", paper, 1, []float64{0.5, 0.5, 0.56}},
		// k = 3: 0.027 + 3·0.09·0.7 + 0.06.
		{"the paper's, third", paper, 2, []float64{0.3, 0.3, 0.276}},
		// No answer has 0.3. k = 2: 0.04; with none, 2·0.2·0.3 = 0.12, it wins alone;
		// with the wrong one, 2·0.2·0.5 = 0.2, half. k = 3: 0.008 + 0.096; with two
		// nones 3·0.2·0.09 = 0.054; with one and the wrong one 6·0.2·0.5·0.3 = 0.18, half.
		{"none votes for nothing", []float64{0.2, 0.5}, 0, []float64{0.2, 0.26, 0.248}},
		{"alone", []float64{0.5}, 0, []float64{0.5, 0.75, 0.875}},
		{"certain", []float64{0, 1, 0}, 1, []float64{1, 1, 1}},
		{"never", []float64{0, 1}, 0, []float64{0, 0, 0}},
		{"a coin", []float64{0.5, 0.5}, 1, []float64{0.5, 0.5, 0.5, 0.5}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for i, want := range tt.want {
				if got := eval.Voting(tt.classes, tt.correct, i+1); !near(got, want) {
					t.Errorf("Voting(%v, %d, %d) = %v, want %v", tt.classes, tt.correct, i+1, got, want)
				}
			}
		})
	}
	for _, got := range []float64{
		eval.Voting(paper, 3, 1), eval.Voting(paper, -1, 1), eval.Voting(paper, 0, 0),
		eval.Voting([]float64{0.6, 0.6}, 0, 1), eval.Voting([]float64{-0.1, 0.6}, 1, 1), eval.Voting([]float64{math.NaN()}, 0, 1),
		eval.Voting(paper, 0, eval.MaxVotes+1), eval.Voting(paper, 0, 100_000),
	} {
		if !math.IsNaN(got) {
			t.Errorf("Voting of what is no chance = %v, want NaN", got)
		}
	}
}

// A wrong answer that is more likely wins all votes in the end, while every
// question is covered.
func TestVotingLimit(t *testing.T) {
	classes := []float64{0.2, 0.5, 0.3}
	last := 1.0
	for _, k := range []int{4, 16, 64, 256} {
		got := eval.Voting(classes, 0, k)
		if got >= last {
			t.Errorf("Voting(k=%d) = %v, not below %v", k, got, last)
		}
		last = got
	}
	if c := eval.Coverage(0.2, 256); last > 1e-6 || c < 1-1e-6 {
		t.Errorf("at 256 the vote is right with %v and coverage %v, want about 0 and 1", last, c)
	}
	if got := eval.Voting(classes, 1, 256); got < 0.999 {
		t.Errorf("the most likely answer wins 256 votes with %v, want about 1", got)
	}
}

// Many votes take memory in proportion to their number times the answers that can be
// tied, and give what they must: half to each of two alike, a quarter to each of four
// beside none.
func TestVotingOfMany(t *testing.T) {
	for _, tt := range []struct {
		classes []float64
		want    float64
	}{
		{[]float64{0.5, 0.5}, 0.5},
		{[]float64{0.2, 0.2, 0.2, 0.2}, 0.25},
		{[]float64{0.5, 0.3, 0.2}, 1},
		{[]float64{0.3, 0.5, 0.2}, 0},
		{[]float64{1}, 1},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := eval.Voting(tt.classes, 0, eval.MaxVotes)
		runtime.ReadMemStats(&after)
		if !near(got, tt.want) {
			t.Errorf("Voting(%v, 0, %d) = %v, want %v", tt.classes, eval.MaxVotes, got, tt.want)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 2<<30 {
			t.Errorf("Voting(%v, 0, %d) took %d MiB in all", tt.classes, eval.MaxVotes, n>>20)
		}
	}
}

// chances draws the chances of a few answers, with something left for none.
func chances(r *rand.Rand) []float64 {
	classes := make([]float64, 1+r.IntN(6))
	rest := 1.0
	for i := range classes {
		classes[i] = rest * r.Float64()
		rest -= classes[i]
	}
	return classes
}

func TestVotingProperties(t *testing.T) {
	r := seed.Rand(1, "voting")
	for range 300 {
		classes := chances(r)
		k := 1 + r.IntN(12)
		sum, none := 0.0, 1.0
		for i, p := range classes {
			got := eval.Voting(classes, i, k)
			sum, none = sum+got, none-p
			if got < 0 || got > eval.Coverage(p, k) {
				t.Fatalf("Voting(%v, %d, %d) = %v is not in 0 and coverage, %v", classes, i, k, got, eval.Coverage(p, k))
			}
			if one := eval.Voting(classes, i, 1); one != p || eval.Coverage(p, 1) != p {
				t.Fatalf("Voting(%v, %d, 1) = %v, want the chance itself", classes, i, one)
			}
		}
		// Somebody wins, but where all are without an answer.
		if want := 1 - math.Pow(max(none, 0), float64(k)); !near(sum, want) {
			t.Fatalf("chances of winning of %v at %d sum to %v, want %v", classes, k, sum, want)
		}
		first := eval.Voting(classes, 0, k)
		r.Shuffle(len(classes)-1, func(i, j int) { classes[i+1], classes[j+1] = classes[j+1], classes[i+1] })
		if got := eval.Voting(slices.Insert(classes, 1, 0), 0, k); !near(got, first) {
			t.Fatalf("with the wrong answers in another order, and one without a chance, %v, not %v", got, first)
		}
	}
}

// The exact chance is the mean of votes that are held, by the rule of MajorityAt.
func TestVotingSimulated(t *testing.T) {
	r := seed.Rand(2, "voting")
	const votes = 20_000
	for _, k := range []int{2, 3, 5, 8} {
		classes := []float64{0.3, 0.25, 0.25, 0.1} // and 0.1 without an answer
		hits := 0.0
		for range votes {
			answers, right := make([]string, k), make([]bool, k)
			for i := range answers {
				u, c := r.Float64(), 0
				for c < len(classes) && u >= classes[c] {
					u -= classes[c]
					c++
				}
				answers[i], right[i] = []string{"a", "b", "c", "d", ""}[c], c == 0
			}
			hits += eval.MajorityAt(answers, right, k, 1, nil)
		}
		// σ ≤ 0.5/√20,000 = 0.0035
		if got, want := hits/votes, eval.Voting(classes, 0, k); math.Abs(got-want) > 0.014 {
			t.Errorf("k=%d: %v of the simulated votes are right, exactly %v", k, got, want)
		}
	}
}
