package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sync/errgroup"

	"trawl/agent"
	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
	"trawl/agent/llm/reply"
	"trawl/agent/tool"
	"trawl/internal/seed"
	"trawl/search"
	"trawl/trajectory"
)

// An engine finds one document for every query, none for "nothing", and fails
// for queries that begin with "bad".
type engine struct {
	calls atomic.Int32
	text  string
}

func (e *engine) Search(_ context.Context, query string, n int) ([]search.Hit, error) {
	e.calls.Add(1)
	switch {
	case strings.HasPrefix(query, "bad"):
		return nil, errors.New("the index is <answer>gone</answer>")
	case query == "nothing" || n < 1:
		return nil, nil
	}
	body := e.text
	if body == "" {
		body = "all about " + query
	}
	return []search.Hit{{Document: search.Document{ID: "d:" + query, Title: query, Text: body}, Score: 1}}, nil
}

var (
	testKey      = trajectory.Key{QuestionID: "q1", Round: 1, Rollout: 0, Config: "sha256:test"}
	testQuestion = trajectory.Question{ID: "q1", Text: "Who founded\n the company?"}
)

func testTask() agent.Task { return agent.Task{Key: testKey, Question: testQuestion, Seed: 7} }

func searcher() tool.Set { return tool.NewSet(tool.NewSearch(&engine{}, 10)) }

// noTimes leaves the clock out of comparisons.
var noTimes = cmp.Options{
	cmpopts.IgnoreFields(trajectory.Trajectory{}, "Started", "Millis"),
	cmpopts.IgnoreFields(trajectory.Step{}, "Millis"),
	cmpopts.IgnoreFields(trajectory.Turn{}, "Started", "Millis"),
	cmpopts.EquateEmpty(),
}

