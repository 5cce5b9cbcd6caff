package rollout_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/agent"
	"trawl/internal/seed"
	"trawl/rollout"
	"trawl/trajectory"
)

// eachMode runs a test with both kinds of sequels.
func eachMode(t *testing.T, test func(t *testing.T, mode string)) {
	for _, mode := range []string{"per-thread", "merged"} {
		t.Run(mode, func(t *testing.T) { test(t, mode) })
	}
}

func roundsPlan(questionCount, concurrency int) rollout.Plan {
	return rollout.Plan{Questions: questions(questionCount), Rounds: rounds, Count: threads, Concurrency: concurrency, Seed: 42, Config: config}
}

// TestRoundsOrder expects later rounds behind what waits already and before
// questions that nobody began, and a pool for each group.
func TestRoundsOrder(t *testing.T) {
	want := map[string][]string{
		"per-thread": {
			"a pool 1", "a 1/0", "a 1/1", "a pool 2", "a pool 2", "a 2/0", "a 2/1",
			"b pool 1", "b 1/0", "b 1/1", "b pool 2", "b pool 2", "b 2/0", "b 2/1",
		},
		"merged": {
			"a pool 1", "a 1/0", "a 1/1", "a pool 2", "a 2/0", "a 2/1",
			"b pool 1", "b 1/0", "b 1/1", "b pool 2", "b 2/0", "b 2/1",
		},
	}
	eachMode(t, func(t *testing.T, mode string) {
		var order []string
		s := newSequel(mode)
		s.rounds = 2
		deps := rollout.Deps{
			Store: newMemory(), Sequel: s,
			Runner: runner(func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
				order = append(order, fmt.Sprintf("%s %d/%d", task.Question.ID, task.Key.Round, task.Key.Rollout))
				if want := seed.Derive(42, task.Question.ID, task.Key.Round, task.Key.Rollout); task.Seed != want {
					t.Errorf("%v has seed %d, want %d", task.Key, task.Seed, want)
				}
				return work(ctx, task)
			}),
			Seeder: seeder(func(_ context.Context, q trajectory.Question, round, k int, base int64) (trajectory.Pool, error) {
				order = append(order, fmt.Sprint(q.ID, " pool ", round))
				if want := seed.Derive(42, q.ID, round, "pool"); base != want || k != 2 {
					t.Errorf("a pool of %d with seed %d, want 2 and %d", k, base, want)
				}
				return trajectory.Pool{}, nil
			}),
		}
		s.await = map[string]int{"a 1": 2, "b 1": 2}
		plan := rollout.Plan{Questions: []trajectory.Question{{ID: "a"}, {ID: "b"}}, Rounds: 2, Count: 2, Concurrency: 1, Seed: 42, Config: config}
		got, err := rollout.Run(t.Context(), plan, deps)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[mode], order); diff != "" {
			t.Errorf("order mismatch (-want +got):\n%s", diff)
		}
		expectSummary(t, got, rollout.Summary{Planned: 8, Done: 8})
	})
}

// roundsRun makes a run of three rounds in dir and checks what holds for each:
// every rollout that is done or ended is told once, and the first progress knows
// of all that earlier runs did.
func roundsRun(ctx context.Context, t *testing.T, dir, mode string, plan rollout.Plan, run runner) (rollout.Summary, error) {
	t.Helper()
	st := openStore(t, dir)
	defer func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}()
	s := newSequel(mode)
	var first, last rollout.Progress
	deps := rollout.Deps{Runner: run, Store: st, Sequel: s, Seeder: seeder(numbered), Progress: func(p rollout.Progress) {
		if first.Total == 0 {
			first = p
		}
		last = p
	}}
	found := st.Found().Done
	sum, err := rollout.Run(ctx, plan, deps)
	if want := (rollout.Progress{Done: found, Total: sum.Planned}); first != want {
		t.Errorf("the first progress is %+v, want %+v", first, want)
	}
	if last.Done != sum.AlreadyDone+sum.Done || last.Total != sum.Planned-sum.Skipped {
		t.Errorf("the last progress is %+v after %+v", last, sum)
	}
	for key, times := range s.told {
		if times != 1 {
			t.Errorf("Next was called %d times for %v", times, key)
		}
	}
	if err == nil && (len(s.told) != sum.AlreadyDone+sum.Done+sum.Failed || sum.AlreadyDone+sum.Done+sum.Failed+sum.Skipped != sum.Planned) {
		t.Errorf("Next was told of %d rollouts, summary %+v", len(s.told), sum)
	}
	return sum, err
}

