// Package transcript holds what is done with the messages of a rollout on their
// way to a model: [Wire] turns them into those of a request, without the results
// that do not fit, and [Closed] gives each call its answer. Marks such as (A9)
// are those of package reply.
//
// All functions are safe for concurrent use and change nothing that they are
// given.
package transcript

import (
	"encoding/json"
	"strings"

	"trawl/agent/llm"
	"trawl/internal/text"
	"trawl/trajectory"
)

// What opens and closes the results in a message of the user's, where there are
// no messages of tools.
const (
	InformationOpen  = "<information>\n"
	InformationClose = "\n</information>"
)

// stub stands in a request for the results of an earlier call that do not fit.
const stub = "[earlier results removed]"

// Wire returns a conversation as it is sent, with the oldest stubs of its
// observations, and the reasoning before them, left out; everything else, the
// question above all, stays. It has the form that chat templates want, whoever
// recorded it: neighbours from the user become one message, and so do those from
// the assistant, of which none is empty; arguments of calls are a JSON object.
// (A9, A12, A15, C4)
func Wire(ms []trajectory.Message, stubs int) []llm.Message {
	out := make([]llm.Message, 0, len(ms))
	last := nthObservation(ms, stubs)
	for i, m := range ms {
		w := llm.Message{Role: m.Role, Content: m.Content, Reasoning: m.Reasoning, ToolCallID: m.ToolCallID, Name: m.Name}
		for _, c := range m.ToolCalls {
			w.ToolCalls = append(w.ToolCalls, llm.ToolCall{ID: c.ID, Name: c.Name, Arguments: object(c.Arguments)})
		}
		if i <= last {
			w.Reasoning = ""
			if IsObservation(m) {
				w.Content = stubFor(m)
			}
		}
		switch {
		case w.Role == llm.Assistant && w.Content == "" && w.Reasoning == "" && len(w.ToolCalls) == 0:
		case len(out) > 0 && joins(out[len(out)-1], w):
			join(&out[len(out)-1], w)
		default:
			out = append(out, w)
		}
	}
	return out
}

// joins reports whether two neighbours become one message.
func joins(before, after llm.Message) bool {
	return before.Role == after.Role && (after.Role == llm.User || after.Role == llm.Assistant && len(before.ToolCalls) == 0)
}

func join(m *llm.Message, after llm.Message) {
	m.Content = paragraphs(m.Content, after.Content)
	m.Reasoning = paragraphs(m.Reasoning, after.Reasoning)
	m.ToolCalls = append(m.ToolCalls, after.ToolCalls...)
}

func paragraphs(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// object returns the arguments of a call if they are a JSON object, and else one
// that holds them.
func object(arguments string) string {
	trimmed := strings.TrimSpace(arguments)
	switch {
	case trimmed == "":
		return "{}"
	case trimmed[0] == '{' && json.Valid([]byte(trimmed)):
		return arguments
	}
	held, err := text.JSON(map[string]string{"input": arguments})
	if err != nil {
		panic("transcript: a text is not JSON: " + err.Error())
	}
	return string(held)
}

// IsObservation reports whether m holds results.
func IsObservation(m trajectory.Message) bool {
	return m.Role == llm.ToolRole || m.Role == llm.User && strings.HasPrefix(m.Content, InformationOpen)
}

func stubFor(m trajectory.Message) string {
	if m.Role == llm.ToolRole {
		return stub
	}
	return InformationOpen + stub + InformationClose
}

// Observations counts the messages that hold results.
func Observations(ms []trajectory.Message) int {
	n := 0
	for _, m := range ms {
		if IsObservation(m) {
			n++
		}
	}
	return n
}

// nthObservation returns the index of the n-th observation, -1 for n = 0.
func nthObservation(ms []trajectory.Message, n int) int {
	last := -1
	for i, m := range ms {
		if n > 0 && IsObservation(m) {
			last = i
			n--
		}
	}
	return last
}

// More returns how many of n observations to leave out after have were not
// enough: half of them, then all but the newest, then all; have if there are no
// more. It is a fixed ladder that each turn climbs from its foot, so that a
// resumed rollout sends what an uninterrupted one sends.
func More(have, n int) int {
	switch {
	case have < n/2:
		return n / 2
	case have < n-1:
		return n - 1
	}
	return n
}
