package exchange_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/testutil"
	"trawl/trajectory"
	"trawl/trajectory/exchange"
)

// short is a line without steps.
func short(question, answer, keys string) string {
	return fmt.Sprintf(`{"question":%q,"prediction":%q,"messages":[{"role":"user","content":"x"}]%s}`, question, answer, keys) + "\n"
}

// settle adds all records of lines and settles them.
func settle(t *testing.T, r *exchange.Roster, lines string) ([]string, error) {
	t.Helper()
	records, err := read(lines, exchange.Options{Verdict: "judge"})
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range records {
		if err := r.Add(rec); err != nil {
			return nil, err
		}
	}
	var out []string
	for _, rec := range records {
		if err := r.Settle(rec); err != nil {
			return nil, err
		}
		l := rec.Trajectory
		out = append(out, fmt.Sprint(l.QuestionID, " ", l.Rollout, " ", l.Question, " ", l.Answer))
	}
	return out, nil
}

func TestRoster(t *testing.T) {
	r := exchange.NewRoster(nil)
	got, err := settle(t, r, short("Who?", "a", `,"rollout_id":2,"answer":"A","id":"w","judge":true`)+
		short("When?", "b", `,"rollout_id":1,"judge":false`)+
		short("Who?", "a", `,"rollout_id":1,"answer":"A","id":"w","judge":false`)+
		short("When? ", "", `,"rollout_id":5,"answer":"B"`))
	if err != nil {
		t.Fatal(err)
	}
	when := "q-e5d2524902b7" // the first six bytes of the SHA-256 of "When?"
	if diff := cmp.Diff([]string{"w 1 Who? a", when + " 0 When? b", "w 0 Who? a", when + " 2 When? "}, got); diff != "" {
		t.Errorf("settled (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]exchange.Question{
		{Question: trajectory.Question{ID: "w", Text: "Who?"}, Golds: []string{"A"}, File: "f.jsonl"},
		{Question: trajectory.Question{ID: when, Text: "When?"}, Golds: []string{"B"}, File: "f.jsonl"},
	}, r.Questions()); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]exchange.Verdict{{QuestionID: "w", Answer: "a", Correct: true, Judge: "judge", Except: []int{0}}, {QuestionID: when, Answer: "b", Judge: "judge"}}, r.Verdicts()); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(exchange.Tally{Records: 4, Answered: 3, Verdicts: 3, Contradicts: 1}, r.Tally()); diff != "" || r.Rollouts() != 3 {
		t.Errorf("%d rollouts, tally (-want +got):\n%s", r.Rollouts(), diff)
	}
}

// Without numbers, the rollouts of a question are counted as they come.
func TestRosterCounts(t *testing.T) {
	r := exchange.NewRoster(nil)
	got, err := settle(t, r, short("Who?", "a", `,"id":"w"`)+short("When?", "b", `,"id":"n"`)+short("Who?", "c", `,"id":"w"`))
	if diff := cmp.Diff([]string{"w 0 Who? a", "n 0 When? b", "w 1 Who? c"}, got); diff != "" || err != nil || r.Rollouts() != 2 {
		t.Errorf("%d rollouts, error %v, settled (-want +got):\n%s", r.Rollouts(), err, diff)
	}
}

