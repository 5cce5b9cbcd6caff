package recursion_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trawl/agent"
	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
	"trawl/agent/tool"
	"trawl/internal/seed"
	"trawl/recursion"
	"trawl/recursion/internal/summary"
	"trawl/search"
	"trawl/trajectory"
)

const written = "## 0. Current Answer\nParis\n\n## 1. Facts & Evidence Collected\n- E1: Paris is it. [Source: search | http://a/1 | Verified: yes]\n\n" +
	"## 2. Analysis & Conclusions\n- Paris. [E1]\n\n## 3. Source Inventory & Verification Status\nNone\n\n## 4. Uncertainties, Limitations, Gaps\nNone"

// says makes a reply, with what it costs.
func says(content string) llm.Response {
	return llm.Response{Message: llm.Message{Content: content}, Usage: llm.Usage{Prompt: 100, Completion: 10, Cached: 5}}
}

func thinks(reasoning string) llm.Response {
	return llm.Response{Message: llm.Message{Reasoning: reasoning}, Usage: llm.Usage{Prompt: 100, Completion: 10, Cached: 5}}
}

func with(r llm.Response, change func(*llm.Response)) llm.Response {
	change(&r)
	return r
}

// conversation is a round of n searches, the last of which was not answered, and
// its cost.
func conversation(n int) *trajectory.Trajectory {
	t := &trajectory.Trajectory{
		V: trajectory.Version, QuestionID: "q1", Round: 1, Rollout: 2, Config: "sha256:c", Question: "Where  is it?", Seed: 7, Termination: trajectory.TurnLimit, Source: trajectory.AnswerNone,
		Usage: trajectory.Usage{LLMCalls: n, Prompt: 1000, Completion: 50}, Millis: 600,
		Messages: []trajectory.Message{{Role: "system", Content: "The rules."}, {Role: "user", Content: "Question: Where is it?"}, {Role: "user", Content: "Summary of the earlier attempts"}},
	}
	for i := range n {
		id := fmt.Sprint("c", i)
		t.Messages = append(t.Messages, trajectory.Message{Role: "assistant", Content: fmt.Sprint("thought ", i), ToolCalls: []trajectory.ToolCall{{ID: id, Name: "search", Arguments: `{}`}}})
		if i < n-1 {
			t.Messages = append(t.Messages, trajectory.Message{Role: "tool", ToolCallID: id, Name: "search", Content: fmt.Sprint("result ", i)})
		}
	}
	return t
}

func compress(t testing.TB, client llm.Client, o recursion.Options, before *trajectory.State) trajectory.State {
	t.Helper()
	s, err := recursion.NewCompressor(client, o).Compress(t.Context(), conversation(3), before)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	return s
}

func earlier() *trajectory.State {
	s := summary.Parse(strings.ReplaceAll(written, "Paris", "Lyon"))
	s.V, s.QuestionID, s.Round, s.Origin, s.Spent = 1, "q1", 1, trajectory.StateModel, trajectory.Spent{Tokens: 500, Millis: 50}
	return &s
}

