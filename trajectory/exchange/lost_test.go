package exchange_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/testutil"
	"trawl/trajectory"
	"trawl/trajectory/exchange"
)

// full is a rollout in which no field is zero.
func full() *trajectory.Trajectory {
	half, nats := 0.5, 1.5
	call := trajectory.CallUsage{Prompt: 10, Completion: 3, Cached: 2, Estimated: true}
	return &trajectory.Trajectory{
		V: 1, QuestionID: "q", Round: 2, Rollout: 1, Config: "c", Question: "Who?", Seed: 7, SeedQuery: &trajectory.SeedQuery{Text: "ada", Source: trajectory.SeedPool},
		Steps: []trajectory.Step{{
			Turn: 1, Kind: trajectory.KindSearch, Thought: "hm", Query: "ada", Source: trajectory.SeedPool, Shown: "Doc 1(Title: A) a", Error: "slow", Repairs: []string{"json"},
			Call:    &trajectory.Call{ID: "c1", Name: "search", Arguments: json.RawMessage(`{"query":"ada"}`)},
			Results: []trajectory.Result{{Rank: 1, ID: "d", Title: "A", URL: "u", Score: 2, Text: "a", Parent: "p"}},
			Usage:   call, Millis: 5, Entropy: &nats,
		}},
		Messages: []trajectory.Message{{Role: "user", Content: "Please: who?"}},
		Answer:   "Ada", Source: trajectory.AnswerFinalCall, Confidence: &half, Termination: trajectory.TokenLimit,
		Usage:   trajectory.Usage{LLMCalls: 3, Prompt: 30, Completion: 9, Cached: 4, Searches: 4, Opens: 2, Estimated: true},
		Started: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Millis: 1500,
	}
}

// derived are the fields whose zero is no other rollout, or that every reader makes
// anew: the version, the settings' hash, which the manifest explains, numbers of
// turns and ranks, what a step does and asks for, which its call says, and ids of
// calls.
var derived = []string{"V", "Config", "Steps.Turn", "Steps.Kind", "Steps.Query", "Steps.Call.ID", "Steps.Results.Rank", "Messages.Role"}

// counted are the names under which a form counts a whole part of a rollout.
var counted = map[string]string{
	"question_id": "QuestionID", "seed_query": "SeedQuery", "steps": "Steps", "messages": "Messages", "messages (made of the steps)": "Messages", "steps.results (ids, scores)": "Steps.Results",
	"scores and texts of documents": "Steps.Results", "steps.usage": "Steps.Usage", "usage": "Usage", "usage.llm_calls": "Usage.LLMCalls", "usage.searches": "Usage.Searches",
	"usage.opens": "Usage.Opens", "usage.cached": "Steps.Usage.Cached", "usage.estimated": "Steps.Usage.Estimated", "answer_source": "Source", "usage beyond that of the steps": "Usage",
}

// each calls do with each field of v, at any depth, by name.
func each(v reflect.Value, name string, do func(name string, field reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type().Elem().Kind() == reflect.Struct {
			each(v.Elem(), name, do)
			return
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			break
		}
		for i := range v.NumField() {
			each(v.Field(i), strings.TrimPrefix(name+"."+v.Type().Field(i).Name, "."), do)
		}
		return
	case reflect.Slice:
		if v.Len() > 0 && v.Index(0).Kind() == reflect.Struct {
			do(name, v)
			each(v.Index(0), name, do)
			return
		}
	}
	do(name, v)
}

// Whatever a rollout has is in the file that it becomes, or is counted by name as
// lost: without it the one or the other differs.
func TestNothingIsDroppedSilently(t *testing.T) {
	yes := true
	for _, form := range exchange.OutForms() {
		t.Run(form.Name, func(t *testing.T) {
			var lost map[string]int
			told := func(tr *trajectory.Trajectory, verdict *bool) string {
				p, err := form.Render(exchange.Item{Trajectory: tr, Golds: []string{"Ada"}, Verdict: verdict, Judge: "j"})
				if err != nil {
					t.Fatal(err)
				}
				lost = p.Lost
				return fmt.Sprintf("%s %s %v", p.Path, p.Data, p.Lost)
			}
			whole := told(full(), &yes)
			parts := []string{}
			for name := range lost {
				if counted[name] != "" {
					parts = append(parts, counted[name])
				}
			}
			if whole == told(full(), nil) {
				t.Error("the verdict is neither written nor counted")
			}
			tr := full()
			each(reflect.ValueOf(tr), "", func(name string, field reflect.Value) {
				ofPart := func(part string) bool { return name == part || strings.HasPrefix(name, part+".") }
				if field.IsZero() || slices.Contains(derived, name) || slices.ContainsFunc(parts, ofPart) {
					return
				}
				was := reflect.ValueOf(field.Interface())
				field.SetZero()
				if told(tr, &yes) == whole {
					t.Errorf("%s is neither written nor counted", name)
				}
				field.Set(was)
			})
		})
	}
}

