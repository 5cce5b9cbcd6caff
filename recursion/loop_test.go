package recursion_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/agent"
	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
	"trawl/recursion"
	"trawl/rollout"
	"trawl/rollout/divinit"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

var _ recursion.Store = (*store.Store)(nil)

var _ recursion.Seeder = (*divinit.Seeder)(nil)

// memory is a store of states in memory.
type memory struct {
	mu     sync.Mutex
	states map[trajectory.Key]trajectory.State
	puts   []trajectory.Key
	err    error
}

func newMemory() *memory { return &memory{states: map[trajectory.Key]trajectory.State{}} }

func (m *memory) State(key trajectory.Key) (trajectory.State, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.states[key]
	return s, ok
}

func (m *memory) PutState(s trajectory.State) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return m.err
	}
	m.states[s.Key()] = s
	m.puts = append(m.puts, s.Key())
	return s.Validate()
}

// runner is a function as a runner.
type runner func(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error)

func (f runner) Run(ctx context.Context, task agent.Task) (*trajectory.Trajectory, error) {
	return f(ctx, task)
}

// done returns the trajectory of a task that cost 1,000 tokens and 2 s.
func done(task agent.Task) *trajectory.Trajectory {
	return &trajectory.Trajectory{
		V: trajectory.Version, QuestionID: task.Key.QuestionID, Round: task.Key.Round, Rollout: task.Key.Rollout, Config: task.Key.Config,
		Question: task.Question.Text, Seed: task.Seed, Messages: []trajectory.Message{{Role: "user", Content: "Question: " + task.Question.Text}},
		Steps:  []trajectory.Step{{Turn: 1, Kind: trajectory.KindSearch, Query: fmt.Sprintf("query %d %d", task.Key.Round, task.Key.Rollout)}},
		Answer: "x", Source: trajectory.AnswerTag, Termination: trajectory.Answered,
		Usage: trajectory.Usage{Prompt: 900, Completion: 100}, Millis: 2000,
	}
}

var quiet = runner(func(_ context.Context, task agent.Task) (*trajectory.Trajectory, error) { return done(task), nil })

func key(round, i int) trajectory.Key {
	return trajectory.Key{QuestionID: "q1", Round: round, Rollout: i, Config: "sha256:c"}
}

func task(round, i int) agent.Task {
	return agent.Task{Key: key(round, i), Question: trajectory.Question{ID: "q1", Text: "Where is it?"}, Seed: int64(10*round + i)}
}

// answers is a model that writes as summary k what text k says, in turn the last
// for ever, at 110 tokens each.
func answers(texts ...string) llmtest.Func {
	n := 0
	return func(context.Context, *llm.Request) (*llm.Response, error) {
		r := says(strings.ReplaceAll(written, "Paris", texts[min(n, len(texts)-1)]))
		n++
		return &r, nil
	}
}

