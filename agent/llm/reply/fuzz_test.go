package reply_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
	"trawl/agent/llm/reply"
)

// Whatever a model says, in whatever place: the parser ends, and what it reads
// is within its bounds.
func FuzzParse(f *testing.F) {
	for _, s := range llmtest.Odd() {
		f.Add(s, "", "", false)
		f.Add("", s, "", true)
		f.Add("", "", s, false)
	}
	f.Fuzz(func(t *testing.T, content, reasoning, arguments string, cut bool) {
		resp := llm.Response{Message: llm.Message{Role: llm.Assistant, Content: content, Reasoning: reasoning}, Finish: "stop"}
		if cut {
			resp.Finish = "length"
		}
		if arguments != "" {
			resp.Message.ToolCalls = []llm.ToolCall{searchCall("1", arguments)}
		}
		for _, form := range []reply.Form{reply.Native, reply.Tags} {
			r := reply.Parse(&resp, form)
			if len(r.Calls) > reply.MaxRead || r.Answer != "" && len(r.Calls) > 0 {
				t.Fatalf("form %d: %d calls and answer %q", form, len(r.Calls), r.Answer)
			}
			if utf8.ValidString(content+reasoning+arguments) && !utf8.ValidString(r.Answer) {
				t.Fatalf("form %d: answer %q is cut inside a character", form, r.Answer)
			}
		}
		if after := reply.AfterThinking(content); !strings.Contains(content, after) {
			t.Fatalf("AfterThinking(%q) = %q", content, after)
		}
	})
}
