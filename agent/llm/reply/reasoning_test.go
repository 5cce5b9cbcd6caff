package reply_test

import (
	"testing"

	"trawl/agent/llm/reply"
)

func TestAfterThinking(t *testing.T) {
	tests := []struct{ name, content, want string }{
		{"no thinking", " Paris\n", "Paris"},
		{"thinking before it", "<think>x</think>\nParis", "Paris"},
		{"the template wrote the opening tag", "plan</think> Paris", "Paris"},
		{"other spelling", "< Thinking >x</ THINKING >Paris", "Paris"},
		{"an escaped closing tag", "<think>x<\\/think>Paris", "Paris"},
		{"two thoughts", "<think>x</think>Rome<think>y</think>Paris", "Paris"},
		{"a closing tag inside the thinking", "<think>x</think>y</think>Paris", "Paris"},
		{"thinking at the end", "Paris<think>x</think>", ""},
		{"thinking that does not end", "<think>x", ""},
		{"text before thinking that does not end", "Paris <think>x", "Paris"},
		{"opened twice, closed never", "Paris<think>x<think>y", "Paris"},
		{"opened twice, closed once", "<think>x<think>y</think>Paris", "Paris"},
		{"a thought, text, and thinking that does not end", "<think>x</think>Paris<thinking>y", "Paris"},
		{"other tags are text", "<think>x</think><answer>Paris</answer>", "<answer>Paris</answer>"},
		{"half a tag is text", "Paris </think", "Paris </think"},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := reply.AfterThinking(tt.content); got != tt.want {
				t.Errorf("AfterThinking(%q) = %q, want %q", tt.content, got, tt.want)
			}
		})
	}
}
