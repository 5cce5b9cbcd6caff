package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/corpus/dataset"
	"trawl/eval/utility"
	"trawl/internal/testutil"
	"trawl/trajectory"
)

// Six rounds are right more often than one, and search again for answers that they had,
// so that pass@1 ranks them first and utility one round, be it over all rollouts or over
// the correct ones. The model is the simulated one: this says that the figures can tell
// such settings apart, and nothing about any model.
func TestUtilityRanksOtherwise(t *testing.T) {
	withoutRaceDetector(t)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	capture(t, "weave", "--out", at("world"), "--seed", "7", "--entities", "400", "--questions", "60")
	capture(t, "index", at("world/corpus.jsonl"), "--out", at("idx"), "--quiet")
	rounds := func(n string) *utility.Report {
		capture(t, "run", "--dataset", "woven:"+at("world/questions.jsonl"), "--index", at("idx"), "--endpoint", "sim",
			"--first-query", "standard", "--turns", "6", "--rounds", n, "--out", at("run"+n), "--quiet")
		return evaluatedRun(t, at("run"+n))
	}
	one, six := rounds("1"), rounds("6")
	figures := func(r *utility.Report) []float64 {
		return []float64{r.PassAt1.Mean, r.UAll.Mean, r.UCorrect.Mean, r.E.Mean, r.C.Mean, r.Actions.Mean}
	}
	a, b := figures(one), figures(six)
	t.Logf("pass@1, U_all, U_correct, E, C, calls of one round %.3f, of six %.3f", a, b)
	if a[0] >= b[0] {
		t.Errorf("pass@1 of one round %.3f and of six %.3f, want six to be better", a[0], b[0])
	}
	for i, name := range []string{"U_all", "U_correct", "E"} {
		if a[i+1] <= b[i+1] {
			t.Errorf("%s of one round %.3f and of six %.3f, want one to be better", name, a[i+1], b[i+1])
		}
	}
	for _, r := range []*utility.Report{one, six} {
		if r.UAll.Mean > r.UCorrect.Mean || r.UAll.Mean > r.PassAt1.Mean || !r.Simulated {
			t.Errorf("U_all %.3f, U_correct %.3f, pass@1 %.3f, simulated %t", r.UAll.Mean, r.UCorrect.Mean, r.PassAt1.Mean, r.Simulated)
		}
	}
	// A rollout that explains it: right in both, by as good claims, and five searches of
	// the later rounds show what the first one did.
	find := func(r *utility.Report) *utility.RolloutDetail {
		for i := range r.Details {
			if r.Details[i].ID == "woven_2" {
				return &r.Details[i].Rollouts[0]
			}
		}
		t.Fatal("woven_2 is not evaluated")
		return nil
	}
	short, long := find(one), find(six)
	for _, d := range []*utility.RolloutDetail{short, long} {
		t.Logf("woven_2, rollout 0: %q, %d calls, g %.2f, J %.2f, E %.3f, C %.3f, U %.3f", d.Answer, d.Actions, d.Gains, *d.Cost, *d.E, *d.C, *d.U)
	}
	if !*short.Correct || !*long.Correct || long.Actions != short.Actions+5 || *long.C != *short.C || *long.E >= *short.E/2 || *long.U >= *short.U/2 {
		t.Errorf("the rollouts of woven_2 do not explain it: %+v and %+v", short, long)
	}
}

// Rollouts of another program on real questions, with neither references nor traps:
// pass@1 is that of their authors' records, and what cannot be measured says so.
func TestEvaluateImported(t *testing.T) {
	withoutRaceDetector(t)
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

// A trap that stands twice would count twice, and one whose false answer is right would
// have who is right walk into it.
func TestLoadTraps(t *testing.T) {
	const trap = `{"question_id":"q","doc_id":"7","false_claim":"It is Lyon.","false_answer":"Lyon"}` + "\n"
	path := filepath.Join(t.TempDir(), "traps.jsonl")
	examples := map[string]dataset.Example{"q": {Question: trajectory.Question{ID: "q"}, Golds: []string{"Paris", "the city of Paris"}}}
	for lines, want := range map[string]string{
		trap + trap: path + ":2: the trap 7 of question q stands twice",
		trap + `{"question_id":"q","doc_id":"8","false_claim":"It is Rome."}` + "\n":                      "",
		trap + `{"question_id":"q","doc_id":"8","false_claim":"x","false_answer":"City of PARIS"}` + "\n": path + `:2: the false answer "City of PARIS" of the trap 8 is a gold answer of question q: take the line out, or mend it`,
		trap + `{"question_id":"other","doc_id":"8","false_claim":"x","false_answer":"Paris"}` + "\n":     "",
		`{"question_id":"other","doc_id":"8","false_claim":"x","false_answer":"Paris"}` + "\n":            path + ": none of its questions is of the run",
	} {
		if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		traps, err := loadTraps(path, examples)
		if want == "" && (err != nil || len(traps["q"]) == 0) || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("loadTraps of\n%s= %v, %v; want %q", lines, traps, err, want)
		}
	}
}