func mustRun(t *testing.T, client llm.Client, opts agent.Options, task agent.Task) *trajectory.Trajectory {
	t.Helper()
	got, err := agent.New(client, searcher(), opts).Run(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
	if err := validTranscript(got.Messages); err != nil {
		t.Error(err)
	}
	return got
}

// validTranscript checks that every call is answered exactly once, directly
// after the message that made it, and that nothing else is.
func validTranscript(ms []trajectory.Message) error {
	ids := map[string]bool{}
	for i := 0; i < len(ms); i++ {
		if ms[i].Role == llm.ToolRole {
			return fmt.Errorf("message %d answers no call", i)
		}
		for j, c := range ms[i].ToolCalls {
			k := i + 1 + j
			if k >= len(ms) || ms[k].Role != llm.ToolRole || ms[k].ToolCallID != c.ID || ms[k].Content == "" {
				return fmt.Errorf("call %s of message %d is not answered by message %d", c.ID, i, k)
			}
			if c.ID == "" || ids[c.ID] {
				return fmt.Errorf("call id %q of message %d is empty or taken", c.ID, i)
			}
			ids[c.ID] = true
		}
		i += len(ms[i].ToolCalls)
	}
	return nil
}

// ask makes the scripted reply that searches, in a dialect.
func ask(d agent.Dialect, query string) llm.Response {
	usage := llm.Usage{Prompt: 100, Completion: 10, Cached: 50}
	if d == agent.Tags {
		r := content("<think>I look for " + query + "</think>\n<search>" + query)
		r.Usage = usage
		return r
	}
	r := native(searchCall("", `{"query":"`+query+`"}`))
	r.Usage = usage
	return r
}

func answer(a string) llm.Response {
	r := content("Confidence: 85%\n<answer>" + a + "</answer>")
	r.Usage = llm.Usage{Prompt: 100, Completion: 10}
	return r
}

func TestRunNative(t *testing.T) {
	script := llmtest.NewScript(ask(agent.Native, "company"), answer("Jane Doe"))
	task := testTask()
	got := mustRun(t, script, agent.Options{}, task)

	shown := "Doc 1(Title: company) all about company"
	half := 0.85
	want := &trajectory.Trajectory{
		V: 1, QuestionID: "q1", Round: 1, Config: "sha256:test", Question: testQuestion.Text, Seed: 7,
		Steps: []trajectory.Step{
			{Turn: 1, Kind: trajectory.KindSearch, Call: &trajectory.Call{ID: "t0001i000", Name: "search", Arguments: []byte(`{"query":"company"}`)},
				Query: "company", Results: []trajectory.Result{{Rank: 1, ID: "d:company", Title: "company", Score: 1, Text: "all about company"}},
				Shown: shown, Usage: trajectory.CallUsage{Prompt: 100, Completion: 10, Cached: 50}},
			{Turn: 2, Kind: trajectory.KindAnswer, Usage: trajectory.CallUsage{Prompt: 100, Completion: 10}},
		},
		Messages: []trajectory.Message{
			{Role: "system", Content: agent.Render("native", struct{ Turns int }{8})},
			{Role: "user", Content: "Question: Who founded the company?"},
			{Role: "assistant", ToolCalls: []trajectory.ToolCall{{ID: "t0001i000", Name: "search", Arguments: `{"query":"company"}`}}},
			{Role: "tool", ToolCallID: "t0001i000", Name: "search", Content: shown},
			{Role: "assistant", Content: "Confidence: 85%\n<answer>Jane Doe</answer>"},
		},
		Answer: "Jane Doe", Source: trajectory.AnswerTag, Confidence: &half, Termination: trajectory.Answered,
		Usage: trajectory.Usage{LLMCalls: 2, Prompt: 200, Completion: 20, Cached: 50, Searches: 1},
	}
	if diff := cmp.Diff(want, got, noTimes); diff != "" {
		t.Errorf("trajectory mismatch (-want +got):\n%s", diff)
	}
	req := script.Requests()[1]
	wantSeed := seed.Derive(7, 2, 0)
	if req.Affinity != "q1" || req.Seed == nil || *req.Seed != wantSeed || req.Reserve != 512 || req.NoTools || len(req.Tools) != 1 || len(req.Stop) != 0 {
		t.Errorf("request = %+v, want affinity q1, seed %d, reserve 512, the tools and no stop texts", req, wantSeed)
	}
}

func TestRunTags(t *testing.T) {
	script := llmtest.NewScript(ask(agent.Tags, "company"), content("<think>Settled.</think>\nConfidence: 70%\n<answer>Jane Doe"))
	task := testTask()
	task.SeedQuery = &trajectory.SeedQuery{Text: "founder", Source: trajectory.SeedPool}
	got := mustRun(t, script, agent.Options{Dialect: agent.Tags, Turns: 4}, task)
	if got.Steps[0].Source != trajectory.SeedPool || got.Steps[1].Source != "" {
		t.Errorf("steps have sources %q and %q, want that of the seed and none", got.Steps[0].Source, got.Steps[1].Source)
	}
	var messages []string
	for _, m := range got.Messages[1:] {
		messages = append(messages, m.Role+": "+m.Content)
	}
	want := []string{
		"assistant: <search>founder</search>",
		"user: <information>\nDoc 1(Title: founder) all about founder\n</information>",
		"assistant: <think>I look for company</think>\n<search>company</search>",
		"user: <information>\nDoc 1(Title: company) all about company\n</information>",
		"assistant: <think>Settled.\nConfidence: 70%</think>\n<answer>Jane Doe</answer>",
	}
	if diff := cmp.Diff(want, messages); diff != "" {
		t.Errorf("messages mismatch (-want +got):\n%s", diff)
	}
	if got.Confidence == nil || *got.Confidence != 0.7 || got.Source != trajectory.AnswerTag || got.Usage.LLMCalls != 2 || got.Usage.Searches != 2 {
		t.Errorf("confidence %v, source %s, usage %+v", got.Confidence, got.Source, got.Usage)
	}
	if diff := cmp.Diff([]string{"</search>", "</answer>"}, script.Requests()[0].Stop); diff != "" {
		t.Errorf("stop texts mismatch (-want +got):\n%s", diff)
	}
	if n := len(script.Requests()[0].Tools); n != 0 {
		t.Errorf("%d tools in a request of the tags dialect, want none", n)
	}
}

// restless never answers before it must: it searches for something new in each
// turn, and answers when it is told to.
func restless(d agent.Dialect, calls *atomic.Int32) llm.Client {
	return llmtest.Func(func(_ context.Context, req *llm.Request) (*llm.Response, error) {
		n := calls.Add(1)
		r := ask(d, fmt.Sprintf("topic %d", n))
		if asksFinal(req) {
			r = answer("a guess")
		}
		return &r, nil
	})
}

func asksFinal(req *llm.Request) bool {
	return strings.Contains(req.Messages[len(req.Messages)-1].Content, "final answer")
}

// The cost that DivInit states (§4): T model calls, T−1 with a seed.
func TestRunCallCounts(t *testing.T) {
	for _, d := range []agent.Dialect{agent.Native, agent.Tags} {
		for turns := 1; turns <= 9; turns++ {
			for _, seeded := range []bool{false, true} {
				var calls atomic.Int32
				task := testTask()
				want := turns
				if seeded {
					task.SeedQuery = &trajectory.SeedQuery{Text: "seed", Source: trajectory.SeedPool}
					want = max(turns-1, 1)
				}
				got := mustRun(t, restless(d, &calls), agent.Options{Dialect: d, Turns: turns}, task)
				if int(calls.Load()) != want || got.Usage.LLMCalls != want {
					t.Errorf("%s, %d turns, seeded %v: %d calls, recorded %d, want %d", d, turns, seeded, calls.Load(), got.Usage.LLMCalls, want)
				}
				if got.Termination != trajectory.TurnLimit || got.Source != trajectory.AnswerFinalCall || got.Answer != "a guess" || got.Usage.Searches != turns-1 {
					t.Errorf("%s, %d turns: %s, %s, %q, %d searches", d, turns, got.Termination, got.Source, got.Answer, got.Usage.Searches)
				}
			}
		}
	}
}

func TestRunFinalRequest(t *testing.T) {
	script := llmtest.NewScript(ask(agent.Native, "a"), answer("x"))
	mustRun(t, script, agent.Options{Turns: 2, FinalTokens: 99, Sampling: llm.Sampling{MaxTokens: 2048}}, testTask())
	first, last := script.Requests()[0], script.Requests()[1]
	if first.NoTools || first.MaxTokens != 2048 || first.Reserve != 99 {
		t.Errorf("first request: NoTools %v, MaxTokens %d, Reserve %d", first.NoTools, first.MaxTokens, first.Reserve)
	}
	if !last.NoTools || last.MaxTokens != 99 || last.Reserve != 0 || len(last.Tools) != 1 || !asksFinal(&last) {
		t.Errorf("last request: NoTools %v, MaxTokens %d, Reserve %d, %d tools", last.NoTools, last.MaxTokens, last.Reserve, len(last.Tools))
	}
}

// How rollouts end: field reports D, B5 to B7, and the limits.
func TestRunEnds(t *testing.T) {
	empty := content("")
	thinking := llm.Response{Message: llm.Message{Reasoning: "so I"}, Finish: "stop"}
	nat := func(qs ...string) []llm.Response {
		var rs []llm.Response
		for _, q := range qs {
			rs = append(rs, ask(agent.Native, q))
		}
		return rs
	}
	tests := []struct {
		name     string
		script   []llm.Response
		opts     agent.Options
		end      trajectory.Termination
		source   trajectory.AnswerSource
		answer   string
		calls    int
		searches int
	}{
		{"D1 the same call again and again", append(nat("q", "q", "q", "q"), answer("x")), agent.Options{Turns: 20},
			trajectory.Loop, trajectory.AnswerFinalCall, "x", 5, 1},
		{"D2 case and white space are no difference, and the guard stays armed", append(nat("q a", "Q  A", "q a ", "Q A"), answer("x")), agent.Options{Turns: 20},
			trajectory.Loop, trajectory.AnswerFinalCall, "x", 5, 1},
		{"D2 an old call is no different one", append(nat("a", "b", "a", "b", "a"), answer("x")), agent.Options{Turns: 20},
			trajectory.Loop, trajectory.AnswerFinalCall, "x", 6, 2},
		{"D2 a new call is", append(nat("a", "a", "a", "b", "a", "b", "c"), answer("x")), agent.Options{Turns: 20},
			trajectory.Answered, trajectory.AnswerTag, "x", 8, 3},
		{"D4 thirty different calls", append(nat(strings.Split("abcdefghijklmnopqrstuvwxyz1234", "")...), answer("x")), agent.Options{Turns: 40},
			trajectory.Answered, trajectory.AnswerTag, "x", 31, 30},
		{"D4 a search that finds nothing is progress", append(nat("nothing", "b"), answer("x")), agent.Options{},
			trajectory.Answered, trajectory.AnswerTag, "x", 3, 2},
		{"D6 never an answer", append(nat("a", "b", "c"), answer("x")), agent.Options{Turns: 4},
			trajectory.TurnLimit, trajectory.AnswerFinalCall, "x", 4, 3},
		{"D7 tools that fail", append(nat("bad 1", "bad 2", "bad 3"), answer("x")), agent.Options{Turns: 20},
			trajectory.Loop, trajectory.AnswerFinalCall, "x", 4, 0},
		{"D7 a failed call may be made again", append(nat("bad", "bad"), answer("x")), agent.Options{Turns: 20},
			trajectory.Answered, trajectory.AnswerTag, "x", 3, 0},
		{"D7 unknown tools", []llm.Response{native(llm.ToolCall{Name: "browse"}), native(llm.ToolCall{Name: "click"}), native(llm.ToolCall{Name: "run"}), answer("x")}, agent.Options{Turns: 20},
			trajectory.Loop, trajectory.AnswerFinalCall, "x", 4, 0},
		{"replies that do nothing", []llm.Response{content("I will search for it."), content("I am searching."), content("I wait."), answer("x")}, agent.Options{Turns: 20},
			trajectory.Loop, trajectory.AnswerFinalCall, "x", 4, 0},
		{"a success in between", append(append([]llm.Response{content("I think."), content("I think.")}, nat("a", "bad", "bad", "b")...), answer("x")), agent.Options{Turns: 20},
			trajectory.Answered, trajectory.AnswerTag, "x", 7, 2},
		{"B5 asked again, with another seed", []llm.Response{thinking, empty, answer("x")}, agent.Options{},
			trajectory.Answered, trajectory.AnswerTag, "x", 3, 0},
		{"B5 in vain, three turns long", append(slices.Repeat([]llm.Response{thinking}, 9), answer("x")), agent.Options{Turns: 20},
			trajectory.Loop, trajectory.AnswerFinalCall, "x", 10, 0},
		{"an empty last reply is asked again", append(nat("a"), empty, answer("x")), agent.Options{Turns: 2},
			trajectory.TurnLimit, trajectory.AnswerFinalCall, "x", 3, 1},
		{"nothing in the end", append(nat("a"), empty, empty, empty), agent.Options{Turns: 2},
			trajectory.TurnLimit, trajectory.AnswerNone, "", 4, 1},
		{"a last reply without format", append(nat("a"), content("I believe that the answer is Paris.")), agent.Options{Turns: 2},
			trajectory.TurnLimit, trajectory.AnswerFallback, "Paris", 2, 1},
		{"B7 a last reply that only thinks", append(nat("a"), thinking, thinking, llm.Response{Message: llm.Message{Reasoning: "Well. It must be Paris"}, Finish: "length"}), agent.Options{Turns: 2},
			trajectory.TurnLimit, trajectory.AnswerFallback, "It must be Paris", 4, 1},
		{"a last reply that calls a tool", append(nat("a", "b"), answer("x")), agent.Options{Turns: 2},
			trajectory.TurnLimit, trajectory.AnswerFinalCall, "x", 3, 1},
		{"an error text is no answer", append(nat("a"), slices.Repeat([]llm.Response{content("Error: internal server error")}, 3)...), agent.Options{Turns: 2},
			trajectory.TurnLimit, trajectory.AnswerNone, "", 4, 1},
		{"a short reply without a tag", []llm.Response{content("Paris")}, agent.Options{},
			trajectory.Answered, trajectory.AnswerTool, "Paris", 1, 0},
		{"the tokens are used up", append(nat("a", "b"), answer("x")), agent.Options{Tokens: 3*110 + 512, Turns: 20}, // after turn 2: 220 + 2·110 + 512 > 842
			trajectory.TokenLimit, trajectory.AnswerFinalCall, "x", 3, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			script := llmtest.NewScript(tt.script...)
			got := mustRun(t, script, tt.opts, testTask())
			if got.Termination != tt.end || got.Source != tt.source || got.Answer != tt.answer {
				t.Errorf("ended %s, %s, %q, want %s, %s, %q", got.Termination, got.Source, got.Answer, tt.end, tt.source, tt.answer)
			}
			if n := len(script.Requests()); n != tt.calls || got.Usage.LLMCalls != tt.calls || got.Usage.Searches != tt.searches {
				t.Errorf("%d calls, recorded %d, %d searches, want %d and %d", n, got.Usage.LLMCalls, got.Usage.Searches, tt.calls, tt.searches)
			}
			seeds := map[int64]bool{}
			for _, r := range script.Requests() {
				seeds[*r.Seed] = true
			}
			if len(seeds) != tt.calls {
				t.Errorf("%d different seeds for %d calls", len(seeds), tt.calls)
			}
		})
	}
}