func loop(t testing.TB, r rollout.Runner, s recursion.Seeder, client llm.Client, m *memory, o recursion.Options) *recursion.Loop {
	t.Helper()
	l, err := recursion.New(r, s, client, m, o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func run(t testing.TB, l *recursion.Loop, round, i int) {
	t.Helper()
	if got, err := l.Run(t.Context(), task(round, i)); err != nil || got.Key() != key(round, i) {
		t.Fatalf("round %d rollout %d: %v", round, i, err)
	}
}

// expectNext checks what follows a rollout.
func expectNext(t testing.TB, l *recursion.Loop, round, i int, ok bool, begin []int, skipped int) {
	t.Helper()
	gotBegin, gotSkipped, err := l.Next(key(round, i), ok)
	if err != nil || !slices.Equal(gotBegin, begin) || gotSkipped != skipped {
		t.Errorf("after round %d rollout %d (%v): begin %v, skip %d, %v; want %v, %d", round, i, ok, gotBegin, gotSkipped, err, begin, skipped)
	}
}

func TestNew(t *testing.T) {
	for _, o := range []recursion.Options{{Rounds: -1}, {Mode: "other"}, {Variant: "other"}, {Rounds: 2, Mode: recursion.Merged}, {Tokens: -1}, {Time: -1}} {
		if _, err := recursion.New(quiet, nil, answers("x"), newMemory(), o); err == nil || !strings.HasPrefix(err.Error(), "recursion: ") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := recursion.New(quiet, nil, nil, nil, recursion.Options{Rounds: 2}); err == nil {
		t.Error("two rounds without a model are no error")
	}
}

// With one round, nothing changes and nothing is asked.
func TestOneRound(t *testing.T) {
	script := llmtest.NewScript()
	m := newMemory()
	var got agent.Task
	l := loop(t, runner(func(_ context.Context, task agent.Task) (*trajectory.Trajectory, error) {
		got = task
		return done(task), nil
	}), nil, script, m, recursion.Options{Tokens: 100})
	run(t, l, 1, 0)
	if got.Preface != nil || got.Tokens != 0 || len(script.Requests()) > 0 || len(m.puts) > 0 {
		t.Errorf("task %+v, %d calls, %d states", got, len(script.Requests()), len(m.puts))
	}
	expectNext(t, l, 1, 0, true, nil, 0)
	expectNext(t, l, 1, 0, false, nil, 0)
}

// Each rollout goes its own way: one summary a round, told to the next, on which
// its budget is charged.
func TestPerThread(t *testing.T) {
	tasks := map[trajectory.Key]agent.Task{}
	r := runner(func(_ context.Context, task agent.Task) (*trajectory.Trajectory, error) {
		tasks[task.Key] = task
		return done(task), nil
	})
	m := newMemory()
	script := llmtest.NewScript(says(written), says(strings.ReplaceAll(written, "Paris", "Lyon")), says(written))
	l := loop(t, r, nil, script, m, recursion.Options{Rounds: 3, Count: 2, Tokens: 10_000, Time: time.Minute})
	for round := 1; round <= 3; round++ {
		run(t, l, round, 1)
		if n := len(script.Requests()); n != round {
			t.Errorf("%d model calls after round %d, want one a round", n, round)
		}
		if round < 3 {
			expectNext(t, l, round, 1, true, []int{1}, 0)
		} else {
			expectNext(t, l, round, 1, true, nil, 0)
		}
	}
	first, second, third := tasks[key(1, 1)], tasks[key(2, 1)], tasks[key(3, 1)]
	if first.Preface != nil || first.Tokens != 10_000 || first.Time != time.Minute {
		t.Errorf("the first round has %+v", first)
	}
	// A round costs 1,000 tokens and its summary 110.
	want := &agent.Preface{
		Note: recursion.Render("note", nil),
		Text: recursion.Render("continue", map[string]any{"Round": 1, "Raw": written, "FreeUse": true}),
	}
	if diff := cmp.Diff(want, second.Preface); diff != "" || second.Tokens != 10_000-1110 {
		t.Errorf("the second round has %d tokens and the preface (-want +got):\n%s", second.Tokens, diff)
	}
	s, _ := m.State(key(1, 1))
	if second.Time != time.Minute-time.Duration(s.Spent.Millis)*time.Millisecond || s.Spent.Millis < 2000 {
		t.Errorf("the second round has %v, of which %d ms are spent", second.Time, s.Spent.Millis)
	}
	if third.Tokens != 10_000-2220 || !strings.Contains(third.Preface.Text, "Lyon") || strings.Contains(third.Preface.Text, "Paris") {
		t.Errorf("the third round has %d tokens and is told %q", third.Tokens, third.Preface.Text)
	}
	last, _ := m.State(key(3, 1))
	if last.Spent.Tokens != 3330 || last.Stopped != "" || *last.CurrentAnswer != "Paris" || !slices.Equal(last.Queries, []string{"query 3 1"}) {
		t.Errorf("the last state is %+v", last)
	}
	for _, req := range script.Requests()[1:] {
		if prompt := req.Messages[len(req.Messages)-1].Content; !strings.Contains(prompt, "carry over") {
			t.Errorf("a later round is asked %q", prompt)
		}
	}
}

// A budget bounds a task that has bounds of its own only where it is the tighter.
func TestBounds(t *testing.T) {
	var got agent.Task
	l := loop(t, runner(func(_ context.Context, task agent.Task) (*trajectory.Trajectory, error) {
		got = task
		return done(task), nil
	}), nil, answers("x"), newMemory(), recursion.Options{Rounds: 2, Tokens: 1000, Time: time.Hour})
	for i, tt := range []struct{ tokens, want int }{{0, 1000}, {999, 999}, {1001, 1000}} {
		asked := task(1, i)
		asked.Tokens, asked.Time = tt.tokens, time.Minute
		if _, err := l.Run(t.Context(), asked); err != nil || got.Tokens != tt.want || got.Time != time.Minute {
			t.Errorf("%d tokens asked, %d and %v given (%v)", tt.tokens, got.Tokens, got.Time, err)
		}
	}
}

func TestPlain(t *testing.T) {
	var got agent.Task
	m := newMemory()
	l := loop(t, runner(func(_ context.Context, task agent.Task) (*trajectory.Trajectory, error) {
		got = task
		return done(task), nil
	}), nil, answers("Paris"), m, recursion.Options{Rounds: 2, Plain: true})
	run(t, l, 1, 0)
	run(t, l, 2, 0)
	if want := recursion.Render("continue", map[string]any{"Round": 1, "Raw": written}); got.Preface.Text != want {
		t.Errorf("the second round is told %q", got.Preface.Text)
	}
}

// What a rollout needs is there, or it fails; what it does is not done twice.
func TestRunFailures(t *testing.T) {
	unreachable := llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) {
		return nil, &llm.Error{Kind: llm.ErrUnreachable}
	})
	o := recursion.Options{Rounds: 2}
	m := newMemory()
	if _, err := loop(t, quiet, nil, unreachable, m, o).Run(t.Context(), task(1, 0)); !errors.Is(err, llm.ErrUnreachable) || len(m.puts) > 0 {
		t.Errorf("err = %v", err)
	}
	m.err = errors.New("disk full")
	if _, err := loop(t, quiet, nil, answers("x"), m, o).Run(t.Context(), task(1, 0)); err == nil || err.Error() != "recursion: disk full" {
		t.Errorf("err = %v", err)
	}
	m.err = nil
	none := llmtest.NewScript()
	lost := runner(func(context.Context, agent.Task) (*trajectory.Trajectory, error) { return nil, errors.New("lost") })
	if _, err := loop(t, lost, nil, none, m, o).Run(t.Context(), task(1, 0)); err == nil || err.Error() != "lost" {
		t.Errorf("err = %v", err)
	}
	failed := runner(func(_ context.Context, task agent.Task) (*trajectory.Trajectory, error) {
		t := done(task)
		t.Error = "failed"
		return t, nil
	})
	if got, err := loop(t, failed, nil, none, m, o).Run(t.Context(), task(1, 0)); err != nil || got.Error != "failed" {
		t.Errorf("%+v, %v", got, err)
	}
	if len(m.puts)+len(none.Requests()) > 0 {
		t.Errorf("a rollout that failed has %d states of %d calls", len(m.puts), len(none.Requests()))
	}
}

// A state that the store has is not made again.
func TestResume(t *testing.T) {
	m := newMemory()
	o := recursion.Options{Rounds: 3, Count: 2}
	run(t, loop(t, quiet, nil, answers("Paris"), m, o), 1, 0)
	none := llmtest.NewScript()
	l := loop(t, quiet, nil, none, m, o)
	run(t, l, 1, 0)
	if len(none.Requests()) > 0 || len(m.puts) != 1 {
		t.Errorf("%d calls, %d states", len(none.Requests()), len(m.puts))
	}
	expectNext(t, l, 1, 0, true, []int{0}, 0)
}

// A rollout that is begun without a state to begin with is told nothing.
func TestNoState(t *testing.T) {
	empty := llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) { return &llm.Response{}, nil })
	for _, mode := range []recursion.Mode{recursion.PerThread, recursion.Merged} {
		m := newMemory()
		var got agent.Task
		l := loop(t, runner(func(_ context.Context, task agent.Task) (*trajectory.Trajectory, error) {
			got = task
			return done(task), nil
		}), nil, empty, m, recursion.Options{Rounds: 3, Count: 1, Mode: mode})
		run(t, l, 1, 0)
		expectNext(t, l, 1, 0, true, []int{0}, 0)
		run(t, l, 2, 0)
		if s, _ := m.State(key(2, 0)); got.Preface != nil || s.Origin != trajectory.StateNone {
			t.Errorf("%s: the second round is told %+v and leaves a state of origin %s", mode, got.Preface, s.Origin)
		}
	}
}

