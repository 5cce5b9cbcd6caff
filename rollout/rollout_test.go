package rollout_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trawl/agent"
	"trawl/agent/llm"
	"trawl/internal/seed"
	"trawl/rollout"
	"trawl/trajectory"
)

var ignoreElapsed = cmpopts.IgnoreFields(rollout.Summary{}, "Elapsed")

func expectSummary(t *testing.T, got, want rollout.Summary) {
	t.Helper()
	if diff := cmp.Diff(want, got, ignoreElapsed); diff != "" {
		t.Errorf("summary mismatch (-want +got):\n%s", diff)
	}
}

func TestOrder(t *testing.T) {
	var order []string
	deps := rollout.Deps{
		Store: newMemory(),
		Runner: runner(func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
			order = append(order, fmt.Sprint(task.Question.ID, "/", task.Key.Rollout, " ", task.SeedQuery.Text))
			return work(ctx, task)
		}),
		Seeder: seeder(func(ctx context.Context, q trajectory.Question, round, k int, base int64) (trajectory.Pool, error) {
			order = append(order, fmt.Sprint("pool ", q.ID, " of ", k))
			return numbered(ctx, q, round, k, base)
		}),
	}
	got, err := rollout.Run(t.Context(), rollout.Plan{Questions: questions(2), Count: 2, Concurrency: 1, Config: config}, deps)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"pool q00 of 2", "q00/0 first 0", "q00/1 first 1", "pool q01 of 2", "q01/0 first 0", "q01/1 first 1"}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Errorf("order mismatch (-want +got):\n%s", diff)
	}
	expectSummary(t, got, rollout.Summary{Planned: 4, Done: 4})
}

func TestTask(t *testing.T) {
	m := newMemory()
	key := trajectory.Key{QuestionID: "q00", Round: 2, Rollout: 1, Config: config}
	past := []trajectory.Turn{fakeTurn(1, 5)}
	m.turns[key] = past
	var got agent.Task
	deps := rollout.Deps{Store: m, Runner: runner(func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
		if task.Key.Rollout == 1 {
			got = task
		}
		return work(ctx, task)
	})}
	if _, err := rollout.Run(t.Context(), rollout.Plan{Questions: questions(1), Round: 2, Count: 2, Concurrency: 1, Seed: 42, Config: config}, deps); err != nil {
		t.Fatal(err)
	}
	want := agent.Task{Key: key, Question: questions(1)[0], Seed: seed.Derive(42, "q00", 2, 1), Past: past}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(agent.Task{}, "Record")); diff != "" {
		t.Errorf("task mismatch (-want +got):\n%s", diff)
	}
	if n := len(m.turns[key]); n != fakeTurns {
		t.Errorf("%d turns recorded, want %d", n, fakeTurns)
	}
}

// TestPoolBlocksNobody holds back the pool of the first question and expects all
// others to be worked on, by as many goroutines as there are left.
func TestPoolBlocksNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var done atomic.Int32
		deps := rollout.Deps{
			Store: newMemory(),
			Runner: runner(func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
				done.Add(1)
				return work(ctx, task)
			}),
			Seeder: seeder(func(ctx context.Context, q trajectory.Question, round, k int, base int64) (trajectory.Pool, error) {
				if q.ID == "q00" {
					<-release
				}
				return numbered(ctx, q, round, k, base)
			}),
		}
		finished := make(chan error)
		go func() {
			_, err := rollout.Run(t.Context(), rollout.Plan{Questions: questions(5), Concurrency: 2, Config: config}, deps)
			finished <- err
		}()
		synctest.Wait()
		if done.Load() != 16 {
			t.Errorf("%d rollouts are done while one pool is out, want 16", done.Load())
		}
		close(release)
		if err := <-finished; err != nil || done.Load() != 20 {
			t.Errorf("%d rollouts, %v", done.Load(), err)
		}
	})
}

