package store_test

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/testutil"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// finished is a run of these rollouts.
func finished(rollouts ...*trajectory.Trajectory) store.Finished {
	return store.Finished{Manifest: manifest(), Rollouts: each(nil, rollouts...)}
}

// each yields the rollouts and then, if there is one, an error.
func each(end error, rollouts ...*trajectory.Trajectory) iter.Seq2[*trajectory.Trajectory, error] {
	return func(yield func(*trajectory.Trajectory, error) bool) {
		for _, r := range rollouts {
			if !yield(r, nil) {
				return
			}
		}
		if end != nil {
			yield(nil, end)
		}
	}
}

// made makes a run folder.
func made(t *testing.T, rollouts ...*trajectory.Trajectory) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	_, err := store.Create(dir, finished(rollouts...))
	check(t, err)
	return dir
}

func TestReader(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	second := done(key("b", 0), "two")
	second.Round = 2
	for _, line := range []*trajectory.Trajectory{ // as they were done
		failed(key("b", 1), "first try"), done(key("a", 0), "x"), second, done(key("b", 0), "one"), done(key("b", 1), "later"), failed(key("a", 1), "lost"),
	} {
		check(t, s.Append(line))
	}
	check(t, s.Close())
	r, err := store.OpenReader(dir)
	check(t, err)
	if got := r.Questions(); !cmp.Equal(got, []string{"a", "b"}) || r.Round() != 2 || r.Counts().Parsed != 6 || r.Manifest().Seed != 42 {
		t.Errorf("questions %q, round %d, %+v", got, r.Round(), r.Counts())
	}
	for id, want := range map[string][]string{"a": {"1 0 x", "1 1 lost"}, "b": {"1 0 one", "1 1 later", "2 0 two"}, "c": nil} {
		rollouts, err := r.Rollouts(id)
		check(t, err)
		var got []string
		for _, l := range rollouts {
			got = append(got, fmt.Sprint(l.Round, " ", l.Rollout, " ", l.Answer+l.Error))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("rollouts of %s (-want +got):\n%s", id, diff)
		}
	}
	check(t, r.Close())
}

func decision(question string, chosen int) store.Decision {
	return store.Decision{QuestionID: question, Round: 1, Selector: "majority", Rollouts: []int{0, 2}, Rollout: chosen, Answer: "Paris", Scores: []float64{.5, 1}}
}

func add(t *testing.T, dir string, decisions ...store.Decision) (written int) {
	t.Helper()
	s, err := store.OpenSelections(dir)
	check(t, err)
	for _, d := range decisions {
		is, err := s.Add(d)
		check(t, err)
		if is {
			written++
		}
	}
	check(t, s.Close())
	return written
}

// A decision is written once; another of the same selector on the same rollouts
// takes its place; on other rollouts it is another decision.
func TestSelections(t *testing.T) {
	dir := made(t, done(key("q", 0), "x"))
	empty := store.Decision{QuestionID: "p", Round: 1, Selector: "first", Rollout: -1}
	other := decision("q", 2)
	other.Rollouts = []int{0, 1, 2}
	other.Scores = nil
	if n := add(t, dir, decision("q", 0), empty, decision("q", 0)); n != 2 {
		t.Errorf("%d decisions were written, want 2", n)
	}
	if n := add(t, dir, empty, decision("q", 0)); n != 0 {
		t.Errorf("%d decisions were written again", n)
	}
	if n := add(t, dir, decision("q", 2), other, decision("q", 2)); n != 2 {
		t.Errorf("%d decisions were written, want 2", n)
	}
	written := costly("q")
	if n := add(t, dir, written); n != 1 {
		t.Errorf("%d decisions were written, want 1", n)
	}
	got, counts, err := store.ReadSelections(dir)
	check(t, err)
	want := []store.Decision{empty, other, decision("q", 2), written}
	for i := range want {
		want[i].V = store.DecisionVersion
	}
	want[0].Rollouts, want[0].Scores, want[1].Scores, want[3].Scores = []int{}, []float64{}, []float64{}, []float64{}
	if diff := cmp.Diff(want, got); diff != "" || counts.Lines != 5 {
		t.Errorf("%d lines, decisions (-want +got):\n%s", counts.Lines, diff)
	}
	file, err := os.ReadFile(filepath.Join(dir, "selections.jsonl"))
	check(t, err)
	testutil.Golden(t, "selections.jsonl", string(file))
}