// The questions of a data set have their ids and words, by which lines are known.
func TestRosterOfADataSet(t *testing.T) {
	questions := []trajectory.Question{{ID: "d1", Text: "Who  is it?"}, {ID: "d2", Text: "When?"}, {ID: "d3", Text: "When?"}}
	got, err := settle(t, exchange.NewRoster(questions), short("Who is it?", "a", "")+short("When?", "b", `,"id":"d3"`)+short("Who is it? ", "c", `,"id":"elsewhere"`))
	if diff := cmp.Diff([]string{"d1 0 Who  is it? a", "d3 0 When? b", "d1 1 Who  is it? c"}, got); diff != "" || err != nil {
		t.Errorf("error %v, settled (-want +got):\n%s", err, diff)
	}
	for lines, want := range map[string]string{
		short("What?", "a", ""):           `exchange: f.jsonl:1: question "What?" is not in the data set`,
		short("When?", "a", ""):           `exchange: f.jsonl:1: question "When?" stands twice in the data set`,
		short("What?", "a", `,"id":"d1"`): `exchange: f.jsonl:1: question d1 is "What?" here and "Who  is it?"`,
	} {
		if _, err := settle(t, exchange.NewRoster(questions), lines); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestRosterContradictions(t *testing.T) {
	tests := []struct{ name, lines, want string }{
		{"a rollout twice", short("Who?", "a", `,"id":"w","rollout_id":1`) + short("Who?", "b", `,"id":"w","rollout":1`), "f.jsonl:2: rollout 1 of question w stands at f.jsonl:1 already"},
		{"some numbers", short("Who?", "a", `,"rollout_id":1`) + short("Who?", "b", ""), "f.jsonl:2: key rollout_id: all lines have one or none has, unlike f.jsonl:1"},
		{"other golds", short("Who?", "a", `,"id":"w","answer":"A"`) + short("Who?", "b", `,"id":"w","answer":"B"`), `f.jsonl:2: question w has the gold answers ["B"] here and ["A"] at f.jsonl:1`},
		{"other words", short("Who?", "a", `,"id":"w"`) + short("When?", "b", `,"id":"w"`), `f.jsonl:2: question w is "When?" here and "Who?" at f.jsonl:1`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := settle(t, exchange.NewRoster(nil), tt.lines); err == nil || !strings.HasSuffix(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

// The published rollouts of R1-Searcher and of ReAct are read whole: every search
// has its documents, and every rollout is valid.
func TestPublishedRollouts(t *testing.T) {
	tests := []struct {
		path                                                     string
		questions, rollouts, records, answered, calls, documents int
	}{
		{"r1_searcher_rollouts/hotpotqa_rollouts.jsonl", 500, 2, 1000, 1000, 2454, 12270},
		{"r1_searcher_rollouts/2wiki_rollouts.jsonl", 500, 1, 500, 500, 1121, 5605},
		{"r1_searcher_rollouts/bamboogle_rollouts.jsonl", 125, 2, 250, 250, 587, 2935},
		{"reflexion_react/react_base_rollouts.jsonl", 100, 5, 500, 452, 1343, 826}, // 801 pages, 25 sentences
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			f, err := os.Open(testutil.Shared(t, tt.path))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			r, documents := exchange.NewRoster(nil), 0
			for rec, err := range exchange.Messages(f, tt.path, exchange.Options{}) {
				if err == nil {
					err = r.Add(rec)
				}
				if err == nil {
					err = r.Settle(rec)
				}
				if err == nil {
					err = rec.Trajectory.Validate()
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range rec.Trajectory.Steps {
					for _, d := range s.Results {
						documents++
						if d.Text == "" || d.Title == "" {
							t.Errorf("%v: a document without text or title: %+v", rec.Place, d)
						}
					}
				}
			}
			got := r.Tally()
			if len(r.Questions()) != tt.questions || r.Rollouts() != tt.rollouts || got.Records != tt.records || got.Answered != tt.answered ||
				got.Calls != tt.calls || got.Unread != 0 || documents != tt.documents {
				t.Errorf("%d questions × %d, %+v, %d documents", len(r.Questions()), r.Rollouts(), got, documents)
			}
		})
	}
}

func ExampleMessages() {
	line := `{"question":"Who?","prediction":"Ada","messages":[
		{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"search","arguments":"{\"query\":\"first programmer\"}"}}]},
		{"role":"tool","tool_call_id":"c","content":"Doc 1(Title: Ada) Ada wrote the first program."}]}`
	for rec, err := range exchange.Messages(strings.NewReader(strings.ReplaceAll(line, "\n", "")), "rollouts.jsonl", exchange.Options{}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		search := rec.Trajectory.Steps[0]
		fmt.Println(search.Query, "→", search.Results[0].Title)
	}
	// Output: first programmer → Ada
}
