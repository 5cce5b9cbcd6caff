package eval_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/trajectory"
)

// answers makes a run of the questions q1, q2, …, each with the gold answer
// "Paris", from the answers of their rollouts; "-" is a rollout that failed.
func answers(questions ...[]string) ([]dataset.Example, []*trajectory.Trajectory) {
	var examples []dataset.Example
	var runs []*trajectory.Trajectory
	for i, list := range questions {
		e := example("q"+string(rune('1'+i)), "hotpotqa", 2, "Paris")
		examples = append(examples, e)
		for k, a := range list {
			if a == "-" {
				runs = append(runs, failed(e.ID, k))
			} else {
				runs = append(runs, run(e.ID, k, a))
			}
		}
	}
	return examples, runs
}

var closely = []cmp.Option{cmpopts.EquateApprox(0, 1e-12), cmpopts.IgnoreFields(eval.Stat{}, "CI95")}

func TestGapOf(t *testing.T) {
	examples, runs := answers(
		[]string{"Paris", "paris", "The Paris", "Paris."}, // always
		[]string{"Paris", "Paris", "Lyon", ""},            // the right one leads
		[]string{"Lyon", "Paris", "Paris", "Lyon"},        // tied
		[]string{"Lyon", "Paris", "Metz", "Lyon"},         // a wrong one leads
		[]string{"Lyon", "Metz", "", ""},                  // never
		[]string{"-", "-", "-", "-"},
		[]string{"Paris", "-", "Lyon", "Paris"}, // three completed ones
	)
	// With k of four: pass@2 = 1 − C(wrong, 2)/6, so 1, 5/6, 5/6, 1/2, 0, and 1 of
	// the three. Pairs in which the vote is right, ties to the earlier one: 6, 5
	// (all but "Lyon" and none), 3 (right together and before the last), 2 (before
	// the last two) and 0 of 6; of the three, Paris–Lyon and Paris–Paris, 2 of 3.
	// With four: covered 1, 1, 1, 1, 0, voted 1, 1, 0 (Lyon is first), 0, 0.
	pass1, pass2, voted2 := (1+0.5+0.5+0.25+0+2.0/3)/6, (1+5.0/6+5.0/6+0.5+0+1)/6, (1+5.0/6+0.5+1.0/3+0+2.0/3)/6
	got, err := eval.GapOf(examples, runs, eval.Options{Seed: 42})
	if err != nil {
		t.Fatal(err)
	}
	stat := func(mean float64, n int) *eval.Stat { return &eval.Stat{Mean: mean, N: n} }
	want := &eval.Gap{
		Questions: 6, LeftOut: 1, Rollouts: 23,
		At: map[int]eval.GapAt{
			1: {stat(pass1, 6), stat(pass1, 6), stat(0, 6), ptr(1)},
			2: {stat(pass2, 6), stat(voted2, 6), stat(pass2-voted2, 6), ptr(voted2 / pass2)},
			4: {stat(0.8, 5), stat(0.4, 5), stat(0.4, 5), ptr(0.5)},
		},
		Classes: eval.Classes{Always: 1, RightLeads: 2, Tied: 1, WrongLeads: 1, Never: 1},
	}
	if diff := cmp.Diff(want, got, append(closely, cmpopts.IgnoreFields(eval.Gap{}, "Extrapolated"))...); diff != "" {
		t.Errorf("gap (-want +got):\n%s", diff)
	}
	// Two draws with chances p and none: covered 1 − (1−p)², voted p² + 2·p·none +
	// p·(1−p−none): of 1 and 0, ½ and ¼, ½ and 0, ¼ and 0, 0, ⅔ and 0.
	cover, vote := (1+0.75+0.75+7.0/16+0+8.0/9)/6, (1+0.625+0.5+0.25+0+2.0/3)/6
	two := map[int]eval.Extrapolation{1: {pass1, pass1, 0, ptr(1)}, 2: {cover, vote, cover - vote, ptr(vote / cover)}}
	for k, want := range two {
		if diff := cmp.Diff(want, got.Extrapolated[k], closely...); diff != "" {
			t.Errorf("extrapolated to %d (-want +got):\n%s", k, diff)
		}
	}
	// In the end what was ever right is covered, 5 of 6, and wins where it leads, 3.
	// The tied one wins half of the votes.
	last := got.Extrapolated[64]
	if math.Abs(last.Coverage-5.0/6) > 1e-6 || math.Abs(last.Voting-3.5/6) > 0.01 {
		t.Errorf("extrapolated to 64: %+v, want about 5/6 covered and 3.5/6 voted", last)
	}
}

