package aggregate_test

import (
	"strings"
	"testing"

	"trawl/selection/aggregate"
)

func TestAnswers(t *testing.T) {
	tests := []struct {
		name, in       string
		tagged, stated string
	}{
		{"a tag", "x <answer> Paris </answer> y", "Paris", "Paris"},
		{"the first of two", "<answer>Paris</answer><answer>Rome</answer>", "Paris", "Paris"},
		{"the first that is one", "<answer> … </answer><answer>Rome</answer>", "Rome", "Rome"},
		{"the innermost", "<answer>I think <answer>Paris</answer>", "Paris", "Paris"},
		{"not closed", "<answer>Paris", "", ""},
		{"closed only", "Paris</answer>", "", ""},
		{"written with blanks and in capitals", "< Answer >Paris<\\/ ANSWER >", "Paris", "Paris"},
		{"over several lines", "<answer>\nPort\nau-Prince\n</answer>", "Port au-Prince", "Port au-Prince"},
		{"bold", "<answer>**Paris**</answer>", "Paris", "Paris"},
		{"nothing", "", "", ""},
		{"an opening line", "The correct answer is: Paris.", "", "Paris"},
		{"in bold", "**The answer is:** **Paris**.\n", "", "Paris"},
		{"all bold", "**Final answer: U.S.A.**", "", "U.S.A"},
		{"behind others", "So it is.\n  Answer: Paris\nAnswer: Rome", "", "Paris"},
		{"an opening without an answer", "Final answer:\nAnswer: Rome", "", "Rome"},
		{"inside a line", "So the answer is: Paris", "", ""},
		{"without a colon", "The answer is Paris", "", ""},
		{"the tag before the line", "Answer: Rome\n<answer>Paris</answer>", "Paris", "Paris"},
		{"a letter that folds to another length", "ANſWER: x", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := aggregate.TaggedAnswer(tt.in); got != tt.tagged {
				t.Errorf("tagged answer of %q = %q, want %q", tt.in, got, tt.tagged)
			}
			if got := aggregate.StatedAnswer(tt.in); got != tt.stated {
				t.Errorf("stated answer of %q = %q, want %q", tt.in, got, tt.stated)
			}
		})
	}
}

func TestAccept(t *testing.T) {
	example := aggregate.Words("placeholder", nil)
	tests := []struct {
		name, in, want string
		ok             bool
	}{
		{"tags", good, "Paris", true},
		{"lines", "Explanation: Jane Doe founded it.\nExact Answer: Paris\nConfidence: 90%", "Paris", true},
		{"lines in bold", "**Explanation:** Jane Doe\nfounded it.\n\n**Exact Answer:** Paris", "Paris", true},
		{"the first of two lines", "Explanation: x\nExact Answer: Paris\nExact Answer: Rome", "Paris", true},
		{"a line without an answer before it", "Explanation: x\nExact Answer:\nExact Answer: Rome", "Rome", true},
		{"an answer below its line", "Explanation: x\nExact Answer:\nParis\n", "Paris", true},
		{"a tag and a line", "<explanation>x</explanation>\nExact Answer: Paris", "Paris", true},
		{"the first line of the answer", "<explanation>x</explanation><answer>\n---\n**Paris**\nas said</answer>", "Paris", true},
		{"an answer without a word", "<explanation>x</explanation><answer>---</answer>", "<explanation>x</explanation><answer>---</answer>", true},
		{"no explanation", "<answer>Paris</answer>", "Paris", false},
		{"an empty explanation", "<explanation> </explanation><answer>Paris</answer>", "Paris", false},
		{"an empty answer", "<explanation>x</explanation><answer></answer>", "<explanation>x</explanation><answer></answer>", false},
		{"an answer that is cut off", "<explanation>x</explanation><answer>Par", "<explanation>x</explanation><answer>Par", false},
		{"the prompt's example", "<explanation>x</explanation><answer>" + example + "</answer>", "<explanation>x</explanation><answer>" + example + "</answer>", false},
		{"text", "Paris", "Paris", false},
		{"nothing", "", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := aggregate.Accept(tt.in)
			if got != tt.want || ok != tt.ok {
				t.Errorf("Accept(%q) = %q, %v, want %q, %v", tt.in, got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestReportOf(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"tags", "Here:\n<report>\nPlanning: x\n</report> Bye.", "Planning: x"},
		{"not closed", "<Report >Planning: x", "Planning: x"},
		{"not opened", "Planning: x</report>", "Planning: x"},
		{"no tags", " Planning: x\n", "Planning: x"},
		{"empty", "<report> </report>", ""},
	}
	for _, tt := range tests {
		if got := aggregate.ReportOf(tt.in); got != tt.want {
			t.Errorf("%s: ReportOf(%q) = %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
}

func TestConfidenceOf(t *testing.T) {
	tests := map[string]float64{
		"Confidence: 85%":            .85,
		"I am sure. Confidence: 0.7": .7,
		"85%":                        .85,
		"85":                         .85,
		" **85 %**\n":                .85,
		"0.85":                       .85,
		"100":                        1,
		"0":                          0,
		"<answer>85%</answer>":       .85,
		"about 85":                   -1,
		"1985":                       -1,
		"150%":                       -1,
		"":                           -1,
	}
	for in, want := range tests {
		got := -1.0
		if c := aggregate.ConfidenceOf(in); c != nil {
			got = *c
		}
		if got != want {
			t.Errorf("confidence of %q = %v, want %v", in, got, want)
		}
	}
}

// Whatever a model writes, an answer is one line, no answer has a tag of ours
// around it, and an answer in the tag is found by both readers.
func FuzzAnswers(f *testing.F) {
	for _, s := range []string{good, "<answer><answer>x</answer>", "**Answer:** x.", "Explanation: a\nExact Answer: b", "<answer>&lt;answer&gt;</answer>", "<explanation>\xff</explanation><answer>\u2028a</answer>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tagged, stated := aggregate.TaggedAnswer(s), aggregate.StatedAnswer(s)
		accepted, ok := aggregate.Accept(s)
		if tagged != "" && stated != tagged {
			t.Errorf("tagged %q, stated %q", tagged, stated)
		}
		if ok && strings.TrimSpace(s) == "" {
			t.Errorf("an empty solution is accepted")
		}
		for _, a := range []string{tagged, stated, accepted} {
			if strings.ContainsAny(a, "\n\r") || strings.TrimSpace(a) != a {
				t.Errorf("the answer %q", a)
			}
		}
		if whole := "<answer>x</answer>" + s; aggregate.TaggedAnswer(whole) != "x" {
			t.Errorf("the first answer of %q is %q", whole, aggregate.TaggedAnswer(whole))
		}
		aggregate.ReportOf(s)
		if c := aggregate.ConfidenceOf(s); c != nil && (*c < 0 || *c > 1) {
			t.Errorf("the confidence %v", *c)
		}
	})
}
