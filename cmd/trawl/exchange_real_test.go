package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"testing"

	"trawl/eval"
	"trawl/internal/testutil"
	"trawl/trajectory/store"
)

// TestRealRolloutsScore imports published rollouts and finds the figures that
// exact match has on them: of R1-Searcher's two policies, and of ReAct by
// Reflexion's log, which marks 34 of 100 questions as correct in each of 5 trials.
func TestRealRolloutsScore(t *testing.T) {
	withoutRaceDetector(t)
	tests := []struct {
		name, form, path string
		complete         int
		pass             map[int]float64
	}{
		{"HotpotQA", "messages", "r1_searcher_rollouts/hotpotqa_rollouts.jsonl", 1000, map[int]float64{1: .579, 2: .670}},
		{"Bamboogle", "r1-searcher", "r1_searcher_rollouts/native", 250, map[int]float64{1: .448, 2: .528}},
		{"2Wiki", "messages", "r1_searcher_rollouts/2wiki_rollouts.jsonl", 500, map[int]float64{1: .554}},
		{"ReAct log", "reflexion", "reflexion_react/ReAct_base_100_questions_5_trials.txt", 500, map[int]float64{1: .34, 5: .34}},
		{"ReAct lines", "reflexion", "reflexion_react/react_base_rollouts.jsonl", 500, map[int]float64{1: .34, 5: .34}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := testutil.Shared(t, tt.path)
			out := filepath.Join(t.TempDir(), "run")
			capture(t, "import", tt.form, path, "--out", out)
			r := new(eval.Report)
			if err := json.Unmarshal([]byte(capture(t, "score", out, "--json")), r); err != nil {
				t.Fatal(err)
			}
			if r.Complete != tt.complete || r.Failed+r.Missing != 0 {
				t.Errorf("%d complete, %d failed, %d missing; want %d complete", r.Complete, r.Failed, r.Missing, tt.complete)
			}
			for k, want := range tt.pass {
				if got := r.PassAt[k].Mean; math.Abs(got-want) > .0005 {
					t.Errorf("pass@%d is %.4f, want %.3f", k, got, want)
				}
			}
		})
	}
}

// TestRealMarks counts the marks of Reflexion's log: as verdicts they say of 34
// rollouts in each trial that they are correct, which is what exact match says.
func TestRealMarks(t *testing.T) {
	withoutRaceDetector(t)
	out := filepath.Join(t.TempDir(), "run")
	capture(t, "import", "reflexion", testutil.Shared(t, "reflexion_react/ReAct_base_100_questions_5_trials.txt"), "--out", out)
	verdicts, _, err := store.ReadVerdicts(out)
	if err != nil {
		t.Fatal(err)
	}
	correct := map[[2]string]bool{}
	for _, v := range verdicts {
		correct[[2]string{v.QuestionID, v.Answer}] = v.Correct
	}
	trials := map[int]int{}
	for tr, err := range store.Scan(out) {
		if err != nil {
			t.Fatal(err)
		}
		if correct[[2]string{tr.QuestionID, tr.Answer}] {
			trials[tr.Rollout]++
		}
	}
	for trial := range 5 {
		if trials[trial] != 34 {
			t.Errorf("trial %d: %d correct, want 34", trial+1, trials[trial])
		}
	}
}

// TestRealRoundTrip exports the rollouts of two real policies in every form that
// can be read, and finds the same figures after importing them again.
func TestRealRoundTrip(t *testing.T) {
	withoutRaceDetector(t)
	dir := t.TempDir()
	first := filepath.Join(dir, "run")
	capture(t, "import", "r1-searcher", testutil.Shared(t, "r1_searcher_rollouts/native"), "--out", first)
	want := new(eval.Report)
	if err := json.Unmarshal([]byte(capture(t, "score", first, "--json")), want); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"messages", "tongyi", "aggagent", "parquet"} {
		files, again := filepath.Join(dir, form), filepath.Join(dir, form+"-run")
		capture(t, "export", first, "--format", form, "--out", files)
		capture(t, "import", form, files, "--out", again)
		got := new(eval.Report)
		if err := json.Unmarshal([]byte(capture(t, "score", again, "--json")), got); err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.EM.Mean-want.EM.Mean) > 1e-9 || math.Abs(got.F1.Mean-want.F1.Mean) > 1e-9 || math.Abs(got.PassAt[2].Mean-want.PassAt[2].Mean) > 1e-9 || got.Cost.Searches != want.Cost.Searches {
			t.Errorf("%s: EM %v, F1 %v, pass@2 %v, %d searches; want %v, %v, %v, %d", form, got.EM.Mean, got.F1.Mean, got.PassAt[2].Mean, got.Cost.Searches,
				want.EM.Mean, want.F1.Mean, want.PassAt[2].Mean, want.Cost.Searches)
		}
	}
}
