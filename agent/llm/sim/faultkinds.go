package sim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// A fault is one kind of failure. One of its functions is set, by where it
// happens.
type fault struct {
	help      string
	transport transport                                // instead of a reply
	raw       func(raw string, c *conversation) string // to the model's text
	reply     func(out *reply, raw string)             // to what the server's parsers made of it
}

// A transport answers in the model's place, and reports whether it did.
type transport func(w http.ResponseWriter, r *http.Request, req *chatRequest) bool

// faultKinds are the faults by name. A letter and number is the row of the
// field report that a fault replays.
var faultKinds = map[string]fault{
	"a1-missing-brace":     {help: "the arguments of a call lack their last brace", reply: eachCall(func(a string) string { return strings.TrimSuffix(a, "}") })},
	"a2-two-calls":         {help: "two calls on two lines inside one pair of marks, left in the content", reply: twoCalls},
	"a3-call-in-content":   {help: "the call stands as text in the content, tool_calls is empty", reply: callInContent(callClose)},
	"a5-null-ids":          {help: "streamed calls have no id and come in single characters", reply: func(out *reply, _ string) { out.nullIDs = true }},
	"a7-call-in-reasoning": {help: "the call stands in the reasoning, content is null", reply: callInReasoning},
	"a8-fenced-call":       {help: "the call is a fenced tool_code block", reply: fencedCall},
	"a13-double-escape":    {help: "the query's line break and quotes are escaped twice", reply: eachQuery(func(q string) string { return `\"` + q + `\"\n` })},
	"a14-entities":         {help: "the query holds &amp;, &lt; and &amp;gt;", reply: eachQuery(func(q string) string { return q + " &amp; &lt;b> &amp;gt;" })},
	"a14-escaped-closer":   {help: `the call stands in the content and ends with <\/tool_call>`, reply: callInContent(`<\/tool_call>`)},
	"a15-null-content":     {help: "content is null, only the reasoning has text", reply: thoughtOnly},
	"a15-refuse-null":      {help: "400 if the history has null content or a reasoning key", transport: refuseNull},
	"a16-empty-calls":      {help: "tool_calls is [], the content is text", reply: emptyCalls},
	"a16-string-arguments": {help: "the arguments are a JSON string instead of an object", reply: stringArguments},
	"b1-think-in-content":  {help: "thinking stays in the content", reply: func(out *reply, raw string) { thinkInContent(out, thinkOpen) }},
	"b2-close-only":        {help: "only the closing mark of the thinking comes", reply: func(out *reply, raw string) { thinkInContent(out, "") }},
	"b3-answer-in-reasoning": {help: "content is null, the answer is the reasoning, without marks",
		reply: func(out *reply, _ string) { out.intoReasoning(withoutThinking(out.text())) }},
	"b5-empty":           {help: "content is empty, the reasoning breaks off, finish_reason is stop", reply: func(out *reply, _ string) { out.broken("so I", "stop") }},
	"b6-unclosed-think":  {help: "thinking opens in the content and never closes", raw: unclosed},
	"b7-think-to-length": {help: "thinks until the token limit, content is empty, finish_reason is length", reply: func(out *reply, _ string) { out.broken(strings.Repeat("Wait, let me think again. ", 40), "length") }},
	"b9-reasoning":       {help: "thinking comes in the field reasoning only", reply: func(out *reply, raw string) { moveThinking(out, true) }},
	"b9-reasoning-content": {help: "thinking comes in the field reasoning_content only",
		reply: func(out *reply, raw string) { moveThinking(out, false) }},
	"b11-no-choices":   {help: "choices is []", reply: func(out *reply, _ string) { out.noChoices = true }},
	"c1-context":       {help: "400: the prompt does not fit the context window", transport: refuseContext},
	"c6-hang":          {help: "no reply until the client gives up", transport: hang},
	"c10-blank-lines":  {help: "400 blank lines before the first event of a stream", reply: func(out *reply, _ string) { out.blankLines = 400 }},
	"c12-rate-limit":   {help: "429 with Retry-After: 1", transport: rateLimit},
	"c12-overloaded":   {help: "503", transport: status(http.StatusServiceUnavailable, "The model is overloaded.")},
	"d1-repeat-query":  {help: "sends its last query again", raw: repeatQuery},
	"d8-self-made":     {help: "writes search results of its own behind its query, and goes on", raw: selfMade},
	"r-no-headings":    {help: "a summary is prose, without its headings", raw: noHeadings},
	"r-cut":            {help: "a summary breaks off in its section 1, finish_reason is length", reply: cutInFacts},
	"e-no-call":        {help: "a reply that should call a tool on attempts is text", reply: noCall},
	"e-bad-finish":     {help: "finish is called where attempts are looked into, with a solution that lacks its sections", raw: badFinish},
	"e-two-calls":      {help: "two calls on attempts in one reply", raw: secondCall},
	"e-bad-id":         {help: "the trajectory_id of a call into attempts is text, or 99 where the call has none", reply: badID},
	"http-500":         {help: "500 with a JSON error", transport: status(http.StatusInternalServerError, "Internal server error")},
	"http-502-html":    {help: "502 with an HTML page", transport: html(http.StatusBadGateway)},
	"http-200-html":    {help: "200 with an HTML page", transport: html(http.StatusOK)},
	"connection-reset": {help: "the connection breaks without a reply", transport: reset},
	"cut-stream":       {help: "the connection breaks after half of the reply", transport: cutReply},
}

