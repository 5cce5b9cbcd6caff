package openai_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm"
	"trawl/agent/llm/openai"
)

// What vLLM says of two tokens, the second of which has no bytes; in one reply, and
// in the events of a stream, of which some have none.
const (
	firstToken  = `{"token":"h","logprob":-0.5,"bytes":[104],"top_logprobs":[{"token":"h","logprob":-0.5,"bytes":[104]},{"token":"o","logprob":-1.5,"bytes":[111]}]}`
	secondToken = `{"token":"i","logprob":0,"bytes":null,"top_logprobs":[{"token":"i","logprob":0.0},{"token":"\ufffd","logprob":-9999.0,"bytes":[195]}]}`
	usage52     = `"usage":{"prompt_tokens":5,"completion_tokens":2}`
)

var twoTokens = []llm.Token{{Text: "h", Top: []float64{-0.5, -1.5}}, {Text: "i", Top: []float64{0, -9999}}}

// asking asks for the 16 likeliest tokens.
func asking() *llm.Request {
	req := user("q")
	req.Logprobs = 16
	return req
}

func TestLogprobs(t *testing.T) {
	reply := func(logprobs string) string {
		return `{"choices":[{"index":0,"message":{"content":"hi"},"logprobs":` + logprobs + `,"finish_reason":"stop"}],` + usage52 + `}`
	}
	stream := events(`{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null}]}`,
		`{"choices":[{"index":0,"delta":{"content":"h"},"logprobs":{"content":[`+firstToken+`]}}]}`,
		`{"choices":[{"index":0,"delta":{"content":"i"},"logprobs":{"content":[`+secondToken+`]},"finish_reason":"stop"}]}`, `{"choices":[],`+usage52+`}`)
	tests := []struct {
		name, body string
		want       []llm.Token
	}{
		{"vLLM's", reply(`{"content":[` + firstToken + `,` + secondToken + `]}`), twoTokens},
		{"vLLM's, streamed", stream, twoTokens},
		{"bytes are the token, where half a letter has a mark", reply(`{"content":[{"token":"\ufffd","logprob":0,"bytes":[195,188],"top_logprobs":[]}]}`), []llm.Token{{Text: "ü", Top: []float64{}}}},
		{"an alternative without a logprob", reply(`{"content":[` + firstToken + `,{"token":"i","top_logprobs":[{"token":"i","logprob":-0.1},{"token":"o"}]}]}`), []llm.Token{twoTokens[0], {Text: "i", Top: []float64{}}}},
		{"an alternative whose logprob is null", reply(`{"content":[{"token":"hi","top_logprobs":[{"token":"hi","logprob":null},{"token":"o","logprob":-2}]}]}`), []llm.Token{{Text: "hi", Top: []float64{}}}},
		{"ignored", saysHi, nil},
		{"null", reply(`null`), nil},
		{"without content", reply(`{"content":null,"refusal":null}`), nil},
		{"of the older protocol", reply(`{"tokens":["h"],"token_logprobs":[-1]}`), nil},
		{"of another shape", reply(`{"content":[{"token":7}]}`), nil},
		{"a list", reply(`[1]`), nil},
		{"broken in one event", strings.Replace(stream, `"logprob":0,`, `"logprob":"-inf",`, 1), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			opts := named
			opts.Stream = strings.HasPrefix(tt.body, "data:")
			s := chatServer(t, answer{body: tt.body})
			got, err := openai.New(s.URL, opts).Complete(t.Context(), asking())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.Tokens); diff != "" || got.Message.Content != "hi" {
				t.Errorf("content %q, tokens (-want +got):\n%s", got.Message.Content, diff)
			}
			if body := s.bodies(chat)[0]; !strings.Contains(body, `"logprobs":true`) || !strings.Contains(body, `"top_logprobs":16`) {
				t.Errorf("sent %s", body)
			}
		})
	}
}

// Who does not ask sends no key for it, and hears of no tokens.
func TestNoLogprobs(t *testing.T) {
	s := chatServer(t, answer{body: `{"choices":[{"message":{"content":"hi"},"logprobs":{"content":[` + firstToken + `]}}]}`})
	got, err := openai.New(s.URL, named).Complete(t.Context(), user("q"))
	if err != nil || got.Tokens != nil {
		t.Errorf("tokens %v, error %v", got.Tokens, err)
	}
	if body := s.bodies(chat)[0]; strings.Contains(body, "logprobs") {
		t.Errorf("sent %s", body)
	}
}

// A server that refuses logprobs is asked again without, and from then on.
func TestLogprobsRefused(t *testing.T) {
	for name, refusal := range map[string]answer{
		"OpenAI's":     {status: 400, body: `{"error":{"message":"You are not allowed to request logprobs from this model","type":"invalid_request_error"}}`},
		"pydantic's":   {status: 422, body: `{"detail":[{"type":"extra_forbidden","loc":["body","top_logprobs"],"msg":"Extra inputs are not permitted"}]}`},
		"vLLM's bound": {status: 400, body: `{"error":{"message":"Requested sample logprobs of 16, which is greater than max allowed: 5","code":400}}`},
		"llama.cpp's":  {status: 500, body: `{"error":{"message":"logprobs is not supported with tools + stream","code":500}}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := chatServer(t, refusal, answer{body: saysHi})
			c := openai.New(s.URL, named)
			for range 2 {
				got, err := c.Complete(t.Context(), asking())
				if err != nil || got.Tokens != nil || got.Message.Content != "hi" {
					t.Fatalf("reply %+v, error %v", got, err)
				}
			}
			var with []bool
			for _, body := range s.bodies(chat) {
				with = append(with, strings.Contains(body, "logprobs"))
			}
			if diff := cmp.Diff([]bool{true, false, false}, with); diff != "" {
				t.Errorf("requests with logprobs (-want +got):\n%s", diff)
			}
		})
	}
}
