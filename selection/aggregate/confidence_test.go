package aggregate_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trawl/agent/llm"
	"trawl/selection"
	"trawl/selection/aggregate"
	"trawl/selection/baseline"
)

var approx = cmpopts.EquateApprox(0, 1e-12)

func TestConfidence(t *testing.T) {
	tests := []struct {
		name    string
		replies []llm.Response
		scores  []float64
		note    string
		calls   int
	}{
		{"one call", []llm.Response{text("Confidence: 85%")}, []float64{.85}, "", 1},
		{"a bare number", []llm.Response{text("<think>50?</think>85")}, []float64{.85}, "", 1},
		{"the server took it for reasoning", []llm.Response{{Message: llm.Message{Reasoning: "85%"}, Finish: "stop"}}, []float64{.85}, "", 1},
		{"at the second try", []llm.Response{text("Very sure."), text("Confidence: 0")}, []float64{0}, "", 2},
		{"never", []llm.Response{text("Very sure.")}, nil, "the model states no confidence", 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			model := &server{replies: tt.replies}
			got := decide(t, aggregate.NewConfidence(model, aggregate.Options{}), groupOf(native(0, "Paris")))
			check(t, got, selection.Decision{Answer: "Paris", Scores: tt.scores, Note: tt.note}, tt.calls)
		})
	}
	if _, err := aggregate.NewConfidence(&server{}, aggregate.Options{}).Select(t.Context(), groupOf(native(0, "a"), native(1, "b"))); err == nil || errors.Is(err, selection.ErrEmpty) {
		t.Errorf("a group of two: error %v", err)
	}
}

// The rollout's own conversation is what is sent, each call answered, and the
// question at its end.
func TestConversationOfConfidence(t *testing.T) {
	ask := aggregate.Render("confidence", data{"Answer": "Paris"})
	model := &server{replies: []llm.Response{text("Confidence: 85%")}}
	tools := []llm.Tool{{Name: "search"}}
	rollout := native(0, "Paris")
	decide(t, aggregate.NewConfidence(model, aggregate.Options{Tools: tools}), groupOf(rollout))
	req := model.requests[0]
	if len(req.Messages) != len(rollout.Messages)+1 || model.last(0).Content != ask || !req.NoTools || len(req.Tools) != 1 {
		t.Errorf("request %+v", req)
	}

	dangling := native(0, "Paris")
	dangling.Messages = dangling.Messages[:5]
	open := &server{replies: model.replies}
	decide(t, aggregate.NewConfidence(open, aggregate.Options{}), groupOf(dangling))
	if ms := open.requests[0].Messages; len(ms) != 7 || ms[5].Content != aggregate.Words("open-call", nil) || open.requests[0].NoTools {
		t.Errorf("messages %+v", ms)
	}

	joined := inTags(0, "Paris")
	joined.Messages = joined.Messages[:3]
	tags := &server{replies: model.replies}
	decide(t, aggregate.NewConfidence(tags, aggregate.Options{}), groupOf(joined))
	if ms := tags.requests[0].Messages; len(ms) != 3 || !strings.HasSuffix(ms[2].Content, "</information>\n\n"+ask) {
		t.Errorf("messages %+v", ms)
	}

	told := &server{replies: model.replies}
	decide(t, aggregate.NewConfidence(told, aggregate.Options{Tools: tools}), groupOf(stepsOnly(0, "Paris")))
	if ms := told.requests[0].Messages; len(ms) != 1 || !strings.HasPrefix(ms[0].Content, "Below is the record") || !strings.HasSuffix(ms[0].Content, "\n\n"+ask) || told.requests[0].NoTools {
		t.Errorf("messages %+v", ms)
	}

	small := &server{replies: model.replies, refuse: holds("founded by")}
	decide(t, aggregate.NewConfidence(small, aggregate.Options{}), groupOf(rollout))
	if ms := small.requests[0].Messages; small.refused != 1 || ms[3].Content != "[earlier results removed]" || !strings.Contains(ms[5].Content, "Paris") {
		t.Errorf("after %d refusals the messages are %+v", small.refused, ms)
	}
	never := &server{refuse: longerThan(0)}
	check(t, decide(t, aggregate.NewConfidence(never, aggregate.Options{}), groupOf(rollout)), selection.Decision{Answer: "Paris", Note: "the model states no confidence"}, 0)
}

// Two votes for Rome lose against one for Paris that is surer, if that is what
// the model states when asked: .9 against .2 + .2. What the rollouts state
// themselves does not count.
func TestAsked(t *testing.T) {
	sure := 1.0
	group := groupOf(native(0, "Rome"), native(1, "Paris"), native(2, "Rome"), native(3, ""), native(4, "Oslo"))
	group.Trajectories[0].Confidence = &sure
	group.Trajectories[4].Confidence = &sure
	stated := map[string]string{"Paris": "90%", "Oslo": "I cannot say."}
	model := clientFunc(func(_ context.Context, req *llm.Request) (*llm.Response, error) {
		last := req.Messages[len(req.Messages)-1].Content
		r := usage(text("20%"), 10, 1, 4)
		for answer, s := range stated {
			if strings.Contains(last, ": "+answer) {
				r = usage(text(s), 10, 1, 4)
			}
		}
		return &r, valid(req)
	})
	asked := aggregate.Asked{Confidence: aggregate.NewConfidence(model, aggregate.Options{}), Inner: baseline.Weighted{}}
	got := decide(t, asked, group)
	want := selection.Decision{
		Answer: "Paris", Index: 1, Scores: []float64{.4 / 1.3, .9 / 1.3, .4 / 1.3, 0, 0},
		Note: "1 of 4 rollouts with an answer state no confidence; 1 of 4 rollouts stated no confidence when asked",
		Cost: selection.Cost{Calls: 6, Prompt: 60, Completion: 6, Cached: 24, Fresh: 40}, // Oslo's three tries send the same prompt
	}
	if diff := cmp.Diff(want, got, sameButTime, approx); diff != "" {
		t.Errorf("decision mismatch (-want +got):\n%s", diff)
	}
	if group.Trajectories[0].Confidence != &sure || group.Trajectories[1].Confidence != nil {
		t.Error("the group was changed")
	}
}

// What selectors say of their time is what counts, not when they say it: 700 ms
// of the longest confidence, since they are asked for in parallel, and 40 ms of
// deciding.
func TestTimeOfAsked(t *testing.T) {
	millis := map[string]int64{"Rome": 300, "Paris": 700, "Oslo": 200}
	kept := selectorFunc(func(g selection.Group) selection.Decision {
		answer := g.Trajectories[0].Answer
		return selection.Decision{Answer: answer, Scores: []float64{.5}, Cost: selection.Cost{Calls: 1, Millis: millis[answer]}}
	})
	inner := selectorFunc(func(g selection.Group) selection.Decision {
		return selection.Decision{Answer: "Rome", Cost: selection.Cost{Calls: 1, Millis: 40}}
	})
	got := decide(t, aggregate.Asked{Confidence: kept, Inner: inner}, groupOf(native(0, "Rome"), native(1, "Paris"), native(2, ""), native(3, "Oslo")))
	want := selection.Decision{Answer: "Rome", Cost: selection.Cost{Calls: 4, Millis: 740}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("decision mismatch (-want +got):\n%s", diff)
	}
}

type selectorFunc func(selection.Group) selection.Decision

func (f selectorFunc) Select(_ context.Context, g selection.Group) (selection.Decision, error) {
	return f(g), nil
}
