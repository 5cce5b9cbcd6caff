package llm_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
)

func TestWithoutThinking(t *testing.T) {
	type m = map[string]any
	off := m{"enable_thinking": false, "thinking": false}
	tests := []struct {
		name        string
		extra, want m
	}{
		{"nothing", nil, m{"chat_template_kwargs": off}},
		{"another key", m{"top_k": 20}, m{"top_k": 20, "chat_template_kwargs": off}},
		{"other arguments of the template", m{"chat_template_kwargs": m{"x": 1}}, m{"chat_template_kwargs": m{"x": 1, "enable_thinking": false, "thinking": false}}},
		{"thinking that is on", m{"chat_template_kwargs": m{"thinking": true}}, m{"chat_template_kwargs": off}},
		{"arguments that are none", m{"chat_template_kwargs": "all"}, m{"chat_template_kwargs": off}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := llm.WithoutThinking(tt.extra)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("WithoutThinking mismatch (-want +got):\n%s", diff)
			}
			got["new"] = true
			got["chat_template_kwargs"].(m)["new"] = true
			if given, ok := tt.extra["chat_template_kwargs"].(m); tt.extra["new"] != nil || ok && given["new"] != nil {
				t.Errorf("the result shares memory with %v", tt.extra)
			}
			if again := llm.WithoutThinking(tt.want); cmp.Diff(tt.want, again) != "" {
				t.Errorf("a second time gives %v", again)
			}
		})
	}
}
