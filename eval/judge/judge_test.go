package judge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
	"trawl/eval/judge"
)

// says is a reply of this text.
func says(text string) llm.Response {
	return llm.Response{Message: llm.Message{Content: text}, Usage: llm.Usage{Prompt: 100, Completion: 10}}
}

// ask has a script judge Paris by Paris and France.
func ask(t *testing.T, style judge.Style, replies ...llm.Response) (judge.Ruling, []llm.Request) {
	t.Helper()
	script := llmtest.NewScript(replies...)
	j, err := judge.New(script, judge.Options{Style: style, Seed: 42})
	if err != nil {
		t.Fatal(err)
	}
	r, err := j.Judge(t.Context(), "Where?", []string{"Paris", "France"}, "in Paris")
	if err != nil {
		t.Fatal(err)
	}
	return r, script.Requests()
}

func TestJudge(t *testing.T) {
	cut := says("correct: yes")
	cut.Finish = "length"
	thought := says("")
	thought.Message.Reasoning = "They are the same.\ncorrect: yes"
	tests := []struct {
		name    string
		style   judge.Style
		replies []llm.Response
		want    judge.Ruling // but for calls and usage
		calls   int
	}{
		{"at once", "", []llm.Response{says("correct: yes")}, judge.Ruling{Verdict: judge.Correct}, 1},
		{"behind thinking", judge.BrowseComp, []llm.Response{says("<think>correct: no?</think>\ncorrect: yes")}, judge.Ruling{Verdict: judge.Correct}, 1},
		{"all of it taken for thinking", judge.BrowseComp, []llm.Response{thought}, judge.Ruling{Verdict: judge.Correct, Reasoning: ""}, 1},
		{"at the second try", judge.Tongyi, []llm.Response{says("Well."), says("Incorrect")}, judge.Ruling{Verdict: judge.Incorrect}, 2},
		{"at the third try", judge.DivInit, []llm.Response{says(""), says("<think>CORRECT"), says("CORRECT")}, judge.Ruling{Verdict: judge.Correct}, 3},
		{"never", judge.SimpleQA, []llm.Response{says(""), says("x"), says("Ambiguous: wrong")},
			judge.Ruling{Verdict: judge.Unscored, Reason: `the judge's reply has no verdict: "Ambiguous: wrong"`}, 3},
		{"empty replies", judge.HLE, []llm.Response{says(""), says(" "), says("\n")}, judge.Ruling{Verdict: judge.Unscored, Reason: "the judge's reply is empty"}, 3},
		{"replies that break off", judge.BrowseComp, []llm.Response{cut, cut, cut}, judge.Ruling{Verdict: judge.Unscored, Reason: "the judge's reply breaks off"}, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, requests := ask(t, tt.style, tt.replies...)
			tt.want.Calls, tt.want.Usage = tt.calls, llm.Usage{Prompt: 100 * tt.calls, Completion: 10 * tt.calls}
			if diff := cmp.Diff(tt.want, got); diff != "" || len(requests) != tt.calls {
				t.Errorf("%d calls, ruling (-want +got):\n%s", len(requests), diff)
			}
		})
	}
}