func TestStop(t *testing.T) {
	const unverified = "## 0. Current Answer\nParis\n## 1. Facts & Evidence Collected\n- E1: It stands by the river. [Source: a | b | Verified: no]\n" +
		"- E2: Other things are so. [Source: a | b | Verified: no]\n## 2. Analysis & Conclusions\n"
	uncited := strings.Replace(unverified, "It stands", "Paris stands", 1) + "- It is Paris. [E3]"
	tests := []struct {
		name      string
		o         recursion.Options
		summaries []string
		want      []trajectory.Termination // of the states, in order
	}{
		{"never by itself", recursion.Options{}, []string{written, written, written, written}, []trajectory.Termination{"", "", "", ""}},
		{"an answer stays", recursion.Options{EarlyStop: true}, []string{written, strings.ReplaceAll(written, "Paris", "the paris!")}, []trajectory.Termination{"", "answered"}},
		{"an answer changes, then stays", recursion.Options{EarlyStop: true}, []string{strings.ReplaceAll(written, "Paris", "Lyon"), written, written}, []trajectory.Termination{"", "", "answered"}},
		{"an answer stays up to the last round", recursion.Options{EarlyStop: true}, []string{"## 0. Current Answer\nNone", "## 0. Current Answer\nNone", written, written}, []trajectory.Termination{"", "", "", "answered"}},
		{"no answer stays", recursion.Options{EarlyStop: true}, []string{"## 0. Current Answer\nNone", "## 0. Current Answer\nNone", "## 0. Current Answer\nNone"}, []trajectory.Termination{"", "", ""}},
		{"the state is only carried", recursion.Options{EarlyStop: true}, []string{written, "", "", ""}, []trajectory.Termination{"", ""}},
		{"a conclusion cites what is not verified", recursion.Options{EarlyStop: true},
			[]string{unverified + "- It is Paris. [E1]", unverified + "- It is Paris. [E1]"}, []trajectory.Termination{"", ""}},
		{"a fact that is not verified names it", recursion.Options{EarlyStop: true},
			[]string{strings.Replace(written, "Verified: yes", "Verified: no", 1), strings.Replace(written, "Verified: yes", "Verified: no", 1)}, []trajectory.Termination{"", ""}},
		{"a fact that no conclusion cites names it", recursion.Options{EarlyStop: true},
			[]string{uncited, uncited}, []trajectory.Termination{"", ""}},
		{"a fact that is verified in part", recursion.Options{EarlyStop: true},
			[]string{strings.Replace(written, "Verified: yes", "Verified: partial", 1), strings.Replace(written, "Verified: yes", "Verified: partial", 1)}, []trajectory.Termination{"", "answered"}},
		{"a conclusion about something else does", recursion.Options{EarlyStop: true},
			[]string{unverified + "- It is Parisian. [E1]", unverified + "- It is Parisian. [E1]"}, []trajectory.Termination{"", "answered"}},
		{"in a script without spaces", recursion.Options{EarlyStop: true},
			[]string{strings.ReplaceAll(unverified, "Paris", "東京") + "- 本社は東京だ。 [E1]", strings.ReplaceAll(unverified, "Paris", "東京") + "- 本社は東京だ。 [E1]"}, []trajectory.Termination{"", ""}},
		// A round costs 1,110 tokens and about 2 s.
		{"tokens for three rounds", recursion.Options{Tokens: 3330}, []string{written, written, written}, []trajectory.Termination{"", "", "token-limit"}},
		{"tokens for not quite three", recursion.Options{Tokens: 3329}, []string{written, written}, []trajectory.Termination{"", "token-limit"}},
		{"time for one round", recursion.Options{Time: 3900 * time.Millisecond}, []string{written}, []trajectory.Termination{"time-limit"}},
	}
	for _, mode := range []recursion.Mode{recursion.PerThread, recursion.Merged} {
		for _, tt := range tests {
			t.Run(string(mode)+" "+tt.name, func(t *testing.T) {
				var replies []llm.Response
				for _, s := range tt.summaries {
					replies = append(replies, says(s))
				}
				tt.o.Rounds, tt.o.Count, tt.o.Mode = 4, 1, mode
				m := newMemory()
				l := loop(t, quiet, nil, llmtest.NewScript(replies...), m, tt.o)
				for n, want := range tt.want {
					round := n + 1
					run(t, l, round, 0)
					if mode == recursion.Merged && round == 4 {
						want = "" // the last round is not merged
					}
					begin, skipped := []int{0}, 0
					if want != "" {
						begin, skipped = nil, 4-round
					} else if round == 4 {
						begin = nil
					}
					expectNext(t, l, round, 0, true, begin, skipped)
					at := key(round, 0)
					if mode == recursion.Merged && round < 4 {
						at.Rollout = trajectory.MergedRollout
					}
					if s, ok := m.State(at); !ok || s.Stopped != want {
						t.Errorf("round %d: stopped %q, want %q", round, s.Stopped, want)
					}
				}
			})
		}
	}
}

