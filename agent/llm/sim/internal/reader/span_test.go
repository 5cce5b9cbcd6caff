package reader

import (
	"strings"
	"testing"
)

func TestNextSpan(t *testing.T) {
	tests := []struct {
		name, text string
		kind       Kind
		want       string
	}{
		{"plain", "Anna Berg in 1951", Person, "Anna Berg"},
		{"behind common words", "the young Danish filmmaker Anna Berg.", Person, "Anna Berg"},
		{"behind two adjectives of nationality", "Puerto Rican actress Mapy Cortés", Person, "Mapy Cortés"},
		{"too far", "a very long row of words that goes on before Anna", Person, ""},
		{"stops at a comma", "the film, Anna Berg", Person, ""},
		{"initials", "J. R. Hartley wrote", Person, "J. R. Hartley"},
		{"title with point", "Dr. Otto Kern and Rosa", Person, "Dr. Otto Kern"},
		{"possessive", "Anna Berg's film", Person, "Anna Berg"},
		{"connectors", "the University of the West in Kelmore", Organisation, "University of the West"},
		{"topic of a conference", "the Elm Conference on Optics in Kelmore", Any, "Elm Conference on Optics"},
		{"quoted", `the song "Let me out", a hit`, Work, "Let me out"},
		{"title with small words", "the novel Return to the Pale Arrow was", Work, "Return to the Pale Arrow"},
		{"number in a name", "the 23rd Summer Games", Any, "23rd Summer Games"},
		{"date before a name", "on 12 March 1951 in Kelmore", Place, "Kelmore"},
		{"month alone", "in October in Kelmore", Place, "Kelmore"},
		{"not a year in a name", "Berlin 1936", Place, "Berlin"},
		{"day month year", "on 12 March 1951, in", Date, "12 March 1951"},
		{"month day year", "March 12, 1951 in", Date, "March 12, 1951"},
		{"ordinal day", "12th March 1951", Date, "12th March 1951"},
		{"month and year", "in March 1951", Date, "March 1951"},
		{"year", "in 1951", Date, "1951"},
		{"no date behind the clause", "here) on 1 May 1951", Date, ""},
		{"only a year", "on 12 March 1951", Year, "1951"},
		{"no year", "with 19510 seats", Year, ""},
		{"number", "a length of 1,297.5 kilometres", Number, "1,297.5"},
		{"trade", "a Danish film director and writer", Trade, "Danish film director"},
		{"trade with an", "an engineer.", Trade, "engineer"},
		{"origin", "a 1951 Danish film", Origin, "Danish"},
		{"nothing", "", Any, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if at, ok := nextSpan(tt.text, 0, tt.kind); ok {
				got = tt.text[at.start:at.end]
			}
			if got != tt.want {
				t.Errorf("nextSpan(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestNames(t *testing.T) {
	tests := []struct{ text, want string }{
		{"In Paris, Anna Berg met Otto Kern.", "Paris|Anna Berg|Otto Kern"},
		{"The film stars Anna.", "Anna"},
		{"Born in Kelmore, she left.", "Kelmore"},
		{"The Silent Harbor won the Elm Prize.", "The Silent Harbor|Elm Prize"},
		{"Berg's films include Winter Bell.", "Berg|Winter Bell"},
		{"it rained", ""},
	}
	for _, tt := range tests {
		var got []string
		for _, at := range names(tt.text) {
			got = append(got, tt.text[at.start:at.end])
		}
		if strings.Join(got, "|") != tt.want {
			t.Errorf("names(%q) = %q, want %s", tt.text, got, tt.want)
		}
	}
}

func TestSentences(t *testing.T) {
	p := page{Passage: Passage{Text: `J. R. Hartley met Dr. Kern. "It rained." Then 3.5 km of St. Paul St. was dry? Yes. see etc. and so on`}}
	want := []string{"J. R. Hartley met Dr. Kern.", `"It rained."`, "Then 3.5 km of St. Paul St. was dry?", "Yes. see etc. and so on"}
	var got []string
	for _, at := range p.split() {
		got = append(got, p.Text[at.start:at.end])
	}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("sentences %q, want %q", got, want)
	}
}

func TestCue(t *testing.T) {
	tests := []struct {
		wording, text, rest string // rest follows the cue; "-" if it is not there
	}{
		{"directed by O", "It was directed by Anna", " Anna"},
		{"directed by O", "It was redirected by Anna", "-"},
		{"born ~ in O", "She was born on 12 March 1951 in Kelmore", " Kelmore"},
		{"born ~ in O", "She was born to parents who lived in Kelmore", "-"},
		{"studied * at O", "He studied modern law at Norwald", " Norwald"},
		{"studied * at O", "He studied; she was at Norwald", "-"},
		{"is O metres", "The hill is 1200 metres high", " 1200 metres high"},
	}
	for _, tt := range tests {
		c := newCue(tt.wording)
		got := "-"
		if _, end := c.find(fold(tt.text), tt.text, 0); end >= 0 {
			got = tt.text[end:]
		}
		if got != tt.rest {
			t.Errorf("%q in %q: rest %q, want %q", tt.wording, tt.text, got, tt.rest)
		}
	}
}

func TestFold(t *testing.T) {
	for _, s := range []string{"", "ABC", "ÄÖÜ İ ß ẞ Σ", "a\xffB"} {
		if got := fold(s); len(got) != len(s) {
			t.Errorf("fold(%q) = %q: other bytes", s, got)
		}
	}
	if got := fold("Ziębice ÖL"); got != "ziębice öl" {
		t.Errorf("fold = %q", got)
	}
}

func TestMeasureOf(t *testing.T) {
	ascending := []string{"1899", "January 1900", "12 March 1951", "March 13, 1951", "1 April 1951", "1952"}
	for i := 1; i < len(ascending); i++ {
		if a, b := measureOf(ascending[i-1]), measureOf(ascending[i]); a >= b {
			t.Errorf("%s (%v) does not order before %s (%v)", ascending[i-1], a, ascending[i], b)
		}
	}
	if got := numberOf("2,836 metres"); got != 2836 {
		t.Errorf("numberOf = %v", got)
	}
}

// TestLexicon checks that every relation can be asked for and read, and that
// every path leads along relations that exist.
func TestLexicon(t *testing.T) {
	g := theGrammar()
	seen := map[string]bool{}
	for i := range relations {
		r := &relations[i]
		if seen[r.Name] || r.Label() == "" || len(r.cues) == 0 {
			t.Errorf("relation %q is twice, or has no noun or no wording", r.Name)
		}
		seen[r.Name] = true
		for _, w := range r.cues {
			if !strings.HasSuffix(w, " S") && !strings.Contains(w, "O") {
				t.Errorf("%s: %q has no place for the object or the subject", r.Name, w)
			}
			if len(newCue(w).parts) == 0 {
				t.Errorf("%s: %q has no words", r.Name, w)
			}
		}
		for _, p := range append(append(append(append([]string{}, r.phrases...), r.asks...), r.preds...), r.whose...) {
			if strings.Count(p, "%") != 1 || strings.Count(p, "(") != strings.Count(p, ")") {
				t.Errorf("%s: pattern %q", r.Name, p)
			}
		}
		if r.kin != "" && g.byName[r.kin] == nil {
			t.Errorf("%s: no relation %s", r.Name, r.kin)
		}
	}
	for _, p := range paths {
		for name := range strings.FieldsSeq(p.steps) {
			if !seen[name] {
				t.Errorf("path %q: no relation %s", p.steps, name)
			}
		}
	}
}