// TestRequests: each try has a seed of its own, a later one a reminder, and all of
// them the temperature 0, which is sent.
func TestRequests(t *testing.T) {
	_, requests := ask(t, judge.HLE, says("x"), says("y"), says("z"))
	seeds := map[int64]bool{}
	for i, r := range requests {
		seeds[*r.Seed] = true
		if r.Temperature == nil || *r.Temperature != 0 || r.MaxTokens != 2048 {
			t.Errorf("try %d: temperature %v, %d tokens", i, r.Temperature, r.MaxTokens)
		}
		if reminded := strings.Contains(r.Messages[0].Content, "Reply with the JSON object alone"); reminded != (i > 0) {
			t.Errorf("try %d: reminded %v", i, reminded)
		}
		if !strings.Contains(r.Messages[0].Content, "- Paris\n- France\n") {
			t.Errorf("try %d does not show all golds:\n%s", i, r.Messages[0].Content)
		}
		if format, ok := r.Extra["response_format"].(map[string]any); !ok || format["type"] != "json_schema" {
			t.Errorf("try %d: response_format %v", i, r.Extra)
		}
	}
	if len(seeds) != 3 {
		t.Errorf("%d seeds of 3 tries", len(seeds))
	}
	_, again := ask(t, judge.HLE, says("x"), says("y"), says("z"))
	if diff := cmp.Diff(requests, again); diff != "" {
		t.Errorf("the same again asks otherwise:\n%s", diff)
	}
	own := map[string]any{"structured_outputs": map[string]any{"choice": []string{"x"}}}
	script := llmtest.NewScript(says(`{"correct":"no"}`))
	j, err := judge.New(script, judge.Options{Style: judge.HLE, Sampling: llm.Sampling{Extra: own}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Judge(t.Context(), "q", []string{"a"}, "b"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(own, script.Requests()[0].Extra); diff != "" {
		t.Errorf("a form that the settings ask for is changed:\n%s", diff)
	}
}

// TestNoCall: an empty answer is incorrect, and a question without golds is nobody's
// to judge.
func TestNoCall(t *testing.T) {
	j, err := judge.New(llmtest.NewScript(), judge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, answer := range []string{"", " \n"} {
		if r, err := j.Judge(t.Context(), "q", []string{"a"}, answer); err != nil || r.Verdict != judge.Incorrect || r.Calls != 0 {
			t.Errorf("Judge(%q) = %+v, %v", answer, r, err)
		}
	}
	for _, golds := range [][]string{nil, {""}, {" "}} {
		if _, err := j.Judge(t.Context(), "q", golds, "x"); err == nil {
			t.Errorf("golds %q: no error", golds)
		}
	}
	if _, err := judge.New(nil, judge.Options{Style: "gpt"}); err == nil || !strings.Contains(err.Error(), "want browsecomp, hle, divinit, tongyi, simpleqa") {
		t.Errorf("an unknown style: error %v", err)
	}
}

// TestFailures: what the answer or the reply is at fault for leaves it unscored; what
// the server is at fault for is an error.
func TestFailures(t *testing.T) {
	tests := []struct {
		kind  error
		calls int
		want  string // reason; "" for an error
	}{
		{llm.ErrMalformed, 3, "the server's reply cannot be read"},
		{llm.ErrContextLength, 1, "the prompt does not fit the judge's context"},
		{llm.ErrUnreachable, 1, ""}, {llm.ErrServer, 1, ""}, {llm.ErrOverloaded, 1, ""}, {llm.ErrBadRequest, 1, ""}, {context.Canceled, 1, ""},
	}
	for _, tt := range tests {
		t.Run(tt.kind.Error(), func(t *testing.T) {
			calls := 0
			client := llmtest.Func(func(context.Context, *llm.Request) (*llm.Response, error) {
				calls++
				return nil, fmt.Errorf("call: %w", tt.kind)
			})
			j, err := judge.New(client, judge.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := j.Judge(t.Context(), "q", []string{"a"}, "b")
			if calls != tt.calls || r.Reason != tt.want || (tt.want == "") != errors.Is(err, tt.kind) || tt.want != "" && r.Verdict != judge.Unscored {
				t.Errorf("%d calls, %+v, %v", calls, r, err)
			}
		})
	}
}

// TestIdentity: judges that may rule otherwise have another identity.
func TestIdentity(t *testing.T) {
	zero, one := 0.0, 1.0
	identity := func(o judge.Options) string {
		j, err := judge.New(nil, o)
		if err != nil {
			t.Fatal(err)
		}
		return j.Identity()
	}
	plain := identity(judge.Options{})
	if got := identity(judge.Options{Style: judge.BrowseComp, Tries: 3, Sampling: llm.Sampling{Temperature: &zero, MaxTokens: 2048}}); got != plain {
		t.Errorf("the defaults: %s, not %s", got, plain)
	}
	seen := map[string]bool{plain: true}
	for _, o := range []judge.Options{
		{Style: judge.HLE}, {Tries: 2}, {Seed: 1}, {Sampling: llm.Sampling{Temperature: &one}}, {Sampling: llm.Sampling{MaxTokens: 9}},
		{Sampling: llm.Sampling{Extra: map[string]any{"top_k": 1}}},
	} {
		if id := identity(o); seen[id] || !strings.Contains(id, judge.PromptHash()) {
			t.Errorf("%+v has identity %s", o, id)
		} else {
			seen[id] = true
		}
	}
}
