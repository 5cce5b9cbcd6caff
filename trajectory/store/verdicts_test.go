package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/testutil"
	"trawl/trajectory/store"
)

// verdict is a judge's on an answer to question q.
func verdict(model, answer string, correct bool) store.Verdict {
	return store.Verdict{QuestionID: "q", Answer: answer, Correct: correct, Judge: "browsecomp by m", Model: model, Golds: "sha256:g"}
}

// addVerdicts opens the verdicts of dir, adds some and says how many were written.
func addVerdicts(t *testing.T, dir string, verdicts ...store.Verdict) (written int) {
	t.Helper()
	s, err := store.OpenVerdicts(dir)
	check(t, err)
	for _, v := range verdicts {
		is, err := s.Add(v)
		check(t, err)
		if is {
			written++
		}
	}
	check(t, s.Close())
	return written
}

// A verdict is written once; another of the same judge on the same answer takes its
// place; one of another judge, or on another answer, stands beside it.
func TestVerdicts(t *testing.T) {
	dir := made(t, done(key("q", 0), "x"))
	half := .5
	unscored := store.Verdict{QuestionID: "q", Answer: "Rome", Judge: "browsecomp by m", Model: "sha256:a", Golds: "sha256:g", Unscored: true, Reason: "the judge's reply is empty"}
	full := verdict("sha256:a", "Paris", true)
	full.Confidence, full.Extracted, full.Except = &half, "Paris", []int{0, 3}
	if n := addVerdicts(t, dir, verdict("sha256:a", "Paris", false), full, full, verdict("sha256:b", "Paris", false), unscored); n != 4 {
		t.Errorf("%d verdicts were written, want 4", n)
	}
	s, err := store.OpenVerdicts(dir)
	check(t, err)
	full.V, unscored.V = store.VerdictVersion, store.VerdictVersion
	for _, want := range []store.Verdict{full, unscored} {
		got, ok := s.Find("sha256:a", "q", want.Answer)
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("found: %v, verdict (-want +got):\n%s", ok, diff)
		}
	}
	if _, ok := s.Find("sha256:c", "q", "Paris"); ok {
		t.Error("a judge that said nothing is found")
	}
	if s.Counts().Parsed != 4 {
		t.Errorf("counts %+v", s.Counts())
	}
	check(t, s.Close())
	got, _, err := store.ReadVerdicts(dir)
	check(t, err)
	other := verdict("sha256:b", "Paris", false)
	other.V = store.VerdictVersion
	if diff := cmp.Diff([]store.Verdict{full, other}, got); diff != "" {
		t.Errorf("those that say right or wrong (-want +got):\n%s", diff)
	}
	file, err := os.ReadFile(filepath.Join(dir, "verdicts.jsonl"))
	check(t, err)
	testutil.Golden(t, "judged.jsonl", string(file))
}

// Lines of the form before judges had an identity are read, found under the empty
// one, and written to behind.
func TestVerdictsOfImports(t *testing.T) {
	dir := made(t)
	old, err := os.ReadFile(filepath.Join("testdata", "verdicts.jsonl"))
	check(t, err)
	path := filepath.Join(dir, "verdicts.jsonl")
	check(t, os.WriteFile(path, old, 0o644))
	s, err := store.OpenVerdicts(dir)
	check(t, err)
	if v, ok := s.Find("", "q", "Paris"); !ok || !v.Correct || v.Judge != "j" {
		t.Errorf("found: %v, %+v", ok, v)
	}
	check(t, s.Close())
	addVerdicts(t, dir, verdict("sha256:a", "Paris", false))
	now, err := os.ReadFile(path)
	check(t, err)
	if !strings.HasPrefix(string(now), string(old)) || strings.Count(string(now), "\n") != 3 {
		t.Errorf("the file is now\n%s", now)
	}
}

// A torn last line is cut off, wherever it was torn, and the verdict given again.
func TestTornVerdicts(t *testing.T) {
	dir := made(t)
	all := []store.Verdict{verdict("sha256:a", "Paris", true), verdict("sha256:a", "Rome", false)}
	addVerdicts(t, dir, all...)
	path := filepath.Join(dir, "verdicts.jsonl")
	whole, err := os.ReadFile(path)
	check(t, err)
	for size := strings.IndexByte(string(whole), '\n') + 1; size < len(whole); size++ {
		check(t, os.WriteFile(path, whole[:size], 0o644))
		want := 1
		if size == len(whole)-1 { // all but the end of the line is there
			want = 0
		}
		if n := addVerdicts(t, dir, all...); n != want {
			t.Errorf("torn at %d of %d: %d verdicts were written, want %d", size, len(whole), n, want)
		}
		got, err := os.ReadFile(path)
		check(t, err)
		if string(got) != string(whole) {
			t.Fatalf("torn at %d: the file is now\n%s", size, got)
		}
	}
}

func TestVerdictsErrors(t *testing.T) {
	dir := made(t)
	s, err := store.OpenVerdicts(dir)
	check(t, err)
	if _, err := store.OpenVerdicts(dir); err == nil || !strings.Contains(err.Error(), "is being written by process") {
		t.Errorf("opened twice: error %v", err)
	}
	two := 2.0
	for want, v := range map[string]store.Verdict{
		`on question ""`:                  {Answer: "a"},
		"both correct and unscored":       {QuestionID: "q", Correct: true, Unscored: true},
		"excepts rollouts [2 1], which":   {QuestionID: "q", Except: []int{2, 1}},
		"has confidence 2, want 0 to 1":   {QuestionID: "q", Confidence: &two},
		"has confidence NaN, want 0 to 1": {QuestionID: "q", Confidence: ptr(nan())},
	} {
		if _, err := s.Add(v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	check(t, s.Close())
	if _, err := store.OpenVerdicts(t.TempDir()); !errors.Is(err, store.ErrNoRun) {
		t.Errorf("no run: error %v", err)
	}
}

func ptr(f float64) *float64 { return &f }

// A line that rules neither way is no verdict: it would count as wrong.
func TestVerdictWithoutRuling(t *testing.T) {
	dir := made(t)
	lines := `{"v":1,"question_id":"q","answer":"a","judge":"j"}` + "\n" +
		`{"v":1,"question_id":"q","answer":"b","judge":"j","correct":null}` + "\n" +
		`{"v":1,"question_id":"q","answer":"c","judge":"j","correct":false}` + "\n" +
		`{"v":1,"question_id":"q","answer":"d","judge":"j","unscored":true}` + "\n"
	check(t, os.WriteFile(filepath.Join(dir, "verdicts.jsonl"), []byte(lines), 0o600))
	got, counts, err := store.ReadVerdicts(dir)
	check(t, err)
	if len(got) != 1 || got[0].Answer != "c" || len(counts.Dropped) != 2 || counts.Dropped[0].Line != 1 || counts.Dropped[1].Line != 2 {
		t.Errorf("read %+v, dropped %v; want the verdict on c, without lines 1 and 2", got, counts.Dropped)
	}
}
