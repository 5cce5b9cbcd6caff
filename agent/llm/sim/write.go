package sim

import (
	"strconv"
	"strings"

	"trawl/agent/llm/sim/internal/reader"
	"trawl/internal/text"
)

// search writes a reply that searches. The facts that were found since the last
// reply are noted down first, so that later turns can rely on them.
func (m *model) search(c *conversation, facts []reader.Fact, query, thought string) string {
	thought = strings.TrimSpace(c.news(facts) + thought)
	if m.hazard(m.traits.malformed, "malformed") && !c.mustCall {
		return m.brokenSearch(c, thought, query)
	}
	if !c.native {
		return thinkOpen + thought + thinkClose + "\n<search>" + query + "</search>"
	}
	return m.prelude(c, thought) + callText(c.tool, query)
}

// callText writes a tool call in the Hermes form.
func callText(t searchTool, query string) string {
	args := map[string]any{t.argument: query}
	if t.list {
		args[t.argument] = []string{query}
	}
	return call(t.name, args)
}

// call writes a call of any tool in the Hermes form.
func call(name string, args map[string]any) string {
	return callOpen + "\n" + marshal(struct {
		Name      string         `json:"name"`
		Arguments map[string]any `json:"arguments"`
	}{name, args}) + "\n" + callClose
}

func marshal(v any) string {
	data, err := text.JSON(v)
	if err != nil {
		return "{}" // strings and lists of strings always encode
	}
	return string(data)
}

// brokenSearch writes the search in one of the ways in which models break the
// format.
func (m *model) brokenSearch(c *conversation, thought, query string) string {
	r := m.rand("broken").IntN(3)
	if c.native {
		if r == 0 {
			return m.prelude(c, thought) + "I will search for: " + query
		}
		return m.prelude(c, thought) + strings.TrimSuffix(callText(c.tool, query), callClose)
	}
	switch r {
	case 0:
		return thinkOpen + thought + thinkClose + "\n<search>" + query
	case 1:
		return thought + "\nsearch: " + query
	default:
		return thinkOpen + thought + "\n<search>" + query + "</search>"
	}
}

// answer writes a reply that answers.
func (m *model) answer(c *conversation, facts []reader.Fact, answer string, guessed bool) string {
	verdict := "That answers the question."
	if guessed {
		verdict = "I have to guess."
	}
	thought := strings.TrimSpace(c.news(facts) + verdict)
	if c.turn > 1 && m.hazard(m.traits.malformed, "malformed") {
		return thought + "\nThe answer is " + answer + "."
	}
	tagged := "Confidence: " + strconv.Itoa(m.confidence(c, facts, guessed)) + "%\n<answer>" + answer + "</answer>"
	if !c.native {
		return thinkOpen + thought + thinkClose + "\n" + tagged
	}
	return m.prelude(c, thought) + tagged
}

// prelude writes the thinking of a reply with tools: in marks where the server
// takes them out or leaves them in, else as plain text.
func (m *model) prelude(c *conversation, thought string) string {
	if m.reasoning == ReasoningNone || !c.thinking {
		return thought + "\n"
	}
	return thinkOpen + "\n" + thought + "\n" + thinkClose + "\n\n"
}

// news returns the sentences for facts that no reply has noted down yet.
func (c *conversation) news(facts []reader.Fact) string {
	var b strings.Builder
	for _, f := range facts {
		if f.Recalled {
			continue
		}
		s := f.Sentence()
		if !strings.Contains(c.notes, s) && !strings.Contains(b.String(), s) {
			b.WriteString(s + "\n")
		}
	}
	return b.String()
}