// TestMoreRounds: a run that is given more rounds one by one stops where one does
// that had them from the beginning.
func TestMoreRounds(t *testing.T) {
	for _, mode := range []recursion.Mode{recursion.PerThread, recursion.Merged} {
		m := newMemory()
		for rounds := 2; rounds <= 6; rounds++ {
			l := loop(t, quiet, nil, answers(written), m, recursion.Options{Rounds: rounds, Count: 1, Mode: mode, EarlyStop: true})
			for round, more := 1, true; more && round <= rounds; round++ {
				run(t, l, round, 0)
				begin, _, err := l.Next(key(round, 0), true)
				if err != nil {
					t.Fatal(err)
				}
				more = len(begin) > 0
			}
		}
		if _, more := m.State(key(3, 0)); more {
			t.Errorf("%s: a third round was made, though the answer had settled in the second", mode)
		}
	}
}

func TestNextPerThread(t *testing.T) {
	l := loop(t, quiet, nil, answers("x"), newMemory(), recursion.Options{Rounds: 4})
	expectNext(t, l, 1, 0, false, nil, 3)
	expectNext(t, l, 3, 0, false, nil, 1)
	expectNext(t, l, 4, 0, false, nil, 0)
	expectNext(t, l, 4, 1, true, nil, 0)
	expectNext(t, l, 2, 1, true, []int{1}, 0)
}

