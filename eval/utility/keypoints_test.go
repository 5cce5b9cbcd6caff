package utility_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/corpus/dataset"
	"trawl/eval/utility"
	"trawl/trajectory"
)

func TestReadStance(t *testing.T) {
	tests := []struct {
		reply string
		want  utility.Stance
		ok    bool
	}{
		{"support", utility.Supported, true}, {" **Contradicted.** ", utility.Contradicted, true}, {"OMITS", utility.Omitted, true},
		{"", "", false}, {"does not support", "", false}, {"support or omit", "", false}, {"supporter", "", false}, {"un-support", "", false}, {"omit\nsupport", "", false},
	}
	for _, tt := range tests {
		if got, ok := utility.ReadStance(tt.reply); got != tt.want || ok != tt.ok {
			t.Errorf("ReadStance(%q) = %q, %t, want %q, %t", tt.reply, got, ok, tt.want, tt.ok)
		}
	}
}

func TestLexicalPoints(t *testing.T) {
	const founder, year = "The founder of Barrow is Fiona Aban.", "Barrow was founded in 1782."
	tests := []struct {
		name, response, fact string
		want                 utility.Stance
	}{
		// Words of the fact: founder, Barrow, Fiona, Aban. Three of four are there, all names.
		{"in other words", "Fiona Aban founded Barrow.", founder, utility.Supported},
		// Names are there, and 2 of 3 words: barrow, 1782 of barrow, founded, 1782.
		{"a number", "In 1,782 Barrow began.", year, utility.Supported},
		{"another number", "Barrow was founded in 1790.", year, utility.Contradicted},
		{"another name", "The founder of Barrow is Otto Kranz.", founder, utility.Contradicted},
		{"by first letters", "As it says, Otto Kranz founded Barrow.", founder, utility.Contradicted},
		{"of another subject", "The founder of Hazel is Otto Kranz.", founder, utility.Omitted},
		{"another relation", "The mayor of Barrow is Otto Kranz.", founder, utility.Omitted},
		{"no other value", "The founder of Barrow is not known.", founder, utility.Omitted},
		{"another value, elsewhere", "Barrow was founded early. Hazel has 1790 people.", year, utility.Omitted},
		{"a number of the question", "Barrow was founded before 1800.", year, utility.Omitted},
		{"nothing", "", founder, utility.Omitted},
		// The second part has names that the response has; the first part is not spoken of.
		{"parts", "The founding year of Tolstow Timber is 1905.", "Silgate Works was founded in 1943; the answer is Tolstow Timber.", utility.Omitted},
		{"a part", "The founding year of Silgate Works is 1905.", "Silgate Works was founded in 1943; the answer is Tolstow Timber.", utility.Contradicted},
		// Fountain has four letters of founder, and takes five.
		{"by too few letters", "The fountain of Barrow is Otto Kranz.", founder, utility.Omitted},
		// One of the two other words of the fact, founded and early: half is enough.
		{"half of the other words", "Barrow was founded in 1790.", "Barrow was founded early in 1782.", utility.Contradicted},
		// barrow and founded of barrow, founded, early and monks: .5 is enough.
		{"just enough", "Barrow was founded.", "Barrow was founded early by monks.", utility.Supported},
		// Known limits: negation, and a pronoun for the subject.
		{"negation", "Barrow was not founded in 1782.", year, utility.Supported},
		{"a pronoun", "Barrow is old. It was founded in 1790.", year, utility.Omitted},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := utility.LexicalPoints{Support: 0.5}.Check(t.Context(), utility.Point{Question: "Who was it, before 1800?", Response: tt.response, Fact: tt.fact})
			if err != nil || got != tt.want {
				t.Errorf("Check(%q of %q) = %s, %v, want %s", tt.fact, tt.response, got, err, tt.want)
			}
		})
	}
}

// Of seven facts 4 are supported, 2 contradicted and 1 omitted: 4/7, 2/7, 1/7.
func TestRates(t *testing.T) {
	s, c, o := utility.Supported, utility.Contradicted, utility.Omitted
	ksr, kcr, kor, ok := utility.Rates([]utility.Stance{s, c, s, o, s, c, s})
	if diff := cmp.Diff([]float64{4.0 / 7, 2.0 / 7, 1.0 / 7}, []float64{ksr, kcr, kor}, near); diff != "" || !ok {
		t.Errorf("Rates mismatch, %t (-want +got):\n%s", ok, diff)
	}
	if _, _, _, ok := utility.Rates(nil); ok {
		t.Error("Rates of no facts are defined")
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		stances := make([]utility.Stance, 1+r.IntN(9))
		for i := range stances {
			stances[i] = []utility.Stance{s, c, o}[r.IntN(3)]
		}
		a, b, z, _ := utility.Rates(stances)
		if math.Abs(a+b+z-1) > 1e-12 || min(a, b, z) < 0 {
			t.Fatalf("Rates(%v) = %g, %g, %g: they do not sum to 1", stances, a, b, z)
		}
		r.Shuffle(len(stances), func(i, j int) { stances[i], stances[j] = stances[j], stances[i] })
		if a2, b2, z2, _ := utility.Rates(stances); a2 != a || b2 != b || z2 != z {
			t.Fatalf("Rates depend on the order of %v", stances)
		}
	}
}

