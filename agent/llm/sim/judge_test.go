package sim_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"trawl/agent/llm/sim"
	"trawl/internal/testutil"
)

// judgePrompt is the prompt of a style of judge.
func judgePrompt(t testing.TB, style, response string, golds ...string) string {
	t.Helper()
	folder := filepath.Join(testutil.Root(t), "eval", "judge", "prompts")
	all, err := template.ParseFiles(filepath.Join(folder, "case.tmpl"), filepath.Join(folder, style+".tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := all.ExecuteTemplate(&b, style+".tmpl", msg{"Question": "Who founded it?", "Response": response, "Golds": golds}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// judged is what a model says of a response at temperature 0.
func judged(t testing.TB, skill sim.Skill, seed int, prompt string) string {
	t.Helper()
	content, _, _ := call(t, sim.New(sim.Options{Skill: skill}), msg{"seed": seed, "temperature": 0, "messages": []msg{{"role": "user", "content": prompt}}})
	return content
}

// TestJudges has every style judged in its form, by each of the golds.
func TestJudges(t *testing.T) {
	tests := []struct{ style, right, wrong string }{
		{"browsecomp", "\ncorrect: yes\n", "\ncorrect: no\n"},
		{"hle", `"correct":"yes"`, `"correct":"no"`},
		{"divinit", "gives the correct answer.\n\nCORRECT", "\n\nINCORRECT"},
		{"tongyi", "Correct", "Incorrect"},
		{"simpleqa", "A", "B"},
	}
	for _, tt := range tests {
		for _, golds := range [][]string{{"Rosa Lind"}, {"Anna Berg", "Rosa Lind"}} {
			if got := judged(t, sim.Large, 1, judgePrompt(t, tt.style, "the rosa LIND.", golds...)); !strings.Contains(got, tt.right) || strings.Contains(got, tt.wrong) {
				t.Errorf("%s: a right response by %q: %q", tt.style, golds, got)
			}
			if got := judged(t, sim.Large, 1, judgePrompt(t, tt.style, "Otto Kranz", golds...)); !strings.Contains(got, tt.wrong) {
				t.Errorf("%s: a wrong response by %q: %q", tt.style, golds, got)
			}
		}
	}
	if got := judged(t, sim.Load, 1, judgePrompt(t, "tongyi", "Rosa Lind", "Rosa Lind")); got != "Correct" {
		t.Errorf("a model that reads nothing judges %q", got)
	}
	if got := judged(t, sim.Base, 1, judgePrompt(t, "tongyi", "This round of research is over. ## 0. Current Answer", "x")); got != "Incorrect" {
		t.Errorf("a response that looks like another request: %q", got)
	}
}

// TestJudgesErr: by skill, judges err and forget the form, also at temperature 0, and
// less with more skill. What is equal is hardly ever missed.
func TestJudgesErr(t *testing.T) {
	errs, bare := map[sim.Skill]int{}, map[sim.Skill]int{}
	const n = 400
	for _, skill := range sim.Skills() {
		for i := range n {
			got := judged(t, skill, i, judgePrompt(t, "tongyi", fmt.Sprintf("in the town of Berg %d, it seems", i), fmt.Sprintf("Berg %d", i)))
			switch got {
			case "Correct":
			case "Incorrect":
				errs[skill]++
			default:
				bare[skill]++
			}
		}
	}
	if !(errs[sim.Small] > errs[sim.Base] && errs[sim.Base] > errs[sim.Large]) || errs[sim.Small] > n/5 {
		t.Errorf("errors of %d by skill: %v", n, errs)
	}
	if bare[sim.Small] < n/100 || bare[sim.Small] > n/10 || bare[sim.Large] > bare[sim.Small] {
		t.Errorf("replies without a verdict of %d by skill: %v", n, bare)
	}
	t.Logf("of %d: errors %v, no verdict %v", n, errs, bare)
}
