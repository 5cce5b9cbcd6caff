package scaffold_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trawl/eval/scaffold"
	"trawl/internal/seed"
	"trawl/trajectory"
)

var near = cmpopts.EquateApprox(0, 1e-12)

// TestMonotone pools by hand:
//
//	3 1 2 5 4, equal weights: {3 1} → 2, {2 2} → 2 (2, 2, 2), {5 4} → 4.5
//	0.6 (weight 1), 0.2 (3), 0.3 (4): {0.6 0.2} → (0.6+0.6)/4 = 0.3; equal to 0.3
func TestMonotone(t *testing.T) {
	tests := []struct {
		name                  string
		values, weights, want []float64
	}{
		{"two violations", []float64{3, 1, 2, 5, 4}, []float64{1, 1, 1, 1, 1}, []float64{2, 2, 2, 4.5, 4.5}},
		{"weights", []float64{0.6, 0.2, 0.3}, []float64{1, 3, 4}, []float64{0.3, 0.3, 0.3}},
		{"rising", []float64{0, 0.5, 1}, []float64{1, 1, 1}, []float64{0, 0.5, 1}},
		{"a late fall pools backwards", []float64{0, 3, 6, 0}, []float64{1, 1, 1, 1}, []float64{0, 3, 3, 3}},
		{"nothing", nil, nil, []float64{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, scaffold.Monotone(tt.values, tt.weights), near); diff != "" {
				t.Errorf("Monotone (-want +got):\n%s", diff)
			}
		})
	}
}

// The fit never falls, keeps the weighted mean, stays within the values, and is no
// further from them than any other curve that never falls.
func TestMonotoneProperties(t *testing.T) {
	r := seed.Rand(1, "monotone")
	distance := func(a, b, w []float64) float64 {
		sum := 0.0
		for i := range a {
			sum += w[i] * (a[i] - b[i]) * (a[i] - b[i])
		}
		return sum
	}
	for range 300 {
		n := 1 + r.IntN(11)
		values, weights, ones := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range values {
			values[i], weights[i], ones[i] = float64(r.IntN(11))/10, float64(1+r.IntN(10)), 1
		}
		fit := scaffold.Monotone(values, weights)
		if !slices.IsSorted(fit) || fit[0] < slices.Min(values)-1e-12 || fit[n-1] > slices.Max(values)+1e-12 {
			t.Fatalf("Monotone(%v) = %v", values, fit)
		}
		mean, fitted := 0.0, 0.0
		for i := range values {
			mean, fitted = mean+weights[i]*values[i], fitted+weights[i]*fit[i]
		}
		if math.Abs(mean-fitted) > 1e-9 {
			t.Fatalf("Monotone(%v, %v) = %v has another mean", values, weights, fit)
		}
		if diff := cmp.Diff(fit, scaffold.Monotone(fit, weights), near); diff != "" {
			t.Fatalf("the fit of a fit:\n%s", diff)
		}
		for range 20 {
			other := make([]float64, n)
			for i := range other {
				other[i] = r.Float64()
			}
			slices.Sort(other)
			if distance(values, other, weights) < distance(values, fit, weights)-1e-9 {
				t.Fatalf("%v is nearer to %v than the fit %v", other, values, fit)
			}
		}
	}
}

