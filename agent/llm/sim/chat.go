package sim

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"slices"
	"strconv"
)

const (
	maxBody = 32 << 20      // of a request
	created = 1_700_000_000 // the same in every reply: replies are functions of their requests
)

// A refusal is a request that the server does not carry out, and why.
type refusal struct {
	status int
	kind   string
	reason string
}

func badRequest(reason string) *refusal {
	return &refusal{http.StatusBadRequest, "BadRequestError", reason}
}

// An order is a chat request that can be carried out.
type order struct {
	chatRequest
	prompt, cached int   // tokens
	room           int   // tokens that the completion may have
	key            int64 // hash of what the reply depends on
}

// chat answers POST /v1/chat/completions.
func (s *server) chat(w http.ResponseWriter, r *http.Request) {
	req, no := s.admit(w, r)
	if no != nil {
		writeError(w, no.status, no.kind, no.reason)
		return
	}
	conv := newConversation(&req.chatRequest)
	fault := s.faults.next(conv, req.key)
	if fault.transport != nil && fault.transport(w, r, &req.chatRequest) {
		return
	}
	out := s.complete(req, conv, fault)
	delay := s.opts.Latency.draw(req.key)
	if req.Stream {
		stream(w, r, out, &req.chatRequest, delay)
		return
	}
	if wait(r.Context(), delay) {
		writeJSON(w, http.StatusOK, out.response())
	}
}

// admit reads a request and checks it.
func (s *server) admit(w http.ResponseWriter, r *http.Request) (*order, *refusal) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, badRequest(err.Error())
	}
	var o order
	if err := json.Unmarshal(body, &o.chatRequest); err != nil {
		return nil, badRequest(err.Error())
	}
	if complaint := o.validate(); complaint != "" {
		return nil, badRequest(complaint)
	}
	if o.Model == "" {
		o.Model = s.models[0]
	}
	if !slices.Contains(s.models, o.Model) {
		return nil, &refusal{http.StatusNotFound, "NotFoundError", fmt.Sprintf("The model `%s` does not exist.", o.Model)}
	}
	o.prompt, o.cached = promptTokens(o.Messages, o.Tools)
	var complaint string
	if o.room, complaint = s.room(&o.chatRequest, o.prompt); complaint != "" {
		return nil, badRequest(complaint)
	}
	o.key = requestHash(&o.chatRequest)
	return &o, nil
}

// complete lets the model reply, and the server's parsers read what it wrote.
func (s *server) complete(o *order, conv *conversation, fault fault) *reply {
	m := &model{traits: s.skillOf(o.Model).traits(), temperature: o.temperature(), key: o.key, reasoning: s.opts.Reasoning, parses: &s.parses}
	raw := m.reply(conv)
	if fault.raw != nil {
		raw = fault.raw(raw, conv)
	}
	out := s.parse(raw, &o.chatRequest, o.room)
	if fault.reply != nil {
		fault.reply(out, raw)
	}
	out.id, out.model = "chatcmpl-"+strconv.FormatInt(o.key, 16), o.Model
	out.use = usage{Prompt: o.prompt, Completion: out.tokens, Total: o.prompt + out.tokens, Details: promptDetails{Cached: o.cached}}
	return out
}

// room returns how many tokens the completion may have, or vLLM's complaint
// about a request that does not fit the context window.
func (s *server) room(req *chatRequest, prompt int) (tokens int, complaint string) {
	limit := s.opts.MaxModelLen
	n, given := req.limit()
	switch {
	case prompt >= limit:
		return 0, fmt.Sprintf("This model's maximum context length is %d tokens. However, your request has %d input tokens. "+
			"Please reduce the length of the input messages.", limit, prompt)
	case given && prompt+n > limit:
		return 0, fmt.Sprintf("'max_tokens' or 'max_completion_tokens' is too large: %d. This model's maximum context length is %d tokens "+
			"and your request has %d input tokens (%d > %d - %d).", n, limit, prompt, n, limit, prompt)
	case given:
		return n, ""
	}
	return limit - prompt, ""
}

// requestHash hashes what a reply depends on: messages, tools, temperature and
// seed, but not whether it is streamed.
func requestHash(req *chatRequest) int64 {
	h := fnv.New64a()
	write := func(s string) {
		io.WriteString(h, s) //nolint:errcheck // a hash does not fail
		h.Write([]byte{0xff})
	}
	write(req.Model)
	write(strconv.FormatInt(req.seed(), 10))
	write(strconv.FormatFloat(req.temperature(), 'g', -1, 64))
	for i := range req.Messages {
		m := &req.Messages[i]
		write(m.Role)
		write(m.text())
		write(m.reasoning())
		for j := range m.ToolCalls {
			write(m.ToolCalls[j].Function.Name)
			write(m.ToolCalls[j].arguments())
		}
	}
	for i := range req.Tools {
		write(req.Tools[i].Function.Name)
	}
	if req.toolsOff() {
		write("none")
	}
	return int64(h.Sum64() >> 1)
}

// listModels answers GET /v1/models.
func (s *server) listModels(w http.ResponseWriter, _ *http.Request) {
	type model struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int64  `json:"created"`
		OwnedBy string `json:"owned_by"`
		MaxLen  int    `json:"max_model_len"`
	}
	list := make([]model, len(s.models))
	for i, id := range s.models {
		list[i] = model{ID: id, Object: "model", Created: created, OwnedBy: "trawl (simulated)", MaxLen: s.opts.MaxModelLen}
	}
	writeJSON(w, http.StatusOK, struct {
		Object string  `json:"object"`
		Data   []model `json:"data"`
	}{"list", list})
}

// tokenize answers POST /tokenize with the count of a prompt or of messages.
func (s *server) tokenize(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Prompt   *string   `json:"prompt"`
		Messages []message `json:"messages"`
		Tools    []tool    `json:"tools"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&req); err != nil {
		writeError(w, http.StatusBadRequest, "BadRequestError", err.Error())
		return
	}
	var count int
	var ids []int
	if req.Prompt != nil {
		ids = tokenIDs(*req.Prompt)
		count = len(ids)
	} else {
		count, _ = promptTokens(req.Messages, req.Tools)
		ids = promptIDs(req.Messages, count)
	}
	writeJSON(w, http.StatusOK, struct {
		Count  int   `json:"count"`
		MaxLen int   `json:"max_model_len"`
		Tokens []int `json:"tokens"`
	}{count, s.opts.MaxModelLen, ids})
}

func writeError(w http.ResponseWriter, status int, kind, text string) {
	writeJSON(w, status, errorBody{errorDetail{Message: text, Type: kind, Code: status}})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(append(body, '\n')) //nolint:errcheck // the client has gone
}
