package utility_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"trawl/corpus/dataset"
	"trawl/eval/utility"
	"trawl/internal/seed"
	"trawl/trajectory"
)

// pearson is the correlation as textbooks have it, and not defined where something is
// everywhere the same.
func pearson(pairs []utility.Pair) (r float64, ok bool) {
	n, x, y := float64(len(pairs)), 0.0, 0.0
	for _, p := range pairs {
		x, y = x+p.Gain/n, y+p.Fall/n
	}
	xx, yy, xy := 0.0, 0.0, 0.0
	for _, p := range pairs {
		xx, yy, xy = xx+(p.Gain-x)*(p.Gain-x), yy+(p.Fall-y)*(p.Fall-y), xy+(p.Gain-x)*(p.Fall-y)
	}
	return xy / math.Sqrt(xx*yy), xx > 1e-12 && yy > 1e-12
}

// The interval is that of the correlations of questions drawn with replacement: of 41
// draws the second and the second last (.025·40 = 1), of 21 halfway between the first two
// and the last two. The means of gains and falls differ from question to question, so
// that those of a draw are not those of all.
func TestAdaptabilityIntervalByHand(t *testing.T) {
	chance := rand.New(rand.NewPCG(9, 9))
	var examples []dataset.Example
	var groups [][]utility.Pair
	lines := map[string][]*trajectory.Trajectory{}
	for i := range 6 {
		ex := barrow
		ex.ID = fmt.Sprint(i)
		h := [3]float64{5 * chance.Float64(), 4 * chance.Float64(), 3 * chance.Float64()}
		degrees := [3]int{90, 90 - 10*i - 5, 80 - 15*i + chance.IntN(5)}
		var steps []trajectory.Step
		var pairs []utility.Pair
		frontier := 0.0
		for j := range h {
			steps = append(steps, at(j+1, h[j], found("a", fmt.Sprintf("x@%d", degrees[j]))))
			s := math.Cos(float64(degrees[j]) * math.Pi / 180)
			gain := 0.0
			if s-frontier >= 0.01 {
				gain = s - frontier
			}
			frontier = max(frontier, s)
			if j > 0 {
				pairs = append(pairs, utility.Pair{Gain: gain, Fall: h[j-1] - h[j]})
			}
		}
		examples, groups, lines[ex.ID] = append(examples, ex), append(groups, pairs), []*trajectory.Trajectory{chosen(0, steps...)}
	}
	for _, resamples := range []int{41, 21} {
		r, err := utility.Run(t.Context(), examples, func(id string) ([]*trajectory.Trajectory, error) { return lines[id], nil },
			utility.Options{Embedder: angles{}, Weights: utility.DefaultWeights(), Seed: 3, Resamples: resamples})
		if err != nil {
			t.Fatal(err)
		}
		all, _ := pearson(slices.Concat(groups...))
		var drawn []float64
		draw := seed.Rand(3, "adaptability", len(groups))
		for range resamples {
			var some []utility.Pair
			for range groups {
				some = append(some, groups[draw.IntN(len(groups))]...)
			}
			if r, ok := pearson(some); ok {
				drawn = append(drawn, r)
			}
		}
		if len(drawn) != resamples {
			t.Fatalf("%d draws of %d are defined: the ranks below are others", len(drawn), resamples)
		}
		slices.Sort(drawn)
		want := []float64{all, drawn[1], drawn[len(drawn)-2]}
		if resamples == 21 {
			want = []float64{all, (drawn[0] + drawn[1]) / 2, (drawn[len(drawn)-2] + drawn[len(drawn)-1]) / 2}
		}
		got := []float64{r.EA.Mean, r.EA.CI95[0], r.EA.CI95[1]}
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-6 { // vectors are float32
				t.Errorf("%d draws: E_A and its interval %v, want %v", resamples, got, want)
				break
			}
		}
	}
}

// A turn gains what all its calls do. The target is at 0°; turns see 90°, then 60°, then
// 36.87° and 0°, then nothing new, with H = 3, 2, 1, .5, so the pairs
//
//	(.5, 1)  (.3+.2, 1)  (0, .5)
//
// are on a line, E_A = 1. With .2 alone for the second they are (.5, 1), (.2, 1), (0, .5).
func TestGainsOfATurnAddUp(t *testing.T) {
	r := evaluated(t, utility.Options{}, barrow, chosen(0, at(1, 3, found("a", "x@90")), at(2, 2, found("b", "x@60")),
		at(3, 1, found("c", "x@36.8699")), at(3, -1, found("d", "x@0")), at(4, 0.5, found("e", "x@0"))))
	if r.Entropies.Pairs != 3 || math.Abs(r.EA.Mean-1) > 1e-6 {
		t.Errorf("E_A %v over %d pairs, want 1 over 3", r.EA.Mean, r.Entropies.Pairs)
	}
}

// A round that ended without an answer ends all the same: its last turn and the first of
// the next round are no pair, and neither are turns with one between them.
func TestPairsWithinARound(t *testing.T) {
	nothing := trajectory.Step{Kind: trajectory.KindNone}
	r := evaluated(t, utility.Options{}, barrow, chosen(0, at(1, 1, found("a", "x@90")), at(2, 0.5, nothing), at(4, 0.9, found("b", "x@60")), at(5, 0.8, found("c", "x@0"))))
	if r.Entropies.Pairs != 1 {
		t.Errorf("%d pairs, want that of turns 4 and 5 alone", r.Entropies.Pairs)
	}
}

// What H_t is stands in the method as it was measured, and a server that sent no
// logprobs is told from a run that asked for none.
func TestEntropySource(t *testing.T) {
	bare := chosen(0, at(1, -1, found("a", "x@90")))
	tests := []struct {
		name          string
		o             utility.Options
		method, lacks string
	}{
		{"asked for 16", utility.Options{EntropiesFrom: "logprobs", Logprobs: 16}, "(16 likeliest)", "asked for logprobs=16, the server sent none"},
		{"asked for 5", utility.Options{EntropiesFrom: "logprobs", Logprobs: 5}, "(5 likeliest)", "asked for logprobs=5, the server sent none"},
		{"asked for 20", utility.Options{EntropiesFrom: "logprobs", Logprobs: 20}, "(16 likeliest)", "asked for logprobs=20"},
		{"resampled", utility.Options{EntropiesFrom: "resampled 4"}, "(resampled 4)", "no rollout records the entropy"},
		{"none", utility.Options{}, "in its turn", "no rollout records the entropy"},
	}
	for _, tt := range tests {
		r := evaluated(t, tt.o, barrow, bare)
		said := strings.Join(r.Method.Reconstruction, "\n")
		if !strings.Contains(said, tt.method) || strings.Contains(said, "likeliest") != (tt.o.Logprobs > 0) || !strings.HasPrefix(lacking(r), tt.lacks) {
			t.Errorf("%s: lacking %q, method\n%s", tt.name, lacking(r), said)
		}
	}
}
