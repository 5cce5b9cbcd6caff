package rollout_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"trawl/agent"
	"trawl/internal/seed"
	"trawl/rollout"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

var _ rollout.Store = (*store.Store)(nil)

// settings hash to the config of every run of these tests.
var settings = json.RawMessage(`{"test":true}`)

var config = store.Hash(settings)

func openStore(t testing.TB, dir string) *store.Store {
	t.Helper()
	s, err := store.Open(dir, store.Manifest{Fixed: settings})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func questions(n int) []trajectory.Question {
	out := make([]trajectory.Question, n)
	for i := range out {
		out[i] = trajectory.Question{ID: fmt.Sprintf("q%02d", i), Text: fmt.Sprintf("What is number %d?", i)}
	}
	return out
}

// memory is a store in memory, for synctest bubbles and for faults.
type memory struct {
	mu       sync.Mutex
	lines    []*trajectory.Trajectory
	turns    map[trajectory.Key][]trajectory.Turn
	pools    map[string]trajectory.Pool
	complete int

	appendErr, recordErr, poolErr error
}

func newMemory() *memory {
	return &memory{turns: map[trajectory.Key][]trajectory.Turn{}, pools: map[string]trajectory.Pool{}}
}

func (m *memory) Has(key trajectory.Key) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.lines, func(t *trajectory.Trajectory) bool { return t.Key() == key && t.Error == "" })
}

func (m *memory) Past(key trajectory.Key) []trajectory.Turn {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.turns[key])
}

func (m *memory) Record(key trajectory.Key, turn trajectory.Turn) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.recordErr != nil {
		return m.recordErr
	}
	m.turns[key] = append(m.turns[key], turn)
	return nil
}

func (m *memory) Pool(questionID string, round int) (trajectory.Pool, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.pools[fmt.Sprint(questionID, round)]
	return p, ok
}

func (m *memory) RecordPool(p trajectory.Pool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.poolErr != nil {
		return m.poolErr
	}
	m.pools[fmt.Sprint(p.QuestionID, p.Round)] = p
	return nil
}

func (m *memory) Append(t *trajectory.Trajectory) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.appendErr != nil {
		return m.appendErr
	}
	m.lines = append(m.lines, t)
	return t.Validate()
}

func (m *memory) Complete([]string) error {
	m.complete++
	return nil
}

// runner is a function as a Runner.
type runner func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error)

func (f runner) Run(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
	return f(ctx, task)
}

// seeder is a function as a Seeder.
type seeder func(ctx context.Context, q trajectory.Question, round, k int, base int64) (trajectory.Pool, error)

func (f seeder) Pool(ctx context.Context, q trajectory.Question, round, k int, base int64) (trajectory.Pool, error) {
	return f(ctx, q, round, k, base)
}

// numbered gives rollout i of a question the query "first i", at a cost.
func numbered(_ context.Context, q trajectory.Question, _, k int, _ int64) (trajectory.Pool, error) {
	pool := trajectory.Pool{QuestionID: q.ID, Calls: 1, Usage: trajectory.CallUsage{Prompt: 1000, Completion: 100, Cached: 10, Estimated: true}}
	for i := range k {
		pool.Queries = append(pool.Queries, trajectory.SeedQuery{Text: fmt.Sprint("first ", i), Source: trajectory.SeedPool})
	}
	return pool, nil
}

const fakeTurns = 3

// fakeStart is a minute before the first turn of every fake rollout.
var fakeStart = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// work is a rollout of three turns whose answer follows from the task, and
// which goes on where its past ends.
func work(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
	t := &trajectory.Trajectory{
		V: trajectory.Version, QuestionID: task.Key.QuestionID, Round: task.Key.Round, Rollout: task.Key.Rollout, Config: task.Key.Config,
		Question: task.Question.Text, Seed: task.Seed, SeedQuery: task.SeedQuery, Messages: []trajectory.Message{},
		Answer: fmt.Sprint("answer ", task.Seed), Source: trajectory.AnswerTag, Termination: trajectory.Answered, Started: time.Now().UTC(),
	}
	for n := 1; n <= fakeTurns; n++ {
		var turn trajectory.Turn
		if n <= len(task.Past) {
			turn = task.Past[n-1]
		} else {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			turn = fakeTurn(n, seed.Derive(task.Seed, n))
			if err := task.Record(turn); err != nil {
				return nil, fmt.Errorf("agent: %w", err)
			}
		}
		t.Steps = append(t.Steps, turn.Steps...)
		t.Usage.LLMCalls += turn.Calls
		t.Usage.Prompt += turn.Usage.Prompt
	}
	return t, nil
}

func fakeTurn(n int, s int64) trajectory.Turn {
	return trajectory.Turn{
		Number: n,
		Steps:  []trajectory.Step{{Turn: n, Kind: trajectory.KindSearch, Query: fmt.Sprint("query ", s)}},
		Calls:  1, Usage: trajectory.CallUsage{Prompt: 7}, Searches: 1,
		Started: fakeStart.Add(time.Duration(n) * time.Minute), Millis: 100,
	}
}

// timeless returns what a run folder holds, sorted by key, without times.
func timeless(t *testing.T, dir string) string {
	t.Helper()
	run, err := store.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, tr := range append(run.Trajectories, run.Failed...) {
		tr.Started, tr.Millis = time.Time{}, 0
		for i := range tr.Steps {
			tr.Steps[i].Millis = 0
		}
		if err := enc.Encode(tr); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}
