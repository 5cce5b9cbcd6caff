package agent_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"trawl/agent"
	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
	"trawl/trajectory"
)

// spoken makes tokens of a text that stands between bars. One that ends in "?" was
// one of two that are equally likely, so that its entropy is ln 2; others were sure.
func spoken(text string) []llm.Token {
	var out []llm.Token
	for _, s := range strings.Split(text, "|") {
		token := llm.Token{Text: s, Top: []float64{0, -9999}}
		if word, open := strings.CutSuffix(s, "?"); open {
			token = llm.Token{Text: word, Top: []float64{-1, -1}}
		}
		out = append(out, token)
	}
	return out
}

// The entropy of a turn is that of the tokens behind its thinking, wherever the
// server put that; where the tokens are not those of the reply there is none.
func TestStepEntropy(t *testing.T) {
	call := []llm.ToolCall{{ID: "c", Name: "search", Arguments: `{"query":"x"}`}}
	const none = -1
	tests := []struct {
		name   string
		reply  llm.Message
		tokens string
		want   float64 // share of ln 2
	}{
		{"a call", llm.Message{ToolCalls: call}, `<tool_call>|{"name": "|search?|"}|</tool_call>`, 1.0 / 5},
		{"thinking in the content", llm.Message{Content: "<think>a b</think>", ToolCalls: call}, `<think>|a?|b?|</think>|search?|(x)`, none}, // "a b" is not "ab"
		{"thinking in the content, to the letter", llm.Message{Content: "<think>ab</think>", ToolCalls: call}, `<think>|a?|b?|</think>|search?|(x)`, 1.0 / 2},
		{"thinking told apart, its marks among the tokens", llm.Message{Reasoning: "ab", ToolCalls: call}, `a?|b?|</|think|>|` + "\n" + `|search?|(|x|)`, 1.0 / 5},
		{"thinking told apart, without marks", llm.Message{Reasoning: " ab ", ToolCalls: call}, `a?|b?|<|channel||>|search?`, 1.0 / 5},
		{"thinking that has no tokens", llm.Message{Reasoning: "ab", ToolCalls: call}, `search?|(x?`, 1},
		{"half letters", llm.Message{Content: "<answer>Zürich</answer>"}, "<answer>?|Z|\xc3?|\ufffd?|rich|</answer>", 3.0 / 6},
		{"no letter of ASCII", llm.Message{Content: "<think>a</think>東京"}, "<think>|a?|</think>|東?|京|", 1.0 / 3},
		{"an answer, and that it ends", llm.Message{Content: "<answer>Paris</answer>"}, `<answer>|Paris?|</answer>|`, 1.0 / 4},
		{"calls whose tokens were not sent", llm.Message{Content: "I look.", ToolCalls: call}, `I look.?`, none},
		{"other tokens", llm.Message{Content: "<answer>Paris</answer>"}, `Rome?`, none},
		{"thinking alone", llm.Message{Content: "", Reasoning: "ab", ToolCalls: call}, `a?|b?|</think>`, none},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			script := llmtest.NewScript(llm.Response{Message: tt.reply, Tokens: spoken(tt.tokens)}, llm.Response{Message: llm.Message{Content: "<answer>Rome</answer>"}})
			got := mustRun(t, script, agent.Options{Logprobs: 16}, testTask())
			h := none * math.Ln2
			if e := got.Steps[0].Entropy; e != nil {
				h = *e
			}
			if math.Abs(h-tt.want*math.Ln2) > 1e-12 {
				t.Errorf("entropy %.4f, want %.4f", h, tt.want*math.Ln2)
			}
			if n := script.Requests()[0].Logprobs; n != 16 {
				t.Errorf("%d logprobs were asked for", n)
			}
		})
	}
}

// Of a turn's steps the first has the entropy; a given query and a reply without
// logprobs have none; of several replies the one that counts.
func TestStepEntropies(t *testing.T) {
	two := []llm.ToolCall{{ID: "a", Name: "search", Arguments: `{"query":"x"}`}, {ID: "b", Name: "search", Arguments: `{"query":"y"}`}}
	script := llmtest.NewScript(
		llm.Response{Message: llm.Message{ToolCalls: two}, Tokens: spoken("search?|search?")},
		llm.Response{Message: llm.Message{Reasoning: "so"}, Tokens: spoken("so?")},
		llm.Response{Message: llm.Message{Content: "<answer>Rome</answer>"}, Tokens: spoken("<answer>Rome?|</answer>")},
	)
	task := testTask()
	task.SeedQuery = &trajectory.SeedQuery{Text: "seeded", Source: trajectory.SeedPool}
	got := mustRun(t, script, agent.Options{Logprobs: 2}, task)
	var h []float64
	for _, s := range got.Steps {
		if s.Entropy == nil {
			h = append(h, -1)
			continue
		}
		h = append(h, *s.Entropy)
	}
	if diff := cmp.Diff([]float64{-1, math.Ln2, -1, math.Ln2 / 2}, h, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("entropies (-want +got):\n%s", diff)
	}
}
