package sim_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trawl/agent/llm/sim"
)

// askings are requests by what they ask for.
func askings(t testing.TB) map[string]msg {
	t.Helper()
	user := func(s string) msg {
		return msg{"messages": []msg{{"role": "user", "content": s}}, "seed": 1, "temperature": 0}
	}
	research := secondTurn(true)
	final := secondTurn(false)
	final["messages"] = append(final["messages"].([]msg), msg{"role": "user", "content": "Give your final answer now."})
	must := secondTurn(true)
	must["tool_choice"] = "required"
	summary := user("")
	summary["messages"] = append(harborRound(""), msg{"role": "user", "content": summaryPrompt(t, "x", true, false)})
	aggregate := user(prompt(t, aggregatePrompts+"aggregator-task.tmpl", msg{"Question": harborText, "Count": 1, "Lines": []string{"x"}}))
	aggregate["tools"] = []msg{{"type": "function", "function": msg{"name": "get_solution"}}, {"type": "function", "function": msg{"name": "finish"}}}
	return map[string]msg{
		"act": research, "final": final, "call": must, "summary": summary, "aggregate": aggregate,
		"chat":       user("Hello."),
		"pool":       user("Write exactly 6 search queries.\n\n" + harborQuestion),
		"report":     user(prompt(t, aggregatePrompts+"report.tmpl", msg{"Question": harborText, "Record": record("")})),
		"integrate":  user(prompt(t, aggregatePrompts+"integrate.tmpl", msg{"Question": harborText, "Reports": []msg{{"Number": 1, "Text": said("x", 50)}}})),
		"judge":      user(judgePrompt(t, "browsecomp", "x", "y")),
		"confidence": user(record("x") + prompt(t, aggregatePrompts+"confidence.tmpl", msg{"Answer": "x"})),
	}
}

// TestAsks checks that a rule for one kind of request hits that kind alone, with
// faults of every place.
func TestAsks(t *testing.T) {
	requests := askings(t)
	for asks := range requests {
		for _, fault := range []string{"c1-context", "b5-empty", "http-500", "b6-unclosed-think"} {
			h := sim.New(sim.Options{Faults: []sim.Rule{{Match: sim.Match{Asks: asks}, Fault: fault}}})
			plain := sim.New(sim.Options{})
			for kind, body := range requests {
				got, want := post(t, h, "/v1/chat/completions", body).Body.String(), post(t, plain, "/v1/chat/completions", body).Body.String()
				if (got != want) != (kind == asks) {
					t.Errorf("%s on %s: a request for %s got %s", fault, asks, kind, got)
				}
			}
		}
	}
}

func TestAsksUnknown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "faults.jsonl")
	if err := os.WriteFile(path, []byte(`{"match": {"asks": "sumary"}, "fault": "r-cut"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := sim.ReadFaults(path); err == nil || !strings.Contains(err.Error(), `asks: unknown "sumary"`) {
		t.Errorf("error %v", err)
	}
	rule := sim.Rule{Match: sim.Match{Asks: "aggregate"}, Fault: "e-bad-id"}
	if err := rule.Validate(); err != nil {
		t.Error(err)
	}
}

// TestFormFaults replays the faults of summaries and of calls into attempts.
func TestFormFaults(t *testing.T) {
	tests := []struct {
		fault, asks string
		marks       []string
		absent      []string
	}{
		{"r-no-headings", "summary", []string{"Karl Dahl E1: The director of The Silent Harbor is Anna Berg.", `"finish_reason":"stop"`}, []string{"##", `\n`}},
		{"r-cut", "summary", []string{`- E1: The director of "`, `"finish_reason":"length"`}, []string{"Conclusions"}},
		{"r-cut", "chat", []string{`"finish_reason":"stop"`, "documents"}, nil},
		{"r-no-headings", "pool", []string{`1. `, `\n2. `}, nil},
		{"e-no-call", "aggregate", []string{`I would call get_solution now."`, `"finish_reason":"stop"`}, []string{`"tool_calls":`}},
		{"e-no-call", "chat", []string{"I am a simulated model"}, nil},
		{"e-bad-finish", "aggregate", []string{`"name":"finish"`, "It was settled."}, []string{"explanation"}},
		{"e-bad-finish", "act", []string{`"name":"search"`}, []string{"finish\""}},
		{"e-no-call", "act", []string{`"tool_calls":`}, nil},
		{"e-two-calls", "act", []string{`"id":"call_2_0"`}, []string{`"id":"call_2_1"`}},
		{"e-two-calls", "aggregate", []string{`"id":"call_1_0"`, `"id":"call_1_1"`}, nil},
		{"e-bad-id", "aggregate", []string{`{\"trajectory_id\":99}`}, nil},
		{"e-bad-id", "act", []string{`"name":"search"`}, []string{"trajectory_id"}},
	}
	requests := askings(t)
	for _, tt := range tests {
		t.Run(tt.fault+" on "+tt.asks, func(t *testing.T) {
			h := sim.New(sim.Options{Faults: []sim.Rule{{Match: sim.Match{Asks: tt.asks}, Fault: tt.fault}}})
			got := post(t, h, "/v1/chat/completions", requests[tt.asks]).Body.String()
			for _, mark := range tt.marks {
				if !strings.Contains(got, mark) {
					t.Errorf("no %s in %s", mark, got)
				}
			}
			for _, mark := range tt.absent {
				if strings.Contains(got, mark) {
					t.Errorf("%s in %s", mark, got)
				}
			}
		})
	}
}

