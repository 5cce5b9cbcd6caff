package trajectory_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/trajectory"
)

// fullState has every field set that a state of one rollout has.
func fullState() *trajectory.State {
	answer := "1960"
	return &trajectory.State{
		V: 1, QuestionID: "2hop__482757_12019", Round: 2, Rollout: 3, Config: "sha256:00ff",
		CurrentAnswer: &answer,
		Facts: []trajectory.Fact{
			{ID: "E1", Text: "The Collegian is owned by Houston Baptist <University> & 東京", SourceTool: "search", SourceURI: "https://example.org/c?a=1&b=2", Verified: trajectory.Verified},
			{ID: "E2", Text: "founded 1960", SourceTool: "open", SourceURI: "42", Verified: trajectory.Partial},
			{ID: "E3", Text: "moved in 1963", Verified: trajectory.Unverified},
			{ID: "E4", Text: "a line that states nothing else"},
		},
		Conclusions:   []trajectory.Conclusion{{Text: "founded 1960", Evidence: []string{"E1", "E2"}, Inference: true}, {Text: "in Texas", Evidence: []string{}}},
		Sources:       []trajectory.Source{{URI: "https://example.org/c?a=1&b=2", Status: "visited, verified"}},
		Uncertainties: []string{"is 1960 the charter or the opening?"},
		Failed:        []string{"a search for the charter"},
		Uncompleted:   []string{"open the page of the university", "search for its seal"},
		Discarded:     []string{"1963"},
		Raw:           "0. Current Answer\n1960\n1. Facts\n- E1 …",
		Origin:        trajectory.StateModel,
		Repairs:       []string{"headings"},
		Queries:       []string{"The Collegian newspaper owner", "Houston Baptist University founded"},
		Calls:         2,
		Usage:         trajectory.CallUsage{Prompt: 5000, Completion: 400, Cached: 4096, Estimated: true},
		Spent:         trajectory.Spent{Tokens: 21500, Millis: 9000},
		Stopped:       trajectory.Answered,
		Started:       started, Millis: 1234,
	}
}

// mergedState unites three, which say two things of one claim and have no answer.
func mergedState() *trajectory.State {
	return &trajectory.State{
		V: 1, QuestionID: "2hop__482757_12019", Round: 1, Rollout: trajectory.MergedRollout, Config: "sha256:00ff", From: []int{0, 1, 3},
		Facts:     []trajectory.Fact{{ID: "E1", Text: "founded 1960", SourceTool: "search", SourceURI: "42", Verified: trajectory.Verified}},
		Conflicts: []string{"founded 1960 / founded 1963"},
		Raw:       "0. Current Answer\nnone", Origin: trajectory.StateMerged,
		Spent: trajectory.Spent{Tokens: 64500, Millis: 27000}, Started: started,
	}
}

// TestStateFormat holds the format to testdata/state-v1.json in both directions.
func TestStateFormat(t *testing.T) {
	holdsFormat(t, "state-v1.json", fullState().Explicit(), mergedState().Explicit())
}

// TestStateExplicit checks that the only null of a line is that of an answer that
// there is none of, and that the state itself stays as it is.
func TestStateExplicit(t *testing.T) {
	bare := &trajectory.State{V: 1, QuestionID: "q", Round: 1, Origin: trajectory.StateNone, Conclusions: []trajectory.Conclusion{{Text: "c"}}}
	line := lines(t, bare.Explicit())
	if strings.Count(line, "null") != 1 || !strings.Contains(line, `"current_answer":null`) {
		t.Errorf("the line has another null than that of the answer: %s", line)
	}
	for _, absent := range []string{`"from"`, `"conflicts"`, `"repairs"`, `"stopped"`} {
		if strings.Contains(line, absent) {
			t.Errorf("the line has %s: %s", absent, line)
		}
	}
	if bare.Facts != nil || bare.Queries != nil || bare.Conclusions[0].Evidence != nil {
		t.Errorf("Explicit changed its state: %+v", bare)
	}
}