// A torn last line is cut off, wherever it was torn, and the decision made again.
func TestTornSelections(t *testing.T) {
	dir := made(t)
	add(t, dir, decision("p", 0), costly("q"))
	path := filepath.Join(dir, "selections.jsonl")
	whole, err := os.ReadFile(path)
	check(t, err)
	first := strings.IndexByte(string(whole), '\n') + 1
	for size := first; size < len(whole); size++ {
		check(t, os.WriteFile(path, whole[:size], 0o644))
		wantWritten := 1
		if size == len(whole)-1 { // all but the end of the line is there
			wantWritten = 0
		}
		s, err := store.OpenSelections(dir)
		check(t, err)
		_, first := s.Find("p", 1, "majority", "", []int{0, 2})
		if _, ok := s.Find("q", 1, "solagg", "", []int{0, 2}); !first || ok != (wantWritten == 0) {
			t.Errorf("torn at %d of %d: the decisions are found: %v, %v", size, len(whole), first, ok)
		}
		check(t, s.Close())
		if n := add(t, dir, decision("p", 0), costly("q")); n != wantWritten {
			t.Errorf("torn at %d of %d: %d decisions were written, want %d", size, len(whole), n, wantWritten)
		}
		got, err := os.ReadFile(path)
		check(t, err)
		if string(got) != string(whole) {
			t.Fatalf("torn at %d: the file is now\n%s", size, got)
		}
	}
}

func TestSelectionsErrors(t *testing.T) {
	dir := made(t)
	s, err := store.OpenSelections(dir)
	check(t, err)
	if _, err := store.OpenSelections(dir); err == nil || !strings.Contains(err.Error(), "is being written by process") {
		t.Errorf("opened twice: error %v", err)
	}
	bad := map[string]func(*store.Decision){
		"a decision of selector \"\"":   func(d *store.Decision) { d.Selector = "" },
		"in round 0":                    func(d *store.Decision) { d.Round = 0 },
		"3 scores of 2 rollouts":        func(d *store.Decision) { d.Scores = []float64{1, 2, 3} },
		"rollout 1 is chosen of [0 2]":  func(d *store.Decision) { d.Rollout = 1 },
		"rollouts [2 0] do not rise":    func(d *store.Decision) { d.Rollouts = []int{2, 0} },
		"json: unsupported value: NaN":  func(d *store.Decision) { d.Scores[0] = nan() },
		"question \"\" in round 1":      func(d *store.Decision) { d.QuestionID = "" },
		"rollout -2 is chosen of [0 2]": func(d *store.Decision) { d.Rollout = -2 },
	}
	for want, spoil := range bad {
		d := decision("q", 0)
		spoil(&d)
		if _, err := s.Add(d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	check(t, s.Close())
	if _, err := store.OpenSelections(t.TempDir()); !errors.Is(err, store.ErrNoRun) {
		t.Errorf("no run: error %v", err)
	}
	if got, _, err := store.ReadSelections(dir); len(got) != 0 || err != nil {
		t.Errorf("refused decisions were kept: %v, error %v", got, err)
	}
}

func nan() float64 { zero := 0.0; return zero / zero }

func TestCreate(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "deep", "run")
	f := finished(done(key("q", 0), "Paris"), done(key("q", 1), "Lyon"), failed(key("p", 0), "gone"))
	f.Verdicts = []store.Verdict{{QuestionID: "q", Answer: "Paris", Correct: true, Judge: "j"}, {QuestionID: "q", Answer: "Lyon", Judge: "j"}}
	f.Files = map[string][]byte{"questions.jsonl": []byte("{}\n")}
	is, err := store.Create(dir, f)
	check(t, err)
	if !is {
		t.Error("the run was there before it was made")
	}
	files := testutil.Files(t, dir)
	if files["questions.jsonl"] != "{}\n" || strings.Count(files["rollouts.jsonl"], "\n") != 3 {
		t.Errorf("files %q", files)
	}
	run, err := store.Read(dir)
	check(t, err)
	if len(run.Trajectories) != 2 || len(run.Failed) != 1 {
		t.Errorf("%d rollouts, %d failed", len(run.Trajectories), len(run.Failed))
	}
	verdicts, counts, err := store.ReadVerdicts(dir)
	check(t, err)
	if len(verdicts) != 2 || !verdicts[0].Correct || verdicts[1].Correct || counts.Parsed != 2 {
		t.Errorf("verdicts %+v", verdicts)
	}
	testutil.Golden(t, "verdicts.jsonl", files["verdicts.jsonl"])

	// The same again leaves it as it is; so does a refusal.
	is, err = store.Create(dir, finished())
	check(t, err)
	other := finished()
	other.Manifest.Seed = 5
	_, refused := store.Create(dir, other)
	if is || !errors.Is(refused, store.ErrOtherRun) || !strings.Contains(refused.Error(), "run.seed was 42, is now 5") {
		t.Errorf("made again: %v; another run: error %v", is, refused)
	}
	if diff := cmp.Diff(files, testutil.Files(t, dir)); diff != "" {
		t.Errorf("the folder was changed (-before +after):\n%s", diff)
	}
	if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) != 1 {
		t.Errorf("something was left beside the run: %v, error %v", entries, err)
	}
}