func TestCompressRequest(t *testing.T) {
	script := llmtest.NewScript(says(written))
	temperature := 0.0
	o := recursion.Options{
		Sampling: llm.Sampling{Temperature: &temperature, MaxTokens: 99, Extra: map[string]any{"top_k": 20}},
		Tools:    []llm.Tool{{Name: "search"}},
	}
	compress(t, script, o, nil)
	req := script.Requests()[0]
	want := []llm.Message{
		{Role: "system", Content: "The rules."},
		{Role: "user", Content: "Question: Where is it?\n\nSummary of the earlier attempts"},
		{Role: "assistant", Content: "thought 0", ToolCalls: []llm.ToolCall{{ID: "c0", Name: "search", Arguments: "{}"}}},
		{Role: "tool", ToolCallID: "c0", Name: "search", Content: "result 0"},
		{Role: "assistant", Content: "thought 1", ToolCalls: []llm.ToolCall{{ID: "c1", Name: "search", Arguments: "{}"}}},
		{Role: "tool", ToolCallID: "c1", Name: "search", Content: "result 1"},
		{Role: "assistant", Content: "thought 2", ToolCalls: []llm.ToolCall{{ID: "c2", Name: "search", Arguments: "{}"}}},
		{Role: "tool", ToolCallID: "c2", Name: "search", Content: "This call was not run: the budget of this round is used up."},
		{Role: "user", Content: recursion.Render("summary", map[string]any{"Question": "Where is it?"})},
	}
	if diff := cmp.Diff(want, req.Messages); diff != "" {
		t.Errorf("messages mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(o.Sampling, req.Sampling); diff != "" {
		t.Errorf("sampling mismatch (-want +got):\n%s", diff)
	}
	if len(req.Tools) != 1 || !req.NoTools || req.Affinity != "q1" || *req.Seed != seed.Derive(7, "summary", 0) {
		t.Errorf("request %+v with seed %d", req, *req.Seed)
	}

	script = llmtest.NewScript(says(written))
	compress(t, script, recursion.Options{Variant: recursion.Full}, earlier())
	req = script.Requests()[0]
	if got, want := req.Messages[len(req.Messages)-1].Content, recursion.Render("summary", map[string]any{"Question": "Where is it?", "Full": true, "Earlier": true}); got != want {
		t.Errorf("the last message is %q", got)
	}
	if req.NoTools || req.Tools != nil {
		t.Error("without tools, the request speaks of tools")
	}
}

func TestCompressReplies(t *testing.T) {
	cut := with(says(written[:60]), func(r *llm.Response) { r.Finish = "length" })
	called := with(says(written), func(r *llm.Response) { r.Message.ToolCalls = []llm.ToolCall{{Name: "search"}} })
	onlyCall := with(says(""), func(r *llm.Response) { r.Message.ToolCalls = []llm.ToolCall{{Name: "search"}} })
	empty := says("")
	cutProse := with(says("I have found"), func(r *llm.Response) { r.Finish = "length" })
	const search, jsonCall = "<search>x</search>", `{"name": "search", "arguments": {"query": "x"}}`
	tests := []struct {
		name    string
		replies []llm.Response
		raw     string // of the state; "" for none
		repairs []string
		calm    []bool // which requests are made without thinking
	}{
		{"as asked", []llm.Response{says(written)}, written, nil, []bool{false}},
		{"behind thinking", []llm.Response{says("<think>hm\n## 0. Current Answer\nLyon</think>\n\n" + written)}, written, nil, []bool{false}},
		{"behind thinking that the template opened", []llm.Response{says("hm</think>" + written)}, written, nil, []bool{false}},
		{"in the reasoning", []llm.Response{thinks(written)}, written, []string{"summary-in-reasoning"}, []bool{false}},
		{"only thinking", []llm.Response{thinks("I wonder"), says("<think>still"), says(written)}, written, []string{"thinking-off", "retried"}, []bool{false, true, true}},
		{"only thinking, three times", []llm.Response{thinks("a"), thinks("b"), thinks("c")}, "", []string{"thinking-off", "retried", "no-summary"}, []bool{false, true, true}},
		{"empty", []llm.Response{empty, says(written)}, written, []string{"retried"}, []bool{false, false}},
		{"empty, three times", []llm.Response{empty, empty, empty}, "", []string{"retried", "no-summary"}, []bool{false, false, false}},
		{"only a call", []llm.Response{onlyCall, says(written)}, written, []string{"retried"}, []bool{false, false}},
		{"with a call", []llm.Response{called}, written, []string{"final-calls-dropped"}, []bool{false}},
		{"cut", []llm.Response{cut}, written[:60], []string{"cut", "section-missing"}, []bool{false}},
		{"only thinking, the last time", []llm.Response{empty, empty, thinks("c")}, "", []string{"retried", "no-summary"}, []bool{false, false, false}},
		{"prose", []llm.Response{cutProse, says(written)}, written, []string{"retried"}, []bool{false, false}},
		{"prose, three times", []llm.Response{says("I have found nothing."), says("Or little."), says("Or much.")}, "Or much.", []string{"retried", "no-sections"}, []bool{false, false, false}},
		{"prose, then nothing", []llm.Response{cutProse, empty, says(search)}, "I have found", []string{"retried", "cut", "no-sections"}, []bool{false, false, false}},
		{"a call as text", []llm.Response{says(search), says(written)}, written, []string{"retried"}, []bool{false, false}},
		{"calls as text, three times", []llm.Response{says(search), says("I will.\n<tool_call>" + jsonCall + "</tool_call>"), says(jsonCall)}, "", []string{"retried", "no-summary"}, []bool{false, false, false}},
		{"calls that cannot be read", []llm.Response{says("<tool_call>"), says("<tool_call>\nsearch x"), says("<tool_call>[")}, "", []string{"retried", "no-summary"}, []bool{false, false, false}},
		{"a summary that speaks of calls", []llm.Response{says(written + "\n- " + search)}, written + "\n- " + search, nil, []bool{false}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, before := range []*trajectory.State{nil, earlier()} {
				script := llmtest.NewScript(tt.replies...)
				s := compress(t, script, recursion.Options{Sampling: llm.Sampling{Extra: map[string]any{"top_k": 20}}}, before)
				want := summary.Parse(tt.raw)
				want.Origin = trajectory.StateModel
				switch {
				case tt.raw == "" && before == nil:
					want.Origin = trajectory.StateNone
				case tt.raw == "":
					want = *before
					want.Origin = trajectory.StateCarried
				}
				n := len(tt.replies)
				want.V, want.QuestionID, want.Round, want.Rollout, want.Config = 1, "q1", 1, 2, "sha256:c"
				want.Repairs, want.Queries = tt.repairs, []string{}
				want.Calls, want.Usage = n, trajectory.CallUsage{Prompt: 100 * n, Completion: 10 * n, Cached: 5 * n}
				want.Spent = trajectory.Spent{Tokens: 1050 + 110*n, Millis: 600 + s.Millis}
				if before != nil {
					want.Spent = trajectory.Spent{Tokens: 1550 + 110*n, Millis: 650 + s.Millis}
				}
				if diff := cmp.Diff(want, s, cmpopts.IgnoreFields(trajectory.State{}, "Started", "Millis")); diff != "" {
					t.Errorf("state mismatch (-want +got):\n%s", diff)
				}
				expectCalm(t, script.Requests(), tt.calm)
			}
		})
	}
}

