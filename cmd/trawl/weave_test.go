package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trawl/corpus/weave"
	"trawl/internal/text"
	"trawl/trajectory/store"
)

// A less able model believes more of the traps that it meets, and some of its
// wrong answers are theirs.
func TestTrapsBySkill(t *testing.T) {
	dir := t.TempDir()
	capture(t, "weave", "--suite", "robustness", "--out", filepath.Join(dir, "world"))
	capture(t, "index", filepath.Join(dir, "world", "corpus.jsonl"), "--out", filepath.Join(dir, "idx"), "--quiet")
	traps := trapsOf(t, filepath.Join(dir, "world", weave.TrapsFile))
	var shares []float64
	for _, skill := range []string{"small", "base", "large"} {
		out := filepath.Join(dir, skill)
		capture(t, "run", "--dataset", "woven:"+filepath.Join(dir, "world", "questions.jsonl"), "--index", filepath.Join(dir, "idx"),
			"--endpoint", "sim", "--model", "sim-"+skill, "-k", "2", "--turns", "12", "--out", out, "--quiet")
		met, fell, answered := falls(t, out, traps)
		t.Logf("%s: %d rollouts met a trap, %d asserted it, %d gave its answer", skill, met, fell, answered)
		if met < 60 || fell == 0 || answered == 0 {
			t.Errorf("%s: %d rollouts met a trap, %d asserted it, %d gave its answer", skill, met, fell, answered)
		}
		shares = append(shares, float64(fell)/float64(met))
	}
	if !slices.IsSortedFunc(shares, func(a, b float64) int { return int(1000 * (b - a)) }) || shares[0] < 1.5*shares[2] {
		t.Errorf("shares of rollouts that assert the trap they met, by skill: %.3f; want fewer with more skill", shares)
	}
}

func trapsOf(t *testing.T, path string) map[string]weave.Trap {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	traps := make(map[string]weave.Trap)
	for line := range bytes.Lines(data) {
		var trap weave.Trap
		if err := json.Unmarshal(line, &trap); err != nil {
			t.Fatal(err)
		}
		traps[trap.Question] = trap
	}
	return traps
}

// falls counts the rollouts of a run that were shown the trap of their question,
// those of them that afterwards searched for its value, said it or answered with
// it, and those that gave its answer.
func falls(t *testing.T, run string, traps map[string]weave.Trap) (met, fell, answered int) {
	t.Helper()
	for tr, err := range store.Scan(run) {
		if err != nil {
			t.Fatal(err)
		}
		trap := traps[tr.QuestionID]
		value := text.Answer(trap.Value)
		seen, said := false, false
		for _, s := range tr.Steps {
			said = said || seen && (strings.Contains(text.Answer(s.Query), value) || strings.Contains(text.Answer(s.Thought), value))
			for _, r := range s.Results {
				seen = seen || r.ID == trap.Doc
			}
		}
		if !seen {
			continue
		}
		met++
		answer := text.Answer(tr.Answer)
		gave := answer == value || trap.Answer != "" && answer == text.Answer(trap.Answer)
		if gave {
			answered++
		}
		if said || gave {
			fell++
		}
	}
	return met, fell, answered
}
