package utility_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trawl/eval/utility"
	"trawl/internal/text"
	"trawl/trajectory"
)

var near = cmpopts.EquateApprox(0, 1e-6)

func TestGains(t *testing.T) {
	tests := []struct {
		name       string
		similarity []float64
		want       []float64
	}{
		{"nothing", nil, []float64{}},
		// f: 0, .2, .5, .5, .6 — what falls behind the frontier is no gain.
		{"frontier, not predecessor", []float64{0.2, 0.5, 0.3, 0.6}, []float64{0.2, 0.3, 0, 0.1}},
		// .205 − .2 = .005 < ε; the frontier moves all the same, so .214 − .205 is below it too.
		{"below epsilon", []float64{0.2, 0.205, 0.214}, []float64{0.2, 0, 0}},
		{"clipped", []float64{-0.5, 1.5, 2}, []float64{0, 1, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, utility.Gains(tt.similarity, 0.01), near); diff != "" {
				t.Errorf("Gains mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPenalties(t *testing.T) {
	// p_1 = 1 always. Step 2 gained nothing, but step 1 did: 1. Step 3 is the second
	// without a gain: 1 + .5·.8 = 1.4. Step 4: a negative cosine is no discount. Step 5
	// gains: 1. Step 6 follows a gain: 1.
	got := utility.Penalties([]float64{0.2, 0, 0, 0, 0.1, 0}, []float64{0.9, 0.9, 0.8, -0.4, 1, 1}, 0.5)
	if diff := cmp.Diff([]float64{1, 1, 1.4, 1, 1, 1}, got, near); diff != "" {
		t.Errorf("Penalties mismatch (-want +got):\n%s", diff)
	}
	// The first two gained nothing: the second pays, the first has no predecessor.
	if diff := cmp.Diff([]float64{1, 1.5}, utility.Penalties([]float64{0, 0}, []float64{1, 1}, 0.5), near); diff != "" {
		t.Errorf("Penalties mismatch (-want +got):\n%s", diff)
	}
}

func TestEfficiency(t *testing.T) {
	tests := []struct {
		name               string
		steps, cost, gamma float64
		want               float64
	}{
		{"as long as the reference", 3, 3, 0.1, 1}, // (3 + .1·ln 4)/3 > 1
		// R_C = 2 + .1·ln 3 = 2.1098612; /4 = .5274653
		{"twice as long", 2, 4, 0.1, 0.5274653},
		{"without bonus", 2, 4, 0, 0.5},
		{"nothing called", 2, 0, 0.1, 1},
		{"nothing needed", 0, 2, 0.1, 0},
	}
	for _, tt := range tests {
		if got := utility.Efficiency(tt.steps, tt.cost, tt.gamma); math.Abs(got-tt.want) > 1e-6 {
			t.Errorf("%s: Efficiency(%g, %g, %g) = %g, want %g", tt.name, tt.steps, tt.cost, tt.gamma, got, tt.want)
		}
	}
}

func TestGrounding(t *testing.T) {
	tests := []struct {
		name string
		p    []float64
		want float64
	}{
		{"no claim", nil, 0},
		{"sure of all", []float64{1, 1, 1}, 1},
		{"two", []float64{0.9, 0.4}, 0.6},                                     // sqrt(.36)
		{"one unsupported claim is at the floor", []float64{1, 0}, 0.0316228}, // sqrt(.001)
		{"three", []float64{0.5, 0.25, 1}, 0.5},                               // (.125)^(1/3)
		{"above one", []float64{7}, 1},
	}
	for _, tt := range tests {
		if got := utility.Grounding(tt.p, 1e-3); math.Abs(got-tt.want) > 1e-6 {
			t.Errorf("%s: Grounding(%v) = %g, want %g", tt.name, tt.p, got, tt.want)
		}
	}
	many := make([]float64, 2000) // whose product, 10^−6000, is no float64
	if got := utility.Grounding(many, 1e-3); math.Abs(got-1e-3) > 1e-12 {
		t.Errorf("Grounding of 2,000 unsupported claims = %g, want 0.001", got)
	}
}

func TestRecovery(t *testing.T) {
	tests := []struct {
		steps []float64
		want  float64
	}{
		{nil, 1},
		{[]float64{3, 1}, 0.670320}, // exp(−.2 · 2) = exp(−.4)
		{[]float64{1}, 0.818731},    // exp(−.2)
		{[]float64{5}, 0.367879},    // exp(−1)
		{[]float64{10, 10}, 0.135335},
	}
	for _, tt := range tests {
		if got := utility.Recovery(tt.steps, 0.2); math.Abs(got-tt.want) > 1e-6 {
			t.Errorf("Recovery(%v) = %g, want %g", tt.steps, got, tt.want)
		}
	}
}

func TestUtility(t *testing.T) {
	w := utility.DefaultWeights()
	// C = .7·.9 + .3·.5 = .78
	if got := utility.Quality(0.9, 0.5, 0.7); math.Abs(got-0.78) > 1e-9 {
		t.Errorf("Quality(.9, .5, .7) = %g, want 0.78", got)
	}
	// sqrt(.64) · sqrt(.81) = .8 · .9
	if got := utility.Utility(true, 0.64, 0.81, w); math.Abs(got-0.72) > 1e-9 {
		t.Errorf("Utility(.64, .81) = %g, want 0.72", got)
	}
	// .64^1 · .81^.5 = .576: the exponents are not swapped.
	w.OmegaE = 1
	if got := utility.Utility(true, 0.64, 0.81, w); math.Abs(got-0.576) > 1e-9 {
		t.Errorf("Utility(.64, .81) with omega_e=1 = %g, want 0.576", got)
	}
	if got := utility.Utility(false, 1, 1, w); got != 0 {
		t.Errorf("Utility of a wrong answer = %g, want 0", got)
	}
}

func search(query string) utility.Action {
	return utility.Action{Kind: trajectory.KindSearch, Argument: text.Tokens(query)}
}

func open(id string) utility.Action {
	return utility.Action{Kind: trajectory.KindOpen, Argument: text.Tokens(id)}
}

func TestStability(t *testing.T) {
	tests := []struct {
		name string
		runs [][]utility.Action
		want float64
	}{
		{"alike", [][]utility.Action{{search("a b")}, {search("b a")}, {search("A b")}}, 1},
		{"nothing done by any", [][]utility.Action{{}, {}, {}}, 1},
		// d(1,2) = 1/2: one more. d(1,3): "a b" for "a c" costs 1 − 1/3 = 2/3, over 1.
		// d(2,3): the same 2/3 and one more, 5/3 over 2 = 5/6. Mean (1/2 + 2/3 + 5/6)/3 = 2/3.
		{"by hand", [][]utility.Action{{search("a b")}, {search("a b"), open("7")}, {search("a c")}}, 1.0 / 3},
		// Another tool costs 1, whatever its argument: each pair with the third is 1, the
		// first two are equal. 1 − 2/3.
		{"another tool", [][]utility.Action{{search("7")}, {search("7")}, {open("7")}}, 1.0 / 3},
	}
	for _, tt := range tests {
		if got, ok := utility.Stability(tt.runs); !ok || math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: Stability = %g, %t, want %g", tt.name, got, ok, tt.want)
		}
	}
	if _, ok := utility.Stability([][]utility.Action{{}, {}}); ok {
		t.Error("Stability of two runs is defined, want three at least")
	}
}

func TestStabilityProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		runs := make([][]utility.Action, 3+r.IntN(4))
		for i := range runs {
			for range r.IntN(6) {
				runs[i] = append(runs[i], []utility.Action{search("a"), search("a b"), search("c d e"), open("a")}[r.IntN(4)])
			}
		}
		want, _ := utility.Stability(runs)
		if want < 0 || want > 1 {
			t.Fatalf("Stability(%v) = %g, want 0 to 1", runs, want)
		}
		r.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
		if got, _ := utility.Stability(runs); got != want {
			t.Fatalf("Stability depends on the order of runs: %v and %v", got, want)
		}
	}
}

// One more action that gains nothing and shows what the last one showed never raises
// E, wherever it stands; and everything stays within its bounds.
func TestRedundantActionsNeverPay(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		n := 1 + r.IntN(8)
		near, alike := make([]float64, n), make([]float64, n)
		for i := range near {
			near[i], alike[i] = r.Float64()*2-1, r.Float64()*2-1
		}
		before := efficiency(t, near, alike)
		at := r.IntN(n) // repeats action at: it shows the same, so its cosine is 1
		again := append(append(append([]float64{}, near[:at+1]...), near[at]), near[at+1:]...)
		likes := append(append(append([]float64{}, alike[:at+1]...), 1), alike[at+1:]...)
		if after := efficiency(t, again, likes); after > before {
			t.Fatalf("E rose from %g to %g when action %d of %v was repeated", before, after, at, near)
		}
	}
}

