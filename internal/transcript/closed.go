package transcript

import (
	"fmt"

	"trawl/agent/llm"
	"trawl/trajectory"
)

// Closed returns ms in which each tool call of an assistant message is answered
// exactly once, by a tool message before the next message of assistant or user,
// as servers insist on. A call without an answer gets one that says shown,
// behind the answers that are there; a tool message that answers no call, or one
// that is answered, is left out. Calls without an id get one, c00000001 and so on
// (Mistral's templates insist on nine letters and digits); a tool message without
// one answers the first open call of its name. If nothing has to change, Closed
// returns ms itself.
func Closed(ms []trajectory.Message, shown string) []trajectory.Message {
	c := closing{taken: map[string]bool{}, shown: shown}
	for _, m := range ms {
		for _, call := range m.ToolCalls {
			c.taken[call.ID] = true
		}
	}
	for _, m := range ms {
		switch m.Role {
		case llm.ToolRole:
			c.answer(m)
			continue
		case llm.Assistant:
			c.close()
			m = c.ask(m)
		case llm.User:
			c.close()
		}
		c.out = append(c.out, m)
	}
	c.close()
	if !c.changed {
		return ms
	}
	return c.out
}

// A closing is a conversation being closed.
type closing struct {
	out     []trajectory.Message
	open    []trajectory.ToolCall // calls of the last assistant message without an answer
	taken   map[string]bool       // ids of calls
	given   int                   // the number of the last id that was made
	shown   string
	changed bool
}

// ask opens the calls of m, and returns m with an id for each.
func (c *closing) ask(m trajectory.Message) trajectory.Message {
	calls := make([]trajectory.ToolCall, 0, len(m.ToolCalls))
	for _, call := range m.ToolCalls {
		if call.ID == "" {
			call.ID = c.newID()
			c.changed = true
		}
		calls = append(calls, call)
	}
	if len(calls) > 0 {
		m.ToolCalls = calls
	}
	c.open = append(c.open, calls...)
	return m
}

// newID returns an id that no call of the conversation has.
func (c *closing) newID() string {
	for {
		c.given++
		if id := fmt.Sprintf("c%08d", c.given); !c.taken[id] {
			return id
		}
	}
}

// answer keeps m if it answers an open call.
func (c *closing) answer(m trajectory.Message) {
	for i, call := range c.open {
		if m.ToolCallID != call.ID && (m.ToolCallID != "" || m.Name != "" && m.Name != call.Name) {
			continue
		}
		if m.ToolCallID == "" {
			m.ToolCallID = call.ID
			c.changed = true
		}
		c.open = append(c.open[:i:i], c.open[i+1:]...)
		c.out = append(c.out, m)
		return
	}
	c.changed = true
}

// close answers the calls that are open.
func (c *closing) close() {
	for _, call := range c.open {
		c.out = append(c.out, trajectory.Message{Role: llm.ToolRole, ToolCallID: call.ID, Name: call.Name, Content: c.shown})
		c.changed = true
	}
	c.open = nil
}
