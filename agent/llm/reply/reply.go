// Package reply reads what a model's response says: calls of tools, an answer,
// thinking, or nothing. [Parse] makes a [Reply] of a response, [Fallback] guesses
// an answer from text that kept no format.
//
// Models and servers keep to no format. What a reply says is read in layers, by
// rules that the functions give, and everything that had to be mended is
// recorded; the names are in repairs.go. Marks such as (A1), (B5) and (D2), here
// and in package agent, name kinds of failure that people reported of such
// systems, and the tests that replay them: A calls and arguments, B reasoning,
// C limits, D loops.
//
// # Departures
//
// Search-R1's (arXiv:2503.09516) rule that the first action of a reply decides
// is kept, but an empty answer is none, and a search is read from its innermost
// tags. The last resort for an answer of DivInit (arXiv:2606.17209), the first
// 500 characters of a reply, is left out.
//
// All functions are safe for concurrent use. They keep nothing, and change
// nothing that they are given.
package reply

import (
	"slices"
	"strings"

	"trawl/agent/llm"
)

// A Form is how a model was told to write its calls and its answer.
type Form uint8

// The forms.
const (
	Native Form = iota // calls apart from the text, the answer in <answer>
	Tags               // <search> and <answer> in plain text
)

// A Reply is what a model's response says: calls, or an answer, or neither.
type Reply struct {
	Reasoning string // thinking that the server told apart
	Thought   string // thinking, and text before the action, that stood in the content
	Said      string // the content without thinking, calls and made-up results
	Full      string // the content without thinking
	Calls     []Call
	Answer    string
	Tagged    bool // the answer stood in a tag or on a line of its own
	Repairs   []string
}

// Empty reports whether the reply says nothing: the model stopped, or was
// stopped, inside its thinking. (B5, B6, B7)
func (r Reply) Empty() bool { return r.Said == "" && r.Answer == "" && len(r.Calls) == 0 }

// Thinking returns all thinking of the reply.
func (r Reply) Thinking() string { return Join(r.Reasoning, r.Thought) }

// Parse reads a response. The places are looked at in this order, and the first
// that holds a call or an answer decides: the structured calls; the content,
// where the first action stands for all (Search-R1's rule); and, only if there
// is nothing else, the reasoning, where the last action does, since drafts come
// before it.
func Parse(resp *llm.Response, f Form) Reply {
	s := splitReasoning(resp.Message, f)
	r := Reply{Reasoning: s.reasoning, Thought: s.thought, Said: s.text, Full: s.text}
	var a actions
	a.reader.repairs = s.repairs
	a.form, a.stopped = f, resp.Finish != "length"
	switch {
	case len(resp.Message.ToolCalls) > 0:
		a.structured(resp.Message.ToolCalls)
	case s.text != "":
		a.content(s.text)
		r.Said = a.before
		if f == Tags && (len(a.reader.calls) > 0 || a.answer != "") {
			r.Thought, r.Said = Join(r.Thought, a.before), ""
		}
	default:
		a.fromReasoning(s)
	}
	r.Calls, r.Answer, r.Tagged = a.reader.calls, a.answer, a.tagged
	r.Repairs = unique(a.reader.repairs)
	return r
}

