package sim_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trawl/agent/llm/sim"
)

// TestFaults replays every fault in the dialect where it happens, and looks for
// its mark in what comes over the wire.
func TestFaults(t *testing.T) {
	const native, tags = true, false
	tests := []struct {
		fault  string
		native bool
		status int
		marks  []string // in the body
		absent string
	}{
		{"a1-missing-brace", native, 200, []string{`"arguments":"{\"query\":\"`, `\""}}]`}, ""},
		{"a2-two-calls", native, 200, []string{`"content":"\u003ctool_call\u003e\n{\"name\"`, `}\n{\"name\"`}, `"tool_calls":`},
		{"a2-two-calls", tags, 200, []string{`\u003c/search\u003e\n\u003csearch\u003e`}, ""},
		{"a3-call-in-content", native, 200, []string{`\u003ctool_call\u003e`, `"tool_calls":[]`, `"finish_reason":"stop"`}, ""},
		{"a7-call-in-reasoning", native, 200, []string{`"content":null`, `"reasoning":"I should look this up. \u003ctool_call\u003e`}, `"tool_calls":`},
		{"a8-fenced-call", native, 200, []string{"```tool_code\\nsearch(query=", ")\\n```"}, `"tool_calls":`},
		{"a13-double-escape", native, 200, []string{`\\\\\\\"`, `\\\\n`}, ""},
		{"a14-entities", native, 200, []string{`\u0026amp; \u0026lt;b\u003e \u0026amp;gt;`}, ""},
		{"a14-entities", tags, 200, []string{`\u0026amp; \u0026lt;b\u003e \u0026amp;gt;\u003c/search\u003e`}, ""},
		{"a14-escaped-closer", native, 200, []string{`\u003c\\/tool_call\u003e`}, ""},
		{"a15-null-content", native, 200, []string{`"content":null`, `"reasoning":"I should`}, `"tool_calls":`},
		{"a15-refuse-null", native, 200, []string{`"tool_calls":`}, ""},
		{"a16-empty-calls", native, 200, []string{`"tool_calls":[]`}, ""},
		{"a16-string-arguments", native, 200, []string{`"arguments":"\"`}, `{\"query\"`},
		{"b1-think-in-content", tags, 200, []string{`"content":"\u003cthink\u003e`, `\u003c/think\u003e`}, ""},
		{"b2-close-only", tags, 200, []string{`\u003c/think\u003e`}, `\u003cthink\u003e`},
		{"b3-answer-in-reasoning", tags, 200, []string{`"content":null`, `"reasoning_content":"`}, `\u003canswer`},
		{"b5-empty", tags, 200, []string{`"content":""`, `"reasoning":"so I"`, `"finish_reason":"stop"`}, ""},
		{"b6-unclosed-think", tags, 200, []string{`\u003cthink\u003e`}, `\u003c/think\u003e`},
		{"b7-think-to-length", tags, 200, []string{`"content":""`, `"finish_reason":"length"`, "think again"}, ""},
		{"b9-reasoning", tags, 200, []string{`"reasoning":"`}, `"reasoning_content":`},
		{"b9-reasoning-content", tags, 200, []string{`"reasoning_content":"`}, `"reasoning":`},
		{"b11-no-choices", tags, 200, []string{`"choices":[]`, `"usage":`}, ""},
		{"c1-context", tags, 400, []string{"maximum context length"}, ""},
		{"c12-rate-limit", tags, 429, []string{"RateLimitError"}, ""},
		{"c12-overloaded", tags, 503, []string{"overloaded"}, ""},
		{"d1-repeat-query", tags, 200, []string{`\u003csearch\u003eold query\u003c/search\u003e`}, ""},
		{"d1-repeat-query", native, 200, []string{`old query`}, ""},
		{"d8-self-made", tags, 200, []string{`\u003c/search\u003e\n\u003cinformation\u003e`, "Made Up"}, ""},
		{"http-500", tags, 500, []string{`"error":`}, ""},
		{"http-502-html", tags, 502, []string{"<html>"}, ""},
		{"http-200-html", tags, 200, []string{"<html>"}, ""},
	}
	tested := map[string]bool{"a5-null-ids": true, "c6-hang": true, "c10-blank-lines": true, "connection-reset": true, "cut-stream": true} // below
	for _, name := range []string{"r-no-headings", "r-cut", "e-no-call", "e-bad-finish", "e-two-calls", "e-bad-id"} {                      // in asks_test.go
		tested[name] = true
	}
	for _, tt := range tests {
		tested[tt.fault] = true
		t.Run(tt.fault, func(t *testing.T) {
			h := sim.New(sim.Options{Faults: []sim.Rule{{Fault: tt.fault}}})
			w := post(t, h, "/v1/chat/completions", secondTurn(tt.native))
			if w.Code != tt.status {
				t.Errorf("status %d, want %d", w.Code, tt.status)
			}
			for _, mark := range tt.marks {
				if !strings.Contains(w.Body.String(), mark) {
					t.Errorf("no %s in %s", mark, w.Body)
				}
			}
			if tt.absent != "" && strings.Contains(w.Body.String(), tt.absent) {
				t.Errorf("%s in %s", tt.absent, w.Body)
			}
			if tt.fault == "c12-rate-limit" && w.Header().Get("Retry-After") != "1" {
				t.Error("no Retry-After")
			}
		})
	}
	for _, name := range sim.FaultNames() {
		if !tested[name] {
			t.Errorf("fault %s has no test", name)
		}
		if sim.FaultHelp(name) == "" {
			t.Errorf("fault %s has no help", name)
		}
	}
}

