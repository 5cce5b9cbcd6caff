package openai_test

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"trawl/agent/llm"
	"trawl/agent/llm/openai"
)

func TestRefusals(t *testing.T) {
	soon := time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)
	past := time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)
	after := func(v string) map[string]string { return map[string]string{"Retry-After": v} }
	tests := []struct {
		name      string
		answer    answer
		want      error
		wantBody  string
		wantAfter time.Duration // exact, but for the date
	}{
		{"error object", answer{status: 400, body: `{"error":{"message":"bad top_k","type":"BadRequestError","code":400}}`}, llm.ErrBadRequest, "bad top_k", 0},
		{"old error", answer{status: 400, body: `{"object":"error","message":"bad top_k","code":40001}`}, llm.ErrBadRequest, "bad top_k", 0},
		{"error is a text", answer{status: 404, body: `{"error":"model 'm' not found"}`}, llm.ErrBadRequest, "model 'm' not found", 0},
		{"detail", answer{status: 422, body: `{"detail":"odd"}`}, llm.ErrBadRequest, "odd", 0},
		{"detail is a list", answer{status: 422, body: `{"detail":[{"loc":["body"],"msg":"field required"}]}`}, llm.ErrBadRequest, "field required", 0},
		{"plain text", answer{status: 413, body: "too\n big"}, llm.ErrBadRequest, "too big", 0},
		{"nothing", answer{status: 400}, llm.ErrBadRequest, "", 0},
		{"redirect", answer{status: 307, header: map[string]string{"Location": "https://b/v1"}}, llm.ErrBadRequest, "", 0},

		{"429 with seconds", answer{status: 429, header: after("7"), body: `{"error":{"message":"slow down"}}`}, llm.ErrOverloaded, "slow down", 7 * time.Second},
		{"429 with parts of a second", answer{status: 429, header: after("0.5")}, llm.ErrOverloaded, "", time.Second / 2},
		{"429 with a date", answer{status: 429, header: after(soon)}, llm.ErrOverloaded, "", 90 * time.Second},
		{"429 with a past date", answer{status: 429, header: after(past)}, llm.ErrOverloaded, "", 0},
		{"429 with nonsense", answer{status: 429, header: after("soon")}, llm.ErrOverloaded, "", 0},
		{"429 with less than nothing", answer{status: 429, header: after("-3")}, llm.ErrOverloaded, "", 0},
		{"429 with for ever", answer{status: 429, header: after("1e300")}, llm.ErrOverloaded, "", 24 * time.Hour},
		{"429 that speaks of tokens", answer{status: 429, body: `{"error":{"message":"prompt is too long for your rate"}}`}, llm.ErrOverloaded, "rate", 0},
		{"429 without credit", answer{status: 429, body: `{"error":{"message":"quota","code":"insufficient_quota"}}`}, llm.ErrBadRequest, "quota", 0},
		{"503", answer{status: 503, header: after("3"), body: "loading"}, llm.ErrOverloaded, "loading", 3 * time.Second},
		{"529", answer{status: 529, body: `{"error":{"type":"overloaded_error","message":"busy"}}`}, llm.ErrOverloaded, "busy", 0},

		{"500", answer{status: 500, body: `{"error":{"message":"CUDA error"}}`}, llm.ErrServer, "CUDA error", 0},
		{"502 in HTML", answer{status: 502, body: "<html>\n<h1>502 Bad Gateway</h1>"}, llm.ErrServer, "502 Bad Gateway", 0},
		{"408", answer{status: 408}, llm.ErrUnreachable, "", 0},

		{"status inside a good reply", answer{body: `{"error":{"message":"slow down","code":429}}`}, llm.ErrOverloaded, "slow down", 0},
		{"context length inside a stream", answer{body: events(`{"error":{"message":"This model's maximum context length is 4096 tokens","code":400}}`)}, llm.ErrContextLength, "4096", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := chatServer(t, tt.answer)
			_, err := openai.New(s.URL, named).Complete(t.Context(), user("q"))
			var e *llm.Error
			if !errors.As(err, &e) || e.Kind != tt.want {
				t.Fatalf("err = %v, want %v", err, tt.want)
			}
			if !strings.Contains(e.Body, tt.wantBody) || tt.wantBody == "" && e.Body != "" {
				t.Errorf("body = %q, want %q in it", e.Body, tt.wantBody)
			}
			if d := tt.wantAfter - e.RetryAfter; d < 0 || d > 5*time.Second || d != 0 && tt.name != "429 with a date" {
				t.Errorf("RetryAfter = %v, want %v", e.RetryAfter, tt.wantAfter)
			}
			if e.Endpoint != s.URL+"/v1" {
				t.Errorf("endpoint = %q", e.Endpoint)
			}
			if loc := tt.answer.header["Location"]; !strings.Contains(err.Error(), loc) {
				t.Errorf("err = %v, want %q in it", err, loc)
			}
		})
	}
}