func efficiency(t *testing.T, near, alike []float64) float64 {
	t.Helper()
	gains := utility.Gains(near, 0.01)
	cost, total := 0.0, 0.0
	for i, p := range utility.Penalties(gains, alike, 0.5) {
		if p < 1 || p > 1.5 {
			t.Fatalf("penalty %g, want 1 to 1.5", p)
		}
		cost, total = cost+p, total+gains[i]
	}
	e := utility.Efficiency(3, cost, 0.1)
	if total > 1 || e <= 0 || e > 1 {
		t.Fatalf("gains add up to %g and E is %g, want at most 1", total, e)
	}
	return e
}

func TestWeights(t *testing.T) {
	if err := utility.DefaultWeights().Validate(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	tests := []struct {
		name  string
		value float64
		want  string
	}{
		{"beta", 1.5, "weight beta=1.5: want a number from 0 up to 1"},
		{"lambda", math.NaN(), "weight lambda=NaN: want a number from 0 up to 1e+06"},
		{"alpha", 1e308, "weight alpha=1e+308: want a number from 0 up to 1e+06"},
		{"d_max", math.Inf(1), "weight d_max=+Inf: want a number above 0 up to 1e+06"},
		{"p_floor", 0, "weight p_floor=0: want a number above 0 up to 1"},
		{"evidence", 2.5, "weight evidence=2.5: want a whole number from 1 up to 1000"},
		{"cost_find", -1, "weight cost_find=-1: want a number above 0 up to 1e+06"},
		{"omega_e", 0, ""},
	}
	for _, tt := range tests {
		w := utility.DefaultWeights()
		if err := w.Set(tt.name, tt.value); err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := w.Validate(); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s=%g: %q, want %q", tt.name, tt.value, got, tt.want)
		}
	}
	w := utility.DefaultWeights()
	if err := w.Set("omega", 1); err == nil {
		t.Error("Set took a weight that is none")
	}
}

// Whatever the weights may be, the figures are numbers.
func TestExtremeWeights(t *testing.T) {
	names := []string{"omega_e", "omega_c", "gamma", "alpha", "lambda", "d_max", "cost_search", "cost_open", "cost_find"}
	for _, v := range []float64{1e6, math.SmallestNonzeroFloat64} {
		w := utility.DefaultWeights()
		for _, name := range names {
			if err := w.Set(name, v); err != nil {
				t.Fatal(err)
			}
		}
		w.Floor = math.SmallestNonzeroFloat64
		step := found("a", "x@90", "lie")
		r := evaluated(t, utility.Options{Weights: w, Traps: map[string][]utility.Trap{"q": {{DocID: "lie", FalseAnswer: "1785"}}}}, barrow,
			rollout(0, "1782", "", step, step, step), rollout(1, "1785", "", step, step, step, step))
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("weights of %g: %v", v, err)
		}
	}
}
