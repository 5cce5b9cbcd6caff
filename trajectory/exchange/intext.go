package exchange

import (
	"fmt"
	"regexp"
	"strings"

	"trawl/agent/llm"
	"trawl/agent/llm/reply"
	"trawl/internal/text"
	"trawl/trajectory"
)

// Calls and results in the text of messages, as the programs that have no native
// tool calls write them:
//
//	<tool_call>{"name":…}</tool_call>             <tool_response>…</tool_response>             Tongyi, WebSailor, WebDancer, ParallelMuse
//	<search>…</search>                            <information>…</information>                 Search-R1
//	<|begin_of_query|>…<|end_of_query|>           <|begin_of_documents|>…<|end_of_documents|>  R1-Searcher
var (
	withoutMarks = strings.NewReplacer("<think>", "", "</think>", "")

	asSearch = strings.NewReplacer("<|begin_of_query|>", "<search>", "<|end_of_query|>", "</search>")
	callMark = regexp.MustCompile(`(?i)<(?:tool_call|search)\b`)
	blocks   = regexp.MustCompile(`(?s)<tool_response>(.*?)(?:</tool_response>|$)|<information>(.*?)(?:</information>|$)|<\|begin_of_documents\|>(.*?)(?:<\|end_of_documents\|>|$)`)
)

// called reads a reply: what it thinks, and its calls with ids that count them.
func called(said string) (thought string, calls []trajectory.ToolCall) {
	said = asSearch.Replace(said)
	if !callMark.MatchString(reply.AfterThinking(said)) {
		return strings.TrimSpace(withoutMarks.Replace(said)), nil
	}
	r := reply.Parse(&llm.Response{Message: llm.Message{Content: said}}, reply.Native)
	for i, c := range r.Calls {
		args, err := text.JSON(c.Args)
		if err != nil || c.Name == "" { // markup that names no tool is no call
			continue
		}
		calls = append(calls, trajectory.ToolCall{ID: fmt.Sprintf("call_%d", i+1), Name: c.Name, Arguments: string(args)})
	}
	return reply.Join(r.Thinking(), r.Said), calls
}

// returned gives the results in a message of the user to the calls that wait, in
// their order. What comes back where nothing waits is what the program said of a
// reply that it could not read.
func (c *conversation) returned(said string) {
	for _, m := range blocks.FindAllStringSubmatch(said, -1) {
		shown := strings.TrimSpace(m[1] + m[2] + m[3])
		switch n := len(c.t.Steps); {
		case len(c.waiting) > 0:
			c.show(0, shown)
		case n > 0 && c.t.Steps[n-1].Kind == trajectory.KindNone && c.t.Steps[n-1].Call == nil:
			c.t.Steps[n-1].Shown, c.t.Steps[n-1].Error = shown, shown
		}
	}
}

// pieces cuts a text that holds a whole rollout into replies and results, as
// messages of the assistant and of the user. Nothing of it is left out but blanks
// between them.
func pieces(all string) []wireMessage {
	var out []wireMessage
	add := func(role, s string) {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, said(role, s))
		}
	}
	from := 0
	for _, at := range blocks.FindAllStringIndex(all, -1) {
		add("assistant", all[from:at[0]])
		add("user", all[at[0]:at[1]])
		from = at[1]
	}
	add("assistant", all[from:])
	return out
}

// said is a message of this role.
func said(role, content string) wireMessage {
	quoted, err := text.JSON(content)
	if err != nil {
		panic("exchange: a string has no JSON form")
	}
	return wireMessage{Role: role, Content: quoted}
}
