package transcript_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/transcript"
	"trawl/trajectory"
)

type message = trajectory.Message

func user(content string) message { return message{Role: "user", Content: content} }

// asks makes an assistant message that calls search with each id.
func asks(ids ...string) message {
	m := message{Role: "assistant", Content: "I search."}
	for _, id := range ids {
		m.ToolCalls = append(m.ToolCalls, trajectory.ToolCall{ID: id, Name: "search", Arguments: "{}"})
	}
	return m
}

func found(id, content string) message {
	return message{Role: "tool", ToolCallID: id, Name: "search", Content: content}
}

func TestClosed(t *testing.T) {
	fetch := func(id string) message {
		return message{Role: "assistant", ToolCalls: []trajectory.ToolCall{{ID: id, Name: "search"}, {ID: id, Name: "open"}}}
	}
	tests := []struct {
		name     string
		ms, want []message // no want: ms
	}{
		{name: "nothing"},
		{name: "no calls", ms: []message{{Role: "system", Content: "s"}, user("q"), asks()}},
		{name: "all answered", ms: []message{user("q"), asks("1", "2"), found("1", "a"), found("2", "b"), asks("1"), found("1", "c"), asks()}},
		{name: "all answered, in another order", ms: []message{user("q"), asks("1", "2"), found("2", "b"), found("1", "a"), asks()}},
		{"the first of two is answered",
			[]message{user("q"), asks("1", "2"), found("1", "a"), user("next")},
			[]message{user("q"), asks("1", "2"), found("1", "a"), found("2", "none"), user("next")}},
		{"the last of three is answered",
			[]message{user("q"), asks("1", "2", "3"), found("3", "c"), asks()},
			[]message{user("q"), asks("1", "2", "3"), found("3", "c"), found("1", "none"), found("2", "none"), asks()}},
		{"a call at the end",
			[]message{user("q"), asks("1")},
			[]message{user("q"), asks("1"), found("1", "none")}},
		{"an answer that comes too late",
			[]message{user("q"), asks("1"), user("next"), found("1", "a")},
			[]message{user("q"), asks("1"), found("1", "none"), user("next")}},
		{"an answer to no call",
			[]message{user("q"), found("1", "a"), asks("1"), found("2", "b"), found("1", "c")},
			[]message{user("q"), asks("1"), found("1", "c")}},
		{"two answers to one call",
			[]message{user("q"), asks("1"), found("1", "a"), found("1", "b")},
			[]message{user("q"), asks("1"), found("1", "a")}},
		{"two calls with one id, one answer",
			[]message{user("q"), asks("1", "1"), found("1", "a")},
			[]message{user("q"), asks("1", "1"), found("1", "a"), found("1", "none")}},
		{"calls without ids",
			[]message{user("q"), asks("", "1", ""), found("", "a"), found("1", "b"), asks(""), found("", "c")},
			[]message{user("q"), asks("c00000001", "1", "c00000002"), found("c00000001", "a"), found("1", "b"), found("c00000002", "none"), asks("c00000003"), found("c00000003", "c")}},
		{"calls without ids, beside one that has such an id",
			[]message{user("q"), asks(""), asks("c00000001"), found("c00000001", "a")},
			[]message{user("q"), asks("c00000002"), found("c00000002", "none"), asks("c00000001"), found("c00000001", "a")}},
		{"calls without ids, answered by name",
			[]message{fetch(""), {Role: "tool", Name: "open", Content: "a"}, {Role: "tool", Content: "b"}, {Role: "tool", Name: "other", Content: "c"}},
			[]message{
				{Role: "assistant", ToolCalls: []trajectory.ToolCall{{ID: "c00000001", Name: "search"}, {ID: "c00000002", Name: "open"}}},
				{Role: "tool", Name: "open", ToolCallID: "c00000002", Content: "a"}, {Role: "tool", ToolCallID: "c00000001", Content: "b"}}},
		{"an answer without an id to a call that has one",
			[]message{user("q"), asks("1"), found("", "a")},
			[]message{user("q"), asks("1"), found("1", "a")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := clone(tt.ms)
			got := transcript.Closed(tt.ms, "none")
			want := tt.want
			if want == nil {
				want = tt.ms
				if len(got) > 0 && &got[0] != &tt.ms[0] {
					t.Error("messages that need no change were copied")
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("messages mismatch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, tt.ms); diff != "" {
				t.Errorf("Closed changed what it was given (-before +after):\n%s", diff)
			}
			if again := transcript.Closed(got, "none"); len(got) > 0 && &again[0] != &got[0] {
				t.Error("a closed conversation is closed again")
			}
		})
	}
}

func clone(ms []message) []message {
	out := slices.Clone(ms)
	for i := range out {
		out[i].ToolCalls = slices.Clone(out[i].ToolCalls)
	}
	return out
}

func TestMore(t *testing.T) {
	for n, want := range [][]int{{0}, {1}, {1, 2}, {1, 2, 3}, {2, 3, 4}, {2, 4, 5}} {
		var got []int
		for have := 0; ; {
			have = transcript.More(have, n)
			if got = append(got, have); have == n {
				break
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the ladder for %d observations mismatch (-want +got):\n%s", n, diff)
		}
	}
}
