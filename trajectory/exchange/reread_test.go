package exchange_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/testutil"
	"trawl/trajectory"
	"trawl/trajectory/exchange"
)

// again is a rollout that was written in a form and read again, and what the writing
// counted as lost.
func again(t *testing.T, form string, was *trajectory.Trajectory) (*trajectory.Trajectory, map[string]int) {
	t.Helper()
	p, err := outForm(t, form).Render(exchange.Item{Trajectory: was})
	if err != nil {
		t.Fatal(err)
	}
	records, err := readAs(form, string(p.Data), p.Path)
	if err != nil || len(records) != 1 {
		t.Fatalf("%s: %d records, error %v\n%s", form, len(records), err, p.Data)
	}
	return records[0].Trajectory, p.Lost
}

// What AggAgent's tools returned stands as the JSON of a text in its files: a record
// has the text, in its steps and in its messages.
func TestAggAgentResults(t *testing.T) {
	tests := []struct{ name, content, want string }{
		{"a text", `"Doc 1(Title: A) born in\nBoston"`, "Doc 1(Title: A) born in\nBoston"},
		{"letters that JSON escapes", `"caf\u00e9 \"x\" \\ \ud83d\ude00"`, `café "x" \ 😀`},
		{"a text that is JSON of a text", `"\"Ada\""`, `"Ada"`},
		{"a list", `[{"url": "http://a"}]`, `[{"url": "http://a"}]`},
		{"an object", `{"error": "none"}`, `{"error": "none"}`},
		{"no JSON", `Ada was "here"`, `Ada was "here"`},
		{"nothing", `""`, ""},
		{"null", `null`, "null"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			content, err := json.Marshal(tt.content)
			if err != nil {
				t.Fatal(err)
			}
			records, err := readAs("aggagent", lineWith(asks+","+calls+`,{"role":"tool","tool_call_id":"c1","content":`+string(content)+`},`+says), "f")
			if err != nil {
				t.Fatal(err)
			}
			was := records[0].Trajectory
			if was.Steps[0].Shown != tt.want || was.Messages[2].Content != tt.want {
				t.Errorf("shown %q, message %q; want %q", was.Steps[0].Shown, was.Messages[2].Content, tt.want)
			}
			was.QuestionID = "q"
			for _, form := range []string{"aggagent", "messages"} {
				now, lost := again(t, form, was)
				if diff := cmp.Diff(was.Steps, now.Steps) + cmp.Diff(was.Messages, now.Messages); diff != "" || lost["steps.shown"] > 0 {
					t.Errorf("%s: lost %v (-was +now):\n%s", form, lost, diff)
				}
			}
		})
	}
}

// The marks of thinking that a server leaves in what a model says are no part of a
// thought, in any form, so that what is written and read again has the same one.
func TestThoughtsHaveNoMarks(t *testing.T) {
	tests := []struct{ name, reply, want string }{
		{"closed", `{"role":"assistant","content":"I know.</think> <answer>Ada</answer>"}`, "I know. <answer>Ada</answer>"},
		{"whole", `{"role":"assistant","content":"<think>I know.</think>\n<answer>Ada</answer>"}`, "I know.\n<answer>Ada</answer>"},
		{"apart", `{"role":"assistant","reasoning":"I know.","content":"</think>\n<answer>Ada</answer>"}`, "I know.\n<answer>Ada</answer>"},
		{"none", `{"role":"assistant","content":"a < b <answer>Ada</answer>"}`, "a < b <answer>Ada</answer>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, form := range []string{"messages", "aggagent"} {
				records, err := readAs(form, lineWith(asks+","+tt.reply), "f")
				if err != nil {
					t.Fatal(err)
				}
				was := records[0].Trajectory
				was.QuestionID = "q"
				if got := was.Steps[0].Thought; got != tt.want {
					t.Errorf("%s: thought %q, want %q", form, got, tt.want)
				}
				now, lost := again(t, form, was)
				if diff := cmp.Diff(was.Steps, now.Steps) + cmp.Diff(was.Messages, now.Messages); diff != "" || lost["steps.thought"] > 0 {
					t.Errorf("%s: lost %v (-was +now):\n%s", form, lost, diff)
				}
			}
		})
	}
}