// TestRolloutsOfAQuestionStartTogether looks at what is under way at each
// moment: never more than allowed, and rollouts that wait for a place go before
// later questions.
func TestRolloutsOfAQuestionStartTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, most := 0, 0
		started := map[string][]time.Duration{}
		begin := time.Now()
		deps := rollout.Deps{
			Store: newMemory(),
			Runner: runner(func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
				mu.Lock()
				running++
				most = max(most, running)
				started[task.Question.ID] = append(started[task.Question.ID], time.Since(begin))
				mu.Unlock()
				wait(ctx, time.Second)
				mu.Lock()
				running--
				mu.Unlock()
				return work(ctx, task)
			}),
			Seeder: seeder(func(ctx context.Context, q trajectory.Question, round, k int, base int64) (trajectory.Pool, error) {
				wait(ctx, 100*time.Millisecond)
				return numbered(ctx, q, round, k, base)
			}),
		}
		if _, err := rollout.Run(t.Context(), rollout.Plan{Questions: questions(8), Concurrency: 4, Config: config}, deps); err != nil {
			t.Fatal(err)
		}
		if most != 4 {
			t.Errorf("%d rollouts at a time, want 4", most)
		}
		for id, at := range started {
			if spread := slices.Max(at) - slices.Min(at); spread > time.Second {
				t.Errorf("the rollouts of %s start within %v", id, spread)
			}
		}
	})
}

// TestGoroutinesWaitForAPool makes sure that those with nothing to do are there
// when a pool brings work for all of them.
func TestGoroutinesWaitForAPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deps := rollout.Deps{
			Store: newMemory(),
			Runner: runner(func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
				wait(ctx, time.Second)
				return work(ctx, task)
			}),
			Seeder: seeder(func(ctx context.Context, q trajectory.Question, round, k int, base int64) (trajectory.Pool, error) {
				wait(ctx, time.Second)
				return numbered(ctx, q, round, k, base)
			}),
		}
		got, err := rollout.Run(t.Context(), rollout.Plan{Questions: questions(1), Count: 8, Concurrency: 8, Config: config}, deps)
		if err != nil || got.Elapsed != 2*time.Second {
			t.Errorf("took %v, %v; want 1 s for the pool and 1 s for all rollouts", got.Elapsed, err)
		}
	})
}

// wait passes time in a bubble.
func wait(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-ctx.Done()
}

