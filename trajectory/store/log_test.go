package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"trawl/trajectory"
)

// A faulty file writes at most room bytes in all, and fails to sync when told.
type faulty struct {
	*os.File
	room    int
	syncErr error
	syncs   atomic.Int32
	block   chan struct{} // if set, Sync waits for it
}

func (f *faulty) WriteAt(b []byte, at int64) (int, error) {
	n, err := f.File.WriteAt(b[:min(len(b), f.room)], at)
	f.room -= n
	if err == nil && n < len(b) {
		err = syscall.ENOSPC
	}
	return n, err
}

func (f *faulty) Sync() error {
	f.syncs.Add(1)
	if f.block != nil {
		<-f.block
	}
	return f.syncErr
}

func newFaulty(t *testing.T, room int) (*log, *faulty) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	f := &faulty{File: file, room: room}
	return &log{f: f}, f
}

func TestFullDiskAtEveryByte(t *testing.T) {
	const first, second, third = "first\n", "second\n", "3\n"
	for room := len(first); room < len(first+second); room++ {
		l, f := newFaulty(t, room)
		if _, err := l.append([]byte(first)); err != nil {
			t.Fatal(err)
		}
		if _, err := l.append([]byte(second)); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("room %d: error %v, want %v", room, err, syscall.ENOSPC)
		}
		if got, _ := os.ReadFile(f.Name()); string(got) != first {
			t.Errorf("room %d: file is %q after a failed write, want %q", room, got, first)
		}
		f.room = 100
		at, err := l.append([]byte(third))
		if err != nil || at != int64(len(first)) {
			t.Errorf("room %d: appended at %d, %v", room, at, err)
		}
		if got, _ := os.ReadFile(f.Name()); string(got) != first+third {
			t.Errorf("room %d: file is %q, want %q", room, got, first+third)
		}
	}
}

// TestFailedSync makes sure that nothing is believed after an fsync that failed:
// the kernel may have dropped what it could not write, and says so only once.
func TestFailedSync(t *testing.T) {
	l, f := newFaulty(t, 100)
	f.syncErr = syscall.EIO
	if _, err := l.append([]byte("line\n")); err != nil {
		t.Fatal(err)
	}
	if err := l.sync(); !errors.Is(err, syscall.EIO) {
		t.Errorf("error %v, want %v", err, syscall.EIO)
	}
	f.syncErr = nil
	if err := l.sync(); !errors.Is(err, syscall.EIO) {
		t.Errorf("the next sync: error %v, want %v", err, syscall.EIO)
	}
	if _, err := l.append([]byte("line\n")); !errors.Is(err, syscall.EIO) {
		t.Errorf("the next append: error %v, want %v", err, syscall.EIO)
	}
}

