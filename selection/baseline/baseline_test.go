package baseline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trawl/selection"
	"trawl/selection/baseline"
	"trawl/trajectory"
)

// group makes a group of answers. "x@.7" is the answer x with that confidence;
// "failed" is a rollout that failed.
func group(answers ...string) selection.Group {
	g := selection.Group{Question: trajectory.Question{ID: "q", Text: "?"}}
	for i, a := range answers {
		t := &trajectory.Trajectory{QuestionID: "q", Rollout: i}
		t.Answer, _, _ = strings.Cut(a, "@")
		var c float64
		if n, _ := fmt.Sscanf(a[len(t.Answer):], "@%f", &c); n == 1 {
			t.Confidence = &c
		}
		if a == "failed" {
			t.Answer, t.Error = "", "unreachable"
		}
		g.Trajectories = append(g.Trajectories, t)
	}
	return g
}

func TestSelect(t *testing.T) {
	const byMajority = "no rollout states a confidence: decided by majority"
	tests := []struct {
		name     string
		selector selection.Selector
		answers  []string
		want     selection.Decision
		err      error
	}{
		{"majority by normal form", baseline.Majority{}, []string{"Rome", "The Hague", "the hague."},
			selection.Decision{Answer: "The Hague", Index: 1, Scores: []float64{1.0 / 3, 2.0 / 3, 2.0 / 3}}, nil},
		{"majority tie to the first", baseline.Majority{}, []string{"b", "a"},
			selection.Decision{Answer: "b", Index: 0, Scores: []float64{.5, .5}}, nil},
		{"silent and failed do not vote", baseline.Majority{}, []string{"", "failed", "", "x"},
			selection.Decision{Answer: "x", Index: 3, Scores: []float64{0, 0, 0, 1}}, nil},
		{"an answer of an article alone still votes", baseline.Majority{}, []string{"The", "the"},
			selection.Decision{Answer: "The", Index: 0, Scores: []float64{1, 1}}, nil},
		{"majority of nothing", baseline.Majority{}, []string{"", "failed"}, selection.Decision{}, selection.ErrEmpty},

		{"first with an answer", baseline.First{}, []string{"", "failed", "y", "z"}, selection.Decision{Answer: "y", Index: 2}, nil},
		{"first of nothing", baseline.First{}, nil, selection.Decision{}, selection.ErrEmpty},

		// .3 + .3 against .5: two half-hearted voices outweigh one.
		{"weighted", baseline.Weighted{}, []string{"a@.5", "b@.3", "B.@.3"},
			selection.Decision{Answer: "b", Index: 1, Scores: []float64{.5 / 1.1, .6 / 1.1, .6 / 1.1}}, nil},
		// In floating point .1 + .2 is more than .3; said by people it is not.
		{"weighted tie to the first", baseline.Weighted{}, []string{"a@.3", "b@.1", "b@.2"},
			selection.Decision{Answer: "a", Index: 0, Scores: []float64{.5, .5, .5}}, nil},
		{"no confidence is no vote, in the words of the first all the same", baseline.Weighted{}, []string{"a", "The B", "a", "b@.2"},
			selection.Decision{Answer: "The B", Index: 1, Scores: []float64{0, 1, 0, 1}, Note: "3 of 4 rollouts with an answer state no confidence"}, nil},
		{"weighted without any confidence", baseline.Weighted{}, []string{"a", "b", "b"},
			selection.Decision{Answer: "b", Index: 1, Scores: []float64{1.0 / 3, 2.0 / 3, 2.0 / 3}, Note: byMajority}, nil},
		{"weighted where all state 0", baseline.Weighted{}, []string{"a@0", "b@0", "b@0"},
			selection.Decision{Answer: "b", Index: 1, Scores: []float64{1.0 / 3, 2.0 / 3, 2.0 / 3}, Note: byMajority}, nil},
		{"weighted of nothing", baseline.Weighted{}, []string{""}, selection.Decision{}, selection.ErrEmpty},

		{"best of n", baseline.BestOfN{}, []string{"a@.5", "b@.3", "b@.3"},
			selection.Decision{Answer: "a", Index: 0, Scores: []float64{.5, .3, .3}}, nil},
		{"best of n, tie to the first, silence is 0", baseline.BestOfN{}, []string{"a", "b@.3", "c@.3"},
			selection.Decision{Answer: "b", Index: 1, Scores: []float64{0, .3, .3}, Note: "1 of 3 rollouts with an answer state no confidence"}, nil},
		{"best of n without any confidence", baseline.BestOfN{}, []string{"a", "b", "b"},
			selection.Decision{Answer: "b", Index: 1, Scores: []float64{1.0 / 3, 2.0 / 3, 2.0 / 3}, Note: byMajority}, nil},
		{"best of nothing", baseline.BestOfN{}, []string{"failed"}, selection.Decision{}, selection.ErrEmpty},

		{"fewest tools, tie to the first", baseline.FewestTools{}, []string{"a", "b"},
			selection.Decision{Answer: "a", Index: 0, Scores: []float64{0, 0}}, nil},
		{"fewest tools of nothing", baseline.FewestTools{}, nil, selection.Decision{}, selection.ErrEmpty},

		{"oracle", baseline.Oracle{Right: isB}, []string{"a", "a", "b", "b"},
			selection.Decision{Answer: "b", Index: 2, Scores: []float64{0, 0, 1, 1}}, nil},
		{"oracle where nothing is right", baseline.Oracle{Right: isB}, []string{"", "a"},
			selection.Decision{Answer: "a", Index: 1, Scores: []float64{0, 0}}, nil},
		{"oracle of nothing", baseline.Oracle{Right: isB}, []string{"failed"}, selection.Decision{}, selection.ErrEmpty},

		{"random of one", baseline.Random{Seed: 1}, []string{"", "a", "failed"}, selection.Decision{Answer: "a", Index: 1}, nil},
		{"random of nothing", baseline.Random{}, []string{""}, selection.Decision{}, selection.ErrEmpty},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.selector.Select(t.Context(), group(tt.answers...))
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("decision mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func isB(t *trajectory.Trajectory) bool { return t.Answer == "b" }

func step(kind trajectory.Kind, query, failure string, results int) trajectory.Step {
	return trajectory.Step{
		Kind: kind, Query: query, Error: failure, Results: make([]trajectory.Result, results),
		Call: &trajectory.Call{Name: string(kind), Arguments: json.RawMessage(`"` + query + `"`)},
	}
}

func TestFewestTools(t *testing.T) {
	search, find := trajectory.KindSearch, trajectory.KindFind
	tests := []struct {
		name  string
		steps []trajectory.Step
		calls float64
	}{
		{"none", nil, 0},
		{"thinking and answering are no calls", []trajectory.Step{{Kind: trajectory.KindNone}, {Kind: trajectory.KindAnswer}}, 0},
		{"search, open and find", []trajectory.Step{step(search, "x", "", 3), step(trajectory.KindOpen, "x", "", 1), step(find, "x", "", 0)}, 3},
		{"a failed call", []trajectory.Step{step(search, "x", "no index", 0), step(search, "y", "", 3)}, 1},
		{"a repetition that was not made again", []trajectory.Step{step(search, "x", "", 3), step(search, "x", "", 0)}, 1},
		{"a repetition that was", []trajectory.Step{step(search, "x", "", 3), step(search, "x", "", 3)}, 2},
		{"a search that finds nothing", []trajectory.Step{step(search, "x", "", 0), step(search, "y", "", 0)}, 2},
		{"a seeded search has no call", []trajectory.Step{{Kind: search, Query: "x"}, {Kind: search, Query: "y"}}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := group("a", "", "b")
			g.Trajectories[0].Steps = tt.steps
			got, err := baseline.FewestTools{}.Select(t.Context(), g)
			want := selection.Decision{Answer: "b", Index: 2, Scores: []float64{-tt.calls, -tt.calls, 0}}
			if tt.calls == 0 {
				want.Answer, want.Index = "a", 0
			}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("decision mismatch, error %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// Random gives every candidate its share, the same again for the same group, and
// draws anew for other rollouts, another question and another seed.
func TestRandom(t *testing.T) {
	chosen := make([]int, 3)
	changed := 0
	for i := range 3000 {
		g := group("a", "", "b", "c")
		g.Question.ID = fmt.Sprint(i)
		d, err := baseline.Random{Seed: 42}.Select(t.Context(), g)
		again, _ := baseline.Random{Seed: 42}.Select(t.Context(), g)
		other, _ := baseline.Random{Seed: 43}.Select(t.Context(), g)
		if err != nil || again.Index != d.Index {
			t.Fatalf("question %d: chose %d and %d, error %v", i, d.Index, again.Index, err)
		}
		if other.Index != d.Index {
			changed++
		}
		chosen[map[int]int{0: 0, 2: 1, 3: 2}[d.Index]]++
	}
	for i, n := range chosen {
		if n < 900 || n > 1100 { // 1,000 ± 3.9 standard deviations of 25.8
			t.Errorf("candidate %d was chosen %d times of 3000, want about 1000", i, n)
		}
	}
	if changed < 1800 || changed > 2200 { // two of three draws differ
		t.Errorf("another seed changed %d choices of 3000, want about 2000", changed)
	}
}

// What holds for every selector: it chooses a candidate that is there, changes
// nothing, and does not care about rollouts that are no candidates.
func TestEverySelector(t *testing.T) {
	selectors := map[string]selection.Selector{
		"first": baseline.First{}, "random": baseline.Random{Seed: 1}, "majority": baseline.Majority{}, "weighted": baseline.Weighted{},
		"best-of-n": baseline.BestOfN{}, "fewest-tools": baseline.FewestTools{}, "oracle": baseline.Oracle{Right: isB},
	}
	words := []string{"a", "A.", "b", "b@.2", "a@.9", "c@.2", "", "failed"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		answers := make([]string, 1+r.IntN(6))
		for i := range answers {
			answers[i] = words[r.IntN(len(words))]
		}
		answers[r.IntN(len(answers))] = words[r.IntN(6)] // one is a candidate
		g := group(answers...)
		for name, s := range selectors {
			d, err := s.Select(t.Context(), g)
			if err != nil || g.Trajectories[d.Index].Answer != d.Answer || d.Answer == "" {
				t.Fatalf("%s of %q: %+v, error %v", name, answers, d, err)
			}
			if diff := cmp.Diff(group(answers...), g); diff != "" {
				t.Fatalf("%s changed the group (-want +got):\n%s", name, diff)
			}
			for i, score := range d.Scores {
				if score > d.Scores[d.Index]+1e-9 {
					t.Errorf("%s of %q chose %d, but %d scores more: %v", name, answers, d.Index, i, d.Scores)
				}
			}
			var few selection.Group
			few.Question = g.Question
			for _, c := range g.Trajectories {
				if c.Answer != "" {
					few.Trajectories = append(few.Trajectories, c)
				}
			}
			alone, err := s.Select(t.Context(), few)
			if err != nil || few.Trajectories[alone.Index] != g.Trajectories[d.Index] {
				t.Errorf("%s of %q chose rollout %d, and of the candidates alone %q", name, answers, d.Index, alone.Answer)
			}
		}
	}
}

func ExampleMajority() {
	g := group("Lyon", "Paris", "paris")
	d, err := baseline.Majority{}.Select(context.Background(), g)
	fmt.Println(d.Answer, err)
	// Output: Paris <nil>
}

func ExampleWeighted() {
	g := group("Lyon@.9", "Paris@.5", "Paris@.6")
	d, err := baseline.Weighted{}.Select(context.Background(), g)
	fmt.Printf("%s %.2f %v\n", d.Answer, d.Scores, err)
	// Output: Paris [0.45 0.55 0.55] <nil>
}

func ExampleOracle() {
	right := func(t *trajectory.Trajectory) bool { return t.Answer == "Paris" }
	g := group("Lyon", "Lyon", "Paris")
	d, err := baseline.Oracle{Right: right}.Select(context.Background(), g)
	fmt.Println(d.Answer, d.Index, err)
	// Output: Paris 2 <nil>
}
