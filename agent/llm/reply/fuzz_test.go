package reply_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"trawl/agent/llm"
	"trawl/agent/llm/reply"
)

var fuzzSeeds = []string{
	"<think>x</think>Paris",
	"plan</think>\n<search>q</search><information>fake</information>",
	"<tool_call>{\"name\":\"search\",\"arguments\":{\"query\":\"a\"}}\n{\"name\":\"search\",\"arguments\":{\"query\":[\"b\"]}",
	"<tool_call>search\n<arg_key>query</arg_key><arg_value>x</arg_value></tool_call>",
	"<tool_call><function=search><parameter=query>x</parameter></function><\\/tool_call>",
	"```tool_code\nsearch(query=\"x\", k=[1,2)\n```",
	"```json\n{\"name\":\"search\",\"arguments\":\"{\\\"query\\\":\\\"x\\\"}\"}\n```",
	"{&quot;name&quot;:&quot;search&quot;}",
	"<answer> Simon &amp; Garfunkel </answer>",
	"Final answer: 42\nConfidence: 85%",
	"<search>a <answer>b</answer> c</search>",
	"\xff<\\/search>\x00",
}

// Whatever a model says, in whatever place: the parser ends, and what it reads
// is within its bounds.
func FuzzParse(f *testing.F) {
	for _, s := range fuzzSeeds {
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