// What the model is told when a call leads nowhere.
func TestRunNotices(t *testing.T) {
	script := llmtest.NewScript(
		ask(agent.Native, "q"), ask(agent.Native, "Q"),
		native(llm.ToolCall{ID: "x", Name: "browse", Arguments: `{"u":1}`}, searchCall("y", `{}`), searchCall("z", `{"query":"bad"}`)),
		content("I am thinking about it."), answer("x"))
	got := mustRun(t, script, agent.Options{}, testTask())
	var shown []string
	for _, s := range got.Steps[1:5] {
		shown = append(shown, string(s.Kind)+": "+s.Shown)
	}
	shown = append(shown, string(got.Steps[5].Kind)+": "+got.Steps[5].Shown)
	want := []string{
		"search: You made this same call in turn 1, and its results have not changed: it was not run again. Search for something else, in other words, or answer if you can.",
		`none: This call failed: there is no tool "browse"; the tools are: search.`,
		`none: This call failed: the arguments of search cannot be used: "query" is missing; the parameters are: query (string).`,
		"search: This call failed: the search failed: the index is ‹answer>gone‹/answer>.",
		"none: That reply was neither a tool call nor an answer. Call a tool (search) to look something up, or answer with <answer>short answer</answer>.",
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("notices mismatch (-want +got):\n%s", diff)
	}
}

