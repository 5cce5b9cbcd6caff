package eval_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/trajectory"
)

// sure makes a rollout that states how sure it is.
func sure(question string, rollout int, answer string, confidence float64) *trajectory.Trajectory {
	t := run(question, rollout, answer)
	t.Confidence = &confidence
	return t
}

// TestJudged: of q1 all three answers are ruled on, one of them empty; of q2 one
// answer has no ruling and one rollout failed; q3 has no gold answers, and nobody
// ruled on it; q4 has none either, but a ruling.
func TestJudged(t *testing.T) {
	examples := []dataset.Example{example("q1", "hotpotqa", 2, "Paris"), example("q2", "hotpotqa", 2, "Rome"), example("q3", "hotpotqa", 2), example("q4", "hotpotqa", 2)}
	runs := []*trajectory.Trajectory{
		sure("q1", 0, "city of light", .9), sure("q1", 1, "Lyon", .3), sure("q1", 2, " ", .1),
		sure("q2", 0, "Roma", .8), run("q2", 1, "who knows"), failed("q2", 2),
		run("q3", 0, ""), run("q3", 1, "x"), run("q3", 2, "x"),
		run("q4", 0, "y"), run("q4", 1, ""), run("q4", 2, "z"),
	}
	asked, err := eval.Answers(examples, runs, eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []eval.Answered{{"q1", "city of light"}, {"q1", "Lyon"}, {"q2", "Roma"}, {"q2", "who knows"}, {"q3", "x"}, {"q4", "y"}, {"q4", "z"}}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	jury := &eval.Jury{Name: "somebody", Rulings: map[eval.Answered]bool{
		{"q1", "city of light"}: true, {"q1", "Lyon"}: false, {"q2", "Roma"}: true, {"q4", "y"}: true,
	}}
	r, err := eval.Score(examples, runs, eval.Options{At: []int{1, 2, 3}, Jury: jury})
	if err != nil {
		t.Fatal(err)
	}
	type figures struct{ Mean, N float64 }
	of := func(s *eval.Stat) figures {
		if s == nil {
			return figures{}
		}
		return figures{s.Mean, float64(s.N)}
	}
	third, half := 1.0/3, .5
	for name, tt := range map[string]struct {
		got  *eval.Stat
		want figures
	}{
		// q1 1/3, q2 1/1, q4 1/2 (its empty answer is wrong, z has no ruling)
		"judge":  {r.Judge, figures{(third + 1 + half) / 3, 3}},
		"pass@1": {r.JudgePassAt[1], figures{(third + 1 + half) / 3, 3}},
		// q1: 1 − C(2,2)/C(3,2) = 2/3; q4: 1
		"pass@2": {r.JudgePassAt[2], figures{(2*third + 1) / 2, 2}},
		"pass@3": {r.JudgePassAt[3], figures{1, 1}},
		// of q1's pairs the earlier answer wins: city, city, Lyon; of q4 y wins
		"majority@2": {r.JudgeMajorityAt[2], figures{(2*third + 1) / 2, 2}},
		"majority@3": {r.JudgeMajorityAt[3], figures{1, 1}},
	} {
		if got := of(tt.got); math.Abs(got.Mean-tt.want.Mean) > 1e-12 || got.N != tt.want.N {
			t.Errorf("%s = %v, want %v", name, got, tt.want)
		}
	}
	// Stated: .9 right, .3 wrong, .8 right, and nothing of the empty answer. One bin:
	// mean confidence 2/3, share right 2/3.
	if diff := cmp.Diff(&eval.Judged{Rollouts: 6, WithoutAnswer: 2, Unscored: 4, Calibration: &eval.Calibration{N: 3}}, r.Judged, near9); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	if r.JudgedBy != "somebody" || r.EM == nil || r.EM.Mean != 0 {
		t.Errorf("judged by %q, EM %v", r.JudgedBy, r.EM)
	}
}

// TestExcepted: a judge that rules otherwise on the same answer of another rollout.
// Of Paris, Paris and Lyon, the second Paris is wrong, and Lyon is right.
func TestExcepted(t *testing.T) {
	runs := []*trajectory.Trajectory{run("q", 0, "Paris"), run("q", 1, "Paris"), run("q", 2, "Lyon")}
	jury := &eval.Jury{
		Rulings: map[eval.Answered]bool{{"q", "Paris"}: true, {"q", "Lyon"}: false},
		Except:  map[eval.Answered][]int{{"q", "Paris"}: {1}, {"q", "Lyon"}: {0, 2}},
	}
	r, err := eval.Score([]dataset.Example{example("q", "", 0, "Paris")}, runs, eval.Options{At: []int{1, 2}, Jury: jury})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(r.Judge.Mean-2.0/3) > 1e-12 || r.JudgePassAt[2].Mean != 1 {
		t.Errorf("judge %v, pass@2 %v", r.Judge, r.JudgePassAt[2])
	}
}

var near9 = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })

// TestNoJudge: without a judge there is nothing of it; with one that gave no verdict
// there are counts and no figures.
func TestNoJudge(t *testing.T) {
	examples, runs := mixed()
	r, err := eval.Score(examples, runs, eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Judge != nil || r.Judged != nil || r.JudgePassAt != nil || r.JudgedBy != "" {
		t.Errorf("%v, %v, %v, %q", r.Judge, r.Judged, r.JudgePassAt, r.JudgedBy)
	}
	if r, err = eval.Score(examples, runs, eval.Options{Jury: &eval.Jury{Name: "j"}}); err != nil {
		t.Fatal(err)
	}
	if r.Judge != nil || len(r.JudgePassAt) > 0 || r.Judged == nil || r.Judged.Unscored != r.Complete {
		t.Errorf("%v, %v, %+v of %d", r.Judge, r.JudgePassAt, r.Judged, r.Complete)
	}
}

func TestCalibrationError(t *testing.T) {
	tests := []struct {
		name        string
		confidences []float64
		right       []bool
		size        int
		want        float64
	}{
		{"one that is sure and right", []float64{1}, []bool{true}, 0, 0},
		{"one that is sure and wrong", []float64{1}, []bool{false}, 0, 1},
		// (.1 .3 | .8 .9): gaps .2−.5, .85−.5; √((2·.09 + 2·.1225)/4) = √.10625
		{"two bins", []float64{.9, .8, .3, .1}, []bool{true, false, true, false}, 2, math.Sqrt(.10625)},
		// fewer than a bin are one: .525 − .5
		{"one bin", []float64{.9, .8, .3, .1}, []bool{true, false, true, false}, 100, .025},
		// (.1 .2 | .3 .8 .9): gaps .15−0, 2/3−1; √((2·.0225 + 3/9)/5)
		{"the remainder joins the last bin", []float64{.1, .2, .3, .8, .9}, []bool{false, false, true, true, true}, 2, math.Sqrt((.045 + 1.0/3) / 5)},
		// all .5 and half of them right: both bins are right to .5, whatever the order
		{"equal confidences", []float64{.5, .5, .5, .5}, []bool{true, true, false, false}, 2, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := eval.CalibrationError(tt.confidences, tt.right, tt.size)
			if !ok || math.Abs(got-tt.want) > 1e-12 {
				t.Errorf("CalibrationError = %v, %v, want %v", got, ok, tt.want)
			}
		})
	}
	for name, right := range map[string][]bool{"nothing": nil, "no pairs": {true}} {
		if _, ok := eval.CalibrationError(nil, right, 0); ok {
			t.Errorf("%s: an error", name)
		}
	}
}

// TestCalibrationProperties: within 0 and 1, the same in any order, and 0 where in
// each bin the share is what is stated.
func TestCalibrationProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + r.IntN(300)
		c, right := make([]float64, n), make([]bool, n)
		for i := range c {
			c[i], right[i] = float64(r.IntN(11))/10, r.IntN(2) == 0
		}
		size := 1 + r.IntN(120)
		got, _ := eval.CalibrationError(c, right, size)
		r.Shuffle(n, func(i, j int) { c[i], c[j], right[i], right[j] = c[j], c[i], right[j], right[i] })
		again, _ := eval.CalibrationError(c, right, size)
		if got < 0 || got > 1 || math.Abs(got-again) > 1e-9 {
			t.Fatalf("%d items, bins of %d: %v, shuffled %v", n, size, got, again)
		}
	}
	var c []float64
	var right []bool
	for _, tenth := range []int{2, 7} {
		for i := range 100 {
			c, right = append(c, float64(tenth)/10), append(right, i%10 < tenth)
		}
	}
	if got, _ := eval.CalibrationError(c, right, 0); got > 1e-12 {
		t.Errorf("all as stated: %v", got)
	}
}
