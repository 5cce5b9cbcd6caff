package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/trajectory"
	"trawl/trajectory/store"
)

func state(k trajectory.Key, raw string) trajectory.State {
	st := trajectory.State{
		V: trajectory.StateVersion, QuestionID: k.QuestionID, Round: k.Round, Rollout: k.Rollout, Config: k.Config,
		Facts: []trajectory.Fact{{ID: "E1", Text: "<b> & 東京", Verified: trajectory.Verified}}, Raw: raw, Origin: trajectory.StateModel,
		Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	if k.Rollout == trajectory.MergedRollout {
		st.Origin, st.From = trajectory.StateMerged, []int{0, 1}
	}
	return *st.Explicit()
}

// round returns k in another round.
func round(k trajectory.Key, n int) trajectory.Key {
	k.Round = n
	return k
}

func readStates(t testing.TB, dir string) ([]trajectory.State, store.Counts) {
	t.Helper()
	all, counts, err := store.ReadStates(dir)
	check(t, err)
	return all, counts
}

// TestStates checks that the newest state of each key is found by the writer, by
// the next one and by those who only read.
func TestStates(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	merged := state(key("a", trajectory.MergedRollout), "both")
	want := []trajectory.State{merged, state(key("a", 2), "again"), state(key("a", 10), "ten"), state(round(key("a", 0), 2), "second"), state(key("b", 1), "other")}
	bare := want[4]
	bare.Facts, bare.Queries = nil, nil // written as []
	for _, st := range []trajectory.State{bare, state(key("a", 2), "once"), want[3], want[1], want[2], merged} {
		check(t, s.PutState(st))
	}
	want[4].Facts = []trajectory.Fact{}
	for range 2 { // as written, then as read
		for _, st := range want {
			if got, ok := s.State(st.Key()); !ok || !cmp.Equal(st, got) {
				t.Errorf("State(%v) = %+v, %v", st.Key(), got, ok)
			}
		}
		if got, ok := s.State(key("b", 0)); ok {
			t.Errorf("a state that nobody put: %+v", got)
		}
		check(t, s.Close())
		s = open(t, dir)
	}
	defer s.Close()
	six := store.Counts{Lines: 6, Parsed: 6}
	if diff := cmp.Diff(six, s.Found().States); diff != "" {
		t.Errorf("found mismatch (-want +got):\n%s", diff)
	}
	got, counts := readStates(t, dir)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("states mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(six, counts); diff != "" {
		t.Errorf("counts mismatch (-want +got):\n%s", diff)
	}
}

// TestStatesAreReadFromDisk makes sure that no state is kept in memory: what
// somebody does to the file shows.
func TestStatesAreReadFromDisk(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	defer s.Close()
	check(t, s.PutState(state(key("q", 0), "one")))
	check(t, s.PutState(state(key("q", 1), "two")))
	path := filepath.Join(dir, "states.jsonl")
	data, err := os.ReadFile(path)
	check(t, err)
	changed := strings.Replace(strings.Replace(string(data), `"raw":"one"`, `"raw":"ONE"`, 1), `"raw":"two"`, `"raw":"two `, 1)
	check(t, os.WriteFile(path, []byte(changed), 0o644))
	if got, ok := s.State(key("q", 0)); !ok || got.Raw != "ONE" {
		t.Errorf("State = %q, %v", got.Raw, ok)
	}
	if got, ok := s.State(key("q", 1)); ok {
		t.Errorf("a line that cannot be read any more: %+v", got)
	}
	check(t, s.PutState(state(key("q", 1), "made again")))
	if got, ok := s.State(key("q", 1)); !ok || got.Raw != "made again" {
		t.Errorf("State = %q, %v", got.Raw, ok)
	}
}

// TestOddStates has lines of another run, of another version, damaged ones and a
// torn end: they are counted, passed over, and all but the end stays.
func TestOddStates(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	check(t, s.PutState(state(key("q", 0), "mine")))
	check(t, s.Close())
	path := filepath.Join(dir, "states.jsonl")
	line, err := os.ReadFile(path)
	check(t, err)
	mine := string(line)
	foreign := strings.Replace(strings.Replace(mine, config(), "sha256:other", 1), "mine", "theirs", 1)
	whole := mine + foreign + strings.Replace(mine, `"v":1`, `"v":2`, 1) + "\n" + `{"v":1,"facts":{}}` + "\n"
	check(t, os.WriteFile(path, []byte(whole+mine[:40]), 0o644))

	wantDropped := []string{
		"states.jsonl:3: trajectory: unknown schema version: state of version 2, want 1",
		"states.jsonl:4: not JSON: it is cut off",
		"states.jsonl:5: key facts: want a list, found an object",
	}
	expect := func(who string, c store.Counts, raw string, torn int64) {
		t.Helper()
		var dropped []string
		for _, bad := range c.Dropped {
			dropped = append(dropped, bad.Error())
		}
		if diff := cmp.Diff(wantDropped, dropped); diff != "" {
			t.Errorf("%s: dropped lines mismatch (-want +got):\n%s", who, diff)
		}
		if c.Lines != 5 || c.Parsed != 2 || c.Torn != torn || raw != "mine" {
			t.Errorf("%s: state %q, counts %+v", who, raw, c)
		}
	}
	all, counts := readStates(t, dir)
	if len(all) != 1 {
		t.Fatalf("%d states, want 1", len(all))
	}
	expect("ReadStates", counts, all[0].Raw, 40)
	r, err := store.OpenReader(dir)
	check(t, err)
	defer r.Close()
	states, err := r.States("q")
	check(t, err)
	counts, err = r.StateCounts()
	check(t, err)
	if len(states) != 1 {
		t.Fatalf("%d states of a Reader, want 1", len(states))
	}
	expect("Reader", counts, states[0].Raw, 40)
	s = open(t, dir)
	got, _ := s.State(key("q", 0))
	expect("Open", s.Found().States, got.Raw, 40)
	if st, ok := s.State(trajectory.Key{QuestionID: "q", Round: 1, Config: "sha256:other"}); ok {
		t.Errorf("a state of another run: %+v", st)
	}
	check(t, s.Close())
	after, err := os.ReadFile(path)
	check(t, err)
	if diff := cmp.Diff(whole, string(after)); diff != "" {
		t.Errorf("the file after opening (-want +got):\n%s", diff)
	}
}

func TestPutStateRefuses(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	defer s.Close()
	tests := []struct {
		name   string
		change func(*trajectory.State)
		want   string
	}{
		{"of another run", func(st *trajectory.State) { st.Config = "sha256:other" },
			`store: the state of question q round 1 rollout 0 has config "sha256:other", the run has "` + config() + `"`},
		{"not valid", func(st *trajectory.State) { st.Raw = "" },
			`store: the state of question q round 1 rollout 0: trajectory: state: origin "model" with a text of 0 bytes`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := state(key("q", 0), "x")
			tt.change(&st)
			if err := s.PutState(st); err == nil || err.Error() != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
			if _, ok := s.State(key("q", 0)); ok || size(t, dir, "states.jsonl") != 0 {
				t.Error("what was refused was kept")
			}
		})
	}
}

