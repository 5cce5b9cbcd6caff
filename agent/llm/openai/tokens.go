package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"trawl/agent/llm"
	"trawl/internal/text"
)

const (
	bytesPerToken = 3.6 // of text whose tokenizer is not at hand
	perMessage    = 4   // tokens that a template puts around a message, about
	margin        = 32  // tokens left free for what a count does not see, such as the head of a completion
	caution       = 1.5 // if a prompt this many times the estimate fits, it is not counted
)

// estimate returns about how many tokens a prompt has: its bytes ÷ 3.6. For
// English that is characters ÷ 3.6; bytes serve scripts of which a character
// is nearly a token.
func estimate(messages []llm.Message, tools []llm.Tool) int {
	n := 0
	for _, m := range messages {
		n += len(m.Content) + len(m.Reasoning)
		for _, c := range m.ToolCalls {
			n += len(c.Name) + len(c.Arguments)
		}
	}
	for _, t := range tools {
		n += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	return int(float64(n)/bytesPerToken) + perMessage*(len(messages)+len(tools))
}

// templateArgs is the request key whose value goes into the chat template, and
// so into the prompt that is counted.
const templateArgs = "chat_template_kwargs"

// room returns the max_tokens of a request: what it asks for, but no more than
//
//	window − prompt − reserve − margin
//
// (MiroThinker issue 50). It fails with [llm.ErrContextLength] if hardly
// anything would be left. 0 leaves the choice to the server, which then takes
// the rest of the window: that is kept from a request with a reserve.
//
// The prompt is estimated; the server's tokenizer is asked only if the estimate
// comes near the window.
func (c *Client) room(ctx context.Context, req *llm.Request, model Model) (int, error) {
	window, want := model.MaxLen, req.MaxTokens
	if window <= 0 {
		return want, nil
	}
	if want == 0 && req.Reserve > 0 {
		want = window
	}
	prompt := estimate(req.Messages, req.Tools)
	if int(caution*float64(prompt))+want+req.Reserve+margin <= window {
		return want, nil
	}
	prompt, _, err := c.count(ctx, model.ID, req)
	if err != nil {
		return 0, err
	}
	room := window - prompt - req.Reserve - margin
	least := c.opts.MinTokens
	if want > 0 {
		least = min(least, want)
	}
	if room < least {
		return 0, &llm.Error{Kind: llm.ErrContextLength, Endpoint: c.name, Err: fmt.Errorf(
			"a prompt of %d tokens and a reserve of %d leave too little of %d", prompt, req.Reserve, window)}
	}
	return min(want, room), nil
}

// CountTokens returns the number of tokens of a prompt. It is exact if the
// server has a tokenizer that knows the chat template (vLLM, llama.cpp), and
// else an estimate. It fails if ctx ended or the server cannot be reached.
func (c *Client) CountTokens(ctx context.Context, req *llm.Request) (n int, exact bool, err error) {
	model, err := c.model(ctx)
	if err != nil {
		return 0, false, err
	}
	return c.count(ctx, model.ID, req)
}

// A meter is the kind of tokenizer that a server has.
type meter int32

const (
	meterUnknown  meter = iota
	meterNone           // 404, or nothing that we can read
	meterMessages       // vLLM: takes messages, returns a count
	meterText           // llama.cpp: takes text, returns tokens
)

// count asks the server's tokenizer. That a server has none is remembered; a
// tokenizer that fails is not, and the count is then an estimate.
func (c *Client) count(ctx context.Context, model string, req *llm.Request) (int, bool, error) {
	w := wire{model: model, form: form(c.form.Load())}
	kind := meter(c.meter.Load())
	if kind == meterUnknown || kind == meterMessages {
		n, found, err := c.countMessages(ctx, w, req)
		switch {
		case found == meterMessages && err == nil:
			c.meter.Store(int32(found))
			return n, true, nil
		case err == nil || lacks(err):
			c.meter.Store(int32(found))
			kind = found
		}
	}
	if kind == meterText {
		if n, exact, err := c.countText(ctx, w, req); err == nil {
			return n, exact, nil
		}
	}
	if err := ctx.Err(); err != nil {
		return 0, false, err
	}
	return estimate(req.Messages, req.Tools), false, nil
}

// lacks reports whether err says that there is no such address.
func lacks(err error) bool {
	var e *llm.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	}
	return false
}

// countMessages counts as vLLM does, and returns which kind of tokenizer the
// server turned out to have.
func (c *Client) countMessages(ctx context.Context, w wire, req *llm.Request) (int, meter, error) {
	in := map[string]any{"model": w.model, "messages": w.messages(req.Messages)}
	if len(req.Tools) > 0 {
		in["tools"] = wireTools(req.Tools)
	}
	if kwargs, ok := req.Extra[templateArgs]; ok {
		in[templateArgs] = kwargs
	}
	var out struct {
		Count  *int            `json:"count"`
		Tokens json.RawMessage `json:"tokens"`
	}
	err := c.do(ctx, http.MethodPost, c.root+"/tokenize", in, &out)
	switch {
	case err != nil:
		return 0, meterNone, err
	case out.Count != nil:
		return *out.Count, meterMessages, nil
	case out.Tokens != nil: // none, for it found no text in the request
		return 0, meterText, nil
	default:
		return 0, meterNone, nil
	}
}

// countText counts as llama.cpp does: the template first, then the tokens. A
// server without /apply-template counts the bare texts, which is not exact.
func (c *Client) countText(ctx context.Context, w wire, req *llm.Request) (n int, exact bool, err error) {
	in := map[string]any{"messages": w.messages(req.Messages)}
	if len(req.Tools) > 0 {
		in["tools"] = wireTools(req.Tools)
	}
	if kwargs, ok := req.Extra[templateArgs]; ok {
		in[templateArgs] = kwargs
	}
	var applied struct {
		Prompt string `json:"prompt"`
	}
	exact = c.do(ctx, http.MethodPost, c.root+"/apply-template", in, &applied) == nil && applied.Prompt != ""
	content, around := applied.Prompt, 0
	if !exact {
		data, err := text.JSON(in)
		if err != nil {
			return 0, false, err
		}
		content, around = string(data), perMessage*(len(req.Messages)+len(req.Tools))
	}
	var out struct {
		Tokens []json.RawMessage `json:"tokens"`
	}
	err = c.do(ctx, http.MethodPost, c.root+"/tokenize", map[string]any{
		"content": content, "add_special": true, "parse_special": exact,
	}, &out)
	return len(out.Tokens) + around, exact, err
}
