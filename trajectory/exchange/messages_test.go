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

// read reads lines of messages; an error ends it.
func read(lines string, o exchange.Options) (records []*exchange.Record, err error) {
	for rec, err := range exchange.Messages(strings.NewReader(lines), "f.jsonl", o) {
		if err != nil {
			return records, err
		}
		records = append(records, rec)
	}
	return records, nil
}

// one reads a single line.
func one(t *testing.T, line string, o exchange.Options) *exchange.Record {
	t.Helper()
	records, err := read(line, o)
	if err != nil || len(records) != 1 {
		t.Fatalf("%d records, error %v", len(records), err)
	}
	return records[0]
}

// lineWith is a line with these messages, as JSON without the brackets.
func lineWith(messages string) string {
	return `{"question":"Who?","prediction":"Ada","messages":[` + messages + `]}`
}

const (
	asks  = `{"role":"user","content":"Who?"}`
	calls = `{"role":"assistant","content":"","reasoning_content":"I look. ","tool_calls":[{"id":"c1","type":"function","function":{"name":"search","arguments":"{\"query\": \"ada\"}"}}]}`
	says  = `{"role":"assistant","content":"<answer>Ada</answer>"}`
)

func TestMessages(t *testing.T) {
	line := `{"question":" Who? ","question_id":7,"answer":"Ada Lovelace","prediction":" Ada\n","termination":"answer","rollout_id":2,"confidence":0.5,"judge":"True","em":0,"messages":[` +
		`{"role":"system","content":[{"type":"text","text":"Be "},{"type":"text","text":"brief."}]},` + asks + "," + calls + "," +
		`{"role":"tool","tool_call_id":"c1","name":"search","content":"Doc 1(Title: \"Ada\") a\nDoc 2(Title: B) b"},` + says + `]}`
	got := one(t, line, exchange.Options{Verdict: "judge"})
	yes, two, half := true, 2, 0.5
	shown := "Doc 1(Title: \"Ada\") a\nDoc 2(Title: B) b"
	want := &exchange.Record{
		QuestionID: "7", Number: &two, Golds: []string{"Ada Lovelace"}, Verdict: &yes, Judge: "judge", Ended: "answer", Lost: map[string]int{"em": 1}, Place: exchange.Place{File: "f.jsonl", Line: 1},
		Trajectory: &trajectory.Trajectory{
			V: 1, Round: 1, Question: "Who?", Answer: "Ada", Source: trajectory.AnswerTag, Confidence: &half, Termination: trajectory.Answered,
			Usage: trajectory.Usage{LLMCalls: 2, Searches: 1},
			Steps: []trajectory.Step{
				{
					Turn: 1, Kind: trajectory.KindSearch, Thought: "I look.", Query: "ada", Shown: shown,
					Call:    &trajectory.Call{ID: "c1", Name: "search", Arguments: json.RawMessage(`{"query": "ada"}`)},
					Results: []trajectory.Result{{Rank: 1, Title: "Ada", Text: "a"}, {Rank: 2, Title: "B", Text: "b"}},
				},
				{Turn: 2, Kind: trajectory.KindAnswer, Thought: "<answer>Ada</answer>"},
			},
			Messages: []trajectory.Message{
				{Role: "system", Content: "Be brief."}, {Role: "user", Content: "Who?"},
				{Role: "assistant", Reasoning: "I look. ", ToolCalls: []trajectory.ToolCall{{ID: "c1", Name: "search", Arguments: `{"query": "ada"}`}}},
				{Role: "tool", Content: shown, ToolCallID: "c1", Name: "search"},
				{Role: "assistant", Content: "<answer>Ada</answer>"},
			},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("record mismatch (-want +got):\n%s", diff)
	}
	got.Trajectory.QuestionID = "7"
	if err := got.Trajectory.Validate(); err != nil {
		t.Error(err)
	}
	if raw, err := json.Marshal(got.Trajectory); err != nil || strings.Contains(string(raw), "Lovelace") {
		t.Errorf("the gold answer is in the rollout, or error %v:\n%s", err, raw)
	}
}

// What a step was shown is turned into documents where they can be told.
func TestDocuments(t *testing.T) {
	doc := func(pairs ...string) []trajectory.Result {
		var out []trajectory.Result
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, trajectory.Result{Rank: i/2 + 1, Title: pairs[i], Text: pairs[i+1]})
		}
		return out
	}
	tests := []struct {
		name, tool, shown string
		want              []trajectory.Result
		unread            int
	}{
		{"Search-R1", "search", "Doc 1(Title: \"A\") one\nDoc 2 (Title: B) two\nof two", doc("A", "one", "B", "two\nof two"), 0},
		{"a title with parentheses", "search", "Doc 1(Title: Up (film)) one (1)", doc("Up (film)", "one (1)"), 0},
		{"a title whose parenthesis does not close", "search", "Doc 1(Title: :( band) one\ntwo)", doc(":( band", "one\ntwo)"), 0},
		{"a title without an end", "search", "Doc 1(Title: A one", doc("", "A one"), 0},
		{"a marker inside a text", "search", "Doc 1(Title: A) see Doc 2(Title: x)\nDoc 3(Title: C) c", doc("A", "see Doc 2(Title: x)\nDoc 3(Title: C) c"), 0},
		{"something before the first", "search", "Found:\nDoc 1(Title: A) a", doc("q", "Found:\nDoc 1(Title: A) a"), 0},
		{"carriage returns", "search", "Doc 1(Title: A) a\r\nDoc 2(Title: B) b", doc("A", "a", "B", "b"), 0},

		{"R1-Searcher", "search", "(1)Title: A Text:  one\n(2)Title: B Text:  two", doc("A", "one", "B", "two"), 0},
		{"written as CSV", "search", `(1)"Title: A Text:  a ""b"" c"` + "\n(2)Title: B Text:  two", doc("A", `a "b" c`, "B", "two"), 0},
		{"three blanks", "search", "(1)A b   A b is\n(2)C   c", doc("A b", "A b is", "C", "c"), 0},
		{"no title", "search", "(1)one\n(2) two", doc("", "one", "", "two"), 0},
		{"a year at the head of a line", "search", "(1)A   born\n(1482) and\n(2)B   b", doc("A", "born\n(1482) and", "B", "b"), 0},
		{"not from 1", "search", "(3)A", doc("q", "(3)A"), 0},

		{"a passage", "search", "Ada was a mathematician.\nShe wrote.", doc("q", "Ada was a mathematician.\nShe wrote."), 0},
		{"a quoted passage", "search", `"Ada" is a name.`, doc("q", `"Ada" is a name.`), 0},
		{"a result that is JSON of a text", "search", `"Doc 1(Title: A) a\nDoc 2(Title: B) b"`, doc("A", "a", "B", "b"), 0},
		{"a lookup", "lookup", "(Result 1 / 3) Ada wrote.", doc("", "Ada wrote."), 0},
		{"a page", "open", "Whole page.", doc("q", "Whole page."), 0},
		{"nothing found", "search", "Could not find [Adda]. Similar: ['Ada']", nil, 0},
		{"nothing looked up", "lookup", "No Results", nil, 0},
		{"trawl's nothing", "search", "No documents match this query.", nil, 0},
		{"empty", "search", " \n", nil, 0},
		{"a structure", "search", `[{"title":"A"}]`, nil, 1},
		{"a number", "search", `3`, nil, 1},
		{"markup", "visit", `<html>`, nil, 1},
		{"half a structure", "search", `{"title":`, nil, 1},
		{"another tool", "python", `{"out":3}`, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			call := fmt.Sprintf(`{"role":"assistant","tool_calls":[{"id":"c","function":{"name":%q,"arguments":{"query":"q"}}}]}`, tt.tool)
			shown, err := json.Marshal(tt.shown)
			if err != nil {
				t.Fatal(err)
			}
			rec := one(t, lineWith(call+`,{"role":"tool","tool_call_id":"c","content":`+string(shown)+`}`), exchange.Options{})
			step := rec.Trajectory.Steps[0]
			if diff := cmp.Diff(tt.want, step.Results); diff != "" || rec.Unread != tt.unread || step.Shown != tt.shown {
				t.Errorf("unread %d, shown %q, documents (-want +got):\n%s", rec.Unread, step.Shown, diff)
			}
		})
	}
}