// What covers and votes in a gap is what Score says, and what is decomposed is the
// whole: A = C · Pr(selected | covered).
func TestGapIsOfScores(t *testing.T) {
	examples, runs := large(30, 8)
	opts := eval.Options{Seed: 42, Resamples: 100}
	gap, err := eval.GapOf(examples, runs, opts)
	if err != nil {
		t.Fatal(err)
	}
	r, err := eval.Score(examples, runs, opts)
	if err != nil {
		t.Fatal(err)
	}
	c := gap.Classes
	if n := c.Always + c.RightLeads + c.Tied + c.WrongLeads + c.Never; n != gap.Questions || n != 30 {
		t.Errorf("%d questions in classes, of %d", n, gap.Questions)
	}
	for k, at := range gap.At {
		if diff := cmp.Diff(r.PassAt[k], at.Coverage) + cmp.Diff(r.MajorityAt[k], at.Voting); diff != "" {
			t.Errorf("at %d, of score and gap:\n%s", k, diff)
		}
		if !near(at.Voting.Mean, at.Coverage.Mean**at.SelectedGivenCovered) || at.Gap.CI95[0] < 0 || *at.SelectedGivenCovered > 1 || k == 1 && at.Gap.Mean != 0 {
			t.Errorf("at %d: %+v", k, at)
		}
	}
	if len(gap.At) != len(r.PassAt) {
		t.Errorf("gap at %d k, score at %d", len(gap.At), len(r.PassAt))
	}
	covered := 0.0
	for _, k := range []int{1, 2, 4, 8, 16, 32, 64} {
		e := gap.Extrapolated[k]
		if e.Coverage < covered || e.Gap < 0 || *e.SelectedGivenCovered > 1 || k == 1 && e.Gap != 0 || k <= 8 && e.Coverage > gap.At[k].Coverage.Mean+1e-12 {
			t.Errorf("extrapolated to %d: %+v", k, e)
		}
		covered = e.Coverage
	}
}

// One rollout votes for what it covers, exactly, of whatever number it is drawn: thirds
// and sevenths are rounded. A vote that is sampled from many subsets is right no more
// often than the answer is covered; here more than forty are sampled.
func TestGapIsNeverNegative(t *testing.T) {
	for n := 1; n <= 40; n++ {
		for right := 1; right <= n; right++ {
			list := make([]string, n)
			for i := range list {
				list[i] = []string{"Paris", "Lyon", "Metz"}[min(i/right, 2)]
			}
			examples, runs := answers(list, []string{"Paris", "Lyon"}, []string{"Paris", "Lyon", "Metz"})
			jury := &eval.Jury{Rulings: map[eval.Answered]bool{}}
			for _, r := range runs {
				jury.Rulings[eval.Answered{QuestionID: r.QuestionID, Answer: r.Answer}] = r.Answer == "Paris"
			}
			opts := eval.Options{Subsets: 40, Resamples: 1, Jury: jury}
			gap, err := eval.GapOf(examples, runs, opts)
			if err != nil {
				t.Fatal(err)
			}
			score, err := eval.Score(examples, runs, opts)
			if err != nil {
				t.Fatal(err)
			}
			for k, pass := range score.JudgePassAt {
				if vote := score.JudgeMajorityAt[k]; vote.Mean > pass.Mean {
					t.Errorf("%d right of %d, at %d: the judge covers %v and votes %v", right, n, k, pass.Mean, vote.Mean)
				}
			}
			for k, at := range gap.At {
				if at.Gap.CI95[0] < 0 || *at.SelectedGivenCovered > 1 || k == 1 && (at.Gap.Mean != 0 || *at.SelectedGivenCovered != 1) {
					t.Errorf("%d right of %d, at %d: %+v, %v", right, n, k, at.Gap, *at.SelectedGivenCovered)
				}
			}
			examples, runs = answers(list)
			examples[0].Golds = []string{"Paris", "Lyon", "Metz"} // which share the votes
			several, err := eval.GapOf(examples, runs, opts)
			if err != nil {
				t.Fatal(err)
			}
			for _, extrapolated := range []map[int]eval.Extrapolation{gap.Extrapolated, several.Extrapolated} {
				for k, e := range extrapolated {
					if e.Gap < 0 || *e.SelectedGivenCovered > 1 || k == 1 && (e.Gap != 0 || *e.SelectedGivenCovered != 1) {
						t.Errorf("%d right of %d, extrapolated to %d: %+v", right, n, k, e)
					}
				}
			}
		}
	}
}

// A question is always right only if each of its rollouts is, of however many.
func TestGapClassOfAlmostAlways(t *testing.T) {
	all := slices.Repeat([]string{"Paris"}, 49)
	almost := append(slices.Repeat([]string{"paris"}, 15), "Lyon")
	examples, runs := answers(all, almost, append(slices.Clone(all), ""))
	gap, err := eval.GapOf(examples, runs, eval.Options{Resamples: 1, Subsets: 10})
	if err != nil {
		t.Fatal(err)
	}
	if want := (eval.Classes{Always: 1, RightLeads: 2}); gap.Classes != want {
		t.Errorf("classes %+v, want %+v", gap.Classes, want)
	}
}

func TestGapOfNothing(t *testing.T) {
	examples, runs := answers([]string{"-"})
	gap, err := eval.GapOf(examples, runs, eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(gap)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"questions":0,"left_out":1,"rollouts":0,"at":{},"classes":{"always":0,"right_leads":0,"tied":0,"wrong_leads":0,"never":0},"extrapolated":{}}`
	if string(raw) != want {
		t.Errorf("gap of nothing is %s, want %s", raw, want)
	}
	if _, err := eval.GapOf(examples, runs, eval.Options{At: []int{0}}); err == nil || !strings.Contains(err.Error(), "must be positive") {
		t.Errorf("at 0: error %v", err)
	}
}