// What a rollout has spent is what its rounds and their summaries took.
func TestCompressSpent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) {
			<-time.After(3 * time.Second)
			r := says(written)
			return &r, nil
		})
		// 50 ms and 500 tokens before, 600 ms and 1,050 tokens for the round, 3 s and 110 tokens for the summary.
		s := compress(t, client, recursion.Options{}, earlier())
		if diff := cmp.Diff(trajectory.Spent{Tokens: 1660, Millis: 3650}, s.Spent); diff != "" || s.Millis != 3000 {
			t.Errorf("the summary took %d ms; spent mismatch (-want +got):\n%s", s.Millis, diff)
		}
	})
}

// A round in which the model never replied is asked about with its question.
func TestCompressNoReply(t *testing.T) {
	script := llmtest.NewScript(says(written))
	if _, err := recursion.NewCompressor(script, recursion.Options{}).Compress(t.Context(), conversation(0), nil); err != nil {
		t.Fatal(err)
	}
	want := []llm.Message{
		{Role: "system", Content: "The rules."},
		{Role: "user", Content: "Question: Where is it?\n\nSummary of the earlier attempts\n\n" + recursion.Render("summary", map[string]any{"Question": "Where is it?"})},
	}
	if diff := cmp.Diff(want, script.Requests()[0].Messages); diff != "" {
		t.Errorf("messages mismatch (-want +got):\n%s", diff)
	}
}

