package aggregate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trawl/agent/llm"
	"trawl/selection"
	"trawl/trajectory"
)

type (
	message = trajectory.Message
	data    = map[string]any
)

// sameButTime compares decisions, whatever time they took.
var sameButTime = cmpopts.IgnoreFields(selection.Cost{}, "Millis")

var question = trajectory.Question{ID: "q1", Text: "Where was the founder\nof Acme born?"}

// native is a rollout with calls apart from the text.
func native(rollout int, answer string) *trajectory.Trajectory {
	t := &trajectory.Trajectory{QuestionID: "q1", Question: "Where was the founder of Acme born?", Rollout: rollout, Round: 1, Answer: answer}
	t.Messages = []message{
		{Role: "system", Content: "You search."},
		{Role: "user", Content: "Question: Where was the founder of Acme born?"},
		{Role: "assistant", Reasoning: "First the founder.", ToolCalls: []trajectory.ToolCall{{ID: "t1", Name: "search", Arguments: `{"query": "Acme founder"}`}}},
		{Role: "tool", ToolCallID: "t1", Name: "search", Content: "Doc 1(Title: Acme) Acme was founded by Jane Doe."},
		{Role: "assistant", Content: "Now her birthplace.", ToolCalls: []trajectory.ToolCall{{ID: "t2", Name: "search", Arguments: `{"query": "Jane Doe born"}`}}},
		{Role: "tool", ToolCallID: "t2", Name: "search", Content: "Doc 1(Title: Jane Doe) Jane Doe was born in Paris."},
	}
	if answer != "" {
		t.Messages = append(t.Messages, message{Role: "assistant", Content: "She was born there.\n<answer>" + answer + "</answer>"})
	}
	return t
}

// inTags is a rollout in plain text.
func inTags(rollout int, answer string) *trajectory.Trajectory {
	t := &trajectory.Trajectory{QuestionID: "q1", Question: "Where was the founder of Acme born?", Rollout: rollout, Round: 1, Answer: answer}
	t.Messages = []message{
		{Role: "user", Content: "Question: Where was the founder of Acme born?"},
		{Role: "assistant", Content: "<think>The founder first.</think>\n<search>Acme founder</search>"},
		{Role: "user", Content: "<information>\nDoc 1(Title: Acme) Acme was founded by Jane Doe.\n</information>"},
		{Role: "assistant", Content: "<think>That will do.</think>\n<answer>" + answer + "</answer>"},
	}
	return t
}

// stepsOnly is a rollout that was recorded without its messages.
func stepsOnly(rollout int, answer string) *trajectory.Trajectory {
	return &trajectory.Trajectory{QuestionID: "q1", Question: "Where was the founder of Acme born?", Rollout: rollout, Round: 1, Answer: answer, Steps: []trajectory.Step{
		{Turn: 1, Kind: trajectory.KindSearch, Thought: "The founder first.", Query: "Acme founder", Shown: "Doc 1(Title: Acme) Jane Doe founded Acme."},
		{Turn: 2, Kind: trajectory.KindOpen, Call: &trajectory.Call{ID: "x", Name: "open", Arguments: json.RawMessage(`{"id":1}`)}, Error: "no such page"},
		{Turn: 3, Kind: trajectory.KindAnswer, Thought: "Enough."},
	}}
}

func groupOf(ts ...*trajectory.Trajectory) selection.Group {
	return selection.Group{Question: question, Trajectories: ts}
}

func text(content string) llm.Response {
	return llm.Response{Message: llm.Message{Role: llm.Assistant, Content: content}, Finish: "stop"}
}

func calling(name, arguments string) llm.Response {
	return llm.Response{Message: llm.Message{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "call-1", Name: name, Arguments: arguments}}}, Finish: "tool_calls"}
}

func finishing(solution string) llm.Response {
	arguments, err := json.Marshal(data{"solution": solution, "reason": "verified"})
	if err != nil {
		panic(err)
	}
	return calling("finish", string(arguments))
}

const good = "<explanation>Jane Doe founded Acme.</explanation>\n<answer>Paris</answer>"

