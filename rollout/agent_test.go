package rollout_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent"
	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
	"trawl/agent/tool"
	"trawl/internal/seed"
	"trawl/rollout"
	"trawl/rollout/divinit"
	"trawl/search"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

const (
	turns    = 5
	rollouts = 4
)

// A parrot is a model that never answers before it must. What it says follows
// from the seed of the request, as with a server that keeps to it.
type parrot struct{ calls atomic.Int32 }

func (p *parrot) Complete(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p.calls.Add(1)
	last := req.Messages[len(req.Messages)-1].Content
	say := fmt.Sprintf("<think>next</think>\n<search>topic %d</search>", *req.Seed)
	switch {
	case strings.Contains(last, "search queries"):
		var b strings.Builder
		for i := range 16 {
			fmt.Fprintf(&b, "%d. candidate %d\n", i+1, seed.Derive(*req.Seed, i))
		}
		say = b.String()
	case strings.Contains(last, "final answer"):
		say = fmt.Sprintf("<answer>guess %d</answer>", *req.Seed%3)
	}
	return &llm.Response{Message: llm.Message{Role: llm.Assistant, Content: say}, Finish: "stop", Usage: llm.Usage{Prompt: 50, Completion: 5}}, nil
}

// echo finds one document for every query.
type echo struct{}

func (echo) Search(_ context.Context, query string, _ int) ([]search.Hit, error) {
	return []search.Hit{{Document: search.Document{ID: query, Title: query, Text: "About " + query + "."}, Score: 1}}, nil
}

// experiment runs the real parts on client into dir.
func experiment(ctx context.Context, t *testing.T, client llm.Client, dir string, plan rollout.Plan) (rollout.Summary, error) {
	t.Helper()
	s := openStore(t, dir)
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	deps := rollout.Deps{
		Runner: agent.New(client, tool.NewSet(tool.NewSearch(echo{}, 10)), agent.Options{Dialect: agent.Tags, Turns: turns}),
		Store:  s,
	}
	if plan.Count == 0 {
		pools, err := divinit.New(client, divinit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		deps.Seeder = seeder(func(ctx context.Context, q trajectory.Question, _, k int, base int64) (trajectory.Pool, error) {
			return pools.Pool(ctx, q, k, divinit.Known{}, base)
		})
	}
	plan.Seed, plan.Config = 42, config
	return rollout.Run(ctx, plan, deps)
}

// TestCalls counts what a run costs: 1 + k(T−1) calls a question with a pool,
// kT without, and none when everything is done. (DivInit §4)
func TestCalls(t *testing.T) {
	tests := []struct {
		name  string
		count int // 0: with a pool
		want  int
	}{
		{"with a pool", 0, 1 + rollouts*(turns-1)},
		{"without", rollouts, rollouts * turns},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const n = 3
			dir := t.TempDir()
			plan := rollout.Plan{Questions: questions(n), Count: tt.count}
			model := &parrot{}
			if _, err := experiment(t.Context(), t, model, dir, plan); err != nil {
				t.Fatal(err)
			}
			run, err := store.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			recorded := 0
			for _, tr := range run.Trajectories {
				recorded += tr.Usage.LLMCalls
				if tr.Usage.Searches != turns-1 || (tr.SeedQuery != nil) != (tt.count == 0) {
					t.Errorf("%v: %d searches, seed query %+v", tr.Key(), tr.Usage.Searches, tr.SeedQuery)
				}
			}
			if got := int(model.calls.Load()); got != n*tt.want || recorded != got {
				t.Errorf("%d calls made and %d recorded, want %d", got, recorded, n*tt.want)
			}
			again := &parrot{}
			got, err := experiment(t.Context(), t, again, dir, plan)
			if err != nil {
				t.Fatal(err)
			}
			expectSummary(t, got, rollout.Summary{Planned: n * rollouts, AlreadyDone: n * rollouts})
			if calls := again.calls.Load(); calls != 0 {
				t.Errorf("a run that is done makes %d calls", calls)
			}
		})
	}
}

func TestFirstQueriesDiffer(t *testing.T) {
	dir := t.TempDir()
	if _, err := experiment(t.Context(), t, &parrot{}, dir, rollout.Plan{Questions: questions(2)}); err != nil {
		t.Fatal(err)
	}
	run, err := store.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	first := map[string]bool{}
	for _, tr := range run.Trajectories {
		q := tr.Steps[0].Query
		first[q] = true
		if tr.SeedQuery.Source != trajectory.SeedPool || tr.SeedQuery.Text != q || tr.Steps[0].Turn != 1 {
			t.Errorf("%v: first query %q, seed query %+v", tr.Key(), q, tr.SeedQuery)
		}
	}
	if len(first) != 2*rollouts {
		t.Errorf("%d different first queries, want %d", len(first), 2*rollouts)
	}
}

// TestInterruptedRunEndsTheSame cancels a run after each number of model calls
// and goes on: the lines are those of a run that nobody disturbed, and only the
// calls that were under way are made again.
func TestInterruptedRunEndsTheSame(t *testing.T) {
	const n, concurrency = 3, 4
	calm := t.TempDir()
	if _, err := experiment(t.Context(), t, &parrot{}, calm, rollout.Plan{Questions: questions(n), Concurrency: 1}); err != nil {
		t.Fatal(err)
	}
	want := timeless(t, calm)
	whole := n * (1 + rollouts*(turns-1))
	for stop := 1; stop < whole; stop += 3 {
		dir := t.TempDir()
		model := &parrot{}
		ctx, cancel := context.WithCancel(t.Context())
		limited := llmtest.Func(func(ctx context.Context, req *llm.Request) (*llm.Response, error) {
			resp, err := model.Complete(ctx, req)
			if int(model.calls.Load()) >= stop {
				cancel()
				return nil, ctx.Err()
			}
			return resp, err
		})
		plan := rollout.Plan{Questions: questions(n), Concurrency: concurrency}
		if _, err := experiment(ctx, t, limited, dir, plan); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped at call %d: error %v", stop, err)
		}
		if _, err := experiment(t.Context(), t, model, dir, plan); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, timeless(t, dir)); diff != "" {
			t.Fatalf("stopped at call %d (-calm +stopped):\n%.3000s", stop, diff)
		}
		if calls := int(model.calls.Load()); calls > whole+concurrency {
			t.Errorf("stopped at call %d: %d calls in all, want at most %d", stop, calls, whole+concurrency)
		}
	}
}

func TestSameWithTheRealAgent(t *testing.T) {
	want := ""
	for _, concurrency := range []int{1, 4, 32} {
		dir := t.TempDir()
		if _, err := experiment(t.Context(), t, &parrot{}, dir, rollout.Plan{Questions: questions(6), Concurrency: concurrency}); err != nil {
			t.Fatal(err)
		}
		got := timeless(t, dir)
		if want == "" {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("concurrency %d differs from 1:\n%.3000s", concurrency, diff)
		}
	}
}
