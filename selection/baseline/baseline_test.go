package baseline_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/selection"
	"trawl/selection/baseline"
	"trawl/trajectory"
)

func group(answers ...string) selection.Group {
	var g selection.Group
	for i, a := range answers {
		t := &trajectory.Trajectory{QuestionID: "q", Rollout: i, Answer: a}
		if a == "failed" {
			t.Answer, t.Error = "", "unreachable"
		}
		g.Trajectories = append(g.Trajectories, t)
	}
	return g
}

func TestSelect(t *testing.T) {
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
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.selector.Select(t.Context(), group(tt.answers...))
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("decision mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func ExampleMajority() {
	g := group("Lyon", "Paris", "paris")
	d, err := baseline.Majority{}.Select(context.Background(), g)
	fmt.Println(d.Answer, err)
	// Output: Paris <nil>
}
