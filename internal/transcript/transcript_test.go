package transcript_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/internal/transcript"
	"trawl/trajectory"
)

func TestWire(t *testing.T) {
	ms := []trajectory.Message{
		{Role: "user", Content: "Question: q"},
		{Role: "assistant", Reasoning: "r1", ToolCalls: []trajectory.ToolCall{{ID: "1", Name: "search", Arguments: "{}"}}},
		{Role: "tool", ToolCallID: "1", Name: "search", Content: "Doc 1"},
		{Role: "assistant", Reasoning: "r2", Content: "<search>q</search>"},
		{Role: "user", Content: "<information>\nDoc 2\n</information>"},
		{Role: "user", Content: "final answer"},
	}
	call := []llm.ToolCall{{ID: "1", Name: "search", Arguments: "{}"}}
	tests := []struct {
		name  string
		stubs int
		want  []llm.Message
	}{
		{"whole", 0, []llm.Message{
			{Role: "user", Content: "Question: q"},
			{Role: "assistant", Reasoning: "r1", ToolCalls: call},
			{Role: "tool", ToolCallID: "1", Name: "search", Content: "Doc 1"},
			{Role: "assistant", Reasoning: "r2", Content: "<search>q</search>"},
			{Role: "user", Content: "<information>\nDoc 2\n</information>\n\nfinal answer"},
		}},
		{"the oldest", 1, []llm.Message{
			{Role: "user", Content: "Question: q"},
			{Role: "assistant", ToolCalls: call},
			{Role: "tool", ToolCallID: "1", Name: "search", Content: "[earlier results removed]"},
			{Role: "assistant", Reasoning: "r2", Content: "<search>q</search>"},
			{Role: "user", Content: "<information>\nDoc 2\n</information>\n\nfinal answer"},
		}},
		{"all", 2, []llm.Message{
			{Role: "user", Content: "Question: q"},
			{Role: "assistant", ToolCalls: call},
			{Role: "tool", ToolCallID: "1", Name: "search", Content: "[earlier results removed]"},
			{Role: "assistant", Content: "<search>q</search>"},
			{Role: "user", Content: "<information>\n[earlier results removed]\n</information>\n\nfinal answer"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, transcript.Wire(ms, tt.stubs)); diff != "" {
				t.Errorf("messages mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