// Several calls of one turn: each is a step, all share the budget, ids follow
// from the place, whatever the server drew, and every call is answered.
func TestRunParallelCalls(t *testing.T) {
	first := native(searchCall("same", `{"query":"a"}`), searchCall("same", `{"query":["b","c","b","d","e","f"]}`), searchCall("", `{"q":5}`))
	var many []llm.ToolCall
	for i := range reply.MaxCalls + 2 {
		many = append(many, searchCall("", fmt.Sprintf(`{"query":"m%d"}`, i)))
	}
	script := llmtest.NewScript(first, native(many...), answer("x"))
	long := &engine{text: strings.Repeat("word ", 200)}
	got, err := agent.New(script, tool.NewSet(tool.NewSearch(long, 3)), agent.Options{ObservationChars: 600}).Run(t.Context(), testTask())
	if err != nil {
		t.Fatal(err)
	}
	if err := validTranscript(got.Messages); err != nil {
		t.Error(err)
	}
	var ids, asked []string
	shown := map[int]int{}
	for _, s := range got.Steps {
		if s.Turn == 1 {
			ids, asked = append(ids, s.Call.ID), append(asked, s.Query)
		}
		shown[s.Turn] += len(strings.TrimSuffix(s.Shown, "\n[cut]"))
	}
	if diff := cmp.Diff([]string{"t0001i000", "t0001i001", "t0001i002", "t0001i003", "t0001i004", "t0001i005"}, ids); diff != "" {
		t.Errorf("ids mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "d", "e", "5"}, asked); diff != "" {
		t.Errorf("queries mismatch (-want +got):\n%s", diff)
	}
	for turn := 1; turn <= 2; turn++ { // the calls that are too many for turn 2 take no room from the others
		if n := shown[turn]; n > 600 || n < 500 {
			t.Errorf("%d characters shown in turn %d, want at most 600 and not much less", n, turn)
		}
	}
	if diff := cmp.Diff([]string{"list-expanded", "list-cut", "argument-typed", "argument-renamed"}, got.Steps[0].Repairs); diff != "" {
		t.Errorf("repairs mismatch (-want +got):\n%s", diff)
	}
	steps, answers := 0, 0
	for _, s := range got.Steps {
		if s.Turn == 2 {
			steps++
		}
	}
	for _, m := range got.Messages {
		if m.Role == llm.ToolRole && strings.HasPrefix(m.ToolCallID, "t0002i") {
			answers++
		}
	}
	if steps != reply.MaxCalls || answers != reply.MaxCalls+2 || got.Usage.Searches != 6+reply.MaxCalls {
		t.Errorf("turn 2: %d steps, %d answers, %d searches in all", steps, answers, got.Usage.Searches)
	}
}

// Calls that are not carried out leave the room for results to those that are,
// and count as no searches.
func TestRunCallsThatDoNotRun(t *testing.T) {
	second := native(searchCall("", `{"query":"b"}`), searchCall("", `{"query":"a"}`), searchCall("", `{"query":"b"}`), searchCall("", `{"query":"bad"}`), llm.ToolCall{Name: "browse", Arguments: `{}`})
	script := llmtest.NewScript(ask(agent.Native, "a"), second, answer("x"))
	long := &engine{text: strings.Repeat("word ", 200)}
	var recorded []trajectory.Turn
	task := testTask()
	task.Record = func(turn trajectory.Turn) error { recorded = append(recorded, turn); return nil }
	got, err := agent.New(script, tool.NewSet(tool.NewSearch(long, 3)), agent.Options{ObservationChars: 600}).Run(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got.Steps[1].Shown); n < 250 || n > 310 { // half of 600: "bad" might have found something
		t.Errorf("%d characters shown of the one search that found something, want 300", n)
	}
	var sum trajectory.Usage
	for _, turn := range recorded {
		sum.AddTurn(turn)
	}
	if got.Usage.Searches != 2 || long.calls.Load() != 3 {
		t.Errorf("%d searches of which %d counted, want 3 and, as one failed, 2", long.calls.Load(), got.Usage.Searches)
	}
	if diff := cmp.Diff(got.Usage, sum); diff != "" {
		t.Errorf("the turns cost something else (-rollout +turns):\n%s", diff)
	}
}

// A context that is full: the oldest results go first, the question stays, the
// same turn is asked again; then the last call. (C1, C4)
func TestRunContextLength(t *testing.T) {
	tooLong := &llm.Error{Kind: llm.ErrContextLength, Endpoint: "test", Status: 400}
	for _, d := range []agent.Dialect{agent.Native, agent.Tags} {
		t.Run(string(d), func(t *testing.T) {
			var sent [][]llm.Message
			turn := 0
			client := llmtest.Func(func(_ context.Context, req *llm.Request) (*llm.Response, error) {
				sent = append(sent, req.Messages)
				full, stubs := 0, 0
				for _, m := range req.Messages {
					full += strings.Count(m.Content, "Doc 1(Title")
					stubs += strings.Count(m.Content, "[earlier results removed]")
				}
				if !strings.Contains(req.Messages[min(len(req.Messages)-1, 1)].Content+req.Messages[0].Content, "Question: Who founded the company?") {
					t.Error("the question is not in the request")
				}
				if full > 2 || full+stubs >= 5 && !asksFinal(req) {
					return nil, tooLong
				}
				turn++
				r := ask(d, fmt.Sprintf("topic %d", turn))
				if asksFinal(req) {
					r = answer("x")
				}
				return &r, nil
			})
			got := mustRun(t, client, agent.Options{Dialect: d, Turns: 20}, testTask())
			if got.Termination != trajectory.TokenLimit || got.Answer != "x" || got.Usage.Searches != 5 || got.Usage.LLMCalls != 6 {
				t.Errorf("ended %s with %q after %d searches and %d calls", got.Termination, got.Answer, got.Usage.Searches, got.Usage.LLMCalls)
			}
			if !slices.Contains(got.Steps[3].Repairs, "context-shrunk") || slices.Contains(got.Steps[2].Repairs, "context-shrunk") {
				t.Errorf("repairs of turns 3 and 4 = %v, %v", got.Steps[2].Repairs, got.Steps[3].Repairs)
			}
			if n := strings.Count(fmt.Sprint(got.Messages), "[earlier results removed]"); n != 0 {
				t.Errorf("%d stubs in the record, want none", n)
			}
		})
	}
}

// A prompt that fits no window at all ends the rollout without an answer, not
// in an error.
func TestRunContextTooSmall(t *testing.T) {
	client := llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) {
		return nil, &llm.Error{Kind: llm.ErrContextLength}
	})
	got := mustRun(t, client, agent.Options{}, testTask())
	if got.Termination != trajectory.TokenLimit || got.Source != trajectory.AnswerNone || got.Usage.LLMCalls != 0 {
		t.Errorf("ended %s, %s, %d calls", got.Termination, got.Source, got.Usage.LLMCalls)
	}
}