func TestSameAtAnyConcurrency(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	flaky := runner(func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
		if task.Seed%7 == 0 {
			return nil, errors.New("unlucky")
		}
		return work(ctx, task)
	})
	want := ""
	for _, procs := range []int{1, 4} {
		runtime.GOMAXPROCS(procs)
		for _, concurrency := range []int{1, 4, 32} {
			dir := t.TempDir()
			s := openStore(t, dir)
			plan := rollout.Plan{Questions: questions(12), Concurrency: concurrency, Seed: 42, Config: config}
			got, err := rollout.Run(t.Context(), plan, rollout.Deps{Runner: flaky, Store: s, Seeder: seeder(numbered)})
			if err != nil || got.Failed == 0 {
				t.Fatalf("%+v, %v", got, err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			lines := timeless(t, dir)
			if want == "" {
				want = lines
			}
			if diff := cmp.Diff(want, lines); diff != "" {
				t.Errorf("GOMAXPROCS %d, concurrency %d, differs from 1 and 1:\n%s", procs, concurrency, diff)
			}
		}
	}
}

// TestFailuresStayAlone lets rollouts fail in every way and then mends the
// runner: the next run does what failed, from where it was, and nothing else.
func TestFailuresStayAlone(t *testing.T) {
	m := newMemory()
	lost := errors.New("lost")
	broken := runner(func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
		switch fmt.Sprint(task.Question.ID, "/", task.Key.Rollout) {
		case "q00/0":
			if err := task.Record(fakeTurn(1, 1)); err != nil {
				t.Error(err)
			}
			return nil, fmt.Errorf("agent: turn 2: %w", lost)
		case "q00/1":
			var none []int
			return nil, fmt.Errorf("never returned: %d", none[1])
		case "q01/0":
			return nil, nil
		case "q01/1":
			tr, err := work(ctx, task)
			tr.Termination = "bored"
			return tr, err
		case "q02/0":
			task.Key.Rollout = 1
			return work(ctx, task)
		case "q02/1":
			tr, err := work(ctx, task)
			tr.Answer, tr.Source, tr.Termination, tr.Error = "", trajectory.AnswerNone, trajectory.Failed, "said the agent"
			return tr, err
		}
		return work(ctx, task)
	})
	poolless := seeder(func(ctx context.Context, q trajectory.Question, round, k int, base int64) (trajectory.Pool, error) {
		switch q.ID {
		case "q04":
			return trajectory.Pool{}, lost
		case "q05":
			panic("pool")
		case "q06":
			return numbered(ctx, q, round, 1, base)
		}
		return numbered(ctx, q, round, k, base)
	})
	var last rollout.Progress
	var failures []error
	deps := rollout.Deps{Runner: broken, Store: m, Seeder: poolless, Progress: func(p rollout.Progress) {
		last = p
		if p.Err != nil {
			failures = append(failures, p.Err)
		}
	}}
	plan := rollout.Plan{Questions: questions(8), Count: 2, Concurrency: 3, Seed: 1, Config: config}
	got, err := rollout.Run(t.Context(), plan, deps)
	if err != nil {
		t.Fatal(err)
	}
	expectSummary(t, got, rollout.Summary{Planned: 16, Done: 4, Failed: 12})
	last.Err = nil
	if want := (rollout.Progress{Done: 4, Failed: 12, Total: 16, Turns: 4*fakeTurns + 1 + 3*fakeTurns}); last != want {
		t.Errorf("progress %+v, want %+v", last, want)
	}
	if len(failures) != 12 || !slices.ContainsFunc(failures, func(err error) bool { return errors.Is(err, lost) }) {
		t.Errorf("progress tells of %q", failures)
	}
	if !slices.ContainsFunc(failures, func(err error) bool { return err.Error() == "question q00 rollout 0: agent: turn 2: lost" }) {
		t.Errorf("progress does not name the rollouts: %q", failures)
	}
	want := map[string]string{
		"q00/0": "agent: turn 2: lost",
		"q00/1": "panic: runtime error: index out of range [1] with length 0",
		"q01/0": "the runner returned no trajectory",
		"q01/1": `trajectory: unknown termination "bored"`,
		"q02/0": "the runner returned the trajectory of question q02 round 1 rollout 1",
		"q02/1": "said the agent",
		"q04/0": "lost", "q04/1": "lost",
		"q05/0": "panic: pool", "q05/1": "panic: pool",
		"q06/0": "1 first queries for 2 rollouts", "q06/1": "1 first queries for 2 rollouts",
	}
	texts := map[string]string{}
	for _, tr := range m.lines {
		if tr.Error == "" {
			continue
		}
		texts[fmt.Sprint(tr.QuestionID, "/", tr.Rollout)] = tr.Error
		if tr.Termination != trajectory.Failed || tr.Answer != "" || tr.Question == "" || tr.Seed != seed.Derive(1, tr.QuestionID, 1, tr.Rollout) {
			t.Errorf("failed line %+v", tr)
		}
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("errors mismatch (-want +got):\n%s", diff)
	}
	var stack *rollout.PanicError
	for _, err := range failures {
		if errors.As(err, &stack) && stack.Value != "pool" && !strings.Contains(string(stack.Stack), "rollout_test.go") {
			t.Errorf("the stack does not lead to the panic:\n%s", stack.Stack)
		}
	}
	if m.complete != 0 {
		t.Error("a run with failures counts as complete")
	}

	var again []string
	deps.Runner = runner(func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
		again = append(again, fmt.Sprint(task.Question.ID, "/", task.Key.Rollout, " past ", len(task.Past)))
		return work(ctx, task)
	})
	deps.Seeder = seeder(numbered)
	plan.Concurrency = 1
	got, err = rollout.Run(t.Context(), plan, deps)
	if err != nil {
		t.Fatal(err)
	}
	expectSummary(t, got, rollout.Summary{Planned: 16, AlreadyDone: 4, Done: 12})
	if len(again) != 12 || again[0] != "q00/0 past 1" || again[1] != "q00/1 past 0" {
		t.Errorf("the second run did %q", again)
	}
	if m.complete != 1 {
		t.Errorf("Complete was called %d times, want 1", m.complete)
	}
}