// TestCutTokens checks that the usage of a reply that was cut is that of what is
// left of it.
func TestCutTokens(t *testing.T) {
	h := sim.New(sim.Options{Faults: []sim.Rule{{Fault: "r-cut"}}})
	content, _, usage := call(t, h, askings(t)["summary"])
	w := post(t, h, "/tokenize", msg{"prompt": content})
	var counted struct{ Count float64 }
	if err := json.Unmarshal(w.Body.Bytes(), &counted); err != nil || counted.Count == 0 || usage["completion_tokens"] != counted.Count {
		t.Errorf("usage %v of %v tokens, %v", usage, counted.Count, err)
	}
}

// TestBadIDs checks that an aggregator whose ids go wrong still ends, and that an
// id as text replaces a number.
func TestBadIDs(t *testing.T) {
	h := sim.New(sim.Options{Skill: sim.Large, Faults: []sim.Rule{{Match: sim.Match{Turn: 1}, Fault: "e-bad-id"}, {Match: sim.Match{Turn: 3}, Fault: "e-bad-id"}}})
	var seen []any
	calls, solution := look(t, h, spied{disagree, &seen}, 7, attemptTools)
	if !strings.Contains(solution, "<answer>") || len(calls) < 4 {
		t.Errorf("calls %q, solution %q", calls, solution)
	}
	if got := fmt.Sprintf("%T %v, %T", seen[0], seen[0], seen[2]); got != "float64 99, string" {
		t.Errorf("ids %s", got)
	}
}

// TestKnownPool checks that a pool for a later round searches for what is open
// first, by the names that are found out, and not for what was tried.
func TestKnownPool(t *testing.T) {
	type known struct{ Facts, Conflicts, Open, Tried []string }
	ask := func(k known, n int) []string {
		text := prompt(t, "rollout/divinit/prompts/pool.tmpl", msg{"N": n, "Question": harborText, "History": nil, "Known": k, "Have": []string{"have this"}})
		content, _, _ := call(t, sim.New(sim.Options{Skill: sim.Large}), msg{"seed": 2, "temperature": 0, "messages": []msg{{"role": "user", "content": text}}})
		return pool(t, content)
	}
	tried := []string{"founder Nordlicht Films", "Nordlicht Films"}
	got := ask(known{harborFacts[:2], []string{"One has Anna, another Ida."}, []string{"The founder of Nordlicht Films is unknown.", "Look up Oak Motors."}, tried}, 8)
	if len(got) != 8 {
		t.Errorf("%d queries, want 8: %q", len(got), got)
	}
	for i, query := range got[:6] {
		if !strings.Contains(query, "Films") || query == "Nordlicht Films" || query == "founder of Nordlicht Films" {
			t.Errorf("query %d is %q, want a new one for the founder of Nordlicht Films", i, query)
		}
	}
	for _, tt := range []struct {
		name  string
		known known
		want  string
	}{
		{"a lead that is no hop of the plan", known{Open: []string{"Look up Oak Motors."}}, "Oak Motors"},
		{"an open lead of the plan", known{Open: []string{"The director of The Silent Harbor is unknown."}}, "The Silent Harbor director"},
		{"nothing", known{}, "The Silent Harbor"},
	} {
		if got := strings.Join(ask(tt.known, 16), "\n"); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want one with %s", tt.name, got, tt.want)
		}
	}
}