// expectCalm checks which requests turn thinking off, and that their seeds differ.
func expectCalm(t *testing.T, requests []llm.Request, want []bool) {
	t.Helper()
	var got []bool
	seeds := map[int64]bool{}
	for _, r := range requests {
		_, calm := r.Extra["chat_template_kwargs"]
		got = append(got, calm)
		seeds[*r.Seed] = true
		if r.Extra["top_k"] != 20 {
			t.Errorf("a request has the extra keys %v", r.Extra)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests without thinking mismatch (-want +got):\n%s", diff)
	}
	if len(seeds) != len(requests) {
		t.Errorf("%d requests with %d seeds", len(requests), len(seeds))
	}
}

func TestCompressErrors(t *testing.T) {
	other := errors.New("a bug")
	for _, kind := range []error{llm.ErrUnreachable, llm.ErrServer, llm.ErrOverloaded, llm.ErrBadRequest, other} {
		calls := 0
		client := llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) {
			calls++
			return nil, &llm.Error{Kind: kind}
		})
		_, err := recursion.NewCompressor(client, recursion.Options{}).Compress(t.Context(), conversation(2), earlier())
		if !errors.Is(err, kind) || calls != 1 || !strings.HasPrefix(err.Error(), "recursion: summary of question q1 round 1 rollout 2: ") {
			t.Errorf("%v: err = %v after %d calls", kind, err, calls)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	client := llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) {
		cancel()
		return nil, &llm.Error{Kind: llm.ErrMalformed}
	})
	if _, err := recursion.NewCompressor(client, recursion.Options{}).Compress(ctx, conversation(2), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v at the end of the context", err)
	}

	calls := 0
	client = func(context.Context, *llm.Request) (*llm.Response, error) {
		if calls++; calls < 3 {
			return nil, &llm.Error{Kind: llm.ErrMalformed}
		}
		r := says(written)
		return &r, nil
	}
	if s := compress(t, client, recursion.Options{}, nil); s.Origin != trajectory.StateModel || s.Calls != 1 || calls != 3 {
		t.Errorf("origin %s, %d calls of %d, want the third to count", s.Origin, s.Calls, calls)
	}
	calls = -10
	if s := compress(t, client, recursion.Options{}, earlier()); s.Origin != trajectory.StateCarried || *s.CurrentAnswer != "Lyon" || calls != -7 {
		t.Errorf("origin %s after %d calls", s.Origin, calls+10)
	}
}

// A conversation that does not fit loses results first, then exchanges; rules,
// question, what the round was told, and the last exchange stay. (C4)
func TestCompressContext(t *testing.T) {
	const searches = 9
	fits := 0 // of the requests, which one
	var seen []llm.Request
	client := llmtest.Func(func(_ context.Context, req *llm.Request) (*llm.Response, error) {
		seen = append(seen, *req)
		if len(seen) <= fits {
			return nil, &llm.Error{Kind: llm.ErrContextLength}
		}
		r := says(written)
		return &r, nil
	})
	// 9 results (the last says that the call was not run): without 4, 8, 9 of them;
	// then of 9 exchanges 8 can go: 4, 2, 1, 1.
	rungs := []struct{ stubs, exchanges int }{{0, 9}, {4, 9}, {8, 9}, {9, 9}, {5, 5}, {3, 3}, {2, 2}, {1, 1}}
	for fits = range rungs {
		seen = nil
		s, err := recursion.NewCompressor(client, recursion.Options{}).Compress(t.Context(), conversation(searches), nil)
		if err != nil || s.Origin != trajectory.StateModel || len(seen) != fits+1 || s.Calls != 1 {
			t.Fatalf("rung %d: %v, origin %s, %d requests", fits, err, s.Origin, len(seen))
		}
		req := seen[fits]
		stubs, exchanges := 0, 0
		for _, m := range req.Messages {
			if m.Role == llm.ToolRole && m.Content == "[earlier results removed]" {
				stubs++
			}
			if m.Role == llm.Assistant {
				exchanges++
			}
		}
		if stubs != rungs[fits].stubs || exchanges != rungs[fits].exchanges {
			t.Errorf("rung %d: %d stubs in %d exchanges, want %+v", fits, stubs, exchanges, rungs[fits])
		}
		expectQuestion(t, req)
		expectAnswered(t, req.Messages)
		if last := req.Messages[len(req.Messages)-3]; last.Content != "thought 8" {
			t.Errorf("rung %d: the last exchange is %+v", fits, last)
		}
	}
	fits, seen = len(rungs), nil
	s, err := recursion.NewCompressor(client, recursion.Options{}).Compress(t.Context(), conversation(searches), earlier())
	if err != nil || s.Origin != trajectory.StateCarried || len(seen) != len(rungs) || s.Raw != earlier().Raw {
		t.Errorf("%v, origin %s after %d requests, want what was before after %d", err, s.Origin, len(seen), len(rungs))
	}
	if diff := cmp.Diff([]string{"context-shrunk", "exchanges-dropped", "context-exceeded"}, s.Repairs); diff != "" {
		t.Errorf("repairs mismatch (-want +got):\n%s", diff)
	}
}

