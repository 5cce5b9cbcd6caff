package reply_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/agent/llm/reply"
)

func content(s string) llm.Response {
	return llm.Response{Message: llm.Message{Content: s}, Finish: "stop"}
}

func native(calls ...llm.ToolCall) llm.Response {
	return llm.Response{Message: llm.Message{ToolCalls: calls}, Finish: "tool_calls"}
}

func searchCall(id, args string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: "search", Arguments: args}
}

func queries(qs ...string) []reply.Call {
	var calls []reply.Call
	for _, q := range qs {
		calls = append(calls, reply.Call{Name: "search", Args: map[string]any{"query": q}})
	}
	return calls
}

func withArgs(args map[string]any) []reply.Call {
	return []reply.Call{{Name: "search", Args: args}}
}

// A read is what the tests look at of a reply.
type read struct {
	Thought, Answer string
	Tagged          bool
	Calls           []reply.Call
	Repairs         []string
	Empty           bool
}

func parse(resp *llm.Response, f reply.Form) read {
	r := reply.Parse(resp, f)
	return read{Thought: r.Thinking(), Answer: r.Answer, Tagged: r.Tagged, Calls: r.Calls, Repairs: r.Repairs, Empty: r.Empty()}
}

type parseTest struct {
	name string
	resp llm.Response
	form reply.Form
	want read
}