// A lookup is in the page that was searched last.
func TestLookupHasItsPage(t *testing.T) {
	rec := one(t, lineWith(calls+`,{"role":"tool","content":"Ada was."},`+
		`{"role":"assistant","tool_calls":[{"id":"c2","function":{"name":"lookup","arguments":"{\"query\":\"born\"}"}}]},{"role":"tool","content":"(Result 1/1) Born in London."},`+says), exchange.Options{})
	got := rec.Trajectory.Steps[1]
	if got.Kind != trajectory.KindFind || got.Query != "born" || len(got.Results) != 1 || got.Results[0].Title != "ada" || got.Results[0].Text != "Born in London." {
		t.Errorf("step %+v", got)
	}
}

// Several calls of a turn are steps of one turn, and results go by id.
func TestParallelCalls(t *testing.T) {
	call := func(id, q string) string {
		return `{"id":"` + id + `","function":{"name":"search","arguments":"{\"query\":[\"` + q + `\",\"x\"]}"}}`
	}
	rec := one(t, lineWith(`{"role":"assistant","content":"Both.","tool_calls":[`+call("a", "one")+","+call("b", "two")+`]},`+
		`{"role":"tool","tool_call_id":"b","content":"for b"},{"role":"tool","tool_call_id":"a","content":"for a"},{"role":"assistant","content":"hm"},`+says), exchange.Options{})
	var got []string
	for _, s := range rec.Trajectory.Steps {
		got = append(got, fmt.Sprintf("%d %s %q %q %q", s.Turn, s.Kind, s.Query, s.Shown, s.Thought))
	}
	want := []string{`1 search "one; x" "for a" "Both."`, `1 search "two; x" "for b" ""`, `2 none "" "" "hm"`, `3 answer "" "" "<answer>Ada</answer>"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

func TestArgumentsThatAreNoJSON(t *testing.T) {
	rec := one(t, lineWith(`{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"search","arguments":"query: ada"}}]},`+says), exchange.Options{})
	if s := rec.Trajectory.Steps[0]; string(s.Call.Arguments) != `"query: ada"` || s.Query != "" {
		t.Errorf("call %+v", s.Call)
	}
	if got := rec.Trajectory.Messages[0].ToolCalls[0].Arguments; got != "query: ada" {
		t.Errorf("message has arguments %q", got)
	}
}

func TestEndings(t *testing.T) {
	tests := []struct {
		name, keys string
		answer     string
		ended      trajectory.Termination
		source     trajectory.AnswerSource
	}{
		{"answered", `"prediction":"x","termination":"answer"`, "x", trajectory.Answered, trajectory.AnswerTool},
		{"no word", `"prediction":"x"`, "x", trajectory.Answered, trajectory.AnswerTool},
		{"an unknown word", `"prediction":"x","termination":"no_tool_call"`, "x", trajectory.Answered, trajectory.AnswerTool},
		{"no answer and no word", `"prediction":null`, "", trajectory.TurnLimit, trajectory.AnswerNone},
		{"ReAct's", `"prediction":"","termination":"halted"`, "", trajectory.TurnLimit, trajectory.AnswerNone},
		{"Tongyi's calls", `"prediction":"x","termination":"exceed available llm calls"`, "x", trajectory.TurnLimit, trajectory.AnswerTool},
		{"Tongyi's tokens", `"prediction":"x","termination":"generate an answer as token limit reached"`, "x", trajectory.TokenLimit, trajectory.AnswerTool},
		{"Tongyi's time", `"prediction":"x","termination":"No answer found after 2h30mins"`, "x", trajectory.TimeLimit, trajectory.AnswerTool},
		{"ParallelMuse's", `"prediction":"x","termination":"max_length_exceeded"`, "x", trajectory.TokenLimit, trajectory.AnswerTool},
		{"trawl's own", `"prediction":"x","termination":"loop"`, "x", trajectory.Loop, trajectory.AnswerTool},
		{"an error", `"prediction":"[Failed]","error":"500\nserver"`, "", trajectory.Failed, trajectory.AnswerNone},
		{"failed without a word", `"prediction":"[Failed]","termination":"answer"`, "", trajectory.Failed, trajectory.AnswerNone},
		{"a number", `"prediction":1960.0`, "1960", trajectory.Answered, trajectory.AnswerTool},
		{"a yes", `"prediction":true`, "true", trajectory.Answered, trajectory.AnswerTool},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rec := one(t, `{"question":"Who?",`+tt.keys+`,"messages":[{"role":"assistant","content":"I say x."}]}`, exchange.Options{})
			got := rec.Trajectory
			if got.Answer != tt.answer || got.Termination != tt.ended || got.Source != tt.source {
				t.Errorf("answer %q, %s, from %s; want %q, %s, %s", got.Answer, got.Termination, got.Source, tt.answer, tt.ended, tt.source)
			}
			got.QuestionID = "q"
			if err := got.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestGoldsAndVerdicts(t *testing.T) {
	yes, no := true, false
	tests := []struct {
		name, keys string
		golds      []string
		verdict    *bool
	}{
		{"none", `"x":1`, nil, nil},
		{"one", `"answer":" Ada "`, []string{"Ada"}, nil},
		{"a list", `"answer":["Ada","",5,"Ada"]`, []string{"Ada", "5"}, nil},
		{"FlashRAG's key", `"golden_answers":["Ada"],"answer":"said"`, []string{"Ada"}, nil},
		{"null", `"answer":null,"judge":null`, nil, nil},
		{"true", `"judge":true`, nil, &yes},
		{"a word", `"judge":"Correct"`, nil, &yes},
		{"a number", `"judge":0`, nil, &no},
		{"incorrect holds correct", `"judge":" INCORRECT "`, nil, &no},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rec := one(t, `{"question":"Who?","prediction":"Ada","messages":[`+asks+`],`+tt.keys+`}`, exchange.Options{Verdict: "judge"})
			if diff := cmp.Diff(tt.golds, rec.Golds) + cmp.Diff(tt.verdict, rec.Verdict); diff != "" {
				t.Errorf("golds and verdict (-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	good := lineWith(asks) + "\n\n"
	line := func(keys string) string {
		return `{"question":"Who?","prediction":"Ada","messages":[` + asks + `],` + keys + `}`
	}
	tests := []struct{ name, lines, want string }{
		{"no JSON", "nonsense", "f.jsonl:3: not JSON at byte"},
		{"cut off", good[:20], "f.jsonl:3: not JSON: it is cut off"},
		{"a list", "[1]", "f.jsonl:3: want an object, found a list"},
		{"no question", `{"prediction":"x","messages":[` + asks + `]}`, "f.jsonl:3: key question: missing or empty"},
		{"a blank question", `{"question":" ","prediction":"x","messages":[` + asks + `]}`, "key question: missing or empty"},
		{"no prediction", `{"question":"x","messages":[` + asks + `]}`, "key prediction: missing or empty"},
		{"no messages", `{"question":"x","prediction":"x"}`, "key messages: missing or empty"},
		{"another kind", `{"question":3}`, "key question: want a string, found a number"},
		{"a number of text", line(`"rollout_id":"one"`), "key rollout_id: want a whole number, found a string"},
		{"half a number", line(`"rollout_id":1.5`), "key rollout_id: want a whole number, found the number 1.5"},
		{"confidence in percent", line(`"confidence":80`), "key confidence: 80, want 0 to 1"},
		{"an answer of objects", line(`"answer":{"x":1}`), "key answer: neither a string nor a number"},
		{"a gold of lists", line(`"golden_answers":[["x"]]`), "key golden_answers: neither"},
		{"no verdict", line(`"judge":"INCORRECTLY"`), `key judge: "INCORRECTLY" is no verdict: want true or false`},
		{"messages of text", `{"question":"x","prediction":"x","messages":["hi"]}`, "key messages: want an object, found a string"},
		{"an unknown role", lineWith(asks + `,{"role":"narrator"}`), `key messages[1].role: "narrator", want system, user, assistant or tool`},
		{"content of a number", lineWith(`{"role":"user","content":3}`), "key messages[0].content: neither a string nor a list of parts"},
		{"content of numbers", lineWith(`{"role":"user","content":[3]}`), "key messages[0].content: a part is no object with a text"},
		{"a call without a name", lineWith(`{"role":"assistant","tool_calls":[{"id":"a"}]}`), "key messages[0].tool_calls: a call has no name"},
		{"a result of no call", lineWith(says + `,{"role":"tool","tool_call_id":"c9","content":"x"}`), `key messages[1].tool_call_id: no call "c9" waits for a result`},
		{"two results of a call", lineWith(calls + `,{"role":"tool","content":"x"},{"role":"tool","content":"y"}`), `key messages[2].tool_call_id: no call "" waits`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			records, err := read(good+tt.lines, exchange.Options{Verdict: "judge"})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
			if len(records) != 1 {
				t.Errorf("%d records before the error, want 1", len(records))
			}
		})
	}
	if _, err := read("\xff\xfe{", exchange.Options{}); err == nil || err.Error() != "exchange: f.jsonl: is UTF-16: save it as UTF-8" {
		t.Errorf("UTF-16: error %v", err)
	}
}

// Whatever a line is, it is a valid rollout or an error with a place; what was
// shown is kept; no document is made of words that were not shown.
func FuzzMessages(f *testing.F) {
	f.Add(lineWith(asks + "," + calls + `,{"role":"tool","content":"Doc 1(Title: A) a\nDoc 2(Title: B) b"},` + says))
	f.Add(lineWith(calls + `,{"role":"tool","content":"(1)\"Title: A Text: \"\"b\"\"\"\n(2)A   b"}`))
	f.Add(lineWith(calls + `,{"role":"tool","content":"(Result 1/2) x"}`))
	f.Add(`{"question":"x","prediction":null,"golden_answers":["a",1],"error":"e","judge":"yes","rollout":3,"messages":[{"role":"user","content":[{"text":"x"}]}]}`)
	f.Fuzz(func(t *testing.T, line string) {
		records, err := read(line, exchange.Options{Verdict: "judge"})
		if err != nil && !strings.HasPrefix(err.Error(), "exchange: f.jsonl") {
			t.Errorf("error without a place: %v", err)
		}
		for _, rec := range records {
			rec.Trajectory.QuestionID = "q"
			if err := rec.Trajectory.Validate(); err != nil {
				t.Errorf("invalid rollout: %v", err)
			}
			for _, s := range rec.Trajectory.Steps {
				for _, r := range s.Results {
					plain := strings.NewReplacer(`"`, "", `\`, "", "\r", "", "\n", "")
					if !strings.Contains(unquoted(s.Shown), plain.Replace(r.Text)) && plain.Replace(s.Shown) == s.Shown {
						t.Errorf("document %q of %q", r.Text, s.Shown)
					}
				}
			}
		}
	})
}

// unquoted is s, or the text that s is the JSON of.
func unquoted(s string) string {
	var inner string
	if json.Unmarshal([]byte(s), &inner) == nil {
		return inner
	}
	return s
}
