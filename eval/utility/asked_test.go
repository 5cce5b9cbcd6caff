package utility_test

import (
	"errors"
	"strings"
	"testing"

	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
	"trawl/eval/utility"
	"trawl/internal/testutil"
)

func TestVerdict(t *testing.T) {
	tests := []struct {
		text string
		want float64
		ok   bool
	}{
		{"85", 0.85, true}, {" **0** ", 0, true}, {"100 %", 1, true}, {"70/100", 0.7, true}, {"Yes.", 1, true}, {"no", 0, true},
		{"", 0, false}, {"101", 0, false}, {"999", 0, false}, {"-5", 0, false}, {"not 85", 0, false}, {"nobody", 0, false}, {"no, 85", 0, false},
		{"The claim has 2 parts", 0, false}, {"yes\nno", 0, false}, {"0.9", 0, false}, {"Yesterday", 0, false},
	}
	for _, tt := range tests {
		if got, ok := utility.Verdict(tt.text); got != tt.want || ok != tt.ok {
			t.Errorf("Verdict(%q) = %g, %t, want %g, %t", tt.text, got, ok, tt.want, tt.ok)
		}
	}
}

func reply(content string) llm.Response {
	return llm.Response{Message: llm.Message{Content: content}}
}

func TestAsked(t *testing.T) {
	tests := []struct {
		name    string
		replies []llm.Response
		want    float64
		calls   int
		err     string
	}{
		{"a number", []llm.Response{reply("<think>It says 1782.</think>\n90")}, 0.9, 1, ""},
		{"nonsense first", []llm.Response{reply("Well, that depends."), reply("no")}, 0, 2, ""},
		{"nonsense", []llm.Response{reply("hm"), reply("INCORRECT, 40")}, 0, 2, `no verdict in 2 replies, the last is "INCORRECT, 40"`},
		{"no server", nil, 0, 1, "utility: entailment: llmtest"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			script := llmtest.NewScript(tt.replies...)
			zero := 0.0
			got, err := utility.Asked{Client: script, Sampling: llm.Sampling{Temperature: &zero}}.Entails(t.Context(), "Barrow was founded in 1782.", []string{"In 1782."})
			if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("Entails = %g, %v, want %g, %s", got, err, tt.want, tt.err)
			}
			requests := script.Requests()
			if len(requests) != tt.calls {
				t.Fatalf("%d calls, want %d", len(requests), tt.calls)
			}
			if temperature := requests[0].Temperature; temperature == nil || *temperature != 0 {
				t.Error("the temperature 0 is not sent")
			}
		})
	}
}

// The prompt as a model sees it.
func TestPrompt(t *testing.T) {
	var prompts []string
	for _, evidence := range [][]string{{"Doc 1(Title: Barrow) Barrow was founded in 1782.", "Another."}, nil} {
		script := llmtest.NewScript()
		_, err := utility.Asked{Client: script}.Entails(t.Context(), "Barrow was\nfounded in 1782.", evidence)
		if err == nil || errors.Is(err, llm.ErrServer) {
			t.Fatalf("an empty script answered: %v", err)
		}
		prompts = append(prompts, script.Requests()[0].Messages[0].Content)
	}
	testutil.Golden(t, "prompts/entails.txt", strings.Join(prompts, "\n----\n")+"\n")
	if h := utility.PromptHash(); !strings.HasPrefix(h, "sha256:") {
		t.Errorf("PromptHash() = %q", h)
	}
}