// TestReaderOfStates reads a run under way by several goroutines: they see what
// was there when the reader was opened.
func TestReaderOfStates(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	defer s.Close()
	for i := range 4 {
		check(t, s.PutState(state(key(fmt.Sprint("q", i%2), i), fmt.Sprint("state ", i))))
	}
	r, err := store.OpenReader(dir)
	check(t, err)
	check(t, s.PutState(state(key("q0", 0), "later")))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			got, err := r.States(fmt.Sprint("q", i%2))
			if err != nil || len(got) != 2 || got[0].Raw != fmt.Sprint("state ", i%2) || got[1].Raw != fmt.Sprint("state ", i%2+2) {
				t.Errorf("states of q%d: %+v, error %v", i%2, got, err)
			}
		})
	}
	wg.Wait()
	if got, err := r.States("nobody"); len(got) != 0 || err != nil {
		t.Errorf("states of a question without any: %v, error %v", got, err)
	}
	check(t, r.Close())
	if _, err := r.States("q0"); !errors.Is(err, os.ErrClosed) {
		t.Errorf("states of a closed reader: error %v", err)
	}
}

// TestNoStates reads runs that have no file of states, or an empty one.
func TestNoStates(t *testing.T) {
	dir := made(t, done(key("q", 0), "x"))
	for _, remove := range []bool{false, true} {
		if remove {
			check(t, os.Remove(filepath.Join(dir, "states.jsonl")))
		}
		all, counts := readStates(t, dir)
		r, err := store.OpenReader(dir)
		check(t, err)
		got, err := r.States("q")
		check(t, err)
		if len(all) != 0 || len(got) != 0 || counts.Lines != 0 {
			t.Errorf("states %v and %v, counts %+v", all, got, counts)
		}
		check(t, r.Close())
	}
	if _, _, err := store.ReadStates(t.TempDir()); !errors.Is(err, store.ErrNoRun) {
		t.Errorf("no run: error %v", err)
	}
	check(t, open(t, dir).Close()) // makes what is missing
}

// TestStatesWithoutAManifest makes sure that a folder whose manifest is gone is
// not taken for an empty one.
func TestStatesWithoutAManifest(t *testing.T) {
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "states.jsonl"), []byte("{}\n"), 0o644))
	_, err := store.Open(dir, manifest())
	if want := "its states are there in states.jsonl, but manifest.json is gone"; !errors.Is(err, store.ErrNoRun) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestConcurrentStates(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 10 {
				mine, shared := key(fmt.Sprint("q", w), i), key("all", i)
				if err := s.PutState(state(mine, fmt.Sprint(w, " ", i))); err != nil {
					t.Error(err)
				}
				if got, ok := s.State(mine); !ok || got.Raw != fmt.Sprint(w, " ", i) {
					t.Errorf("State(%v) = %q, %v", mine, got.Raw, ok)
				}
				if err := s.PutState(state(shared, fmt.Sprint(w))); err != nil {
					t.Error(err)
				}
				if got, ok := s.State(shared); !ok || got.Key() != shared {
					t.Errorf("State(%v) = %+v, %v", shared, got, ok)
				}
			}
		})
	}
	wg.Wait()
	all, counts := readStates(t, dir)
	if len(all) != 90 || counts.Parsed != 160 || counts.Lines != 160 {
		t.Errorf("%d states, counts %+v; want 80 + 10 of 160 lines", len(all), counts)
	}
	for _, want := range all { // the writer and the reader mean the same line
		if got, ok := s.State(want.Key()); !ok || !cmp.Equal(want, got) {
			t.Errorf("State(%v) = %q, the file says %q", want.Key(), got.Raw, want.Raw)
		}
	}
	check(t, s.Close())
}
