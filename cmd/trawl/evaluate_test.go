package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"trawl/eval/utility"
	"trawl/internal/testutil"
)

// Eight turns are right more often than four, and reach their right answers by more
// searches, so that pass@1 and the utility of correct rollouts rank the two settings
// differently. The model is the simulated one: this says that the figures can tell
// such settings apart, and nothing about any model.
func TestUtilityRanksOtherwise(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	capture(t, "weave", "--out", at("world"), "--seed", "7", "--entities", "400", "--questions", "60")
	capture(t, "index", at("world/corpus.jsonl"), "--out", at("idx"), "--quiet")
	evaluated := func(turns string) *utility.Report {
		run := at("run" + turns)
		capture(t, "run", "--dataset", "woven:"+at("world/questions.jsonl"), "--index", at("idx"), "--endpoint", "sim",
			"--first-query", "standard", "--turns", turns, "--out", run, "--quiet")
		var r utility.Report
		if err := json.Unmarshal([]byte(capture(t, "evaluate", run, "--json", "--quiet")), &r); err != nil {
			t.Fatal(err)
		}
		return &r
	}
	four, eight := evaluated("4"), evaluated("8")
	if four.PassAt1.Mean >= eight.PassAt1.Mean {
		t.Errorf("pass@1 of 4 and 8 turns: %.3f and %.3f, want 8 to be better", four.PassAt1.Mean, eight.PassAt1.Mean)
	}
	if four.UCorrect.Mean <= eight.UCorrect.Mean || four.E.Mean <= eight.E.Mean {
		t.Errorf("U of correct rollouts %.3f and %.3f, E %.3f and %.3f, want 4 turns to be better",
			four.UCorrect.Mean, eight.UCorrect.Mean, four.E.Mean, eight.E.Mean)
	}
	// The rollouts that explain it: right in both, with less utility by less efficiency.
	longer := 0
	for i, q := range eight.Details {
		for j, d := range q.Rollouts {
			before := four.Details[i].Rollouts[j]
			if *d.Correct && *before.Correct && d.Actions > before.Actions && *d.E < *before.E && *d.U < *before.U {
				longer++
			}
		}
	}
	if longer == 0 {
		t.Error("no rollout is right in both and took longer with 8 turns")
	}
	for _, r := range []*utility.Report{four, eight} {
		if r.UAll.Mean > r.UCorrect.Mean || r.UAll.Mean > r.PassAt1.Mean || !r.Simulated {
			t.Errorf("U_all %.3f, U_correct %.3f, pass@1 %.3f, simulated %t", r.UAll.Mean, r.UCorrect.Mean, r.PassAt1.Mean, r.Simulated)
		}
	}
	t.Logf("pass@1 %.3f and %.3f, U_correct %.3f and %.3f, E %.3f and %.3f; %d rollouts", four.PassAt1.Mean, eight.PassAt1.Mean,
		four.UCorrect.Mean, eight.UCorrect.Mean, four.E.Mean, eight.E.Mean, longer)
}

// Rollouts of another program on real questions, with neither references nor traps:
// pass@1 is that of their authors' records, and what cannot be measured says so.
func TestEvaluateImported(t *testing.T) {
	file := testutil.Shared(t, "r1_searcher_rollouts/bamboogle_rollouts.jsonl")
	run := filepath.Join(t.TempDir(), "run")
	capture(t, "import", "messages", file, "--out", run, "--quiet")
	var r utility.Report
	if err := json.Unmarshal([]byte(capture(t, "evaluate", run, "--json", "--quiet")), &r); err != nil {
		t.Fatal(err)
	}
	if r.Questions != 125 || r.Complete != 250 || math.Abs(r.PassAt1.Mean-0.448) > 5e-4 || r.Simulated {
		t.Errorf("%d questions, %d complete, pass@1 %.4f; want 125, 250 and 0.448", r.Questions, r.Complete, r.PassAt1.Mean)
	}
	if r.RR != nil || r.TRS != nil || r.References["oracle"] != 0 || r.E.N != r.References["correct rollouts"] || r.UAll.N != 125 {
		t.Errorf("R_R %v, TRS %v, references %v, E over %d, U over %d", r.RR, r.TRS, r.References, r.E.N, r.UAll.N)
	}
	for _, q := range r.Details {
		for _, d := range q.Rollouts {
			for name, v := range map[string]*float64{"E": d.E, "C": d.C, "G_E": d.GE, "U": d.U} {
				if v != nil && (*v < 0 || *v > 1) {
					t.Errorf("%s rollout %d: %s = %g", q.ID, d.Rollout, name, *v)
				}
			}
		}
	}
}

// A trap that stands twice would count twice.
func TestLoadTrapsTwice(t *testing.T) {
	const trap = `{"question_id":"q","doc_id":"7","false_claim":"It is Lyon."}` + "\n"
	path := filepath.Join(t.TempDir(), "traps.jsonl")
	for lines, want := range map[string]string{
		trap + trap: path + ":2: the trap 7 of question q stands twice",
		trap + `{"question_id":"q","doc_id":"8","false_claim":"It is Rome."}` + "\n": "",
	} {
		if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		traps, err := loadTraps(path, map[string]bool{"q": true})
		if want == "" && (err != nil || len(traps["q"]) != 2) || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("loadTraps of\n%s= %v, %v; want %q", lines, traps, err, want)
		}
	}
}
