package aggregate_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/internal/testutil"
	"trawl/selection"
	"trawl/selection/aggregate"
	"trawl/trajectory"
)

// integrates reports whether a request is the one that decides between reports.
func integrates(req *llm.Request) bool {
	return strings.HasPrefix(req.Messages[0].Content, "Several teams")
}

// K + 1 calls, whatever the order of the reports; each is shown one trajectory.
func TestSummAgg(t *testing.T) {
	group := groupOf(native(0, "Paris"), inTags(1, "Rome"), native(2, ""), stepsOnly(3, "Kiel"))
	var decided atomic.Value
	model := clientFunc(func(_ context.Context, req *llm.Request) (*llm.Response, error) {
		prompt := req.Messages[0].Content
		r := usage(text("<report>About "+whose(prompt)+"</report>"), 100, 10, 0)
		if integrates(req) {
			decided.Store(prompt)
			r = usage(text("**Answer:** Paris."), 50, 1, 0)
		}
		return &r, valid(req)
	})
	got := decide(t, aggregate.NewSummAgg(model, aggregate.Options{}), group)
	want := selection.Decision{Answer: "Paris", Index: -1, Cost: selection.Cost{Calls: 5, Prompt: 450, Completion: 41, Fresh: 450}}
	if diff := cmp.Diff(want, got, sameButTime); diff != "" {
		t.Errorf("decision mismatch (-want +got):\n%s", diff)
	}
	_, reports, _ := strings.Cut(decided.Load().(string), "## Report 1")
	if diff := cmp.Diff("\nAbout Paris\n\n## Report 2\nAbout Rome\n\n## Report 3\nAbout nothing\n\n## Report 4\nAbout Kiel", reports); diff != "" {
		t.Errorf("reports mismatch (-want +got):\n%s", diff)
	}
}

// whose returns the only answer in a prompt.
func whose(prompt string) string {
	found := "nothing"
	for _, a := range []string{"Paris", "Rome", "Kiel"} {
		if strings.Contains(prompt, "<answer>"+a) {
			if found != "nothing" {
				return "several"
			}
			found = a
		}
	}
	return found
}

func TestReportsThatCannotBeHad(t *testing.T) {
	group := groupOf(native(0, "Paris"), inTags(1, "Rome"))
	answer := func(report func(prompt string) llm.Response) (*atomic.Int64, clientFunc) {
		calls := &atomic.Int64{}
		return calls, func(_ context.Context, req *llm.Request) (*llm.Response, error) {
			calls.Add(1)
			r := text(good)
			if !integrates(req) {
				r = report(req.Messages[0].Content)
			}
			return &r, nil
		}
	}
	t.Run("one of two", func(t *testing.T) {
		calls, model := answer(func(prompt string) llm.Response {
			if whose(prompt) == "Rome" {
				return text("<think>I shall report")
			}
			return llm.Response{Message: llm.Message{Reasoning: "<report>x</report>"}, Finish: "stop"}
		})
		got := decide(t, aggregate.NewSummAgg(model, aggregate.Options{}), group)
		check(t, got, selection.Decision{Answer: "Paris", Index: -1, Note: "1 of 2 reports could not be had"}, 5)
		if calls.Load() != 5 { // 1 + 3 tries + 1
			t.Errorf("%d calls, want 5", calls.Load())
		}
	})
	t.Run("none", func(t *testing.T) {
		_, model := answer(func(string) llm.Response { return text("") })
		got := decide(t, aggregate.NewSummAgg(model, aggregate.Options{Tries: 2}), group)
		check(t, got, selection.Decision{Index: -1, Note: "none of 2 reports could be had"}, 4)
	})
}

