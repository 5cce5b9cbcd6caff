package utility_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/corpus/dataset"
	"trawl/eval/utility"
	"trawl/trajectory"
)

func TestActionEntropy(t *testing.T) {
	tests := []struct {
		name    string
		actions string
		want    float64
		ok      bool
	}{
		{"none", "", 0, false},
		{"one alone", "a", 0, false},
		{"all the same", "a a a", 0, true},
		{"all different", "a b c", math.Log(3), true},
		// −1/2·ln 1/2 − 2·1/4·ln 1/4 = 1.5·ln 2
		{"a half and two quarters", "a b a c", 1.5 * math.Ln2, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if h, ok := utility.ActionEntropy(strings.Fields(tt.actions)); ok != tt.ok || math.Abs(h-tt.want) > 1e-12 {
				t.Errorf("ActionEntropy = %v, %v, want %v, %v", h, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestAdaptability(t *testing.T) {
	tests := []struct {
		name  string
		pairs []utility.Pair
		want  float64
		ok    bool
	}{
		{"none", nil, 0, false},
		{"one", []utility.Pair{{0.1, 0.2}}, 0, false},
		{"the same gains", []utility.Pair{{0.1, 0.2}, {0.1, 0.3}}, 0, false},
		{"the same falls", []utility.Pair{{0.1, 0.3}, {0.2, 0.3}, {0.7, 0.3}}, 0, false},
		{"on a line", []utility.Pair{{0, -1}, {0.2, -0.5}, {0.4, 0}}, 1, true},
		{"on a falling line", []utility.Pair{{0, 1}, {0.2, 0.5}, {0.4, 0}}, -1, true},
		// Gains 0, 0, .3, .1 about .1: −.1, −.1, .2, 0. Falls −.2, .2, .4, 0 about .1: −.3, .1,
		// .3, −.1. Σxy = .03 − .01 + .06 + 0 = .08; Σxx = .06; Σyy = .2; .08/sqrt(.012) = .7302967
		{"by hand", []utility.Pair{{0, -0.2}, {0, 0.2}, {0.3, 0.4}, {0.1, 0}}, 0.7302967, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if r, ok := utility.Adaptability(tt.pairs); ok != tt.ok || math.Abs(r-tt.want) > 1e-6 {
				t.Errorf("Adaptability = %.7f, %v, want %.7f, %v", r, ok, tt.want, tt.ok)
			}
		})
	}
}

// The correlation is between −1 and 1, and does not change if gains and falls are
// measured in other units or from elsewhere; it changes its sign with one of them.
func TestAdaptabilityProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 300 {
		pairs := make([]utility.Pair, 2+r.IntN(30))
		for i := range pairs {
			pairs[i] = utility.Pair{Gain: r.Float64(), Fall: r.NormFloat64()}
		}
		moved, turned := make([]utility.Pair, len(pairs)), make([]utility.Pair, len(pairs))
		for i, p := range pairs {
			moved[len(pairs)-1-i] = utility.Pair{Gain: 3*p.Gain + 1, Fall: 0.5*p.Fall - 2}
			turned[i] = utility.Pair{Gain: p.Gain, Fall: -p.Fall}
		}
		a, ok := utility.Adaptability(pairs)
		b, _ := utility.Adaptability(moved)
		c, _ := utility.Adaptability(turned)
		if !ok || a < -1 || a > 1 || math.Abs(a-b) > 1e-9 || math.Abs(a+c) > 1e-9 {
			t.Fatalf("%v: %v, moved %v, turned %v", pairs, a, b, c)
		}
	}
}

// at gives a step its turn and its entropy; below 0 there is none.
func at(turn int, h float64, s trajectory.Step) trajectory.Step {
	s.Turn = turn
	if h >= 0 {
		s.Entropy = &h
	}
	return s
}

// chosen is a rollout whose steps stand as they are, with an answer in the last turn.
func chosen(n int, steps ...trajectory.Step) *trajectory.Trajectory {
	t := rollout(n, "1782", "")
	t.Steps = steps
	return t
}

// Two rollouts by hand. The target is at 0°. The first has its first query given, which
// finds 60° (s = .5), and then
//
//	turn 2   sees 90°             g = 0            H = 1
//	turn 3   sees 90°             g = 0            H = .7
//	turn 4   sees 36.87° and 0°   g = .3 + .2      H = .2
//	turn 5   answers                               H = .1
//
// so the pairs (0, .3) and (.5, .5), and with the falls that follow (0, .3), (0, .5) and
// (.5, .1). The second has a turn without an entropy between two that have one: no pair.
func TestEntropiesByHand(t *testing.T) {
	given := found("a", "x@60")
	given.Source = trajectory.SeedPool
	third := at(4, -1, found("e", "x@0"))
	lines := []*trajectory.Trajectory{
		chosen(0, at(1, -1, given), at(2, 1, found("b", "x@90")), at(3, 0.7, found("c", "x@90")), at(4, 0.2, found("d", "x@36.8699")), third,
			at(5, 0.1, trajectory.Step{Kind: trajectory.KindAnswer})),
		chosen(1, at(1, 1, found("a", "x@60")), at(2, -1, found("b", "x@90")), at(3, 0.4, found("c", "x@90"))),
	}
	r := evaluated(t, utility.Options{EntropiesFrom: "logprobs"}, barrow, lines...)
	if r.EA == nil || math.Abs(r.EA.Mean-1) > 1e-9 || r.EA.N != 1 || r.EA.CI95 != [2]float64{r.EA.Mean, r.EA.Mean} {
		t.Errorf("E_A %+v, want 1 over one question: two pairs are on a line", r.EA)
	}
	// 1 + .7 + .2 + .1 + 1 + .4 = 3.4 of six; seven turns were chosen.
	e := r.Entropies
	if e.Turns != 7 || e.Without != 1 || e.Pairs != 2 || e.From != "logprobs" || math.Abs(*e.Mean-3.4/6) > 1e-12 {
		t.Errorf("entropies %+v, mean %v", e, *e.Mean)
	}
	// Gains 0, 0, .5 with falls .3, .5, .1. About 1/6 and .3: Σxy = −1/6·0 − 1/6·.2 − 1/3·.2 =
	// −.1, Σxx = 1/36 + 1/36 + 1/9 = 1/6, Σyy = .08; −.1/sqrt(.08/6) = −.8660254.
	if e.Following == nil || math.Abs(e.Following.Mean+0.8660254) > 1e-6 {
		t.Errorf("following %+v, want −.8660254", e.Following)
	}
	if lacking(r) != "1 of 7 turns have no entropy" {
		t.Errorf("lacking %q", lacking(r))
	}
}

// lacking is what a report says of E_A.
func lacking(r *utility.Report) string {
	for _, u := range r.NotMeasured {
		if u.Figure == "E_A" {
			return u.Why
		}
	}
	return ""
}

// Where there is no correlation it is null, and a reason stands there.
func TestNoAdaptability(t *testing.T) {
	rising := []trajectory.Step{at(1, 1, found("a", "x@90")), at(2, 0.5, found("b", "x@60")), at(3, 0.1, found("c", "x@60"))}
	blind := barrow
	blind.Golds = nil
	tests := []struct {
		name  string
		ex    dataset.Example
		steps []trajectory.Step
		want  string
	}{
		{"there is one", barrow, rising, ""},
		{"nothing recorded", barrow, []trajectory.Step{at(1, -1, found("a", "x@90"))}, "no rollout records the entropy"},
		{"no gold answers", blind, rising, "without gold answers"},
		{"one turn", barrow, rising[:1], "no rollout has two turns in a row"},
		{"no variance of gains", barrow, []trajectory.Step{rising[0], at(2, 0.5, found("b", "x@90")), at(3, 0.1, found("c", "x@90"))}, "are the same in all of 2 pairs"},
		{"no variance of falls", barrow, []trajectory.Step{rising[0], at(2, 1, found("b", "x@60")), at(3, 1, found("c", "x@60"))}, "are the same in all of 2 pairs"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := evaluated(t, utility.Options{}, tt.ex, chosen(0, tt.steps...))
			if (r.EA == nil) != (tt.want != "") || !strings.Contains(lacking(r), tt.want) {
				t.Errorf("E_A %v, lacking %q, want %q", r.EA, lacking(r), tt.want)
			}
			if data, err := json.Marshal(r); err != nil || strings.Contains(string(data), `"e_a":null`) != (tt.want != "") {
				t.Errorf("JSON with e_a null: error %v", err)
			}
		})
	}
}

// The turn after the end of a round has no predecessor.
func TestEntropiesOfRounds(t *testing.T) {
	r := evaluated(t, utility.Options{}, barrow, chosen(0,
		at(1, 1, found("a", "x@90")), at(2, 0.5, trajectory.Step{Kind: trajectory.KindAnswer}),
		at(3, 0.9, found("b", "x@60")), at(4, 0.8, trajectory.Step{Kind: trajectory.KindAnswer})))
	if r.Entropies.Pairs != 0 {
		t.Errorf("%d pairs, want none: no call follows another of its round", r.Entropies.Pairs)
	}
}

// The interval is over questions: same seed, same interval, and wider than nothing.
func TestAdaptabilityInterval(t *testing.T) {
	chance := rand.New(rand.NewPCG(5, 5))
	lines := map[string][]*trajectory.Trajectory{}
	var examples []dataset.Example
	for i := range 12 {
		ex := barrow
		ex.ID = string(rune('a' + i))
		examples = append(examples, ex)
		lines[ex.ID] = []*trajectory.Trajectory{chosen(0, at(1, 2*chance.Float64(), found("a", "x@90")),
			at(2, 2*chance.Float64(), found("b", "x@60")), at(3, 2*chance.Float64(), found("c", "x@60")), at(4, 2*chance.Float64(), found("d", "x@0")))}
	}
	run := func(workers int) *utility.Report {
		r, err := utility.Run(t.Context(), examples, func(id string) ([]*trajectory.Trajectory, error) { return lines[id], nil },
			utility.Options{Embedder: angles{}, Weights: utility.DefaultWeights(), Workers: workers, Resamples: 500})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	a, b := run(1), run(8)
	if diff := cmp.Diff(a.EA, b.EA); diff != "" {
		t.Errorf("E_A by workers (-1 +8):\n%s", diff)
	}
	if a.EA.N != 12 || a.Entropies.Pairs != 36 || !(a.EA.CI95[0] < a.EA.Mean && a.EA.Mean < a.EA.CI95[1]) || a.EA.CI95[0] < -1 || a.EA.CI95[1] > 1 {
		t.Errorf("E_A %+v over %d pairs", a.EA, a.Entropies.Pairs)
	}
}
