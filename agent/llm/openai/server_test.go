package openai_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/agent/llm/openai"
)

// TestMain names a proxy that does not exist: every test below thereby checks
// that loopback addresses go round it.
func TestMain(m *testing.M) {
	os.Setenv("HTTP_PROXY", "http://192.0.2.1:9")
	os.Exit(m.Run())
}

// A server is one that a test wrote: the answers to each path in turn, the last
// of which stays. It records what it was sent.
type server struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string][]answer
	seen    []exchange
}

type answer struct {
	status int // 200 if 0
	header map[string]string
	body   string
}

type exchange struct{ path, auth, body string }

func newServer(t testing.TB, answers map[string][]answer) *server {
	s := &server{answers: answers}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, exchange{path: r.URL.Path, auth: r.Header.Get("Authorization"), body: string(body)})
	left := s.answers[r.URL.Path]
	if len(left) == 0 {
		http.NotFound(w, r)
		return
	}
	if len(left) > 1 {
		s.answers[r.URL.Path] = left[1:]
	}
	a := left[0]
	if strings.HasPrefix(a.body, "data:") || strings.HasPrefix(a.body, ":") {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	}
	for k, v := range a.header {
		w.Header().Set(k, v)
	}
	w.WriteHeader(max(a.status, 200))
	io.WriteString(w, a.body)
}

// bodies returns what was sent to a path.
func (s *server) bodies(path string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, e := range s.seen {
		if e.path == path {
			out = append(out, e.body)
		}
	}
	return out
}

const chat = "/v1/chat/completions"

const saysHi = `{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],` +
	`"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}`

// chatServer answers chat requests alone.
func chatServer(t testing.TB, answers ...answer) *server {
	return newServer(t, map[string][]answer{chat: answers})
}

// named are options that leave nothing to discover.
var named = openai.Options{Model: "m", Window: 1000}

func user(content string) *llm.Request {
	return &llm.Request{Messages: []llm.Message{{Role: llm.User, Content: content}}}
}

func ptr[T any](v T) *T { return &v }

// sameJSON compares a body with what a test wrote with indentation.
func sameJSON(t *testing.T, want, got string) {
	t.Helper()
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(want)); err != nil {
		t.Fatalf("the wanted JSON: %v", err)
	}
	if diff := cmp.Diff(compact.String(), got); diff != "" {
		t.Errorf("body mismatch (-want +got):\n%s", diff)
	}
}

// words returns a text of about n tokens by the estimate of 3.6 bytes each.
func words(n int) string { return strings.Repeat("trawl ", n*36/60) }
