package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/seed"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// TestMain makes the test binary a process that writes a run, for the tests that
// kill one.
func TestMain(m *testing.M) {
	dir := os.Getenv("STORE_TEST_DIR")
	if dir == "" {
		os.Exit(m.Run())
	}
	work := map[string]func(dir string) error{"write": writeInStep, "hold": hold, "fill": fill, "decide": decide}[os.Getenv("STORE_TEST_WORK")]
	if err := work(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child starts the test binary to do work in dir.
func child(t *testing.T, work, dir string) (cmd *exec.Cmd, in io.WriteCloser, out io.Reader) {
	t.Helper()
	exe, err := os.Executable()
	check(t, err)
	cmd = exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), "STORE_TEST_DIR="+dir, "STORE_TEST_WORK="+work)
	cmd.Stderr = os.Stderr
	in, err = cmd.StdinPipe()
	check(t, err)
	out, err = cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	return cmd, in, out
}

// hold opens the run, says so, and keeps it until it is killed.
func hold(dir string) error {
	s, err := store.Open(dir, manifest())
	if err != nil {
		return err
	}
	defer s.Close()
	fmt.Println("open")
	return untilKilled()
}

// untilKilled waits for the end of the input, which whoever kills the process
// holds open. A process that waits for nothing would be ended as a deadlock.
func untilKilled() error {
	_, err := os.Stdin.Read(make([]byte, 1))
	return err
}

func TestTwoProcesses(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no lock on this system")
	}
	dir := t.TempDir()
	cmd, _, out := child(t, "hold", dir)
	if _, err := io.CopyN(io.Discard, out, int64(len("open\n"))); err != nil {
		t.Fatal(err)
	}
	_, err := store.Open(dir, manifest())
	if want := fmt.Sprintf("store: %s is being written by process %d: wait for it, or stop it", dir, cmd.Process.Pid); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	read(t, dir) // a reader is not kept out
	check(t, cmd.Process.Kill())
	_ = cmd.Wait()
	check(t, open(t, dir).Close()) // and a lock does not outlive its process
}

const (
	crashRollouts = 30
	crashTurns    = 3
)

func crashKey(i int) trajectory.Key { return key(fmt.Sprintf("q%02d", i/4), i%4) }

// crashTurn is large, so that kills fall into writes.
func crashTurn(i, n int) trajectory.Turn {
	tn := turn(n, fmt.Sprintf("rollout %d turn %d", i, n))
	tn.Steps[0].Shown = strings.Repeat(fmt.Sprintf("%d.%d ", i, n), 8000)
	return tn
}

// writeInStep is writeRun with each step allowed by a byte of its input, or the
// input's end, and told by a byte of output.
func writeInStep(dir string) error {
	return writeRun(dir, func() {
		_, _ = os.Stdin.Read(make([]byte, 1))
		_, _ = os.Stdout.Write([]byte{'.'})
	})
}

// writeRun does what of the rollouts is not done, from where each was. It calls
// step before and after whatever it puts on disk.
func writeRun(dir string, step func()) error {
	s, err := store.Open(dir, manifest())
	if err != nil {
		return err
	}
	var questions []string
	for i := range crashRollouts {
		k := crashKey(i)
		questions = append(questions, k.QuestionID)
		if s.Has(k) {
			continue
		}
		t := done(k, fmt.Sprint("answer ", i))
		t.Steps = nil
		past := s.Past(k)
		for n := 1; n <= crashTurns; n++ {
			if n > len(past) {
				past = append(past, crashTurn(i, n))
				step()
				if err := s.Record(k, past[n-1]); err != nil {
					return err
				}
			}
			t.Steps = append(t.Steps, past[n-1].Steps...)
		}
		if _, ok := s.State(k); !ok {
			step()
			if err := s.PutState(state(k, strings.Repeat(fmt.Sprint("state ", i, " "), 2000))); err != nil {
				return err
			}
		}
		step()
		if err := s.Append(t); err != nil {
			return err
		}
		step()
	}
	if err := s.Complete(questions); err != nil {
		return err
	}
	return s.Close()
}

// TestKill kills a process that writes a run, again and again and each time in
// a step that chance chooses, and compares what the last one leaves with a run
// that nobody disturbed.
func TestKill(t *testing.T) {
	calm, dir := t.TempDir(), filepath.Join(t.TempDir(), "run")
	check(t, writeRun(calm, func() {}))
	r := seed.Rand(1)
	for range 20 {
		steps := 1 + r.IntN(12)
		cmd, in, out := child(t, "write", dir)
		if _, err := in.Write(make([]byte, steps)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, out, int64(steps)); err != nil {
			t.Fatalf("the process ended by itself: %v", err)
		}
		check(t, cmd.Process.Kill()) // while it does the last of them
		_ = cmd.Wait()
	}
	if run := read(t, dir); len(run.Trajectories) == 0 || len(run.Trajectories) == crashRollouts {
		t.Errorf("%d of %d rollouts are done after 20 kills: the kills prove nothing", len(run.Trajectories), crashRollouts)
	}
	cmd, in, out := child(t, "write", dir)
	check(t, in.Close())
	_, err := io.Copy(io.Discard, out)
	check(t, errors.Join(err, cmd.Wait()))

	want, got := read(t, calm), read(t, dir)
	if diff := cmp.Diff(want.Trajectories, got.Trajectories); diff != "" {
		t.Errorf("trajectories mismatch (-calm +killed):\n%.2000s", diff)
	}
	if diff := cmp.Diff(store.Counts{Lines: crashRollouts, Parsed: crashRollouts}, got.Counts); diff != "" {
		t.Errorf("counts mismatch, a rollout was done twice or lost (-want +got):\n%s", diff)
	}
	wantStates, _ := readStates(t, calm)
	gotStates, counts := readStates(t, dir)
	if diff := cmp.Diff(wantStates, gotStates); diff != "" {
		t.Errorf("states mismatch (-calm +killed):\n%.2000s", diff)
	}
	if diff := cmp.Diff(store.Counts{Lines: crashRollouts, Parsed: crashRollouts}, counts); diff != "" {
		t.Errorf("counts of states mismatch, one was made twice or lost (-want +got):\n%s", diff)
	}
	if size(t, dir, "journal.jsonl") != 0 {
		t.Error("the journal of the complete run is not empty")
	}
}

