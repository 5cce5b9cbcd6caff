package recursion

import (
	"slices"

	"trawl/agent/llm"
	"trawl/internal/transcript"
	"trawl/trajectory"
)

// A conversation is that of a round, ready for the request of a summary: what
// comes before the first reply (the rules, the question, what the round was told
// of earlier ones), and exchanges, each a reply and what answered it.
type conversation struct {
	head      []trajectory.Message
	exchanges [][]trajectory.Message
}

// closed returns the conversation of t with each call answered. What the last
// turn asked for without getting a reply is left out, since it asks for an answer
// and not for a summary.
func closed(t *trajectory.Trajectory) conversation {
	ms := transcript.Closed(t.Messages, render("closed", nil))
	var c conversation
	for i, m := range ms {
		n := len(c.exchanges)
		switch {
		case m.Role == llm.Assistant:
			c.exchanges = append(c.exchanges, []trajectory.Message{m})
		case n == 0:
			c.head = append(c.head, m)
		case i == len(ms)-1 && m.Role == llm.User && !transcript.IsObservation(m):
		default:
			c.exchanges[n-1] = append(c.exchanges[n-1], m)
		}
	}
	return c
}

// A fit is how much of a conversation is left out: the oldest results, then the
// oldest exchanges. The zero value is nothing.
type fit struct{ stubs, dropped int }

// kept returns the messages that stay, results apart.
func (c *conversation) kept(f fit) []trajectory.Message {
	return slices.Concat(c.head, slices.Concat(c.exchanges[f.dropped:]...))
}

// wire returns what is sent.
func (c *conversation) wire(f fit, ask trajectory.Message) []llm.Message {
	return transcript.Wire(append(c.kept(f), ask), f.stubs)
}

// smaller returns the fit to try after f was too large, false if there is none:
// first without results, by the ladder of [transcript.More], then without half of
// the exchanges but the last, half of those that stay, and so on. Head and last
// exchange always stay.
func (c *conversation) smaller(f fit) (fit, bool) {
	if more := transcript.More(f.stubs, transcript.Observations(c.kept(f))); f.dropped == 0 && more > f.stubs {
		return fit{stubs: more}, true
	}
	left := len(c.exchanges) - 1 - f.dropped
	if left <= 0 {
		return f, false
	}
	return fit{stubs: f.stubs, dropped: f.dropped + (left+1)/2}, true
}
