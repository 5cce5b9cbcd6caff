package exchange_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/trajectory"
	"trawl/trajectory/exchange"
)

// samples are a small file of each form, one rollout each unless it says more.
var samples = map[string]string{
	"messages":     lineWith(asks + "," + calls + `,{"role":"tool","tool_call_id":"c1","content":"Doc 1(Title: A) a"},` + says),
	"tongyi":       `{"question":"Who?","answer":"Ada","messages":[{"role":"user","content":"Who?"},{"role":"assistant","content":"<think>hm</think>\n<tool_call>\n{'name': 'visit', \"arguments\": {\"url\": [\"http://a\"], \"goal\": \"born\",}}\n</tool_call>"},{"role":"user","content":"<tool_response>\nThe useful information in http://a for user goal born as follows: \n\nEvidence in page: \n1815\n</tool_response>"},{"role":"assistant","content":"<think>ok</think>\n<answer>Ada</answer>"}],"prediction":"Ada","termination":"answer"}`,
	"websailor":    `{"question":"Who?","answer":"Ada","rollout_id":2,"messages":[{"role":"system","content":"s"},{"role":"user","content":"Who?"},{"role":"assistant","content":"<think>hm</think>\n<tool_call>\n{\"name\": \"search\", \"arguments\": {\"query\": [\"ada\"]}}\n</tool_call>"},{"role":"user","content":"<tool_response>\nNo results found for 'ada'. Try with a more general query.\n</tool_response>"},{"role":"assistant","content":"<think>ok</think>\n<answer>Ada</answer>"}],"prediction":"Ada","termination":"generate an answer as token limit reached"}`,
	"parallelmuse": `{"question":"Who?","answer":"Ada","prediction":"Ada","termination":"answer","rollout_type":"x","rollout":[{"role":"user","content":"Who?"},{"role":"assistant","content":"<answer>Ada</answer>","step_ppl":{"all_ppl":2}}]}`,
	"aggagent":     `{"question":"Who?","instance":{"answer":"Ada","id":"i"},"prediction":"<answer>Ada</answer>","termination":"answer","auto_judge":{"correctness":"correct","confidence":0},"messages":[{"role":"assistant","content":"<answer>Ada</answer>"}],"debug_data":{}}`,
	"r1-searcher":  `{"question":"Who?","answer":"Ada","pred_ans":" Ada ","stop_reason_final":"finished","gen_text_store":"I: <|begin_of_query|> ada<|end_of_query|>\n\n<|begin_of_documents|>\n(1)A   a\n(2)B   b\n<|end_of_documents|>\nSo.</think><answer> Ada </answer>","gpt4o_output":"False"}`,
	"flashrag":     `[{"id":"t","question":"Who?","golden_answers":["Ada"],"output":{"pred":"Ada","final_response":"<search>ada</search><information>Doc 1(Title: \"A\") a</information><answer>Ada</answer>","stop_reason":"stop"}}]`,
	"reflexion":    "BEGIN TRIAL 2\n--- BEGIN INCORRECT AGENTS ---\n\nQuestion: Who?\nThought 1: I look.\nAction 1: Search[ada]\nObservation 1: Ada was.\nShe wrote.\nThought 2: So.\nAction 2: Finish[Ada]\nObservation 2: Answer is INCORRECT\nCorrect answer: Lovelace\n",
	"webdancer":    `{"type":"chatml","messages":[{"role":"user","content":"As in User: x\n\nUser: Who?"},{"role":"assistant","content":"<think>a</think>\n<answer>Ada</answer>"}],"answer":[["Ada"]],"tag":"x"}`,
}

// readAs reads a file of a form; an error ends it.
func readAs(form, file, name string) (records []*exchange.Record, err error) {
	for rec, err := range exchange.Read(form, strings.NewReader(file), name, exchange.Options{}) {
		if err != nil {
			return records, err
		}
		records = append(records, rec)
	}
	return records, nil
}

