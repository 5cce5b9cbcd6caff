package compare_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/eval/compare"
	"trawl/internal/seed"
	"trawl/selection"
	"trawl/selection/baseline"
	"trawl/trajectory"
)

// A witness selects as baseline.First does and keeps what groups it was given, by question.
type witness struct {
	mu     sync.Mutex
	groups map[string][]selection.Group
}

func (w *witness) selector() stub {
	w.groups = map[string][]selection.Group{}
	return func(g selection.Group) (selection.Decision, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.groups[g.Question.ID] = append(w.groups[g.Question.ID], g)
		return baseline.First{}.Select(context.Background(), g)
	}
}

func numbers(g selection.Group) []int {
	var out []int
	for _, t := range g.Trajectories {
		out = append(out, t.Rollout)
	}
	return out
}

// A contestant with a number of subsets of its own has its own draw of them where
// there are more, and changes nothing for the others.
func TestOwnSubsets(t *testing.T) {
	p := many(40, 8, true)
	var w witness
	field := []compare.Contestant{
		{Name: "first", Selector: baseline.First{}},
		{Name: "three", Selector: w.selector(), Subsets: 3},
		{Name: "three too", Selector: baseline.First{}, Subsets: 3},
		{Name: "plenty", Selector: baseline.First{}, Subsets: 70},
		{Name: "the same", Selector: baseline.First{}, Subsets: 50},
	}
	opts := compare.Options{Rollouts: 8, At: []int{4}, Subsets: 50, Seed: 9}
	r, err := compare.Run(t.Context(), p.examples, p.source, field, opts)
	if err != nil {
		t.Fatal(err)
	}
	rows := r.At[4]
	for i, want := range []struct {
		each    int // of the C(8, 4) = 70
		sampled bool
	}{{50, true}, {3, true}, {3, true}, {70, false}, {50, true}} {
		if rows[i].Subsets != 40*want.each || rows[i].Sampled != want.sampled {
			t.Errorf("%s: %d subsets, sampled %v; want %d, %v", rows[i].Selector, rows[i].Subsets, rows[i].Sampled, 40*want.each, want.sampled)
		}
	}
	checkOwn(t, p, &w, rows[1])
	for _, pair := range [][2]compare.Row{{rows[1], rows[2]}, {rows[0], rows[4]}} {
		pair[1].Selector, pair[1].Cost = pair[0].Selector, pair[0].Cost
		if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
			t.Errorf("rows on the same subsets differ:\n%s", diff)
		}
	}
	alone, err := compare.Run(t.Context(), p.examples, p.source, field[:1], opts)
	if err != nil {
		t.Fatal(err)
	}
	rows[0].Cost, alone.At[4][0].Cost = compare.Cost{}, compare.Cost{}
	if diff := cmp.Diff(alone.At[4][0], rows[0]); diff != "" {
		t.Errorf("another's subsets change a row (-alone +together):\n%s", diff)
	}
	all, err := compare.Run(t.Context(), p.examples, p.source, field[:1], compare.Options{Rollouts: 8, At: []int{4}, Subsets: compare.All, Seed: 9})
	if err != nil {
		t.Fatal(err)
	}
	if want, got := all.At[4][0], rows[3]; got.Accuracy.Mean != want.Accuracy.Mean || got.Coverage != want.Coverage || *got.VsMajority != *want.VsMajority {
		t.Errorf("on all subsets: %+v, want %+v", got, want)
	}
}

// marks returns 1 if what s chooses is right.
func marks(t *testing.T, s selection.Selector, ex dataset.Example, g selection.Group) float64 {
	t.Helper()
	if d, err := s.Select(t.Context(), g); err == nil && eval.Mark(ex, d.Answer).EM {
		return 1
	}
	return 0
}

