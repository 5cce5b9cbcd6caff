package exchange_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/trajectory"
	"trawl/trajectory/exchange"
)

// outForm returns a form to write.
func outForm(t testing.TB, name string) exchange.OutForm {
	t.Helper()
	for _, f := range exchange.OutForms() {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no form %s", name)
	return exchange.OutForm{}
}

// searched is a rollout that searched twice in one turn and answered, as a model
// without native calls would: its messages hold no call.
func searched(end trajectory.Termination, answer string) *trajectory.Trajectory {
	half := 0.5
	step := func(q, shown string) trajectory.Step {
		return trajectory.Step{
			Turn: 1, Kind: trajectory.KindSearch, Query: q, Shown: shown,
			Call: &trajectory.Call{ID: "t", Name: "search", Arguments: json.RawMessage(fmt.Sprintf(`{"query":%q}`, q))},
		}
	}
	t := &trajectory.Trajectory{
		V: 1, QuestionID: "q/1", Round: 1, Rollout: 2, Question: "Who \"wrote\" <it>?", Answer: answer, Source: trajectory.AnswerTag, Confidence: &half, Termination: end,
		Steps: []trajectory.Step{
			step("first program", "Doc 1(Title: Ada) wrote it\nDoc 2(Title: B) b"), step("ada", "No documents match this query."),
			{Turn: 2, Kind: trajectory.KindAnswer, Thought: "So.\n<answer>" + answer + "</answer>"},
		},
		Messages: []trajectory.Message{{Role: "user", Content: "Question"}, {Role: "assistant", Content: "in tags"}},
		Usage:    trajectory.Usage{LLMCalls: 2, Searches: 2, Prompt: 10, Completion: 3}, Millis: 1500,
	}
	t.Steps[0].Thought = "I look."
	t.Steps[0].Results = []trajectory.Result{{Rank: 1, Title: "Ada", Text: "wrote it"}, {Rank: 2, Title: "B", Text: "b"}}
	switch {
	case end == trajectory.Failed:
		t.Error, t.Answer = "500", ""
		fallthrough
	case t.Answer == "":
		t.Answer, t.Source, t.Steps = "", trajectory.AnswerNone, t.Steps[:2]
	}
	return t
}

// What is exported and imported again has the same outcome and, unless it failed
// where the form keeps nothing of it, the same steps.
func TestRoundTrip(t *testing.T) {
	for _, form := range []string{"messages", "tongyi", "aggagent"} {
		for _, end := range []trajectory.Termination{trajectory.Answered, trajectory.TurnLimit, trajectory.TokenLimit, trajectory.TimeLimit, trajectory.Loop, trajectory.Failed} {
			for _, answer := range []string{"Ada", ""} {
				was := searched(end, answer)
				if end == trajectory.Answered && answer == "" {
					continue // nobody ends so
				}
				p, err := outForm(t, form).Render(exchange.Item{Trajectory: was, Golds: []string{"Ada", "Ada L."}})
				if err != nil {
					t.Fatal(err)
				}
				records, err := readAs(form, string(p.Data), p.Path)
				if err != nil || len(records) != 1 {
					t.Fatalf("%s, %s: %d records, error %v\n%s", form, end, len(records), err, p.Data)
				}
				rec := records[0]
				name, now := fmt.Sprintf("%s, %s, %q", form, end, answer), rec.Trajectory
				wantEnd := end
				for of := range p.Lost {
					if strings.HasPrefix(of, "termination ") {
						wantEnd = trajectory.TurnLimit // said to be lost
					}
				}
				if now.Question != was.Question || now.Answer != was.Answer || now.Error != was.Error || now.Termination != wantEnd || now.Source != was.Source {
					t.Errorf("%s: %q, answer %q from %s, %s, error %q", name, now.Question, now.Answer, now.Source, now.Termination, now.Error)
				}
				if rec.Number == nil || *rec.Number != 2 && *rec.Number != 3 || len(rec.Golds) == 0 || rec.Golds[0] != "Ada" {
					t.Errorf("%s: number %v, golds %q", name, rec.Number, rec.Golds)
				}
				if p.Lost["messages of a failed rollout"] > 0 {
					continue
				}
				if diff := cmp.Diff(doings(was), doings(now)); diff != "" {
					t.Errorf("%s: steps (-was +now):\n%s", name, diff)
				}
			}
		}
	}
}

// doings are the steps of a rollout without the ids of calls.
func doings(t *trajectory.Trajectory) []string {
	var out []string
	for _, s := range t.Steps {
		out = append(out, fmt.Sprintf("%d %s %q %q %q %v", s.Turn, s.Kind, s.Thought, s.Query, s.Shown, s.Results))
	}
	return out
}

// Native messages are written as they are.
func TestExportKeepsNativeMessages(t *testing.T) {
	rec := one(t, samples["messages"], exchange.Options{})
	rec.Trajectory.QuestionID = "q"
	p, err := outForm(t, "messages").Render(exchange.Item{Trajectory: rec.Trajectory})
	if err != nil {
		t.Fatal(err)
	}
	again := one(t, string(p.Data), exchange.Options{})
	again.Trajectory.QuestionID = "q"
	if diff := cmp.Diff(rec.Trajectory, again.Trajectory); diff != "" {
		t.Errorf("rollout (-want +got):\n%s", diff)
	}
	if strings.Contains(string(p.Data), "golden_answers") {
		t.Errorf("gold answers out of nowhere: %s", p.Data)
	}
}

func TestBrowseCompPlus(t *testing.T) {
	tr := searched(trajectory.Answered, "Ada")
	tr.Steps[0].Results[0].ID, tr.Steps[0].Results[1].ID = "d1", "d1"
	p, err := outForm(t, "browsecomp-plus").Render(exchange.Item{Trajectory: tr})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"query_id":"q/1","tool_call_counts":{"search":2},"status":"completed","retrieved_docids":["d1"],"result":[` +
		`{"type":"reasoning","tool_name":null,"arguments":null,"output":"I look."},` +
		`{"type":"tool_call","tool_name":"search","arguments":{"query":"first program"},"output":"Doc 1(Title: Ada) wrote it\nDoc 2(Title: B) b"},` +
		`{"type":"tool_call","tool_name":"search","arguments":{"query":"ada"},"output":"No documents match this query."},` +
		`{"type":"reasoning","tool_name":null,"arguments":null,"output":"So.\n<answer>Ada</answer>"},` +
		`{"type":"output_text","tool_name":null,"arguments":null,"output":"Ada"}],` +
		`"metadata":{"error":"","question":"Who \"wrote\" <it>?","rollout":2,"round":1,"termination":"answered"}}` + "\n"
	if diff := cmp.Diff(want, string(p.Data)); diff != "" || !strings.HasPrefix(p.Path, "run3/run_") {
		t.Errorf("path %s, file (-want +got):\n%s", p.Path, diff)
	}
	if diff := cmp.Diff(map[string]int{"answer_source": 1, "confidence": 1, "messages": 1, "ms": 1, "scores and texts of documents": 2, "usage": 1}, p.Lost); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
}

// Any rollout that a reader makes can be written in every form, and what was
// written as messages is read again with the same outcome.
func FuzzExport(f *testing.F) {
	for _, form := range exchange.Forms() {
		if samples[form.Name] != "" {
			f.Add(form.Name, samples[form.Name])
		}
	}
	f.Fuzz(func(t *testing.T, form, file string) {
		records, _ := readAs(form, file, "f") // what comes before an error is whole
		for _, rec := range records {
			was := rec.Trajectory
			was.QuestionID = "q"
			for _, out := range exchange.OutForms() {
				p, err := out.Render(exchange.Item{Trajectory: was})
				if err != nil {
					t.Fatalf("%s: %v", out.Name, err)
				}
				if out.Name != "messages" {
					continue
				}
				again, err := readAs("messages", string(p.Data), "f")
				if err != nil || len(again) != 1 {
					t.Fatalf("read again: %d, error %v\n%s", len(again), err, p.Data)
				}
				if now := again[0].Trajectory; now.Answer != was.Answer || now.Error != was.Error || now.Termination != was.Termination || len(now.Steps) != len(was.Steps) {
					t.Errorf("answer %q, %s, error %q, %d steps; was %q, %s, %q, %d", now.Answer, now.Termination, now.Error, len(now.Steps), was.Answer, was.Termination, was.Error, len(was.Steps))
				}
			}
		}
	})
}
