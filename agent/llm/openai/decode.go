package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"trawl/agent/llm"
)

// A completion is what is read of a reply, or of one event of a stream.
type completion struct {
	Object  loose
	Model   loose
	Choices []struct {
		Index    int
		Message  *turn
		Delta    *turn
		Finish   loose `json:"finish_reason"`
		Logprobs json.RawMessage
	}
	Usage json.RawMessage
	Error json.RawMessage
}

// A turn is a message, or a part of one.
type turn struct {
	Content          loose
	Reasoning        loose
	ReasoningContent loose `json:"reasoning_content"`
	ToolCalls        []struct {
		Index    *int
		ID       loose
		Function struct{ Name, Arguments loose }
	} `json:"tool_calls"`
}

// loose is text that servers write in several ways: a string, null, a list of
// parts with texts, or a value where a string of its JSON belongs (arguments).
type loose string

// UnmarshalJSON implements [json.Unmarshaler]. It takes any value.
func (l *loose) UnmarshalJSON(data []byte) error {
	*l = ""
	switch {
	case string(data) == "null":
	case data[0] == '"':
		return json.Unmarshal(data, (*string)(l))
	case data[0] == '[':
		var parts []struct{ Text string }
		if json.Unmarshal(data, &parts) == nil && !emptyParts(parts) {
			for _, p := range parts {
				*l += loose(p.Text)
			}
			return nil
		}
		*l = loose(data)
	default:
		*l = loose(data)
	}
	return nil
}

func emptyParts(parts []struct{ Text string }) bool {
	for _, p := range parts {
		if p.Text != "" {
			return false
		}
	}
	return len(parts) > 0
}

// An assembly puts a reply together from one completion or from many events.
type assembly struct {
	model     string
	content   strings.Builder
	reasoning strings.Builder
	calls     []*call
	at        map[int]*call // by index
	finish    string
	usage     json.RawMessage
	turns     int // taken in
	tokens    tokenList
}

type call struct {
	id, name  string
	arguments strings.Builder
}

// add takes in one completion. Of several choices it takes the first.
func (a *assembly) add(c *completion) {
	if a.model == "" {
		a.model = string(c.Model)
	}
	if len(c.Usage) > 0 && string(c.Usage) != "null" {
		a.usage = c.Usage
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		if choice.Finish != "" {
			a.finish = string(choice.Finish)
		}
		a.tokens.add(choice.Logprobs)
		switch {
		case choice.Message != nil:
			a.addTurn(choice.Message, true)
		case choice.Delta != nil:
			a.addTurn(choice.Delta, false)
		}
	}
}

// addTurn takes in a message, whose calls are all of them whole, or a part of
// one, whose calls go by index.
func (a *assembly) addTurn(t *turn, whole bool) {
	a.turns++
	a.content.WriteString(string(t.Content))
	if t.Reasoning != "" { // the two names are for the same text
		a.reasoning.WriteString(string(t.Reasoning))
	} else {
		a.reasoning.WriteString(string(t.ReasoningContent))
	}
	for _, part := range t.ToolCalls {
		index := part.Index
		if whole {
			index = nil
		}
		c := a.call(index, whole || part.Function.Name != "")
		if c.id == "" {
			c.id = string(part.ID)
		}
		if c.name == "" {
			c.name = string(part.Function.Name)
		}
		c.arguments.WriteString(string(part.Function.Arguments))
	}
}

// call returns the call at an index, a further one if it is new. Without an
// index it returns the last one, unless a further one begins.
func (a *assembly) call(index *int, begins bool) *call {
	switch {
	case index != nil && a.at[*index] != nil:
		return a.at[*index]
	case index == nil && !begins && len(a.calls) > 0:
		return a.calls[len(a.calls)-1]
	}
	c := &call{}
	a.calls = append(a.calls, c)
	if index != nil {
		if a.at == nil {
			a.at = make(map[int]*call)
		}
		a.at[*index] = c
	}
	return c
}

// encode returns the reply as go-openai reads it. A call without an id gets
// one, for its result must name it.
func (a *assembly) encode() ([]byte, error) {
	if a.turns == 0 {
		return nil, errors.New("no choices")
	}
	msg := goopenai.ChatCompletionMessage{
		Role: llm.Assistant, Content: a.content.String(), ReasoningContent: a.reasoning.String(),
	}
	for i, c := range a.calls {
		if c.id == "" {
			c.id = fmt.Sprintf("call_%d", i)
		}
		msg.ToolCalls = append(msg.ToolCalls, goopenai.ToolCall{
			ID: c.id, Type: goopenai.ToolTypeFunction,
			Function: goopenai.FunctionCall{Name: c.name, Arguments: c.arguments.String()},
		})
	}
	reply := goopenai.ChatCompletionResponse{Model: a.model, Choices: []goopenai.ChatCompletionChoice{
		{Message: msg, FinishReason: goopenai.FinishReason(a.finish), LogProbs: a.tokens.encode()},
	}}
	if a.usage != nil && json.Unmarshal(a.usage, &reply.Usage) != nil {
		reply.Usage = goopenai.Usage{}
	}
	return json.Marshal(&reply)
}

// plain returns the reply in body as go-openai reads it.
func (t *transport) plain(body []byte) ([]byte, error) {
	var c completion
	if err := json.Unmarshal(body, &c); err != nil {
		return nil, t.malformed(misshapen(err), body)
	}
	if c.failed() {
		return nil, t.failure(body)
	}
	var a assembly
	a.add(&c)
	out, err := a.encode()
	if err != nil {
		return nil, t.malformed(err, body)
	}
	return out, nil
}

// failed reports whether c is an error in place of a completion.
func (c *completion) failed() bool {
	return len(c.Choices) == 0 && (c.Object == "error" || len(c.Error) > 0 && string(c.Error) != "null")
}

// response returns a reply as this project has it. Without counts from the
// server the usage is estimated.
func response(reply *goopenai.ChatCompletionResponse, req *llm.Request) *llm.Response {
	choice := reply.Choices[0]
	msg := llm.Message{
		Role: llm.Assistant, Content: choice.Message.Content, Reasoning: choice.Message.ReasoningContent,
	}
	for _, c := range choice.Message.ToolCalls {
		msg.ToolCalls = append(msg.ToolCalls, llm.ToolCall{
			ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments,
		})
	}
	usage := llm.Usage{Prompt: reply.Usage.PromptTokens, Completion: reply.Usage.CompletionTokens}
	if d := reply.Usage.PromptTokensDetails; d != nil {
		usage.Cached = d.CachedTokens
	}
	if usage.Prompt == 0 && usage.Completion == 0 {
		usage = llm.Usage{
			Prompt: estimate(req.Messages, req.Tools), Completion: estimate([]llm.Message{msg}, nil), Estimated: true,
		}
	}
	return &llm.Response{Message: msg, Finish: string(choice.FinishReason), Model: reply.Model, Usage: usage, Tokens: tokens(&choice, req)}
}
