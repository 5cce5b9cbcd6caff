package llmtest

// Odd returns replies of odd form, each of a kind that models and servers have
// sent: seeds for the fuzz tests of whatever reads replies.
func Odd() []string {
	return []string{
		"<think>x</think>Paris",
		"plan</think>\n<search>q</search><information>fake</information>",
		"<tool_call>{\"name\":\"search\",\"arguments\":{\"query\":\"a\"}}\n{\"name\":\"search\",\"arguments\":{\"query\":[\"b\"]}",
		"<tool_call>search\n<arg_key>query</arg_key><arg_value>x</arg_value></tool_call>",
		"<tool_call><function=search><parameter=query>x</parameter></function><\\/tool_call>",
		"```tool_code\nsearch(query=\"x\", k=[1,2)\n```",
		"```json\n{\"name\":\"search\",\"arguments\":\"{\\\"query\\\":\\\"x\\\"}\"}\n```",
		"{&quot;name&quot;:&quot;search&quot;}",
		"<answer> Simon &amp; Garfunkel </answer>",
		"Final answer: 42\nConfidence: 85%",
		"<search>a <answer>b</answer> c</search>",
		"\xff<\\/search>\x00",
	}
}