// What cannot be made whole is not made at all.
func TestCreateFails(t *testing.T) {
	lost := errors.New("line 3 is no rollout")
	foreign := done(key("q", 0), "x")
	foreign.Config = "sha256:other"
	tests := map[string]store.Finished{
		lost.Error():             {Manifest: manifest(), Rollouts: each(lost, done(key("q", 0), "x"))},
		"has config":             finished(foreign),
		"question_id is empty":   finished(done(key("", 0), "x")),
		"are not a JSON object":  {Manifest: store.Manifest{Fixed: []byte(`[1]`)}, Rollouts: each(nil)},
		"fixed settings hash to": {Manifest: store.Manifest{Config: "sha256:0"}, Rollouts: each(nil)},
	}
	for want, f := range tests {
		t.Run(want, func(t *testing.T) {
			parent := t.TempDir()
			if _, err := store.Create(filepath.Join(parent, "run"), f); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %s", err, want)
			}
			if files := testutil.Files(t, parent); len(files) > 0 {
				t.Errorf("files were left: %v", files)
			}
		})
	}
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "thesis.txt"), []byte("x"), 0o644))
	if _, err := store.Create(dir, finished()); !errors.Is(err, store.ErrNoRun) {
		t.Errorf("a folder of something else: error %v", err)
	}
}

func TestReadVerdicts(t *testing.T) {
	dir := made(t)
	if got, _, err := store.ReadVerdicts(dir); len(got) != 0 || err != nil {
		t.Errorf("no verdicts: %v, error %v", got, err)
	}
	lines := `{"v":1,"question_id":"q","answer":"a","correct":false,"judge":"j"}
{"v":1,"question_id":"q","answer":"b","correct":true,"judge":"j"}
{"v":2,"question_id":"q"}
nonsense
{"v":1,"question_id":"q","answer":"a","correct":true,"judge":"k"}
{"v":1,"ques`
	check(t, os.WriteFile(filepath.Join(dir, "verdicts.jsonl"), []byte(lines), 0o644))
	got, counts, err := store.ReadVerdicts(dir)
	check(t, err)
	want := []store.Verdict{{V: 1, QuestionID: "q", Answer: "a", Correct: true, Judge: "k"}, {V: 1, QuestionID: "q", Answer: "b", Correct: true, Judge: "j"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
	if counts.Lines != 5 || len(counts.Dropped) != 2 || counts.Dropped[0].Line != 3 || counts.Torn == 0 {
		t.Errorf("counts %+v", counts)
	}
}