func TestPoolIsPaidByRollout0(t *testing.T) {
	m := newMemory()
	lost := runner(func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
		if task.Question.ID == "q00" {
			if err := task.Record(fakeTurn(1, 1)); err != nil {
				t.Error(err)
			}
			return nil, errors.New("lost")
		}
		return work(ctx, task)
	})
	plan := rollout.Plan{Questions: questions(2), Count: 2, Config: config}
	if _, err := rollout.Run(t.Context(), plan, rollout.Deps{Runner: lost, Store: m, Seeder: seeder(numbered)}); err != nil {
		t.Fatal(err)
	}
	want := map[string]trajectory.Usage{
		"q00/0": {LLMCalls: 2, Prompt: 1007, Completion: 100, Cached: 10, Searches: 1, Estimated: true},
		"q00/1": {LLMCalls: 1, Prompt: 7, Searches: 1},
		"q01/0": {LLMCalls: 4, Prompt: 1021, Completion: 100, Cached: 10, Estimated: true},
		"q01/1": {LLMCalls: 3, Prompt: 21},
	}
	got := map[string]trajectory.Usage{}
	for _, tr := range m.lines {
		got[fmt.Sprint(tr.QuestionID, "/", tr.Rollout)] = tr.Usage
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("usage mismatch (-want +got):\n%s", diff)
	}
}

// TestFailureAfterResume loses a rollout twice: its record tells of the turns of
// both runs.
func TestFailureAfterResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		lost := runner(func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
			turn := fakeTurn(len(task.Past)+1, 1)
			turn.Steps = append(turn.Steps, trajectory.Step{Turn: turn.Number, Kind: trajectory.KindSearch, Query: turn.Steps[0].Query}) // a repetition
			if err := task.Record(turn); err != nil {
				t.Error(err)
			}
			wait(ctx, time.Second)
			return nil, errors.New("lost")
		})
		plan := rollout.Plan{Questions: questions(1), Count: 1, Config: config}
		for range 2 {
			if _, err := rollout.Run(t.Context(), plan, rollout.Deps{Runner: lost, Store: m}); err == nil {
				t.Error("a run without any success is none")
			}
		}
		got := m.lines[1]
		if want := (trajectory.Usage{LLMCalls: 2, Prompt: 14, Searches: 2}); got.Usage != want {
			t.Errorf("usage %+v, want %+v", got.Usage, want)
		}
		if want := fakeStart.Add(time.Minute); !got.Started.Equal(want) || got.Millis != 100+1000 {
			t.Errorf("started %v, %d ms; want %v and 1100", got.Started, got.Millis, want)
		}
	})
}

// TestCancel ends the context in the middle. The bubble fails if a goroutine
// stays behind.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		slow := runner(func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
			record := task.Record
			task.Record = func(turn trajectory.Turn) error {
				err := record(turn)
				wait(ctx, time.Second)
				return err
			}
			return work(ctx, task)
		})
		plan := rollout.Plan{Questions: questions(5), Count: 2, Concurrency: 4, Config: config}
		ctx, cancel := context.WithTimeout(t.Context(), 4500*time.Millisecond) // in the second turn of the second four
		defer cancel()
		got, err := rollout.Run(ctx, plan, rollout.Deps{Runner: slow, Store: m, Seeder: seeder(numbered)})
		if err != context.DeadlineExceeded {
			t.Errorf("error %v, want that of the context itself", err)
		}
		expectSummary(t, got, rollout.Summary{Planned: 10, Done: 4})
		if got.Elapsed != 4500*time.Millisecond {
			t.Errorf("took %v after the context ended at 4.5 s", got.Elapsed)
		}
		if len(m.lines) != 4 || m.complete != 0 {
			t.Errorf("%d lines, want those of the four that ended before", len(m.lines))
		}
		var pasts []int
		deps := rollout.Deps{Store: m, Seeder: seeder(numbered), Runner: runner(func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
			pasts = append(pasts, len(task.Past))
			return work(ctx, task)
		})}
		plan.Concurrency = 1
		got, err = rollout.Run(t.Context(), plan, deps)
		if err != nil {
			t.Fatal(err)
		}
		expectSummary(t, got, rollout.Summary{Planned: 10, AlreadyDone: 4, Done: 6})
		slices.Sort(pasts) // which questions came first is left to chance
		if want := []int{0, 0, 2, 2, 2, 2}; !slices.Equal(pasts, want) {
			t.Errorf("rollouts went on after %v turns, want %v", pasts, want)
		}
	})
}