// B7: a model that thought until the limit is asked again without thinking, and
// what the caller set stays.
func TestRunThinkingOff(t *testing.T) {
	extra := map[string]any{"top_k": 20, "chat_template_kwargs": map[string]any{"x": 1}}
	script := llmtest.NewScript(llm.Response{Message: llm.Message{Reasoning: "on and on"}, Finish: "length"}, answer("x"), answer("y"))
	got := mustRun(t, script, agent.Options{Sampling: llm.Sampling{Extra: extra}}, testTask())
	want := map[string]any{"top_k": 20, "chat_template_kwargs": map[string]any{"x": 1, "enable_thinking": false, "thinking": false}}
	if diff := cmp.Diff(want, script.Requests()[1].Extra); diff != "" {
		t.Errorf("extra of the second try mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"top_k": 20, "chat_template_kwargs": map[string]any{"x": 1}}, extra); diff != "" {
		t.Errorf("the caller's settings changed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"retried", "thinking-off"}, got.Steps[0].Repairs); diff != "" {
		t.Errorf("repairs mismatch (-want +got):\n%s", diff)
	}
}

func TestRunTimeLimit(t *testing.T) {
	slow := func(d time.Duration, deaf bool) llm.Client {
		n := 0
		return llmtest.Func(func(ctx context.Context, req *llm.Request) (*llm.Response, error) {
			if asksFinal(req) {
				r := answer("x")
				return &r, nil
			}
			if deaf {
				ctx = context.WithoutCancel(ctx)
			}
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(d):
			}
			n++
			r := ask(agent.Native, fmt.Sprintf("topic %d", n))
			return &r, nil
		})
	}
	tests := []struct {
		name     string
		call     time.Duration
		deaf     bool // the client takes its time whatever its context says
		searches int
		elapsed  time.Duration
	}{
		{"before the tools run", 6 * time.Second, true, 1, 12 * time.Second},
		{"in the middle of a call", 4 * time.Second, false, 2, 10 * time.Second},
		{"in the first call", time.Hour, false, 0, 10 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				got := mustRun(t, slow(tt.call, tt.deaf), agent.Options{Time: 10 * time.Second, Turns: 50}, testTask())
				if got.Termination != trajectory.TimeLimit || got.Answer != "x" || got.Usage.Searches != tt.searches || time.Since(began) != tt.elapsed {
					t.Errorf("ended %s with %q after %d searches and %v", got.Termination, got.Answer, got.Usage.Searches, time.Since(began))
				}
			})
		})
	}
}

