package sim

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"
)

const (
	maxBody = 32 << 20      // of a request
	created = 1_700_000_000 // the same in every reply: replies are functions of their requests
)

// chat answers POST /v1/chat/completions.
func (s *server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		writeError(w, http.StatusBadRequest, "BadRequestError", err.Error())
		return
	}
	var req chatRequest
	if err := json.Unmarshal(body, &req); err != nil {
		writeError(w, http.StatusBadRequest, "BadRequestError", err.Error())
		return
	}
	if err := req.validate(); err != nil {
		writeError(w, http.StatusBadRequest, "BadRequestError", err.Error())
		return
	}
	if req.Model != "" && !slices.Contains(s.models, req.Model) {
		writeError(w, http.StatusNotFound, "NotFoundError", fmt.Sprintf("The model `%s` does not exist.", req.Model))
		return
	}
	if req.Model == "" {
		req.Model = s.models[0]
	}
	prompt, cached := promptTokens(req.Messages, req.Tools)
	room, err := s.room(&req, prompt)
	if err != nil {
		writeError(w, http.StatusBadRequest, "BadRequestError", err.Error())
		return
	}
	conv := newConversation(&req)
	key := requestHash(&req)
	fault := s.faults.next(conv, key)
	if fault != nil && fault.transport != nil && fault.transport(w, r, &req) {
		return
	}
	m := &model{traits: s.skillOf(req.Model).traits(), temperature: req.temperature(), key: key, reasoning: s.opts.Reasoning, parses: &s.parses}
	raw := m.reply(conv)
	if fault != nil && fault.raw != nil {
		raw = fault.raw(raw, conv)
	}
	out := s.parse(raw, &req, room)
	out.use = usage{Prompt: prompt, Completion: out.tokens, Total: prompt + out.tokens, Details: promptDetails{Cached: cached}}
	if fault != nil && fault.reply != nil {
		fault.reply(out, raw)
	}
	out.id = "chatcmpl-" + strconv.FormatInt(key, 16)
	out.model = req.Model
	delay := s.opts.Latency.draw(key)
	if req.Stream {
		stream(w, r, out, &req, delay)
		return
	}
	if wait(r.Context(), delay) {
		writeJSON(w, http.StatusOK, out.response())
	}
}

// room returns how many tokens the completion may have, or vLLM's complaint
// about a request that does not fit the context window.
func (s *server) room(req *chatRequest, prompt int) (int, error) {
	limit := s.opts.MaxModelLen
	n, given := req.limit()
	switch {
	case prompt >= limit:
		return 0, fmt.Errorf("This model's maximum context length is %d tokens. However, your request has %d input tokens. "+
			"Please reduce the length of the input messages.", limit, prompt) //nolint:staticcheck // vLLM's own text
	case given && prompt+n > limit:
		return 0, fmt.Errorf("'max_tokens' or 'max_completion_tokens' is too large: %d. This model's maximum context length is %d tokens "+
			"and your request has %d input tokens (%d > %d - %d).", n, limit, prompt, n, limit, prompt) //nolint:staticcheck // vLLM's own text
	case given:
		return n, nil
	}
	return limit - prompt, nil
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

// half splits the latency of a streamed reply: one half before its first
// chunk, the other before its last.
func half(d time.Duration) (first, rest time.Duration) { return d / 2, d - d/2 }
