package aggregate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/selection"
	"trawl/selection/aggregate"
	"trawl/trajectory"
)

const unfinished = "none of 3 attempts finished with a solution in the form asked for"

// usage gives a reply the tokens that a server would count.
func usage(r llm.Response, prompt, completion, cached int) llm.Response {
	r.Usage = llm.Usage{Prompt: prompt, Completion: completion, Cached: cached}
	return r
}

// As many calls as iterations, and a cost whose fresh tokens leave out what the
// call before had sent: 100 + (130 − 100) + (180 − 130) = 180.
func TestAggAgent(t *testing.T) {
	model := &server{replies: []llm.Response{
		usage(calling("get_solution", `{}`), 100, 5, 0),
		usage(calling("search_trajectory", `{"trajectory_id":1,"query":"born"}`), 130, 7, 100),
		usage(finishing(good), 180, 11, 130),
	}}
	got := decide(t, aggregate.NewAggAgent(model, aggregate.Options{}), groupOf(native(0, "Paris"), inTags(1, "Rome")))
	want := selection.Decision{Answer: "Paris", Index: -1, Cost: selection.Cost{Calls: 3, Prompt: 410, Completion: 23, Cached: 230, Fresh: 180}}
	if diff := cmp.Diff(want, got, sameButTime); diff != "" {
		t.Errorf("decision mismatch (-want +got):\n%s", diff)
	}
	wantRoles := "system user assistant tool assistant tool"
	var roles []string
	for _, m := range model.requests[2].Messages {
		roles = append(roles, m.Role)
	}
	if diff := cmp.Diff(wantRoles, strings.Join(roles, " ")); diff != "" {
		t.Errorf("roles mismatch (-want +got):\n%s", diff)
	}
}

func TestCallsOfAggAgent(t *testing.T) {
	two := calling("get_solution", `{"trajectory_id":1}`)
	two.Message.ToolCalls = append(two.Message.ToolCalls, finishing(good).Message.ToolCalls...)
	const inText = `<tool_call>{"name":"finish","arguments":{"solution":"<explanation>x</explanation><answer>Paris</answer>","reason":"y"}}</tool_call>`
	paris := selection.Decision{Answer: "Paris", Index: -1}
	tests := []struct {
		name    string
		replies []llm.Response
		want    selection.Decision
		calls   int
		history []llm.ToolCall // of the last request
	}{
		{"only the first call counts", []llm.Response{two, finishing(good)}, paris, 2,
			[]llm.ToolCall{{ID: "a00000001", Name: "get_solution", Arguments: `{"trajectory_id":1}`}}},
		{"a call in the text", []llm.Response{text(inText)}, paris, 1, nil},
		{"a call in the thinking", []llm.Response{{Message: llm.Message{Reasoning: inText}, Finish: "stop"}}, paris, 1, nil},
		{"a call that lacks a brace", []llm.Response{calling("get_solution", `{"trajectory_id": 1`), finishing(good)}, paris, 2,
			[]llm.ToolCall{{ID: "a00000001", Name: "get_solution", Arguments: `{"trajectory_id":1}`}}},
		{"a call without a name is none", []llm.Response{calling("", `{}`), finishing(good)}, paris, 2, nil},
		{"a solution that is not valid goes back", []llm.Response{finishing("Paris"), finishing(good)}, paris, 2,
			[]llm.ToolCall{{ID: "a00000001", Name: "finish", Arguments: `{"reason":"verified","solution":"Paris"}`}}},
		{"text without a call is asked for again", []llm.Response{text("Hm."), text("<answer>Rome</answer>"), finishing(good)}, paris, 3, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			model := &server{replies: tt.replies}
			got := decide(t, aggregate.NewAggAgent(model, aggregate.Options{}), groupOf(native(0, "Paris"), inTags(1, "Rome")))
			check(t, got, tt.want, tt.calls)
			var history []llm.ToolCall
			for _, m := range model.requests[len(model.requests)-1].Messages {
				history = append(history, m.ToolCalls...)
			}
			if diff := cmp.Diff(tt.history, history); diff != "" {
				t.Errorf("calls in the conversation mismatch (-want +got):\n%s", diff)
			}
			seen := map[int64]bool{}
			for _, r := range model.requests {
				seen[*r.Seed] = true
			}
			if len(seen) != len(model.requests) {
				t.Errorf("%d seeds in %d requests", len(seen), len(model.requests))
			}
		})
	}
}

