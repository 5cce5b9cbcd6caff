package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/testutil"
	"trawl/trajectory/store"
)

// entailments are one of each kind.
func entailments() []store.Entailment {
	base := store.Entailment{QuestionID: "q", Judge: "m", Model: "sha256:a", Shown: "sha256:e"}
	p, claims, point := base, base, base
	p.Kind, p.Text, p.P = store.Entails, "Barrow was founded in 1782 [7].", ptr(0)
	claims.Kind, claims.Claims = store.Claims, []string{"Barrow is a town.", "It was founded in 1782."}
	point.Kind, point.Text, point.Stance = store.Keypoint, "Barrow was founded in 1782.", "omit"
	return []store.Entailment{p, claims, point}
}

func addEntailments(t *testing.T, dir string, all ...store.Entailment) {
	t.Helper()
	s, err := store.OpenEntailments(dir)
	check(t, err)
	for _, v := range all {
		check(t, s.Add(v))
	}
	check(t, s.Close())
}

// What was said is found by kind, model, question, text and what was shown, and by
// nothing else.
func TestEntailments(t *testing.T) {
	dir := made(t, done(key("q", 0), "x"))
	all := entailments()
	none := all[1]
	none.Shown, none.Claims = "sha256:none", []string{}
	addEntailments(t, dir, append(all, none, all[0])...)
	s, err := store.OpenEntailments(dir)
	check(t, err)
	if s.Counts().Parsed != 4 {
		t.Errorf("counts %+v, want 4 lines: what is the same is written once", s.Counts())
	}
	for _, want := range append(all, none) {
		want.V = store.EntailmentVersion
		asked := store.Entailment{Kind: want.Kind, QuestionID: want.QuestionID, Model: want.Model, Text: want.Text, Shown: want.Shown}
		got, ok := s.Find(asked)
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("found: %v, entailment (-want +got):\n%s", ok, diff)
		}
		for name, change := range map[string]func(*store.Entailment){
			"kind": func(v *store.Entailment) { v.Kind = "other" }, "model": func(v *store.Entailment) { v.Model = "sha256:b" },
			"text": func(v *store.Entailment) { v.Text += "." }, "question": func(v *store.Entailment) { v.QuestionID = "another" },
			"shown": func(v *store.Entailment) { v.Shown += "f" },
		} {
			other := asked
			change(&other)
			if _, ok := s.Find(other); ok {
				t.Errorf("%s is found with another %s", want.Kind, name)
			}
		}
	}
	check(t, s.Close())
	file, err := os.ReadFile(filepath.Join(dir, "entailments.jsonl"))
	check(t, err)
	testutil.Golden(t, "entailments.jsonl", string(file))
}

// A torn last line is cut off, wherever it was torn, and what it said is said again.
func TestTornEntailments(t *testing.T) {
	dir := made(t)
	all := entailments()
	addEntailments(t, dir, all...)
	path := filepath.Join(dir, "entailments.jsonl")
	whole, err := os.ReadFile(path)
	check(t, err)
	for size := strings.LastIndexByte(strings.TrimSpace(string(whole)), '\n') + 1; size < len(whole); size++ {
		check(t, os.WriteFile(path, whole[:size], 0o644))
		addEntailments(t, dir, all...)
		got, err := os.ReadFile(path)
		check(t, err)
		if string(got) != string(whole) {
			t.Fatalf("torn at %d: the file is now\n%s", size, got)
		}
	}
}

// A line that says nothing of its kind is none, in memory and in a file.
func TestEntailmentsErrors(t *testing.T) {
	dir := made(t)
	path := filepath.Join(dir, "entailments.jsonl")
	check(t, os.WriteFile(path, []byte(`{"v":1,"kind":"entails","question_id":"q","model":"m","shown":"s","text":"c"}`+"\n"), 0o600))
	s, err := store.OpenEntailments(dir)
	check(t, err)
	if c := s.Counts(); len(c.Dropped) != 1 || c.Dropped[0].Line != 1 || !strings.Contains(c.Dropped[0].Error(), `entailments.jsonl:1: an entailment of the kind "entails" on "c" that says nothing`) {
		t.Errorf("counts %+v", c)
	}
	for want, change := range map[string]func(*store.Entailment){
		"says nothing of the kind":    func(v *store.Entailment) { v.P = ptr(1.5) },
		`of the kind "claims"`:        func(v *store.Entailment) { v.Kind = store.Claims },
		`of the kind "keypoint"`:      func(v *store.Entailment) { v.Kind, v.Stance = store.Keypoint, "maybe" },
		"the hash of its model":       func(v *store.Entailment) { v.Model = "" },
		"of what it was held against": func(v *store.Entailment) { v.Shown = "" },
		"without its question":        func(v *store.Entailment) { v.QuestionID = "" },
	} {
		v := entailments()[0]
		change(&v)
		if err := s.Add(v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if _, err := store.OpenEntailments(dir); err == nil || !strings.Contains(err.Error(), "is being written by process") {
		t.Errorf("opened twice: error %v", err)
	}
	check(t, s.Close())
}