// A record that does not fit loses its oldest results, then its oldest exchanges,
// and never the question.
func TestRecordThatDoesNotFit(t *testing.T) {
	long := &trajectory.Trajectory{QuestionID: "q1", Answer: "Paris", Messages: []message{{Role: "user", Content: "Question: Where?"}}}
	for i := range 6 {
		long.Messages = append(long.Messages,
			message{Role: "assistant", Content: fmt.Sprintf("Step %d.", i), ToolCalls: []trajectory.ToolCall{{ID: "x", Name: "search", Arguments: "{}"}}},
			message{Role: "tool", ToolCallID: "x", Name: "search", Content: fmt.Sprintf("Result %d.", i)})
	}
	long.Messages = append(long.Messages, message{Role: "assistant", Content: "<answer>Paris</answer>"})
	var got []string
	for ms := range aggregate.Shorter(long.Messages) {
		if err := valid(&llm.Request{Messages: append(ms, llm.Message{Role: llm.User})}); err != nil {
			t.Errorf("%d messages: %v", len(ms), err)
		}
		s := aggregate.Record(ms)
		first, last := -1, -1
		for i := range 6 {
			if strings.Contains(s, fmt.Sprintf("Step %d.", i)) && first < 0 {
				first = i
			}
			if strings.Contains(s, fmt.Sprintf("Result %d.", i)) && last < 0 {
				last = i
			}
		}
		if !strings.Contains(s, "Question: Where?") || !strings.Contains(s, "Paris") {
			t.Errorf("the question or the answer is missing in\n%s", s)
		}
		got = append(got, fmt.Sprintf("steps from %d, results from %d, removed %v", first, last, strings.Contains(s, "[earlier steps removed]")))
	}
	want := []string{ // of 6 results and 7 exchanges
		"steps from 0, results from 0, removed false",
		"steps from 0, results from 3, removed false",
		"steps from 0, results from 5, removed false",
		"steps from 0, results from -1, removed false",
		"steps from 3, results from -1, removed true",
		"steps from 5, results from -1, removed true",
		"steps from -1, results from -1, removed true",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is left mismatch (-want +got):\n%s", diff)
	}

	model := &server{replies: []llm.Response{text("<report>x</report>"), text(good)}, refuse: holds("Result 3.")}
	check(t, decide(t, aggregate.NewSummAgg(model, aggregate.Options{}), groupOf(long)), selection.Decision{Answer: "Paris", Index: -1}, 2)
	if prompt := model.last(0).Content; !strings.Contains(prompt, "Result 5.") || strings.Contains(prompt, "Result 4.") || model.refused != 2 {
		t.Errorf("after %d refusals the prompt is\n%s", model.refused, prompt)
	}
	never := &server{replies: []llm.Response{text(good)}, refuse: holds("# Record")}
	check(t, decide(t, aggregate.NewSummAgg(never, aggregate.Options{}), groupOf(long)), selection.Decision{Index: -1, Note: "none of 1 reports could be had"}, 0)
	if never.refused != len(want) {
		t.Errorf("%d prompts refused, want %d", never.refused, len(want))
	}
}

func TestShorterOfLittle(t *testing.T) {
	for _, ms := range [][]message{nil, {{Role: "user", Content: "q"}}, {{Role: "assistant", Content: "a"}}, {{Role: "user", Content: "q"}, {Role: "assistant", Content: "a"}}} {
		n := 0
		for range aggregate.Shorter(ms) {
			n++
		}
		if n != 1 {
			t.Errorf("%d messages: %d conversations, want 1", len(ms), n)
		}
	}
}

func TestRecord(t *testing.T) {
	dangling := native(0, "")
	dangling.Messages = append(dangling.Messages, message{Role: "assistant", ToolCalls: []trajectory.ToolCall{{ID: "t3", Name: "search", Arguments: "not JSON"}}})
	tests := map[string]*trajectory.Trajectory{"native": native(0, "Paris"), "tags": inTags(1, "Rome"), "steps": stepsOnly(2, "Kiel"), "dangling": dangling}
	for name, tr := range tests {
		for ms := range aggregate.Shorter(aggregate.MessagesOf(tr)) {
			testutil.Golden(t, "records/"+name+".txt", aggregate.Record(ms)+"\n")
			break
		}
	}
}
