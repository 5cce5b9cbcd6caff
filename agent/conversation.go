package agent

import (
	"strings"

	"trawl/agent/llm"
	"trawl/trajectory"
)

// stub stands in a request for the results of an earlier call that do not fit.
const stub = "[earlier results removed]"

// wire returns a conversation as it is sent, with the oldest stubs of its
// observations, and the reasoning before them, left out; everything else, the
// question above all, stays. Neighbours from the user become one message: many
// chat templates want the roles to alternate. (A9, C4)
func wire(ms []trajectory.Message, stubs int) []llm.Message {
	out := make([]llm.Message, 0, len(ms))
	last := nthObservation(ms, stubs)
	for i, m := range ms {
		w := llm.Message{Role: m.Role, Content: m.Content, Reasoning: m.Reasoning, ToolCallID: m.ToolCallID, Name: m.Name}
		for _, c := range m.ToolCalls {
			w.ToolCalls = append(w.ToolCalls, llm.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
		}
		if i <= last {
			w.Reasoning = ""
			if isObservation(m) {
				w.Content = stubFor(m)
			}
		}
		if n := len(out); n > 0 && w.Role == llm.User && out[n-1].Role == llm.User {
			out[n-1].Content += "\n\n" + w.Content
			continue
		}
		out = append(out, w)
	}
	return out
}

func isObservation(m trajectory.Message) bool {
	return m.Role == llm.ToolRole || m.Role == llm.User && strings.HasPrefix(m.Content, informationOpen)
}

func stubFor(m trajectory.Message) string {
	if m.Role == llm.ToolRole {
		return stub
	}
	return informationOpen + stub + informationClose
}

// observations counts the messages that hold results.
func observations(ms []trajectory.Message) int {
	n := 0
	for _, m := range ms {
		if isObservation(m) {
			n++
		}
	}
	return n
}

// nthObservation returns the index of the n-th observation, -1 for n = 0.
func nthObservation(ms []trajectory.Message, n int) int {
	last := -1
	for i, m := range ms {
		if n > 0 && isObservation(m) {
			last = i
			n--
		}
	}
	return last
}

// moreStubs returns how many of n observations to leave out after have were not
// enough: half of them, then all but the newest, then all; have if there are no
// more. It is a fixed ladder that each turn climbs from its foot, so that a
// resumed rollout sends what an uninterrupted one sends.
func moreStubs(have, n int) int {
	switch {
	case have < n/2:
		return n / 2
	case have < n-1:
		return n - 1
	}
	return n
}