// The limits of the agent: 100 iterations, five replies for a call, three
// iterations in a row without one. A strict server has looked at every conversation that
// is sent here.
func TestLimitsOfAggAgent(t *testing.T) {
	look, all := calling("get_solution", `{"trajectory_id":1}`), calling("get_solution", `{}`)
	var hundred []llm.Response // different calls
	for i := range 100 {
		hundred = append(hundred, calling("search_trajectory", fmt.Sprintf(`{"trajectory_id":1,"query":"born %d"}`, i)))
	}
	times := func(n int, r llm.Response, then ...llm.Response) []llm.Response {
		var out []llm.Response
		for range n {
			out = append(out, r)
		}
		return append(out, then...)
	}
	forced := "The context is used up."
	paris := selection.Decision{Answer: "Paris", Index: -1}
	nothing := selection.Decision{Index: -1, Note: unfinished}
	tests := []struct {
		name    string
		opts    aggregate.Options
		replies []llm.Response
		refuse  func(*llm.Request) bool
		want    selection.Decision
		calls   int
		forced  int // requests that may only finish
	}{
		{"the context, then a finish", aggregate.Options{Context: 1}, []llm.Response{look, finishing(good)}, nil, paris, 2, 1},
		{"the context is not used up", aggregate.Options{Context: 5000}, []llm.Response{look, finishing(good)}, nil, paris, 2, 0},
		{"the context, then no valid finish", aggregate.Options{Context: 1, Tries: 1}, []llm.Response{look, finishing("Paris")}, nil,
			selection.Decision{Index: -1, Note: "none of 1 attempts finished with a solution in the form asked for"}, 2, 1},
		{"the context, then another tool, three times", aggregate.Options{Context: 1}, []llm.Response{look}, nil, nothing, 6, 3},
		{"a second attempt", aggregate.Options{Context: 1}, []llm.Response{look, look, look, finishing(good)}, nil, paris, 4, 2},
		{"a hundred iterations", aggregate.Options{Tries: 1}, append(hundred, finishing(good)), nil, paris, 101, 1},
		{"never a call", aggregate.Options{Tries: 1}, []llm.Response{text("I think so.")}, nil,
			selection.Decision{Index: -1, Note: "none of 1 attempts finished with a solution in the form asked for"}, 3*5 + 5, 5},
		{"a call after two iterations without", aggregate.Options{}, times(10, text("Hm."), look, text("Hm."), finishing(good)), nil, paris, 13, 0},
		{"a call ends the silence", aggregate.Options{}, append(times(10, text("Hm."), look), times(10, text("Hm."), look, finishing(good))...), nil, paris, 23, 0},
		{"an invalid finish after the silence", aggregate.Options{}, times(15, text("Hm."), finishing(good)), nil, paris, 16, 1},
		{"the server's context: results are left out", aggregate.Options{}, []llm.Response{look, all, finishing(good)}, holdsTwice("She was born there."), paris, 3, 1},
		{"the server's context: the task does not fit", aggregate.Options{}, []llm.Response{look}, longerThan(10), nothing, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			model := &server{replies: tt.replies, refuse: tt.refuse}
			got := decide(t, aggregate.NewAggAgent(model, tt.opts), groupOf(native(0, "Paris")))
			check(t, got, tt.want, tt.calls)
			finishes := 0
			for _, r := range model.requests {
				if len(r.Tools) == 1 {
					finishes++
					if last := r.Messages[len(r.Messages)-1]; r.Tools[0].Name != "finish" || !strings.Contains(last.Content, forced) {
						t.Errorf("the only tool is %s after %q", r.Tools[0].Name, last.Content)
					}
				}
			}
			if finishes != tt.forced {
				t.Errorf("%d requests with finish alone, want %d", finishes, tt.forced)
			}
		})
	}
}

