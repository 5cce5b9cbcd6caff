package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"trawl/eval"
	"trawl/internal/testutil"
)

// TestRealQuestions runs the simulated model over 601 real questions and their
// 11,951 real paragraphs. The floors of recall are those of the first version;
// the figures of the model are asserted only to move the way that they must, as
// no accuracy of it is a finding.
func TestRealQuestions(t *testing.T) {
	withoutRaceDetector(t)
	corpus := testutil.Shared(t, "multihop_601/corpus.jsonl")
	questions := "flashrag:" + testutil.Shared(t, "multihop_601/questions.jsonl")
	dir := t.TempDir()
	index := filepath.Join(dir, "idx")
	capture(t, "index", corpus, "--out", index, "--quiet")
	reports := map[string]*eval.Report{}
	for _, method := range []string{"divinit", "standard"} {
		out := filepath.Join(dir, method)
		capture(t, "run", "--dataset", questions, "--index", index, "--endpoint", "sim", "-k", "4", "--first-query", method, "--out", out, "--quiet")
		r := new(eval.Report)
		if err := json.Unmarshal([]byte(capture(t, "score", out, "--json")), r); err != nil {
			t.Fatal(err)
		}
		if r.Complete != 2404 || r.Failed+r.Missing+r.Unscored != 0 || !r.Simulated {
			t.Errorf("%s: %d complete, %d failed, %d missing, %d unscored, simulated %t; want 2404 complete", method, r.Complete, r.Failed, r.Missing, r.Unscored, r.Simulated)
		}
		if r.EM.Mean < 0.1 || r.EM.Mean > r.F1.Mean || r.PassAt[4].Mean < r.PassAt[1].Mean+0.02 {
			t.Errorf("%s: EM %.3f, F1 %.3f, pass@1 %.3f, pass@4 %.3f", method, r.EM.Mean, r.F1.Mean, r.PassAt[1].Mean, r.PassAt[4].Mean)
		}
		reports[method] = r
	}
	for source, floor := range map[string]float64{"hotpotqa": .85, "musique": .58, "2wikimultihopqa": .70} {
		if got := reports["standard"].BySource[source].Retrieval.RecallAt[10]; got < floor {
			t.Errorf("standard sampling: recall@10 of %s is %.3f, want %.2f", source, got, floor)
		}
		if got := reports["divinit"].BySource[source].Retrieval.RecallPooledAt[10]; got < floor {
			t.Errorf("DivInit: recall@10 of %s by all rollouts is %.3f, want %.2f", source, got, floor)
		}
	}
	div, std := reports["divinit"].Diversity, reports["standard"].Diversity
	if *div.QPD < 0.75 || *std.QPD > 0.3 || *div.Overlap > 0.6**std.Overlap {
		t.Errorf("QPD %.2f against %.2f, document overlap %.2f against %.2f", *div.QPD, *std.QPD, *div.Overlap, *std.Overlap)
	}
}

// withoutRaceDetector skips a test that replays much and shares little under the
// race detector, which makes it seven times as slow; make test runs it without.
func withoutRaceDetector(t *testing.T) {
	t.Helper()
	if raceDetector {
		t.Skip("make test runs this one without the race detector")
	}
}