// expectQuestion checks that the question survives: the rules, the question and
// what the round was told stand in front, and the prompt has the question again.
func expectQuestion(t *testing.T, req llm.Request) {
	t.Helper()
	first, last := req.Messages[:2], req.Messages[len(req.Messages)-1]
	if first[0].Content != "The rules." || !strings.HasPrefix(first[1].Content, "Question: Where is it?\n\nSummary of the earlier attempts") ||
		!strings.Contains(last.Content, "\nQuestion: Where is it?\n") {
		t.Errorf("the question does not survive: %+v", req.Messages)
	}
}

// expectAnswered checks that a conversation is valid: each call is answered once,
// right behind it, no other result is there, and no neighbours share a role but
// results.
func expectAnswered(t *testing.T, ms []llm.Message) {
	t.Helper()
	open := map[string]bool{}
	for i, m := range ms {
		switch {
		case m.Role == llm.ToolRole && !open[m.ToolCallID]:
			t.Errorf("message %d answers no open call: %+v", i, m)
		case m.Role != llm.ToolRole && len(open) > 0:
			t.Errorf("message %d comes before the answers to %v", i, open)
		case i > 0 && m.Role != llm.ToolRole && m.Role == ms[i-1].Role:
			t.Errorf("messages %d and %d are both the %s's", i-1, i, m.Role)
		}
		delete(open, m.ToolCallID)
		for _, c := range m.ToolCalls {
			open[c.ID] = true
		}
	}
	if len(open) > 0 {
		t.Errorf("calls without an answer: %v", open)
	}
	if last := ms[len(ms)-1]; last.Role != llm.User {
		t.Errorf("the last message is the %s's", last.Role)
	}
}