// flaky fails for some rollouts, among them some of later rounds.
func flaky(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
	if task.Seed%11 == 0 {
		return nil, errors.New("unlucky")
	}
	return work(ctx, task)
}

func TestRoundsSameAtAnyConcurrency(t *testing.T) {
	eachMode(t, func(t *testing.T, mode string) {
		var want string
		var wantSum rollout.Summary
		for _, concurrency := range []int{1, 16} {
			dir := t.TempDir()
			sum, err := roundsRun(t.Context(), t, dir, mode, roundsPlan(8, concurrency), flaky)
			if err != nil || sum.Failed == 0 || sum.Skipped == 0 {
				t.Fatalf("%+v, %v: the test wants failures and what follows from them", sum, err)
			}
			if want == "" {
				want, wantSum = timeless(t, dir), sum
			}
			expectSummary(t, sum, wantSum)
			if diff := cmp.Diff(want, timeless(t, dir)); diff != "" {
				t.Errorf("concurrency %d differs from 1:\n%.3000s", concurrency, diff)
			}
		}
	})
}

// TestRoundsResume stops a run of three rounds after each number of turns, most
// of them in the middle of a round, and goes on: the lines are those of a run
// that nobody disturbed, and no turn is made twice.
func TestRoundsResume(t *testing.T) {
	eachMode(t, func(t *testing.T, mode string) {
		calm := t.TempDir()
		if _, err := roundsRun(t.Context(), t, calm, mode, roundsPlan(2, 1), work); err != nil {
			t.Fatal(err)
		}
		want := timeless(t, calm)
		const whole = 2 * rounds * threads * fakeTurns
		inside := 0
		for stop := 1; stop < whole; stop += 4 {
			dir := t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			var turns atomic.Int32
			counting := func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
				record := task.Record
				task.Record = func(turn trajectory.Turn) error {
					if int(turns.Add(1)) == stop {
						defer cancel()
					}
					return record(turn)
				}
				return work(ctx, task)
			}
			sum, err := roundsRun(ctx, t, dir, mode, roundsPlan(2, 1), counting)
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("stopped after turn %d: error %v", stop, err)
			}
			if sum.Done%9 > 3 && sum.Done%9 < 6 {
				inside++
			}
			again, err := roundsRun(t.Context(), t, dir, mode, roundsPlan(2, 4), counting)
			if err != nil {
				t.Fatal(err)
			}
			expectSummary(t, again, rollout.Summary{Planned: 18, AlreadyDone: sum.Done, Done: 18 - sum.Done})
			if diff := cmp.Diff(want, timeless(t, dir)); diff != "" {
				t.Fatalf("stopped after turn %d (-calm +stopped):\n%.3000s", stop, diff)
			}
			if int(turns.Load()) != whole {
				t.Errorf("stopped after turn %d: %d turns in all, want %d", stop, turns.Load(), whole)
			}
		}
		if inside == 0 {
			t.Error("no run was stopped in the middle of the second round")
		}
		sum, err := roundsRun(t.Context(), t, calm, mode, roundsPlan(2, 4), work)
		if err != nil {
			t.Fatal(err)
		}
		expectSummary(t, sum, rollout.Summary{Planned: 18, AlreadyDone: 18})
	})
}

// TestRoundsFailure loses a rollout in the second round: its third is skipped,
// the others go on, and a second run makes it good.
func TestRoundsFailure(t *testing.T) {
	eachMode(t, func(t *testing.T, mode string) {
		m, s := newMemory(), newSequel(mode)
		var failures []string
		deps := rollout.Deps{Store: m, Sequel: s, Progress: func(p rollout.Progress) {
			if p.Err != nil {
				failures = append(failures, p.Err.Error())
			}
		}, Runner: runner(func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
			if task.Key.Round == 2 && task.Key.Rollout == 1 {
				return nil, errors.New("lost")
			}
			return work(ctx, task)
		})}
		got, err := rollout.Run(t.Context(), roundsPlan(1, 2), deps)
		if err != nil {
			t.Fatal(err)
		}
		expectSummary(t, got, rollout.Summary{Planned: 9, Done: 7, Failed: 1, Skipped: 1})
		if diff := cmp.Diff([]string{"question q00 round 2 rollout 1: lost"}, failures); diff != "" {
			t.Errorf("failures mismatch (-want +got):\n%s", diff)
		}
		if m.complete != 0 {
			t.Error("a run with failures counts as complete")
		}
		deps.Runner, deps.Sequel = runner(work), newSequel(mode)
		if got, err = rollout.Run(t.Context(), roundsPlan(1, 2), deps); err != nil {
			t.Fatal(err)
		}
		expectSummary(t, got, rollout.Summary{Planned: 9, AlreadyDone: 7, Done: 2})
		if m.complete != 1 {
			t.Errorf("Complete was called %d times, want 1", m.complete)
		}
	})
}