// unique drops repeated names and keeps the order.
func unique(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// actions reads one place of a reply.
type actions struct {
	form    Form
	stopped bool // the model ended by itself or at a stop text
	reader  callReader
	answer  string
	tagged  bool
	before  string // the text before the action, or all text if there is none
}

func (a *actions) note(repair string) { a.reader.note(repair) }

// structured reads the calls that the server read. (A1, A16)
func (a *actions) structured(calls []llm.ToolCall) {
	for _, c := range calls[:min(len(calls), MaxRead+1)] {
		var j jsonReader
		args, encoded := map[string]any{}, false
		if strings.TrimSpace(c.Arguments) != "" {
			v, err := j.value(c.Arguments)
			if err != nil {
				v = c.Arguments
			}
			args, encoded = j.object(v)
		}
		if encoded {
			a.note(repairEncoded)
		}
		a.reader.add(Call{Name: c.Name, Args: args}, j)
	}
}

// content reads the first action of a text.
func (a *actions) content(s string) {
	s = a.dropOwnResults(s)
	ts := tags(s)
	fenceAt, fenceBody := findFence(s)
	at, found := a.firstTag(s, ts, fenceAt)
	if !found && fenceAt >= 0 {
		if found = a.reader.fence(fenceBody); found {
			at = fenceAt
		} else {
			at, found = a.firstTag(s, ts, -1)
		}
	}
	if !found && !a.reader.bareJSON(s) {
		a.before = s
		a.untagged(s)
		return
	}
	a.before = strings.TrimSpace(s[:at])
}

// untagged reads an answer that stands in no tag.
func (a *actions) untagged(s string) {
	if a.answer = lineAnswer(s); a.answer != "" {
		a.tagged = true
		return
	}
	if a.form != Native {
		return
	}
	if a.answer = declaredAnswer(s); a.answer == "" {
		a.answer = shortAnswer(s)
	}
}

// firstTag reads the first action in tags, if it begins before limit (-1 for
// none), and returns where it begins.
func (a *actions) firstTag(s string, ts []tag, limit int) (at int, found bool) {
	var open *tag
	for i := range ts {
		t := &ts[i]
		if limit >= 0 && t.start > limit && open == nil {
			return 0, false
		}
		switch {
		case !t.close && (t.name == "tool_call" || t.name == "function") && open == nil:
			if a.reader.markup(s, ts[i:]) {
				return t.start, true
			}
		case !t.close && (t.name == "search" || t.name == "answer"):
			open = t
		case open == nil:
		case t.close && t.name == open.name:
			if t.escaped {
				a.note(repairCloser)
			}
			if a.take(*open, s[open.end:t.start]) {
				return open.start, true
			}
			open = nil
		case isResults(*t):
			a.note(repairUnclosed)
			if a.take(*open, s[open.end:t.start]) {
				return open.start, true
			}
			open = nil
		}
	}
	if open != nil && a.unclosed(s, *open) {
		return open.start, true
	}
	return 0, false
}

// unclosed takes a search or an answer that runs to the end of the text: a stop
// text ended it, which servers do not send. One that the token limit ended is
// no action, since nobody knows how it goes on, unless its closing tag had begun.
func (a *actions) unclosed(s string, open tag) bool {
	body, closing := withoutPartialTag(s[open.end:], open.name)
	if !a.stopped && !closing {
		return false
	}
	if a.form == Native || closing {
		a.note(repairUnclosed)
	}
	return a.take(open, body)
}

// withoutPartialTag returns s without the beginning of a closing tag at its end,
// such as "</ans", and whether there is one.
func withoutPartialTag(s, name string) (rest string, found bool) {
	at := strings.LastIndex(s, "</")
	if at < 0 || !strings.HasPrefix("</"+name+">", strings.ToLower(strings.TrimSpace(s[at:]))) {
		return s, false
	}
	return s[:at], true
}

// take keeps a search, or an answer that is one.
func (a *actions) take(open tag, body string) bool {
	if open.name == "search" {
		a.reader.searchTag(body)
		if a.form == Native {
			a.note(repairSearchTag)
		}
		return true
	}
	a.answer = Clean(body)
	a.tagged = a.answer != ""
	return a.tagged
}

// dropOwnResults removes results that the model made up before its first
// action, up to the end if they are not closed; those after it are not read. (D8)
func (a *actions) dropOwnResults(s string) string {
	var b strings.Builder
	from, open := 0, -1
	for _, t := range tags(s) {
		switch {
		case isResults(t) && !t.close && open < 0:
			open = t.start
		case isResults(t) && t.close && open >= 0:
			b.WriteString(s[from:open])
			from, open = t.end, -1
		case !isResults(t) && t.name != "think" && open < 0:
			if from == 0 {
				return s
			}
			a.note(repairOwnResults)
			b.WriteString(s[from:])
			return b.String()
		}
	}
	if from == 0 && open < 0 {
		return s
	}
	a.note(repairOwnResults)
	if open < 0 {
		open = len(s)
	}
	b.WriteString(s[from:open])
	return strings.TrimSpace(b.String())
}

// isResults reports whether t is a tag around results, which only the program writes.
func isResults(t tag) bool { return t.name == "information" || t.name == "tool_response" }

// maxBareWords is how many words of reasoning may be an answer by themselves; a
// model that stopped in the middle of its thinking has written more. (B3, B5)
const maxBareWords = 4

// fromReasoning reads a reply that has reasoning and nothing else: a call that
// was written there (A7), or an answer that the server took for reasoning (B3).
// A model that was cut off in its thinking has not answered (B6, B7).
func (a *actions) fromReasoning(s split) {
	thinking := Join(s.reasoning, s.thought)
	if thinking == "" {
		return
	}
	inner := actions{form: a.form, stopped: a.stopped}
	inner.content(lastAction(thinking))
	if !a.stopped || slices.Contains(s.repairs, repairThinkClose) || !inner.tagged && len(strings.Fields(thinking)) > maxBareWords {
		inner.answer = ""
	}
	switch {
	case len(inner.reader.calls) > 0:
		a.reader.calls = inner.reader.calls
		a.reader.repairs = append(a.reader.repairs, inner.reader.repairs...)
		a.note(repairReasonCall)
	case inner.answer != "":
		a.answer, a.tagged = inner.answer, inner.tagged
		a.note(repairReasonText)
	}
}

// lastAction returns s from the last tag on that opens an action, or s. Tags
// between those of a call are its arguments.
func lastAction(s string) string {
	at, inCall := 0, false
	for _, t := range tags(s) {
		switch {
		case t.name == "tool_call":
			if inCall = !t.close; inCall {
				at = t.start
			}
		case t.close || inCall:
		case t.name == "search" || t.name == "answer" || t.name == "function":
			at = t.start
		}
	}
	return s[at:]
}
