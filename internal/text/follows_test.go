package text_test

import (
	"testing"

	"trawl/internal/text"
)

func TestFollows(t *testing.T) {
	tests := []struct {
		name          string
		branch, query string
		want          bool
	}{
		{"the same words", "founder of Acme", "Acme founder", true},
		{"the query says less", "Find out who founded Acme Corporation in 1951", "founded Acme Corporation", true},
		{"the query says more", "Acme founder", "Acme founder biography early life", true},
		{"a plan's words do not count", "Verify the Acme founder", "Acme founder birthplace", true}, // acme, founder: 2 of 2
		{"one of two", "Acme founder", "Acme headquarters", false},                                  // 1 of 2
		{"two of three", "Acme founder birthplace", "Acme founder spouse", false},                   // 2 of 3 < 3/4
		{"three of four", "Acme founder birthplace town", "Acme founder birthplace county", true},   // 3 of 4
		{"five of seven", "a1 a2 a3 a4 a5 a6 a7", "a1 a2 a3 a4 a5 b6 b7", false},                    // 5 of 7 = 0.71
		{"six of eight", "a1 a2 a3 a4 a5 a6 a7 a8", "a1 a2 a3 a4 a5 a6 b7 b8", true},                // 6 of 8
		{"one word on one side: too little", "Acme", "history of Acme", false},
		{"one word on both", "the Acme", "Acme?", true},
		{"one word, another", "Acme", "history of Apex", false},
		{"only stop words", "what is it", "what is it", false},
		{"nothing", "", "", false},
		{"nothing on one side", "", "Acme", false},
		{"case, marks and repetitions", "ACME, acme: founder?", "“Acme” founder", true},
		{"a run without spaces", "创始人", "创始人？", true},
		{"another run", "创始人", "总部", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, pair := range [][2]string{{tt.branch, tt.query}, {tt.query, tt.branch}} {
				if got := text.Follows(pair[0], pair[1]); got != tt.want {
					t.Errorf("Follows(%q, %q) = %v, want %v", pair[0], pair[1], got, tt.want)
				}
			}
		})
	}
}