// TestRoundsStopped stops the rounds of a question: what is left of them is
// skipped, in the next run too, and nothing is missing.
func TestRoundsStopped(t *testing.T) {
	m := newMemory()
	var order []trajectory.Key
	for _, want := range []rollout.Summary{{Planned: 18, Done: 14, Skipped: 4}, {Planned: 18, AlreadyDone: 14, Skipped: 4}} {
		s := newSequel("per-thread")
		s.stop = func(key trajectory.Key) bool { return key.QuestionID == "q00" && key.Rollout < 2 && key.Round == 1 }
		var last rollout.Progress
		deps := rollout.Deps{Runner: runner(work), Store: m, Sequel: s, Progress: func(p rollout.Progress) { last = p }}
		got, err := rollout.Run(t.Context(), roundsPlan(2, 1), deps)
		if err != nil {
			t.Fatal(err)
		}
		expectSummary(t, got, want)
		if last.Done != 14 || last.Total != 14 {
			t.Errorf("the last progress is %+v, want 14 of 14", last)
		}
		order = s.order
	}
	if m.complete != 2 {
		t.Errorf("Complete was called %d times, want 2", m.complete)
	}
	if !slices.IsSortedFunc(order, func(a, b trajectory.Key) int { return strings.Compare(a.QuestionID, b.QuestionID) }) {
		t.Errorf("a run that is done tells of %v, want question by question", order)
	}
}

// TestPoolOfALaterRound loses rollout 0 in the first round: the pool of the
// second is paid by the first of those that begin it, and queries go by number.
func TestPoolOfALaterRound(t *testing.T) {
	m := newMemory()
	asked := map[int]int{}
	deps := rollout.Deps{
		Store: m, Sequel: newSequel("merged"),
		Runner: runner(func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
			if task.Key.Round == 1 && task.Key.Rollout == 0 {
				return nil, errors.New("lost")
			}
			return work(ctx, task)
		}),
		Seeder: seeder(func(ctx context.Context, q trajectory.Question, round, k int, base int64) (trajectory.Pool, error) {
			asked[round]++
			pool, err := numbered(ctx, q, round, k, base)
			if round == 3 {
				pool.Queries = nil
			}
			return pool, err
		}),
	}
	if _, err := rollout.Run(t.Context(), roundsPlan(1, 1), deps); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{ // prompt tokens and first query
		"1/0": "1000 first 0", "1/1": "21 first 1", "1/2": "21 first 2",
		"2/1": "1021 first 1", "2/2": "21 first 2",
		"3/1": "1021 none", "3/2": "21 none",
	}
	got := map[string]string{}
	for _, tr := range m.lines {
		first := "none"
		if tr.SeedQuery != nil {
			first = tr.SeedQuery.Text
		}
		got[fmt.Sprint(tr.Round, "/", tr.Rollout)] = fmt.Sprint(tr.Usage.Prompt, " ", first)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("costs mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[int]int{1: 1, 2: 1, 3: 1}, asked); diff != "" {
		t.Errorf("pools asked for mismatch (-want +got):\n%s", diff)
	}
	if _, known := m.Pool("q00", 3); known || len(m.pools) != 2 {
		t.Errorf("pools %v are recorded, want those of the rounds 1 and 2", m.pools)
	}
}

// TestPoolTooSmall finds a pool of fewer rollouts in the store, as a run with a
// smaller count leaves one, and expects another in its place.
func TestPoolTooSmall(t *testing.T) {
	for have, want := range map[int]string{threads - 1: "first 0", threads: "kept", threads + 1: "kept"} {
		m := newMemory()
		kept := trajectory.Pool{QuestionID: "q00", Round: 1}
		for range have {
			kept.Queries = append(kept.Queries, trajectory.SeedQuery{Text: "kept", Source: trajectory.SeedPool})
		}
		if err := m.RecordPool(kept); err != nil {
			t.Fatal(err)
		}
		deps := rollout.Deps{Store: m, Runner: runner(work), Seeder: seeder(numbered)}
		if _, err := rollout.Run(t.Context(), rollout.Plan{Questions: questions(1), Count: threads, Concurrency: 1, Config: config}, deps); err != nil {
			t.Fatal(err)
		}
		for _, tr := range m.lines {
			if got := tr.SeedQuery; got == nil || got.Text != strings.Replace(want, "0", fmt.Sprint(tr.Rollout), 1) {
				t.Errorf("a pool of %d: rollout %d begins with %+v, want %s", have, tr.Rollout, got, want)
			}
		}
	}
}