func TestCancelWhileAsking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		m := newMemory()
		asking := seeder(func(ctx context.Context, q trajectory.Question, round, k int, base int64) (trajectory.Pool, error) {
			if q.ID == "q00" {
				<-ctx.Done()
				return trajectory.Pool{}, fmt.Errorf("llm: %w", ctx.Err())
			}
			return numbered(ctx, q, round, k, base)
		})
		finished := make(chan error)
		go func() {
			_, err := rollout.Run(ctx, rollout.Plan{Questions: questions(2), Config: config}, rollout.Deps{Runner: runner(work), Store: m, Seeder: asking})
			finished <- err
		}()
		synctest.Wait() // all goroutines but one wait for the queue
		cancel()
		if err := <-finished; err != context.Canceled {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
		if len(m.lines) != 4 {
			t.Errorf("%d lines, want four: a question that was given up has not failed", len(m.lines))
		}
	})
}

func TestStoreFailureEndsTheRun(t *testing.T) {
	full := errors.New("no space left on device")
	tests := []struct {
		name   string
		damage func(*memory)
	}{
		{"append", func(m *memory) { m.appendErr = full }},
		{"record", func(m *memory) { m.recordErr = full }},
		{"pool", func(m *memory) { m.poolErr = full }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMemory()
			tt.damage(m)
			var runs atomic.Int32
			counting := runner(func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
				runs.Add(1)
				return work(ctx, task)
			})
			plan := rollout.Plan{Questions: questions(50), Concurrency: 2, Config: config}
			got, err := rollout.Run(t.Context(), plan, rollout.Deps{Runner: counting, Store: m, Seeder: seeder(numbered)})
			if !errors.Is(err, full) || err.Error() != "rollout: no space left on device" {
				t.Errorf("error %v, want %v", err, full)
			}
			if runs.Load() > 2 || got.Failed > 0 || len(m.lines) > 0 {
				t.Errorf("%d rollouts were begun, %d lines, summary %+v", runs.Load(), len(m.lines), got)
			}
		})
	}
}

