package recursion_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent"
	"trawl/recursion"
	"trawl/rollout/divinit"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// noting is a runner that notes the tasks it is given.
func noting(tasks map[trajectory.Key]agent.Task) runner {
	return func(_ context.Context, task agent.Task) (*trajectory.Trajectory, error) {
		tasks[task.Key] = task
		return done(task), nil
	}
}

var lost = []string{"state-lost"}

// A round whose state is lost is followed by one that is told nothing, and in
// which only the rounds count that are known.
func TestLost(t *testing.T) {
	m, tasks := newMemory(), map[trajectory.Key]agent.Task{}
	l := loop(t, noting(tasks), nil, answers("Paris"), m, recursion.Options{Rounds: 4, Tokens: 10_000})
	run(t, l, 1, 0)
	run(t, l, 2, 0)
	delete(m.states, key(2, 0))
	expectNext(t, l, 2, 0, true, []int{0}, 0)
	run(t, l, 3, 0)
	if got := tasks[key(3, 0)]; got.Preface != nil || got.Tokens != 10_000-1110 {
		t.Errorf("the round has %d tokens and is told %+v", got.Tokens, got.Preface)
	}
	s, _ := m.State(key(3, 0))
	if diff := cmp.Diff(lost, s.Repairs); diff != "" || s.Spent.Tokens != 2220 || s.Stopped != "" {
		t.Errorf("%d tokens are spent, stopped %q; repairs mismatch (-want +got):\n%s", s.Spent.Tokens, s.Stopped, diff)
	}
	run(t, l, 4, 0)
	if s, _ = m.State(key(4, 0)); s.Repairs != nil || tasks[key(4, 0)].Preface == nil {
		t.Errorf("the round after has the repairs %v and is told %+v", s.Repairs, tasks[key(4, 0)].Preface)
	}
}

// Of a merged round, the states that are there are merged; it goes on without any.
func TestLostMerged(t *testing.T) {
	m, tasks := newMemory(), map[trajectory.Key]agent.Task{}
	o := recursion.Options{Rounds: 4, Count: 2, Mode: recursion.Merged}
	p := &pools{}
	l := loop(t, noting(tasks), p, answers("Paris"), m, o)
	for i := range 2 {
		run(t, l, 1, i)
	}
	delete(m.states, key(1, 0))
	expectNext(t, l, 1, 0, true, nil, 0)
	expectNext(t, l, 1, 1, true, []int{0, 1}, 0)
	s, _ := m.State(key(1, trajectory.MergedRollout))
	if diff := cmp.Diff(lost, s.Repairs); diff != "" || !slices.Equal(s.From, []int{1}) {
		t.Errorf("merged from %v; repairs mismatch (-want +got):\n%s", s.From, diff)
	}

	clear(m.states)
	l = loop(t, noting(tasks), p, answers("Paris"), m, o)
	expectNext(t, l, 1, 0, true, nil, 0)
	expectNext(t, l, 1, 1, true, []int{0, 1}, 0)
	if len(m.states) > 0 {
		t.Errorf("there are states: %v", m.states)
	}
	if _, err := l.Pool(t.Context(), trajectory.Question{ID: "q1"}, 2, 2, 9); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]divinit.Known{{}}, p.known); diff != "" {
		t.Errorf("known mismatch (-want +got):\n%s", diff)
	}
	for i := range 2 {
		run(t, l, 2, i)
		if s, _ := m.State(key(2, i)); !slices.Equal(s.Repairs, lost) || s.Spent.Tokens != 1110 || tasks[key(2, i)].Preface != nil {
			t.Errorf("rollout %d: %+v, told %+v", i, s, tasks[key(2, i)].Preface)
		}
	}
	expectNext(t, l, 2, 0, true, nil, 0)
	expectNext(t, l, 2, 1, true, []int{0, 1}, 0)
	if s, _ = m.State(key(2, trajectory.MergedRollout)); s.Repairs != nil {
		t.Errorf("the state of the round after has the repairs %v", s.Repairs)
	}

	// What only the merged state of is lost is merged again, to the same.
	delete(m.states, s.Key())
	l = loop(t, noting(tasks), p, answers("Paris"), m, o)
	expectNext(t, l, 2, 1, true, nil, 0)
	expectNext(t, l, 2, 0, true, []int{0, 1}, 0)
	again, _ := m.State(s.Key())
	if diff := cmp.Diff(s, again); diff != "" {
		t.Errorf("state mismatch (-first +again):\n%s", diff)
	}
}

// A rollout that did not end well has no part in a merged state, even if the store
// has a state of it.
func TestMergedOnlyTheWell(t *testing.T) {
	m := newMemory()
	l := loop(t, quiet, nil, answers("Paris"), m, recursion.Options{Rounds: 2, Count: 2, Mode: recursion.Merged})
	run(t, l, 1, 0)
	run(t, l, 1, 1)
	expectNext(t, l, 1, 1, false, nil, 0)
	expectNext(t, l, 1, 0, true, []int{0, 1}, 0)
	if s, _ := m.State(key(1, trajectory.MergedRollout)); !slices.Equal(s.From, []int{0}) || s.Repairs != nil {
		t.Errorf("merged from %v with the repairs %v", s.From, s.Repairs)
	}
}

// What a rollout of a merged loop has spent are the rounds that it has a part of,
// whenever those that failed are made good.
func TestMergedSpent(t *testing.T) {
	m := newMemory()
	l := loop(t, quiet, nil, answers("Paris"), m, recursion.Options{Rounds: 5, Count: 2, Mode: recursion.Merged})
	for round := 1; round <= 3; round++ {
		failed := round != 2 // rollout 1 has a part of the second round alone
		run(t, l, round, 0)
		if !failed {
			run(t, l, round, 1)
		}
		expectNext(t, l, round, 0, true, nil, 0)
		expectNext(t, l, round, 1, !failed, []int{0, 1}, 0)
	}
	// 1,110 tokens a round.
	for _, tt := range []struct{ round, rollout, want int }{{2, 1, 1110}, {4, 0, 4440}, {3, 1, 2220}, {1, 1, 1110}, {4, 1, 2220}} {
		run(t, l, tt.round, tt.rollout)
		if s, _ := m.State(key(tt.round, tt.rollout)); s.Spent.Tokens != tt.want {
			t.Errorf("rollout %d has spent %d tokens up to round %d, want %d", tt.rollout, s.Spent.Tokens, tt.round, tt.want)
		}
	}
}

// A run whose states are all damaged goes on to its end.
func TestRoundsLost(t *testing.T) {
	for _, mode := range []recursion.Mode{recursion.PerThread, recursion.Merged} {
		t.Run(string(mode), func(t *testing.T) {
			dir := t.TempDir()
			runs(t, dir, mode, 1, 4) // of 12, 6 for each question
			file := filepath.Join(dir, "states.jsonl")
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, bytes.ReplaceAll(data, []byte(`"raw"`), []byte(`"rav`)), 0o644); err != nil {
				t.Fatal(err)
			}
			runs(t, dir, mode, 4, -1)
			got, err := store.Read(dir)
			if err != nil || len(got.Trajectories) != 12 || len(got.Failed) > 0 {
				t.Fatalf("%d rollouts are done, %d failed (%v)", len(got.Trajectories), len(got.Failed), err)
			}
			states, counts, err := store.ReadStates(dir)
			if err != nil || !slices.ContainsFunc(states, func(s trajectory.State) bool { return slices.Equal(s.Repairs, lost) }) {
				t.Errorf("no state says that one is lost (%+v, %v)", counts, err)
			}
		})
	}
}