// noChoices stands for a reply that cannot be read.
var noChoices = llm.Response{Finish: "no choices"}

// A server answers the i-th call by replies[i], and every one after the last like
// the last. As a strict server does, it refuses conversations that are not valid.
// Calls for which refuse returns true do not fit the model; they are not counted.
type server struct {
	replies []llm.Response
	refuse  func(req *llm.Request) bool

	mu       sync.Mutex
	requests []*llm.Request
	refused  int
}

func (s *server) Complete(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := valid(req); err != nil {
		return nil, &llm.Error{Kind: llm.ErrBadRequest, Endpoint: "test", Status: 400, Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse != nil && s.refuse(req) {
		s.refused++
		return nil, &llm.Error{Kind: llm.ErrContextLength, Endpoint: "test", Status: 400}
	}
	seen := *req
	seen.Messages = slices.Clone(req.Messages)
	s.requests = append(s.requests, &seen)
	resp := s.replies[min(len(s.requests), len(s.replies))-1]
	if resp.Finish == noChoices.Finish {
		return nil, &llm.Error{Kind: llm.ErrMalformed, Endpoint: "test", Status: 200, Err: errors.New("no choices")}
	}
	resp.Message.ToolCalls = slices.Clone(resp.Message.ToolCalls)
	return &resp, nil
}

// valid says what a strict server has against a request: roles out of turn, calls
// and answers that do not belong together, arguments that are not JSON.
func valid(req *llm.Request) error {
	if len(req.Messages) == 0 || req.Messages[len(req.Messages)-1].Role == llm.Assistant {
		return errors.New("the last message is the assistant's")
	}
	open := map[string]bool{}
	previous := ""
	for i, m := range req.Messages {
		switch {
		case m.Role == llm.System && i > 0:
			return errors.New("a system message that is not the first")
		case m.Role == llm.ToolRole && !open[m.ToolCallID]:
			return fmt.Errorf("message %d answers the call %q, which is not open", i, m.ToolCallID)
		case m.Role != llm.ToolRole && len(open) > 0:
			return fmt.Errorf("message %d follows calls without an answer", i)
		case m.Role == previous && m.Role != llm.ToolRole:
			return fmt.Errorf("message %d has the role %q, as the one before", i, m.Role)
		}
		delete(open, m.ToolCallID)
		for _, c := range m.ToolCalls {
			if !json.Valid([]byte(c.Arguments)) || c.ID == "" || c.Name == "" {
				return fmt.Errorf("message %d has the call %+v", i, c)
			}
			open[c.ID] = true
		}
		previous = m.Role
	}
	if len(open) > 0 {
		return errors.New("the last calls have no answer")
	}
	return nil
}

// last returns the last message of the i-th request.
func (s *server) last(i int) llm.Message {
	ms := s.requests[i].Messages
	return ms[len(ms)-1]
}

// decide selects, and fails the test on an error.
func decide(t *testing.T, s selection.Selector, g selection.Group) selection.Decision {
	t.Helper()
	d, err := s.Select(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// check compares a decision and the number of calls.
func check(t *testing.T, got, want selection.Decision, calls int) {
	t.Helper()
	if got.Cost.Calls != calls {
		t.Errorf("%d model calls, want %d", got.Cost.Calls, calls)
	}
	want.Cost = got.Cost
	if diff := cmp.Diff(want, got, sameButTime); diff != "" {
		t.Errorf("decision mismatch (-want +got):\n%s", diff)
	}
}

// longerThan refuses prompts of more than n characters.
func longerThan(n int) func(*llm.Request) bool {
	return func(req *llm.Request) bool {
		size := 0
		for _, m := range req.Messages {
			size += len(m.Content)
		}
		return size > n
	}
}

// holds refuses prompts that hold a text.
func holds(s string) func(*llm.Request) bool {
	return func(req *llm.Request) bool {
		return slices.ContainsFunc(req.Messages, func(m llm.Message) bool { return strings.Contains(m.Content, s) })
	}
}
