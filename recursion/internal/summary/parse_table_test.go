package summary_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/recursion/internal/summary"
	"trawl/trajectory"
)

// Any of the eight headings, in the ways that models write one, opens its section.
func TestParseHeadings(t *testing.T) {
	if s := summary.Parse("## What I know of the sources\n- http://a/1\n"); holder(s, "http://a/1") != 3 {
		t.Errorf("a loose title is read as %s", sections(t, s))
	}
	if s := summary.Parse("**1. Facts that I found out about the place**\nIt is so\n"); holder(s, "It is so") != 1 {
		t.Errorf("a loose title in bold is read as %s", sections(t, s))
	}
	titles := []string{"Current Answer", "Facts & Evidence Collected", "Analysis & Conclusions", "Source Inventory & Verification Status",
		"Uncertainties, Limitations, Gaps", "Failed attempts", "Uncompleted proposals", "Discarded possibilities"}
	forms := []string{"## %d. %s", "##%d.%s", "### %d) %s", "# %d - %s", "%d. %s", "%d) %s", "%d: %s", "Section %d: %s", "## Section %d — %s",
		"**%d. %s**", "%d. **%s**", "## **%d. %s**", "**%d. %s:**", "__%d. %s__", "  ## %d. %s ##", "> ## %d. %s"}
	untitled := []string{"## %s", "### %s", "**%s**", "**%s:**", "%s", "%s:", "- **%s**", "## %s:"}
	for n, title := range titles {
		var lines []string
		for _, f := range forms {
			lines = append(lines, fmt.Sprintf(f, n, title), fmt.Sprintf(f, n, strings.ToUpper(title)))
		}
		for _, f := range untitled {
			lines = append(lines, fmt.Sprintf(f, title), fmt.Sprintf(f, strings.ToLower(title)))
		}
		lines = append(lines, fmt.Sprintf("## %d.", n), fmt.Sprintf("## %d", n), fmt.Sprintf("%d.", n), fmt.Sprintf("### %d", n))
		for _, line := range lines {
			s := summary.Parse(line + "\nWhat it holds\n")
			if got := holder(s, "What it holds"); got != n {
				t.Errorf("%q opens section %d, want %d: %v", line, got, n, s.Repairs)
			}
		}
	}
}

// holder returns the number of the only section that holds text, -1 if none or
// several do.
func holder(s trajectory.State, text string) int {
	var found []int
	if s.CurrentAnswer != nil && *s.CurrentAnswer == text {
		found = append(found, 0)
	}
	if slices.ContainsFunc(s.Facts, func(f trajectory.Fact) bool { return f.Text == text }) {
		found = append(found, 1)
	}
	if slices.ContainsFunc(s.Conclusions, func(c trajectory.Conclusion) bool { return c.Text == text }) {
		found = append(found, 2)
	}
	if slices.ContainsFunc(s.Sources, func(c trajectory.Source) bool { return c.URI == text }) {
		found = append(found, 3)
	}
	for i, list := range [][]string{s.Uncertainties, s.Failed, s.Uncompleted, s.Discarded} {
		if slices.Contains(list, text) {
			found = append(found, 4+i)
		}
	}
	if len(found) != 1 {
		return -1
	}
	return found[0]
}

// Lines that look like headings and are none.
func TestParseNoHeading(t *testing.T) {
	tests := []struct{ name, raw, want string }{
		{"an answer that is a number", "## 0. Current Answer\n7.\n## 1. Facts\n", "7"},
		{"a bold one", "## 0. Current Answer\n**7**\n## 1. Facts\n", "7"},
		{"one with a list number", "## 0. Current Answer\n1. FC Köln\n", "1. FC Köln"},
		{"one with the word of a title", "## 0. Current Answer\nEvidence\n", "Evidence"},
		{"one with a colon", "## 0. Current Answer\nSources: The Album\n", "Sources: The Album"},
		{"a word of several titles", "## 0. Current Answer\nFacts of Life and Sources of Power\n", "Facts of Life and Sources of Power"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := summary.Parse(tt.raw)
			if s.CurrentAnswer == nil || *s.CurrentAnswer != tt.want {
				t.Errorf("answer %v, want %q", s.CurrentAnswer, tt.want)
			}
		})
	}
	s := summary.Parse("## 0. Current Answer\nB\n## 2. Analysis & Conclusions\n- A is B.\nEvidence: the first\nFinal answer: B\n- Failed attempts\n### Evidence for it\n- C is D.\n")
	var got []string
	for _, c := range s.Conclusions {
		got = append(got, c.Text)
	}
	if diff := cmp.Diff([]string{"A is B.", "Evidence: the first", "Final answer: B", "Failed attempts", "C is D."}, got); diff != "" {
		t.Errorf("conclusions mismatch (-want +got):\n%s", diff)
	}
}