// The context is used up by more than four characters for each of its tokens, of
// the messages and the tools. What get_solution shows is filled up until they have
// four times as many as the context has tokens; with one more the next request may
// only finish.
func TestContextOfAggAgent(t *testing.T) {
	look := calling("get_solution", `{"trajectory_id":1}`)
	// ask returns the request behind one call about a solution with so many more letters.
	ask := func(context, more int) *llm.Request {
		rollout := native(0, "Paris")
		rollout.Messages[6].Content += strings.Repeat("x", more)
		model := &server{replies: []llm.Response{look, finishing(good)}}
		decide(t, aggregate.NewAggAgent(model, aggregate.Options{Context: context}), groupOf(rollout))
		return model.requests[1]
	}
	more := (4 - size(t, ask(0, 0))%4) % 4
	full := size(t, ask(0, more))
	if full%4 != 0 {
		t.Fatalf("with %d letters more the conversation has %d characters", more, full)
	}
	for _, tt := range []struct {
		name                string
		context, more, size int
		tools               int
	}{
		{"all of it", full / 4, more, full, 4},
		{"one character more", full / 4, more + 1, full + 1, 1},
		{"the same, and a token more", full/4 + 1, more + 1, full + 1, 4},
		{"a token less", full/4 - 1, more, full, 1},
	} {
		got := ask(tt.context, tt.more)
		if n := len(got.Tools); n != tt.tools {
			t.Errorf("%s: %d characters, %d tokens: %d tools are offered, want %d", tt.name, tt.size, tt.context, n, tt.tools)
		}
		if n := size(t, got); n != tt.size && tt.tools > 1 {
			t.Errorf("%s: %d characters, want %d", tt.name, n, tt.size)
		}
	}
}

// size returns the characters of a request as they are counted: of each message,
// and of the list of the tools, in their JSON forms.
func size(t *testing.T, req *llm.Request) int {
	t.Helper()
	values := []any{req.Tools}
	for _, m := range req.Messages {
		calls := []trajectory.ToolCall(nil)
		for _, c := range m.ToolCalls {
			calls = append(calls, trajectory.ToolCall(c))
		}
		values = append(values, message{Role: m.Role, Content: m.Content, Reasoning: m.Reasoning, ToolCalls: calls, ToolCallID: m.ToolCallID, Name: m.Name})
	}
	n := 0
	for _, v := range values {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
		n += utf8.RuneCount(b.Bytes()) - 1 // the line's end
	}
	return n
}

// A prompt that shrinks has nothing fresh, and is what the next one is held
// against: 100 + (300 − 100) + 0 + (400 − 250) = 450.
func TestFreshTokens(t *testing.T) {
	look := calling("get_solution", `{"trajectory_id":1}`)
	model := &server{replies: []llm.Response{usage(look, 100, 1, 0), usage(look, 300, 1, 0), usage(look, 250, 1, 0), usage(finishing(good), 400, 1, 0)}}
	got := decide(t, aggregate.NewAggAgent(model, aggregate.Options{}), groupOf(native(0, "Paris"))).Cost
	if got.Fresh != 450 || got.Prompt != 1050 {
		t.Errorf("%d of %d prompt tokens are fresh, want 450 of 1050", got.Fresh, got.Prompt)
	}
}

// holdsTwice refuses conversations in which two results hold a text.
func holdsTwice(s string) func(*llm.Request) bool {
	return func(req *llm.Request) bool {
		n := 0
		for _, m := range req.Messages {
			if m.Role == llm.ToolRole && strings.Contains(m.Content, s) {
				n++
			}
		}
		return n >= 2
	}
}

