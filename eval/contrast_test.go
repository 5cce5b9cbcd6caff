package eval_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/internal/seed"
	"trawl/trajectory"
)

// used sets what each line took.
func used(runs []*trajectory.Trajectory, searches, prompt, completion int) []*trajectory.Trajectory {
	for _, t := range runs {
		t.Usage = trajectory.Usage{LLMCalls: 1, Prompt: prompt, Completion: completion, Searches: searches}
	}
	return runs
}

// sides are two runs over q1, q2 and q3; a has further q4, and b q5.
func sides() (a, b eval.Side) {
	examples, runs := answers([]string{"Paris", "Lyon"}, []string{"Lyon", "Lyon"}, []string{"Paris", "-"}, []string{"Paris", "Paris"})
	a = eval.Side{Name: "A", Examples: examples, Runs: used(runs, 2, 10, 5)}
	examples, runs = answers([]string{"Paris", "Paris"}, []string{"Paris", "Lyon"}, []string{"Lyon", "Paris Lyon"}, nil, []string{"Paris", "Paris"})
	b = eval.Side{Name: "B", Examples: slices.Delete(examples, 3, 4), Runs: used(runs, 3, 20, 5)}
	return a, b
}

func TestContrast(t *testing.T) {
	a, b := sides()
	got, err := eval.Contrast(a, b, eval.ContrastOptions{Seed: 42})
	if err != nil {
		t.Fatal(err)
	}
	row := func(metric string, a, b float64, n int, p float64) eval.Difference {
		return eval.Difference{Metric: metric, A: a, B: b, Diff: &eval.Stat{Mean: b - a, N: n}, P: p}
	}
	want := &eval.Contrasted{
		A: "A", B: "B", Common: 3, OnlyA: 1, OnlyB: 1,
		Figures: []eval.Difference{
			// A ½, 0, 1 and B 1, ½, 0: the differences ½, ½, −1 add up to 0.
			row("em", 0.5, 0.5, 3, 1),
			// "Paris Lyon" has F1 2·1/(2+1) = 2/3, so B has 1/3 of q3. ½ + ½ − 2/3 = 1/3 is
			// less than 2/3, 2/3 and 5/3, with their opposites: all ways.
			row("f1", 0.5, (1+0.5+1.0/3)/3, 3, 1),
			// Contained half of the time: ½, ½ and −½, which is ½ for 6 of 8 ways, 1½ for 2.
			row("contains", 0.5, 2.0/3, 3, 1),
			// q3 has one completed rollout in A. A 1, 0 and B 1, 1.
			row("pass@2", 0.5, 1, 2, 1),
			row("majority@2", 0.5, 1, 2, 1),
			// The same difference three times, so 2 of 8 ways are as far from 0.
			row("searches", 2, 3, 3, 0.25),
			row("tokens", 15, 25, 3, 0.25),
		},
	}
	if diff := cmp.Diff(want, got, closely...); diff != "" {
		t.Errorf("contrast (-want +got):\n%s", diff)
	}
	// Of q1 and q2 the differences in pass@2 are 0 and 1: any draw of two has its mean in there.
	if pass := got.Figures[3].Diff; pass.CI95 != [2]float64{0, 1} {
		t.Errorf("interval of the difference in pass@2 = %v, want [0 1]", pass.CI95)
	}
}

