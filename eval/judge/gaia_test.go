package judge_test

import (
	"testing"

	"trawl/eval/judge"
)

// TestGAIA has the cases of each branch of gaia_scorer.py, worked by hand.
func TestGAIA(t *testing.T) {
	tests := []struct {
		name, gold, answer string
		want               bool
	}{
		{"a number", "17", "17", true},
		{"a number in another form", "17", "17.0", true},
		{"dollars and a comma", "1234.5", "$1,234.50", true},
		{"per cent", "42", "42%", true},
		{"white space", "17", " 17\n", true},
		{"an exponent", "1000", "1e3", true},
		{"an underscore as Python has it", "1000", "1_000", true},
		{"an underscore elsewhere", "1000", "_1000", false},
		{"another number", "17", "18", false},
		{"words for a number", "17", "seventeen", false},
		{"a number with its unit", "17", "17 km", false},
		{"no hexadecimal numbers", "16", "0x10", false},
		{"what is no number is infinite", "inf", "who knows", true},
		{"nothing is nan", "nan", "nan", false},
		{"a text", "Paris", "paris", true},
		{"a text with punctuation and spaces", "Saint-Denis (La Plaine)", "saint denis la plaine.", true},
		{"punctuation beyond ASCII stays", "a–b", "ab", false},
		{"letters beyond ASCII", "ÉCOLE", "école", true},
		{"another text", "Paris", "Paris, France", false},
		{"an empty answer", "Paris", "", false},
		{"a list", "a, b", "A,B", true},
		{"a list with semicolons", "a;b", "a, b", true},
		{"another order", "a, b", "b, a", false},
		{"another length", "a, b", "a, b, c", false},
		{"numbers in a list", "1, b, $3", "1.0, b, $3", true},
		{"dollars in a list of numbers", "1, 2", "$1, 2%", true},
		{"punctuation stays in a list", "a., b", "a, b", false},
		{"a number with a comma is a list", "1,234", "1234", false},
		{"that list", "1,234", "1, 234", true},
		{"an empty element", "a,", "a,", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := judge.GAIA(tt.gold, tt.answer); got != tt.want {
				t.Errorf("GAIA(%q, %q) = %v, want %v", tt.gold, tt.answer, got, tt.want)
			}
		})
	}
}