func TestParseAnswer(t *testing.T) {
	none := []string{"None", "none.", "**None**", "N/A", "-", "Unknown", "Not yet determined", "not yet determined.", "None (the evidence conflicts)", "None - nothing was found",
		"Unknown: two are left", "The answer is unknown.", "“None”", "None yet", "无", "...", "None. Nothing points to one.", "short answer", "`None`", "To be determined"}
	for _, s := range none {
		if got := summary.Parse("## 0. Current Answer\n" + s); got.CurrentAnswer != nil {
			t.Errorf("%q is read as the answer %q", s, *got.CurrentAnswer)
		}
	}
	tests := []struct{ line, want string }{
		{"Paris", "Paris"},
		{"Paris.", "Paris"},
		{"**Paris**", "Paris"},
		{"*Paris*", "Paris"},
		{"**Paris**.", "Paris"},
		{`"Paris."`, "Paris"},
		{"“Paris” [E1]", "Paris"},
		{"Paris [E1, E3].", "Paris"},
		{"Paris (E1; E2) [Source: search | http://a | Verified: yes]", "Paris"},
		{"Paris [E1][E2]", "Paris"},
		{"Paris (inference)", "Paris"},
		{"Paris (Texas)", "Paris (Texas)"},
		{"The answer is Paris.", "Paris"},
		{"Thus, the current best answer is: **Paris**", "Paris"},
		{"Answer: Paris", "Paris"},
		{"<answer>Paris</answer>", "Paris"},
		{"```\nParis\n```", "Paris"},
		{"\n\n- Paris\n- Lyon", "Paris"},
		{"The answer is:\nParis", "Paris"},
		{"Washington, D.C.", "Washington, D.C."},
		{"Sammy Davis Jr.", "Sammy Davis Jr."},
		{"7.", "7"},
		{"The Answer", "The Answer"},
		{"None of the Above", "None of the Above"},
		{"Unknown Pleasures", "Unknown Pleasures"},
		{`"Heroes" and "Low"`, `"Heroes" and "Low"`},
		{"Na", "Na"},
		{"Tom &amp; Jerry", "Tom & Jerry"},
	}
	for _, tt := range tests {
		got := summary.Parse("## 0. Current Answer\n" + tt.line)
		if got.CurrentAnswer == nil || *got.CurrentAnswer != tt.want {
			t.Errorf("%q is read as %v, want %q", tt.line, deref(got.CurrentAnswer), tt.want)
		}
	}
	for _, raw := range []string{"## 0. Current Answer: Paris", "0. Current Answer: Paris", "Current Answer: Paris", "**Current Answer:** Paris", "- **Current Answer**: Paris", "## Current Answer — Paris"} {
		if got := summary.Parse(raw); got.CurrentAnswer == nil || *got.CurrentAnswer != "Paris" {
			t.Errorf("%q is read as %v", raw, deref(got.CurrentAnswer))
		}
	}
}

func deref(s *string) string {
	if s == nil {
		return "nil"
	}
	return *s
}