// TestSyncIsShared holds one fsync back while others wait for theirs.
func TestSyncIsShared(t *testing.T) {
	l, f := newFaulty(t, 1000)
	f.block = make(chan struct{})
	var wg sync.WaitGroup
	appended := make(chan struct{}, 20)
	for i := range 20 {
		wg.Go(func() {
			if _, err := l.append(fmt.Appendln(nil, i)); err != nil {
				t.Error(err)
			}
			appended <- struct{}{}
			if err := l.sync(); err != nil {
				t.Error(err)
			}
		})
	}
	for range 20 {
		<-appended
	}
	close(f.block)
	wg.Wait()
	if n := f.syncs.Load(); n > 2 {
		t.Errorf("%d fsyncs for 20 lines that were there, want at most 2", n)
	}
	before := f.syncs.Load()
	if err := l.sync(); err != nil || f.syncs.Load() != before {
		t.Errorf("a sync with nothing new: %d fsyncs, %v", f.syncs.Load()-before, err)
	}
	if err := l.empty(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.append([]byte("x\n")); err != nil {
		t.Fatal(err)
	}
	if err := l.sync(); err != nil || f.syncs.Load() == before {
		t.Errorf("a short line after emptying is not synced, %v", err)
	}
}

// TestPutStateWaits makes sure that a state is on disk, or not there at all, when
// PutState returns.
func TestPutStateWaits(t *testing.T) {
	st := trajectory.State{V: 1, QuestionID: "q", Round: 1, Raw: "text", Origin: trajectory.StateModel}
	l, f := newFaulty(t, 1000)
	s := &Store{states: &states{log: l, places: map[trajectory.Key]span{}}}
	if err := s.PutState(st); err != nil || f.syncs.Load() != 1 {
		t.Errorf("%d fsyncs, error %v", f.syncs.Load(), err)
	}
	st.Rollout, f.room = 1, 10
	if err := s.PutState(st); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a full disk: error %v", err)
	}
	if _, ok := s.State(st.Key()); ok {
		t.Error("what could not be written is there")
	}
	f.room = 1000
	if err := s.PutState(st); err != nil {
		t.Errorf("when there is room again: error %v", err)
	}
	if got, ok := s.State(st.Key()); !ok || got.Rollout != 1 {
		t.Errorf("State = %+v, %v", got, ok)
	}
	st.Rollout, f.syncErr = 2, syscall.EIO
	if err := s.PutState(st); !errors.Is(err, syscall.EIO) {
		t.Errorf("error %v, want %v", err, syscall.EIO)
	}
	if _, ok := s.State(st.Key()); ok {
		t.Error("what may not be on disk is there")
	}
}

// TestDecisionsThatCostAreSynced makes sure that a power cut takes none of them.
func TestDecisionsThatCostAreSynced(t *testing.T) {
	l, f := newFaulty(t, 1<<20)
	s := &Selections{&ledger[decided, Decision]{kind: decisionKind, log: l, newest: map[decided]span{}}}
	steps := []struct {
		question string
		cost     *Cost
		want     int32 // fsyncs so far
	}{
		{"a", nil, 0},
		{"b", &Cost{Millis: 3}, 0},
		{"c", &Cost{Calls: 1}, 1},
		{"c", &Cost{Calls: 1}, 1}, // is there, on disk
		{"d", nil, 1},
		{"e", &Cost{Calls: 5}, 2},
	}
	for i, step := range steps {
		_, err := s.Add(Decision{QuestionID: step.question, Round: 1, Selector: "s", Rollout: -1, Cost: step.cost})
		if err != nil || f.syncs.Load() != step.want {
			t.Errorf("step %d: %d fsyncs, want %d, error %v", i, f.syncs.Load(), step.want, err)
		}
	}
	f.syncErr = syscall.EIO
	if written, err := s.Add(Decision{QuestionID: "f", Round: 1, Selector: "s", Rollout: -1, Cost: &Cost{Calls: 1}}); written || !errors.Is(err, syscall.EIO) {
		t.Errorf("Add = %v, error %v", written, err)
	}
}

// TestVerdictsAreSynced makes sure that each is on disk before it counts, and that
// one that may not be is an error.
func TestVerdictsAreSynced(t *testing.T) {
	l, f := newFaulty(t, 1<<20)
	s := &Verdicts{&ledger[judged, Verdict]{kind: verdictKind, log: l, newest: map[judged]span{}}}
	for i, step := range []struct {
		answer string
		want   int32 // fsyncs so far
	}{{"a", 1}, {"b", 2}, {"b", 2}} {
		if _, err := s.Add(Verdict{QuestionID: "q", Answer: step.answer}); err != nil || f.syncs.Load() != step.want {
			t.Errorf("step %d: %d fsyncs, want %d, error %v", i, f.syncs.Load(), step.want, err)
		}
	}
	f.syncErr = syscall.EIO
	for range 2 { // what stands in the file is not known to be on disk
		if written, err := s.Add(Verdict{QuestionID: "q", Answer: "c"}); written || !errors.Is(err, syscall.EIO) {
			t.Errorf("Add = %v, error %v", written, err)
		}
	}
}
