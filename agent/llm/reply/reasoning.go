package reply

import (
	"strings"

	"trawl/agent/llm"
)

// split tells the reasoning of a message from what it says, whatever the server
// made of the two: thinking may stand in its own field, in tags inside the
// content, behind an opening tag that the chat template wrote, or before a
// closing tag that never came. (Field reports B1, B2, B6, B9.)
type split struct {
	reasoning string // as the server told it apart
	thought   string // as it stood in the content
	text      string // the rest of the content
	repairs   []string
}

func splitReasoning(m llm.Message, f Form) split {
	s := split{reasoning: strings.TrimSpace(m.Reasoning)}
	content := m.Content
	if f == Tags {
		content = s.cutAfterAction(content)
	}
	content = s.cutEndToken(content)
	s.splitContent(content)
	if f == Native && s.thought != "" && len(s.repairs) == 0 {
		s.repairs = append(s.repairs, repairThinkSplit)
	}
	return s
}

// cutAfterAction drops what follows the first action that is closed: with stop
// texts a server never sends it, and without them it is what the model made up.
// It comes before the thinking is told apart, because made-up text may close it.
// (D8)
func (s *split) cutAfterAction(content string) string {
	madeUp := false
	for _, t := range tags(content) {
		if isResults(t) {
			madeUp = !t.close
		}
		if madeUp || !t.close || t.name != "search" && t.name != "answer" {
			continue
		}
		if t.escaped {
			s.repairs = append(s.repairs, repairCloser)
		}
		if strings.TrimSpace(content[t.end:]) != "" {
			s.repairs = append(s.repairs, repairAfterAction)
		}
		return content[:t.end]
	}
	return content
}

// endTokens end a message in the chat templates in use.
var endTokens = []string{"<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|end_of_text|>", "<end_of_turn>", "</s>", "<|user|>", "<|observation|>"}

func (s *split) cutEndToken(content string) string {
	for _, token := range endTokens {
		if i := strings.Index(content, token); i >= 0 {
			content = content[:i]
			s.repairs = append(s.repairs, repairEndToken)
		}
	}
	return content
}

func (s *split) splitContent(content string) {
	var thoughts []string
	var text strings.Builder
	from, thinking, seen := 0, false, false
	for _, t := range tags(content) {
		if t.name != "think" {
			continue
		}
		piece := content[from:t.start]
		switch {
		case !seen && t.close: // the template wrote the opening tag
			thoughts = append(thoughts, piece)
			if strings.TrimSpace(piece) != "" {
				s.repairs = append(s.repairs, repairThinkOpen)
			}
		case thinking:
			thoughts = append(thoughts, piece)
		default:
			text.WriteString(piece)
		}
		thinking, seen, from = !t.close, true, t.end
	}
	if thinking {
		thoughts = append(thoughts, content[from:])
		s.repairs = append(s.repairs, repairThinkClose)
	} else {
		text.WriteString(content[from:])
	}
	s.thought = Join(thoughts...)
	s.text = strings.TrimSpace(text.String())
}

// AfterThinking returns what a text says behind its thinking, trimmed: what
// follows the last closing tag of it, up to an opening one that is never closed.
// It is the whole text if there is neither.
func AfterThinking(content string) string {
	from, to := Spoken(content)
	return strings.TrimSpace(content[from:to])
}

// Spoken returns where in a text that of [AfterThinking] begins and ends, blanks
// around it included.
func Spoken(content string) (from, to int) {
	from, to = 0, len(content)
	for _, t := range tags(content) {
		switch {
		case t.name != "think":
		case t.close:
			from, to = t.end, len(content)
		case to == len(content):
			to = t.start
		}
	}
	return from, to
}

// Join joins the texts that are not blank, trimmed, one a line.
func Join(texts ...string) string {
	var kept []string
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, "\n")
}
