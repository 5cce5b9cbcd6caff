package compare_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/eval/compare"
	"trawl/internal/seed"
	"trawl/internal/testutil"
	"trawl/selection"
	"trawl/selection/baseline"
	"trawl/trajectory"
)

// A pile is questions with their rollouts' answers: "" is a rollout without an
// answer, "failed" and "missing" what they say.
type pile struct {
	examples []dataset.Example
	lines    map[string][]*trajectory.Trajectory
}

func (p *pile) add(id, gold string, answers ...string) {
	ex := dataset.Example{Question: trajectory.Question{ID: id, Text: id + "?"}}
	if gold != "" {
		ex.Golds = []string{gold}
	}
	p.examples = append(p.examples, ex)
	if p.lines == nil {
		p.lines = map[string][]*trajectory.Trajectory{}
	}
	for i, a := range answers {
		t := &trajectory.Trajectory{QuestionID: id, Rollout: i, Answer: a}
		switch a {
		case "missing":
			continue
		case "failed":
			t.Answer, t.Error = "", "unreachable"
		}
		p.lines[id] = append(p.lines[id], t)
	}
}

func (p *pile) source(id string) ([]*trajectory.Trajectory, error) { return p.lines[id], nil }

// oracle knows the golds of the pile.
func (p *pile) oracle() baseline.Oracle {
	golds := map[string][]string{}
	for _, ex := range p.examples {
		golds[ex.ID] = ex.Golds
	}
	return baseline.Oracle{Right: func(t *trajectory.Trajectory) bool { return eval.ExactMatch(t.Answer, golds[t.QuestionID]) }}
}

func (p *pile) field() []compare.Contestant {
	return []compare.Contestant{
		{Name: "first", Selector: baseline.First{}}, {Name: "majority", Selector: baseline.Majority{}}, {Name: "oracle", Selector: p.oracle()},
	}
}

func small() *pile {
	p := &pile{}
	p.add("q1", "Paris", "Paris", "Lyon", "lyon")
	p.add("q2", "Rome", "Rome", "failed", "missing")
	p.add("q3", "", "x", "y", "")
	return p
}

