package recursion_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/internal/testutil"
	"trawl/recursion"
	"trawl/recursion/internal/summary"
	"trawl/trajectory"
)

// Every prompt as a model sees it. A change of words is a change of these files.
func TestPrompts(t *testing.T) {
	type data = map[string]any
	const question = "Who founded the company?"
	raw := "## 0. Current Answer\nAnn Lee"
	tests := map[string]string{
		"summary-base-first":  recursion.Render("summary", data{"Question": question}),
		"summary-base-later":  recursion.Render("summary", data{"Question": question, "Earlier": true}),
		"summary-full-first":  recursion.Render("summary", data{"Question": question, "Full": true}),
		"summary-full-later":  recursion.Render("summary", data{"Question": question, "Full": true, "Earlier": true}),
		"continue":            recursion.Render("continue", data{"Round": 1, "Raw": raw, "FreeUse": true}),
		"continue-plain":      recursion.Render("continue", data{"Round": 1, "Raw": raw}),
		"note":                recursion.Render("note", nil),
		"closed":              recursion.Render("closed", nil),
		"conflict-answers":    conflictOf(t, state(0, "Paris"), state(1, "Lyon"), state(2, "paris.")),
		"conflict-statuses":   conflictOf(t, withFact(0, "A is B.", "yes"), withFact(1, "a is b", "no")),
		"conflict-statements": conflictOf(t, withFact(0, "Ann Lee was born in 1934.", "yes"), withFact(1, "Ann Lee was born in 1943.", "yes")),
		"merged-empty":        recursion.Merge([]trajectory.State{state(0, "")}, recursion.Full).Raw,
		"merged-base":         recursion.Merge(twoStates(t), recursion.Base).Raw,
		"merged-full":         recursion.Merge(twoStates(t), recursion.Full).Raw,
	}
	seen := map[string]bool{}
	for name, got := range tests {
		t.Run(name, func(t *testing.T) {
			testutil.Golden(t, "prompts/"+name+".txt", got+"\n")
		})
		base, _, _ := strings.Cut(name, "-")
		seen[base] = true
	}
	files, err := filepath.Glob("prompts/*.tmpl")
	if err != nil || len(files) != len(seen) {
		t.Errorf("%d prompts, %d tested (%v)", len(files), len(seen), err)
	}
}

func conflictOf(t *testing.T, states ...trajectory.State) string {
	t.Helper()
	got := recursion.Merge(states, recursion.Base).Conflicts
	if len(got) != 1 {
		t.Fatalf("conflicts %q, want one", got)
	}
	return got[0]
}

var headingLine = regexp.MustCompile(`(?m)^## .*$`)

// A merged state has the headings that a summary is asked for, and so they are
// read the same.
func TestHeadings(t *testing.T) {
	for _, v := range []recursion.Variant{recursion.Base, recursion.Full} {
		asked := recursion.Render("summary", map[string]any{"Full": v == recursion.Full})
		merged := recursion.Merge([]trajectory.State{state(0, "x")}, v).Raw
		if diff := cmp.Diff(headingLine.FindAllString(asked, -1), headingLine.FindAllString(merged, -1)); diff != "" {
			t.Errorf("%s: headings mismatch (-asked +merged):\n%s", v, diff)
		}
		if s := summary.Parse(merged); len(s.Repairs) > 0 {
			t.Errorf("%s: a merged state is read with the repairs %v", v, s.Repairs)
		}
	}
}

func TestPromptHash(t *testing.T) {
	h := recursion.PromptHash()
	if !strings.HasPrefix(h, "sha256:") || len(h) != len("sha256:")+64 || h != recursion.PromptHash() {
		t.Errorf("PromptHash() = %q", h)
	}
}
