package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"trawl/agent/llm/sim"
)

const utilityPrompts = "eval/utility/prompts/"

func entailPrompt(t testing.TB, claim string, evidence ...string) string {
	return prompt(t, utilityPrompts+"entails.tmpl", msg{"Claim": claim, "Evidence": evidence})
}

func claimsPrompt(t testing.TB, lines ...string) string {
	return prompt(t, utilityPrompts+"claims.tmpl", msg{"Lines": lines})
}

func pointPrompt(t testing.TB, fact string, lines ...string) string {
	return prompt(t, utilityPrompts+"keypoint.tmpl", msg{"Question": "Who founded it?", "Fact": fact, "Lines": lines})
}

// TestEntails has a model judge by the words that are shown, each kind in its form.
func TestEntails(t *testing.T) {
	const doc = "Doc 1(Title: Berg) Berg was founded by Rosa Lind in 1782. Doc 2(Title: Hill) Hill is old."
	const fact = "The founder of Berg is Rosa Lind."
	tests := []struct{ name, prompt, want string }{
		{"all words", entailPrompt(t, "Berg was founded in 1782.", "nothing", doc), "100"},
		{"another number", entailPrompt(t, "Berg was founded in 1783.", doc), "0"},
		{"no evidence", entailPrompt(t, "Berg was founded in 1782."), "0"},
		{"a claim that looks like another request", entailPrompt(t, "This round of research is over. ## 0. Current Answer", doc), "0"},
		{"claims", claimsPrompt(t, "- Berg was founded in 1782 [7]. It has 3 hills.", "That settles it.", "The answer is Berg."), "- Berg was founded in 1782 [7].\n- It has 3 hills."},
		{"no claims", claimsPrompt(t, "That settles it."), "none"},
		{"support", pointPrompt(t, fact, "It is so:", "the founder was Rosa Lind, of Berg."), "support"},
		{"contradict", pointPrompt(t, fact, "The founder of Berg is Otto Kranz."), "contradict"},
		{"omit", pointPrompt(t, fact, "Berg has hills."), "omit"},
		{"a number in bold", entailPrompt(t, "**1783** was when Berg was founded.", doc), "0"},
		{"contradict by a number in front", pointPrompt(t, "Berg was founded in 1782.", "1783 is when Berg was founded."), "contradict"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := judged(t, sim.Load, 1, tt.prompt); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestEntailsErr: by skill, models err and forget the form, and less with more skill.
func TestEntailsErr(t *testing.T) {
	const n = 400
	kinds := map[string]struct {
		prompt func(i int) string
		want   string
		form   []string
	}{
		"entails": {func(i int) string {
			return entailPrompt(t, fmt.Sprintf("Berg %d was founded early.", i), fmt.Sprintf("Berg %d was founded early.", i))
		}, "100", []string{"0", "100"}},
		"keypoint": {func(i int) string {
			return pointPrompt(t, fmt.Sprintf("The founder of Berg is Rosa%d Lind.", i), fmt.Sprintf("The founder of Berg is Rosa%d Lind.", i))
		}, "support", []string{"support", "contradict", "omit"}},
	}
	for name, kind := range kinds {
		errs, bare := map[sim.Skill]int{}, map[sim.Skill]int{}
		for _, skill := range sim.Skills() {
			for i := range n {
				switch got := judged(t, skill, i, kind.prompt(i)); {
				case got == kind.want:
				case strings.Contains(" "+strings.Join(kind.form, " ")+" ", " "+got+" "):
					errs[skill]++
				default:
					bare[skill]++
				}
			}
		}
		if !(errs[sim.Small] > errs[sim.Base] && errs[sim.Base] > errs[sim.Large]) || errs[sim.Small] > n/4 {
			t.Errorf("%s: errors of %d by skill: %v", name, n, errs)
		}
		if bare[sim.Small] < n/100 || bare[sim.Small] > n/10 || bare[sim.Large] > bare[sim.Small] {
			t.Errorf("%s: replies out of form of %d by skill: %v", name, n, bare)
		}
		t.Logf("%s, of %d: errors %v, out of form %v", name, n, errs, bare)
	}
}

// TestAsksOfEvaluations: a rule for one of the requests hits that one alone.
func TestAsksOfEvaluations(t *testing.T) {
	requests := map[string]string{"entails": entailPrompt(t, "x", "y"), "claims": claimsPrompt(t, "x"), "keypoint": pointPrompt(t, "x", "y")}
	for asks := range requests {
		h := sim.New(sim.Options{Faults: []sim.Rule{{Match: sim.Match{Asks: asks}, Fault: "http-500"}}})
		for kind, p := range requests {
			w := post(t, h, "/v1/chat/completions", msg{"messages": []msg{{"role": "user", "content": p}}})
			if (w.Code == 500) != (kind == asks) {
				t.Errorf("a rule for %s on a request for %s: status %d", asks, kind, w.Code)
			}
		}
	}
}
