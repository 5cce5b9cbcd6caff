package agent

import (
	"strings"

	"trawl/agent/llm"
	"trawl/agent/llm/reply"
)

// actionEntropy returns the mean entropy of the tokens of a reply's action: of all
// that it says behind its thinking, the calls above all. It is nil if the server
// gave no logprobs, if there is no such token, or if the tokens are not those of
// the reply: some servers leave out those of calls when they stream, and what is
// left of them says nothing about the choice.
func actionEntropy(resp *llm.Response) *float64 {
	if len(resp.Tokens) == 0 {
		return nil
	}
	var whole strings.Builder
	starts := make([]int, len(resp.Tokens))
	for i, t := range resp.Tokens {
		starts[i] = whole.Len()
		whole.WriteString(ascii(t.Text))
	}
	from, to, ok := actionIn(whole.String(), resp.Message)
	if !ok {
		return nil
	}
	var action []llm.Token
	says := false
	for i, t := range resp.Tokens {
		if starts[i] >= from && (starts[i] < to || to == whole.Len()) {
			action = append(action, t)
			says = says || strings.TrimSpace(t.Text) != ""
		}
	}
	h, ok := llm.MeanEntropy(action)
	if !ok || !says {
		return nil
	}
	return &h
}

// actionIn returns where the action of a message stands in the text of its tokens,
// both without all that is not ASCII: half letters are not what they are in the
// message. ok is false if it is not all there.
func actionIn(all string, m llm.Message) (from, to int, ok bool) {
	if !strings.Contains(all, ascii(strings.TrimSpace(m.Content))) {
		return 0, 0, false
	}
	from, to = reply.Spoken(all)
	if thought := ascii(strings.TrimSpace(m.Reasoning)); from == 0 && thought != "" {
		if at := strings.Index(all, thought); at >= 0 { // told apart by other marks, or by none
			from, to = at+len(thought), len(all)
		}
	}
	for _, c := range m.ToolCalls {
		if !strings.Contains(all[from:to], ascii(c.Name)) {
			return 0, 0, false
		}
	}
	return from, to, true
}

// ascii returns s without what is not ASCII.
func ascii(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x80 {
			return -1
		}
		return r
	}, s)
}