// Rollouts meet after each round, whoever of them failed.
func TestMerged(t *testing.T) {
	tasks := map[trajectory.Key]agent.Task{}
	r := runner(func(_ context.Context, task agent.Task) (*trajectory.Trajectory, error) {
		tasks[task.Key] = task
		return done(task), nil
	})
	m := newMemory()
	l := loop(t, r, nil, answers("Paris", "Lyon", "Paris"), m, recursion.Options{Rounds: 3, Count: 3, Mode: recursion.Merged, Tokens: 10_000})
	run(t, l, 1, 0)
	run(t, l, 1, 2)
	expectNext(t, l, 1, 2, true, nil, 0)
	expectNext(t, l, 1, 1, false, nil, 0)
	expectNext(t, l, 1, 0, true, []int{0, 1, 2}, 0)
	merged, ok := m.State(key(1, trajectory.MergedRollout))
	if !ok || !slices.Equal(merged.From, []int{0, 2}) || merged.Spent.Tokens != 2220 || merged.Calls != 0 || merged.Origin != trajectory.StateMerged {
		t.Fatalf("merged: %v %+v", ok, merged)
	}
	for i := range 3 {
		run(t, l, 2, i)
		got := tasks[key(2, i)]
		if want := recursion.Render("continue", map[string]any{"Round": 1, "Raw": merged.Raw, "FreeUse": true}); got.Preface == nil || got.Preface.Text != want || got.Tokens != 10_000-1110 {
			t.Errorf("rollout %d has %d tokens and is told %+v", i, got.Tokens, got.Preface)
		}
		if s, _ := m.State(key(2, i)); s.Spent.Tokens != map[int]int{0: 2220, 1: 1110, 2: 2220}[i] || s.Stopped != "" {
			t.Errorf("rollout %d has spent %d tokens, stopped %q", i, s.Spent.Tokens, s.Stopped)
		}
		begin := []int(nil)
		if i == 2 {
			begin = []int{0, 1, 2}
		}
		expectNext(t, l, 2, i, true, begin, 0)
	}
	if merged, _ = m.State(key(2, trajectory.MergedRollout)); merged.Spent.Tokens != 5550 || !slices.Equal(merged.Queries, []string{"query 2 0", "query 2 1", "query 2 2"}) {
		t.Errorf("merged: %+v", merged)
	}
	for i := range 3 {
		run(t, l, 3, i)
		expectNext(t, l, 3, i, true, nil, 0)
	}
	if _, ok := m.State(key(3, trajectory.MergedRollout)); ok {
		t.Error("the last round is merged, for nobody")
	}
}