func (r *reply) text() string {
	if r.content == nil {
		return ""
	}
	return *r.content
}

// broken makes the reply one that ends inside its thinking.
func (r *reply) broken(reasoning, finish string) {
	r.calls, r.content, r.finish, r.stopReason = nil, ptr(""), finish, ""
	r.reasoning = reasoning
	r.oldField, r.newField = true, true
}

// intoReasoning makes s the reasoning of a reply that has nothing else.
func (r *reply) intoReasoning(s string) {
	r.calls, r.content, r.reasoning = nil, nil, s
	r.oldField, r.newField = true, true
	if r.finish == "tool_calls" {
		r.finish = "stop"
	}
}

// eachCall changes the arguments of all calls.
func eachCall(change func(arguments string) string) func(*reply, string) {
	return func(out *reply, _ string) {
		for i := range out.calls {
			out.calls[i].Function.Arguments = change(out.calls[i].arguments())
		}
	}
}

// eachQuery changes the text of the queries of all calls, and of a search tag.
func eachQuery(change func(query string) string) func(*reply, string) {
	return func(out *reply, _ string) {
		eachCall(func(arguments string) string {
			var args map[string]any
			if json.Unmarshal([]byte(arguments), &args) != nil {
				return arguments
			}
			for name, v := range args {
				if s, ok := v.(string); ok {
					args[name] = change(s)
				}
			}
			return marshal(args)
		})(out, "")
		before, rest, ok := strings.Cut(out.text(), "<search>")
		query, after, closed := strings.Cut(rest, "</search>")
		if ok && closed {
			out.content = ptr(before + "<search>" + change(query) + "</search>" + after)
		}
	}
}

// hermes writes the calls of the reply as text.
func hermes(out *reply, closer string) string {
	var b strings.Builder
	for i := range out.calls {
		fmt.Fprintf(&b, "%s\n{\"name\": %s, \"arguments\": %s}\n%s", callOpen, marshal(out.calls[i].Function.Name), out.calls[i].arguments(), closer)
	}
	return b.String()
}

func callInContent(closer string) func(*reply, string) {
	return func(out *reply, _ string) {
		if len(out.calls) == 0 {
			return
		}
		out.content = ptr(strings.TrimSpace(out.text() + "\n" + hermes(out, closer)))
		out.calls, out.emptyCalls, out.finish = nil, true, "stop"
	}
}

