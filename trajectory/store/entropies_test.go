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

// entropy is that of a turn of question q, of three actions of four.
func entropy(model string, turn int) store.Entropy {
	return store.Entropy{
		EntropyKey: store.EntropyKey{Model: model, Prompt: "sha256:p", QuestionID: "q", Round: 1, Rollout: 2, Turn: turn},
		Resampled:  4, Unreadable: 1, Entropy: ptr(0.5), Actions: []store.Drawn{{Action: "search a b", Count: 2}, {Action: "answer <1>", Count: 1}},
	}
}

// addEntropies opens the entropies of dir, adds some and closes them.
func addEntropies(t *testing.T, dir string, all ...store.Entropy) {
	t.Helper()
	s, err := store.OpenEntropies(dir)
	check(t, err)
	for _, e := range all {
		check(t, s.Add(e))
	}
	check(t, s.Close())
}

// An entropy is written once; another of its key takes its place.
func TestEntropies(t *testing.T) {
	dir := made(t, done(key("q", 0), "x"))
	none := entropy("sha256:b", 3)
	none.Entropy, none.Actions, none.Unreadable, none.Reason = nil, nil, 0, "the prompt does not fit"
	again := entropy("sha256:a", 3)
	again.Entropy = ptr(0.25)
	addEntropies(t, dir, entropy("sha256:a", 3), entropy("sha256:a", 3), none, again)
	s, err := store.OpenEntropies(dir)
	check(t, err)
	again.V, none.V = store.EntropyVersion, store.EntropyVersion
	for _, want := range []store.Entropy{again, none} {
		got, ok := s.Find(want.EntropyKey)
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("found: %v, entropy (-want +got):\n%s", ok, diff)
		}
	}
	other := again.EntropyKey
	other.Prompt = "sha256:other"
	if _, ok := s.Find(other); ok {
		t.Error("the entropy at another prompt is found")
	}
	if s.Counts().Parsed != 3 {
		t.Errorf("counts %+v", s.Counts())
	}
	check(t, s.Close())
	got, _, err := store.ReadEntropies(dir)
	check(t, err)
	if diff := cmp.Diff([]store.Entropy{again, none}, got); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	file, err := os.ReadFile(filepath.Join(dir, "entropies.jsonl"))
	check(t, err)
	testutil.Golden(t, "entropies.jsonl", string(file))
}

// A torn last line is cut off, wherever it was torn, and written again.
func TestTornEntropies(t *testing.T) {
	dir := made(t)
	all := []store.Entropy{entropy("sha256:a", 1), entropy("sha256:a", 2)}
	addEntropies(t, dir, all...)
	path := filepath.Join(dir, "entropies.jsonl")
	whole, err := os.ReadFile(path)
	check(t, err)
	for size := strings.IndexByte(string(whole), '\n') + 1; size < len(whole); size++ {
		check(t, os.WriteFile(path, whole[:size], 0o644))
		addEntropies(t, dir, all...)
		got, err := os.ReadFile(path)
		check(t, err)
		if string(got) != string(whole) {
			t.Fatalf("torn at %d: the file is now\n%s", size, got)
		}
	}
}

func TestEntropiesErrors(t *testing.T) {
	dir := made(t)
	s, err := store.OpenEntropies(dir)
	check(t, err)
	if _, err := store.OpenEntropies(dir); err == nil || !strings.Contains(err.Error(), "is being written by process") {
		t.Errorf("opened twice: error %v", err)
	}
	for want, spoil := range map[string]func(*store.Entropy){
		`of question ""`:           func(e *store.Entropy) { e.QuestionID = "" },
		"turn 0":                   func(e *store.Entropy) { e.Turn = 0 },
		"is -1, want 0 or more":    func(e *store.Entropy) { e.Entropy = ptr(-1) },
		"is NaN, want 0 or more":   func(e *store.Entropy) { e.Entropy = ptr(nan()) },
		"an action drawn 0 times":  func(e *store.Entropy) { e.Actions[0].Count = 0 },
		"is of 4 actions":          func(e *store.Entropy) { e.Actions[0].Count = 3 },
		"is of 1 actions":          func(e *store.Entropy) { e.Actions = e.Actions[1:] },
		"and 9 unreadable replies": func(e *store.Entropy) { e.Unreadable = 9 },
	} {
		e := entropy("sha256:a", 1)
		spoil(&e)
		if err := s.Add(e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	check(t, s.Close())
	if _, err := store.OpenEntropies(t.TempDir()); !errors.Is(err, store.ErrNoRun) {
		t.Errorf("no run: error %v", err)
	}
	check(t, os.WriteFile(filepath.Join(dir, "entropies.jsonl"), []byte("{\"v\":1}\n{\"v\":2,\"question_id\":\"q\"}\nnonsense\n"), 0o600))
	got, counts, err := store.ReadEntropies(dir)
	check(t, err)
	if len(got) != 0 || len(counts.Dropped) != 3 {
		t.Errorf("read %v, dropped %v", got, counts.Dropped)
	}
}