// told is a record on one line.
func told(rec *exchange.Record) string {
	t, verdict, number := rec.Trajectory, "–", "–"
	if rec.Verdict != nil {
		verdict = fmt.Sprintf("%s %t", rec.Judge, *rec.Verdict)
	}
	if rec.Number != nil {
		number = fmt.Sprint(*rec.Number)
	}
	var steps []string
	for _, s := range t.Steps {
		docs := []string{}
		for _, r := range s.Results {
			docs = append(docs, r.Title+"|"+r.Text)
		}
		steps = append(steps, fmt.Sprintf("%s %q %q %q", s.Kind, s.Thought, s.Query, docs))
	}
	return fmt.Sprintf("%s=%s gold %q, number %s, verdict %s, ended %q %s %s, lost %v: %s", t.Question, t.Answer, rec.Golds, number, verdict,
		rec.Ended, t.Termination, t.Source, rec.Lost, strings.Join(steps, "; "))
}

func TestForms(t *testing.T) {
	tests := []struct{ form, name, want string }{
		{"tongyi", "x/iter3_split1of2.jsonl", `Who?=Ada gold ["Ada"], number 3, verdict –, ended "answer" answered tag, lost map[]: ` +
			`open "hm" "http://a" ["http://a|Evidence in page: \n1815"]; answer "ok\n<answer>Ada</answer>" "" []`},
		{"websailor", "x/iter2.jsonl", `Who?=Ada gold ["Ada"], number 2, verdict –, ended "generate an answer as token limit reached" token-limit tag, lost map[]: ` +
			`search "hm" "ada" []; answer "ok\n<answer>Ada</answer>" "" []`},
		{"parallelmuse", "f", `Who?=Ada gold ["Ada"], number –, verdict –, ended "answer" answered tag, lost map[rollout_type:1 step_ppl:1]: answer "<answer>Ada</answer>" "" []`},
		{"aggagent", "o/iter2/run_1.json", `Who?=Ada gold ["Ada"], number 2, verdict auto_judge true, ended "answer" answered tag, lost map[]: answer "<answer>Ada</answer>" "" []`},
		{"r1-searcher", "f", `Who?=Ada gold ["Ada"], number –, verdict gpt4o_output false, ended "finished" answered tag, lost map[]: ` +
			`search "I:" "ada" ["A|a" "B|b"]; answer "So.<answer> Ada </answer>" "" []`},
		{"flashrag", "f", `Who?=Ada gold ["Ada"], number –, verdict –, ended "stop" answered tag, lost map[]: search "" "ada" ["A|a"]; answer "<answer>Ada</answer>" "" []`},
		{"reflexion", "f", `Who?=Ada gold ["Lovelace"], number 2, verdict reflexion false, ended "incorrect" answered tag, lost map[]: ` +
			`search "I look." "ada" ["ada|Ada was.\nShe wrote."]; answer "So.\nFinish[Ada]" "" []`},
		{"webdancer", "f", `Who?=Ada gold ["Ada"], number –, verdict –, ended "" answered tag, lost map[tag:1]: answer "a\n<answer>Ada</answer>" "" []`},
	}
	for _, tt := range tests {
		t.Run(tt.form, func(t *testing.T) {
			records, err := readAs(tt.form, samples[tt.form], tt.name)
			if err != nil || len(records) != 1 {
				t.Fatalf("%d records, error %v", len(records), err)
			}
			want := tt.want
			if diff := cmp.Diff(want, told(records[0])); diff != "" {
				t.Errorf("record (-want +got):\n%s", diff)
			}
			records[0].Trajectory.QuestionID = "q"
			if err := records[0].Trajectory.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

// What only says that there is no answer is none, and a failure is one whatever
// its prediction says.
func TestNoAnswers(t *testing.T) {
	tests := []struct {
		name, keys string
		ended      trajectory.Termination
	}{
		{"Tongyi's", `"prediction":"No answer found.","termination":"answer not found"`, trajectory.TurnLimit},
		{"Tongyi's time", `"prediction":"No answer found after 2h30mins","termination":"No answer found after 2h30mins"`, trajectory.TimeLimit},
		{"ParallelMuse's", `"prediction":"[No Prediction]","termination":"max_length_exceeded"`, trajectory.TokenLimit},
		{"WebSailor's server", `"prediction":"SGLang server error","termination":"format error: generate an answer as token limit reached"`, trajectory.Failed},
		{"WebSailor's calls", `"prediction":"No answer found.","termination":"exceed available llm calls"`, trajectory.TurnLimit},
		{"AggAgent's", `"prediction":"Server error 500","termination":"error"`, trajectory.Failed},
		{"ours", `"prediction":"","termination":"cancelled","error":"interrupted"`, trajectory.Cancelled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			records, err := readAs("tongyi", `{"question":"Who?",`+tt.keys+`,"messages":[{"role":"assistant","content":"x"}]}`, "f")
			if err != nil {
				t.Fatal(err)
			}
			got := records[0].Trajectory
			got.QuestionID = "q"
			if got.Answer != "" || got.Termination != tt.ended || got.Validate() != nil {
				t.Errorf("answer %q, %s, error %v; want none, %s", got.Answer, got.Termination, got.Validate(), tt.ended)
			}
		})
	}
}

func TestFormErrors(t *testing.T) {
	tests := []struct{ form, file, want string }{
		{"tongyi", samples["tongyi"][:40], "exchange: f:1: not JSON: it is cut off"},
		{"tongyi", samples["messages"] + "\n\n" + `{"question":"Who?","messages":[{"role":"user","content":"x"}]}`, "exchange: f:3: key prediction: missing or empty"},
		{"tongyi", `{"question":"Who?","prediction":"x","messages":[{"role":3}]}`, "exchange: f:1: key messages.role: want a string, found a number"},
		{"parallelmuse", `{"question":"Who?","prediction":"x","rollout":3}`, "exchange: f:1: key rollout: want a list, found a number"},
		{"aggagent", "[]", "exchange: f:1: want an object, found a list"},
		{"aggagent", `{"question":"Who?","prediction":"x","messages":[{"role":"user","content":"x"}],"auto_judge":{"correctness":"maybe"}}`, `exchange: f:1: key auto_judge.correctness: "maybe" is no verdict`},
		{"aggagent", `{"question":"Who?","prediction":"x","messages":[{"role":"user","content":"x"}],"auto_judge":{"correctness":"yes","confidence":800}}`, "exchange: f:1: key confidence: 8, want 0 to 1"},
		{"r1-searcher", samples["tongyi"], "exchange: f:1: key pred_ans: missing or empty"},
		{"r1-searcher", `{"question":"Who?","pred_ans":"x","gen_text_store":["x"]}`, "exchange: f:1: key gen_text_store: want a string, found a list"},
		{"flashrag", "[\n{\"question\":\"Who?\",\"output\":{\"pred\":\"x\"}},\n{\"question\":", "exchange: f:3: item 2: not JSON: it is cut off"},
		{"flashrag", samples["flashrag"] + "\n{}", "exchange: f:2: something follows the list"},
		{"flashrag", `{"question":"Who?","output":{}}`, "exchange: f:1: key output.pred: missing or empty"},
		{"reflexion", "Question: Who?\nThought 1: x\nQuestion: When?", "exchange: f:3: a question before the correct answer"},
		{"reflexion", "Question: Who?\nThought 1: x", "exchange: f:1: the log is cut off"},
		{"reflexion", "Question: Who?\nCorrect answer: x", "exchange: f:1: the question has no thought and no action"},
		{"webdancer", samples["tongyi"], `exchange: f:1: key type: "", want chatml`},
		{"parquet", "x", "exchange: f:1: is not Parquet"},
		{"csv", "x", `exchange: unknown form "csv"`},
		{"messages", "null", "exchange: f:1: want an object, found null"},
	}
	for _, tt := range tests {
		t.Run(tt.form, func(t *testing.T) {
			if _, err := readAs(tt.form, tt.file, "f"); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

// A rollout that failed may stand again; one that did not may not.
func TestRosterRetries(t *testing.T) {
	good := `{"question":"Who?","prediction":"Ada","rollout_id":1,"messages":[{"role":"user","content":"x"}]}` + "\n"
	bad := `{"question":"Who?","prediction":"[Failed]","rollout_id":1,"error":"500","messages":[]}` + "\n"
	tests := []struct {
		name, lines     string
		failed, retried int
		wrong           bool
	}{
		{"failed, done", bad + good, 0, 1, false},
		{"done, failed", good + bad, 0, 1, false},
		{"failed twice", bad + bad, 1, 1, false},
		{"failed, failed, done", bad + bad + good, 0, 2, false},
		{"done twice", bad + good + good, 0, 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			records, err := readAs("tongyi", tt.lines, "f")
			r := exchange.NewRoster(nil)
			for _, rec := range records {
				if err == nil {
					err = r.Add(rec)
				}
			}
			if tt.wrong {
				if err == nil {
					t.Error("no error")
				}
				return
			}
			if got := r.Tally(); err != nil || got.Records != 1 || got.Failed != tt.failed || got.Retried != tt.retried {
				t.Errorf("%+v, error %v", got, err)
			}
		})
	}
}

// The answers of a web search are documents with their addresses, those of several
// queries one after the other.
func TestWebResults(t *testing.T) {
	shown := "A Google search for 'a' found 2 results:\n\n## Web Results\n1. [One (x)](http://one/(x))\nDate published: 2024\nSource: S\n\nfirst\ntext\n\n2. [Two](http://two)\n\nsecond" +
		"\n=======\nNo results found for 'b'. Try with a more general query.\n=======\nSuccessfully visited the url http://three.\n<Content>\nthird\n</Content>"
	quoted, err := json.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}
	rec := one(t, lineWith(calls+`,{"role":"tool","content":`+string(quoted)+`}`), exchange.Options{})
	want := []trajectory.Result{
		{Rank: 1, Title: "One (x)", URL: "http://one/(x)", Text: "first\ntext"}, {Rank: 2, Title: "Two", URL: "http://two", Text: "second"},
		{Rank: 3, Title: "http://three", URL: "http://three", Text: "third"},
	}
	if diff := cmp.Diff(want, rec.Trajectory.Steps[0].Results); diff != "" || rec.Unread != 0 {
		t.Errorf("unread %d, documents (-want +got):\n%s", rec.Unread, diff)
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"m/iter2.jsonl", "m/iter1.jsonl", "m/notes.txt", "iter1/run_1.json", "settings.json"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{"tongyi": "m/iter1.jsonl m/iter2.jsonl", "aggagent": "iter1/run_1.json", "reflexion": "m/iter1.jsonl m/iter2.jsonl m/notes.txt", "flashrag": "m/iter1.jsonl m/iter2.jsonl"}
	for _, form := range exchange.Forms() {
		if want[form.Name] == "" {
			continue
		}
		files, err := form.Files(dir)
		if err != nil {
			t.Fatal(err)
		}
		for i := range files {
			files[i] = filepath.ToSlash(strings.TrimPrefix(files[i], dir+string(filepath.Separator)))
		}
		if got := strings.Join(files, " "); got != want[form.Name] {
			t.Errorf("%s: %s, want %s", form.Name, got, want[form.Name])
		}
	}
}

// Whatever a file of a form is, its rollouts are valid, or there is an error with
// a place.
func FuzzForms(f *testing.F) {
	forms := exchange.Forms()
	for i, form := range forms {
		f.Add(i, samples[form.Name])
		f.Add(i, samples[form.Name][:len(samples[form.Name])/2])
		f.Add(i, "[\n"+samples[form.Name]+",null]")
	}
	f.Fuzz(func(t *testing.T, i int, file string) {
		form := forms[(i%len(forms)+len(forms))%len(forms)]
		records, err := readAs(form.Name, file, "f")
		if err != nil && !strings.HasPrefix(err.Error(), "exchange: f") {
			t.Errorf("error without a place: %v", err)
		}
		for _, rec := range records {
			rec.Trajectory.QuestionID = "q"
			if err := rec.Trajectory.Validate(); err != nil {
				t.Errorf("%s: invalid rollout: %v", form.Name, err)
			}
			if rec.Place.Line < 1 {
				t.Errorf("%s: a record at %v", form.Name, rec.Place)
			}
		}
	})
}
