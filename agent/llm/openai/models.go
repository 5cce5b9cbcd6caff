package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"trawl/agent/llm"
	"trawl/internal/text"
)

// A Model is one that a server lists. MaxLen is its context window in tokens, 0
// if the server does not say.
type Model struct {
	ID     string
	MaxLen int
}

// A listed is a model as servers list it.
type listed struct {
	ID               string  `json:"id"`
	MaxModelLen      float64 `json:"max_model_len"`      // vLLM, SGLang
	ContextLength    float64 `json:"context_length"`     // OpenRouter, Together
	ContextWindow    float64 `json:"context_window"`     // Groq
	MaxContextLength float64 `json:"max_context_length"` // Mistral
	Meta             struct {
		Size    float64 `json:"n_ctx"` // llama.cpp
		Trained float64 `json:"n_ctx_train"`
	} `json:"meta"`
}

// errNoList is the reason why a server is not of the protocol that lists models
// in another way, or answers everything alike.
var errNoList = errors.New("its reply to /models has no key data")

// Models returns what the server lists, in its order. It gives up after
// [Options.Listing].
func (c *Client) Models(ctx context.Context) ([]Model, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.opts.Listing, tooSlow{"no list of models", c.opts.Listing})
	defer cancel()
	var (
		body json.RawMessage
		keys map[string]json.RawMessage
		list struct {
			Data []listed `json:"data"`
		}
	)
	if err := c.do(ctx, http.MethodGet, c.base+"/models", nil, &body); err != nil {
		return nil, err
	}
	if err := errors.Join(json.Unmarshal(body, &keys), json.Unmarshal(body, &list)); err != nil {
		return nil, c.unreadable(misshapen(err))
	}
	if _, ok := keys["data"]; !ok { // it may be null
		return nil, c.unreadable(foreign(errNoList))
	}
	var models []Model
	for _, m := range list.Data {
		model := Model{ID: m.ID}
		for _, n := range []float64{m.MaxModelLen, m.ContextLength, m.ContextWindow, m.MaxContextLength, m.Meta.Size, m.Meta.Trained} {
			if n > 0 {
				model.MaxLen = int(n)
				break
			}
		}
		models = append(models, model)
	}
	return models, nil
}

// model returns the model in use. It asks the server, once, for what the
// options leave open.
func (c *Client) model(ctx context.Context) (Model, error) {
	if c.bad != nil {
		return Model{}, c.bad
	}
	if c.opts.Model != "" && c.opts.Window > 0 {
		return Model{ID: c.opts.Model, MaxLen: c.opts.Window}, nil
	}
	return c.found.get(ctx, c.discover)
}

// discover asks the server for its models. If the name is known, a server that
// refuses to list any is one whose window is unknown.
func (c *Client) discover(ctx context.Context) (Model, error) {
	model := Model{ID: c.opts.Model, MaxLen: c.opts.Window}
	models, err := c.Models(ctx)
	if err != nil {
		var e *llm.Error
		if model.ID != "" && errors.As(err, &e) && e.Status != 0 && !errors.Is(err, llm.ErrOverloaded) {
			return model, nil
		}
		return Model{}, err
	}
	listed, ok := pick(models, model.ID)
	if model.ID == "" {
		if !ok {
			return Model{}, &llm.Error{Kind: llm.ErrBadRequest, Endpoint: c.name, Err: notOne(models)}
		}
		model.ID = listed.ID
	}
	if model.MaxLen == 0 {
		model.MaxLen = listed.MaxLen
	}
	return model, nil
}

// pick returns the model of that name or else the only one: some servers have
// one, and answer to any name.
func pick(models []Model, name string) (m Model, ok bool) {
	for _, m := range models {
		if m.ID == name {
			return m, true
		}
	}
	if len(models) == 1 {
		return models[0], true
	}
	return Model{}, false
}

func notOne(models []Model) error {
	if len(models) == 0 {
		return errors.New("no model is named, and the server lists none")
	}
	var ids []string
	for _, m := range models {
		ids = append(ids, m.ID)
	}
	return fmt.Errorf("no model is named, and the server lists %d: %s", len(ids), strings.Join(ids, ", "))
}

// do makes a call that go-openai does not know: in is sent as JSON, unless it
// is nil, and the reply decoded into out.
func (c *Client) do(ctx context.Context, method, url string, in, out any) error {
	if c.bad != nil {
		return c.bad
	}
	var body bytes.Buffer
	if in != nil {
		data, err := text.JSON(in)
		if err != nil {
			return fmt.Errorf("openai: %s: %w", url, err)
		}
		body.Write(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, &body)
	if err != nil {
		return c.explain(ctx, err)
	}
	req.Header.Set("Accept", "application/json")
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return c.explain(ctx, err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return c.unreadable(misshapen(err))
	}
	return nil
}
