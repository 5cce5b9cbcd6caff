package openai_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"trawl/agent/llm"
	"trawl/agent/llm/openai"
)

// fixed answers everything with one body.
type fixed struct {
	status int
	kind   string
	body   string
}

func (f fixed) RoundTrip(req *http.Request) (*http.Response, error) {
	io.Copy(io.Discard, req.Body)
	return &http.Response{
		StatusCode: f.status, Header: http.Header{"Content-Type": {f.kind}},
		Body: io.NopCloser(strings.NewReader(f.body)), ContentLength: int64(len(f.body)),
	}, nil
}

// complete sends a request to a server that says body, and checks that what
// comes back is usable or an error of ours.
func complete(t *testing.T, f fixed) {
	opts := named
	opts.Transport, opts.MaxBytes = f, 1<<16
	resp, err := openai.New("http://a", opts).Complete(t.Context(), user("q"))
	if err != nil {
		var e *llm.Error
		if !errors.As(err, &e) || len(e.Body) > 3000 {
			t.Fatalf("err = %v, want an *llm.Error with a short body", err)
		}
		return
	}
	if f.status >= 300 {
		t.Fatalf("a response from status %d", f.status)
	}
	if resp.Message.Role != llm.Assistant || !utf8.ValidString(resp.Message.Content) {
		t.Errorf("message %+v", resp.Message)
	}
	for _, c := range resp.Message.ToolCalls {
		if c.ID == "" {
			t.Errorf("call %+v without an id", c)
		}
	}
}

func FuzzReply(f *testing.F) {
	for _, s := range []string{
		saysHi, `{"choices":[]}`, `{"choices":null}`, `{"choices":[{}]}`, `{"choices":[null]}`, `[]`, `null`, `{`, "",
		`{"choices":[{"message":{"content":[{"text":"a"}],"tool_calls":[{"function":{"name":1,"arguments":{}}}]},"finish_reason":"a\"b"}],"usage":{"prompt_tokens":"x"}}`,
		`{"choices":[{"message":null,"delta":null}]}`, `{"error":{"message":["a"],"code":503}}`, `{"error":7}`, "{\"choices\":[{\"message\":{\"content\":\"\xff\"}}]}",
	} {
		f.Add(s, uint16(0))
		f.Add(s, uint16(200))
	}
	f.Fuzz(func(t *testing.T, body string, status uint16) {
		complete(t, fixed{status: 200 + int(status)%400, kind: "application/json", body: body})
	})
}

func FuzzStream(f *testing.F) {
	for _, s := range []string{
		events(`{"choices":[{"delta":{"content":"h"},"finish_reason":"stop"}]}`), "data:\n\n", "data: [DONE]", "\r\n:\n", "data: {}\ndata: {}\n\n",
		"\ufeffdata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-5,\"function\":{}},{}]}}]}\n\ndata: [DONE]\n\n", "data: null\n\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		complete(t, fixed{status: 200, kind: "text/event-stream", body: body})
	})
}