// TestCross interpolates by hand: between (0.5, 0.6) and (1, 1), 0.9 is at
// 0.5 + 0.3/0.4 · 0.5 = 0.875; between (0, 0) and (0.5, 1) at 0.45.
func TestCross(t *testing.T) {
	grid := []float64{0, 0.5, 1}
	tests := []struct {
		name   string
		fitted []float64
		theta  float64
		want   scaffold.Crossing
	}{
		{"between the last points", []float64{0.2, 0.6, 1}, 0.9, scaffold.Crossing{Lambda: 0.875}},
		{"between the first points", []float64{0, 1, 1}, 0.9, scaffold.Crossing{Lambda: 0.45}},
		{"on a point", []float64{0.2, 0.9, 0.9}, 0.9, scaffold.Crossing{Lambda: 0.5}},
		{"on a point but for rounding", []float64{0.2, 0.9 - 1e-15, 1}, 0.9, scaffold.Crossing{Lambda: 0.5}},
		{"only at the end", []float64{0, 0, 0.9}, 0.9, scaffold.Crossing{Lambda: 1}},
		{"without a hint", []float64{0.9, 0.9, 1}, 0.9, scaffold.Crossing{}},
		{"never", []float64{0, 0.5, 0.89}, 0.9, scaffold.Crossing{Lambda: 1, Censored: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, scaffold.Cross(grid, tt.fitted, tt.theta), near); diff != "" {
				t.Errorf("Cross (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCount(t *testing.T) {
	rollout := func(n int, answer, failure string) *trajectory.Trajectory {
		return &trajectory.Trajectory{Rollout: n, Answer: answer, Error: failure}
	}
	got := scaffold.Count(river, []*trajectory.Trajectory{
		rollout(0, "the River Ost.", ""), rollout(1, "not the Ost", ""), rollout(2, "", "gone"), rollout(3, "", ""), rollout(6, "Ost", ""), rollout(7, "Ost", ""),
	}, 6)
	if want := (scaffold.Tally{Right: 1, Done: 3, Failed: 1, Missing: 2}); got != want {
		t.Errorf("Count = %+v, want %+v", got, want)
	}
}

// tallies makes those of a task from its right rollouts of ten.
func tallies(right ...int) []scaffold.Tally {
	out := make([]scaffold.Tally, len(right))
	for i, n := range right {
		out[i] = scaffold.Tally{Right: n, Done: 10}
	}
	return out
}

// TestMeasure works four tasks out by hand, on the grid 0, ½, 1 with θ = 0.9:
//
//	a: 0.2 0.6 1     → 0.5 + 0.3/0.4·0.5 = 0.875
//	b: 0.9 1 0.8     → pooled {1 0.8} = 0.9 → 0
//	c: 0.1 0 0.5     → censored, 1
//	d: has no rollout at ½: not measured
//
// Their mean is 0.625. The pooled curve is 0.4, 1.6/3, 2.3/3: censored.
func TestMeasure(t *testing.T) {
	task := func() *scaffold.Task { return newTask(t, river, riverSteps) }
	lost := []scaffold.Tally{{Right: 1, Done: 2, Missing: 8}, {Failed: 10}, {Right: 1, Done: 10}}
	r, err := scaffold.Measure([]*scaffold.Task{task(), task(), task(), task()},
		[][]scaffold.Tally{tallies(2, 6, 10), tallies(9, 10, 8), tallies(1, 0, 5), lost}, scaffold.Options{Grid: []float64{0, 0.5, 1}, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	var mins []float64
	for _, d := range r.Details {
		if d.Measured {
			mins = append(mins, d.Crossing.Lambda)
		}
	}
	if diff := cmp.Diff([]float64{0.875, 0, 1}, mins, near); diff != "" {
		t.Errorf("λ_min of tasks (-want +got):\n%s", diff)
	}
	if r.Tasks != 4 || r.Measured != 3 || r.Unmeasured != 1 || r.Censored != 1 || r.Unaided != 1 || r.Failed != 10 || r.Missing != 8 {
		t.Errorf("counts %+v", r)
	}
	if s := r.LambdaMin; math.Abs(s.Mean-0.625) > 1e-12 || s.N != 3 || s.CI95[0] < 0 || s.CI95[1] > 1 {
		t.Errorf("λ_min %+v", s)
	}
	if diff := cmp.Diff(&scaffold.Crossing{Lambda: 1, Censored: true}, r.Pooled, near); diff != "" {
		t.Errorf("pooled (-want +got):\n%s", diff)
	}
	for i, want := range []float64{0.4, 1.6 / 3, 2.3 / 3} {
		if p := r.Curve[i]; math.Abs(p.Success.Mean-want) > 1e-12 || math.Abs(p.Fitted-want) > 1e-12 {
			t.Errorf("point %d: %+v, want success %.4f", i, p, want)
		}
	}
	// Hints of three steps: none, ⌊1.5⌋ and all; at ½ there is no document with the answer yet.
	if c := r.Curve[1]; c.Steps != 1 || c.Done != 30 || c.Failed != 10 || r.Leaks != (scaffold.Leaks{}) {
		t.Errorf("point 1: %+v, leaks %+v", c, r.Leaks)
	}
	if r.Theta != 0.9 || r.Runs != 10 || r.Resamples != 2000 || r.Seed != 7 || len(r.Method.Reported) == 0 || len(r.Method.Reconstruction) == 0 {
		t.Errorf("constants %+v", r)
	}
}

// The points of a task's curve weigh as much as they have rollouts done; each task
// weighs the same in the pooled curve, whatever it has done, and so do its points. By
// hand, on the grid 0, ½, 1 with θ = ½:
//
//	a: 6/8, 1/2, 2/2 → {6 of 8, 1 of 2} = 0.7 → 0
//	b: 2/4, 0/12, 1/1 → {2 of 4, 0 of 12} = 0.125, 1 → 0.5 + 0.375/0.875·0.5 = 5/7;
//	   with equal weights 0.25, → 2/3
//
// The pooled curve is (0.75 + 0.5)/2 = 0.625, (0.5 + 0)/2 = 0.25 and 1, so {0.625
// 0.25} = 0.4375 and 1: 0.5 + 0.0625/0.5625·0.5 = 5/9. By rollouts it would be
// (12·0.625 + 14·0.25)/26 = 0.423.
func TestMeasureUnequalCounts(t *testing.T) {
	tasks := []*scaffold.Task{newTask(t, river, riverSteps), newTask(t, river, riverSteps)}
	r, err := scaffold.Measure(tasks, [][]scaffold.Tally{
		{{Right: 6, Done: 8, Missing: 4}, {Right: 1, Done: 2, Missing: 10}, {Right: 2, Done: 2, Missing: 10}},
		{{Right: 2, Done: 4, Failed: 8}, {Done: 12}, {Right: 1, Done: 1, Failed: 11}},
	}, scaffold.Options{Grid: []float64{0, 0.5, 1}, Runs: 12, Theta: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	want := []*scaffold.Crossing{{Lambda: 0}, {Lambda: 5.0 / 7}, {Lambda: 5.0 / 9}}
	if diff := cmp.Diff(want, []*scaffold.Crossing{r.Details[0].Crossing, r.Details[1].Crossing, r.Pooled}, near); diff != "" {
		t.Errorf("of the tasks and pooled (-want +got):\n%s", diff)
	}
	for i, fitted := range []float64{0.4375, 0.4375, 1} {
		if p := r.Curve[i]; math.Abs(p.Fitted-fitted) > 1e-12 {
			t.Errorf("point %d: %+v, want %v fitted", i, p, fitted)
		}
	}
}

// The report says how many hints are cut short, beside the pooled curve.
func TestPooledNote(t *testing.T) {
	early := []scaffold.Step{riverSteps[0], step("rivers", "Acme", "It is the Ost."), riverSteps[2]}
	r, err := scaffold.Measure([]*scaffold.Task{newTask(t, river, early), newTask(t, river, riverSteps)},
		[][]scaffold.Tally{tallies(0, 0, 10), tallies(0, 0, 10)}, scaffold.Options{Grid: []float64{0, 0.7, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.PooledNote, "before the first step that states the answer, those of 1 of 2 tasks so cut short") || r.Leaks.Withheld != 1 {
		t.Errorf("note %q, leaks %+v", r.PooledNote, r.Leaks)
	}
	r, err = scaffold.Measure([]*scaffold.Task{newTask(t, river, early)}, [][]scaffold.Tally{make([]scaffold.Tally, 3)}, scaffold.Options{Grid: []float64{0, 0.7, 1}})
	if err != nil || r.PooledNote != "" || r.Pooled != nil {
		t.Errorf("of nothing measured: note %q, pooled %+v, error %v", r.PooledNote, r.Pooled, err)
	}
}

// λ_min lies in [0, 1], falls when success rises, and no figure depends on the order
// of tasks.
func TestMeasureProperties(t *testing.T) {
	r := seed.Rand(2, "measure")
	for range 100 {
		var tasks []*scaffold.Task
		var plain, better [][]scaffold.Tally
		for range 1 + r.IntN(5) {
			tasks = append(tasks, newTask(t, river, riverSteps))
			var a, b []int
			for range 11 {
				n := r.IntN(11)
				a, b = append(a, n), append(b, n+r.IntN(11-n))
			}
			plain, better = append(plain, tallies(a...)), append(better, tallies(b...))
		}
		measure := func(x [][]scaffold.Tally) *scaffold.Report {
			out, err := scaffold.Measure(tasks, x, scaffold.Options{Resamples: 10})
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		low, high := measure(better), measure(plain)
		if low.LambdaMin.Mean > high.LambdaMin.Mean+1e-12 || low.Pooled.Lambda > high.Pooled.Lambda+1e-12 {
			t.Fatalf("more success raises λ_min from %v, %v to %v, %v", high.LambdaMin, high.Pooled, low.LambdaMin, low.Pooled)
		}
		for _, d := range high.Details {
			if d.Crossing.Lambda < 0 || d.Crossing.Lambda > 1 || d.Crossing.Censored && d.Crossing.Lambda != 1 {
				t.Fatalf("%+v", d.Crossing)
			}
		}
		shuffled := slices.Clone(plain)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		again := measure(shuffled)
		if math.Abs(again.LambdaMin.Mean-high.LambdaMin.Mean) > 1e-12 || math.Abs(again.Pooled.Lambda-high.Pooled.Lambda) > 1e-9 || again.Censored != high.Censored {
			t.Fatalf("the order of tasks changes %v, %v into %v, %v", high.LambdaMin, high.Pooled, again.LambdaMin, again.Pooled)
		}
	}
}

func TestOptions(t *testing.T) {
	got, err := scaffold.Options{}.Settled()
	want := scaffold.Options{Grid: []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}, Runs: 10, Theta: 0.9, Resamples: 2000}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("defaults: %v (-want +got):\n%s", err, diff)
	}
	for want, o := range map[string]scaffold.Options{
		"-1 runs":          {Runs: -1},
		"100000 runs":      {Runs: 100_000},
		"θ is 1.5":         {Theta: 1.5},
		"θ is NaN":         {Theta: math.NaN()},
		"-3 resamples":     {Resamples: -3},
		"does not rise":    {Grid: []float64{0, 0.5, 0.5, 1}},
		"from 0 to 1":      {Grid: []float64{0, 0.5}},
		"must run from 0":  {Grid: []float64{0.1, 1}},
		"[0 NaN 1] does n": {Grid: []float64{0, math.NaN(), 1}},
	} {
		if _, err := o.Settled(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	if _, err := scaffold.Measure([]*scaffold.Task{newTask(t, river, riverSteps)}, [][]scaffold.Tally{tallies(1, 2)}, scaffold.Options{}); err == nil {
		t.Error("tallies at two of eleven points are no error")
	}
}
