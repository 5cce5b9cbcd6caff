package live_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trawl/search"
	"trawl/search/live"
	"trawl/search/searchtest"
)

func TestAnalyze(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"stop words go, the rest is stemmed", "The quick brown foxes were jumping over the lazy dogs", []string{"quick", "brown", "fox", "were", "jump", "over", "lazi", "dog"}},
		{"possessive before lower case", "The CAPTAIN'S ships’ crew’s", []string{"captain", "ship", "crew"}},
		{"a possessive stop word", "It's", nil},
		{"a possessive of s alone", "'s", []string{"s"}},
		{"Porter's own words", "relational conditional vietnamization analogously caresses ponies sky happy", []string{"relat", "condit", "vietnam", "analog", "caress", "poni", "sky", "happi"}},
		{"Porter's departures", "possibly archaeology", []string{"possibl", "archaeolog"}},
		{"punctuation", "AC/DC, C++; (rock-n-roll) U.S.A. 3.14 -5", []string{"ac", "dc", "c", "rock", "n", "roll", "u.s.a", "3.14", "5"}},
		{"a colon joins letters, as in UAX #29", "title:x", []string{"title:x"}},
		{"other scripts", "Ünïcode Río 東京 Ελλάς", []string{"ünïcode", "río", "東", "京", "ελλάς"}},
		{"repetitions stay", "dog dogs DOG", []string{"dog", "dog", "dog"}},
		{"nothing", " \t\n.,;!?", nil},
		{"bytes that are not UTF-8 part words", "owl\xffelk \xc3 fox", []string{"owl", "elk", "fox"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, slices.Clip(append([]string(nil), live.Analyze(tt.text)...))); diff != "" {
				t.Errorf("terms of %q mismatch (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

// TestStopWords has Lucene's 33, of which Analyze leaves nothing and AnalyzeAll all.
func TestStopWords(t *testing.T) {
	stops := "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with"
	if got := live.Analyze(strings.ToUpper(stops)); len(got) != 0 {
		t.Errorf("Analyze leaves %q", got)
	}
	if got := live.AnalyzeAll(stops); len(got) != 33 {
		t.Errorf("AnalyzeAll finds %d words: %q", len(got), got)
	}
	others := "who what where when which how he she we you from has have had were been can i me my"
	if got := live.Analyze(others); len(got) != len(strings.Fields(others)) {
		t.Errorf("Analyze of words that are no stop words leaves %q", got)
	}
}

func TestLongTokens(t *testing.T) {
	got := live.Analyze("a " + strings.Repeat("é", 600) + " owl")
	var lengths []int
	for _, term := range got {
		lengths = append(lengths, len([]rune(term)))
	}
	if diff := cmp.Diff([]int{255, 255, 90, 3}, lengths); diff != "" {
		t.Errorf("lengths mismatch (-want +got):\n%s", diff)
	}
}

// FuzzSearch asks the index any query and feeds it any text: neither fails, and a
// word of its own is found behind any text.
func FuzzSearch(f *testing.F) {
	for _, q := range searchtest.OddQueries() {
		f.Add(q)
	}
	x := create(f)
	f.Fuzz(func(t *testing.T, s string) {
		if _, err := x.Search(t.Context(), s, 3); err != nil {
			t.Errorf("Search(%q): %v", s, err)
		}
		terms, all := live.Analyze(s+" zyzzyva"), live.AnalyzeAll(s+" zyzzyva")
		if len(terms) == 0 || terms[len(terms)-1] != "zyzzyva" || len(all) < len(terms) {
			t.Errorf("Analyze(%q) = %q of %q loses the last word", s, terms, all)
		}
		if len(s) > 1<<10 {
			return
		}
		add(t, x, search.Document{ID: "fuzz" + s, Title: s, Text: s + " zyzzyva", URL: s})
		got, ok, err := x.Get("fuzz" + s)
		if err != nil || !ok || got.Title != s || got.Text != s+" zyzzyva" || got.URL != s {
			t.Errorf("document of %q comes back as %+q, %v, %v", s, got, ok, err)
		}
	})
}