func TestRunErrors(t *testing.T) {
	gone := &llm.Error{Kind: llm.ErrUnreachable, Endpoint: "http://x"}
	client := llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) { return nil, gone })
	a := agent.New(client, searcher(), agent.Options{})
	task := testTask()
	task.SeedQuery = &trajectory.SeedQuery{Text: "seed", Source: trajectory.SeedPool}
	task.Record = func(t trajectory.Turn) error { task.Past = append(task.Past, t); return nil }

	got, err := a.Run(t.Context(), task)
	if got != nil || !errors.Is(err, llm.ErrUnreachable) || !strings.Contains(err.Error(), "turn 2") {
		t.Errorf("Run = %v, %v, want the client's error in turn 2", got, err)
	}
	if len(task.Past) != 1 {
		t.Errorf("%d turns were recorded, want the one that was made", len(task.Past))
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = agent.New(llmtest.NewScript(), searcher(), agent.Options{}).Run(ctx, testTask())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Run with a cancelled context = %v", err)
	}

	full := errors.New("disk full")
	task = testTask()
	task.Record = func(trajectory.Turn) error { return full }
	if _, err := agent.New(llmtest.NewScript(answer("x")), searcher(), agent.Options{}).Run(t.Context(), task); !errors.Is(err, full) {
		t.Errorf("Run with a journal that fails = %v", err)
	}
}

