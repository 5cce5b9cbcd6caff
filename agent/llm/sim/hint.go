package sim

import (
	"strings"

	"trawl/agent/llm/sim/internal/reader"
	"trawl/internal/text"
)

// A hint is what the model is told of work that is already done at its question. The
// documents in it are on the shelf of the conversation, as all that it is shown.
type hint struct {
	concluded *reader.Shelf // one passage for each conclusion, with the title of the document before it
	answer    string        // that a conclusion states outright; empty: none
}

// Marks of a hint.
const (
	hintMark       = "The beginning of the work on this question is already done:"
	conclusionMark = "Conclusion:"
	outrightMark   = "; the answer is "
)

// hintEase is by how much it is easier to take over a conclusion than to read a
// document: a conclusion is one sentence, but there are several.
const hintEase = 3

// readHint reads the conclusions of a hint out of a message; nil if it has none. Its
// marks count only at the beginning of lines that are no documents.
func readHint(message string) *hint {
	if !strings.Contains(message, hintMark) {
		return nil
	}
	h := &hint{}
	var passages []reader.Passage
	title, begun := "", false
	for line := range strings.SplitSeq(message, "\n") {
		if p, isDoc := readDoc(line); isDoc {
			title = p.Title
			continue
		}
		line = strings.TrimSpace(line)
		begun = begun || line == hintMark
		said, isConclusion := strings.CutPrefix(line, conclusionMark)
		if !begun || !isConclusion {
			continue
		}
		said, h.answer, _ = strings.Cut(text.Collapse(said), outrightMark)
		h.answer = strings.TrimSuffix(h.answer, ".")
		passages = append(passages, reader.Passage{Title: title, Text: strings.TrimSuffix(said, ".") + "."})
	}
	if len(passages) == 0 {
		return nil
	}
	h.concluded = reader.NewShelf(passages)
	return h
}

// concluded is a [reader.Recall]: what the hint concludes about a goal, unless the
// model overlooks it and reads the documents for itself.
func (m *model) concluded(c *conversation) reader.Recall {
	return func(g reader.Goal) []string {
		if c.hint == nil {
			return nil
		}
		claims := c.hint.concluded.Claims(g)
		if len(claims) == 0 || !m.manages(c, "hint|"+thingOf(g), hintEase) {
			return nil
		}
		return []string{claims[0].Value}
	}
}

// settle ends a plan that the hint tells the end of, unless the model overlooks that.
func (m *model) settle(c *conversation, s reader.Solution) reader.Solution {
	if !s.Done && c.hint != nil && c.hint.answer != "" && m.manages(c, "hint|"+c.hint.answer, hintEase) {
		s.Answer, s.Done = c.hint.answer, true
	}
	return s
}
