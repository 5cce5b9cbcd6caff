package aggregate_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/selection"
	"trawl/selection/aggregate"
)

// A model that repeats its calls is told so, and then may only finish. (D1, D2)
func TestRepeats(t *testing.T) {
	look, all, unknown := calling("get_solution", `{"trajectory_id":1}`), calling("get_solution", `{}`), calling("google", `{}`)
	silence := []llm.Response{text("Hm."), text("Hm."), text("Hm."), text("Hm."), text("Hm.")}
	type replies = []llm.Response
	paris := selection.Decision{Answer: "Paris", Index: -1}
	tests := []struct {
		name    string
		tries   int
		replies replies
		want    selection.Decision
		calls   int
		forced  int // requests that may only finish
	}{
		{"for ever", 3, replies{look}, selection.Decision{Index: -1, Note: unfinished}, 3 * 5, 3},
		{"for ever, of a tool that is not there", 3, replies{unknown}, selection.Decision{Index: -1, Note: unfinished}, 3 * 5, 3},
		{"until it may only finish", 1, replies{look, look, look, look, finishing(good)}, paris, 5, 1},
		{"two repeats", 1, replies{look, look, look, finishing(good)}, paris, 4, 0},
		{"a new call ends the row", 1, replies{look, look, look, all, look, all, finishing(good)}, paris, 7, 0},
		{"two calls in turn", 1, replies{look, all, look, all, look, finishing(good)}, paris, 6, 1},
		{"silence does not end the row", 1, slices.Concat(replies{look, look}, silence, replies{look}, silence, replies{look, finishing(good)}), paris, 15, 1},
		{"nor does a finish that is not valid", 1, replies{look, look, look, finishing("Paris"), look, finishing(good)}, paris, 6, 1},
		{"a finish is no repeat", 1, replies{finishing("Paris"), finishing("Paris"), finishing("Paris"), finishing("Paris"), look, finishing(good)}, paris, 6, 0},
		{"an attempt begins anew", 2, replies{look, look, look, look, look, look, look, look, finishing(good)}, paris, 9, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			model := &server{replies: tt.replies}
			check(t, decide(t, aggregate.NewAggAgent(model, aggregate.Options{Tries: tt.tries}), groupOf(native(0, "Paris"))), tt.want, tt.calls)
			forced := 0
			for _, r := range model.requests {
				if len(r.Tools) == 1 {
					forced++
				}
			}
			if forced != tt.forced {
				t.Errorf("%d requests with finish alone, want %d", forced, tt.forced)
			}
		})
	}
}

// Which calls are the same. What a call asked stays in the conversation as it was.
func TestSameCall(t *testing.T) {
	const born = `{"trajectory_id":1,"query":"born in Málaga"}`
	tests := []struct {
		name            string
		tool, arguments string // of the second call
		same            bool
	}{
		{"equal", "search_trajectory", born, true},
		{"case of the name", "Search_Trajectory", born, true},
		{"case and white space of a text", "search_trajectory", `{"trajectory_id":1,"query":" BORN\n in\tMálaga "}`, true},
		{"composition of a text", "search_trajectory", `{"trajectory_id":1,"query":"born in Ma\u0301laga"}`, true},
		{"order of the arguments", "search_trajectory", `{"query":"born in Málaga","trajectory_id":1}`, true},
		{"white space within a word", "search_trajectory", `{"trajectory_id":1,"query":"bo rn in Málaga"}`, false},
		{"another number", "search_trajectory", `{"trajectory_id":2,"query":"born in Málaga"}`, false},
		{"one more argument", "search_trajectory", `{"trajectory_id":1,"query":"born in Málaga","k":5}`, false},
		{"in a list", "search_trajectory", `{"trajectory_id":1,"query":["born in Málaga"]}`, false},
		{"another tool", "get_segment", born, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			model := &server{replies: []llm.Response{calling("search_trajectory", born), calling(tt.tool, tt.arguments), finishing(good)}}
			decide(t, aggregate.NewAggAgent(model, aggregate.Options{}), groupOf(native(0, "Paris"), native(1, "Rome")))
			if got := model.last(2).Content == aggregate.Words("repeated", nil); got != tt.same {
				t.Errorf("told that it is a repeat: %v, want %v; shown %q", got, tt.same, model.last(2).Content)
			}
		})
	}
	nested := []llm.Response{calling("x", `{"a":["B",{"c":"D  e"}]}`), calling("x", `{"a":["b",{"c":"d E"}]}`), finishing(good)}
	model := &server{replies: nested}
	decide(t, aggregate.NewAggAgent(model, aggregate.Options{}), groupOf(native(0, "Paris")))
	if model.last(2).Content != aggregate.Words("repeated", nil) {
		t.Errorf("texts within lists and objects: shown %q", model.last(2).Content)
	}
	var asked []string
	for _, m := range model.requests[2].Messages {
		for _, c := range m.ToolCalls {
			asked = append(asked, c.Arguments)
		}
	}
	if diff := cmp.Diff([]string{`{"a":["B",{"c":"D  e"}]}`, `{"a":["b",{"c":"d E"}]}`}, asked); diff != "" {
		t.Errorf("the conversation mismatch (-want +got):\n%s", diff)
	}
}