func TestHopelessRuns(t *testing.T) {
	unreachable := func(task agent.Task) error {
		return fmt.Errorf("agent: %v: %w", task.Key, &llm.Error{Kind: llm.ErrUnreachable, Endpoint: "http://x", Body: task.Key.String()})
	}
	refused := func(agent.Task) error { return &llm.Error{Kind: llm.ErrBadRequest, Endpoint: "http://x"} }
	tests := []struct {
		name        string
		questions   int
		concurrency int
		already     int // rollouts done before
		fail        func(task agent.Task) error
		failed      int    // rollouts, at concurrency 1
		want        string // error; empty: none
	}{
		{"unreachable", 100, 1, 0, unreachable, 8, "rollout: the first 8 rollouts all failed: agent: question q01 round 1 rollout 3: llm: http://x: the server cannot be reached: question q01 round 1 rollout 3"},
		{"setting is wrong", 100, 1, 0, refused, 8, "rollout: the first 8 rollouts all failed: llm: http://x: the server refused the request"},
		{"same text", 100, 1, 0, func(task agent.Task) error { return fmt.Errorf("%v: %w", task.Key, errors.New("no")) }, 8, "rollout: the first 8 rollouts all failed: question q01 round 1 rollout 3: no"},
		{"goes away later", 10, 1, 0, func(task agent.Task) error {
			if task.Key.Rollout == 0 && task.Question.ID == "q00" {
				return nil
			}
			return unreachable(task)
		}, 39, ""},
		{"several reasons", 10, 1, 0, func(task agent.Task) error { return errors.New(task.Key.String()) }, 40, "rollout: all 40 rollouts failed, the last with: question q09 round 1 rollout 3"},
		{"fewer than eight", 1, 1, 0, refused, 4, "rollout: all 4 rollouts failed, the last with: llm: http://x: the server refused the request"},
		{"a run that had results, unreachable", 10, 1, 2, unreachable, 8, "rollout: the first 8 rollouts all failed: agent: question q02 round 1 rollout 1: llm: http://x: the server cannot be reached: question q02 round 1 rollout 1"},
		{"a run that had results, other reason", 10, 1, 2, refused, 38, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMemory()
			plan := rollout.Plan{Questions: questions(tt.questions), Concurrency: tt.concurrency, Config: config}
			if tt.already > 0 {
				before := plan
				before.Questions, before.Count = plan.Questions[:1], tt.already
				if _, err := rollout.Run(t.Context(), before, rollout.Deps{Runner: runner(work), Store: m}); err != nil {
					t.Fatal(err)
				}
			}
			failing := runner(func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
				if err := tt.fail(task); err != nil {
					return nil, err
				}
				return work(ctx, task)
			})
			got, err := rollout.Run(t.Context(), plan, rollout.Deps{Runner: failing, Store: m})
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || err.Error() != tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if got.Failed != tt.failed {
				t.Errorf("%d rollouts failed, want %d", got.Failed, tt.failed)
			}
		})
	}
}

// TestHopelessWaitsForAWholeSet makes sure that a burst of failures as large as
// the concurrency is needed, and that dead pools count.
func TestHopelessWaitsForAWholeSet(t *testing.T) {
	dead := seeder(func(context.Context, trajectory.Question, int, int, int64) (trajectory.Pool, error) {
		return trajectory.Pool{}, &llm.Error{Kind: llm.ErrUnreachable}
	})
	plan := rollout.Plan{Questions: questions(500), Concurrency: 20, Config: config}
	got, err := rollout.Run(t.Context(), plan, rollout.Deps{Runner: runner(work), Store: newMemory(), Seeder: dead})
	if !errors.Is(err, llm.ErrUnreachable) || got.Failed < 20 || got.Failed > 20+20*4 {
		t.Errorf("%d failed, error %v", got.Failed, err)
	}
}

func TestShards(t *testing.T) {
	seen := map[string]int{}
	for i := 1; i <= 3; i++ {
		m := newMemory()
		plan := rollout.Plan{Questions: questions(7), Count: 2, Config: config, Shard: rollout.Shard{I: i, N: 3}}
		got, err := rollout.Run(t.Context(), plan, rollout.Deps{Runner: runner(work), Store: m})
		if err != nil {
			t.Fatal(err)
		}
		want := 2 * []int{3, 2, 2}[i-1]
		expectSummary(t, got, rollout.Summary{Planned: want, Done: want})
		for _, tr := range m.lines {
			seen[tr.QuestionID]++
		}
		for n, q := range questions(7) {
			if did := slices.ContainsFunc(m.lines, func(tr *trajectory.Trajectory) bool { return tr.QuestionID == q.ID }); did != plan.Shard.Holds(n) {
				t.Errorf("shard %d did %s: %v, Holds says otherwise", i, q.ID, did)
			}
		}
		if i == 2 && (seen["q01"] != 2 || seen["q04"] != 2) {
			t.Errorf("shard 2 of 3 did not do questions 1 and 4: %v", seen)
		}
	}
	for _, q := range questions(7) {
		if seen[q.ID] != 2 {
			t.Errorf("the shards did %d rollouts of %s, want 2", seen[q.ID], q.ID)
		}
	}
}

