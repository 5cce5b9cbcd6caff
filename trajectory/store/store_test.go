package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trawl/trajectory"
	"trawl/trajectory/store"
)

const fixed = `{"agent":{"turns":8,"dialect":"tags"},"rollout":{"count":4}}`

func manifest() store.Manifest {
	return store.Manifest{
		Fixed:     json.RawMessage(fixed),
		Settings:  json.RawMessage(`{"rollout":{"concurrency":64}}`),
		Seed:      42,
		Dataset:   store.Dataset{Name: "hotpotqa", Path: "dev.json", SHA256: "ab12"},
		Index:     json.RawMessage(`{"documents":100,"k1":0.9}`),
		Endpoints: []string{"http://127.0.0.1:8000/v1"},
		Models:    map[string]string{"agent": "Qwen/Qwen3-8B"},
		Prompts:   map[string]string{"agent": "sha256:11"},
		Versions:  []string{"v1"},
		Created:   time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
}

func config() string { return store.Hash(json.RawMessage(fixed)) }

func key(question string, rollout int) trajectory.Key {
	return trajectory.Key{QuestionID: question, Round: 1, Rollout: rollout, Config: config()}
}

func turn(n int, thought string) trajectory.Turn {
	return trajectory.Turn{
		Number: n,
		Steps: []trajectory.Step{{
			Turn: n, Kind: trajectory.KindSearch, Thought: thought, Query: "<search> & \u2028 東京",
			Call: &trajectory.Call{ID: fmt.Sprintf("call_%d_0", n), Name: "search", Arguments: json.RawMessage(`{"query":"x"}`)},
		}},
		Messages: []trajectory.Message{{Role: "assistant", Content: "line\nbreak"}},
		Calls:    1,
	}
}

func done(k trajectory.Key, answer string) *trajectory.Trajectory {
	return &trajectory.Trajectory{
		V: trajectory.Version, QuestionID: k.QuestionID, Round: k.Round, Rollout: k.Rollout, Config: k.Config,
		Question: "Who?\nAnd why?", Seed: 7, Steps: turn(1, "think").Steps, Messages: turn(1, "").Messages,
		Answer: answer, Source: trajectory.AnswerTag, Termination: trajectory.Answered,
		Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
}

func failed(k trajectory.Key, why string) *trajectory.Trajectory {
	t := done(k, "")
	t.Source, t.Termination, t.Error = trajectory.AnswerNone, trajectory.Failed, why
	return t
}

func open(t testing.TB, dir string) *store.Store {
	t.Helper()
	s, err := store.Open(dir, manifest())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, dir string) *store.Run {
	t.Helper()
	run, err := store.Read(dir)
	check(t, err)
	return run
}

func TestRunIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "run")
	s := open(t, dir)
	b1, a2, a10 := done(key("b", 1), "x"), done(key("a", 2), "y"), done(key("a", 10), "z")
	for _, tr := range []*trajectory.Trajectory{b1, a10, a2} {
		check(t, s.Append(tr))
	}
	if !s.Has(key("b", 1)) || s.Has(key("b", 2)) {
		t.Error("Has does not tell what is done from what is not")
	}
	check(t, s.Close())

	run := read(t, dir)
	if diff := cmp.Diff([]*trajectory.Trajectory{a2, a10, b1}, run.Trajectories, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("trajectories mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(store.Counts{Lines: 3, Parsed: 3}, run.Counts); diff != "" {
		t.Errorf("counts mismatch (-want +got):\n%s", diff)
	}
	s = open(t, dir)
	defer s.Close()
	if !s.Has(key("a", 10)) || s.Found().Done != 3 {
		t.Errorf("after opening again, found %+v", s.Found())
	}
}

func TestNewestSuccessWins(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	late, again, first, last := done(key("q", 0), "late"), done(key("q", 1), "again"), done(key("q", 2), "only"), failed(key("q", 3), "second")
	for _, tr := range []*trajectory.Trajectory{
		failed(key("q", 0), "down"), late, // failed, then done
		done(key("q", 1), "early"), again, // done twice
		first, failed(key("q", 2), "odd"), // a failure does not undo
		failed(key("q", 3), "first"), last, // failed twice
	} {
		check(t, s.Append(tr))
	}
	for i, want := range []bool{true, true, true, false} {
		if got := s.Has(key("q", i)); got != want {
			t.Errorf("Has(rollout %d) = %v, want %v", i, got, want)
		}
	}
	check(t, s.Close())
	run := read(t, dir)
	if diff := cmp.Diff([]*trajectory.Trajectory{late, again, first}, run.Trajectories, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("trajectories mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]*trajectory.Trajectory{last}, run.Failed, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("failed mismatch (-want +got):\n%s", diff)
	}
	var scanned []*trajectory.Trajectory
	for tr, err := range store.Scan(dir) {
		check(t, err)
		scanned = append(scanned, tr)
	}
	if diff := cmp.Diff([]*trajectory.Trajectory{late, again, first, last}, scanned, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("scan mismatch (-want +got):\n%s", diff)
	}
	s = open(t, dir)
	defer s.Close()
	if f := s.Found(); f.Done != 3 || f.Failed != 1 || s.Has(key("q", 3)) {
		t.Errorf("found %+v, want 3 done and 1 failed", f)
	}
}

func TestUnreadableLines(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	check(t, s.Append(done(key("q", 0), "x")))
	check(t, s.Append(done(key("q", 1), "y")))
	check(t, s.Close())
	path := filepath.Join(dir, "rollouts.jsonl")
	good, err := os.ReadFile(path)
	check(t, err)
	lines := strings.SplitAfter(string(good), "\n")
	damaged := lines[0] + "not JSON\n\n\xff\xfe{\n" + strings.Replace(lines[0], `"v":1`, `"v":9`, 1) + strings.TrimSuffix(lines[1], "\n") + "\r\n" + `{"v":1,"quest`
	check(t, os.WriteFile(path, []byte(damaged), 0o644))

	run := read(t, dir)
	if len(run.Trajectories) != 2 || run.Counts.Lines != 6 || run.Counts.Parsed != 2 || run.Counts.Torn != 13 {
		t.Errorf("%d trajectories, counts %+v", len(run.Trajectories), run.Counts)
	}
	var where, scanned []string
	for _, bad := range run.Counts.Dropped {
		where = append(where, strings.SplitAfterN(bad.Error(), ": ", 2)[0])
	}
	for tr, err := range store.Scan(dir) {
		if err != nil {
			scanned = append(scanned, strings.SplitAfterN(err.Error(), ": ", 2)[0])
		} else if tr == nil {
			t.Error("Scan yields nothing at all")
		}
	}
	want := []string{"rollouts.jsonl:2: ", "rollouts.jsonl:3: ", "rollouts.jsonl:4: ", "rollouts.jsonl:5: "}
	if diff := cmp.Diff(want, where); diff != "" {
		t.Errorf("dropped lines mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, scanned); diff != "" {
		t.Errorf("scanned errors mismatch (-want +got):\n%s", diff)
	}

	s = open(t, dir) // nothing but the torn end goes
	check(t, s.Append(done(key("q", 2), "z")))
	check(t, s.Close())
	after, err := os.ReadFile(path)
	check(t, err)
	if !strings.HasPrefix(string(after), strings.TrimSuffix(damaged, `{"v":1,"quest`)) {
		t.Error("opening changed whole lines")
	}
	if got := read(t, dir); len(got.Trajectories) != 3 || got.Counts.Torn != 0 {
		t.Errorf("%d trajectories after appending, counts %+v", len(got.Trajectories), got.Counts)
	}
}

// TestWordsOfLineErrors keeps the words of Go out of what a user reads.
func TestWordsOfLineErrors(t *testing.T) {
	dir := t.TempDir()
	check(t, open(t, dir).Close())
	lines := `{"v":1,"answer":5}` + "\n" + `{"v":1,"steps":{}}` + "\n" + `{"v":1,}` + "\n[]\n{\n" + `{"v":1,"started":"today"}` + "\n"
	check(t, os.WriteFile(filepath.Join(dir, "rollouts.jsonl"), []byte(lines), 0o644))
	check(t, os.WriteFile(filepath.Join(dir, "journal.jsonl"), []byte(`{"key":3}`+"\n"), 0o644))
	s := open(t, dir)
	defer s.Close()
	var got []string
	for _, bad := range append(s.Found().Rollouts.Dropped, s.Found().Journal.Dropped...) {
		got = append(got, bad.Error())
	}
	want := []string{
		"rollouts.jsonl:1: key answer: want a string, found a number",
		"rollouts.jsonl:2: key steps: want a list, found an object",
		"rollouts.jsonl:3: not JSON at byte 8",
		"rollouts.jsonl:4: want an object, found a list",
		"rollouts.jsonl:5: not JSON: it is cut off",
		"rollouts.jsonl:6: want a time such as 2006-01-02T15:04:05Z, found today",
		"journal.jsonl:1: key key: want an object, found a number",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors mismatch (-want +got):\n%s", diff)
	}
}

// TestFolderGone writes on after somebody took the folder, or a file, away.
func TestFolderGone(t *testing.T) {
	tests := []struct {
		name string
		take func(dir string) error
	}{
		{"deleted", os.RemoveAll},
		{"moved", func(dir string) error { return os.Rename(dir, dir+" elsewhere") }},
		{"another in its place", func(dir string) error {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			s, err := store.Open(dir, manifest())
			if err != nil {
				return err
			}
			return s.Close()
		}},
	}
	uses := map[string]func(*store.Store) error{
		"Append": func(s *store.Store) error { return s.Append(done(key("q", 1), "y")) },
		"Record": func(s *store.Store) error { return s.Record(key("q", 1), turn(1, "x")) },
		"RecordPool": func(s *store.Store) error {
			return s.RecordPool(trajectory.Pool{QuestionID: "q", Round: 1, Config: config()})
		},
		"PutState": func(s *store.Store) error { return s.PutState(state(key("q", 1), "x")) },
		"Complete": func(s *store.Store) error { return s.Complete([]string{"q"}) },
	}
	for _, tt := range tests {
		for name, use := range uses {
			t.Run(tt.name+" "+name, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "run")
				s := open(t, dir)
				check(t, s.Append(done(key("q", 0), "x")))
				check(t, tt.take(dir))
				err := use(s)
				if !errors.Is(err, store.ErrGone) || !strings.Contains(err.Error(), dir) ||
					!strings.HasSuffix(err.Error(), " has gone: what was written since is lost, unless the folder was moved") {
					t.Errorf("error %v, want ErrGone and the folder", err)
				}
				check(t, s.Close())
			})
		}
	}
}

func TestLongLine(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	long := done(key("q", 0), "x")
	long.Steps[0].Shown = strings.Repeat("0123456789abcdef", 1<<18) // 4 MiB
	check(t, s.Append(long))
	check(t, s.Append(done(key("q", 1), "y")))
	check(t, s.Close())
	if run := read(t, dir); len(run.Trajectories) != 2 || run.Trajectories[0].Steps[0].Shown != long.Steps[0].Shown {
		t.Errorf("%d trajectories, counts %+v", len(run.Trajectories), run.Counts)
	}
}

func TestJournal(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	record := func(k trajectory.Key, n int, thought string) {
		t.Helper()
		check(t, s.Record(k, turn(n, thought)))
	}
	thoughts := func(k trajectory.Key) []string {
		var out []string
		for i, tn := range s.Past(k) {
			if tn.Number != i+1 {
				t.Errorf("turn %d stands at %d", tn.Number, i)
			}
			out = append(out, tn.Steps[0].Thought)
		}
		return out
	}
	expect := func(k trajectory.Key, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, thoughts(k)); diff != "" {
			t.Errorf("past of %v mismatch (-want +got):\n%s", k, diff)
		}
	}
	a, b, c := key("q", 0), key("q", 1), key("q", 2)
	record(a, 1, "a1")
	record(b, 1, "b1")
	record(a, 2, "a2")
	record(b, 2, "b2")
	record(b, 3, "b3")
	record(c, 1, "c1")
	record(b, 2, "b2 again")
	if err := s.Record(c, turn(3, "c3")); err == nil || err.Error() != "store: question q round 1 rollout 2: turn 3 follows turn 1" {
		t.Errorf("a turn behind a gap: error %v", err)
	}
	expect(a, "a1", "a2")
	expect(b, "b1", "b2 again")
	check(t, s.Append(done(c, "x")))
	expect(c)
	check(t, s.Append(failed(a, "down"))) // is tried again from where it was
	expect(a, "a1", "a2")
	check(t, s.Close())

	before := size(t, dir, "journal.jsonl")
	s = open(t, dir)
	if f := s.Found().Journal; f.Lines != 7 || f.Parsed != 7 {
		t.Errorf("journal counts %+v, want 7 lines", f)
	}
	expect(a, "a1", "a2")
	expect(b, "b1", "b2 again")
	expect(c)
	if after := size(t, dir, "journal.jsonl"); after >= before {
		t.Errorf("journal has %d bytes after opening, %d before: nothing was dropped", after, before)
	}
	if diff := cmp.Diff(turn(2, "a2"), s.Past(a)[1]); diff != "" {
		t.Errorf("turn mismatch (-want +got):\n%s", diff)
	}
	record(a, 3, "a3") // appending goes on behind a compacted journal
	check(t, s.Close())
	s = open(t, dir)
	defer s.Close()
	expect(a, "a1", "a2", "a3")
	check(t, s.Complete([]string{"another question"}))
	expect(a, "a1", "a2", "a3")
	if size(t, dir, "journal.jsonl") == 0 {
		t.Error("the journal is empty, but a question is not done")
	}
	check(t, s.Complete([]string{a.QuestionID, b.QuestionID, c.QuestionID}))
	expect(a)
	if size(t, dir, "journal.jsonl") != 0 {
		t.Error("the journal of a complete run is not empty")
	}
	record(a, 1, "new")
	expect(a, "new")
}

