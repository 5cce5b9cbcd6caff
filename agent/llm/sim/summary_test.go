package sim_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm/sim"
	"trawl/internal/testutil"
)

// harborRound is a round that found the director and, by two documents that
// contradict each other, the employer, and guessed.
func harborRound(preface string) []msg {
	return []msg{
		{"role": "user", "content": "You have 4 turns in all.\n\n" + harborQuestion + preface},
		{"role": "assistant", "content": "<think>I need to find out about The Silent Harbor.</think>\n<search>The Silent Harbor director</search>"},
		{"role": "user", "content": "<information>\nDoc 1(Title: The Silent Harbor) The Silent Harbor is a 1951 film. The Silent Harbor was directed by Anna Berg. Rosa Lind wrote the script.\n" +
			"Doc 2(Title: Winter Bell) Winter Bell is a 1961 film.\n</information>"},
		{"role": "assistant", "content": "<think>The director of The Silent Harbor is Anna Berg.\nI still need the employer of Anna Berg.</think>\n<search>Anna Berg employer</search>"},
		{"role": "user", "content": "<information>\nDoc 1(Title: Anna Berg) Anna Berg (born 12 March 1920 in Kelmore) was a film director. Berg was employed by Nordlicht Films.\n" +
			"Doc 2(Title: Kelmore) Anna Berg was employed by Oak Motors.\n</information>"},
		{"role": "assistant", "content": "<think>The employer of Anna Berg is Nordlicht Films.\nI have to guess.</think>\nConfidence: 20%\n<answer>Karl Dahl</answer>"},
	}
}

// summarize asks for the summary of a conversation.
func summarize(t testing.TB, h http.Handler, messages []msg, full bool, more msg) string {
	t.Helper()
	body := msg{"temperature": 0, "seed": 3, "messages": append(messages[:len(messages):len(messages)],
		msg{"role": "user", "content": summaryPrompt(t, strings.TrimPrefix(harborQuestion, "Question: "), full, false)})}
	for k, v := range more {
		body[k] = v
	}
	content, _, _ := call(t, h, body)
	return content
}

// TestSummary holds summaries to their golden files: a fact by one document is
// verified, one that documents contradict in part, the open hop is uncertain.
func TestSummary(t *testing.T) {
	h := sim.New(sim.Options{Skill: sim.Large})
	earlier := "\n\n" + continuePrompt(t, 1, "## 0. Current Answer\nOtto Kern\n\n## 1. Facts & Evidence Collected\n"+
		"- E1: The founder of Nordlicht Films is Rosa Lind. [Source: search | Nordlicht Films | Verified: yes]\n\n## 5. Failed attempts\n- Searched for \"Nordlicht founder\": nothing.", true)
	tests := []struct {
		name string
		ms   []msg
		full bool
	}{
		{"base", harborRound(""), false},
		{"full", harborRound(""), true},
		{"carried", harborRound(earlier), true},
		{"nothing", harborRound("")[:1], true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			testutil.Golden(t, "summary/"+tt.name+".md", summarize(t, h, tt.ms, tt.full, nil)+"\n")
		})
	}
}

// TestSummaryWhereverItIsAsked checks that the same conversation gets the same
// facts with native calls, with the tools sent along, and with thinking told apart.
func TestSummaryWhereverItIsAsked(t *testing.T) {
	want := summarize(t, sim.New(sim.Options{Skill: sim.Large}), harborRound(""), true, nil)
	more := msg{"tools": []msg{searchTool}, "tool_choice": "none"}
	if diff := cmp.Diff(want, summarize(t, sim.New(sim.Options{Skill: sim.Large}), harborRound(""), true, more)); diff != "" {
		t.Errorf("with tools (-without +with):\n%s", diff)
	}
	if diff := cmp.Diff(want, summarize(t, sim.New(sim.Options{Skill: sim.Large, Reasoning: sim.ReasoningField}), harborRound(""), true, nil)); diff != "" {
		t.Errorf("with a field for reasoning (-without +with):\n%s", diff)
	}
	inline := summarize(t, sim.New(sim.Options{Skill: sim.Large, Reasoning: sim.ReasoningInline}), harborRound(""), true, nil)
	if _, after, ok := strings.Cut(inline, "</think>\n\n"); !ok || after != want {
		t.Errorf("with thinking in the content: %s", inline)
	}
}