// secondTurn is a request in which the model searches again.
func secondTurn(native bool) msg {
	body := msg{"seed": 5, "temperature": 0, "messages": []msg{
		{"role": "user", "content": harborQuestion},
		{"role": "assistant", "content": "<search>old query</search>"},
		{"role": "user", "content": "Doc 1(Title: The Silent Harbor) The Silent Harbor was directed by Anna Berg."}}}
	if native {
		body["tools"] = []msg{searchTool}
		body["messages"] = []msg{{"role": "user", "content": harborQuestion},
			{"role": "assistant", "content": "", "tool_calls": []msg{{"id": "call_1_0", "type": "function", "function": msg{"name": "search", "arguments": `{"query":"old query"}`}}}},
			{"role": "tool", "tool_call_id": "call_1_0", "content": "Doc 1(Title: The Silent Harbor) The Silent Harbor was directed by Anna Berg."}}
	}
	return body
}

func TestRefuseNull(t *testing.T) {
	h := sim.New(sim.Options{Faults: []sim.Rule{{Fault: "a15-refuse-null"}}})
	for _, history := range []msg{{"role": "assistant", "content": nil}, {"role": "assistant", "content": "x", "reasoning": "y"}} {
		w := post(t, h, "/v1/chat/completions", msg{"messages": []msg{{"role": "user", "content": "x"}, history, {"role": "user", "content": "y"}}})
		if w.Code != 400 {
			t.Errorf("history %v: status %d, want 400", history, w.Code)
		}
	}
}

// TestNullIDs checks A5: calls without ids, by single characters, that make the
// arguments again.
func TestNullIDs(t *testing.T) {
	body := secondTurn(true)
	body["stream"] = true
	h := sim.New(sim.Options{Faults: []sim.Rule{{Fault: "a5-null-ids"}}})
	w := post(t, h, "/v1/chat/completions", body)
	var arguments string
	lines := bufio.NewScanner(w.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta struct {
					ToolCalls []struct {
						ID       *string
						Function struct{ Arguments string }
					} `json:"tool_calls"`
				}
			}
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			t.Fatal(err)
		}
		for _, c := range chunk.Choices {
			for _, call := range c.Delta.ToolCalls {
				if call.ID != nil || len([]rune(call.Function.Arguments)) > 1 {
					t.Errorf("delta %+v, want no id and one character", call)
				}
				arguments += call.Function.Arguments
			}
		}
	}
	var args struct{ Query string }
	if err := json.Unmarshal([]byte(arguments), &args); err != nil || args.Query == "" {
		t.Errorf("arguments %q: %v", arguments, err)
	}
}

func TestBlankLines(t *testing.T) {
	body := secondTurn(false)
	body["stream"] = true
	w := post(t, sim.New(sim.Options{Faults: []sim.Rule{{Fault: "c10-blank-lines"}}}), "/v1/chat/completions", body)
	if !strings.HasPrefix(w.Body.String(), strings.Repeat("\n", 400)+"data: {") {
		t.Errorf("stream begins with %q", w.Body.String()[:20])
	}
}

// TestConnections checks the faults that only a real connection shows.
func TestConnections(t *testing.T) {
	send := func(t *testing.T, fault string, body msg) (string, error) {
		s, _ := start(t, sim.Options{Faults: []sim.Rule{{Fault: fault}}})
		b, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, "POST", s.URL()+"/chat/completions", bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return "", err
		}
		defer res.Body.Close()
		got, err := io.ReadAll(res.Body)
		return string(got), err
	}
	if got, err := send(t, "connection-reset", secondTurn(false)); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("reset: %q, %v", got, err)
	}
	if _, err := send(t, "c6-hang", secondTurn(false)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("hang: %v", err)
	}
	for _, streamed := range []bool{false, true} {
		body := secondTurn(false)
		body["stream"] = streamed
		if got, err := send(t, "cut-stream", body); err == nil || got == "" || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("cut, streamed %v: %q, %v", streamed, got, err)
		}
	}
}