// One agent carries out many rollouts at once, and none changes another.
func TestRunConcurrently(t *testing.T) {
	var calls atomic.Int32
	a := agent.New(mind(&calls), searcher(), agent.Options{Sampling: llm.Sampling{Stop: make([]string, 0, 8), Extra: map[string]any{"top_k": 1}}})
	var alone, together [8]*trajectory.Trajectory
	run := func(into *[8]*trajectory.Trajectory, i int) {
		task := testTask()
		task.Seed = int64(i)
		got, err := a.Run(t.Context(), task)
		if err != nil {
			t.Error(err)
		}
		into[i] = got
	}
	for i := range alone {
		run(&alone, i)
	}
	var g errgroup.Group
	for i := range together {
		g.Go(func() error { run(&together, i); return nil })
	}
	_ = g.Wait() // the functions return nothing
	if diff := cmp.Diff(alone, together, noTimes); diff != "" {
		t.Errorf("trajectories mismatch (-alone +together):\n%s", diff)
	}
}

// A rollout that is resumed began with its first turn, in UTC.
func TestStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var journal []trajectory.Turn
		task := testTask()
		task.Record = func(turn trajectory.Turn) error { journal = append(journal, turn); return nil }
		slow := func(replies ...llm.Response) llm.Client {
			script := llmtest.NewScript(replies...)
			return llmtest.Func(func(ctx context.Context, req *llm.Request) (*llm.Response, error) {
				time.Sleep(time.Second)
				return script.Complete(ctx, req)
			})
		}
		began := time.Now()
		mustRun(t, slow(ask(agent.Native, "a"), ask(agent.Native, "b"), answer("x")), agent.Options{}, task)
		for i, turn := range journal {
			if want := began.Add(time.Duration(i) * time.Second); !turn.Started.Equal(want) || turn.Started.Location() != time.UTC {
				t.Errorf("turn %d started %v, want %v", i+1, turn.Started, want)
			}
		}
		time.Sleep(time.Hour)
		task.Past, task.Record = reread(t, journal[:2]), nil
		got := mustRun(t, slow(answer("x")), agent.Options{}, task)
		if !got.Started.Equal(began) || got.Started.Location() != time.UTC || got.Millis != 3000 {
			t.Errorf("the rollout started %v and took %d ms, want %v and 3000", got.Started, got.Millis, began)
		}
	})
}