func TestParseFacts(t *testing.T) {
	tests := []struct {
		line string
		want trajectory.Fact // without an id: E1
	}{
		{"- E1: A is B. [Source: search | http://a/1 | Verified: yes]", fact("A is B.", "search", "http://a/1", "yes")},
		{"A is B.", fact("A is B.", "", "", "")},
		{"- A is B [Source: search | http://a/1?x=1|2 | Verified: no]", fact("A is B", "search", "http://a/1?x=1|2", "no")},
		{"- A is B [Source: search|http://a/1|Verified: no]", fact("A is B", "search", "http://a/1", "no")},
		{"- A is B [Source: Acme Wiki]", fact("A is B", "Acme Wiki", "", "")},
		{"- A is B [Source: http://a/1]", fact("A is B", "", "http://a/1", "")},
		{"- A is B [Source: search | Acme | http://a/1 | Verified: Yes]", fact("A is B", "search", "http://a/1", "yes")},
		{"- A [sic] is B [C] [Source: search | doc:[7] | Verified=Yes].", fact("A [sic] is B [C].", "search", "doc:[7]", "yes")},
		{"* A is B (Source: search; http://a/1; verified: partially)", fact("A is B", "search", "http://a/1", "partial")},
		{"A is B. Source: search | http://a/1 | Verified: yes", fact("A is B.", "search", "http://a/1", "yes")},
		{"A is B [Verified: partial]", fact("A is B", "", "", "partial")},
		{"A is B (unverified)", fact("A is B", "", "", "no")},
		{"A is B (verified)", fact("A is B", "", "", "yes")},
		{"A is B [Source: x | y | not verified]", fact("A is B", "x", "y", "no")},
		{"A is B [Source: x | y | partially verified]", fact("A is B", "x", "y", "partial")},
		{"A is B [Source: x | y | Verified]", fact("A is B", "x", "y", "yes")},
		{"A is B [Source: x | y | yes]", fact("A is B", "x", "y", "yes")},
		{"A is B [Source: x | y | Verified: maybe]", fact("A is B", "x", "y", "")},
		{"A is B [Source: - | - | Verified: no]", fact("A is B", "", "", "no")},
		{"A is B [Source: x | y | Verified: yes", fact("A is B", "x", "y", "yes")},
		{"A is B | search | http://a/1 | Verified: yes", fact("A is B", "search", "http://a/1", "yes")},
		{"A is B [source needed]", fact("A is B", "needed", "", "")},
		{"The open-source: B", fact("The open-source: B", "", "", "")},
		{"A is B. Sources: x | y", fact("A is B.", "x", "y", "")},
		{"A is B. Verified: yes", fact("A is B.", "", "", "yes")},
		{"A is B [Source: Acme (http://a/1) | Verified: yes]", fact("A is B", "Acme", "http://a/1", "yes")},
		{"A is B [Source: Acme (http://a/1)]", fact("A is B", "Acme", "http://a/1", "")},
		{"A is B [Source: tool: x | URL: http://a/1]", fact("A is B", "x", "http://a/1", "")},
		{"A resource: B", fact("A resource: B", "", "", "")},
		{"- **E1**: **A** is B. **[Source:** x | y | **Verified: yes]**", fact("A is B.", "x", "y", "yes")},
		{"[E1] A is B.", fact("A is B.", "", "", "")},
		{"(E1) A is B.", fact("A is B.", "", "", "")},
		{"Fact 1: A is B.", fact("A is B.", "", "", "")},
		{"Evidence #1 - A is B.", fact("A is B.", "", "", "")},
		{"E01) A is B.", fact("A is B.", "", "", "")},
		{"- E1: A is B.\n  [Source: x | y | Verified: yes]", fact("A is B.", "x", "y", "yes")},
		{"- E1: A is B.\n[Source: x | y | Verified: yes]", fact("A is B.", "x", "y", "yes")},
		{"- E1: A\n  is B.", fact("A is B.", "", "", "")},
		{"- E1: A is B.\n  - Source: x | y\n  - Verified: yes", fact("A is B.", "x", "y", "yes")},
		{"| Id | Fact | Tool | URL | Verified |\n|---|:-:|---|---|---|\n| E1 | A is B | x | http://a/1 | yes |", fact("A is B", "x", "http://a/1", "yes")},
	}
	for _, tt := range tests {
		got := summary.Parse("## 1. Facts & Evidence Collected\n" + tt.line + "\n")
		if diff := cmp.Diff([]trajectory.Fact{tt.want}, got.Facts); diff != "" {
			t.Errorf("%q: facts mismatch (-want +got):\n%s", tt.line, diff)
		}
	}
}