// TestSummaryForms checks that models miss the form of a summary, the less able
// more often, and that they understand what they wrote all the same: the next
// round does not search for the director again.
func TestSummaryForms(t *testing.T) {
	var missed []int
	for _, skill := range sim.Skills() {
		h := sim.New(sim.Options{Skill: skill})
		n, known, asked := 0, 0, 0
		for s := range 200 {
			raw := summarize(t, h, harborRound(""), true, msg{"seed": s, "temperature": 1})
			if strings.Count("\n"+raw, "\n## ") != 8 || !strings.HasPrefix(raw, "## 0. Current Answer\n") {
				n++
			}
			if !strings.Contains(raw, "Harbor is Anna Berg.") || !strings.Contains(raw, "Anna Berg is Nordlicht Films.") || strings.Contains(raw, "The founder of Nordlicht Films is Karl Dahl.") {
				continue // it forgot a fact, or wrote the guess down as one
			}
			known++
			next, _, _ := call(t, h, msg{"seed": s, "temperature": 0, "messages": []msg{{"role": "user", "content": harborQuestion + "\n\n" + continuePrompt(t, 1, raw, false)}}})
			if query, _ := between(next, "<search>", "</search>"); strings.Contains(query, "Nordlicht Films") {
				asked++
			}
		}
		missed = append(missed, n)
		if known < 100 || asked < known {
			t.Errorf("%s: of 200 summaries %d have the employer, and %d rounds go on from it", skill, known, asked)
		}
	}
	t.Logf("summaries of 200 that miss the form, by skill: %v", missed)
	if !(missed[0] > missed[1] && missed[1] > missed[2] && missed[2] > 0) {
		t.Errorf("summaries of 200 that miss the form, by skill: %v, want falling", missed)
	}
}

// TestSummaryFits checks that a summary of a conversation that fills the context
// window is refused as any request is, and that one without room breaks off.
func TestSummaryFits(t *testing.T) {
	messages := append(harborRound(""), msg{"role": "user", "content": summaryPrompt(t, "x", true, false)})
	w := post(t, sim.New(sim.Options{MaxModelLen: 600}), "/v1/chat/completions", msg{"messages": messages, "max_tokens": 200})
	if w.Code != 400 || !strings.Contains(w.Body.String(), "maximum context length") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	content, finish, usage := call(t, sim.New(sim.Options{}), msg{"messages": messages, "max_tokens": 30})
	if finish != "length" || usage["completion_tokens"] != 30.0 {
		t.Errorf("finish %q, usage %v of %q", finish, usage, content)
	}
}

// A next is what a model does in the first turn of a round behind a summary.
func next(t testing.TB, skill sim.Skill, seed int, question, raw string, free, native bool) string {
	t.Helper()
	body := msg{"seed": seed, "temperature": 0, "messages": []msg{{"role": "user", "content": "You have 5 turns in all.\n\n" + question + "\n\n" + continuePrompt(t, 1, raw, free)}}}
	if native {
		body["tools"] = []msg{searchTool}
	}
	w := post(t, sim.New(sim.Options{Skill: skill}), "/v1/chat/completions", body)
	return w.Body.String()
}

