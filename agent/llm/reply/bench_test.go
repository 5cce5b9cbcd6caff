package reply_test

import (
	"fmt"
	"strings"
	"testing"

	"trawl/agent/llm/reply"
)

// The worst replies that a server may send in one completion.
func BenchmarkParseHostile(b *testing.B) {
	replies := map[string]string{
		"tags":   strings.Repeat("<search><answer></think>", 4000),
		"blanks": "<" + strings.Repeat(" <", 40000),
		"quotes": `<tool_call>{"name":"search","arguments":{"query":"` + strings.Repeat(`a" b`, 1500) + `</tool_call>`,
		"blocks": strings.Repeat(`<tool_call>{"name":"search","arguments":{"query":"x"</tool_call>`, 1000),
		"info":   strings.Repeat("<information>", 8000),
	}
	for name, s := range replies {
		b.Run(fmt.Sprintf("%s-%dKB", name, len(s)>>10), func(b *testing.B) {
			resp := content(s)
			for b.Loop() {
				reply.Parse(&resp, reply.Native)
			}
		})
	}
}
