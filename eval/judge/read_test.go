package judge_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/eval/judge"
)

func share(f float64) *float64 { return &f }

// TestReadFields reads what judges write where four fields are asked for.
func TestReadFields(t *testing.T) {
	none := judge.Ruling{}
	yes, no := judge.Ruling{Verdict: judge.Correct}, judge.Ruling{Verdict: judge.Incorrect}
	tests := []struct {
		name, said string
		lines      judge.Ruling // as browsecomp; the zero ruling is none
		object     judge.Ruling // as hle
	}{
		{"as asked for", "extracted_final_answer: Paris\n\nreasoning: They are\nthe same.\n\ncorrect: yes\n\nconfidence: 85",
			judge.Ruling{Verdict: judge.Correct, Extracted: "Paris", Reasoning: "They are the same.", Confidence: share(.85)}, none},
		{"no answer", "extracted_final_answer: None\nreasoning: It gives none.\ncorrect: no\nconfidence: none",
			judge.Ruling{Verdict: judge.Incorrect, Reasoning: "It gives none."}, none},
		{"bold names", "**extracted_final_answer:** Paris\n**reasoning:** Same.\n**correct:** yes\n**confidence:** 90%",
			judge.Ruling{Verdict: judge.Correct, Extracted: "Paris", Reasoning: "Same.", Confidence: share(.9)}, none},
		{"bold values", "- **Extracted final answer**: **Paris**\n- **Correct**: **No**\n- **Confidence**: **100**",
			judge.Ruling{Verdict: judge.Incorrect, Extracted: "Paris", Confidence: share(1)}, none},
		{"a heading and capitals", "### Correct:\nYES.", yes, none},
		{"numbered", "3. correct: no", no, none},
		{"only the verdict", "correct: no", no, none},
		{"JSON", `{"extracted_final_answer": "Paris", "reasoning": "Same.", "correct": "yes", "confidence": 70}`,
			judge.Ruling{Verdict: judge.Correct, Extracted: "Paris", Reasoning: "Same.", Confidence: share(.7)},
			judge.Ruling{Verdict: judge.Correct, Extracted: "Paris", Reasoning: "Same.", Confidence: share(.7)}},
		{"JSON in a fence", "```json\n{\"correct\": \"No\", \"confidence\": null, \"extracted_final_answer\": 7}\n```",
			judge.Ruling{Verdict: judge.Incorrect, Extracted: "7"}, judge.Ruling{Verdict: judge.Incorrect, Extracted: "7"}},
		{"JSON over lines in prose", "Here it is:\n{\n  \"correct\": \"no\",\n  \"confidence\": 5\n}\nDone.", no, none},
		{"JSON with another type", `{"correct": true}`, none, none},
		{"JSON with another word", `{"correct": "maybe"}`, none, none},
		{"JSON that breaks off", `{"reasoning": "Same.", "correct": "ye`, none, none},
		{"JSON of something else", `null`, none, none},
		{"yes in prose", "Yes, the response is correct.", none, none},
		{"correct in prose", "I would say that the response is correct: yes, it is.", none, none},
		{"a word that begins with no", "correct: not sure", none, none},
		{"a word that begins with yes", "correct: yesterday", none, none},
		{"a hyphen", "correct: no-one knows", none, none},
		{"both words", "correct: yes or no", none, none},
		{"the form itself", "correct: yes|no", none, none},
		{"a reason behind it", "correct: no, the year is another", no, none},
		{"two lines that agree", "correct: yes\ncorrect: yes", yes, none},
		{"two lines that do not", "correct: yes\nOn second thought.\ncorrect: no", none, none},
		{"nothing behind it", "correct:\n\nconfidence: 90", none, none},
		{"incorrect", "incorrect: yes", none, none},
		{"a correct answer", "Correct answer: yes", none, none},
		{"the confidence is no number", "correct: yes\nconfidence: about 90", yes, none},
		{"the confidence is too large", "correct: yes\nconfidence: 900", yes, none},
		{"nothing", "", none, none},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for style, want := range map[judge.Style]judge.Ruling{judge.BrowseComp: tt.lines, judge.HLE: tt.object} {
				got, ok := judge.Read(style, tt.said)
				if diff := cmp.Diff(want, got); diff != "" && style == judge.HLE || ok != (want.Verdict != "") {
					t.Errorf("%s: verdict %v (-want +got):\n%s", style, ok, diff)
				}
				if style == judge.BrowseComp && got.Verdict != want.Verdict {
					t.Errorf("%s = %v, want %v", style, got, want)
				}
			}
		})
	}
}

