package aggregate_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"trawl/internal/testutil"
	"trawl/selection/aggregate"
)

// Every prompt as a model sees it. A change of words is a change of these files.
func TestPrompts(t *testing.T) {
	type report struct {
		Number int
		Text   string
	}
	tests := map[string]string{
		"integrate":         aggregate.Render("integrate", data{"Question": "Where?", "Reports": []report{{1, "Paris, it says."}, {2, "<answer>Rome</answer>"}}}),
		"report":            aggregate.Render("report", data{"Question": "Where?", "Record": "[user]\nWhere?"}),
		"confidence":        aggregate.Render("confidence", data{"Answer": "Paris"}),
		"confidence-record": aggregate.Render("confidence-record", data{"Question": "Where?", "Record": "[user]\nWhere?"}),
		"aggregator-system": aggregate.Render("aggregator-system", nil),
		"aggregator-task":   aggregate.Render("aggregator-task", data{"Question": "Where?", "Count": 2, "Lines": []string{"Trajectory 1: …", "Trajectory 2: …"}}),
		"forced-finish":     aggregate.Render("forced-finish", nil),
		"tools":             aggregate.Render("tools", data{"Count": 2, "MaxSteps": 10, "DefaultSteps": 5, "SegmentSteps": 5}),
		"words":             allWords(),
	}
	files, err := filepath.Glob("prompts/*.tmpl")
	if err != nil || len(files) != len(tests)+1 { // record.tmpl has golden files of its own
		t.Errorf("%d prompts, %d tested (%v)", len(files), len(tests), err)
	}
	for name, got := range tests {
		t.Run(name, func(t *testing.T) {
			testutil.Golden(t, "prompts/"+name+".txt", got+"\n")
		})
	}
}

// allWords renders the short texts, one a line.
func allWords() string {
	type tool struct {
		Name  string
		Count int
	}
	var b strings.Builder
	for _, w := range []struct {
		name string
		data any
	}{
		{"placeholder", nil}, {"cut", nil}, {"middle", nil}, {"open-call", nil},
		{"line", data{"Number": 1, "Steps": 8, "Tokens": 1234, "Tools": []tool{{"open", 1}, {"search", 3}}}},
		{"line", data{"Number": 2, "Steps": 1, "Tokens": 5, "Tools": []tool{}}},
		{"bad-id", data{"Count": 3}}, {"no-number", data{"Name": "k"}}, {"no-query", nil}, {"bad-role", nil},
		{"no-matches", data{"Number": 1}}, {"no-steps", data{"Number": 1}}, {"no-tool", data{"Tools": "get_solution, finish"}},
		{"repeated", nil}, {"bad-solution", nil}, {"no-call", data{"Tries": 5}}, {"call-a-tool", data{"Tools": "get_solution, finish"}},
	} {
		fmt.Fprintf(&b, "%s: %q\n", w.name, aggregate.Words(w.name, w.data))
	}
	return b.String()
}

func TestPromptHash(t *testing.T) {
	h := aggregate.PromptHash()
	if !strings.HasPrefix(h, "sha256:") || len(h) != len("sha256:")+64 || h != aggregate.PromptHash() {
		t.Errorf("PromptHash() = %q", h)
	}
}
