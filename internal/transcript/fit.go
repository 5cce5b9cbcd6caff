package transcript

import (
	"slices"

	"trawl/agent/llm"
	"trawl/trajectory"
)

// removed stands in the place of exchanges that are left out.
const removed = "[earlier steps removed]"

// A Conversation is that of a rollout, so split that parts of it can be left out:
// what comes before the first reply (the rules, the question, what a round is
// told of earlier ones), and exchanges, each a reply and what answered it.
type Conversation struct {
	head      []trajectory.Message
	exchanges [][]trajectory.Message
}

// Split splits messages, which it does not change.
func Split(ms []trajectory.Message) Conversation {
	var c Conversation
	for _, m := range ms {
		n := len(c.exchanges)
		switch {
		case m.Role == llm.Assistant:
			c.exchanges = append(c.exchanges, []trajectory.Message{m})
		case n == 0:
			c.head = append(c.head, m)
		default:
			c.exchanges[n-1] = append(c.exchanges[n-1], m)
		}
	}
	return c
}

// A Fit is how much of a conversation is left out for a model whose context is
// small: the oldest results, then the oldest exchanges. The zero value is nothing.
type Fit struct{ Stubs, Dropped int }

// Smaller returns the fit to try after f was too large, false if there is none:
// first without results, by the ladder of [More], then without half of the
// exchanges but the last, half of those that stay, and so on. What comes before
// the first reply and the last exchange always stay.
func (c Conversation) Smaller(f Fit) (Fit, bool) {
	if f.Dropped == 0 {
		if more := More(f.Stubs, Observations(c.Messages(f))); more > f.Stubs {
			return Fit{Stubs: more}, true
		}
	}
	left := len(c.exchanges) - 1 - f.Dropped
	if left <= 0 {
		return f, false
	}
	return Fit{Stubs: f.Stubs, Dropped: f.Dropped + (left+1)/2}, true
}

// Messages returns what stays of the exchanges; results are for [Wire] to leave
// out.
func (c Conversation) Messages(f Fit) []trajectory.Message {
	head := c.head
	if f.Dropped > 0 {
		head = append(slices.Clip(head), trajectory.Message{Role: llm.User, Content: removed})
	}
	return slices.Concat(head, slices.Concat(c.exchanges[f.Dropped:]...))
}

// Wire returns what is sent of the conversation, with further messages behind it.
func (c Conversation) Wire(f Fit, further ...trajectory.Message) []llm.Message {
	return Wire(append(c.Messages(f), further...), f.Stubs)
}