func TestMatch(t *testing.T) {
	tests := []struct {
		name string
		rule sim.Rule
		want string // statuses of five equal requests, then one of another question, . for 200
	}{
		{"all", sim.Rule{}, "xxxxxx"},
		{"once each", sim.Rule{Times: 1}, "x....x"},
		{"third request", sim.Rule{Match: sim.Match{Request: 3}}, "..x..."},
		{"every second", sim.Rule{Match: sim.Match{Every: 2}}, ".x.x.x"},
		{"turn 2", sim.Rule{Match: sim.Match{Turn: 2}}, "xxxxx."},
		{"question", sim.Rule{Match: sim.Match{Question: "(?i)silent harbor"}}, "xxxxx."},
		{"conditions together", sim.Rule{Match: sim.Match{Turn: 2, Every: 3}}, "..x..."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.rule.Fault = "http-500"
			h := sim.New(sim.Options{Faults: []sim.Rule{tt.rule}})
			got := ""
			for i := range 6 {
				body := secondTurn(false)
				if i == 5 {
					body = msg{"messages": []msg{{"role": "user", "content": "Question: Who is it?"}}}
				}
				if post(t, h, "/v1/chat/completions", body).Code == 200 {
					got += "."
				} else {
					got += "x"
				}
			}
			if got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestRate checks that a rate is drawn by the request, so that it does not
// depend on order, and anew when the same request comes again.
func TestRate(t *testing.T) {
	draw := func(order []int) (hits map[int]bool, again int) {
		h := sim.New(sim.Options{Faults: []sim.Rule{{Fault: "http-500", Rate: 0.3, Seed: 9}}})
		hits = map[int]bool{}
		for _, i := range order {
			body := msg{"seed": i, "messages": []msg{{"role": "user", "content": "x"}}}
			if hits[i] = post(t, h, "/v1/chat/completions", body).Code == 500; hits[i] && post(t, h, "/v1/chat/completions", body).Code == 500 {
				again++
			}
		}
		return hits, again
	}
	var up, down []int
	for i := range 400 {
		up, down = append(up, i), append([]int{i}, down...)
	}
	a, again := draw(up)
	b, _ := draw(down)
	n := 0
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("request %d is hit or not by order", i)
		}
		if a[i] {
			n++
		}
	}
	if n < 90 || n > 150 { // 120 ± 3 standard deviations of 9.2
		t.Errorf("%d of 400 requests hit, want about 120", n)
	}
	if again == 0 || again > n/2 {
		t.Errorf("%d of %d hit again, want about 0.3 of them", again, n)
	}
}

func TestReadFaults(t *testing.T) {
	tests := []struct {
		name, file string
		rules      int
		err        string
	}{
		{"list", `[{"fault":"c6-hang"},{"fault":"http-500","rate":0.5,"match":{"turn":2}}]`, 2, ""},
		{"lines", "{\"fault\":\"c6-hang\"}\n\n{\"fault\":\"http-500\"}\n", 2, ""},
		{"empty", "", 0, ""},
		{"unknown fault", `{"fault":"gremlins"}`, 0, `rule 1: unknown fault "gremlins"`},
		{"unknown key", "{\"fault\":\"c6-hang\"}\n{\"fault\":\"c6-hang\",\"often\":1}", 0, `rule 2: json: unknown field "often"`},
		{"rate", `{"fault":"c6-hang","rate":2}`, 0, "rate 2: want a number from 0 to 1"},
		{"negative", `{"fault":"c6-hang","times":-1}`, 0, "must not be negative"},
		{"expression", `{"fault":"c6-hang","match":{"question":"("}}`, 0, "question: error parsing regexp"},
		{"text behind the list", `[] x`, 0, "text after the list"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "faults.json")
			if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			rules, err := sim.ReadFaults(path)
			if len(rules) != tt.rules || (err == nil) != (tt.err == "") {
				t.Fatalf("%d rules, %v", len(rules), err)
			}
			if err != nil && (!strings.Contains(err.Error(), tt.err) || !strings.Contains(err.Error(), path)) {
				t.Errorf("error %q, want the file and %q", err, tt.err)
			}
		})
	}
	if _, err := sim.ReadFaults(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}
