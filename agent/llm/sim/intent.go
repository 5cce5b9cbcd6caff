package sim

import (
	"strconv"
	"strings"
)

// A model answers one request.
type model struct {
	traits      traits
	temperature float64
	key         int64 // hash of the request
	reasoning   Reasoning
	parses      *parseCache
}

// An intent is what a request asks of the model.
type intent uint8

const (
	intentChat  intent = iota // nothing that it knows
	intentAct                 // one turn of a research conversation: search or answer
	intentCall                // a tool call, whatever else
	intentFinal               // the answer, now
	intentPool                // a list of search queries
)

// intent reads what the conversation asks for from its last message.
func (c *conversation) intent() intent {
	last := strings.ToLower(c.last)
	switch {
	case c.mustCall:
		return intentCall
	case !c.native && c.turn == 1 && strings.Contains(last, "exactly ") && strings.Contains(last, "search quer"):
		return intentPool
	case c.native && c.toolsOff:
		return intentFinal
	case c.turn > 1 && strings.Contains(last, "final answer"):
		return intentFinal
	case c.turns > 0 && c.turn >= c.turns:
		return intentFinal
	case c.native || c.found || c.shelf.Len() > 0:
		return intentAct
	}
	return intentChat
}

// reply returns the raw text of the model's reply: with thinking, tags and tool
// calls in the marks that a server's parsers take out.
func (m *model) reply(c *conversation) string {
	intent := c.intent()
	if intent == intentChat {
		return chatReply
	}
	if m.traits.blind {
		return m.blindly(c, intent)
	}
	q := m.parses.understand(c.question)
	switch intent {
	case intentPool:
		return m.pool(c, q)
	case intentCall:
		return m.search(c, nil, m.firstQuery(q), "I am to call a tool.")
	case intentFinal:
		return m.final(c, q)
	default:
		return m.act(c, q)
	}
}

// blindly makes a query that was not made before, or the answer that is asked
// for, whatever the question and the passages say.
func (m *model) blindly(c *conversation, i intent) string {
	switch i {
	case intentFinal:
		return "<answer>nothing was read</answer>"
	case intentPool:
		return "1. " + c.question
	default:
		return m.search(c, nil, c.question+" "+strconv.Itoa(c.turn), "One more query.")
	}
}

// chatReply answers what the model has no rules for.
const chatReply = "I am a simulated model. I answer questions from documents that a search tool finds."