// An oracle is refused where one of its steps says nothing, by file, line and step.
func TestLoadOracle(t *testing.T) {
	const step = `{"action":"open","args":{"url":"https://e.org/1","page":2},"obs_doc_ids":["1"],"subconclusion":"It is Paris."}`
	path := filepath.Join(t.TempDir(), "oracle.jsonl")
	for steps, want := range map[string]string{
		"[" + step + "]":      "",
		"[" + step + ",null]": `:1: q: step 2 of the oracle: no subconclusion`,
		"[{}]":                `:1: q: step 1 of the oracle: no subconclusion`,
		`[{"action":"search","subconclusion":" "}]`: `:1: q: step 1 of the oracle: no subconclusion`,
		"[]":   ":1: q: no steps in oracle",
		"null": ":1: q: no steps in oracle",
	} {
		if err := os.WriteFile(path, []byte(`{"id":"q","oracle":`+steps+"}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		oracles, err := loadOracle(path, map[string]bool{"q": true})
		if want == "" && (err != nil || len(oracles["q"]) != 1 || oracles["q"][0].Args["url"] != "https://e.org/1") || want != "" && (err == nil || err.Error() != path+want) {
			t.Errorf("loadOracle of %s = %v, %v; want %q", steps, oracles, err, want)
		}
	}
}

// What trawl scaffold measured stands in the table; a report of it that cannot be read is
// an error.
func TestEvaluateScaffolded(t *testing.T) {
	dir := stored(t, 2, 1)
	if table := capture(t, "evaluate", dir, "--quiet"); !strings.Contains(table, "lacking     lambda_min: it needs new rollouts that begin with hints, which trawl scaffold RUN makes") {
		t.Errorf("the table says\n%s", table)
	}
	path := filepath.Join(dir, "scaffold", reportFile)
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(s string) {
		if err := os.WriteFile(path, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"lambda_min":{"mean":0.35,"ci95":[0.3,0.4],"n":2}}`)
	if table := capture(t, "evaluate", dir, "--quiet"); !strings.Contains(table, "λ_min, hints needed   0.350         0.300–0.400    2\n") || strings.Contains(table, "lambda_min") {
		t.Errorf("the table says\n%s", table)
	}
	write(`{"lambda_min":`)
	if said := fails(t, exitFailed, os.LookupEnv, "evaluate", dir, "--quiet"); !strings.Contains(said, path+": ") {
		t.Errorf("stderr %q", said)
	}
}

// Two rounds, the first of which takes as many turns as the longest: its last turn and the
// first of the second are apart.
func TestRoundsApart(t *testing.T) {
	made := func(round int, turns ...int) *trajectory.Trajectory {
		out := &trajectory.Trajectory{QuestionID: "q", Round: round}
		for _, n := range turns {
			out.Steps = append(out.Steps, trajectory.Step{Turn: n})
		}
		return out
	}
	lines := []*trajectory.Trajectory{made(1, 1, 2, 2, 3), made(2, 1, 2), made(3, 1)}
	var got []int
	for _, s := range apart(lines[2:], lines)[0].Steps {
		got = append(got, s.Turn)
	}
	if diff := cmp.Diff([]int{1, 2, 2, 3, 5, 6, 9}, got); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{1, 2, 2, 3}, func() (n []int) {
		for _, s := range lines[0].Steps {
			n = append(n, s.Turn)
		}
		return n
	}()); diff != "" {
		t.Errorf("the line itself is changed (-want +got):\n%s", diff)
	}
}
