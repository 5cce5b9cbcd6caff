package trajectory_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/testutil"
	"trawl/trajectory"
)

var (
	confidence = 0.8
	started    = time.Date(2026, 3, 4, 5, 6, 7, 890_000_000, time.UTC)
)

// full has every field set, so that the golden file shows the whole format.
func full() *trajectory.Trajectory {
	return &trajectory.Trajectory{
		V:          1,
		QuestionID: "2hop__482757_12019",
		Round:      1,
		Rollout:    3,
		Config:     "sha256:00ff",
		Question:   "When was the institute that owned The Collegian founded?",
		Seed:       1080995554,
		SeedQuery:  &trajectory.SeedQuery{Text: "The Collegian newspaper owner", Source: trajectory.SeedPool},
		Steps: []trajectory.Step{
			{
				Turn: 1, Kind: trajectory.KindSearch, Query: "The Collegian newspaper owner", Source: trajectory.SeedPool,
				Call:    &trajectory.Call{ID: "call_1_0", Name: "search", Arguments: json.RawMessage(`{"query":"The Collegian newspaper owner"}`)},
				Results: []trajectory.Result{{Rank: 1, ID: "42", Title: "The Collegian", URL: "https://example.org/c?a=1&b=2", Score: 12.25, Text: "Houston Baptist <University>\nsecond line 東京"}},
				Shown:   "Doc 1(Title: The Collegian) Houston Baptist <University> second line 東京",
				Millis:  12,
			},
			{
				Turn: 2, Kind: trajectory.KindOpen, Thought: "open it",
				Call:    &trajectory.Call{ID: "call_2_0", Name: "open", Arguments: json.RawMessage(`{"id":42,"deep":{"x":[1,2.5,null,true]}}`)},
				Results: []trajectory.Result{{Rank: 1, ID: "42", Title: "The Collegian", Text: "whole page", Parent: "v1"}},
				Shown:   "whole page", Repairs: []string{"json"},
				Usage: trajectory.CallUsage{Prompt: 900, Completion: 40, Cached: 512, Estimated: true}, Millis: 340,
			},
			{Turn: 2, Kind: trajectory.KindFind, Error: "no such view", Shown: "no such view"},
			{Turn: 3, Kind: trajectory.KindNone, Thought: "hm"},
			{Turn: 4, Kind: trajectory.KindAnswer, Thought: "founded 1960"},
		},
		Messages: []trajectory.Message{
			{Role: "system", Content: "Answer in <answer> tags & briefly."},
			{Role: "assistant", Reasoning: "first look", ToolCalls: []trajectory.ToolCall{{ID: "call_1_0", Name: "search", Arguments: `{"query":"The Collegian newspaper owner"}`}}},
			{Role: "tool", Content: "Doc 1(Title: The Collegian) …", ToolCallID: "call_1_0", Name: "search"},
			{Role: "assistant", Content: "<answer>1960</answer>"},
		},
		Answer: "1960", Source: trajectory.AnswerTag, Confidence: &confidence, Termination: trajectory.Answered,
		Usage:   trajectory.Usage{LLMCalls: 3, Prompt: 2700, Completion: 120, Cached: 1024, Searches: 1, Opens: 1, Estimated: true},
		Started: started, Millis: 1234,
	}
}

// bare has no optional field.
func bare() *trajectory.Trajectory {
	return &trajectory.Trajectory{
		V: 1, QuestionID: "q", Round: 1, Question: "Who?", Steps: []trajectory.Step{}, Messages: []trajectory.Message{},
		Source: trajectory.AnswerNone, Termination: trajectory.Failed, Error: "the server cannot be reached", Started: started,
	}
}