func TestStateValidate(t *testing.T) {
	empty := ""
	tests := []struct {
		name   string
		change func(*trajectory.State)
		want   string // empty: valid
	}{
		{"as it is", func(*trajectory.State) {}, ""},
		{"another version", func(s *trajectory.State) { s.V = 2 }, "trajectory: unknown schema version: state of version 2, want 1"},
		{"no question", func(s *trajectory.State) { s.QuestionID = "" }, "trajectory: state: question_id is empty"},
		{"round 0", func(s *trajectory.State) { s.Round = 0 }, "trajectory: state: round 0, want 1 or more"},
		{"rollout -2", func(s *trajectory.State) { s.Rollout = -2 }, "trajectory: state: rollout -2"},
		{"unknown origin", func(s *trajectory.State) { s.Origin = "dream" }, `trajectory: state: unknown origin "dream"`},
		{"no origin", func(s *trajectory.State) { s.Origin = "" }, `trajectory: state: unknown origin ""`},
		{"merged of one rollout", func(s *trajectory.State) { s.Origin = trajectory.StateMerged }, `trajectory: state: rollout 3 with origin "merged"`},
		{"of all rollouts and not merged", func(s *trajectory.State) { s.Rollout = -1 }, `trajectory: state: rollout -1 with origin "model"`},
		{"merged", func(s *trajectory.State) { s.Rollout, s.Origin, s.From = -1, trajectory.StateMerged, []int{0, 3} }, ""},
		{"merged of nobody", func(s *trajectory.State) { s.Rollout, s.Origin = -1, trajectory.StateMerged }, `trajectory: state: from [] with origin "merged"`},
		{"merged out of order", func(s *trajectory.State) { s.Rollout, s.Origin, s.From = -1, trajectory.StateMerged, []int{3, 0} }, `trajectory: state: from [3 0] with origin "merged"`},
		{"of one rollout and from others", func(s *trajectory.State) { s.From = []int{1} }, `trajectory: state: from [1] with origin "model"`},
		{"stopped by a budget", func(s *trajectory.State) { s.Stopped = trajectory.TokenLimit }, ""},
		{"stopped by nothing known", func(s *trajectory.State) { s.Stopped = trajectory.Loop }, `trajectory: state: unknown stopped "loop"`},
		{"a fact verified perhaps", func(s *trajectory.State) { s.Facts = []trajectory.Fact{{ID: "E1", Verified: "perhaps"}} }, `trajectory: state: fact 0: unknown verified "perhaps"`},
		{"the year 10000", func(s *trajectory.State) { s.Started = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC) }, "trajectory: state: started in the year 10000"},
		{"carried", func(s *trajectory.State) { s.Origin = trajectory.StateCarried }, ""},
		{"carried without a text", func(s *trajectory.State) { s.Origin, s.Raw = trajectory.StateCarried, "" }, `trajectory: state: origin "carried" with a text of 0 bytes`},
		{"none with a text", func(s *trajectory.State) { s.Origin, s.Raw = trajectory.StateNone, "four" }, `trajectory: state: origin "none" with a text of 4 bytes`},
		{"none", func(s *trajectory.State) { s.Origin, s.Raw = trajectory.StateNone, "" }, ""},
		{"nothing could be read of the text", func(s *trajectory.State) {
			*s = trajectory.State{V: 1, QuestionID: "q", Round: 1, Raw: "I give up", Origin: trajectory.StateModel}
		}, ""},
		{"empty answer", func(s *trajectory.State) { s.CurrentAnswer = &empty }, "trajectory: state: current_answer is empty; null says that there is none"},
		{"no answer", func(s *trajectory.State) { s.CurrentAnswer = nil }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := fullState()
			tt.change(s)
			err := s.Validate()
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || err.Error() != tt.want) {
				t.Errorf("Validate() = %v, want %q", err, tt.want)
			}
		})
	}
	newer := fullState()
	newer.V = 2
	if err := newer.Validate(); !errors.Is(err, trajectory.ErrVersion) {
		t.Errorf("Validate() = %v, want %v", err, trajectory.ErrVersion)
	}
}

// A state is blank if every section is: any of them holds something alone.
func TestStateBlank(t *testing.T) {
	answer, one := "x", []string{"x"}
	for _, s := range []trajectory.State{
		{CurrentAnswer: &answer}, {Facts: fullState().Facts}, {Conclusions: fullState().Conclusions}, {Sources: fullState().Sources},
		{Uncertainties: one}, {Failed: one}, {Uncompleted: one}, {Discarded: one}, {Conflicts: one},
	} {
		if s.Blank() {
			t.Errorf("%+v is blank", s)
		}
	}
	if s := (&trajectory.State{V: 1, QuestionID: "q", Raw: "prose", Queries: one, Repairs: one, Facts: []trajectory.Fact{}}); !s.Blank() {
		t.Errorf("%+v is not blank", s)
	}
}

func TestStateBranches(t *testing.T) {
	want := []string{"open the page of the university", "search for its seal", "is 1960 the charter or the opening?"}
	s := fullState()
	if got := s.Branches(); !slices.Equal(got, want) {
		t.Errorf("Branches() = %q, want %q", got, want)
	}
	s.Branches()[0] = "changed"
	if diff := cmp.Diff(fullState(), s); diff != "" {
		t.Errorf("who changes the branches changes the state (-before +after):\n%s", diff)
	}
	if got, want := mergedState().Key(), (trajectory.Key{QuestionID: "2hop__482757_12019", Round: 1, Rollout: -1, Config: "sha256:00ff"}); got != want {
		t.Errorf("Key() = %+v, want %+v", got, want)
	}
}

// FuzzStateRoundTrip makes sure that what is valid can be written, and reads back
// as what it was.
func FuzzStateRoundTrip(f *testing.F) {
	file, err := os.ReadFile(filepath.Join("testdata", "state-v1.json"))
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(file) {
		f.Add(line)
	}
	f.Add([]byte(`{"v":1,"question_id":"\ud800","round":1,"origin":"none","facts":null,"conclusions":[{}],"usage":{"prompt":-1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s trajectory.State
		if json.Unmarshal(data, &s) != nil || s.Validate() != nil {
			return
		}
		first := lines(t, s.Explicit())
		var again trajectory.State
		if err := json.Unmarshal([]byte(first), &again); err != nil {
			t.Fatal(err)
		}
		if err := again.Validate(); err != nil {
			t.Errorf("what was written is not valid: %v", err)
		}
		if second := lines(t, &again); first != second {
			t.Errorf("written\n%s\nthen\n%s", first, second)
		}
	})
}
