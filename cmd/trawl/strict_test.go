package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trawl/agent/llm/sim"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

// A strictServer is a simulated model behind a server that looks at every
// conversation it is sent. One that a strict chat template would not take is
// refused, and a failure of the test.
type strictServer struct {
	url string

	mu    sync.Mutex
	asked map[string]int // how often each request came, by its body
}

// newStrictServer starts one; it ends with the test.
func newStrictServer(t *testing.T, o sim.Options) *strictServer {
	t.Helper()
	s := &strictServer{asked: map[string]int{}}
	model := sim.New(o)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" {
			model.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = validRequest(body)
		}
		if err != nil && r.Context().Err() == nil {
			t.Errorf("a request is not valid: %v\n%s", err, body)
			http.Error(w, `{"error":{"message":"the request is not valid"}}`, http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		s.asked[string(body)]++
		s.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		model.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections() // some wait for a reply for ever
		server.Close()
	})
	s.url = server.URL
	return s
}

// calls counts the model calls so far, those whose last message has the mark.
func (s *strictServer) calls(mark string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for body, times := range s.asked {
		var req wireRequest
		if json.Unmarshal([]byte(body), &req) == nil && strings.Contains(*req.Messages[len(req.Messages)-1].Content, mark) {
			n += times
		}
	}
	return n
}

// repeated counts the calls that had been made before in the same words.
func (s *strictServer) repeated() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, times := range s.asked {
		n += times - 1
	}
	return n
}

// A wireRequest is what a strict template reads of a request.
type wireRequest struct {
	Messages []wireMessage     `json:"messages"`
	Tools    []json.RawMessage `json:"tools"`
}

type wireMessage struct {
	Role      string  `json:"role"`
	Content   *string `json:"content"`
	CallID    string  `json:"tool_call_id"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// validRequest says what a strict server has against a request: roles out of
// turn, calls without exactly one answer, answers to no call, arguments that are
// no object, calls of tools where the request has none.
func validRequest(body []byte) error {
	var req wireRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return err
	}
	if n := len(req.Messages); n == 0 || req.Messages[n-1].Role == "assistant" || req.Messages[n-1].Role == "system" {
		return errors.New("there is nothing to reply to")
	}
	c := checker{open: map[string]bool{}, ids: map[string]bool{}, tools: len(req.Tools) > 0}
	for i, m := range req.Messages {
		if err := c.message(m); err != nil {
			return fmt.Errorf("message %d, of %s: %w", i, m.Role, err)
		}
	}
	if len(c.open) > 0 {
		return errors.New("the last calls have no answer")
	}
	return nil
}

// A checker reads a conversation message by message.
type checker struct {
	tools  bool            // the request has some
	before string          // role of the message before
	asked  bool            // a message of the user's came
	ids    map[string]bool // of all calls
	open   map[string]bool // ids of calls that wait for their answer
}

func (c *checker) message(m wireMessage) error {
	switch {
	case m.Content == nil:
		return errors.New("its content is not a text")
	case m.Role == "system" && c.before != "":
		return errors.New("it is not the first")
	case m.Role == "assistant" && !c.asked:
		return errors.New("no message of the user's came before")
	case m.Role == "tool" && !c.open[m.CallID]:
		return fmt.Errorf("it answers the call %q, which is not open", m.CallID)
	case m.Role != "tool" && len(c.open) > 0:
		return errors.New("it follows calls without an answer")
	case m.Role == c.before && m.Role != "tool":
		return errors.New("it follows one of the same role")
	case len(m.ToolCalls) > 0 && !c.tools:
		return errors.New("it has calls, and the request no tools")
	}
	delete(c.open, m.CallID)
	for _, call := range m.ToolCalls {
		var args map[string]any
		if err := json.Unmarshal([]byte(call.Function.Arguments), &args); err != nil || args == nil || call.ID == "" || call.Function.Name == "" || c.ids[call.ID] {
			return fmt.Errorf("it has the call %+v", call)
		}
		c.ids[call.ID], c.open[call.ID] = true, true
	}
	c.before, c.asked = m.Role, c.asked || m.Role == "user"
	return nil
}

// TestValidRequest makes sure that the checks above check something.
func TestValidRequest(t *testing.T) {
	const (
		user   = `{"role":"user","content":"Who?"}`
		call   = `{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":{"name":"search","arguments":"{\"query\":\"x\"}"}}]}`
		result = `{"role":"tool","tool_call_id":"c1","content":"nobody"}`
	)
	tests := []struct {
		name, messages, want string
	}{
		{"a question", user, ""},
		{"a result", user + "," + call + "," + result, ""},
		{"a question about a result", user + "," + call + "," + result + "," + user, ""},
		{"no message", "", "nothing to reply to"},
		{"a call without an answer", user + "," + call, "nothing to reply to"},
		{"a call that is not answered at once", user + "," + call + "," + user + "," + result, "message 2, of user: it follows calls without an answer"},
		{"an answer too many", user + "," + call + "," + result + "," + result, `message 3, of tool: it answers the call "c1", which is not open`},
		{"the same id twice", user + "," + call + "," + result + "," + call + "," + result, "message 3, of assistant: it has the call"},
		{"two questions", user + "," + user, "message 1, of user: it follows one of the same role"},
		{"rules at the end", user + `,{"role":"system","content":"Be brief."},` + user, "message 1, of system: it is not the first"},
		{"no question", `{"role":"system","content":"Be brief."},` + call + "," + result, "message 1, of assistant: no message"},
		{"null", `{"role":"user","content":null}`, "its content is not a text"},
		{"arguments that are no object", user + `,{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":{"name":"search","arguments":"x"}}]},` + result, "it has the call"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := validRequest([]byte(`{"tools":[{}],"messages":[` + tt.messages + `]}`))
			if got := fmt.Sprint(err); tt.want == "" && err != nil || !strings.Contains(got, tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// readStates returns the states of a run, sorted by key. Each has one line.
func readStates(t *testing.T, dir string) []trajectory.State {
	t.Helper()
	all, counts, err := store.ReadStates(dir)
	if err != nil {
		t.Fatal(err)
	}
	if counts.Parsed != len(all) || len(counts.Dropped) > 0 || counts.Torn > 0 {
		t.Errorf("%d states in %d lines, %d dropped, %d bytes torn", len(all), counts.Parsed, len(counts.Dropped), counts.Torn)
	}
	return all
}

// states returns the states of a run as lines, without times.
func states(t *testing.T, dir string) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, s := range readStates(t, dir) {
		s.Started, s.Millis, s.Spent.Millis = time.Time{}, 0, 0
		if err := enc.Encode(s); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// copyRun copies a run folder and returns where the copy is.
func copyRun(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// A mortalServer is a simulated model that is gone after some calls.
type mortalServer struct {
	url  string
	left atomic.Int64
}

func newMortalServer(t *testing.T) *mortalServer {
	t.Helper()
	s := &mortalServer{}
	s.left.Store(1 << 30)
	model := sim.New(sim.Options{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/chat/completions" && s.left.Add(-1) < 0 {
			panic(http.ErrAbortHandler)
		}
		model.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func noEnv(string) (string, bool) { return "", false }