type checker func(p utility.Point) (utility.Stance, error)

func (c checker) Check(_ context.Context, p utility.Point) (utility.Stance, error) { return c(p) }

// Three rollouts of a question with two facts. The first supports one and contradicts
// the other, the second has no explanation, so that its answer stands behind the
// question, and supports one; the third says nothing, and omits both without a
// question to anybody: KSR = (1/2 + 1/2 + 0)/3 = 1/3, KCR = (1/2 + 0 + 0)/3 = 1/6 and
// KOR = (0 + 1/2 + 1)/3 = 1/2.
func TestKeypoints(t *testing.T) {
	refs := map[string]utility.Reference{"q": {Actions: searches(2), Facts: []string{"Barrow was founded in 1782.", "The founder of Barrow is Fiona Aban."}}}
	lines := []struct{ answer, explanation string }{
		{"1782", "Barrow was founded in 1782. The founder of Barrow is Otto Kranz."}, {"1782", ""}, {"", ""},
	}
	asked := 0
	spy := checker(func(p utility.Point) (utility.Stance, error) {
		asked++
		return utility.LexicalPoints{Support: 0.5}.Check(t.Context(), p)
	})
	run := func(c utility.Checker) *utility.Report {
		step := found("a", "x@0")
		return evaluated(t, utility.Options{References: refs, Judges: utility.Judges{Checker: c}}, barrow,
			rollout(0, lines[0].answer, lines[0].explanation, step), rollout(1, lines[1].answer, lines[1].explanation, step), rollout(2, lines[2].answer, lines[2].explanation, step))
	}
	r := run(spy)
	if diff := cmp.Diff([]float64{1.0 / 3, 1.0 / 6, 1.0 / 2}, []float64{r.KSR.Mean, r.KCR.Mean, r.KOR.Mean}, near); diff != "" || asked != 4 {
		t.Errorf("asked %d times; rates mismatch (-want +got):\n%s", asked, diff)
	}
	if want := (utility.Keypoints{Facts: 6, Supported: 2, Contradicted: 1, Omitted: 3}); r.Keypoints != want {
		t.Errorf("keypoints %+v, want %+v", r.Keypoints, want)
	}
	// What is not judged leaves its rollout without rates and its question out, and is counted.
	asked = 0
	r = run(checker(func(p utility.Point) (utility.Stance, error) {
		if asked++; asked == 1 {
			return "", fmt.Errorf("%w: hm", utility.ErrNoVerdict)
		}
		return utility.Supported, nil
	}))
	first := r.Details[0].Rollouts[0]
	if r.Keypoints.Unscored != 1 || first.KSR != nil || first.KCR != nil || first.KOR != nil || first.Keypoints[0].Error != "no verdict: hm" || r.Keypoints.LeftOut != 1 || r.KSR != nil || r.KOR != nil {
		t.Errorf("keypoints %+v, KSR %v, the first rollout %+v", r.Keypoints, r.KSR, first)
	}
	if r.UAll == nil || r.LeftOut != 0 {
		t.Errorf("a fact that is not judged leaves the question out of U_all: %v", r.UAll)
	}
	if a, b, c, _ := utility.Rates([]utility.Stance{"", utility.Supported}); a != 0.5 || b != 0 || c != 0 {
		t.Errorf("Rates with one stance that is none = %g, %g, %g, want .5, 0, 0", a, b, c)
	}
	none := evaluated(t, utility.Options{}, barrow, rollout(0, "1782", ""))
	if none.KSR != nil || none.Keypoints.Facts != 0 {
		t.Errorf("without facts: KSR %v of %+v", none.KSR, none.Keypoints)
	}
}

// runErr returns the error of an evaluation.
func runErr(t *testing.T, o utility.Options) error {
	o.Weights, o.Embedder = utility.DefaultWeights(), angles{}
	_, err := utility.Run(t.Context(), []dataset.Example{barrow}, func(string) ([]*trajectory.Trajectory, error) {
		return []*trajectory.Trajectory{rollout(0, "1782", "Barrow was founded in 1782.", found("a", "x@0"))}, nil
	}, o)
	return err
}

// A judge that cannot be asked ends the evaluation: only a reply without a verdict is
// counted and goes on.
func TestJudgesThatFail(t *testing.T) {
	gone := errors.New("gone")
	refs := map[string]utility.Reference{"q": {Actions: searches(1), Facts: []string{"Barrow was founded."}}}
	for name, j := range map[string]utility.Judges{
		"entailer":  {Entailer: entailer(func() (float64, error) { return 0, gone })},
		"extractor": {Extractor: extractor(func(string) ([]string, error) { return nil, gone })},
		"checker":   {Checker: checker(func(utility.Point) (utility.Stance, error) { return "", gone })},
	} {
		if err := runErr(t, utility.Options{References: refs, Judges: j}); !errors.Is(err, gone) {
			t.Errorf("%s: error %v, want that of the judge", name, err)
		}
	}
}