func runParse(t *testing.T, tests []parseTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := parse(&tt.resp, tt.form)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("reply mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// Field reports A: tool calls and their arguments.
func TestParseCalls(t *testing.T) {
	runParse(t, []parseTest{
		{name: "A1 the last brace is missing",
			resp: native(searchCall("1", `{"query": ["a"], "k": 5`)),
			want: read{Calls: withArgs(map[string]any{"query": []any{"a"}, "k": json.Number("5")}), Repairs: []string{"json"}}},
		{name: "A1 a quote is missing too",
			resp: native(searchCall("1", `{"query": "capital of X`)),
			want: read{Calls: queries("capital of X"), Repairs: []string{"json"}}},
		{name: "A1 text follows the arguments",
			resp: native(searchCall("1", `{"query": "x"} and so on`)),
			want: read{Calls: queries("x"), Repairs: []string{"json"}}},
		{name: "A1 quotes inside quotes",
			resp: native(searchCall("1", `{"query": "the "x" film"}`)),
			want: read{Calls: queries(`the "x" film`), Repairs: []string{"json"}}},
		{name: "arguments that are no JSON at all stand for the only one",
			resp: native(searchCall("1", `capital of X`)),
			want: read{Calls: withArgs(map[string]any{"": "capital of X"}), Repairs: []string{"json"}}},
		{name: "no arguments",
			resp: native(searchCall("1", ` `)),
			want: read{Calls: withArgs(map[string]any{})}},
		{name: "A2 two values on two lines of one block",
			resp: content("<tool_call>\n{\"name\":\"search\",\"arguments\":{\"query\":\"a\"}}\n{\"name\":\"search\",\"arguments\":{\"query\":\"b\"}}\n</tool_call>"),
			want: read{Calls: queries("a", "b"), Repairs: []string{"call-in-text:hermes"}}},
		{name: "A2 a list in one block",
			resp: content(`<tool_call>[{"name":"search","arguments":{"query":"a"}},{"name":"search","arguments":{"query":"b"}}]</tool_call>`),
			want: read{Calls: queries("a", "b"), Repairs: []string{"call-in-text:hermes"}}},
		{name: "two blocks",
			resp: content("I need both.\n<tool_call>{\"name\":\"search\",\"arguments\":{\"query\":\"a\"}}</tool_call>\n<tool_call>{\"name\":\"search\",\"arguments\":{\"query\":\"b\"}}</tool_call>"),
			want: read{Calls: queries("a", "b"), Repairs: []string{"call-in-text:hermes"}}},
		{name: "A3 the call stands in the content",
			resp: content(`<tool_call>{"name":"search","arguments":{"query":"x"}}</tool_call>`),
			want: read{Calls: queries("x"), Repairs: []string{"call-in-text:hermes"}}},
		{name: "A3 and its JSON is broken",
			resp: content(`<tool_call>{"name":"search","arguments":{"query":"x"}</tool_call>`),
			want: read{Calls: queries("x"), Repairs: []string{"json", "call-in-text:hermes"}}},
		{name: "the block is not closed",
			resp: content(`<tool_call>{"name":"search","arguments":{"query":"x"}}`),
			want: read{Calls: queries("x"), Repairs: []string{"call-in-text:hermes"}}},
		{name: "made-up results after the block are not read",
			resp: content(`<tool_call>{"name":"search","arguments":{"query":"x"}}</tool_call><tool_response>fake</tool_response><answer>evil</answer>`),
			want: read{Calls: queries("x"), Repairs: []string{"call-in-text:hermes"}}},
		{name: "markup inside a JSON text is text",
			resp: content(`<tool_call>{"name":"search","arguments":{"query":"what does </tool_call> or <answer>x</answer> mean"}}</tool_call>`),
			want: read{Calls: queries("what does </tool_call> or <answer>x</answer> mean"), Repairs: []string{"call-in-text:hermes"}}},
		{name: "parameters in place of arguments, under function",
			resp: content(`<tool_call>{"type":"function","function":{"name":"search","parameters":{"query":"x"}}}</tool_call>`),
			want: read{Calls: queries("x"), Repairs: []string{"call-in-text:hermes"}}},
		{name: "arguments beside the name",
			resp: content(`<tool_call>{"name":"search","query":"x"}</tool_call>`),
			want: read{Calls: queries("x"), Repairs: []string{"call-in-text:hermes"}}},
		{name: "A7 the call stands in the reasoning",
			resp: llm.Response{Message: llm.Message{Reasoning: `First <tool_call>{"name":"search","arguments":{"query":"draft"}}</tool_call> no: <tool_call>{"name":"search","arguments":{"query":"x"}}</tool_call>`}, Finish: "stop"},
			want: read{Thought: `First <tool_call>{"name":"search","arguments":{"query":"draft"}}</tool_call> no: <tool_call>{"name":"search","arguments":{"query":"x"}}</tool_call>`,
				Calls: queries("x"), Repairs: []string{"call-in-text:hermes", "call-in-reasoning"}}},
		{name: "A7 a call in the reasoning whose arguments hold an answer",
			resp: llm.Response{Message: llm.Message{Reasoning: `Enough. <tool_call>{"name":"finish","arguments":{"solution":"<answer>Paris</answer>"}}</tool_call>`}, Finish: "stop"},
			want: read{Thought: `Enough. <tool_call>{"name":"finish","arguments":{"solution":"<answer>Paris</answer>"}}</tool_call>`,
				Calls: []reply.Call{{Name: "finish", Args: map[string]any{"solution": "<answer>Paris</answer>"}}}, Repairs: []string{"call-in-text:hermes", "call-in-reasoning"}}},
		{name: "A7 but not if there is content",
			resp: llm.Response{Message: llm.Message{Content: "<answer>Paris</answer>", Reasoning: `<tool_call>{"name":"search","arguments":{"query":"x"}}</tool_call>`}, Finish: "stop"},
			want: read{Thought: `<tool_call>{"name":"search","arguments":{"query":"x"}}</tool_call>`, Answer: "Paris", Tagged: true}},
		{name: "A8 Gemma's fence",
			resp: content("Let me look.\n```tool_code\nsearch(query=\"x\")\n```"),
			want: read{Calls: queries("x"), Repairs: []string{"call-in-text:fence"}}},
		{name: "A8 several calls, other quotes, printed, and text that looks like a call",
			resp: content("```tool_code\n[search(query='it\\'s (a, b=c)'), print(tools.search(\"y\"))]\n```"),
			want: read{Calls: []reply.Call{{Name: "search", Args: map[string]any{"query": "it's (a, b=c)"}}, {Name: "search", Args: map[string]any{"": "y"}}},
				Repairs: []string{"call-in-text:fence"}}},
		{name: "A8 other types",
			resp: content("```tool_code\nsearch(query=[\"a\", \"b\"], top=3, exact=True)\n```"),
			want: read{Calls: withArgs(map[string]any{"query": []any{"a", "b"}, "top": json.Number("3"), "exact": true}), Repairs: []string{"call-in-text:fence"}}},
		{name: "JSON in a fence",
			resp: content("```json\n{\"name\": \"search\", \"arguments\": {\"query\": \"x\"}}\n```"),
			want: read{Calls: queries("x"), Repairs: []string{"call-in-text:fence"}}},
		{name: "a fence that holds data is no call, and hides none",
			resp: content("```json\n{\"year\": 1951}\n```\n<tool_call>{\"name\":\"search\",\"arguments\":{\"query\":\"x\"}}</tool_call>"),
			want: read{Calls: queries("x"), Repairs: []string{"call-in-text:hermes"}}},
		{name: "bare JSON",
			resp: content(`{"name": "search", "parameters": {"query": "x"}}`),
			want: read{Calls: queries("x"), Repairs: []string{"call-in-text:json"}}},
		{name: "qwen3-coder",
			resp: content("<tool_call>\n<function=search>\n<parameter=query>\ncapital of X\n</parameter>\n<parameter=k>\n5\n</parameter>\n</function>\n</tool_call>"),
			want: read{Calls: withArgs(map[string]any{"query": "capital of X", "k": "5"}), Repairs: []string{"call-in-text:function"}}},
		{name: "qwen3-coder without the outer tag, twice",
			resp: content("<function=search><parameter=query>a</parameter></function><function=search><parameter=query>b</parameter></function>"),
			want: read{Calls: queries("a", "b"), Repairs: []string{"call-in-text:function"}}},
		{name: "GLM",
			resp: content("<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>capital of X</arg_value>\n</tool_call>"),
			want: read{Calls: queries("capital of X"), Repairs: []string{"call-in-text:arg-key"}}},
		{name: "a call in Python inside the tag",
			resp: content(`<tool_call>search(query="x")</tool_call>`),
			want: read{Calls: queries("x"), Repairs: []string{"call-in-text:hermes"}}},
		{name: "a search tag in the native form",
			resp: content("<search> capital of X </search>"),
			want: read{Calls: queries("capital of X"), Repairs: []string{"call-in-text:search"}}},
		{name: "A13 texts stay texts, numbers keep their digits",
			resp: native(searchCall("1", `{"query":"123_456","n":12345678901234567890}`)),
			want: read{Calls: withArgs(map[string]any{"query": "123_456", "n": json.Number("12345678901234567890")})}},
		{name: "A13 escapes that were escaped again",
			resp: native(searchCall("1", `{"query":"line1\\nline2 \\\"x\\\""}`)),
			want: read{Calls: queries("line1\nline2 \"x\""), Repairs: []string{"double-escaped"}}},
		{name: "A13 a backslash that is one",
			resp: native(searchCall("1", `{"query":"C:\\dir \\q"}`)),
			want: read{Calls: queries(`C:\dir \q`)}},
		{name: "A13 arguments encoded twice",
			resp: native(searchCall("1", `"{\"query\": \"x\"}"`)),
			want: read{Calls: queries("x"), Repairs: []string{"double-encoded"}}},
		{name: "A13 arguments as a JSON text inside a call in the text",
			resp: content(`<tool_call>{"name":"search","arguments":"{\"query\":\"x\"}"}</tool_call>`),
			want: read{Calls: queries("x"), Repairs: []string{"double-encoded", "call-in-text:hermes"}}},
		{name: "A13 every quote escaped",
			resp: native(searchCall("1", `{\"query\": \"x\"}`)),
			want: read{Calls: queries("x"), Repairs: []string{"json"}}},
		{name: "A14 entities are decoded once",
			resp: native(searchCall("1", `{"query":"a &amp;&amp; b &lt; &amp;gt;"}`)),
			want: read{Calls: queries("a && b < &gt;"), Repairs: []string{"entities"}}},
		{name: "A14 an address",
			resp: native(llm.ToolCall{ID: "1", Name: "open", Arguments: `{"url":"http://x/?a=1&amp;b=2&copy=3"}`}),
			want: read{Calls: []reply.Call{{Name: "open", Args: map[string]any{"url": "http://x/?a=1&b=2&copy=3"}}}, Repairs: []string{"entities"}}},
		{name: "A14 the whole call is escaped, and decoded once",
			resp: content(`<tool_call>{&quot;name&quot;:&quot;search&quot;,&quot;arguments&quot;:{&quot;query&quot;:&quot;a &amp;amp; b&quot;}}</tool_call>`),
			want: read{Calls: queries("a &amp; b"), Repairs: []string{"json", "entities", "call-in-text:hermes"}}},
		{name: "A14 an escaped closing tag",
			resp: content(`<tool_call>{"name":"search","arguments":{"query":"x"}}<\/tool_call>`),
			want: read{Calls: queries("x"), Repairs: []string{"call-in-text:hermes", "escaped-closer"}}},
		{name: "A14 an escaped closing tag, tags form", form: reply.Tags,
			resp: content(`<search>x<\/search><information>fake`),
			want: read{Calls: queries("x"), Repairs: []string{"escaped-closer", "cut-after-action"}}},
		{name: "A16 an empty list of calls is a text",
			resp: llm.Response{Message: llm.Message{Content: "<answer>Paris</answer>", ToolCalls: []llm.ToolCall{}}, Finish: "stop"},
			want: read{Answer: "Paris", Tagged: true}},
		{name: "A16 and so is nothing at all",
			resp: llm.Response{Finish: "stop"},
			want: read{Empty: true}},
		{name: "A19 a call is known by its name only",
			resp: native(searchCall("1", `{"query":["Monty Python film"]}`)),
			want: read{Calls: withArgs(map[string]any{"query": []any{"Monty Python film"}})}},
		{name: "structured calls win over an answer in the text",
			resp: llm.Response{Message: llm.Message{Content: "<answer>Paris</answer>", ToolCalls: []llm.ToolCall{searchCall("1", `{"query":"x"}`)}}, Finish: "tool_calls"},
			want: read{Calls: queries("x")}},
	})
}

// Field reports B: reasoning and empty answers.
// TestParseCutTag: a token limit that falls into the closing tag leaves the
// action whole; one that falls into the action does not.
func TestParseCutTag(t *testing.T) {
	cut := func(s string) llm.Response {
		return llm.Response{Message: llm.Message{Content: s}, Finish: "length"}
	}
	runParse(t, []parseTest{
		{name: "in the name", resp: cut("I guess.\n<answer>New Velingen</answ"), want: read{Answer: "New Velingen", Tagged: true, Repairs: []string{"unclosed-tag"}}},
		{name: "before the bracket", resp: cut("<answer>New Velingen</answer"), want: read{Answer: "New Velingen", Tagged: true, Repairs: []string{"unclosed-tag"}}},
		{name: "after the slash", resp: cut("<answer>New Velingen</"), want: read{Answer: "New Velingen", Tagged: true, Repairs: []string{"unclosed-tag"}}},
		{name: "before the slash", resp: cut("<answer>New Velingen<")},
		{name: "in the answer", resp: cut("<answer>New Vel")},
		{name: "another tag", resp: cut("<answer>New Velingen</b")},
	})
}

func TestParseReasoning(t *testing.T) {
	thinking := func(reasoning, finish string) llm.Response {
		return llm.Response{Message: llm.Message{Reasoning: reasoning}, Finish: finish}
	}
	runParse(t, []parseTest{
		{name: "B1 thinking in the content", resp: content("<think>x</think>Paris"),
			want: read{Thought: "x", Answer: "Paris", Repairs: []string{"think-in-content"}}},
		{name: "B1 twice, other spelling", resp: content("<think>x</think>\n< Thinking >y</ thinking ><answer>Paris</answer>"),
			want: read{Thought: "x\ny", Answer: "Paris", Tagged: true, Repairs: []string{"think-in-content"}}},
		{name: "B2 only the closing tag", resp: content("plan…</think>\nParis"),
			want: read{Thought: "plan…", Answer: "Paris", Repairs: []string{"think-unopened"}}},
		{name: "B3 the answer lands in the reasoning", resp: thinking("Paris", "stop"),
			want: read{Thought: "Paris", Answer: "Paris", Repairs: []string{"answer-in-reasoning"}}},
		{name: "B3 the tagged answer does", resp: thinking("It is the capital. <answer>Paris</answer>", "stop"),
			want: read{Thought: "It is the capital. <answer>Paris</answer>", Answer: "Paris", Tagged: true, Repairs: []string{"answer-in-reasoning"}}},
		{name: "B5 stopped inside the thinking", resp: thinking("so I", "stop"),
			want: read{Thought: "so I", Empty: true}},
		{name: "B5 later", resp: thinking("The user asks for the capital of France, which", "stop"),
			want: read{Thought: "The user asks for the capital of France, which", Empty: true}},
		{name: "B6 no closing tag", resp: content("<think>… the answer is 5"),
			want: read{Thought: "… the answer is 5", Repairs: []string{"think-unclosed"}, Empty: true}},
		{name: "B6 not even a declared answer", resp: content("<think>Answer: 5"),
			want: read{Thought: "Answer: 5", Repairs: []string{"think-unclosed"}, Empty: true}},
		{name: "B6 the closing tag leaks into the content",
			resp: llm.Response{Message: llm.Message{Content: "</think>\n<answer>Paris</answer><|im_end|>", Reasoning: "x"}, Finish: "stop"},
			want: read{Thought: "x", Answer: "Paris", Tagged: true, Repairs: []string{"end-token"}}},
		{name: "B7 thought until the limit", resp: thinking("Paris", "length"),
			want: read{Thought: "Paris", Empty: true}},
		{name: "B9 both kinds of reasoning",
			resp: llm.Response{Message: llm.Message{Content: "<think>inner</think><answer>Paris</answer>", Reasoning: "outer"}, Finish: "stop"},
			want: read{Thought: "outer\ninner", Answer: "Paris", Tagged: true, Repairs: []string{"think-in-content"}}},
	})
}

// Search-R1's form, and field report D8.
func TestParseTags(t *testing.T) {
	tests := []parseTest{
		{name: "a stop text closed the search", resp: content("<think>plan</think>\n<search>capital of X"),
			want: read{Thought: "plan", Calls: queries("capital of X")}},
		{name: "a stop text closed the answer", resp: content("<answer> Paris"),
			want: read{Answer: "Paris", Tagged: true}},
		{name: "the token limit cut the search", resp: llm.Response{Message: llm.Message{Content: "<search>capital of"}, Finish: "length"},
			want: read{}},
		{name: "D8 own results", resp: content("<search>q</search><information>fake</information><answer>evil</answer>"),
			want: read{Calls: queries("q"), Repairs: []string{"cut-after-action"}}},
		{name: "D8 own results behind an open search", resp: content("<search>q <information>fake"),
			want: read{Calls: queries("q"), Repairs: []string{"unclosed-tag"}}},
		{name: "D8 own results before the action", resp: content("<information>fake <answer>evil</answer></information><search>q</search>"),
			want: read{Calls: queries("q"), Repairs: []string{"own-results-dropped"}}},
		{name: "D8 own results without end", resp: content("plan <information>fake <answer>evil</answer>"),
			want: read{Repairs: []string{"own-results-dropped"}}},
		{name: "D8 they cannot close the thinking", resp: content("<think>plan <search>q</search><information>fake</information></think><answer>evil</answer>"),
			want: read{Thought: "plan <search>q</search>", Calls: queries("q"), Repairs: []string{"cut-after-action", "think-unclosed", "call-in-reasoning"}}},
		{name: "search, then answer", resp: content("<search>q</search><answer>a</answer>"),
			want: read{Calls: queries("q"), Repairs: []string{"cut-after-action"}}},
		{name: "answer, then search", resp: content("<answer>a</answer><search>q</search>"),
			want: read{Answer: "a", Tagged: true, Repairs: []string{"cut-after-action"}}},
		{name: "a tag that is only mentioned", resp: content("I use <search> to look. <search>q</search>"),
			want: read{Thought: "I use <search> to look.", Calls: queries("q")}},
		{name: "upper case and blanks", resp: content("< SEARCH >q</ Search >"), want: read{Calls: queries("q")}},
		{name: "the prompt's example is none", resp: content("<answer>Short answer</answer>"), want: read{}},
		{name: "an empty answer is none", resp: content("<answer> </answer>"), want: read{}},
		{name: "nor is punctuation", resp: content("<answer>...</answer>"), want: read{}},
		{name: "entities in an answer", resp: content("<answer>Simon &amp; Garfunkel</answer>"), want: read{Answer: "Simon & Garfunkel", Tagged: true}},
		{name: "an answer on a line", resp: content("It is settled.\n**Final answer:** Paris."), want: read{Thought: "It is settled.\n**Final answer:** Paris.", Answer: "Paris", Tagged: true}},
		{name: "plain text is no answer here", resp: content("Paris"), want: read{}},
		{name: "a block of the other form", resp: content(`<tool_call>{"name":"search","arguments":{"query":"q"}}</tool_call>`),
			want: read{Calls: queries("q"), Repairs: []string{"call-in-text:hermes"}}},
	}
	for i := range tests {
		tests[i].form = reply.Tags
	}
	runParse(t, tests)
}

// A reply in the native form without call and tag is an answer only if it
// reads like one.
func TestParseShortAnswers(t *testing.T) {
	tests := []struct{ text, want string }{
		{"Paris", "Paris"},
		{"J. R. R. Tolkien", "J. R. R. Tolkien"},
		{"Sofia", "Sofia"},
		{"12 March 1951.", "12 March 1951"},
		{"**Paris**", "Paris"},
		{"Exact Answer: 42\nConfidence: 80%", "42"},
		{"Jane founded it.\nSo the answer is Jane Doe.", "Jane Doe"},
		{"Jane founded it.\nThe answer is not in the documents.", ""},
		{"The answer is Jane?", ""},
		{"I need to search for the director first.", ""},
		{"Let me search for that", ""},
		{"Could you clarify which film you mean?", ""},
		{"Next steps:", ""},
		{"Error: internal server error", ""},
		{"Errors and Omissions", "Errors and Omissions"},
		{"Error-correcting codes", "Error-correcting codes"},
		{"Exceptional Children", "Exceptional Children"},
		{"Timeout", ""},
		{"TimeoutError: the read operation timed out", ""},
		{"A first paragraph.\n\nA second paragraph that says more.", ""},
		{"This is a long sentence that goes on and on about what the documents do not say at all.", ""},
	}
	for _, tt := range tests {
		resp := content(tt.text)
		if got := reply.Parse(&resp, reply.Native).Answer; got != tt.want {
			t.Errorf("answer of %q = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestParseBounds(t *testing.T) {
	call := `{"name":"search","arguments":{"query":"x"}}`
	resp := content("<tool_call>" + strings.Repeat(call+"\n", 500) + "</tool_call>")
	if got := len(reply.Parse(&resp, reply.Native).Calls); got > reply.MaxRead {
		t.Errorf("%d calls were read, want at most %d", got, reply.MaxRead)
	}
	resp = native(searchCall("1", `{"query": "`+strings.Repeat(`a" b`, reply.MaxMend)))
	got := reply.Parse(&resp, reply.Native)
	if q, ok := got.Calls[0].Args[""].(string); !ok || len(q) < reply.MaxMend {
		t.Errorf("arguments too long to mend became %v, want the text as it is", got.Calls[0].Args)
	}
}