func twoCalls(out *reply, _ string) {
	if len(out.calls) == 0 {
		if body, _, ok := strings.Cut(out.text(), "</search>"); ok {
			_, query, _ := strings.Cut(body, "<search>")
			out.content = ptr(out.text() + "\n<search>" + query + " overview</search>")
		}
		return
	}
	call := out.calls[0]
	line := fmt.Sprintf(`{"name": %s, "arguments": %s}`, marshal(call.Function.Name), call.arguments())
	out.content = ptr(callOpen + "\n" + line + "\n" + line + "\n" + callClose)
	out.calls, out.finish = nil, "stop"
}

func callInReasoning(out *reply, _ string) {
	if len(out.calls) > 0 {
		out.intoReasoning("I should look this up. " + hermes(out, callClose))
	}
}

func fencedCall(out *reply, _ string) {
	if len(out.calls) == 0 {
		return
	}
	var args map[string]any
	json.Unmarshal([]byte(out.calls[0].arguments()), &args) //nolint:errcheck // arguments that are no object make an empty call
	var list []string
	for _, name := range sortedKeys(args) {
		list = append(list, name+"="+marshal(args[name]))
	}
	out.content = ptr(strings.TrimSpace(out.text() + "\n```tool_code\n" + out.calls[0].Function.Name + "(" + strings.Join(list, ", ") + ")\n```"))
	out.calls, out.finish = nil, "stop"
}

func emptyCalls(out *reply, _ string) {
	out.calls, out.emptyCalls = nil, true
	if out.content == nil {
		out.content = ptr("I will look that up.")
	}
	if out.finish == "tool_calls" {
		out.finish = "stop"
	}
}

// stringArguments makes the arguments the bare query, as a JSON string.
func stringArguments(out *reply, _ string) {
	for i := range out.calls {
		var args map[string]any
		json.Unmarshal([]byte(out.calls[i].arguments()), &args) //nolint:errcheck // see fencedCall
		for _, name := range sortedKeys(args) {
			out.calls[i].Function.Arguments = marshal(args[name])
			break
		}
	}
}

func thoughtOnly(out *reply, _ string) {
	out.intoReasoning("I should think about this first.")
}

// thinkInContent puts the thinking in front of the content, behind an opening
// mark or none.
func thinkInContent(out *reply, open string) {
	thought, rest := out.reasoning, out.text()
	if thought == "" {
		thought, rest = splitThinking(rest)
	}
	if thought == "" {
		thought = "Let me see."
	}
	out.reasoning = ""
	out.content = ptr(open + thought + thinkClose + rest)
}

// moveThinking puts the thinking into one field, which is the new one or the old.
func moveThinking(out *reply, newName bool) {
	if out.reasoning == "" {
		thought, rest := splitThinking(out.text())
		if thought == "" {
			thought = "Let me see."
		}
		out.reasoning = thought
		if out.content != nil {
			out.content = &rest
		}
	}
	out.newField, out.oldField = newName, !newName
}

func withoutThinking(s string) string {
	_, rest := splitThinking(s)
	rest = strings.ReplaceAll(strings.ReplaceAll(rest, "<answer>", ""), "</answer>", "")
	return strings.TrimSpace(rest)
}

func unclosed(raw string, _ *conversation) string {
	raw = strings.ReplaceAll(strings.ReplaceAll(raw, thinkOpen, ""), thinkClose, "")
	return thinkOpen + raw
}

func repeatQuery(raw string, c *conversation) string {
	if len(c.queries) == 0 {
		return raw
	}
	query := c.queries[len(c.queries)-1]
	if c.native {
		return "I should look at this again.\n" + callText(c.tool, query)
	}
	return thinkOpen + "I should look at this again." + thinkClose + "\n<search>" + query + "</search>"
}

// selfMade goes on behind the query as if the search had been made.
func selfMade(raw string, c *conversation) string {
	const made = "\n<information>\nDoc 1(Title: Made Up) Nothing of this was found by any search.\n</information>\n<answer>Made Up</answer>"
	if c.native {
		return raw + made
	}
	if i := strings.Index(raw, "</search>"); i >= 0 {
		return raw[:i+len("</search>")] + made
	}
	return raw
}