// TestTooLong has each server's words for a prompt that does not fit.
func TestTooLong(t *testing.T) {
	tests := []struct {
		name   string
		answer answer
	}{
		{"OpenAI's code", answer{status: 400, body: `{"error":{"message":"too long","code":"context_length_exceeded"}}`}},
		{"vLLM", answer{status: 400, body: `{"object":"error","message":"This model's maximum context length is 40960 tokens. However, you requested 44996 tokens (40900 in the messages, 4096 in the completion)."}`}},
		{"vLLM, decoder", answer{status: 400, body: `{"error":{"message":"The decoder prompt (length 41000) is longer than the maximum model length of 40960.","type":"BadRequestError","code":400}}`}},
		{"vLLM, negative room", answer{status: 400, body: `{"error":{"message":"max_tokens must be at least 1, got -186.","code":400}}`}},
		{"SGLang", answer{status: 400, body: `{"object":"error","message":"The input (291793 tokens) is longer than the model's context length (262144 tokens)."}`}},
		{"SGLang, behind a gateway", answer{status: 503, body: `Requested token count exceeds the model's maximum context length of 131072 tokens.`}},
		{"llama.cpp", answer{status: 400, body: `{"error":{"code":400,"message":"request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error","n_ctx":8192}}`}},
		{"llama.cpp, older", answer{status: 500, body: `{"error":{"code":500,"message":"input is larger than the max context size. skipped","type":"server_error"}}`}},
		{"LM Studio", answer{status: 400, body: `{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}`}},
		{"TGI", answer{status: 422, body: "{\"error\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096\",\"error_type\":\"validation\"}"}},
		{"Ollama", answer{status: 400, body: `{"error":"input length exceeds the context length"}`}},
		{"Anthropic", answer{status: 400, body: `{"error":{"message":"prompt is too long: 213462 tokens > 200000 maximum"}}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := chatServer(t, tt.answer)
			_, err := openai.New(s.URL, named).Complete(t.Context(), user("q"))
			if !errors.Is(err, llm.ErrContextLength) || len(s.bodies(chat)) != 1 {
				t.Errorf("err = %v after %d calls, want ErrContextLength after 1", err, len(s.bodies(chat)))
			}
		})
	}
}

// TestPages checks what is left of the pages that proxies send.
func TestPages(t *testing.T) {
	page := "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx/1.24</center>\r\n</body>\r\n</html>"
	tests := []struct{ name, body, want string }{
		{"nginx", page, "502 Bad Gateway 502 Bad Gateway nginx/1.24"},
		{"inside JSON", `{"error":{"message":"<html><body><p>a &lt;b&gt;</p>"}}`, "a <b>"},
		{"no page", "want <search> and <|im_end|>", "want <search> and <|im_end|>"},
		{"codes for a terminal", "a\x1b[31mb", "a[31mb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := chatServer(t, answer{status: 502, body: tt.body})
			_, err := openai.New(s.URL, named).Complete(t.Context(), user("q"))
			if want := "llm: " + s.URL + "/v1: the server failed (HTTP 502): " + tt.want; err == nil || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
}

func TestKeyIsNotShown(t *testing.T) {
	const key = "sk-verysecret"
	for _, status := range []int{200, 400, 401, 403, 500} {
		s := chatServer(t, answer{status: status, header: map[string]string{"Location": "http://me:password@b"}, body: `{"error":{"message":"password Incorrect API key provided: ` + strings.Repeat("x", 2020) + key + `"}}`})
		opts := named
		opts.Key, opts.KeyName = key, "OPENAI_API_KEY"
		endpoint := strings.Replace(s.URL, "http://", "http://me:password@", 1)
		_, err := openai.New(endpoint, opts).Complete(t.Context(), user("q"))
		if err == nil {
			t.Fatalf("%d: no error", status)
		}
		said := err.Error()
		if strings.Contains(said, "sk-v") || strings.Contains(said, "password") || strings.Contains(said, "me:") || strings.Contains(said, "me@") {
			t.Errorf("%d: error shows a secret: %s", status, said)
		}
		if named := strings.Contains(said, "$OPENAI_API_KEY"); named != (status == 401 || status == 403) {
			t.Errorf("%d: error names the variable: %v: %s", status, named, said)
		}
	}
	s := chatServer(t, answer{status: 401})
	_, err := openai.New(s.URL, named).Complete(t.Context(), user("q"))
	if err == nil || !strings.Contains(err.Error(), "$TRAWL_API_KEY holds no key") {
		t.Errorf("err = %v, want that there is no key", err)
	}
}

func TestUnreachable(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	resetting, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer resetting.Close()
	go func() {
		for {
			conn, err := resetting.Accept()
			if err != nil {
				return
			}
			conn.(*net.TCPConn).SetLinger(0)
			conn.Close()
		}
	}()
	cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		w.Write([]byte(`{"choices":`))
	}))
	defer cut.Close()
	streamCut := chatServer(t, answer{body: "data: {\"choices\":[{\"delta\":{\"content\":\"h\"}}]}\n\n"})
	for name, endpoint := range map[string]string{
		"refused": closed.URL, "reset": resetting.Addr().String(), "cut off": cut.URL, "stream cut off": streamCut.URL,
	} {
		for _, opts := range []openai.Options{named, {}} { // {} asks for the models first
			if name == "stream cut off" && opts.Model == "" {
				continue
			}
			_, err := openai.New(endpoint, opts).Complete(t.Context(), user("q"))
			if !errors.Is(err, llm.ErrUnreachable) || strings.Contains(err.Error(), "->") || strings.Contains(err.Error(), "EOF") {
				t.Errorf("%s: err = %v, want ErrUnreachable without the addresses of both ends", name, err)
			}
			if name == "refused" && !strings.HasSuffix(err.Error(), "cannot be reached: connection refused") {
				t.Errorf("%s: err = %v", name, err)
			}
		}
	}
}