func TestMergedNothing(t *testing.T) {
	m := newMemory()
	l := loop(t, quiet, nil, answers("x"), m, recursion.Options{Rounds: 4, Count: 2, Mode: recursion.Merged})
	expectNext(t, l, 1, 1, false, nil, 0)
	expectNext(t, l, 1, 0, false, nil, 3*2)
	if len(m.puts) > 0 {
		t.Errorf("there are states: %v", m.puts)
	}
	m.err = errors.New("disk full")
	m.states[key(2, 0)] = func() trajectory.State { s := state(0, "x"); s.Round = 2; return s }()
	m.states[key(1, trajectory.MergedRollout)] = recursion.Merge([]trajectory.State{state(0, "x")}, recursion.Base)
	if _, _, err := l.Next(key(2, 1), false); err != nil {
		t.Error(err)
	}
	if _, _, err := l.Next(key(2, 0), true); err == nil || err.Error() != "recursion: disk full" {
		t.Errorf("err = %v, want that of the store", err)
	}
}

// A round that was merged in an earlier run is not merged again: what follows can
// begin with the first of its rollouts, once.
func TestMergedResume(t *testing.T) {
	m := newMemory()
	o := recursion.Options{Rounds: 3, Count: 2, Mode: recursion.Merged}
	l := loop(t, quiet, nil, answers("Paris"), m, o)
	run(t, l, 1, 0)
	expectNext(t, l, 1, 1, false, nil, 0)
	expectNext(t, l, 1, 0, true, []int{0, 1}, 0)
	run(t, l, 2, 0)
	puts := len(m.puts)

	l = loop(t, quiet, nil, answers("Lyon"), m, o)
	expectNext(t, l, 1, 0, true, []int{0, 1}, 0)
	expectNext(t, l, 2, 0, true, nil, 0)
	run(t, l, 1, 1) // is tried again
	expectNext(t, l, 1, 1, true, nil, 0)
	run(t, l, 2, 1)
	expectNext(t, l, 2, 1, true, []int{0, 1}, 0)
	if s, _ := m.State(key(1, trajectory.MergedRollout)); !slices.Equal(s.From, []int{0}) || len(m.puts) != puts+3 {
		t.Errorf("merged from %v, %d more states, want 3", s.From, len(m.puts)-puts)
	}
}

// pools is a seeder that notes what it is told.
type pools struct{ known []divinit.Known }

func (p *pools) Pool(_ context.Context, q trajectory.Question, k int, known divinit.Known, seed int64) (trajectory.Pool, error) {
	p.known = append(p.known, known)
	return trajectory.Pool{QuestionID: fmt.Sprint(q.ID, " ", k, " ", seed)}, nil
}

