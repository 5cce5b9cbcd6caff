package text_test

import (
	"strings"
	"testing"

	"trawl/internal/text"
)

func TestSplitContents(t *testing.T) {
	tests := []struct{ name, contents, title, text string }{
		{"a passage", "\"Evan Morris\"\nEvan Morris was a lobbyist.", "Evan Morris", "Evan Morris was a lobbyist."},
		{"no quotes", "Evan Morris\nwas a lobbyist.", "Evan Morris", "was a lobbyist."},
		{"doubled quotes", "\"The \"\"Fast\"\" one\"\na \"\"film\"\"", `The "Fast" one`, `a ""film""`},
		{"one line", "Evan Morris", "Evan Morris", ""},
		{"one quote", "\"\ntext", `"`, "text"},
		{"an empty title", "\"\"\ntext", "", "text"},
		{"several lines", "\"T\"\na\nb", "T", "a\nb"},
		{"carriage return", "\"T\"\r\na", "T", "a"},
		{"nothing", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if title, rest := text.SplitContents(tt.contents); title != tt.title || rest != tt.text {
				t.Errorf("SplitContents(%q) = %q, %q, want %q, %q", tt.contents, title, rest, tt.title, tt.text)
			}
		})
	}
}

// FuzzContents checks that joining loses only line breaks of the title.
func FuzzContents(f *testing.F) {
	for _, title := range []string{"", `"`, `""`, "a \"b\"", "a\nb", "\r", " ", "東京"} {
		f.Add(title, "text\nand \"more\"\r\n")
	}
	f.Fuzz(func(t *testing.T, title, body string) {
		gotTitle, gotBody := text.SplitContents(text.Contents(title, body))
		if want := strings.ReplaceAll(title, "\n", " "); gotTitle != want || gotBody != body {
			t.Errorf("%q, %q came back as %q, %q", title, body, gotTitle, gotBody)
		}
	})
}
