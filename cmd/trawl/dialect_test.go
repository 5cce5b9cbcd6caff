package main

import (
	"context"
	"testing"

	"trawl/agent/llm"
	"trawl/agent/llm/llmtest"
)

func TestProbeTools(t *testing.T) {
	call := llm.Response{Message: llm.Message{ToolCalls: []llm.ToolCall{{Name: "search", Arguments: `{"query":"x"}`}}}}
	text := llm.Response{Message: llm.Message{Content: `<tool_call>{"name":"search"}</tool_call>`}}
	tests := []struct {
		name    string
		replies []llm.Response
		want    bool
	}{
		{"at once", []llm.Response{call}, true},
		{"the second time", []llm.Response{text, call}, true},
		{"never", []llm.Response{text, text, text}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			script := llmtest.NewScript(tt.replies...)
			got, err := probeTools(context.Background(), script, nil)
			if err != nil || got != tt.want {
				t.Errorf("probeTools = %t, %v, want %t", got, err, tt.want)
			}
			if n := len(script.Requests()); n != len(tt.replies) {
				t.Errorf("%d requests, want %d", n, len(tt.replies))
			}
		})
	}
}