func TestPool(t *testing.T) {
	q := trajectory.Question{ID: "q1"}
	for _, mode := range []recursion.Mode{recursion.PerThread, recursion.Merged} {
		l := loop(t, quiet, nil, answers("x"), newMemory(), recursion.Options{Rounds: 2, Count: 1, Mode: mode})
		if pool, err := l.Pool(t.Context(), q, 1, 4, 9); err != nil || pool.Queries != nil {
			t.Errorf("%s: without a seeder: %+v, %v", mode, pool, err)
		}
	}
	p := &pools{}
	l := loop(t, quiet, p, answers("x"), newMemory(), recursion.Options{Rounds: 2})
	pool, err := l.Pool(t.Context(), q, 1, 4, 9)
	if err != nil || pool.QuestionID != "q1 4 9" {
		t.Errorf("%+v, %v", pool, err)
	}
	if pool, err = l.Pool(t.Context(), q, 2, 4, 9); err != nil || pool.QuestionID != "" {
		t.Errorf("the second round of a chain has the pool %+v, %v", pool, err)
	}
	if diff := cmp.Diff([]divinit.Known{{}}, p.known); diff != "" {
		t.Errorf("known mismatch (-want +got):\n%s", diff)
	}
}

func TestPoolKnown(t *testing.T) {
	m := newMemory()
	p := &pools{}
	l := loop(t, quiet, p, answers("x"), m, recursion.Options{Rounds: 3, Count: 1, Mode: recursion.Merged})
	first, second := state(0, ""), state(0, "")
	first.Queries = []string{"one", "two"}
	first.Uncertainties = []string{"not this one"}
	second.Round, second.Queries = 2, []string{"three"}
	for i := range 20 {
		status := []trajectory.Status{"yes", "partial", "no", ""}[i%4]
		second.Facts = append(second.Facts, trajectory.Fact{ID: fmt.Sprint("E", i+1), Text: fmt.Sprint("fact ", i), Verified: status})
	}
	for i := range 10 {
		second.Uncompleted = append(second.Uncompleted, fmt.Sprint("lead ", i))
		second.Uncertainties = append(second.Uncertainties, fmt.Sprint("doubt ", i))
	}
	m.states[first.Key()] = first
	m.states[second.Key()] = second
	expectNext(t, l, 1, 0, true, []int{0}, 0)
	expectNext(t, l, 2, 0, true, []int{0}, 0)
	if _, err := l.Pool(t.Context(), trajectory.Question{ID: "q1"}, 3, 1, 9); err != nil {
		t.Fatal(err)
	}
	want := divinit.Known{Tried: []string{"one", "two", "three"}}
	for i := range 20 { // verified ones first: 5 and 5
		if i%4 == 0 {
			want.Facts = append(want.Facts, fmt.Sprint("fact ", i))
		}
	}
	for i := range 20 {
		if i%4 == 1 {
			want.Facts = append(want.Facts, fmt.Sprint("fact ", i))
		}
	}
	for i := range 10 {
		want.Open = append(want.Open, fmt.Sprint("lead ", i))
	}
	for i := range 6 { // 16 in all
		want.Open = append(want.Open, fmt.Sprint("doubt ", i))
	}
	if diff := cmp.Diff([]divinit.Known{want}, p.known); diff != "" {
		t.Errorf("known mismatch (-want +got):\n%s", diff)
	}

	if _, err := l.Pool(t.Context(), trajectory.Question{ID: "q2"}, 2, 1, 9); err == nil || err.Error() != "recursion: question q2 has no round before round 2" {
		t.Errorf("err = %v", err)
	}
	third, fourth := withFact(0, "A is the B of C.", "yes"), state(1, "Lyon")
	third.CurrentAnswer, third.Uncertainties = &[]string{"Paris"}[0], []string{"Who?"}
	for i := range 20 {
		third.Facts = append(third.Facts, trajectory.Fact{ID: fmt.Sprint("E", i+2), Text: fmt.Sprint(i, " is"), Verified: "yes"})
	}
	third.QuestionID, fourth.QuestionID = "q3", "q3"
	merged := recursion.Merge([]trajectory.State{third, fourth}, recursion.Base)
	merged.Conflicts = append(merged.Conflicts, strings.Fields("b c d e f g h i")...)
	m.states[merged.Key()] = merged
	if _, _, err := l.Next(third.Key(), true); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Pool(t.Context(), trajectory.Question{ID: "q3"}, 2, 1, 9); err != nil {
		t.Fatal(err)
	}
	got := p.known[len(p.known)-1]
	if diff := cmp.Diff([]string{"Who?"}, got.Open); diff != "" || len(got.Facts) != 12 {
		t.Errorf("%d facts, want 12; open mismatch (-want +got):\n%s", len(got.Facts), diff)
	}
	conflicts := append([]string{"The attempts differ in their answers: Paris (rollout 0); Lyon (rollout 1)."}, strings.Fields("b c d e f g h")...)
	if diff := cmp.Diff(conflicts, got.Conflicts); diff != "" {
		t.Errorf("conflicts mismatch (-want +got):\n%s", diff)
	}
}