// What is asked for a summary is a valid conversation, however the round ended,
// and does not ask for an answer last.
func TestCompressValid(t *testing.T) {
	calls := func(queries ...string) llm.Response {
		var r llm.Response
		for _, q := range queries {
			r.Message.ToolCalls = append(r.Message.ToolCalls, llm.ToolCall{Name: "search", Arguments: fmt.Sprintf(`{"query":%q}`, q)})
		}
		r.Usage = llm.Usage{Prompt: 500, Completion: 10}
		return r
	}
	tooLong := &llm.Error{Kind: llm.ErrContextLength}
	tests := []struct {
		name    string
		opts    agent.Options
		replies []any // a response, an error, or slow
		want    trajectory.Termination
	}{
		{"answered", agent.Options{}, []any{calls("a"), says("<answer>x</answer>")}, trajectory.Answered},
		{"turns", agent.Options{Turns: 2}, []any{calls("a", "b"), says("<answer>x</answer>")}, trajectory.TurnLimit},
		{"turns, without an answer", agent.Options{Turns: 2}, []any{calls("a"), says(""), says(""), says("")}, trajectory.TurnLimit},
		{"tokens", agent.Options{Tokens: 700}, []any{calls("a"), says("<answer>x</answer>")}, trajectory.TokenLimit},
		{"time", agent.Options{Time: time.Millisecond}, []any{slow{}, says("<answer>x</answer>")}, trajectory.TimeLimit},
		{"a loop", agent.Options{}, []any{calls("a"), calls("a"), calls("a"), calls("a"), says("<answer>x</answer>")}, trajectory.Loop},
		{"a context that is full", agent.Options{}, []any{calls("a"), tooLong, tooLong, tooLong, tooLong, tooLong, tooLong}, trajectory.TokenLimit},
		{"calls too many", agent.Options{Turns: 2}, []any{calls(strings.Split("abcdefghijklmnopqrstuvwxyz", "")...), calls("a")}, trajectory.TurnLimit},
		{"a call that does not exist", agent.Options{Turns: 2}, []any{with(calls("a"), func(r *llm.Response) { r.Message.ToolCalls[0].Name = "fly" }), says("hm")}, trajectory.TurnLimit},
	}
	for _, dialect := range []agent.Dialect{agent.Native, agent.Tags} {
		for _, tt := range tests {
			t.Run(string(dialect)+" "+tt.name, func(t *testing.T) {
				n := 0
				client := llmtest.Func(func(ctx context.Context, req *llm.Request) (*llm.Response, error) {
					defer func() { n++ }()
					if n >= len(tt.replies) {
						return &llm.Response{}, nil
					}
					switch r := tt.replies[n].(type) {
					case llm.Response:
						return &r, nil
					case error:
						return nil, r
					case slow:
						<-ctx.Done()
						return nil, ctx.Err()
					}
					return nil, errors.New("no reply")
				})
				tt.opts.Dialect = dialect
				a := agent.New(client, tool.NewSet(tool.NewSearch(none{}, 3)), tt.opts)
				traj, err := a.Run(t.Context(), agent.Task{
					Key: trajectory.Key{QuestionID: "q1", Round: 2, Config: "c"}, Question: trajectory.Question{ID: "q1", Text: "Where is it?"}, Seed: 7,
					Preface: &agent.Preface{Note: "A note.", Text: "Summary of the earlier attempts"},
				})
				if err != nil || traj.Termination != tt.want {
					t.Fatalf("%v: %+v", err, traj)
				}
				script := llmtest.NewScript(says(written))
				if _, err := recursion.NewCompressor(script, recursion.Options{}).Compress(t.Context(), traj, nil); err != nil {
					t.Fatal(err)
				}
				ms := script.Requests()[0].Messages
				expectAnswered(t, ms)
				if strings.Contains(ms[len(ms)-1].Content, "Give your final answer now") {
					t.Errorf("the last message asks for an answer: %q", ms[len(ms)-1].Content)
				}
			})
		}
	}
}

// slow is a reply that does not come in time.
type slow struct{}

// none is an engine that finds nothing.
type none struct{}

func (none) Search(context.Context, string, int) ([]search.Hit, error) { return nil, nil }

func TestCompressQueries(t *testing.T) {
	found := []trajectory.Result{{Rank: 1, ID: "1"}}
	step := func(kind trajectory.Kind, query, fault string, results []trajectory.Result) trajectory.Step {
		return trajectory.Step{Kind: kind, Query: query, Error: fault, Results: results}
	}
	traj := conversation(2)
	traj.Steps = []trajectory.Step{
		step(trajectory.KindSearch, "Acme  founder", "", found),
		step(trajectory.KindSearch, "acme founder", "", nil),   // a repetition
		step(trajectory.KindSearch, "ACME founder", "", found), // carried out again
		step(trajectory.KindSearch, "nothing there", "", nil),
		step(trajectory.KindSearch, "failed", "no route", nil),
		step(trajectory.KindOpen, "http://a/1", "", found),
		step(trajectory.KindNone, "none", "", nil),
		step(trajectory.KindSearch, " ", "", nil),
		step(trajectory.KindSearch, "failed", "", found),
		step(trajectory.KindAnswer, "", "", nil),
	}
	s, err := recursion.NewCompressor(llmtest.NewScript(says(written)), recursion.Options{}).Compress(t.Context(), traj, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Acme founder", "ACME founder", "nothing there", "failed"}, s.Queries); diff != "" {
		t.Errorf("queries mismatch (-want +got):\n%s", diff)
	}
}
