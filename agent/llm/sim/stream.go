package sim

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// chunkTokens is the number of tokens in one chunk of streamed text.
const chunkTokens = 4

// stream sends the reply as server-sent events: the same text as a reply in
// one piece, in small chunks. Half of the delay passes before its first chunk,
// half before its last. A client that goes away ends it.
func stream(w http.ResponseWriter, r *http.Request, out *reply, req *chatRequest, delay time.Duration) {
	if !wait(r.Context(), delay/2) {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	s := &streamer{w: w, out: out}
	if out.blankLines > 0 {
		s.write(strings.Repeat("\n", out.blankLines))
	}
	if !out.noChoices {
		s.body()
	}
	if !wait(r.Context(), delay-delay/2) {
		return
	}
	if !out.noChoices {
		s.end()
	}
	if out.noChoices || req.StreamOptions != nil && req.StreamOptions.IncludeUsage {
		s.send(&chatResponse{Choices: []choice{}, Usage: &out.use})
	}
	s.write("data: [DONE]\n\n")
	s.flush()
}

// A streamer writes the events of one reply. A client that has gone shows at
// the next wait, so write errors are not looked at.
type streamer struct {
	w   http.ResponseWriter
	out *reply
}

func (s *streamer) body() {
	empty := ""
	s.delta(delta{Role: "assistant", Content: &empty})
	eachChunk(s.out.reasoning, func(piece string) {
		var d delta
		if s.out.newField {
			d.Reasoning = piece
		}
		if s.out.oldField {
			d.Thinking = piece
		}
		s.delta(d)
	})
	if s.out.content != nil {
		eachChunk(*s.out.content, func(piece string) { s.delta(delta{Content: &piece}) })
	}
	for i := range s.out.calls {
		s.call(i)
	}
	s.flush()
}

// call streams one tool call: its head, then its arguments in fragments.
func (s *streamer) call(i int) {
	c := &s.out.calls[i]
	head := callDelta{Index: i, ID: &c.ID, Type: "function", Function: functionDelta{Name: &c.Function.Name}}
	pieces := eachChunk
	if s.out.nullIDs {
		head.ID = nil
		pieces = eachRune
	}
	s.delta(delta{ToolCalls: []callDelta{head}})
	pieces(c.arguments(), func(piece string) {
		s.delta(delta{ToolCalls: []callDelta{{Index: i, Function: functionDelta{Arguments: piece}}}})
	})
}

func (s *streamer) end() {
	c := choice{Delta: &delta{}, Finish: &s.out.finish}
	if s.out.stopReason != "" {
		c.StopReason = &s.out.stopReason
	}
	s.send(&chatResponse{Choices: []choice{c}})
}

func (s *streamer) delta(d delta) { s.send(&chatResponse{Choices: []choice{{Delta: &d}}}) }

func (s *streamer) send(chunk *chatResponse) {
	chunk.ID, chunk.Object, chunk.Created, chunk.Model = s.out.id, "chat.completion.chunk", created, s.out.model
	body, err := json.Marshal(chunk)
	if err != nil {
		return // strings and numbers always marshal
	}
	s.write("data: " + string(body) + "\n\n")
}

func (s *streamer) write(text string) {
	s.w.Write([]byte(text)) //nolint:errcheck // see streamer
}

func (s *streamer) flush() {
	http.NewResponseController(s.w).Flush() //nolint:errcheck // not every writer can
}

// eachChunk calls f with s in pieces of a few tokens that make s again.
func eachChunk(s string, f func(piece string)) {
	start, n := 0, 0
	eachToken(s, func(_, end int) bool {
		if n++; n%chunkTokens == 0 {
			f(s[start:end])
			start = end
		}
		return true
	})
	if start < len(s) {
		f(s[start:])
	}
}

func eachRune(s string, f func(piece string)) {
	for _, r := range s {
		f(string(r))
	}
}
