package eval_test

import (
	"math"
	"testing"

	"trawl/corpus/dataset"
	"trawl/eval"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestMark(t *testing.T) {
	// em, yesNo, plain and contains are what the official Python functions of
	// HotpotQA and MuSiQue, and Search-R1's sub-EM, give for each pair, but for
	// those marked as departures.
	tests := []struct {
		answer, gold string
		em           bool
		yesNo, plain float64
		contains     bool
	}{
		{"The Beatles", "beatles", true, 1, 1, true},
		{"James Madison, Jr.", "james madison", false, 0.8, 0.8, true}, // 2·2/(3+2)
		{"not Paris but Lyon", "Paris", false, 0.4, 0.4, true},         // contained, yet no exact match
		{"yes, it is", "yes", false, 0, 0.5, true},
		{"no", "yes", false, 0, 0, false},
		{"Yes!", "yes", true, 1, 1, true},
		{"noanswer", "no answer", false, 0, 0, false},
		{"no man", "no country for old men", false, 2.0 / 7, 2.0 / 7, false}, // "no" within a text is no verdict
		{"the the cat", "cat cat", false, 2.0 / 3, 2.0 / 3, false},
		{"New York New York", "New York", false, 2.0 / 3, 2.0 / 3, true}, // multisets: 2·2/(4+2)
		{"U.S.A.", "usa", true, 1, 1, true},
		{"niña", "nina", false, 0, 0, false},
		{"the", "A", true, 1, 1, true},       // departure: HotpotQA's F1 is 0 with EM 1
		{"Paris", "the", false, 0, 0, false}, // departure: sub-EM would hold for every answer
		{"", "the", false, 0, 0, false},      // departure: no answer is never right
		{"", "Paris", false, 0, 0, false},
	}
	for _, tt := range tests {
		golds := []string{tt.gold}
		yesNo := eval.Mark(dataset.Example{Golds: golds, Source: "hotpotqa"}, tt.answer)
		plain := eval.Mark(dataset.Example{Golds: golds, Source: "musique"}, tt.answer)
		if yesNo.EM != tt.em || plain.EM != tt.em || yesNo.Contains != tt.contains {
			t.Errorf("Mark(%q, %q): EM %v and %v, contains %v; want %v, %v", tt.answer, tt.gold, yesNo.EM, plain.EM, yesNo.Contains, tt.em, tt.contains)
		}
		if !near(yesNo.F1, tt.yesNo) || !near(plain.F1, tt.plain) {
			t.Errorf("Mark(%q, %q): F1 %v and %v, want %v and %v", tt.answer, tt.gold, yesNo.F1, plain.F1, tt.yesNo, tt.plain)
		}
	}
}

func TestMarkTakesTheBestGold(t *testing.T) {
	e := dataset.Example{Golds: []string{"Granville Stanley Hall", "Stanley Hall", "Hall"}}
	if got, want := eval.Mark(e, "stanley hall"), (eval.Marks{EM: true, F1: 1, Contains: true}); got != want {
		t.Errorf("Mark = %+v, want %+v", got, want)
	}
	if got := eval.Mark(e, "G. Stanley"); got.EM || got.Contains || !near(got.F1, 0.5) { // of "stanley hall": 2·1/(2+2)
		t.Errorf("Mark = %+v, want F1 0.5 alone", got)
	}
}

func TestRuleOf(t *testing.T) {
	for source, want := range map[string]eval.Rule{"musique": eval.Plain, "hotpotqa": eval.YesNo, "2wikimultihopqa": eval.YesNo, "flashrag": eval.YesNo, "": eval.YesNo} {
		if got := eval.RuleOf(source); got != want {
			t.Errorf("RuleOf(%q) = %v, want %v", source, got, want)
		}
	}
}

func FuzzMark(f *testing.F) {
	for _, pair := range [][2]string{{"The", "a"}, {"yes", "no"}, {"not Paris", "Paris"}, {"É \xff", "é"}, {"noanswer", ""}, {"!!!", "???"}} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, answer, gold string) {
		for _, source := range []string{"hotpotqa", "musique"} {
			m := eval.Mark(dataset.Example{Golds: []string{gold, "Paris"}, Source: source}, answer)
			if m.F1 < 0 || m.F1 > 1 || m.EM && (m.F1 != 1 || !m.Contains) {
				t.Errorf("Mark(%q, %q) = %+v: EM ≤ F1 ≤ 1 and EM ≤ contains must hold", answer, gold, m)
			}
			turned := eval.Mark(dataset.Example{Golds: []string{"Paris", gold}, Source: source}, answer)
			if turned != m {
				t.Errorf("Mark(%q, %q) depends on the order of the golds: %+v and %+v", answer, gold, m, turned)
			}
		}
	})
}