// TestReadWords reads what judges write where a word is asked for.
func TestReadWords(t *testing.T) {
	const c, i, none = judge.Correct, judge.Incorrect, judge.Verdict("")
	tests := []struct {
		said                      string
		divinit, tongyi, simpleqa judge.Verdict
	}{
		{"CORRECT", c, c, c},
		{"INCORRECT", i, i, i},
		{"incorrect.", i, i, i},
		{"**Correct**", c, c, c},
		{"`INCORRECT`", i, i, i},
		{"The two are the same.\n\nCORRECT", c, c, c},
		{"The two are not the same.\n**INCORRECT**\n", i, i, i},
		{"Verdict: CORRECT", c, c, c},
		{"**Final verdict:** incorrect", i, i, i},
		{"The answer is: Correct", c, c, c},
		{"CORRECT\nbecause they are the same", none, c, c},
		{"CORRECT\nINCORRECT", i, none, none},
		{"```\nCORRECT\n```", c, c, c},
		{"CORRECT/INCORRECT", none, none, none},
		{"NOT CORRECT", none, none, none},
		{"The response is INCORRECT", none, none, none},
		{"The response is CORRECT", none, none, none},
		{"Correct answer: Paris", none, none, none},
		{"Correctly done", none, none, none},
		{"Ambiguous: wrong", none, none, none},
		{"A", none, none, c},
		{"(B)", none, none, i},
		{"**C**", none, none, i},
		{"Grade: A", none, none, c},
		{"B: INCORRECT", none, none, i},
		{"C: NOT_ATTEMPTED", none, none, i},
		{"A: INCORRECT", none, none, none},
		{"A\nB", none, none, none},
		{"A or B", none, none, none},
		{"D", none, none, none},
		{"A good answer", none, none, none},
		{"yes", none, none, none},
		{"", none, none, none},
	}
	for _, tt := range tests {
		t.Run(tt.said, func(t *testing.T) {
			for style, want := range map[judge.Style]judge.Verdict{judge.DivInit: tt.divinit, judge.Tongyi: tt.tongyi, judge.SimpleQA: tt.simpleqa} {
				if got, ok := judge.Read(style, tt.said); got.Verdict != want || ok != (want != "") {
					t.Errorf("%s: %q, %v, want %q", style, got.Verdict, ok, want)
				}
			}
		})
	}
	if got, _ := judge.Read(judge.SimpleQA, "C"); got.Reason == "" {
		t.Error("that an answer is not attempted is not said")
	}
	if got, _ := judge.Read(judge.DivInit, "One.\nTwo.\nCORRECT"); got.Reasoning != "One. Two." {
		t.Errorf("reasoning %q", got.Reasoning)
	}
}

// FuzzRead: no reply makes a reader fail, and what it returns is a verdict or
// nothing.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"correct: yes", "**correct:** no\nconfidence: 5%", `{"correct":"yes"}`, "```json\n{}\n```", "CORRECT", "B: INCORRECT", "correct：yes", "\xff\ncorrect:\x00no", "- - -", "confidence: 1e999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, said string) {
		for _, style := range judge.Styles() {
			r, ok := judge.Read(style, said)
			if ok != (r.Verdict == judge.Correct || r.Verdict == judge.Incorrect) {
				t.Errorf("%s: %v of %q", style, r, said)
			}
			if r.Confidence != nil && !(*r.Confidence >= 0 && *r.Confidence <= 1) {
				t.Errorf("%s: confidence %v of %q", style, *r.Confidence, said)
			}
		}
	})
}
