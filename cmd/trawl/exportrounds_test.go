package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/eval"
)

// TestExportRounds exports a run of three rounds in every form: what its rollouts
// had come to at the end is written, that earlier rounds and states are not is
// said, and forms that can be read have the same answers again.
func TestExportRounds(t *testing.T) {
	questions, index := world(t, 3)
	run := spiralRun{questions: questions, index: index, endpoint: "sim", mode: "per-thread", rollouts: 2, rounds: 3}.carryOut(t)
	want := scoresOf(t, run)
	for _, form := range []string{"messages", "tongyi", "aggagent", "browsecomp-plus", "parquet", "csv"} {
		out := filepath.Join(t.TempDir(), form)
		var said struct {
			Rollouts int            `json:"rollouts"`
			Round    int            `json:"round"`
			Earlier  int            `json:"earlier_rounds_left_out"`
			Missing  int            `json:"missing"`
			Lost     map[string]int `json:"not_carried_over"`
		}
		if err := json.Unmarshal([]byte(capture(t, "export", run, "--format", form, "--out", out, "--json")), &said); err != nil {
			t.Fatal(err)
		}
		if said.Rollouts != 6 || said.Round != 3 || said.Earlier != 2 || said.Missing != 0 {
			t.Errorf("%s: %d rollouts of round %d, %d rounds left out, %d missing; want 6, 3, 2, 0", form, said.Rollouts, said.Round, said.Earlier, said.Missing)
		}
		if form == "browsecomp-plus" || form == "csv" {
			continue
		}
		again := filepath.Join(t.TempDir(), "again")
		capture(t, "import", form, out, "--out", again)
		if diff := cmp.Diff(want, scoresOf(t, again)); diff != "" {
			t.Errorf("%s: scores (-want +got):\n%s", form, diff)
		}
	}
}

// scoresOf are the figures of a run that its last answers alone make.
func scoresOf(t *testing.T, run string) map[string]float64 {
	t.Helper()
	r := new(eval.Report)
	if err := json.Unmarshal([]byte(capture(t, "score", run, "--json")), r); err != nil {
		t.Fatal(err)
	}
	return map[string]float64{"complete": float64(r.Complete), "failed": float64(r.Failed), "em": r.EM.Mean, "f1": r.F1.Mean, "pass@2": r.PassAt[2].Mean}
}