// Where results are left out, the question is not.
func TestForcedFinishKeepsTheQuestion(t *testing.T) {
	look := calling("get_solution", `{"trajectory_id":1}`)
	all := calling("get_solution", `{}`)
	model := &server{replies: []llm.Response{look, all, finishing(good)}, refuse: holdsTwice("She was born there.")}
	decide(t, aggregate.NewAggAgent(model, aggregate.Options{}), groupOf(native(0, "Paris")))
	var got []string
	for _, m := range model.requests[2].Messages {
		first, _, _ := strings.Cut(m.Content, "\n")
		got = append(got, m.Role+": "+first)
	}
	want := []string{
		"system: " + got[0][len("system: "):],
		"user: Question: Where was the founder of Acme born?",
		"assistant: ",
		"tool: [earlier results removed]",
		"assistant: ",
		`tool: [{"trajectory_id":1,"content":"She was born there.\n<answer>Paris</answer>"}]`,
		"user: " + aggregate.Render("forced-finish", nil),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("conversation mismatch (-want +got):\n%s", diff)
	}
}

// An iteration without a call is said in the conversation, in turns.
func TestSilence(t *testing.T) {
	var replies []llm.Response
	for range 5 {
		replies = append(replies, text("Let me see."))
	}
	model := &server{replies: append(replies, finishing(good))}
	decide(t, aggregate.NewAggAgent(model, aggregate.Options{}), groupOf(native(0, "Paris")))
	ms := model.requests[5].Messages
	want := []llm.Message{
		{Role: "assistant", Content: "[No tool was called in 5 replies.]"},
		{Role: "user", Content: "Call one of the tools: get_solution, search_trajectory, get_segment, finish. End with finish."},
	}
	if diff := cmp.Diff(want, ms[len(ms)-2:]); diff != "" {
		t.Errorf("the end of the conversation mismatch (-want +got):\n%s", diff)
	}
}

// The lines of the trajectories: tools by name, the first call of a message
// alone, a token for four characters.
func TestOverview(t *testing.T) {
	mixed := native(0, "Paris")
	mixed.Messages = []message{
		{Role: "user", Content: "12345678"},
		{Role: "assistant", Content: "1234", ToolCalls: []trajectory.ToolCall{{ID: "1", Name: "search", Arguments: "{}"}, {ID: "2", Name: "find", Arguments: "{}"}}},
		{Role: "tool", ToolCallID: "1", Content: "é234"},
		{Role: "tool", ToolCallID: "2", Content: "1234"},
		{Role: "assistant", Reasoning: "1234", ToolCalls: []trajectory.ToolCall{{ID: "3", Name: "open", Arguments: "{}"}}},
		{Role: "tool", ToolCallID: "3", Content: "1234"},
		{Role: "assistant", ToolCalls: []trajectory.ToolCall{{ID: "4", Name: "search", Arguments: "{}"}}},
		{Role: "tool", ToolCallID: "4", Content: "1234"},
		{Role: "assistant", Content: "12"},
	}
	bare := inTags(1, "Rome")
	bare.Messages = []message{{Role: "user", Content: "?"}, {Role: "assistant", Content: "<answer>x"}}
	model := &server{replies: []llm.Response{finishing(good)}}
	decide(t, aggregate.NewAggAgent(model, aggregate.Options{}), groupOf(mixed, inTags(1, "Rome"), bare))
	// Contents and thinking: 8 + 4 + 4 + 4 + 4 + 4 + 4 + 2 = 34; calls: search{} and
	// search{} 16, find{} 6, open{} 6: 62 in all, 15 tokens. Of the second, the
	// lengths of its messages: 45 + 63 + 77 + 50 = 235. Of the third 10.
	want := `
Trajectory 1: 8 steps, ~15 tokens | tools: open×1, search×2
Trajectory 2: 3 steps, ~58 tokens | tools: search×1
Trajectory 3: 1 steps, ~2 tokens | tools: none
`
	if got := model.requests[0].Messages[1].Content; !strings.Contains(got, want) {
		t.Errorf("the task is\n%s\nwant in it%s", got, want)
	}
}
