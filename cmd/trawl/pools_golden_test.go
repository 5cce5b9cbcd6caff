package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/corpus/dataset"
	"trawl/internal/testutil"
	"trawl/selection/graph"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// TestGoldenLabels holds the labels of training to golden/selector/text.json. They
// are not those of eval.Mark: an answer that is nothing without its articles is
// never right. (methods.md A.1)
func TestGoldenLabels(t *testing.T) {
	data, err := os.ReadFile(testutil.SharedGolden(t, "selector/text.json"))
	if err != nil {
		t.Fatal(err)
	}
	var fixture struct {
		Scores []struct {
			Answer     string
			Gold       []string
			ExactMatch float64 `json:"exact_match"`
			F1         float64
		}
	}
	if err := json.Unmarshal(data, &fixture); err != nil {
		t.Fatal(err)
	}
	if len(fixture.Scores) != 8 {
		t.Fatalf("%d rows, want 8", len(fixture.Scores))
	}
	marks, err := poolReader{labels: byMatch}.marker("")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range fixture.Scores {
		got, known := marks(dataset.Example{Golds: tt.Gold}, tt.Answer, noRollout)
		if !about(got.label, tt.ExactMatch) || !about(got.f1, tt.F1) {
			t.Errorf("%q against %q: label %v, F1 %v, want %v and %v", tt.Answer, tt.Gold, got.label, got.f1, tt.ExactMatch, tt.F1)
		}
		if known != (len(tt.Gold) > 0) {
			t.Errorf("%q against %q: known %v", tt.Answer, tt.Gold, known)
		}
	}
}

// A goldenPool is a file of golden/selector/pools, as far as labels go.
type goldenPool struct {
	Variant  graph.Variant
	Question string
	Gold     []string
	K        int
	Rollouts []goldenRollout
	Expected struct {
		Retained    []int
		AnswerTexts []string  `json:"answer_texts"`
		ExactMatch  []float64 `json:"exact_match"`
		Correct     []bool
		F1          []float64
		Trainable   bool
	}
}

type goldenRollout struct {
	SampleID int `json:"sample_id"`
	Answer   string
	Correct  bool
	Searches []struct{ Query, Returned string }
}

// run returns the pool as a run of one question. Long-horizon rollouts are retained
// whatever they read, so that what theirs read is left out.
func (f *goldenPool) run(t *testing.T) tinyRun {
	t.Helper()
	run := tinyRun{golds: [][]string{f.Gold}}
	rollouts := slices.Clone(f.Rollouts)
	slices.SortFunc(rollouts, func(a, b goldenRollout) int { return a.SampleID - b.SampleID })
	for _, r := range rollouts[:min(f.K, len(rollouts))] {
		tr := answered(0, r.SampleID, r.Answer)
		for i, s := range r.Searches {
			chunks, err := graph.ParseReturn(s.Returned)
			if err != nil {
				t.Fatal(err)
			}
			step := trajectory.Step{Turn: i + 1, Kind: trajectory.KindSearch, Query: s.Query}
			for rank, c := range chunks {
				step.Results = append(step.Results, trajectory.Result{Rank: rank + 1, ID: fmt.Sprint(i, rank), Text: c})
			}
			tr.Steps = append(tr.Steps, step)
		}
		run.rollouts = append(run.rollouts, tr)
		run.verdicts = append(run.verdicts, store.Verdict{QuestionID: country(0).ID, Answer: r.Answer, Correct: r.Correct, Judge: "fixture"})
	}
	return run
}

// TestGoldenPoolLabels reads whole pools of the fixtures from run folders.
func TestGoldenPoolLabels(t *testing.T) {
	for _, name := range []string{"webqa-01", "webqa-02", "long-01", "long-02"} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(testutil.SharedGolden(t, "selector/pools/"+name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var f goldenPool
			if err := json.Unmarshal(data, &f); err != nil {
				t.Fatal(err)
			}
			want := worth{Answers: f.Expected.AnswerTexts, Labels: f.Expected.ExactMatch, F1: f.Expected.F1, Trainable: f.Expected.Trainable}
			labels := byMatch
			if f.Variant == graph.LongHorizon {
				labels = byJudge
				for _, c := range f.Expected.Correct {
					want.Labels, want.F1 = append(want.Labels, truth(c)), append(want.F1, 0) // the fixture has no gold answers
				}
			}
			run := f.run(t)
			all := readPools(t, newPoolReader(t, f.Variant, labels), run)
			if len(all.examples) != 1 {
				t.Fatalf("%d examples, want 1", len(all.examples))
			}
			if diff := cmp.Diff(want, worthOf(all.examples[0]), approximately); diff != "" {
				t.Errorf("labels mismatch (-want +got):\n%s", diff)
			}
			var retained []int
			for _, a := range all.examples[0].Input.Graph.Answers {
				retained = append(retained, run.rollouts[a.Rollouts[0]].Rollout)
			}
			if diff := cmp.Diff(f.Expected.Retained, retained); diff != "" {
				t.Errorf("retained mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