// TestGoOn checks what rounds begin with behind summaries of various kinds.
func TestGoOn(t *testing.T) {
	facts := func(status string, lines ...string) string {
		s := "## 0. Current Answer\nNone\n\n## 1. Facts & Evidence Collected\n"
		for i, l := range lines {
			s += fmt.Sprintf("- E%d: %s [Source: search | x | Verified: %s]\n", i+1, l, status)
		}
		return s
	}
	director, employer := "The director of The Silent Harbor is Anna Berg.", "The employer of Anna Berg is Nordlicht Films."
	founder := "The founder of Nordlicht Films is Rosa Lind."
	failed := "\n## 5. Failed attempts\n- Searched for \"founder of Nordlicht Films\": nothing.\n- Searched for \"what is the founder of Nordlicht Films\": nothing.\n- Searched for \"Nordlicht Films founder\": nothing.\n"
	tests := []struct {
		name, raw      string
		free, native   bool
		want, unwanted string // in the first reply
	}{
		{"a fact is not searched for again", facts("yes", director), false, false, "Anna Berg", "director of"},
		{"nor with calls", facts("yes", director), true, true, `Anna Berg`, "director of"},
		{"all is settled", facts("yes", director, employer, founder), true, false, `answer\u003eRosa Lind`, `search\u003e`},
		{"taken at its word", facts("no", director, employer, founder), false, false, `answer\u003eRosa Lind`, `search\u003e`},
		{"a fact without its note", "Facts:\n- " + director, false, false, "Anna Berg", ""},
		{"a heading in bold", "**Facts & Evidence**\n- E1: " + director, false, false, "Anna Berg", ""},
		{"prose", "So far this is known. " + director + " " + employer + " The best answer so far is Otto Kern.", false, false, "Nordlicht Films", ""},
		{"a dead end makes what led to it doubtful", facts("yes", director, employer) + failed, true, false, "I should check that the employer of Anna Berg", ""},
		{"but not without guidance", facts("yes", director, employer) + failed, false, false, "I still need the founder of Nordlicht Films", ""},
		{"of conflicting facts the verified one", facts("no", "The director of The Silent Harbor is Otto Kern.") + "- E2: " + director + " [Source: search | x | Verified: yes]", false, false, "Anna Berg", "Otto"},
		{"nothing", "## 0. Current Answer\nNone", true, false, `search\u003eThe Silent Harbor`, ""},
		{"empty", "", true, false, `search\u003eThe Silent Harbor`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := next(t, sim.Large, 1, harborQuestion, tt.raw, tt.free, tt.native)
			if !strings.Contains(got, tt.want) || tt.unwanted != "" && strings.Contains(got, tt.unwanted) {
				t.Errorf("%s\nwant %s and not %s", got, tt.want, tt.unwanted)
			}
		})
	}
}

// TestCritical checks that facts which are not verified are checked where the
// prompt says to be critical, by the more able more often, and verified ones not.
func TestCritical(t *testing.T) {
	checks := func(skill sim.Skill, status string) int {
		n := 0
		for s := range 100 {
			raw := fmt.Sprintf("## 0. Current Answer\nNone\n\n## 1. Facts & Evidence Collected\n- E1: The director of The Silent Harbor is Anna Berg. [Source: search | %d | Verified: %s]", s, status)
			if strings.Contains(next(t, skill, s, harborQuestion, raw, true, false), "I should check that the director of The Silent Harbor is Anna Berg.") {
				n++
			}
		}
		return n
	}
	var got []int
	for _, skill := range sim.Skills() {
		got = append(got, checks(skill, "no"))
		if n := checks(skill, "yes"); n > 0 {
			t.Errorf("%s checked a verified fact %d times", skill, n)
		}
	}
	if !(got[0] < got[1] && got[1] < got[2] && got[2] < 100 && got[0] > 20) {
		t.Errorf("unverified facts of 100 that are checked, by skill: %v, want rising", got)
	}
}

// TestReread checks that a wrong fact stands until evidence is read anew, which
// only a model that is told to be critical does, and that what was read then
// stands in the summary.
func TestReread(t *testing.T) {
	h := sim.New(sim.Options{Skill: sim.Large})
	put := func(s int, free bool) string {
		wrong := fmt.Sprintf("## 0. Current Answer\nNone\n\n## 1. Facts & Evidence Collected\n- E1: The director of The Silent Harbor is Otto Kern. [Source: search | %d | Verified: no]", s)
		messages := harborRound("\n\n" + continuePrompt(t, 1, wrong, free))[:3]
		messages[1] = msg{"role": "assistant", "content": "<search>director of The Silent Harbor</search>"}
		return summarize(t, h, messages, false, msg{"seed": s})
	}
	right := 0
	for s := range 20 {
		old := fmt.Sprintf("The director of The Silent Harbor is Otto Kern. [Source: search | %d | Verified: no]", s)
		if got := put(s, false); !strings.Contains(got, old) {
			t.Errorf("without guidance, with a document that says otherwise: %s", got)
		}
		switch got := put(s, true); {
		case strings.Contains(got, "The director of The Silent Harbor is Anna Berg. [Source: search | The Silent Harbor | Verified: yes]"):
			right++
		case !strings.Contains(got, old):
			t.Errorf("with guidance: %s", got)
		}
	}
	if right < 12 || right == 20 {
		t.Errorf("%d of 20 wrong facts were put right, want about nine in ten", right)
	}
}
