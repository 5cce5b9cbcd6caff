package transcript_test

import (
	"strings"
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

// TestWireForm: what other programs recorded is sent in the form that templates
// want.
func TestWireForm(t *testing.T) {
	call := func(arguments string) message {
		return message{Role: "assistant", ToolCalls: []trajectory.ToolCall{{ID: "1", Name: "search", Arguments: arguments}}}
	}
	tests := []struct {
		name string
		ms   []message
		want string // role, content and arguments
	}{
		{"an empty reply", []message{user("q"), {Role: "assistant"}, user("again")}, "user q\n\nagain"},
		{"a thought", []message{user("q"), {Role: "assistant", Reasoning: "hm"}, user("again")}, "user q | assistant  | user again"},
		{"two replies", []message{user("q"), asks(), asks(), user("end")}, "user q | assistant I search.\n\nI search. | user end"},
		{"a reply before a call", []message{user("q"), asks(), call(`{"query":"a"}`), found("1", "x")}, `user q | assistant I search. {"query":"a"} | tool x`},
		{"calls of two replies stay apart", []message{user("q"), asks("1"), found("1", "a"), asks("2"), found("2", "b")},
			"user q | assistant I search. {} | tool a | assistant I search. {} | tool b"},
		{"arguments cut off", []message{user("q"), call(`{"query": broken`)}, `user q | assistant  {"input":"{\"query\": broken"}`},
		{"arguments that are a text", []message{user("q"), call(`"a"`)}, `user q | assistant  {"input":"\"a\""}`},
		{"no arguments", []message{user("q"), call(" ")}, `user q | assistant  {}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, m := range transcript.Wire(tt.ms, 0) {
				s := m.Role + " " + m.Content
				for _, c := range m.ToolCalls {
					s += " " + c.Arguments
				}
				got = append(got, s)
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, " | ")); diff != "" {
				t.Errorf("wire (-want +got):\n%s", diff)
			}
		})
	}
}