// TestRoundsEnd ends runs of several rounds in the middle. The bubble fails if a
// goroutine stays behind.
func TestRoundsEnd(t *testing.T) {
	broken := errors.New("the states cannot be written")
	slow := runner(func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
		wait(ctx, time.Second)
		return work(ctx, task)
	})
	eachMode(t, func(t *testing.T, mode string) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond) // in the second round
			defer cancel()
			m := newMemory()
			got, err := rollout.Run(ctx, roundsPlan(2, 16), rollout.Deps{Runner: slow, Store: m, Sequel: newSequel(mode)})
			if err != context.DeadlineExceeded || got.Elapsed != 1500*time.Millisecond {
				t.Errorf("error %v after %v", err, got.Elapsed)
			}
			expectSummary(t, got, rollout.Summary{Planned: 18, Done: 6})

			s := newSequel(mode)
			s.err = broken
			got, err = rollout.Run(t.Context(), roundsPlan(2, 16), rollout.Deps{Runner: slow, Store: m, Sequel: s})
			if !errors.Is(err, broken) || err.Error() != "rollout: the states cannot be written" || got.Elapsed != time.Second {
				t.Errorf("error %v after %v, want %v", err, got.Elapsed, broken)
			}
			if m.complete != 0 {
				t.Error("a run that ended early counts as complete")
			}
		})
	})
}

// TestRoundsRunSideBySide takes as long as one thread does: no rollout waits
// for another question, and the queue stays open while there may be more rounds.
func TestRoundsRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, most := 0, 0
		slow := runner(func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			wait(ctx, time.Duration(1+task.Key.Rollout)*time.Second)
			mu.Lock()
			running--
			mu.Unlock()
			return work(ctx, task)
		})
		got, err := rollout.Run(t.Context(), roundsPlan(2, 6), rollout.Deps{Runner: slow, Store: newMemory(), Sequel: newSequel("per-thread")})
		if err != nil || got.Elapsed != rounds*3*time.Second || most != 6 {
			t.Errorf("took %v with at most %d at a time, %v; want 9s with 6", got.Elapsed, most, err)
		}
	})
}

// begins is a sequel that lets the same follow every rollout.
type begins []int

func (b begins) Next(trajectory.Key, bool) ([]int, int, error) { return b, 0, nil }

func TestSequelsThatAreRefused(t *testing.T) {
	tests := []struct {
		name   string
		plan   rollout.Plan
		sequel rollout.Sequel
		want   string
	}{
		{"a rollout too many", rollout.Plan{Rounds: 2, Count: 1}, begins{1}, "rollout: the rollouts [1] cannot follow question q00 round 1 rollout 0: there are 2 rounds of 1"},
		{"no rollout", rollout.Plan{Rounds: 2, Count: 1}, begins{-1}, "rollout: the rollouts [-1] cannot follow question q00 round 1 rollout 0: there are 2 rounds of 1"},
		{"a round too many", rollout.Plan{Rounds: 2, Count: 1}, begins{0}, "rollout: the rollouts [0] cannot follow question q00 round 2 rollout 0: there are 2 rounds of 1"},
		{"a round too many from the third", rollout.Plan{Round: 3, Rounds: 2, Count: 1}, begins{0}, "rollout: the rollouts [0] cannot follow question q00 round 4 rollout 0: there are 2 rounds of 1"},
		{"rounds without one", rollout.Plan{Rounds: 2}, nil, "rollout: 2 rounds, and nothing that leads from one to the next"},
		{"a wild number of rounds", rollout.Plan{Rounds: 1 << 40}, begins{}, "rollout: 1099511627776 rounds: want 1 to 1000"},
		{"negative rounds", rollout.Plan{Rounds: -1}, begins{}, "rollout: -1 rounds: want 1 to 1000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.plan.Questions = questions(1)
			if _, err := rollout.Run(t.Context(), tt.plan, rollout.Deps{Runner: runner(work), Store: newMemory(), Sequel: tt.sequel}); err == nil || err.Error() != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}