// A table holds all of a rollout but its round and its settings.
func TestTableRoundTrip(t *testing.T) {
	for _, was := range []*trajectory.Trajectory{full(), searched(trajectory.Failed, ""), searched(trajectory.Loop, "")} {
		records, err := readTable("parquet", table(t, was))
		if err != nil || len(records) != 1 {
			t.Fatalf("%d records, error %v", len(records), err)
		}
		lost := map[string]int{}
		if was.Round > 1 {
			lost["round"] = 1
		}
		was.Round, was.Config = 1, ""
		if diff := cmp.Diff(was, records[0].Trajectory); diff != "" {
			t.Errorf("rollout (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(lost, records[0].Lost); diff != "" {
			t.Errorf("lost (-want +got):\n%s", diff)
		}
	}
}

// shapes are files of the forms with every key that their programs write.
var shapes = map[string]string{
	"messages": `{"question":"Who?","question_id":"7","golden_answers":["Ada"],"prediction":"Ada","termination":"answer","rollout_id":2,"confidence":0.5,"tag":"x","messages":[` +
		`{"role":"user","content":[{"type":"text","text":"Who?"},{"type":"image_url","image_url":{"url":"u"}}]},` +
		`{"role":"assistant","content":"","reasoning":"hm","refusal":"no","tool_calls":[{"id":"c","type":"function","extra":1,"function":{"name":"search","arguments":"{\"query\":\"x\"}"}}]},` +
		`{"role":"tool","tool_call_id":"c","name":"search","content":"Doc 1(Title: T) t"},{"role":"assistant","content":"<answer>Ada</answer>"}]}`,
	"tongyi":       samples["tongyi"],
	"websailor":    samples["websailor"],
	"parallelmuse": `{"question":"Who?","answer":"Ada","prediction":"Ada","termination":"answer","prepand_msg":[{"role":"user","content":"Who?"}],"rollout_type":"partial_rollout","rollout":[{"role":"user","content":"Who?"},{"role":"assistant","content":"<answer>Ada</answer>","step_ppl":{"think_ppl":1.5,"tool_call_ppl":2,"all_ppl":2},"previous_turn_time_consumption":{"llm":1}}]}`,
	"aggagent": `{"metadata":{"model":"m"},"question":"Who?","instance":{"question":"Who?","id":"i","answer":"Ada","kind":"x"},"prediction":"<answer>Ada</answer>","termination":"answer","time":1.5,"cost":{"rollout":1,"tool":2},` +
		`"auto_judge":{"extracted_final_answer":"Ada","correctness":"correct","confidence":80,"reasoning":"same","judge_text":"t"},` +
		`"messages":[{"role":"user","content":"Who?"},{"role":"assistant","content":"<answer>Ada</answer>","reasoning":"hm"}],` +
		`"debug_data":{"token_lengths_each_step":[{"iteration":1,"input_tokens":10,"output_tokens":1}],"tool_usage":{"search":1},"full_messages":[{"role":"user"}]}}`,
	"r1-searcher": strings.TrimSuffix(samples["r1-searcher"], "}") + `,"id":"x","source":"y"}`,
	"flashrag":    `{"id":"t","question":"Who?","golden_answers":["Ada"],"metadata":{"type":"x"},"output":{"query":"Who?","pred":"Ada","final_response":"<answer>Ada</answer>","metric_score":{"em":1},"stop_reason":"stop","prompt_tokens":7,"completion_tokens":2,"retrieval_result":[1]}}`,
	"webdancer":   `{"type":"chatml","task":"x","tag":"y","functions":[{"name_for_human":"s"}],"tool_calls":[{"x":1}],"messages":[{"role":"user","content":"User: Who?"},{"role":"assistant","content":"<answer>Ada</answer>"}],"answer":[["Ada"]]}`,
}

// repeated are keys that say again what stands elsewhere in the line, or nothing
// that is not known, or that are counted with what they are part of.
var repeated = []string{"parallelmuse prepand_msg", "parallelmuse question", "tongyi question", "websailor question", "aggagent question", "aggagent prediction",
	"parallelmuse rollout.1.step_ppl.all_ppl", "parallelmuse rollout.1.step_ppl.think_ppl", "parallelmuse rollout.1.step_ppl.tool_call_ppl", "messages messages.0.content.1.image_url", "aggagent instance.question", "aggagent debug_data.tool_usage", "flashrag output.query",
	"aggagent debug_data.token_lengths_each_step.0.iteration", "messages messages.0.content.0.type", "messages messages.1.content", "messages messages.1.tool_calls.0.type"}

// Whatever a line has is in the record, or is counted by name as lost: without it
// the one or the other differs, or the line is an error.
func TestNothingIsLeftOutSilently(t *testing.T) {
	for _, form := range slices.Sorted(maps.Keys(shapes)) {
		t.Run(form, func(t *testing.T) {
			told := func(v any) string {
				data, err := json.Marshal(v)
				if err != nil {
					t.Fatal(err)
				}
				records, err := readAs(form, string(data), "f")
				if err != nil {
					return err.Error()
				}
				raw, err := json.Marshal(records[0])
				if err != nil {
					t.Fatal(err)
				}
				return string(raw)
			}
			var line any
			if err := json.Unmarshal([]byte(shapes[form]), &line); err != nil {
				t.Fatal(err)
			}
			whole := told(line)
			if strings.HasPrefix(whole, "exchange: ") {
				t.Fatal(whole)
			}
			var walk func(at string, v any)
			walk = func(at string, v any) {
				switch v := v.(type) {
				case []any:
					for i, item := range v {
						walk(at+strconv.Itoa(i)+".", item)
					}
				case map[string]any:
					for _, key := range slices.Sorted(maps.Keys(v)) {
						was, name := v[key], form+" "+at+key
						delete(v, key)
						if now := told(line); now == whole && !slices.Contains(repeated, name) {
							t.Errorf("%s is neither read nor counted", name)
						}
						lostWhole := func() bool { // what is lost is counted by the name of the whole
							v[key] = "x"
							return told(line) == whole
						}()
						if v[key] = was; !lostWhole && !slices.Contains(repeated, name) {
							walk(at+key+".", was)
						}
					}
				}
			}
			walk("", line)
		})
	}
}

// Reflexion's logs are held against their own summaries, and what stands between
// the agents is counted.
func TestTrialSummaries(t *testing.T) {
	agent := func(question, mark string) string {
		return "Question: " + question + "\nThought 1: So.\nAction 1: Finish[Ada]\nObservation 1: Answer is " + mark + "\nCorrect answer: Ada\n\n"
	}
	trial := func(n, correct, incorrect, halted int) string {
		return fmt.Sprintf("#####\nBEGIN TRIAL %d\nTrial summary: Correct: %d, Incorrect: %d, Halted: %d\n#####\n", n, correct, incorrect, halted)
	}
	const right, wrong, stopped = "--- BEGIN CORRECT AGENTS ---\n", "--- BEGIN INCORRECT AGENTS ---\n", "--- BEGIN HALTED AGENTS ---\n"
	tests := []struct {
		name, log string
		want      map[string]int
	}{
		{"whole", trial(1, 1, 1, 0) + right + agent("A?", "CORRECT") + wrong + agent("B?", "INCORRECT"), map[string]int{}},
		{"listed twice", trial(1, 0, 1, 0) + wrong + agent("B?", "INCORRECT") + stopped + agent("B?", "INCORRECT"), map[string]int{"agent listed again": 1}},
		{"cut off at the end", trial(1, 1, 2, 3) + right + agent("A?", "CORRECT") + wrong + agent("B?", "INCORRECT"), map[string]int{
			"agents of trial 1 that its summary counts as incorrect and the log does not list": 1, "agents of trial 1 that its summary counts as halted and the log does not list": 3}},
		{"cut off in the middle", trial(1, 2, 0, 0) + right + agent("A?", "CORRECT") + trial(2, 1, 0, 0) + right + agent("A?", "CORRECT"), map[string]int{
			"agents of trial 1 that its summary counts as correct and the log does not list": 1}},
		{"too many", trial(1, 0, 0, 0) + right + agent("A?", "CORRECT"), map[string]int{"agents of trial 1 beyond those that its summary counts as correct": 1}},
		{"a trial without agents", trial(1, 1, 0, 0) + trial(2, 1, 0, 0) + right + agent("A?", "CORRECT"), map[string]int{
			"agents of trial 1 that its summary counts as correct and the log does not list": 1}},
		{"no summary", "BEGIN TRIAL 1\n" + right + agent("A?", "CORRECT"), map[string]int{}},
		{"lines between", "done in 3 s\n" + trial(1, 1, 0, 0) + right + agent("A?", "CORRECT") + "the end\n", map[string]int{"lines outside the agents": 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			records, err := readAs("reflexion", tt.log, "f")
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]int{}
			for _, rec := range records {
				for key, n := range rec.Lost {
					got[key] += n
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("lost (-want +got):\n%s", diff)
			}
		})
	}
}

// The real log agrees with its summaries, and one that ends early does not.
func TestRealTrialSummaries(t *testing.T) {
	log := readFile(t, testutil.Shared(t, "reflexion_react/ReAct_base_100_questions_5_trials.txt"))
	missing := func(log string) int {
		records, err := readAs("reflexion", log, "f")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, rec := range records {
			for key, lost := range rec.Lost {
				if key != "agent listed again" {
					n += lost
				}
			}
		}
		return n
	}
	if n := missing(log); n != 0 {
		t.Errorf("%d differences in the whole log, want none", n)
	}
	end := strings.LastIndex(log, "--- BEGIN INCORRECT AGENTS")
	end = strings.LastIndex(log[:end], "Correct answer: ")
	end += strings.Index(log[end:], "\n")
	if n := missing(log[:end]); n != 66 { // of trial 5: 56 incorrect and 10 halted
		t.Errorf("%d agents are missed, want 66", n)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