// What comes back otherwise than it was is counted, step by step.
func TestWhatReadsOtherwiseIsCounted(t *testing.T) {
	with := func(change func(*trajectory.Trajectory)) *trajectory.Trajectory {
		tr := searched(trajectory.Answered, "Ada")
		change(tr)
		return tr
	}
	tests := []struct {
		name, form, key string
		rollout         *trajectory.Trajectory
		want            int
	}{
		{"nothing", "tongyi", "steps.shown", with(func(*trajectory.Trajectory) {}), 0},
		{"the tag that ends a result", "tongyi", "steps.shown", with(func(t *trajectory.Trajectory) { t.Steps[0].Shown = "a </tool_response> b" }), 1},
		{"blanks around results", "tongyi", "steps.shown", with(func(t *trajectory.Trajectory) { t.Steps[0].Shown, t.Steps[1].Shown = "a\n", "b\n" }), 2},
		{"the tag of a call in a thought", "tongyi", "steps.thought", with(func(t *trajectory.Trajectory) { t.Steps[0].Thought = "I </think> look" }), 1},
		{"native calls have room for it", "aggagent", "steps.thought", with(func(t *trajectory.Trajectory) { t.Steps[0].Thought = "I </think> look" }), 0},
		{"an answer in other words", "messages", "steps.thought", with(func(t *trajectory.Trajectory) { t.Steps[2].Thought = "Finish[Ada]" }), 1},
		{"what was said of a reply without a call", "aggagent", "steps.shown", with(func(t *trajectory.Trajectory) {
			t.Steps = append([]trajectory.Step{{Turn: 1, Kind: trajectory.KindNone, Thought: "hm", Shown: "Use a tool."}}, t.Steps...)
			t.Steps[1].Turn, t.Steps[2].Turn, t.Steps[3].Turn = 2, 2, 3
		}), 1},
		{"another kind of step", "messages", "steps.kind", with(func(t *trajectory.Trajectory) { t.Steps[0].Kind = trajectory.KindNone }), 1},
		{"an answer that holds an answer line", "aggagent", "answer (read as a whole reply)", with(func(t *trajectory.Trajectory) { t.Answer = "**Final Answer:** Ada. Or so." }), 1},
		{"an answer like another", "aggagent", "answer (read as a whole reply)", with(func(*trajectory.Trajectory) {}), 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := outForm(t, tt.form).Render(exchange.Item{Trajectory: tt.rollout})
			if err != nil {
				t.Fatal(err)
			}
			if p.Lost[tt.key] != tt.want {
				t.Errorf("lost %v, want %d of %s\n%s", p.Lost, tt.want, tt.key, p.Data)
			}
		})
	}
}

// Published rollouts come back from every form step by step as they were, ids of calls
// apart, or what differs is counted: nothing but the thoughts of ReAct, to which
// Tongyi's form adds the answer, and one answer of WebDancer with an answer line in it.
func TestPublishedRolloutsComeBack(t *testing.T) {
	tests := []struct {
		form, path string
		each       int // every such rollout is tried
		want       map[string]int
	}{
		{"messages", "r1_searcher_rollouts/hotpotqa_rollouts.jsonl", 40, map[string]int{}},
		{"r1-searcher", "r1_searcher_rollouts/native/bamboogle_llama.jsonl", 10, map[string]int{}},
		{"r1-searcher", "r1_searcher_rollouts/native/bamboogle_qwen.jsonl", 10, map[string]int{}},
		{"reflexion", "reflexion_react/ReAct_base_100_questions_5_trials.txt", 5, map[string]int{"tongyi steps.thought": 90}},
		{"webdancer", "webdancer/sample_traj.jsonl", 16, map[string]int{"tongyi answer (read as a whole reply)": 1, "aggagent answer (read as a whole reply)": 1}},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			f, err := os.Open(testutil.Shared(t, tt.path))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			differ, counted, n := map[string]int{}, map[string]int{}, 0
			for rec, err := range exchange.Read(tt.form, f, tt.path, exchange.Options{}) {
				if err != nil {
					t.Fatal(err)
				}
				rec.Trajectory.QuestionID = "q"
				if n++; n%tt.each != 0 {
					continue
				}
				for _, form := range []string{"messages", "tongyi", "aggagent"} {
					now, lost := again(t, form, rec.Trajectory)
					for key, n := range lost {
						if strings.HasPrefix(key, "answer (") || key == "steps.thought" || key == "steps.shown" || key == "steps.query" || key == "steps.kind" || key == "number of steps" {
							counted[form+" "+key] += n
						}
					}
					compare(differ, form, rec.Trajectory, now)
				}
			}
			if diff := cmp.Diff(tt.want, differ); diff != "" {
				t.Errorf("differ (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(differ, counted); diff != "" {
				t.Errorf("(-differ +counted):\n%s", diff)
			}
		})
	}
}

// compare counts in differ what of a rollout is not what it was.
func compare(differ map[string]int, form string, was, now *trajectory.Trajectory) {
	tell := func(key string, is bool) {
		if is {
			differ[fmt.Sprint(form, " ", key)]++
		}
	}
	tell("answer (read as a whole reply)", was.Answer != now.Answer)
	tell("number of steps", len(was.Steps) != len(now.Steps))
	for i := range min(len(was.Steps), len(now.Steps)) {
		a, b := was.Steps[i], now.Steps[i]
		tell("steps.thought", a.Thought != b.Thought)
		tell("steps.shown", a.Shown != b.Shown)
		tell("steps.query", a.Query != b.Query)
		tell("steps.kind", a.Kind != b.Kind)
		tell("steps.results", !cmp.Equal(a.Results, b.Results))
	}
}