// lines returns records as they stand in a run folder.
func lines[R any](t *testing.T, records ...R) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, r := range records {
		if err := enc.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestFormat holds the format to testdata/v1.json in both directions.
func TestFormat(t *testing.T) { holdsFormat(t, "v1.json", full().Explicit(), bare().Explicit()) }

// holdsFormat holds records to a golden file in both directions.
func holdsFormat[R any, P interface {
	*R
	Validate() error
}](t *testing.T, golden string, want ...P) {
	t.Helper()
	testutil.Golden(t, golden, lines(t, want...))

	file, err := os.ReadFile(filepath.Join("testdata", golden))
	if err != nil {
		t.Fatal(err)
	}
	var got []P
	for line := range bytes.Lines(file) {
		r := P(new(R))
		if err := json.Unmarshal(line, r); err != nil {
			t.Fatal(err)
		}
		if err := r.Validate(); err != nil {
			t.Error(err)
		}
		got = append(got, r)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read from the golden file (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(string(file), lines(t, got...)); diff != "" {
		t.Errorf("written again (-file +again):\n%s", diff)
	}
}

// TestExplicit checks that a line has every key with a value of its type, and
// that the record itself stays as it is.
func TestExplicit(t *testing.T) {
	record := full()
	line := lines(t, record.Explicit())
	for _, missing := range []string{`"results":null`, `"repairs":null`, `"steps":null`, `"messages":null`} {
		if strings.Contains(line, missing) {
			t.Errorf("the line has %s", missing)
		}
	}
	if diff := cmp.Diff(full(), record); diff != "" {
		t.Errorf("Explicit changed its record (-before +after):\n%s", diff)
	}
}

func TestValidate(t *testing.T) {
	half, negative, nan := 0.5, -0.1, math.NaN()
	tests := []struct {
		name   string
		change func(*trajectory.Trajectory)
		want   string // empty: valid
	}{
		{"as it is", func(*trajectory.Trajectory) {}, ""},
		{"another version", func(r *trajectory.Trajectory) { r.V = 2 }, "trajectory: unknown schema version: 2, want 1"},
		{"no question", func(r *trajectory.Trajectory) { r.QuestionID = "" }, "trajectory: question_id is empty"},
		{"round 0", func(r *trajectory.Trajectory) { r.Round = 0 }, "trajectory: round 0, want 1 or more"},
		{"rollout -1", func(r *trajectory.Trajectory) { r.Rollout = -1 }, "trajectory: rollout -1, want 0 or more"},
		{"unknown termination", func(r *trajectory.Trajectory) { r.Termination = "bored" }, `trajectory: unknown termination "bored"`},
		{"no termination", func(r *trajectory.Trajectory) { r.Termination = "" }, `trajectory: unknown termination ""`},
		{"unknown source", func(r *trajectory.Trajectory) { r.Source = "luck" }, `trajectory: unknown answer_source "luck"`},
		{"answer without a source", func(r *trajectory.Trajectory) { r.Source = trajectory.AnswerNone }, `trajectory: answer "1960" with answer_source "none"`},
		{"source without an answer", func(r *trajectory.Trajectory) { r.Answer = "" }, `trajectory: answer "" with answer_source "tag"`},
		{"no answer", func(r *trajectory.Trajectory) { r.Answer, r.Source = "", trajectory.AnswerNone }, ""},
		{"failed with an answer", func(r *trajectory.Trajectory) { r.Error, r.Termination = "x", trajectory.Failed }, "trajectory: a failed rollout has an answer"},
		{"failed without an error", func(r *trajectory.Trajectory) { r.Termination = trajectory.Failed }, `trajectory: error "" with termination "error"`},
		{"cancelled without an error", func(r *trajectory.Trajectory) { r.Termination = trajectory.Cancelled }, `trajectory: error "" with termination "cancelled"`},
		{"error of one that ended well", func(r *trajectory.Trajectory) { r.Answer, r.Source, r.Error = "", trajectory.AnswerNone, "x" }, `trajectory: error "x" with termination "answered"`},
		{"confidence", func(r *trajectory.Trajectory) { r.Confidence = &half }, ""},
		{"no confidence", func(r *trajectory.Trajectory) { r.Confidence = nil }, ""},
		{"confidence below 0", func(r *trajectory.Trajectory) { r.Confidence = &negative }, "trajectory: confidence -0.1, want 0 to 1"},
		{"entropy", func(r *trajectory.Trajectory) { r.Steps[1].Entropy = &half }, ""},
		{"entropy below 0", func(r *trajectory.Trajectory) { r.Steps[1].Entropy = &negative }, "trajectory: step 1: entropy -0.1, want 0 or more"},
		{"entropy is no number", func(r *trajectory.Trajectory) { r.Steps[1].Entropy = &nan }, "trajectory: step 1: entropy NaN, want 0 or more"},
		{"confidence is no number", func(r *trajectory.Trajectory) { r.Confidence = &nan }, "trajectory: confidence NaN, want 0 to 1"},
		{"a date that JSON cannot hold", func(r *trajectory.Trajectory) { r.Started = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }, "trajectory: started in the year 10000"},
		{"turn 0", func(r *trajectory.Trajectory) { r.Steps[0].Turn = 0 }, "trajectory: step 0: turn 0 after turn 1"},
		{"turns go back", func(r *trajectory.Trajectory) { r.Steps[3].Turn = 1 }, "trajectory: step 3: turn 1 after turn 2"},
		{"unknown kind", func(r *trajectory.Trajectory) { r.Steps[1].Kind = "browse" }, `trajectory: step 1: unknown kind "browse"`},
		{"arguments are not JSON", func(r *trajectory.Trajectory) { r.Steps[1].Call.Arguments = json.RawMessage(`{"id":`) }, "trajectory: step 1: arguments are not JSON"},
		{"no arguments", func(r *trajectory.Trajectory) { r.Steps[1].Call.Arguments = nil }, "trajectory: step 1: arguments are not JSON"},
		{"rank 0", func(r *trajectory.Trajectory) { r.Steps[0].Results[0].Rank = 0 }, "trajectory: step 0: result 0 has rank 0"},
		{"score is no number", func(r *trajectory.Trajectory) { r.Steps[0].Results[0].Score = math.Inf(1) }, "trajectory: step 0: result 0 has score +Inf"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := full()
			tt.change(r)
			err := r.Validate()
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || err.Error() != tt.want) {
				t.Errorf("Validate() = %v, want %q", err, tt.want)
			}
		})
	}
	newer := full()
	newer.V = 2
	if err := newer.Validate(); !errors.Is(err, trajectory.ErrVersion) {
		t.Errorf("Validate() = %v, want %v", err, trajectory.ErrVersion)
	}
}

func TestKeys(t *testing.T) {
	sorted := []trajectory.Key{
		{QuestionID: "a", Round: 1, Rollout: 2},
		{QuestionID: "a", Round: 1, Rollout: 10},
		{QuestionID: "a", Round: 1, Rollout: 10, Config: "x"},
		{QuestionID: "a", Round: 2, Rollout: 0},
		{QuestionID: "b", Round: 1, Rollout: 0},
	}
	got := slices.Clone(sorted)
	slices.Reverse(got)
	slices.SortFunc(got, trajectory.Key.Compare)
	if diff := cmp.Diff(sorted, got); diff != "" {
		t.Errorf("order mismatch (-want +got):\n%s", diff)
	}
	if got, want := full().Key(), (trajectory.Key{QuestionID: "2hop__482757_12019", Round: 1, Rollout: 3, Config: "sha256:00ff"}); got != want {
		t.Errorf("Key() = %+v, want %+v", got, want)
	}
	if got, want := sorted[1].String(), "question a round 1 rollout 10"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
}

// FuzzRoundTrip makes sure that what is valid can be written, and reads back as
// what it was.
func FuzzRoundTrip(f *testing.F) {
	file, err := os.ReadFile(filepath.Join("testdata", "v1.json"))
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(file) {
		f.Add(line)
	}
	f.Add([]byte(`{"v":1,"question_id":"\ud800","round":1,"answer_source":"none","termination":"loop","steps":[{"turn":1,"kind":"none","call":{"arguments":{ "a" : 1e400 }}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var r trajectory.Trajectory
		if json.Unmarshal(data, &r) != nil || r.Validate() != nil {
			return
		}
		first := lines(t, &r)
		var again trajectory.Trajectory
		if err := json.Unmarshal([]byte(first), &again); err != nil {
			t.Fatal(err)
		}
		if second := lines(t, &again); first != second {
			t.Errorf("written\n%s\nthen\n%s", first, second)
		}
	})
}