func fact(text, tool, uri string, status trajectory.Status) trajectory.Fact {
	return trajectory.Fact{ID: "E1", Text: text, SourceTool: tool, SourceURI: uri, Verified: status}
}

func TestParseIDs(t *testing.T) {
	tests := []struct {
		name, facts, conclusion string
		ids, evidence           []string
		repaired                bool
	}{
		{"kept as they are", "- E2: a\n- E5: b", "c [E5, E2]", []string{"E2", "E5"}, []string{"E5", "E2"}, false},
		{"repeated", "- E1: a\n- E1: b\n- E2: c", "d [E1, E2]", []string{"E1", "E2", "E3"}, []string{"E1", "E3"}, true},
		{"one is missing", "- a\n- E1: b", "c (E1)", []string{"E1", "E2"}, []string{"E2"}, true},
		{"all are missing", "1. a\n2. b", "c [E2]", []string{"E1", "E2"}, []string{"E2"}, true},
		{"a range", "- E1: a\n- E2: b\n- E3: c", "d [E1-E3]", []string{"E1", "E2", "E3"}, []string{"E1", "E2", "E3"}, false},
		{"in the text", "- E1: a\n- E2: b", "Since E2 and E1, c", []string{"E1", "E2"}, []string{"E2", "E1"}, false},
		{"by number", "- E1: a\n- E2: b", "c [2, 1]", []string{"E1", "E2"}, []string{"E2", "E1"}, false},
		{"of no fact", "- E1: a", "c [E1, E7]", []string{"E1"}, []string{"E1"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := summary.Parse("## 1. Facts\n" + tt.facts + "\n## 2. Analysis & Conclusions\n- " + tt.conclusion)
			var ids []string
			for _, f := range s.Facts {
				ids = append(ids, f.ID)
			}
			if diff := cmp.Diff(tt.ids, ids); diff != "" {
				t.Errorf("ids mismatch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.evidence, s.Conclusions[0].Evidence); diff != "" {
				t.Errorf("evidence mismatch (-want +got):\n%s", diff)
			}
			if got := slices.Contains(s.Repairs, "facts-renumbered"); got != tt.repaired {
				t.Errorf("repairs %v", s.Repairs)
			}
		})
	}
}

func TestParseConclusions(t *testing.T) {
	tests := []struct {
		line      string
		want      string
		evidence  int
		inference bool
	}{
		{"A is B. [E1, E3]", "A is B.", 2, false},
		{"A is B (E1).", "A is B.", 1, false},
		{"A is B (inference)", "A is B", 0, true},
		{"A is B. [E1] (inference)", "A is B.", 1, true},
		{"A is B [E1 and E3; inference].", "A is B.", 2, true},
		{"(inference) A is B [based on E1]", "A is B", 1, true},
		{"Inference: A is B", "A is B", 0, true},
		{"C1: A is B. — E1, E3", "A is B.", 2, false},
		{"A (born 1950) is B [see E1]", "A (born 1950) is B", 1, false},
		{"A [12 of them] is B (Evidence: E1, E3)", "A [12 of them] is B", 2, false},
		{"A is B in 1999 [1999]", "A is B in 1999 [1999]", 0, false},
		{"A is B [E1" + strings.Repeat(", E1", 100) + "]", "A is B [E1" + strings.Repeat(", E1", 100) + "]", 1, false},
		{"A is B [E1", "A is B [E1", 1, false},
	}
	for _, tt := range tests {
		s := summary.Parse("## 1. Facts\n- E1: x\n- E2: y\n- E3: z\n## 2. Analysis & Conclusions\n- " + tt.line)
		if len(s.Conclusions) != 1 {
			t.Errorf("%q: %d conclusions", tt.line, len(s.Conclusions))
			continue
		}
		if c := s.Conclusions[0]; c.Text != tt.want || len(c.Evidence) != tt.evidence || c.Inference != tt.inference {
			t.Errorf("%q is read as %+v", tt.line, c)
		}
	}
}

func TestParseSources(t *testing.T) {
	tests := []struct{ line, uri, status string }{
		{"- http://a/1 | settled it", "http://a/1", "settled it"},
		{"http://a/1", "http://a/1", ""},
		{"* http://a/1?x=1|2 | did not help", "http://a/1?x=1|2", "did not help"},
		{"Acme | http://a/1 | ok", "http://a/1", "Acme | ok"},
		{"http://a/x-y - ok", "http://a/x-y", "ok"},
		{"http://a/1: ok", "http://a/1", "ok"},
		{"S1: http://a/1 — ok", "http://a/1", "ok"},
		{"[Acme](http://a/1) - ok", "http://a/1", "ok"},
		{"doc 17|ok", "doc 17", "ok"},
	}
	for _, tt := range tests {
		got := summary.Parse("## 3. Source Inventory\n" + tt.line).Sources
		if diff := cmp.Diff([]trajectory.Source{{URI: tt.uri, Status: tt.status}}, got); diff != "" {
			t.Errorf("%q: sources mismatch (-want +got):\n%s", tt.line, diff)
		}
	}
}

// Under every heading, what says that there is nothing is nothing.
func TestParseNothing(t *testing.T) {
	for _, nothing := range []string{"None", "none.", "- None", "N/A", "-", "—", "(none)", "**None**", "* n/a", "1. None", "Nothing", ""} {
		var b strings.Builder
		for n := range 8 {
			fmt.Fprintf(&b, "## %d.\n%s\n\n", n, nothing)
		}
		s := summary.Parse(b.String())
		if s.CurrentAnswer != nil || len(s.Facts)+len(s.Conclusions)+len(s.Sources)+len(s.Uncertainties)+len(s.Failed)+len(s.Uncompleted)+len(s.Discarded) > 0 {
			t.Errorf("%q is read as %s", nothing, sections(t, s))
		}
	}
}

// A hostile summary of 256 KiB is read in a fraction of a second; what is
// quadratic anywhere takes a minute.
func TestParseIsLinear(t *testing.T) {
	const size = 1 << 18
	for _, unit := range []string{"(", "[", "[Source: ", "source ", "verified ", "[E1]", "E1-E50 ", "- E1: a [E1]\n", "## 1. Facts\n", "|a|\n|-|\n", "\n  x", "[E1][E1]\n", "<answer>", "“", "# "} {
		body := strings.Repeat(unit, size/len(unit))
		start := time.Now()
		summary.Parse("## 0. Current Answer\n" + body)
		summary.Parse("## 1. Facts\n- E1: " + body)
		summary.Parse("## 1. Facts\n- E1: a\n## 2. Conclusions\n- " + body)
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%q: %v", unit, took)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "## 0. Current Answer\nParis\n## 1. Facts\n- E1: a [Source: b | c | Verified: yes]\n## 2.\n- d [E1]", "1.\n2.", "**Facts**\n|a|b|\n|-|-|\n|c|d|", "## 0\n```", "Sources:\n[a](b): c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		s := summary.Parse(raw)
		if s.Raw != raw {
			t.Error("Raw is not what was read")
		}
		if s.CurrentAnswer != nil && strings.TrimSpace(*s.CurrentAnswer) == "" {
			t.Error("the answer is empty")
		}
		ids := map[string]bool{}
		for _, f := range s.Facts {
			if f.Text == "" || ids[f.ID] || f.ID == "" {
				t.Errorf("fact %+v", f)
			}
			ids[f.ID] = true
		}
		for _, c := range s.Conclusions {
			for _, id := range c.Evidence {
				if !ids[id] {
					t.Errorf("%q cites %s, which is no fact", c.Text, id)
				}
			}
		}
		for _, src := range s.Sources {
			if src.URI == "" {
				t.Error("a source without a name")
			}
		}
		if s.Uncertainties == nil || s.Failed == nil || s.Uncompleted == nil || s.Discarded == nil || s.Facts == nil {
			t.Error("a list is nil")
		}
	})
}
