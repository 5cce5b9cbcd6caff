package sim_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm/sim"
)

const aggregatePrompts = "selection/aggregate/prompts/"

// harborText is the question without its mark.
var harborText = strings.TrimPrefix(harborQuestion, "Question: ")

// said is what a rollout ends with: its facts, how sure it is, its answer.
func said(answer string, confidence int, facts ...string) string {
	return strings.Join(facts, "\n") + fmt.Sprintf("\nConfidence: %d%%\n<answer>%s</answer>", confidence, answer)
}

var harborFacts = []string{"The director of The Silent Harbor is Anna Berg.", "The employer of Anna Berg is Nordlicht Films.", "The founder of Nordlicht Films is Rosa Lind."}

// integrate asks for the answer from reports.
func integrate(t testing.TB, h http.Handler, seed int, temperature float64, texts ...string) string {
	t.Helper()
	reports := []msg{}
	for i, text := range texts {
		reports = append(reports, msg{"Number": i + 1, "Text": text})
	}
	content, _, _ := call(t, h, msg{"seed": seed, "temperature": temperature, "messages": []msg{{"role": "user", "content": prompt(t, aggregatePrompts+"integrate.tmpl", msg{"Question": harborText, "Reports": reports})}}})
	return content
}

func TestIntegrate(t *testing.T) {
	h := sim.New(sim.Options{Skill: sim.Large})
	wrong, right := said("Karl Dahl", 60), said("Rosa Lind", 60)
	tests := []struct {
		name    string
		reports []string
		want    string // empty: any
	}{
		{"the majority", []string{wrong, right, right}, "Rosa Lind"},
		{"the surer of two", []string{wrong, said("Rosa Lind", 99)}, "Rosa Lind"},
		{"facts that lead to the answer", []string{wrong, said("Rosa Lind", 60, harborFacts...)}, "Rosa Lind"},
		{"forms of one name", []string{wrong, right, said("the Rosa Lind.", 60)}, "Rosa Lind"},
		{"an answer in prose", []string{"No answer was found.", "All in all, the final answer is Rosa Lind.", "I looked at **Answer:** Rosa Lind"}, "Rosa Lind"},
		{"one report", []string{right}, "Rosa Lind"},
		{"no answers", []string{"I do not know.", ""}, ""},
		{"tags and headings in a report", []string{"### Report 2\n<explanation>x</explanation><answer>Rosa Lind</answer>"}, "Rosa Lind"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := integrate(t, h, 1, 0, tt.reports...)
			answer, ok := between(got, "<answer>", "</answer>")
			why, explained := between(got, "<explanation>", "</explanation>")
			if !ok || !explained || why == "" || answer == "" || tt.want != "" && answer != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestIntegrateErrs checks that close decisions go wrong at times, and clear ones
// less often.
func TestIntegrateErrs(t *testing.T) {
	h := sim.New(sim.Options{Skill: sim.Small})
	errs := func(reports ...string) int {
		n := 0
		for s := range 300 {
			if answer, _ := between(integrate(t, h, s, 1, reports...), "<answer>", "</answer>"); answer != "Rosa Lind" {
				n++
			}
		}
		return n
	}
	right, wrong := said("Rosa Lind", 60), said("Karl Dahl", 60)
	even, clear := errs(right, right, wrong), errs(right, right, right, right, right, right, wrong)
	if !(even > clear && clear > 0 && even < 200) {
		t.Errorf("of 300 wrong: %d at two to one, %d at six to one", even, clear)
	}
}

// record is how a reader is shown an attempt.
func record(last string) string {
	return "[user]\nTo search, write <search>your query</search>. To answer, <answer>short answer</answer>.\n\n" + harborQuestion + "\n\n" +
		"[assistant]\nI need to find out about The Silent Harbor.\nTool call: {\"name\":\"search\",\"arguments\":{\"query\":\"The \\\"Silent\\\" Harbor\"}}\n\n" +
		"[tool response]\nDoc 1(Title: The Silent Harbor) The Silent Harbor was directed by Anna Berg.\n\n" +
		"[assistant]\n" + harborFacts[0] + "\n<search>Anna Berg employer</search>\n\n" +
		"[user]\n<information>\nDoc 1(Title: Anna Berg) Berg was employed by Nordlicht Films.\nDoc 2(Title: Nordlicht Films) It was founded by Rosa Lind in 1925.\n</information>\n\n" +
		"[assistant]\n" + harborFacts[1] + "\n" + harborFacts[2] + "\n" + last
}

func TestReport(t *testing.T) {
	h := sim.New(sim.Options{Skill: sim.Large})
	ask := func(record string) string {
		content, _, _ := call(t, h, msg{"temperature": 0, "messages": []msg{{"role": "user", "content": prompt(t, aggregatePrompts+"report.tmpl", msg{"Question": harborText, "Record": record})}}})
		return content
	}
	whole := `<report>
Solution Planning: (1) the director of The Silent Harbor, then (2) the employer of Anna Berg, then (3) the founder of Nordlicht Films
Solution Methods: search("The \"Silent\" Harbor"): The director of The Silent Harbor is Anna Berg. search("Anna Berg employer"): The employer of Anna Berg is Nordlicht Films.
Final Reasoning: The director of The Silent Harbor is Anna Berg.
The employer of Anna Berg is Nordlicht Films.
The founder of Nordlicht Films is Rosa Lind.
The final answer is Rosa Lind.
Confidence: 80%
</report>`
	got := ask(record(said("Rosa Lind", 80)))
	if diff := cmp.Diff(whole, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if got := ask(record("I stop here.")); !strings.Contains(got, "It gave no final answer.") || strings.Contains(got, "short answer") {
		t.Errorf("a record without an answer: %s", got)
	}
	if got := ask(""); !strings.HasPrefix(got, "<report>\n") || !strings.Contains(got, "no tool was called") {
		t.Errorf("no record: %s", got)
	}
	body, _ := between(got, "<report>", "</report>")
	integrated := integrate(t, h, 1, 0, said("Karl Dahl", 60), body)
	if answer, _ := between(integrated, "<answer>", "</answer>"); answer != "Rosa Lind" {
		t.Errorf("from a report: %s", integrated)
	}
}

// TestConfidence checks that a stated confidence is higher where the record bears
// the answer out, however it is shown, and that it varies.
func TestConfidence(t *testing.T) {
	h := sim.New(sim.Options{})
	rate := func(s int, answer string, conversation bool) float64 {
		question := prompt(t, aggregatePrompts+"confidence.tmpl", msg{"Answer": answer})
		messages := []msg{{"role": "user", "content": prompt(t, aggregatePrompts+"confidence-record.tmpl", msg{"Question": harborText, "Record": record(said(answer, 80))}) + "\n\n" + question}}
		if conversation {
			messages = append(harborRound(""), msg{"role": "user", "content": question})
		}
		content, _, _ := call(t, h, msg{"seed": s, "temperature": 1, "messages": messages})
		var p float64
		if _, err := fmt.Sscanf(content, "Confidence: %f%%", &p); err != nil {
			return -1 // the form was missed
		}
		return p
	}
	mean := func(answer string, conversation bool) float64 {
		sum, n := 0.0, 0.0
		distinct := map[float64]bool{}
		for s := range 100 {
			if p := rate(s, answer, conversation); p >= 0 {
				sum, n, distinct[p] = sum+p, n+1, true
			}
		}
		if n < 90 || len(distinct) < 3 {
			t.Errorf("%s: %v of 100 replies in form, %d values", answer, n, len(distinct))
		}
		return sum / n
	}
	right, wrong, empty := mean("Rosa Lind", false), mean("Karl Dahl", false), rate(1, "", false)
	if right < 1.5*wrong || empty != 5 {
		t.Errorf("mean confidence %v in what the record says, %v in what it does not, %v in nothing", right, wrong, empty)
	}
	if open := mean("Karl Dahl", true); open > right {
		t.Errorf("mean confidence %v in a guess, %v in what a record says", open, right)
	}
}

// attempts are what tools show of two attempts: the first answers wrongly.
type attempts struct {
	solutions, observed []string
}

func (a attempts) tool(name string, args map[string]any) string {
	show := func(v any) string { b, _ := json.Marshal(v); return string(b) }
	id, given := args["trajectory_id"].(float64)
	if given && (id < 1 || int(id) > len(a.solutions)) || !given && args["trajectory_id"] != nil {
		return fmt.Sprintf("Error: trajectory_id must be 1-%d.", len(a.solutions))
	}
	switch name {
	case "get_solution":
		var out []msg
		for i, s := range a.solutions {
			if !given || int(id) == i+1 {
				out = append(out, msg{"trajectory_id": i + 1, "content": s})
			}
		}
		return show(out)
	case "search_trajectory", "get_segment":
		if a.observed[int(id)-1] == "" {
			return "No step matches."
		}
		return show([]msg{{"trajectory_id": id, "step": 2, "role": "tool", "score": 0.5, "content": a.observed[int(id)-1]}})
	}
	return "Error: the solution is not complete."
}

func (a attempts) count() int { return len(a.solutions) }

// A toolbox carries out calls into attempts.
type toolbox interface {
	tool(name string, args map[string]any) string
	count() int
}

// A spied toolbox keeps the ids that it was given.
type spied struct {
	attempts
	ids *[]any
}

func (s spied) tool(name string, args map[string]any) string {
	*s.ids = append(*s.ids, args["trajectory_id"])
	return s.attempts.tool(name, args)
}

var attemptTools = []string{"get_solution", "search_trajectory", "get_segment", "finish"}

// look plays AggAgent's loop; it returns the calls and, if one finished in the
// form asked for, the solution.
func look(t testing.TB, h http.Handler, a toolbox, seed int, tools []string) (calls []string, solution string) {
	t.Helper()
	lines := make([]string, a.count())
	messages := []msg{{"role": "system", "content": prompt(t, aggregatePrompts+"aggregator-system.tmpl", nil)},
		{"role": "user", "content": prompt(t, aggregatePrompts+"aggregator-task.tmpl", msg{"Question": harborText, "Count": len(lines), "Lines": lines})}}
	var offered []msg
	for _, name := range tools {
		offered = append(offered, msg{"type": "function", "function": msg{"name": name}})
	}
	for turn := 1; turn <= 20; turn++ {
		w := post(t, h, "/v1/chat/completions", msg{"seed": seed + 1000*turn, "temperature": 1, "messages": messages, "tools": offered})
		var r struct {
			Choices []struct {
				Message struct {
					Content string
					Calls   []struct {
						ID       string
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil || w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		m := r.Choices[0].Message
		if len(m.Calls) == 0 {
			calls = append(calls, "text")
			messages = append(messages, msg{"role": "assistant", "content": m.Content}, msg{"role": "user", "content": "Call one of the tools."})
			continue
		}
		c := m.Calls[0]
		var args map[string]any
		if err := json.Unmarshal([]byte(c.Function.Arguments), &args); err != nil {
			t.Fatalf("arguments %q: %v", c.Function.Arguments, err)
		}
		calls = append(calls, c.Function.Name)
		solution, _ = args["solution"].(string)
		if why, ok := between(solution, "<explanation>", "</explanation>"); ok && why != "" {
			return calls, solution
		}
		id := fmt.Sprintf("a%d", turn)
		messages = append(messages, msg{"role": "assistant", "content": m.Content, "tool_calls": []msg{{"id": id, "type": "function", "function": msg{"name": c.Function.Name, "arguments": c.Function.Arguments}}}},
			msg{"role": "tool", "tool_call_id": id, "content": a.tool(c.Function.Name, args)})
	}
	return calls, ""
}

// disagree are attempts of which the second has the evidence.
var disagree = attempts{
	solutions: []string{said("Karl Dahl", 60), said("Rosa Lind", 60)},
	observed:  []string{"", "<information> Doc 1(Title: Anna Berg) She was employed by Nordlicht Films. Doc 2(Title: Nordlicht Films) It was founded by Rosa Lind in 1925. Doc 3(Title: Oak Motors) A company founded by Karl [cut]"},
}

// TestLook checks how attempts are looked into: their answers first, claims only
// where they disagree, and then a solution; nothing but finish if that is all.
func TestLook(t *testing.T) {
	h := sim.New(sim.Options{Skill: sim.Large})
	agree := attempts{solutions: []string{said("Rosa Lind", 60), said("Rosa Lind", 20)}, observed: []string{"", ""}}
	none := attempts{solutions: []string{"I gave up.", ""}, observed: []string{"", ""}}
	broken := attempts{} // every call is answered by an error
	tests := []struct {
		name  string
		from  attempts
		tools []string
		calls string // how the calls begin
		want  string // empty: any answer
	}{
		{"agreement", agree, attemptTools, "get_solution finish", "Rosa Lind"},
		{"disagreement", disagree, attemptTools, "get_solution search_trajectory search_trajectory", "Rosa Lind"},
		{"no answers", none, attemptTools, "get_solution finish", ""},
		{"nothing to see", broken, attemptTools, "get_solution get_solution get_solution finish", ""},
		{"only finish", disagree, attemptTools[3:], "finish", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			calls, solution := look(t, h, tt.from, 7, tt.tools)
			answer, _ := between(solution, "<answer>", "</answer>")
			if !strings.HasPrefix(strings.Join(calls, " "), tt.calls) || calls[len(calls)-1] != "finish" || answer == "" || tt.want != "" && answer != tt.want {
				t.Errorf("calls %q, solution %q; want %s … and %q", calls, solution, tt.calls, tt.want)
			}
			if strings.Contains(solution, "trajectory") || strings.Contains(solution, "attempt") {
				t.Errorf("the solution does not stand on its own: %s", solution)
			}
		})
	}
}

// TestLookOften checks over many seeds that the evidence decides, more often the
// more able the model is, and that text instead of a call is rare.
func TestLookOften(t *testing.T) {
	last := 0
	for _, skill := range sim.Skills() {
		h := sim.New(sim.Options{Skill: skill})
		right, texts, all := 0, 0, 0
		for s := range 200 {
			calls, solution := look(t, h, disagree, s, attemptTools)
			if strings.Contains(solution, "<answer>Rosa Lind</answer>") {
				right++
			}
			for _, c := range calls {
				all++
				if c == "text" {
					texts++
				}
			}
			if solution == "" {
				t.Errorf("%s: no solution after %q", skill, calls)
			}
		}
		t.Logf("%s: %d of 200 right, %d of %d replies without a call", skill, right, texts, all)
		if right < last || texts == 0 || texts*10 > all {
			t.Errorf("%s: %d of 200 right, the skill below %d; %d of %d replies without a call", skill, right, last, texts, all)
		}
		if skill == sim.Small && (right < 100 || right > 190) {
			t.Errorf("%s: %d of 200 right, want most", skill, right)
		}
		last = right
	}
}