// TestTornAtEveryByte cuts the last record of each file at every byte and goes
// on: what was whole stays, what was torn is done again, and nothing else.
func TestTornAtEveryByte(t *testing.T) {
	short := func(k trajectory.Key, answer string) *trajectory.Trajectory {
		t := done(k, answer)
		t.Steps, t.Messages = nil, nil
		return t
	}
	a, b := key("q", 0), key("q", 1)
	tests := []struct {
		file        string
		first, last func(*store.Store) error
		has         func(*store.Store) int // records
		torn        func(store.Found) int64
	}{
		{
			file:  "rollouts.jsonl",
			first: func(s *store.Store) error { return s.Append(short(a, "a")) },
			last:  func(s *store.Store) error { return s.Append(short(b, "東京")) },
			has:   func(s *store.Store) int { return s.Found().Done },
			torn:  func(f store.Found) int64 { return f.Rollouts.Torn },
		},
		{
			file:  "journal.jsonl",
			first: func(s *store.Store) error { return s.Record(a, turn(1, "one")) },
			last: func(s *store.Store) error {
				return s.Record(a, trajectory.Turn{Number: 2, Answer: "東京", Source: trajectory.AnswerTag})
			},
			has:  func(s *store.Store) int { return len(s.Past(a)) },
			torn: func(f store.Found) int64 { return f.Journal.Torn },
		},
		{
			file:  "states.jsonl",
			first: func(s *store.Store) error { return s.PutState(state(a, "a")) },
			last:  func(s *store.Store) error { return s.PutState(state(b, "東京")) },
			has: func(s *store.Store) int {
				n := 0
				for _, k := range []trajectory.Key{a, b} {
					if st, ok := s.State(k); ok && st.Key() == k {
						n++
					}
				}
				return n
			},
			torn: func(f store.Found) int64 { return f.States.Torn },
		},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir)
			check(t, tt.first(s))
			last := int(size(t, dir, tt.file))
			check(t, tt.last(s))
			check(t, s.Close())
			content := contents(t, dir)[tt.file]
			for cut := last; cut <= len(content); cut++ {
				check(t, os.WriteFile(filepath.Join(dir, tt.file), []byte(content[:cut]), 0o644))
				s := open(t, dir)
				want, torn := 1, int64(cut-last)
				if cut >= len(content)-1 { // all but the end of the line is all
					want, torn = 2, 0
				}
				if got := tt.has(s); got != want || tt.torn(s.Found()) != torn {
					t.Fatalf("cut at %d of %d: %d records, want %d; %d torn bytes, want %d", cut-last, len(content)-last, got, want, tt.torn(s.Found()), torn)
				}
				if want == 1 {
					check(t, tt.last(s))
				}
				check(t, s.Close())
				if after := contents(t, dir)[tt.file]; after != content {
					t.Fatalf("cut at %d and gone on:\n%s\nwant\n%s", cut-last, after, content)
				}
			}
		})
	}
}

// TestReaderOfATornFile makes sure that a reader, who may not write, sees the
// same as the next writer.
func TestReaderOfATornFile(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	check(t, s.Append(done(key("q", 0), "a")))
	check(t, s.Append(done(key("q", 1), "b")))
	check(t, s.Close())
	path := filepath.Join(dir, "rollouts.jsonl")
	data, err := os.ReadFile(path)
	check(t, err)
	for _, tt := range []struct{ cut, done int }{{1, 2}, {2, 1}, {20, 1}} {
		torn := data[:len(data)-tt.cut]
		check(t, os.WriteFile(path, torn, 0o644))
		if run := read(t, dir); len(run.Trajectories) != tt.done || (run.Counts.Torn == 0) != (tt.done == 2) {
			t.Errorf("cut by %d: %d trajectories, counts %+v", tt.cut, len(run.Trajectories), run.Counts)
		}
		scanned := 0
		for _, err := range store.Scan(dir) {
			check(t, err)
			scanned++
		}
		if scanned != tt.done {
			t.Errorf("cut by %d: %d scanned, want %d", tt.cut, scanned, tt.done)
		}
		after, err := os.ReadFile(path)
		check(t, err)
		if !bytes.Equal(torn, after) {
			t.Error("reading changed the file")
		}
	}
}
