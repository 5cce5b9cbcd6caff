package recursion

import (
	"trawl/agent/llm"
	"trawl/internal/transcript"
	"trawl/trajectory"
)

// conversation returns that of the round of t, each call answered. What the last
// turn asked for without getting a reply is left out, since it asks for an answer
// and not for a summary.
func conversation(t *trajectory.Trajectory) transcript.Conversation {
	ms := transcript.Closed(t.Messages, render("closed", nil))
	last := len(ms) - 1
	if last > 0 && ms[last].Role == llm.User && !transcript.IsObservation(ms[last]) && replied(ms) {
		ms = ms[:last]
	}
	return transcript.Split(ms)
}

func replied(ms []trajectory.Message) bool {
	for _, m := range ms {
		if m.Role == llm.Assistant {
			return true
		}
	}
	return false
}
