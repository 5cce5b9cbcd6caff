package utility_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"trawl/eval/utility"
	"trawl/internal/text"
	"trawl/trajectory"
)

func TestSentences(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"empty", " \n ", nil},
		{"marks only", "...\n- \n**", nil},
		{"two", "Ada was born in 1815. She wrote notes!", []string{"Ada was born in 1815.", "She wrote notes!"}},
		{"decimals and thousands", "It rose 3.5 m over 3,400 m. Then it fell.", []string{"It rose 3.5 m over 3,400 m.", "Then it fell."}},
		{"initials and titles", "J. R. R. Tolkien met Dr. Lewis. They talked.", []string{"J. R. R. Tolkien met Dr. Lewis.", "They talked."}},
		{"a list", "- one is 1\n2. two is 2\n* **three** is 3", []string{"one is 1", "two is 2", "three** is 3"}},
		{"closing marks", `He said "Paris." Then he left.`, []string{`He said "Paris."`, "Then he left."}},
		{"no spaces between", "東京は首都。人口は多い。", []string{"東京は首都。", "人口は多い。"}},
		{"no end", "The founder is Fiona Aban", []string{"The founder is Fiona Aban"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, utility.Sentences(tt.text)); diff != "" {
				t.Errorf("Sentences(%q) mismatch (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func FuzzSentences(f *testing.F) {
	for _, s := range []string{"One. Two? Three!", "J. R. said \"no.\" (Yes.)\n1. x\n- y", "東京。", "3.5. 4", "1. 2. 3.", "a\x00b. \xff. C", "* * *"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		whole := text.Collapse(s)
		for _, one := range utility.Sentences(s) {
			if text.Blank(one) || strings.ContainsAny(one, "\r\n") {
				t.Errorf("Sentences(%q) has %q", s, one)
			}
			i := strings.Index(whole, one)
			if i < 0 {
				t.Fatalf("Sentences(%q) has %q, which does not stand there, or not in that order", s, one)
			}
			whole = whole[i+len(one):]
		}
		if utf8.ValidString(s) && strings.ContainsFunc(s, text.IsWord) && !strings.ContainsAny(s, "0123456789") && len(utility.Sentences(s)) == 0 {
			t.Errorf("Sentences(%q) is empty", s)
		}
	})
}

func TestClaims(t *testing.T) {
	tests := []struct {
		name, text, answer string
		want               []string
		left               int
	}{
		{"numbers, names, the answer", "it lasted 7 days. then Fiona Aban came. her trade was carving. that was all.", "carving",
			[]string{"it lasted 7 days.", "then Fiona Aban came.", "her trade was carving."}, 1},
		{"the answer again", "The final answer is 1782. That answers the question.", "1782", nil, 2},
		{"a capital only because a sentence begins", "Nothing else was found.", "x", nil, 1},
		{"a script without capitals", "東京は首都。", "x", []string{"東京は首都。"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, left := utility.Claims(tt.text, tt.answer)
			if diff := cmp.Diff(tt.want, got); diff != "" || left != tt.left {
				t.Errorf("Claims(%q) left %d, want %d (-want +got):\n%s", tt.text, left, tt.left, diff)
			}
		})
	}
}

func said(content string) *trajectory.Trajectory {
	return &trajectory.Trajectory{Answer: "1782", Messages: []trajectory.Message{
		{Role: "user", Content: "When?"}, {Role: "assistant", Content: content},
	}}
}

func TestExplanation(t *testing.T) {
	thinking := said("<think>Barrow began in 1782.</think>\nConfidence: 80%\n<answer>1782</answer>")
	thinking.Steps = []trajectory.Step{{Kind: trajectory.KindAnswer, Thought: "Barrow began in 1782.</think>\nConfidence: 28%"}}
	ofState := said("It was 1782 or 1783.")
	ofState.Source = trajectory.AnswerState
	tests := []struct {
		name string
		t    *trajectory.Trajectory
		want string
		from utility.ClaimSource
	}{
		{"beside the answer", said("Barrow was founded in 1782.\nConfidence: 80%\n<answer>1782</answer>"), "Barrow was founded in 1782.", utility.FromExplanation},
		{"by lines", said("Explanation: Barrow was founded then.\nExact Answer: 1782\nConfidence: 80%"), "Barrow was founded then.", utility.FromExplanation},
		{"an answer tag that is cut off", said("Barrow was founded then.\n<answer>17"), "Barrow was founded then.", utility.FromExplanation},
		{"in thought", thinking, "Barrow began in 1782.", utility.FromThought},
		{"the answer alone", said("1782"), "", utility.FromAnswer},
		{"an answer of a state", ofState, "", utility.FromAnswer},
		{"nothing kept", &trajectory.Trajectory{Answer: "1782"}, "", utility.FromAnswer},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, from := utility.Explanation(tt.t); got != tt.want || from != tt.from {
				t.Errorf("Explanation = %q, %s, want %q, %s", got, from, tt.want, tt.from)
			}
		})
	}
}

func TestLexical(t *testing.T) {
	evidence := []string{"Doc 1(Title: Barrow) Barrow University was founded in 1782.", "Its staff numbers 3400; Lucas Ader worked as an engineer."}
	tests := []struct {
		name, claim string
		want        float64
	}{
		{"all words", "Barrow University was founded in 1782.", 1},
		{"three of four", "The occupation of Lucas Ader is engineer.", 0.75}, // not "occupation"
		{"another number", "Barrow University was founded in 1785.", 0},
		{"part of a number", "Barrow University was founded in 178.", 0},
		{"thousands", "The staff numbers 3,400.", 1},
		{"another name", "Fiona Ader worked as an engineer.", 0},
		{"a sentence begins with a capital", "Founded in 1782.", 1},
		{"a name that begins a sentence", "Hazel Barrow was founded in 1782.", 0},
		{"nothing to check", "It was so.", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := utility.Lexical{}.Entails(t.Context(), tt.claim, evidence)
			if err != nil || got != tt.want {
				t.Errorf("Entails(%q) = %g, %v, want %g", tt.claim, got, err, tt.want)
			}
			if none, _ := (utility.Lexical{}).Entails(t.Context(), tt.claim, nil); none != 0 {
				t.Errorf("Entails(%q) without evidence = %g, want 0", tt.claim, none)
			}
		})
	}
}