// The shard of a run stands in its manifest.
func TestShardJSON(t *testing.T) {
	data, err := json.Marshal(rollout.Shard{I: 2, N: 3})
	if err != nil || string(data) != `{"i":2,"n":3}` {
		t.Errorf("%s, %v", data, err)
	}
	if s := (rollout.Shard{}); !s.Holds(0) || !s.Holds(5) {
		t.Error("the zero shard is not all questions")
	}
}

func TestPlansThatAreRefused(t *testing.T) {
	tests := []struct {
		name string
		plan rollout.Plan
		want string
	}{
		{"same id", rollout.Plan{Questions: append(questions(2), questions(1)...)}, "rollout: two questions have the id q00"},
		{"no id", rollout.Plan{Questions: []trajectory.Question{{Text: "Who?"}}}, "rollout: question 1 has no id"},
		{"shard 0", rollout.Plan{Shard: rollout.Shard{I: 0, N: 2}}, "rollout: shard 0 of 2"},
		{"shard beyond", rollout.Plan{Shard: rollout.Shard{I: 3, N: 2}}, "rollout: shard 3 of 2"},
		{"a wild count", rollout.Plan{Questions: questions(2), Count: 100_000_000}, "rollout: 100000000 rollouts of a question: want at most 10000"},
		{"a wild concurrency", rollout.Plan{Questions: questions(2), Concurrency: 1 << 40}, "rollout: concurrency 1099511627776: want at most 100000"},
		{"negative count", rollout.Plan{Count: -1}, "rollout: round 1, count -1, concurrency 64: want 1 or more"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := rollout.Run(t.Context(), tt.plan, rollout.Deps{Runner: runner(work), Store: newMemory()}); err == nil || err.Error() != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

// slow is a store that looks long for each rollout; cancel is called when it has
// looked for some.
type slow struct {
	*memory
	looked int
	cancel func()
}

func (s *slow) Has(key trajectory.Key) bool {
	if s.looked++; s.looked == 100 {
		s.cancel()
	}
	return s.memory.Has(key)
}

// TestPlanningEnds checks that the end of the context is seen while a run is
// planned.
func TestPlanningEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := &slow{memory: newMemory(), cancel: cancel}
	_, err := rollout.Run(ctx, rollout.Plan{Questions: questions(1000), Count: 50, Config: config}, rollout.Deps{Runner: runner(work), Store: s})
	if err != context.Canceled || s.looked != 100 {
		t.Errorf("error %v after a look for %d rollouts, want %v after 100", err, s.looked, context.Canceled)
	}
}

// TestUnanswered counts rollouts that came to their end without an answer, in
// this run alone.
func TestUnanswered(t *testing.T) {
	silent := runner(func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
		tr, err := work(ctx, task)
		if err == nil && task.Question.ID != "q00" {
			tr.Answer, tr.Source, tr.Termination = "", trajectory.AnswerNone, trajectory.TurnLimit
		}
		return tr, err
	})
	m := newMemory()
	plan := rollout.Plan{Questions: questions(2), Count: 3, Config: config}
	got, err := rollout.Run(t.Context(), plan, rollout.Deps{Runner: silent, Store: m})
	if err != nil {
		t.Fatal(err)
	}
	expectSummary(t, got, rollout.Summary{Planned: 6, Done: 6, Unanswered: 3})
	if got, err = rollout.Run(t.Context(), plan, rollout.Deps{Runner: silent, Store: m}); err != nil {
		t.Fatal(err)
	}
	expectSummary(t, got, rollout.Summary{Planned: 6, AlreadyDone: 6})
}

func TestNothingToDo(t *testing.T) {
	m := newMemory()
	got, err := rollout.Run(t.Context(), rollout.Plan{}, rollout.Deps{Runner: runner(work), Store: m})
	if err != nil {
		t.Fatal(err)
	}
	expectSummary(t, got, rollout.Summary{})
}
