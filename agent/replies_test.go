package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/agent/llm/reply"
	"trawl/agent/tool"
)

func content(s string) llm.Response {
	return llm.Response{Message: llm.Message{Content: s}, Finish: "stop"}
}

func native(calls ...llm.ToolCall) llm.Response {
	return llm.Response{Message: llm.Message{ToolCalls: calls}, Finish: "tool_calls"}
}

func searchCall(id, args string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: "search", Arguments: args}
}

// Package reply, which does not import the tools, knows the names of one.
func TestSearchTag(t *testing.T) {
	resp := content("<search>q</search>")
	got := reply.Parse(&resp, reply.Tags).Calls
	want := []reply.Call{{Name: tool.SearchName, Args: map[string]any{tool.SearchQuery: "q"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls mismatch (-want +got):\n%s", diff)
	}
}