// A proposer takes the turns that it is given, and the model those where it has
// nothing.
func TestRunProposer(t *testing.T) {
	p := &proposer{queries: []string{"p2", ""}}
	script := llmtest.NewScript(ask(agent.Native, "m1"), ask(agent.Native, "m3"), ask(agent.Native, "m4"), answer("x"))
	got := mustRun(t, script, agent.Options{Proposer: p, ProposeTurns: 3}, testTask())
	var asked []string
	var sources []trajectory.SeedSource
	for _, s := range got.Steps {
		asked, sources = append(asked, s.Query), append(sources, s.Source)
	}
	if diff := cmp.Diff([]string{"m1", "p2", "m3", "m4", ""}, asked); diff != "" {
		t.Errorf("queries mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]trajectory.SeedSource{"", trajectory.SeedPool, "", "", ""}, sources); diff != "" {
		t.Errorf("sources mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{1, 2}, p.steps); diff != "" {
		t.Errorf("steps that the proposer saw mismatch (-want +got):\n%s", diff)
	}
	if got.Usage.LLMCalls != 4+2 || got.Usage.Prompt != 400+2 {
		t.Errorf("usage = %+v, want the proposer's calls in it", got.Usage)
	}
}

type proposer struct {
	queries []string
	steps   []int
}

func (p *proposer) Propose(_ context.Context, _ trajectory.Question, steps []trajectory.Step, _ int64) (trajectory.SeedQuery, trajectory.CallUsage, int, error) {
	p.steps = append(p.steps, len(steps))
	q := p.queries[0]
	p.queries = p.queries[1:]
	return trajectory.SeedQuery{Text: q, Source: trajectory.SeedPool}, trajectory.CallUsage{Prompt: 1}, 1, nil
}
