package aggregate_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/internal/testutil"
	"trawl/selection"
	"trawl/selection/aggregate"
)

// shown lets the agent make one call about a group and returns what it is shown.
func shown(t *testing.T, g selection.Group, first llm.Response) string {
	t.Helper()
	model := &server{replies: []llm.Response{first, finishing(good)}}
	decide(t, aggregate.NewAggAgent(model, aggregate.Options{}), g)
	return model.last(1).Content
}

func TestTools(t *testing.T) {
	group := groupOf(native(0, "Paris"), inTags(1, "Rome"), stepsOnly(2, "Kiel"))
	const (
		badID   = "Error: trajectory_id must be 1-3."
		second  = `{"trajectory_id":2,"step":2,"role":"tool","content":"<information>\nDoc 1(Title: Acme) Acme was founded by Jane Doe.\n</information>"}`
		first1  = `{"trajectory_id":1,"step":1,"role":"assistant","content":"","reasoning":"First the founder.","tool_calls":[{"name":"search","arguments":{"query":"Acme founder"}}]}`
		fifth1  = `{"trajectory_id":1,"step":5,"role":"assistant","content":"She was born there.\n<answer>Paris</answer>"}`
		middle1 = `{"trajectory_id":1,"step":2,"role":"tool","content":"Doc 1(Title: Acme) Acme was founded by Jane Doe."},` +
			`{"trajectory_id":1,"step":3,"role":"assistant","content":"Now her birthplace.","tool_calls":[{"name":"search","arguments":{"query":"Jane Doe born"}}]},` +
			`{"trajectory_id":1,"step":4,"role":"tool","content":"Doc 1(Title: Jane Doe) Jane Doe was born in Paris."}`
	)
	found := func(s string, score string) string {
		return strings.Replace(s, `","content"`, `","score":`+score+`,"content"`, 1)
	}
	tests := []struct{ name, tool, args, want string }{
		{"a solution", "get_solution", `{"trajectory_id":2}`, `[{"trajectory_id":2,"content":"<answer>Rome</answer>"}]`},
		{"as a text", "get_solution", `{"trajectory_id":"2"}`, `[{"trajectory_id":2,"content":"<answer>Rome</answer>"}]`},
		{"as a fraction of nothing", "get_solution", `{"trajectory_id":2.0}`, `[{"trajectory_id":2,"content":"<answer>Rome</answer>"}]`},
		{"without its name", "get_solution", `"3"`, `[{"trajectory_id":3,"content":"Kiel"}]`},
		{"all solutions", "get_solution", `{}`, `[{"trajectory_id":1,"content":"She was born there.\n<answer>Paris</answer>"},{"trajectory_id":2,"content":"<answer>Rome</answer>"},{"trajectory_id":3,"content":"Kiel"}]`},
		{"null is all", "get_solution", `{"trajectory_id":null}`, `[{"trajectory_id":1,"content":"She was born there.\n<answer>Paris</answer>"},{"trajectory_id":2,"content":"<answer>Rome</answer>"},{"trajectory_id":3,"content":"Kiel"}]`},
		{"id 0", "get_solution", `{"trajectory_id":0}`, badID},
		{"id N + 1", "get_solution", `{"trajectory_id":4}`, badID},
		{"id -1", "get_segment", `{"trajectory_id":-1,"start_step":1,"end_step":1}`, badID},
		{"half an id", "get_solution", `{"trajectory_id":1.5}`, badID},
		{"a name for an id", "search_trajectory", `{"trajectory_id":"first","query":"x"}`, badID},
		{"no id", "search_trajectory", `{"query":"x"}`, badID},

		{"the tool's steps", "search_trajectory", `{"trajectory_id":1,"query":"Jane Doe born","role":"tool","k":1}`,
			`[{"trajectory_id":1,"step":4,"role":"tool","score":1,"content":"Doc 1(Title: Jane Doe) Jane Doe was born in Paris."}]`},
		{"results in plain text are the tool's", "search_trajectory", `{"trajectory_id":2,"query":"founded berlin paris","role":" Tool "}`, "[" + found(second, "0.333") + "]"},
		{"the assistant's steps", "search_trajectory", `{"trajectory_id":1,"query":"born there","role":"assistant","k":"1"}`, "[" + found(fifth1, "1") + "]"},
		{"in the reasoning", "search_trajectory", `{"trajectory_id":1,"query":"first the founder","k":0}`, "[" + found(first1, "1") + "]"},
		{"no matches", "search_trajectory", `{"trajectory_id":2,"query":"zebra"}`, "No step of trajectory 2 matches this query."},
		{"before the first step nothing is found", "search_trajectory", `{"trajectory_id":1,"query":"you"}`, "No step of trajectory 1 matches this query."},
		{"no query", "search_trajectory", `{"trajectory_id":2}`, "Error: query must be a text that is not empty."},
		{"an empty query", "search_trajectory", `{"trajectory_id":2,"query":" "}`, "Error: query must be a text that is not empty."},
		{"an unknown role", "search_trajectory", `{"trajectory_id":2,"query":"x","role":"user"}`, "Error: role must be tool or assistant, or be left out."},
		{"a role that is no text", "search_trajectory", `{"trajectory_id":2,"query":"x","role":1}`, "Error: role must be tool or assistant, or be left out."},
		{"k of no number", "search_trajectory", `{"trajectory_id":2,"query":"x","k":"all"}`, "Error: k must be a whole number."},

		{"a segment", "get_segment", `{"trajectory_id":1,"start_step":2,"end_step":4}`, "[" + middle1 + "]"},
		{"clamped at both ends", "get_segment", `{"trajectory_id":1,"start_step":-7,"end_step":99}`, "[" + first1 + "," + middle1 + "," + fifth1 + "]"},
		{"beyond the end", "get_segment", `{"trajectory_id":1,"start_step":80,"end_step":90}`, "[" + fifth1 + "]"},
		{"the wrong way round", "get_segment", `{"trajectory_id":1,"start_step":4,"end_step":1}`, "[" + first1 + "]"},
		{"no end", "get_segment", `{"trajectory_id":1,"start_step":4}`, "Error: end_step must be a whole number."},
		{"no start", "get_segment", `{"trajectory_id":1,"end_step":"x"}`, "Error: start_step must be a whole number."},
		{"of steps", "get_segment", `{"trajectory_id":3,"start_step":3,"end_step":4}`,
			`[{"trajectory_id":3,"step":3,"role":"assistant","content":"","tool_calls":[{"name":"open","arguments":{"id":1}}]},{"trajectory_id":3,"step":4,"role":"tool","content":"no such page"}]`},

		{"an unknown tool", "search", `{"query":"x"}`, "Error: there is no tool of this name. The tools are: get_solution, search_trajectory, get_segment, finish."},
		{"a tool in capitals", "Get_Solution", `{"trajectory_id":2}`, `[{"trajectory_id":2,"content":"<answer>Rome</answer>"}]`},
		{"arguments that lack a brace", "get_solution", `{"trajectory_id":2`, `[{"trajectory_id":2,"content":"<answer>Rome</answer>"}]`},
		{"a finish without a solution", "finish", `{"reason":"x"}`, "Error: the solution is not complete. It needs <explanation>…</explanation> and <answer>…</answer>, both with text in them."},
		{"a solution without an answer", "finish", `{"solution":"<explanation>x</explanation>"}`, "Error: the solution is not complete. It needs <explanation>…</explanation> and <answer>…</answer>, both with text in them."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := shown(t, group, calling(tt.tool, tt.args))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("result mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// Of "Jane Doe born", steps 3 (in its call) and 4 have all, in this order; step
// 2 has two words of three, and step 5 one.
func TestOrderOfSearch(t *testing.T) {
	result := shown(t, groupOf(native(0, "Paris")), calling("search_trajectory", `{"trajectory_id":1,"query":"Jane Doe born"}`))
	var found []struct {
		Step  int
		Score float64
	}
	if err := json.Unmarshal([]byte(result), &found); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("[{3 1} {4 1} {2 0.667} {5 0.333}]", fmt.Sprint(found)); diff != "" {
		t.Errorf("steps and scores mismatch (-want +got):\n%s", diff)
	}
}

// Five steps at most, k of ten at most and five by default.
func TestToolLimits(t *testing.T) {
	long := native(0, "Paris")
	for range 14 {
		long.Messages = append(long.Messages, message{Role: "user", Content: "Go on, zebra."}, message{Role: "assistant", Content: "Yes."})
	}
	for _, tt := range []struct {
		tool, args string
		want       int
	}{
		{"get_segment", `{"trajectory_id":1,"start_step":3,"end_step":30}`, 5},
		{"search_trajectory", `{"trajectory_id":1,"query":"zebra","k":50}`, 10},
		{"search_trajectory", `{"trajectory_id":1,"query":"zebra"}`, 5},
		{"search_trajectory", `{"trajectory_id":1,"query":"zebra","k":-2}`, 1},
	} {
		if got := strings.Count(shown(t, groupOf(long), calling(tt.tool, tt.args)), `"step":`); got != tt.want {
			t.Errorf("%s(%s) shows %d steps, want %d", tt.tool, tt.args, got, tt.want)
		}
	}
	silent := inTags(1, "x")
	silent.Messages = silent.Messages[:1]
	if got, want := shown(t, groupOf(silent), calling("get_segment", `{"trajectory_id":1,"start_step":1,"end_step":1}`)), "Trajectory 1 has no steps."; got != want {
		t.Errorf("a segment of nothing = %q, want %q", got, want)
	}
}

func TestCut(t *testing.T) {
	tests := []struct {
		name, in string
		limit    int
		want     string
	}{
		{"fewer words", "a  b\nc", 4, "a  b\nc"},
		{"as many words", "a  b\nc", 3, "a b c [cut]"},
		{"more words", "a b c d", 3, "a b c [cut]"},
		{"none", "", 3, ""},
		{"a script without spaces", strings.Repeat("東", 33), 2, strings.Repeat("東", 32) + " [cut]"},
		{"just not too long", strings.Repeat("東", 32), 2, strings.Repeat("東", 32)},
	}
	for _, tt := range tests {
		if got := aggregate.Cut(tt.in, tt.limit); got != tt.want {
			t.Errorf("%s: Cut(%q, %d) = %q, want %q", tt.name, tt.in, tt.limit, got, tt.want)
		}
	}
	long := native(0, "x")
	long.Messages[3].Content = strings.Repeat("w ", 599)
	if got := shown(t, groupOf(long), calling("get_segment", `{"trajectory_id":1,"start_step":2,"end_step":2}`)); strings.Contains(got, "cut") {
		t.Error("599 words of a segment are cut")
	}
	long.Messages[3].Content += "w"
	if got := shown(t, groupOf(long), calling("get_segment", `{"trajectory_id":1,"start_step":2,"end_step":2}`)); !strings.Contains(got, "w [cut]") {
		t.Error("600 words of a segment are not cut")
	}
	if got := shown(t, groupOf(long), calling("search_trajectory", `{"trajectory_id":1,"query":"w"}`)); strings.Count(got, "w ") != 150 {
		t.Errorf("%d words of a step that was found are shown, want 150", strings.Count(got, "w "))
	}
}

func TestInteger(t *testing.T) {
	for in, want := range map[any]int{json.Number("2"): 2, json.Number("2.0"): 2, json.Number("2e1"): 20, " 2 ": 2, "2.0": 2, 3.0: 3, json.Number("-1"): -1} {
		if got, ok := aggregate.Integer(in); got != want || !ok {
			t.Errorf("Integer(%#v) = %d, %v, want %d", in, got, ok, want)
		}
	}
	for _, in := range []any{nil, true, "", "x", "2.5", "NaN", "Inf", json.Number("1e300")} {
		if got, ok := aggregate.Integer(in); ok {
			t.Errorf("Integer(%#v) = %d", in, got)
		}
	}
}

// The tools as they stand in the request.
func TestToolSpecs(t *testing.T) {
	model := &server{replies: []llm.Response{finishing(good)}}
	decide(t, aggregate.NewAggAgent(model, aggregate.Options{}), groupOf(native(0, "Paris"), inTags(1, "Rome")))
	type function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	var sent []function
	for _, tool := range model.requests[0].Tools {
		sent = append(sent, function(tool))
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(sent); err != nil {
		t.Fatal(err)
	}
	testutil.Golden(t, "tools.json", b.String())
}
