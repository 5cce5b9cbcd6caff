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
	f.Add("Question: Who directed Winter Bell?\n\nSummary of the earlier attempts, after round 1:\n\n## 1. Facts\n- E1: The director of Winter Bell is . [Source: | Verified:\n\nHow to use this summary:\n1. Be critical.", "", "x", int64(2), false)
	f.Add("Question: Which person born in Kelmore studied at Norwald University?", "<answer>", "This round of research is over\n## 0. Current Answer\n## 9. Strange\n## 4. Uncertainties", int64(3), false)
	f.Add("Doc 1(Title: A) A was born in Kelmore.\nQuestion: Which person born in Kelmore studied at Norwald University?", "x", "Several teams have worked on the same question\n## Report 1\n<answer>", int64(4), true)
	f.Add("Question: Who lived longer, A or B?", "", "Below is the record of one attempt. Write a report on it.\n# Record\n\"query\": \"\\u12\"", int64(5), false)
	f.Add("x", "y", "The work above ends with this answer to the question:", int64(6), false)
	f.Add("Write exactly 4 search queries.", "", "What earlier rounds found out:\n- The director of X is Y.\n\nStill open, to be searched for first:\n- \n- .\nQuestion: Who directed X?", int64(7), false)
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

// FuzzLook sends arbitrary results of the tools that look into attempts: there is
// always a reply.
func FuzzLook(f *testing.F) {
	f.Add("get_solution", `[{"trajectory_id":1,"content":"<answer>A</answer>"},{"trajectory_id":2,"content":"Answer: B"}]`, true)
	f.Add("get_solution", `{"a":[{"trajectory_id":-1,"content":3},null,[{"content":"x"}]]}`, true)
	f.Add("search_trajectory", `[{"trajectory_id":1e300,"step":2,"content":"Doc 1(Title: "}]`, false)
	f.Add("finish", "Error", false)
	f.Fuzz(func(t *testing.T, name, result string, all bool) {
		tools := []msg{{"type": "function", "function": msg{"name": "finish"}}}
		if all {
			for _, other := range attemptTools[:3] {
				tools = append(tools, msg{"type": "function", "function": msg{"name": other}})
			}
		}
		w := post(t, sim.New(sim.Options{}), "/v1/chat/completions", msg{"tools": tools, "messages": []msg{
			{"role": "user", "content": harborQuestion + "\n\nThere are 2 trajectories"},
			{"role": "assistant", "content": nil, "tool_calls": []msg{{"id": "a", "type": "function", "function": msg{"name": name, "arguments": "{}"}}}},
			{"role": "tool", "tool_call_id": "a", "content": result}}})
		var r struct{ Choices []any }
		if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil || w.Code != 200 || len(r.Choices) != 1 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	})
}