// The other way round everything is the opposite, and against itself nothing differs.
func TestContrastTurned(t *testing.T) {
	a, b := sides()
	opts := eval.ContrastOptions{Seed: 42, At: []int{2, 1}}
	contrast := func(a, b eval.Side) *eval.Contrasted {
		t.Helper()
		c, err := eval.Contrast(a, b, opts)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	there, back, same := contrast(a, b), contrast(b, a), contrast(a, a)
	for i, d := range there.Figures {
		o := back.Figures[i]
		turned := eval.Difference{Metric: o.Metric, A: o.B, B: o.A, P: o.P, Diff: &eval.Stat{Mean: -o.Diff.Mean, CI95: [2]float64{-o.Diff.CI95[1], -o.Diff.CI95[0]}, N: o.Diff.N}}
		if diff := cmp.Diff(d, turned, cmp.Comparer(near)); diff != "" {
			t.Errorf("%s the other way round:\n%s", d.Metric, diff)
		}
		if s := same.Figures[i]; s.A != s.B || *s.Diff != (eval.Stat{N: s.Diff.N}) || s.P != 1 {
			t.Errorf("%s against itself: %+v, %+v", s.Metric, s, s.Diff)
		}
	}
	if there.OnlyA != back.OnlyB || there.OnlyB != back.OnlyA || same.Common != 4 {
		t.Errorf("only in one: %d and %d, turned %d and %d", there.OnlyA, there.OnlyB, back.OnlyA, back.OnlyB)
	}
}

// The figures of each side are those of Score over the same questions.
func TestContrastIsOfScores(t *testing.T) {
	examples, runs := large(20, 4)
	jury := &eval.Jury{Name: "j", Rulings: map[eval.Answered]bool{}}
	for i, r := range runs {
		jury.Rulings[eval.Answered{QuestionID: r.QuestionID, Answer: r.Answer}] = i%3 == 0
	}
	a := eval.Side{Name: "A", Examples: examples, Runs: runs, Jury: jury}
	c, err := eval.Contrast(a, a, eval.ContrastOptions{Seed: 42, Resamples: 50})
	if err != nil {
		t.Fatal(err)
	}
	r, err := eval.Score(examples, runs, eval.Options{Seed: 42, Resamples: 50, Jury: jury})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		"em": r.EM.Mean, "f1": r.F1.Mean, "contains": r.Contains.Mean, "judge": r.Judge.Mean,
		"pass@2": r.PassAt[2].Mean, "pass@4": r.PassAt[4].Mean, "majority@2": r.MajorityAt[2].Mean, "majority@4": r.MajorityAt[4].Mean,
		"judge_pass@2": r.JudgePassAt[2].Mean, "judge_pass@4": r.JudgePassAt[4].Mean,
		"judge_majority@2": r.JudgeMajorityAt[2].Mean, "judge_majority@4": r.JudgeMajorityAt[4].Mean,
		"searches": 0,
	}
	got := map[string]float64{}
	for _, d := range c.Figures {
		got[d.Metric] = d.A
	}
	if diff := cmp.Diff(want, got, closely...); diff != "" {
		t.Errorf("figures of score and contrast (-score +contrast):\n%s", diff)
	}
	uncounted := "A: 80 completed rollouts have no count of tokens: their questions are in no comparison of tokens"
	if diff := cmp.Diff([]string{uncounted, uncounted}, c.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	other := a
	other.Name, other.Jury = "B", &eval.Jury{Name: "k", Rulings: jury.Rulings}
	c, err = eval.Contrast(a, other, eval.ContrastOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "A was judged by j and B by k: no figure of the judge is compared"; len(c.Warnings) == 0 || c.Warnings[0] != want {
		t.Errorf("warnings %q, want %q", c.Warnings, want)
	}
	for _, d := range c.Figures {
		if strings.HasPrefix(d.Metric, "judge") {
			t.Errorf("%s is compared between two judges", d.Metric)
		}
	}
}

// A rollout takes all its rounds and their summaries, merged ones too; one that
// failed takes nothing.
func TestContrastOfRounds(t *testing.T) {
	examples, first := answers([]string{"Lyon", "Lyon", "-"})
	_, second := answers([]string{"Paris", "Lyon"})
	for _, r := range second {
		r.Round = 2
	}
	summary := func(rollout, prompt int) trajectory.State {
		s := trajectory.State{V: 1, QuestionID: "q1", Round: 1, Rollout: rollout, Origin: trajectory.StateModel, Raw: "x", Calls: 1}
		s.Usage = trajectory.CallUsage{Prompt: prompt, Completion: 1}
		return s
	}
	merged := summary(trajectory.MergedRollout, 9)
	merged.Origin, merged.From = trajectory.StateMerged, []int{0, 1}
	runs := append(used(first, 1, 10, 2), used(second, 2, 20, 2)...)
	runs[4].Usage.Estimated = true
	several := eval.Side{Name: "A", Examples: examples, Runs: runs, States: []trajectory.State{summary(0, 3), summary(1, 5), summary(2, 1000), merged}}
	one := eval.Side{Name: "B", Examples: examples, Runs: first}
	c, err := eval.Contrast(several, one, eval.ContrastOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, d := range c.Figures {
		got[d.Metric] = d.A
	}
	// Lines (12 + 22)·2, summaries 4 + 6 + 10, over two rollouts.
	if got["searches"] != 3 || got["tokens"] != (68+20)/2 || got["em"] != 0.5 {
		t.Errorf("searches %v, tokens %v, EM %v; want 3, 44, 0.5", got["searches"], got["tokens"], got["em"])
	}
	want := []string{"A: 1 completed rollouts have counts of tokens that are trawl's own estimates"}
	if diff := cmp.Diff(want, c.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// Without At, k goes up to the rollouts of the run that has fewer of them, on
// whichever side it is.
func TestContrastUpToTheFewer(t *testing.T) {
	examples, runs := answers([]string{"Paris", "Lyon", "Lyon", "Paris", "Paris"})
	many, few := eval.Side{Name: "A", Examples: examples, Runs: runs}, eval.Side{Name: "B", Examples: examples, Runs: runs[:3]}
	planned := eval.Side{Name: "C", Examples: examples, Runs: runs, Rollouts: 3}
	for _, tt := range [][2]eval.Side{{many, few}, {few, many}, {many, planned}, {planned, many}} {
		c, err := eval.Contrast(tt[0], tt[1], eval.ContrastOptions{Resamples: 1})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range c.Figures {
			if strings.Contains(d.Metric, "@") {
				got = append(got, d.Metric)
			}
		}
		if diff := cmp.Diff([]string{"pass@2", "pass@3", "majority@2", "majority@3"}, got); diff != "" {
			t.Errorf("%s and %s (-want +got):\n%s", tt[0].Name, tt[1].Name, diff)
		}
	}
}

// The last of two rounds is held against two rollouts that know nothing of each other.
func TestContrastOfPairs(t *testing.T) {
	examples, rounds := answers([]string{"Lyon"}, []string{"Paris"}, []string{"Paris"}, []string{"Lyon"})
	for i, answer := range []string{"Paris", "Paris", "Lyon", "-"} {
		last := run(rounds[i].QuestionID, 0, answer)
		if last.Round = 2; answer == "-" {
			last = failed(rounds[i].QuestionID, 0)
			last.Round = 2
		}
		rounds = append(rounds, last)
	}
	_, rollouts := answers([]string{"Paris", "Lyon"}, []string{"Lyon", "Paris"}, []string{"Lyon", "Lyon"}, []string{"Paris", "Paris"})
	a, b := eval.Side{Name: "A", Examples: examples, Runs: rounds}, eval.Side{Name: "B", Examples: examples, Runs: rollouts}
	row := func(m, of string, a, b float64, n int, p float64) eval.Difference {
		return eval.Difference{Metric: m, MetricB: of, A: a, B: b, Diff: &eval.Stat{Mean: b - a, N: n}, P: p}
	}
	got, err := eval.Contrast(a, b, eval.ContrastOptions{Seed: 42, Pairs: []eval.MetricPair{
		{"em", "majority@2"}, {"em", "pass@2"}, {"pass@1", "pass@1"}, {"em", "pass@3"}, {"em", "judge_pass@2"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := []eval.Difference{
		// Of q1 to q3, as q4 has no second round that is done: 1, 1, 0 against the first of
		// each two, 1, 0, 0, one difference; and against 1, 1, 0, none.
		row("em", "majority@2", 2.0/3, 1.0/3, 3, 1),
		row("em", "pass@2", 2.0/3, 2.0/3, 3, 1),
		row("pass@1", "", 2.0/3, 1.0/3, 3, 0.5), // −½, −½ and 0: of the 4 ways 2 are as far from 0
	}
	if diff := cmp.Diff(want, got.Crossed, closely...); diff != "" {
		t.Errorf("pairs (-want +got):\n%s", diff)
	}
	for _, d := range got.Figures {
		if strings.Contains(d.Metric, "@") || d.MetricB != "" {
			t.Errorf("a pair adds %s to the figures of one name, which go up to one rollout", d.Metric)
		}
	}
	lacking := []string{
		"em of A and pass@3 of B are not compared: no question has both",
		"em of A and judge_pass@2 of B are not compared: no judge ruled on B",
	}
	if diff := cmp.Diff(lacking, got.Warnings[:2]); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	raw, err := json.Marshal(got.Crossed[0])
	if err != nil || !strings.HasPrefix(string(raw), `{"metric":"em","metric_b":"majority@2","a":`) {
		t.Errorf("a row is %s, error %v", raw, err)
	}
	// Turned, the sides and the names change places.
	back, err := eval.Contrast(b, a, eval.ContrastOptions{Seed: 42, Pairs: []eval.MetricPair{{"majority@2", "em"}}})
	if err != nil || len(back.Crossed) != 1 || !near(back.Crossed[0].Diff.Mean, 1.0/3) || back.Crossed[0].Metric != "majority@2" || back.Crossed[0].MetricB != "em" {
		t.Errorf("turned: %+v, error %v", back, err)
	}
}

func TestContrastOfTwoJudges(t *testing.T) {
	a, b := sides()
	all := eval.ContrastOptions{Pairs: []eval.MetricPair{{"judge", "judge_majority@2"}}}
	jury := func(name string, right bool) *eval.Jury {
		return &eval.Jury{Name: name, Rulings: map[eval.Answered]bool{{QuestionID: "q1", Answer: "Paris"}: right, {QuestionID: "q1", Answer: "Lyon"}: false}}
	}
	a.Jury, b.Jury = jury("j", true), jury("j", true)
	c, err := eval.Contrast(a, b, all)
	if err != nil || len(c.Crossed) != 1 || c.Crossed[0].A != 0.5 || c.Crossed[0].B != 1 || c.Crossed[0].Diff.N != 1 {
		t.Errorf("one judge: %+v, error %v", c, err)
	}
	b.Jury.Name = "k"
	c, err = eval.Contrast(a, b, all)
	if err != nil || len(c.Crossed) != 0 || c.Warnings[0] != "judge of A and judge_majority@2 of B are not compared: they are of two judges" {
		t.Errorf("two judges: %+v, error %v", c, err)
	}
}

func TestMetricPairCheck(t *testing.T) {
	for _, p := range []eval.MetricPair{{"em", "majority@8"}, {"pass@1", "judge_pass@16"}, {"tokens", "tokens"}, {"f1", "contains"}} {
		if err := p.Check(); err != nil {
			t.Errorf("%v: %v", p, err)
		}
	}
	for _, tt := range []struct {
		pair eval.MetricPair
		want string
	}{
		{eval.MetricPair{A: "em"}, `eval: no metric ""`},
		{eval.MetricPair{A: "em@2", B: "em"}, `no metric "em@2": want em, f1, contains, judge, searches, tokens, or pass, majority, judge_pass, judge_majority with a k of 1 or more, such as pass@8`},
		{eval.MetricPair{A: "em", B: "pass"}, `no metric "pass"`},
		{eval.MetricPair{A: "pass@0", B: "em"}, `no metric "pass@0"`},
		{eval.MetricPair{A: "pass@+2", B: "em"}, `no metric "pass@+2"`},
		{eval.MetricPair{A: "pass@x", B: "em"}, `no metric "pass@x"`},
		{eval.MetricPair{A: "em", B: "tokens"}, "em and tokens are in different units"},
		{eval.MetricPair{A: "searches", B: "tokens"}, "in different units"},
	} {
		a, b := sides()
		_, err := eval.Contrast(a, b, eval.ContrastOptions{Pairs: []eval.MetricPair{tt.pair}})
		for _, err := range []error{err, tt.pair.Check()} {
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v: error %v, want one with %q", tt.pair, err, tt.want)
			}
		}
	}
}

func TestContrastOfOtherData(t *testing.T) {
	change := func(f func(e *dataset.Example)) func(*eval.Side) {
		return func(s *eval.Side) {
			s.Examples = slices.Clone(s.Examples)
			f(&s.Examples[1])
		}
	}
	tests := []struct {
		name   string
		change func(*eval.Side)
		want   string // "": compared all the same
		differ int    // where it is let through
	}{
		{"white space", change(func(e *dataset.Example) { e.Text = "What  of q2? " }), "", 0},
		{"order of golds", change(func(e *dataset.Example) { e.Golds = []string{"Paris", "Paris"} }), "", 0},
		{"words", change(func(e *dataset.Example) { e.Text = "Who?" }), `eval: A and B: the runs are over different data: question "q2" has other words: "What of q2?" and "Who?"`, 1},
		{"golds", change(func(e *dataset.Example) { e.Golds = []string{"Lyon"} }), `question "q2" has other gold answers: ["Paris"] and ["Lyon"]`, 1},
		{"rule", change(func(e *dataset.Example) { e.Source = "musique" }), `question "q2" has other data sets, whose F1 differs: hotpotqa and musique`, 1},
		{"nothing in common", func(s *eval.Side) {
			s.Examples, s.Runs = []dataset.Example{example("x", "nq", 1, "Paris")}, nil
		}, "none of 4 and 1 questions is in both", -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := sides()
			tt.change(&b)
			_, err := eval.Contrast(a, b, eval.ContrastOptions{})
			if tt.want == "" && err != nil || tt.want != "" && (!errors.Is(err, eval.ErrOtherData) || !strings.HasSuffix(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			c, err := eval.Contrast(a, b, eval.ContrastOptions{OtherData: true})
			if (err != nil) != (tt.differ < 0) || err == nil && (c.Differ != tt.differ || c.Common != 3) {
				t.Errorf("let through: %+v, error %v; want %d questions that differ", c, err, tt.differ)
			}
		})
	}
}

func TestContrastErrors(t *testing.T) {
	a, b := sides()
	b.Runs = append(b.Runs, run("q9", 0, "x"))
	for _, tt := range []struct {
		b    eval.Side
		opts eval.ContrastOptions
		want string
	}{
		{b, eval.ContrastOptions{}, `B: eval: question "q9" of the run is not among the 4 of the data set`},
		{a, eval.ContrastOptions{At: []int{0}}, "A: eval: rollouts 2, round 1, at [0], cuts [3 10]: all must be positive"},
	} {
		if _, err := eval.Contrast(a, tt.b, tt.opts); err == nil || err.Error() != tt.want {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
}

func TestSignFlip(t *testing.T) {
	tests := []struct {
		differences []float64
		want        float64
	}{
		{nil, 1},
		{[]float64{0, 0}, 1},
		{[]float64{5}, 1},
		{[]float64{1, 1, 1}, 2.0 / 8},
		{[]float64{-1, -1, 0, -1}, 2.0 / 8},
		{[]float64{3, -1}, 1},               // ±4 and ±2
		{[]float64{1, 1, 1, -1}, 10.0 / 16}, // ±4 once each, ±2 four times
		{[]float64{0.1, 0.2, -0.3}, 1},      // rounding is no difference
		{[]float64{1, 2, 3, 4}, 2.0 / 16},
	}
	for _, tt := range tests {
		if got := eval.SignFlip(tt.differences, 1000, 1); got != tt.want {
			t.Errorf("SignFlip(%v) = %v, want %v", tt.differences, got, tt.want)
		}
	}
	alike := slices.Repeat([]float64{1}, 70)
	if got := eval.SignFlip(alike, 999, 1); got != 0.001 {
		t.Errorf("SignFlip of 70 equal differences = %v, want the least, 1/1000", got)
	}
	r := seed.Rand(1, "sign-flip")
	mixed := make([]float64, 11)
	for i := range mixed {
		mixed[i] = r.NormFloat64() + 0.4
	}
	exact, sampled := eval.SignFlip(mixed, 2048, 1), eval.SignFlip(mixed, 2047, 1)
	if math.Abs(exact-sampled) > 0.045 { // σ ≤ 0.5/√2047 = 0.011
		t.Errorf("exactly %v, sampled %v", exact, sampled)
	}
	if again := eval.SignFlip(mixed, 2047, 1); again != sampled {
		t.Errorf("the same seed gives %v and %v", sampled, again)
	}
}
