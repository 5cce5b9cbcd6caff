package sim

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/agent/llm/sim/internal/reader"
)

func TestReadEarlier(t *testing.T) {
	const (
		head  = "Question: q\n\n" + earlierMark + "2:\n\n"
		guide = "\n" + guidanceMark + "\n1. Be critical. It is a suggestion.\n\n" + goOnMark
	)
	director := finding{"The director of X is Y.", "search | X", "yes"}
	tests := []struct {
		name, message string
		want          *earlier
	}{
		{"no summary", "Question: q", nil},
		{"the whole form", head + "## 0. Current Answer\nA\n\n## 1. Facts & Evidence Collected\n- E1: The director of X is Y. [Source: search | X | Verified: yes]\n\n## 3. Source Inventory & Verification Status\n- X | settled E1\n\n" +
			"## 4. Uncertainties, Limitations, Gaps\n- The spouse of Y is unknown.\n\n## 5. Failed attempts\n- Searched for \"Y spouse\": nothing.\n\n## 6. Uncompleted proposals\n- Look up Z.\n\n## 7. Discarded possibilities\n- W\n" + guide,
			&earlier{answer: "A", facts: []finding{director}, leads: []string{"The spouse of Y is unknown.", "Look up Z."}, failed: []string{"Y spouse"}, critical: true}},
		{"without guidance", head + "## 0. Current Answer\nNone\n\n## 1. Facts & Evidence Collected\nNone\n\n" + goOnMark + " What is settled need not be looked up.", &earlier{}},
		{"bold headings without numbers", head + "**Current Answer**\n**A**\n**Facts & Evidence Collected**\n- The director of X is Y.", &earlier{answer: "A", facts: []finding{{director.sentence, "summary | none", "no"}}}},
		{"prose", head + "So far this is known. The director of X is Y. The best answer so far is J. K. Z. The spouse of Y is unknown.",
			&earlier{answer: "J. K. Z", facts: []finding{{director.sentence, "summary | none", "no"}}, leads: []string{"The spouse of Y is unknown."}}},
		{"a cut fact", head + "## 1. Facts\n- E1: The director of X is Y. [Source: search | X", &earlier{facts: []finding{{director.sentence, "search | X", "no"}}}},
		{"a fact that begins like a heading", head + "## 1. Facts\n- Facts of X: many", &earlier{facts: []finding{{"Facts of X: many", "summary | none", "no"}}}},
		{"lists", "Write.\n\n" + foundMark + "\n- The director of X is Y.\n\n" + openMark + "\n- Look up Z.\n\n" + triedMark + "\n- X director\n\n- no item", &earlier{
			facts: []finding{{director.sentence, "summary | none", "no"}}, leads: []string{"Look up Z."}, failed: []string{"X director"}}},
		{"a list of what is contradictory", foundMark + "\n- The director of X is Y.\n\n" + disputeMark + "\n- Y or Z\n\n" + openMark + "\n- Look up Z.\n", &earlier{
			facts: []finding{{director.sentence, "summary | none", "no"}}, leads: []string{"Look up Z."}}},
		{"an empty list", openMark + "\n\n- no item", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := readEarlier(tt.message)
			if got != nil {
				if strings.HasPrefix(tt.message, head) && got.raw == "" {
					t.Error("the summary was not kept")
				}
				got.raw = ""
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(earlier{}, finding{})); diff != "" {
				t.Errorf("readEarlier mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMadeBefore(t *testing.T) {
	prompt := "Write.\n\n" + foundMark + "\n- a fact\n\n" + disputeMark + "\n- this or that\n\n" + openMark + "\n- a lead\n\n" + triedMark + "\n- X director\n\nAlready have:\n- X\n"
	if diff := cmp.Diff([]string{"X director", "X"}, madeBefore(prompt)); diff != "" {
		t.Errorf("madeBefore mismatch (-want +got):\n%s", diff)
	}
}

func TestTried(t *testing.T) {
	e := &earlier{failed: []string{"what is the founder of Nordlicht Films", "Oak"}}
	for query, want := range map[string]bool{"Nordlicht Films founder": true, "founder of the Nordlicht Films": true, "Nordlicht founder": false, "oak": true} {
		if got := e.tried(query); got != want {
			t.Errorf("tried(%q) = %v, want %v", query, got, want)
		}
	}
	if got := e.failures("Nordlicht Films"); got != 1 {
		t.Errorf("failures = %d, want 1", got)
	}
}

func TestKeywords(t *testing.T) {
	for lead, want := range map[string]string{
		"The spouse of Anna Berg is unknown.":                 "spouse Anna Berg",
		"Look up the founder of Oak Motors.":                  "founder Oak Motors",
		"The one with director Anna Berg is unknown.":         "director Anna Berg",
		"Check whether the director of Winter Bell is Ida.":   "director Winter Bell Ida",
		"Conflict: the director of X is Y in one, Z in other": "director X Y in one, Z in other",
		"": "",
	} {
		if got := keywords(lead); got != want {
			t.Errorf("keywords(%q) = %q, want %q", lead, got, want)
		}
	}
}

// TestHopQueryAnew checks that a critical reader words a search that led nowhere
// anew, and any other does not.
func TestHopQueryAnew(t *testing.T) {
	var cache parseCache
	q := cache.understand("Who founded Oak Motors?")
	m := &model{traits: Base.traits(), temperature: 1}
	s := m.solve(&conversation{earlier: &earlier{}, shelf: reader.NewShelf(nil)}, q)
	if len(s.Open) != 1 {
		t.Fatalf("open goals %v, want one", s.Open)
	}
	g := s.Open[0]
	failed := append(g.Queries(), "Oak Motors")
	for _, critical := range []bool{true, false} {
		c := &conversation{earlier: &earlier{failed: failed, critical: critical}}
		for n := range 2 {
			if got := m.hopQuery(c, q, g, n); c.earlier.tried(got) == critical || !strings.Contains(got, "Motors") {
				t.Errorf("critical %v: query %d is %q, after %q", critical, n, got, failed)
			}
		}
	}
}

func TestChoices(t *testing.T) {
	// (½ + 0.6) · 1.5 = 1.65 for one that shows its facts, (½ + 0.9) = 1.4, and (½ + 0.2) + (½ + 0) = 1.2.
	all := contenders([]record{
		{answer: "A", confidence: 20}, {answer: "B", confidence: 90}, {confidence: 100}, {answer: "C", confidence: 60, answered: true}, {answer: "the a"},
	})
	var got []float64
	names := ""
	for _, o := range all {
		names += o.answer
		got = append(got, o.weight)
	}
	if diff := cmp.Diff([]float64{1.65, 1.4, 1.2}, got, cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })); diff != "" || names != "CBA" {
		t.Errorf("%s, weights (-want +got):\n%s", names, diff)
	}
	if diff := cmp.Diff([]int{0, 4}, all[2].from); diff != "" {
		t.Errorf("from (-want +got):\n%s", diff)
	}
}
