package main

import (
	"bytes"
	"strings"
	"testing"

	"trawl/selection/graph"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// TestLabelsOfOneJudge: where several judges ruled, labels are the verdicts of the one
// who gave the most, as in an export, the first of several who gave as many; whichever
// stands last in the file.
func TestLabelsOfOneJudge(t *testing.T) {
	said := func(judge, answer string, correct bool) store.Verdict {
		return store.Verdict{QuestionID: country(0).ID, Answer: answer, Correct: correct, Judge: judge, Model: "sha256:" + judge}
	}
	rollouts := []*trajectory.Trajectory{answered(0, 0, "Paris", "a"), answered(0, 1, "Rome", "b")}
	tests := []struct {
		name     string
		verdicts []store.Verdict
		want     *worth
		told     string
	}{
		{"the most, first in the file", []store.Verdict{said("a", "Paris", true), said("a", "Rome", false), said("b", "Paris", false)},
			&worth{[]string{"Paris", "Rome"}, []float64{1, 0}, []float64{1, 0}, true}, "labels are the 2 verdicts of a, who gave the most; 1 of other judges are left out"},
		{"the most, last in the file", []store.Verdict{said("b", "Paris", false), said("a", "Paris", true), said("a", "Rome", false)},
			&worth{[]string{"Paris", "Rome"}, []float64{1, 0}, []float64{1, 0}, true}, "labels are the 2 verdicts of a, who gave the most; 1 of other judges are left out"},
		{"as many", []store.Verdict{said("b", "Paris", false), said("a", "Paris", true), said("b", "Rome", true), said("a", "Rome", false)},
			&worth{[]string{"Paris", "Rome"}, []float64{0, 1}, []float64{1, 0}, true}, "labels are the 2 verdicts of b, who gave the most; 2 of other judges are left out"},
		{"verdicts of two together cover no question", []store.Verdict{said("a", "Paris", true), said("b", "Rome", false)},
			nil, "labels are the 1 verdicts of a, who gave the most; 1 of other judges are left out"},
		{"one judge", []store.Verdict{said("a", "Paris", true), said("a", "Rome", false)},
			&worth{[]string{"Paris", "Rome"}, []float64{1, 0}, []float64{1, 0}, true}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stderr bytes.Buffer
			r, all := newPoolReader(t, graph.WebQA, byJudge), new(pools)
			r.env.stderr = &stderr
			dir := tinyRun{golds: [][]string{{"Paris"}}, rollouts: rollouts, verdicts: tt.verdicts}.write(t)
			if err := r.readRun(t.Context(), dir, all); err != nil {
				t.Fatal(err)
			}
			checkOnly(t, all, 2, tt.want)
			if tt.told != "" && !strings.Contains(stderr.String(), tt.told) || tt.told == "" && strings.Contains(stderr.String(), "judges") {
				t.Errorf("stderr does not say %q:\n%s", tt.told, &stderr)
			}
		})
	}
}