func TestJournalGap(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for n := 1; n <= 3; n++ {
		check(t, s.Record(key("q", 0), turn(n, "old")))
	}
	check(t, s.Close())
	path := filepath.Join(dir, "journal.jsonl")
	data, err := os.ReadFile(path)
	check(t, err)
	lines := strings.SplitAfter(string(data), "\n")
	check(t, os.WriteFile(path, []byte(lines[0]+"damaged\n"+lines[2]), 0o644))
	s = open(t, dir)
	defer s.Close()
	if f := s.Found().Journal; len(f.Dropped) != 1 || f.Dropped[0].Line != 2 {
		t.Errorf("journal counts %+v, want line 2 dropped", f)
	}
	if got := s.Past(key("q", 0)); len(got) != 1 {
		t.Errorf("%d turns, want the one before the gap", len(got))
	}
}

func TestPools(t *testing.T) {
	dir := t.TempDir()
	pool := trajectory.Pool{QuestionID: "q", Round: 2, Config: config(), Queries: []trajectory.SeedQuery{{Text: "x", Source: trajectory.SeedPool}}, Candidates: []string{"x", "y"}, Calls: 1}
	s := open(t, dir)
	check(t, s.RecordPool(pool))
	for range 2 { // as written, then as read
		if _, ok := s.Pool("q", 1); ok {
			t.Error("a pool of another round")
		}
		if got, ok := s.Pool("q", 2); !ok || !cmp.Equal(pool, got) {
			t.Errorf("Pool = %+v, %v", got, ok)
		}
		check(t, s.Close())
		s = open(t, dir)
	}
	defer s.Close()
	pool.Config = "sha256:other"
	if err := s.RecordPool(pool); err == nil {
		t.Error("the pool of another run is taken")
	}
}

