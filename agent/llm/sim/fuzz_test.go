package sim_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"trawl/agent/llm/sim"
)

// FuzzMessages sends conversations of arbitrary text: there is always a reply,
// and it is valid JSON with one choice.
func FuzzMessages(f *testing.F) {
	f.Add("Question: Who directed Winter Bell?", "<search>x", "Doc 1(Title: Winter (Bell) It was directed by Anna.\nDoc 2(Title: ", int64(1), true)
	f.Add("Write exactly 99999999999999999999 search queries", "", "Already have:\n- x", int64(-1), false)
	f.Add("You have 8 turns in all", "The director of X is .", "final answer", int64(0), true)
	f.Fuzz(func(t *testing.T, first, reply, last string, seed int64, native bool) {
		if len(first)+len(reply)+len(last) > 4000 {
			t.Skip("longer than any prompt that matters")
		}
		body := msg{"seed": seed, "temperature": 1.5, "messages": []msg{{"role": "user", "content": first}, {"role": "assistant", "content": reply}, {"role": "user", "content": last}}}
		if reply == "" {
			body["messages"] = []msg{{"role": "user", "content": first + "\n" + last}}
		}
		if native {
			body["tools"] = []msg{searchTool}
		}
		for _, skill := range sim.Skills() {
			w := post(t, sim.New(sim.Options{Skill: skill}), "/v1/chat/completions", body)
			var r struct{ Choices []any }
			if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil || w.Code != 200 || len(r.Choices) != 1 {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
		}
	})
}

// FuzzBody sends arbitrary bodies: the answer is a reply or a refusal.
func FuzzBody(f *testing.F) {
	f.Add(`{"messages":[{"role":"user","content":[{"type":"text","text":"x"},3]}],"tools":[{}],"tool_choice":{"function":{"name":3}}}`)
	f.Add(`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"s","arguments":{"query":["a"]}}}]}],"stop":[1,""],"stream":true}`)
	f.Add(`{"prompt":null,"input":[1]}`)
	f.Fuzz(func(t *testing.T, body string) {
		h := sim.New(sim.Options{})
		for _, path := range []string{"/v1/chat/completions", "/tokenize", "/v1/embeddings"} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(body)))
			if w.Code != 200 && w.Code != 400 && w.Code != 404 {
				t.Fatalf("%s: %d %s", path, w.Code, w.Body)
			}
		}
	})
}