// checkOwn works out the row of three sampled subsets a question from what the
// witness saw of them.
func checkOwn(t *testing.T, p *pile, w *witness, row compare.Row) {
	t.Helper()
	var right, vote, covered float64
	for _, ex := range p.examples {
		var want [][]int
		for s := range eval.Subsets(8, 4, 3, seed.Rand(9, "subsets", ex.ID, 4, 3)) {
			want = append(want, append([]int(nil), s...))
		}
		var got [][]int
		for _, g := range w.groups[ex.ID][:3] { // behind them is the group of all eight
			got = append(got, numbers(g))
			right += marks(t, baseline.First{}, ex, g)
			vote += marks(t, baseline.Majority{}, ex, g)
			for _, l := range g.Trajectories {
				if eval.Mark(ex, l.Answer).EM {
					covered++
					break
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: subsets (-want +got):\n%s", ex.ID, diff)
		}
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	if !near(row.Accuracy.Mean, right/120) || !near(row.VsMajority.Mean, (right-vote)/120) || !near(row.Coverage, covered/120) {
		t.Errorf("accuracy %v, against majority %v, coverage %v; of 120 subsets %v are right, majority is for %v, %v are covered",
			row.Accuracy.Mean, row.VsMajority.Mean, row.Coverage, right, vote, covered)
	}
}

// writer asks a model twice about two rollouts and once about one, of which it
// makes no answer.
func writer(g selection.Group) (selection.Decision, error) {
	if len(g.Trajectories) == 1 {
		return selection.Decision{Index: -1, Note: "the reply holds no answer", Cost: selection.Cost{Calls: 1, Prompt: 400, Completion: 50, Fresh: 400, Estimated: true, Millis: 250}}, nil
	}
	return selection.Decision{Answer: "A", Index: -1, Cost: selection.Cost{Calls: 2, Prompt: 1000, Completion: 100, Cached: 300, Fresh: 600, Millis: 1500}}, nil
}

// TestCost works by hand what a selector that asks a model costs on two questions.
//
//	k=1  two subsets a question: 4 × (1 call, 400 + 50 tokens, 0.25 s), no answer
//	k=2  2 × (2 calls, 1000 + 100 tokens of which 600 are fresh, 1.5 s)
func TestCost(t *testing.T) {
	p := &pile{}
	p.add("q1", "a", "b", "a")
	p.add("q2", "a", "b", "c")
	price := &compare.Price{In: 2, Out: 10}
	var told []selection.Cost
	r, err := compare.Run(t.Context(), p.examples, p.source, []compare.Contestant{{Name: "writer", Selector: stub(writer), Price: price}, {Name: "first", Selector: baseline.First{}}}, compare.Options{
		Rollouts: 2, Decided: func(d compare.Decided) error { told = append(told, d.Decision.Cost); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	cheap, dear := (1600*2.0+200*10)/1e6, (1200*2.0+200*10)/1e6
	for k, want := range map[int]compare.Cost{
		1: {Seconds: 1, ModelCalls: 4, PromptTokens: 1600, CompletionTokens: 200, FreshPromptTokens: 1600, Estimated: true, USD: &cheap},
		2: {Seconds: 3, ModelCalls: 4, PromptTokens: 2000, CompletionTokens: 200, CachedTokens: 600, FreshPromptTokens: 1200, USD: &dear},
	} {
		if diff := cmp.Diff(want, r.At[k][0].Cost); diff != "" {
			t.Errorf("k=%d: cost (-want +got):\n%s", k, diff)
		}
		if c := r.At[k][1].Cost; c.ModelCalls != 0 || c.USD != nil || c.Seconds <= 0 || c.Seconds > 1 {
			t.Errorf("k=%d: first cost %+v", k, c)
		}
	}
	if one := r.At[1][0]; one.Empty != 4 || one.Noted != 4 || one.Accuracy.Mean != 0 || one.F1.Mean != 0 {
		t.Errorf("no answer: %+v", one)
	}
	if two := r.At[2][0]; two.Empty != 0 || two.Noted != 0 || two.Accuracy.Mean != 1 {
		t.Errorf("an answer of its own: %+v", two)
	}
	if len(told) != 4 || told[0].Calls != 2 || told[1] != (selection.Cost{}) || told[2].Millis != 1500 {
		t.Errorf("told the costs %+v", told)
	}
}

// What is asked of a model is asked once: the decision on all rollouts is that of
// k = K, whatever the contestant's number of subsets is.
func TestAsksOnce(t *testing.T) {
	p := &pile{}
	p.add("q", "a", "b", "a")
	asked := map[int]int{}
	counting := stub(func(g selection.Group) (selection.Decision, error) {
		asked[len(g.Trajectories)]++
		return writer(g)
	})
	told := 0
	_, err := compare.Run(t.Context(), p.examples, p.source, []compare.Contestant{{Name: "writer", Selector: counting, Subsets: 1}}, compare.Options{
		Rollouts: 2, Workers: 1, Decided: func(d compare.Decided) error { told += d.Decision.Cost.Calls; return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[int]int{1: 1, 2: 1}, asked); diff != "" || told != 2 {
		t.Errorf("asked by size of the group (-want +got), told of %d calls:\n%s", told, diff)
	}
}

// A batcher's decisions that asked a model say how long they took, too.
func TestCostOfBatches(t *testing.T) {
	p := &pile{}
	p.add("q", "a", "b", "a")
	s := batched{stub: writer, calls: new(atomic.Int64), groups: new(atomic.Int64)}
	r, err := compare.Run(t.Context(), p.examples, p.source, []compare.Contestant{{Name: "s", Selector: s}}, compare.Options{Rollouts: 2})
	if err != nil {
		t.Fatal(err)
	}
	if one, two := r.At[1][0].Cost, r.At[2][0].Cost; one.Seconds != 0.5 || two.Seconds != 1.5 || one.ModelCalls != 2 || two.ModelCalls != 2 {
		t.Errorf("costs %+v and %+v", one, two)
	}
}

// The JSON of a row of a selector that asks a model under a limit of its own.
func TestCostJSON(t *testing.T) {
	raw, err := json.Marshal(compare.Row{Cost: compare.Cost{ModelCalls: 2, FreshPromptTokens: 600, USD: new(float64)}})
	if err != nil {
		t.Fatal(err)
	}
	want := `"cost":{"seconds":0,"model_calls":2,"prompt_tokens":0,"completion_tokens":0,"cached_tokens":0,"fresh_prompt_tokens":600,"usd":0}`
	if !strings.Contains(string(raw), want) {
		t.Errorf("row %s, want it to have %s", raw, want)
	}
}

func TestOwnSubsetsErrors(t *testing.T) {
	for _, tt := range []struct {
		subsets int
		want    string
	}{
		{-1, "compare: selector s: subsets -1"},
		{compare.All, "at 8: 10518300 subsets of 32 rollouts are too many"},
	} {
		field := []compare.Contestant{{Name: "s", Selector: stub(last), Subsets: tt.subsets}}
		none := func(string) ([]*trajectory.Trajectory, error) { return nil, nil }
		if _, err := compare.Run(t.Context(), nil, none, field, compare.Options{Rollouts: 32}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("subsets %d: error %v, want %q", tt.subsets, err, tt.want)
		}
	}
}
