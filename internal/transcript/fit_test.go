package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/transcript"
)

// TestSmaller goes down all rungs: of five results the first two (half), four
// (all but the newest) and five; then, of the six exchanges, three of the five
// before the last, one of the two that stay, and the last one.
func TestSmaller(t *testing.T) {
	ms := []message{{Role: "system", Content: "rules"}, user("question"), user("preface")}
	for i := range 5 {
		id := fmt.Sprint(i)
		ms = append(ms, asks(id), found(id, "result "+id))
	}
	ms = append(ms, message{Role: "assistant", Content: "answer"})
	c := transcript.Split(ms)
	var rungs []string
	for f, ok := (transcript.Fit{}), true; ok; f, ok = c.Smaller(f) {
		var kept []string
		for _, m := range c.Wire(f, user("ask")) {
			switch {
			case m.Role == "tool":
				kept = append(kept, strings.TrimPrefix(m.Content, "result "))
			case m.Role == "user" && strings.Contains(m.Content, "question") && strings.Contains(m.Content, "[earlier steps removed]"):
				kept = append(kept, "cut")
			}
		}
		last := c.Wire(f, user("ask"))
		if n := len(last); last[n-1].Content != "ask" || last[n-2].Content != "answer" || !strings.Contains(last[1].Content, "question\n\npreface") {
			t.Fatalf("%+v: the question, the last reply or what was asked is missing: %+v", f, last)
		}
		rungs = append(rungs, fmt.Sprintf("%+v %s", f, strings.Join(kept, " ")))
	}
	const stub = "[earlier results removed]"
	want := []string{
		"{Stubs:0 Dropped:0} 0 1 2 3 4",
		"{Stubs:2 Dropped:0} " + strings.Repeat(stub+" ", 2) + "2 3 4",
		"{Stubs:4 Dropped:0} " + strings.Repeat(stub+" ", 4) + "4",
		"{Stubs:5 Dropped:0} " + strings.Repeat(stub+" ", 4) + stub,
		"{Stubs:5 Dropped:3} cut " + stub + " " + stub,
		"{Stubs:5 Dropped:4} cut " + stub,
		"{Stubs:5 Dropped:5} cut",
	}
	if diff := cmp.Diff(want, rungs); diff != "" {
		t.Errorf("rungs (-want +got):\n%s", diff)
	}
}

// TestSplitLosesNothing: with nothing left out a conversation is what it was.
func TestSplitLosesNothing(t *testing.T) {
	for _, ms := range [][]message{
		nil,
		{user("q")},
		{asks("1"), found("1", "a")},
		{user("q"), asks("1", "2"), found("1", "a"), found("2", "b"), user("next"), asks(), user("end")},
	} {
		if diff := cmp.Diff(ms, append([]message(nil), transcript.Split(ms).Messages(transcript.Fit{})...)); diff != "" {
			t.Errorf("messages (-want +got):\n%s", diff)
		}
		if _, ok := transcript.Split(ms[:min(len(ms), 1)]).Smaller(transcript.Fit{}); ok {
			t.Errorf("%v can become smaller", ms)
		}
	}
}