// TestRun works the protocol by hand.
//
//	k=1  q1: one of three is right; q2: of its three places one has an answer, the right one
//	k=2  q1: {01} and {02} begin with Paris, a tie, so first and majority are right; {12} is wrong and uncovered
//	     q2: {01} and {02} hold Rome alone; {12} is empty
//	k=3  q1: first is right, majority is Lyon; q2: Rome
func TestRun(t *testing.T) {
	p := small()
	var told []compare.Decided
	got, err := compare.Run(t.Context(), p.examples, p.source, p.field(), compare.Options{
		Rollouts: 3, At: []int{1, 2, 3}, Seed: 42,
		Decided: func(d compare.Decided) error { told = append(told, d); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	row := func(name string, accuracy, coverage, given float64, subsets, empty int, vs float64) compare.Row {
		r := compare.Row{Selector: name, Accuracy: &eval.Stat{Mean: accuracy, N: 2}, Coverage: coverage, SelectedGivenCovered: &given, Subsets: subsets, Empty: empty}
		r.F1 = r.Accuracy // one-word answers
		if name != "majority" {
			r.VsMajority = &eval.Stat{Mean: vs, N: 2}
		}
		return r
	}
	third, two := 1.0/3, 2.0/3
	want := &compare.Report{
		Questions: 3, Rollouts: 3, Complete: 7, Failed: 1, Missing: 1, Unscored: 3, Subsets: "100", Seed: 42,
		At: map[int][]compare.Row{
			1: {row("first", third, third, 1, 6, 2, 0), row("majority", third, third, 1, 6, 2, 0), row("oracle", third, third, 1, 6, 2, 0)},
			2: {row("first", two, two, 1, 6, 1, 0), row("majority", two, two, 1, 6, 1, 0), row("oracle", two, two, 1, 6, 1, 0)},
			3: {row("first", 1, 1, 1, 2, 0, .5), row("majority", .5, 1, .5, 2, 0, 0), row("oracle", 1, 1, 1, 2, 0, .5)},
		},
	}
	opts := cmp.Options{cmpopts.IgnoreFields(eval.Stat{}, "CI95"), cmpopts.IgnoreFields(compare.Row{}, "Cost"), cmpopts.EquateApprox(0, 1e-12)}
	if diff := cmp.Diff(want, got, opts); diff != "" {
		t.Errorf("report mismatch (-want +got):\n%s", diff)
	}
	for _, r := range got.At[3] { // two questions of 0 and 1, and of two that are right
		ci := map[string][2]float64{"first": {1, 1}, "majority": {0, 1}, "oracle": {1, 1}}[r.Selector]
		if r.Accuracy.CI95 != ci || r.VsMajority != nil && r.VsMajority.CI95 != [2]float64{0, 1} {
			t.Errorf("%s: interval %v, against majority %v", r.Selector, r.Accuracy.CI95, r.VsMajority)
		}
	}
	var lines []string
	for _, d := range told {
		lines = append(lines, fmt.Sprint(d.QuestionID, " ", d.Name, " ", d.Rollouts, " ", d.Decision.Index, " ", d.Decision.Answer))
	}
	if diff := cmp.Diff([]string{
		"q1 first [0 1 2] 0 Paris", "q1 majority [0 1 2] 1 Lyon", "q1 oracle [0 1 2] 0 Paris",
		"q2 first [0] 0 Rome", "q2 majority [0] 0 Rome", "q2 oracle [0] 0 Rome",
		"q3 first [0 1 2] 0 x", "q3 majority [0 1 2] 0 x", "q3 oracle [0 1 2] 0 x",
	}, lines); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// many makes questions at random, without failures if whole.
func many(questions, rollouts int, whole bool) *pile {
	p := &pile{}
	r := seed.Rand(7, "many", questions)
	words := []string{"a", "b", "c", "A.", ""}
	if !whole {
		words = append(words, "failed", "missing")
	}
	for i := range questions {
		answers := make([]string, rollouts)
		for j := range answers {
			answers[j] = words[r.IntN(len(words))]
		}
		p.add(fmt.Sprint("q", i), "a", answers...)
	}
	return p
}

// On all subsets the protocol is what the formulas of package eval say: the
// oracle is pass@k, majority majority@k, and first at 1 the mean of a rollout.
func TestAgreesWithEval(t *testing.T) {
	p := many(30, 6, true)
	got, err := compare.Run(t.Context(), p.examples, p.source, p.field(), compare.Options{Rollouts: 6, At: []int{1, 2, 3, 6}, Subsets: compare.All, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{1, 2, 3, 6} {
		var pass, majority, single float64
		for _, ex := range p.examples {
			var answers []string
			var right []bool
			c := 0
			for _, l := range p.lines[ex.ID] {
				em := eval.Mark(ex, l.Answer).EM
				answers, right = append(answers, l.Answer), append(right, em)
				c += map[bool]int{true: 1}[em]
			}
			pass += eval.PassAt(6, c, k) / 30
			majority += eval.MajorityAt(answers, right, k, compare.All, nil) / 30
			single += float64(c) / 6 / 30
		}
		first, vote, oracle := got.At[k][0], got.At[k][1], got.At[k][2]
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
		if !near(oracle.Accuracy.Mean, pass) || !near(oracle.Coverage, pass) || *oracle.SelectedGivenCovered != 1 {
			t.Errorf("k=%d: oracle %v, coverage %v, pass@k %v", k, oracle.Accuracy.Mean, oracle.Coverage, pass)
		}
		if !near(vote.Accuracy.Mean, majority) {
			t.Errorf("k=%d: majority %v, want %v", k, vote.Accuracy.Mean, majority)
		}
		if k == 1 && !near(first.Accuracy.Mean, single) {
			t.Errorf("first at 1 is %v, a rollout %v", first.Accuracy.Mean, single)
		}
		if !near(first.VsMajority.Mean, first.Accuracy.Mean-vote.Accuracy.Mean) || first.Sampled {
			t.Errorf("k=%d: first against majority %v of %v and %v", k, first.VsMajority.Mean, first.Accuracy.Mean, vote.Accuracy.Mean)
		}
	}
}

// Report and decisions are the same however many questions are under way.
func TestDoesNotDependOnWorkers(t *testing.T) {
	p := many(60, 10, false)
	run := func(workers int) (string, []string) {
		var told []string
		done := 0
		field := append(p.field(), compare.Contestant{Name: "random", Selector: baseline.Random{Seed: 3}}, compare.Contestant{Name: "sparing", Selector: baseline.Random{Seed: 3}, Subsets: 3})
		r, err := compare.Run(t.Context(), p.examples, p.source, field, compare.Options{
			Rollouts: 10, Subsets: 20, Seed: 5, Workers: workers,
			Decided:  func(d compare.Decided) error { told = append(told, fmt.Sprintf("%+v", d)); return nil },
			Progress: func(n int) { done = n },
		})
		if err != nil {
			t.Fatal(err)
		}
		if done != 60 {
			t.Errorf("progress ended at %d of 60", done)
		}
		for _, rows := range r.At {
			for i := range rows {
				rows[i].Cost.Seconds = 0
			}
		}
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw), told
	}
	want, wantTold := run(1)
	for _, workers := range []int{2, 7, 100} {
		got, told := run(workers)
		if diff := cmp.Diff(want, got) + cmp.Diff(wantTold, told); diff != "" {
			t.Errorf("%d workers (-one +many):\n%s", workers, diff)
		}
	}
}

// Beyond the number, subsets are sampled: as many for each question, the same
// for every contestant, and their figures near those of all.
func TestSampledSubsets(t *testing.T) {
	p := many(200, 10, false)
	all, err := compare.Run(t.Context(), p.examples, p.source, p.field(), compare.Options{Rollouts: 10, At: []int{4}, Subsets: compare.All})
	if err != nil {
		t.Fatal(err)
	}
	some, err := compare.Run(t.Context(), p.examples, p.source, p.field(), compare.Options{Rollouts: 10, At: []int{4}, Subsets: 50})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range all.At[4] {
		got := some.At[4][i]
		if want.Subsets != 200*210 || want.Sampled || got.Subsets != 200*50 || !got.Sampled {
			t.Errorf("%s: %d subsets, sampled %v; of all %d, sampled %v", got.Selector, got.Subsets, got.Sampled, want.Subsets, want.Sampled)
		}
		if d := math.Abs(got.Accuracy.Mean - want.Accuracy.Mean); d == 0 || d > 0.02 { // 10,000 draws: 4 standard errors
			t.Errorf("%s: accuracy %v of a sample, %v of all", got.Selector, got.Accuracy.Mean, want.Accuracy.Mean)
		}
	}
	if all.Subsets != "all" || some.Subsets != "50" {
		t.Errorf("subsets %q and %q", all.Subsets, some.Subsets)
	}
}

// A stub selects what its function says.
type stub func(g selection.Group) (selection.Decision, error)

func (s stub) Select(_ context.Context, g selection.Group) (selection.Decision, error) { return s(g) }

// batched counts how many groups it is given at a time.
type batched struct {
	stub
	calls, groups *atomic.Int64
}

func (b batched) SelectAll(_ context.Context, groups []selection.Group) ([]selection.Decision, error) {
	b.calls.Add(1)
	b.groups.Add(int64(len(groups)))
	out := make([]selection.Decision, len(groups))
	for i, g := range groups {
		d, err := b.stub(g)
		if err != nil {
			return nil, err
		}
		out[i] = d
	}
	return out, nil
}

func last(g selection.Group) (selection.Decision, error) {
	i := len(g.Trajectories) - 1
	return selection.Decision{Answer: g.Trajectories[i].Answer, Index: i}, nil
}

func TestBatches(t *testing.T) {
	p := &pile{}
	p.add("q", "a", "b", "failed", "a", "a")
	var calls, groups atomic.Int64
	field := []compare.Contestant{{Name: "alone", Selector: stub(last)}, {Name: "batched", Selector: batched{last, &calls, &groups}}}
	r, err := compare.Run(t.Context(), p.examples, p.source, field, compare.Options{Rollouts: 4, At: []int{1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	for k, rows := range r.At {
		if rows[0].Accuracy.Mean != rows[1].Accuracy.Mean {
			t.Errorf("k=%d: alone %v, batched %v", k, rows[0].Accuracy.Mean, rows[1].Accuracy.Mean)
		}
	}
	// A call for each k and one for the decision on all; three of four single
	// rollouts, six pairs, all: the failed one alone is no group.
	if calls.Load() != 3 || groups.Load() != 3+6+1 {
		t.Errorf("%d calls with %d groups, want 3 with 10", calls.Load(), groups.Load())
	}
}

// What a selector wrote itself is marked by its words, and a right answer that no
// candidate has is not counted among the covered.
func TestWrittenAnswer(t *testing.T) {
	p := &pile{}
	p.add("q", "a", "b", "a")
	writer := stub(func(selection.Group) (selection.Decision, error) {
		return selection.Decision{Answer: "A", Index: -1}, nil
	})
	r, err := compare.Run(t.Context(), p.examples, p.source, []compare.Contestant{{Name: "writer", Selector: writer}}, compare.Options{Rollouts: 2, At: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	if row := r.At[1][0]; row.Accuracy.Mean != 1 || row.Coverage != 0.5 || *row.SelectedGivenCovered != 1 || row.VsMajority.Mean != 0.5 {
		t.Errorf("row %+v", row)
	}
	if len(r.At[1]) != 1 {
		t.Errorf("%d rows: majority was not asked for", len(r.At[1]))
	}
}

func TestErrors(t *testing.T) {
	twice := small()
	twice.lines["q1"] = append(twice.lines["q1"], &trajectory.Trajectory{QuestionID: "q1", Rollout: 1, Config: "sha256:2"})
	full := errors.New("the disk is full")
	tests := []struct {
		name string
		pile *pile
		pick stub
		opts compare.Options
		want string
	}{
		{"a selector that fails", small(), func(selection.Group) (selection.Decision, error) {
			return selection.Decision{}, errors.New("not a number")
		},
			compare.Options{Rollouts: 3}, "compare: all 3 questions so far failed: question q3: selector s: not a number"},
		{"a choice that is not there", small(), func(selection.Group) (selection.Decision, error) { return selection.Decision{Index: 9}, nil },
			compare.Options{Rollouts: 3}, "question q3: selector s: it chose the rollout at 9 of 3"},
		{"two settings in one run", twice, last, compare.Options{Rollouts: 3}, "question q1: rollout 1 stands twice"},
		{"more than there are", small(), last, compare.Options{Rollouts: 3, At: []int{2, 4}}, "at 4: there are 3 rollouts a question"},
		{"none of them", small(), last, compare.Options{Rollouts: 3, At: []int{0}}, "at 0"},
		{"negative", small(), last, compare.Options{Subsets: -1}, "none may be negative"},
		{"all of too many", small(), last, compare.Options{Rollouts: 32, Subsets: compare.All}, "at 8: 10518300 subsets of 32 rollouts are too many"},
		{"a listener that fails", small(), last, compare.Options{Rollouts: 3, Decided: func(compare.Decided) error { return full }}, full.Error()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.opts.Workers = 1
			_, err := compare.Run(t.Context(), tt.pile.examples, tt.pile.source, []compare.Contestant{{Name: "s", Selector: tt.pick}}, tt.opts)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := small()
	if _, err := compare.Run(ctx, p.examples, p.source, p.field(), compare.Options{Rollouts: 3}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

func TestJSON(t *testing.T) {
	p := small()
	r, err := compare.Run(t.Context(), p.examples, p.source, p.field(), compare.Options{Rollouts: 3, Seed: 42})
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range r.At {
		for i := range rows {
			rows[i].Cost.Seconds = 0
		}
	}
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	testutil.Golden(t, "report.json", string(raw)+"\n")
}

// No gold answers at all: nothing is marked, everything is counted and decided.
func TestUnscored(t *testing.T) {
	p := &pile{}
	p.add("q", "", "a", "failed")
	told := 0
	r, err := compare.Run(t.Context(), p.examples, p.source, p.field(), compare.Options{Rollouts: 2, Decided: func(compare.Decided) error { told++; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	if r.Unscored != 1 || r.Failed != 1 || told != 3 || slices.ContainsFunc(r.At[2], func(r compare.Row) bool { return r.Accuracy != nil || r.Subsets != 0 }) {
		t.Errorf("report %+v, told %d", r, told)
	}
}

// BenchmarkRun is 100 questions of 16 rollouts under three selectors.
func BenchmarkRun(b *testing.B) {
	p := many(100, 16, false)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := compare.Run(b.Context(), p.examples, p.source, p.field(), compare.Options{Rollouts: 16, Seed: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
