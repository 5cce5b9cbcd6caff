package aggregate

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"trawl/agent/llm"
	"trawl/agent/llm/reply"
	"trawl/internal/text"
	"trawl/internal/transcript"
	"trawl/trajectory"
)

// An exhibit is a trajectory as AggAgent's tools see it.
type exhibit struct {
	solution string
	steps    []step
	line     string // what the task says of it
}

// A step is a message of a trajectory.
type step struct {
	role      string
	content   string
	reasoning string
	calls     []call
}

// exhibits reads the trajectories, whose ids are their places counted from 1.
func exhibits(trajectories []*trajectory.Trajectory) []exhibit {
	out := make([]exhibit, len(trajectories))
	for i, t := range trajectories {
		ms := messagesOf(t)
		out[i] = exhibit{solution: prediction(t), steps: stepsOf(ms)}
		out[i].line = overview(i+1, ms, len(out[i].steps))
	}
	return out
}

// stepsOf returns the messages from the model's first one on.
func stepsOf(ms []trajectory.Message) []step {
	var steps []step
	for _, m := range ms {
		if len(steps) == 0 && m.Role != llm.Assistant {
			continue
		}
		s := step{role: m.Role, content: m.Content, reasoning: m.Reasoning}
		if observes(m) {
			s.role = llm.ToolRole
		}
		for _, c := range m.ToolCalls {
			s.calls = append(s.calls, callOf(c.Name, c.Arguments))
		}
		steps = append(steps, s)
	}
	return steps
}

// observes reports whether m holds results, however it is laid out.
func observes(m trajectory.Message) bool {
	return transcript.IsObservation(m) || m.Role == llm.User && strings.Contains(m.Content, strings.TrimSpace(transcript.InformationOpen))
}

// A used is a tool that a trajectory called.
type used struct {
	Name  string
	Count int
}

// overview returns the line of a trajectory in the task: its length, and how
// many of its messages call which tool first.
func overview(number int, ms []trajectory.Message, steps int) string {
	chars := 0
	counts := map[string]int{}
	for _, m := range ms {
		chars += utf8.RuneCountInString(m.Content) + utf8.RuneCountInString(m.Reasoning)
		for _, c := range m.ToolCalls {
			chars += utf8.RuneCountInString(c.Name) + utf8.RuneCountInString(c.Arguments)
		}
		if name := firstCall(m); name != "" {
			counts[name]++
		}
	}
	var tools []used
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		tools = append(tools, used{name, counts[name]})
	}
	return words("line", struct {
		Number, Steps, Tokens int
		Tools                 []used
	}{number, steps, chars / charsPerToken, tools})
}

// firstCall returns the tool that m calls first, whether the call stands apart
// from the text or in it, "" if it calls none.
func firstCall(m trajectory.Message) string {
	if m.Role != llm.Assistant {
		return ""
	}
	name := ""
	switch {
	case len(m.ToolCalls) > 0:
		name = m.ToolCalls[0].Name
	case strings.Contains(m.Content, "<"):
		resp := llm.Response{Message: llm.Message{Role: llm.Assistant, Content: m.Content}, Finish: "stop"}
		if calls := reply.Parse(&resp, reply.Tags).Calls; len(calls) > 0 {
			name = calls[0].Name
		}
	}
	return text.Collapse(name)
}