// A whole run with the store and the rollouts of package rollout: killed after
// each summary and gone on with, or with everything at once, it comes to the same
// states by the same number of calls.
func TestRounds(t *testing.T) {
	for _, mode := range []recursion.Mode{recursion.PerThread, recursion.Merged} {
		t.Run(string(mode), func(t *testing.T) {
			const questions, threads, rounds = 2, 2, 3
			whole := t.TempDir()
			if calls := runs(t, whole, mode, 1, -1); calls != questions*threads*rounds {
				t.Errorf("%d summaries, want one for each rollout and round", calls)
			}
			parallel := t.TempDir()
			runs(t, parallel, mode, 8, -1)
			broken, calls := t.TempDir(), 0
			for range 100 {
				n := runs(t, broken, mode, 1, 1)
				calls += n
				if n == 0 {
					break
				}
			}
			if calls != questions*threads*rounds {
				t.Errorf("%d summaries of a run that was killed, want %d", calls, questions*threads*rounds)
			}
			want, _, err := store.ReadStates(whole)
			if err != nil {
				t.Fatal(err)
			}
			merged := 0
			if mode == recursion.Merged {
				merged = questions * (rounds - 1)
			}
			if len(want) != questions*threads*rounds+merged {
				t.Errorf("%d states", len(want))
			}
			for name, dir := range map[string]string{"killed": broken, "parallel": parallel} {
				got, _, err := store.ReadStates(dir)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(timeless(want), timeless(got)); diff != "" {
					t.Errorf("states mismatch (-whole +%s):\n%s", name, diff)
				}
			}
		})
	}
}

func timeless(states []trajectory.State) []trajectory.State {
	for i := range states {
		states[i].Started, states[i].Millis, states[i].Spent.Millis = time.Time{}, 0, 0
	}
	return states
}

// runs goes on with a run in dir and ends it after a number of summaries, -1 for
// none, before the rollout they belong to is stored. It returns how many it made.
func runs(t *testing.T, dir string, mode recursion.Mode, concurrency, limit int) int {
	t.Helper()
	settings := json.RawMessage(`{"test":true}`)
	st, err := store.Open(dir, store.Manifest{Fixed: settings})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var calls atomic.Int32
	client := llmtest.Func(func(ctx context.Context, req *llm.Request) (*llm.Response, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		calls.Add(1)
		r := says(strings.ReplaceAll(written, "Paris", fmt.Sprint("Paris ", *req.Seed)))
		return &r, nil
	})
	dying := &dyingStore{Store: st}
	l, err := recursion.New(quiet, nil, client, dying, recursion.Options{Rounds: 3, Count: 2, Mode: mode})
	if err != nil {
		t.Fatal(err)
	}
	dying.put = func(s trajectory.State) {
		if s.Origin != trajectory.StateMerged && int(calls.Load()) == limit {
			cancel()
		}
	}
	plan := rollout.Plan{Questions: []trajectory.Question{{ID: "a", Text: "A?"}, {ID: "b", Text: "B?"}}, Rounds: 3, Count: 2, Concurrency: concurrency, Seed: 42, Config: store.Hash(settings)}
	_, err = rollout.Run(ctx, plan, rollout.Deps{Runner: l, Store: st, Seeder: l, Sequel: l})
	if err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
	return int(calls.Load())
}

// dyingStore tells of each state that it keeps.
type dyingStore struct {
	recursion.Store
	put func(trajectory.State)
}

func (s *dyingStore) PutState(st trajectory.State) error {
	err := s.Store.PutState(st)
	s.put(st)
	return err
}