func TestAppendRefuses(t *testing.T) {
	s := open(t, t.TempDir())
	defer s.Close()
	other := done(key("q", 0), "x")
	other.Config = "sha256:other"
	invalid := done(key("q", 0), "")
	tests := []struct {
		name string
		t    *trajectory.Trajectory
		want string
	}{
		{"of another run", other, `store: question q round 1 rollout 0 has config "sha256:other", the run has "` + config() + `"`},
		{"not valid", invalid, `store: question q round 1 rollout 0: trajectory: answer "" with answer_source "tag"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := s.Append(tt.t); err == nil || err.Error() != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
	if s.Has(key("q", 0)) {
		t.Error("a refused rollout counts as done")
	}
}

func TestConcurrentUse(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 10 {
				k := key(fmt.Sprint("q", w), i)
				for n := 1; n <= 3; n++ {
					if err := s.Record(k, turn(n, fmt.Sprint(w, i))); err != nil {
						t.Error(err)
					}
				}
				if past := s.Past(k); len(past) != 3 || past[2].Steps[0].Thought != fmt.Sprint(w, i) {
					t.Errorf("past of %v: %+v", k, past)
				}
				if err := s.Append(done(k, fmt.Sprint(w, i))); err != nil || !s.Has(k) {
					t.Errorf("%v: %v", k, err)
				}
			}
		})
	}
	wg.Wait()
	check(t, s.Close())
	run := read(t, dir)
	if len(run.Trajectories) != 80 || run.Counts.Parsed != 80 || run.Counts.Lines != 80 {
		t.Errorf("%d trajectories, counts %+v", len(run.Trajectories), run.Counts)
	}
}

func size(t testing.TB, dir, name string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, name))
	check(t, err)
	return info.Size()
}
