package english_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trawl/search/english"
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
		{"one mark between letters or digits joins", "O'Neil 1,000;2 a,b 1:2 a..b a.1", []string{"o'neil", "1,000;2", "b", "1", "2", "b", "1"}},
		{"a colon joins letters, as in UAX #29", "title:x", []string{"title:x"}},
		{"an underscore joins all", "_a_1_ e-mail", []string{"_a_1_", "e", "mail"}},
		{"other scripts", "Ünïcode Río 東京 Ελλάς", []string{"ünïcode", "río", "東", "京", "ελλάς"}},
		{"accents of their own", "cafe\u0301s x.e\u0301", []string{"cafe\u0301", "x.e\u0301"}},
		{"repetitions stay", "dog dogs DOG", []string{"dog", "dog", "dog"}},
		{"nothing", " \t\n.,;!?", nil},
		{"bytes that are not UTF-8 part words", "owl\xffelk \xc3 fox", []string{"owl", "elk", "fox"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, slices.Clip(append([]string(nil), english.Analyze(tt.text)...))); diff != "" {
				t.Errorf("terms of %q mismatch (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

// TestStopWords has Lucene's 33, of which Analyze leaves nothing and AnalyzeAll all.
func TestStopWords(t *testing.T) {
	if got := english.Analyze(strings.ToUpper(stopWords)); len(got) != 0 {
		t.Errorf("Analyze leaves %q", got)
	}
	if got := english.AnalyzeAll(stopWords); len(got) != 33 {
		t.Errorf("AnalyzeAll finds %d words: %q", len(got), got)
	}
	others := "who what where when which how he she we you from has have had were been can i me my"
	if got := english.Analyze(others); len(got) != len(strings.Fields(others)) {
		t.Errorf("Analyze of words that are no stop words leaves %q", got)
	}
}

func TestLongTokens(t *testing.T) {
	for _, c := range []string{"é", "x"} {
		got := english.Analyze("a " + strings.Repeat(c, 600) + " owl")
		var lengths []int
		for _, term := range got {
			lengths = append(lengths, len([]rune(term)))
		}
		if diff := cmp.Diff([]int{255, 255, 90, 3}, lengths); diff != "" {
			t.Errorf("lengths of %s… mismatch (-want +got):\n%s", c, diff)
		}
	}
}

// TestNoAllocation has words in and beyond ASCII that were met before.
func TestNoAllocation(t *testing.T) {
	text := strings.Repeat("The Captain's ships sailed 3,000 miles – to Río and “back”. ", 20)
	var a english.Analyzer
	n := 0
	f := func(string, bool) { n++ }
	a.Each(text, f)
	if got := testing.AllocsPerRun(10, func() { a.Each(text, f) }); got != 0 {
		t.Errorf("%v allocations for words that are known", got)
	}
	if n == 0 {
		t.Error("no words")
	}
}

// TestForgets sees that an Analyzer with more words than it can keep goes on.
func TestForgets(t *testing.T) {
	var a english.Analyzer
	for i := range 1<<18 + 10 {
		word := fmt.Sprint("x", i)
		if got := each(&a, word); len(got) != 1 || got[0].Term != word {
			t.Fatalf("%q becomes %v", word, got)
		}
	}
	if got := each(&a, "x1 foxes"); len(got) != 2 || got[1].Term != "fox" {
		t.Errorf("after all words: %v", got)
	}
}

// TestMarks marks words and meets them again, until they are forgotten.
func TestMarks(t *testing.T) {
	a := english.Analyzer{MaxWords: 4}
	marks := func(text string) (before []uint64) {
		a.EachWord(text, func(w *english.Word) {
			before = append(before, w.Mark)
			w.Mark++
		})
		return before
	}
	for _, tt := range []struct {
		text string
		want []uint64
	}{
		{"the owl, the Río owl", []uint64{0, 0, 1, 0, 1}},
		{"owl owls Río fox the", []uint64{2, 0, 1, 0, 2}}, // two tokens of one term
		{"elk", []uint64{0}}, // a fifth word in ASCII
		{"owl the elk Río", []uint64{0, 0, 1, 2}},
		{strings.Repeat("x", 100) + " " + strings.Repeat("x", 100), []uint64{0, 0}}, // too long to be remembered
	} {
		if diff := cmp.Diff(tt.want, marks(tt.text)); diff != "" {
			t.Errorf("marks of %q mismatch (-want +got):\n%s", tt.text, diff)
		}
	}
}

// BenchmarkAnalyzer reports how many times as long bleve's chain takes.
func BenchmarkAnalyzer(b *testing.B) {
	text := strings.Repeat("Sheila O'Neil – born in Rio de Janeiro in 1973 – is a former captain of the U.S. sailing team, whose three ships won the championships. ", 5)
	var a english.Analyzer
	n := 0
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		a.Each(text, func(string, bool) { n++ })
	}
	ours := b.Elapsed() / time.Duration(b.N)
	const rounds = 300
	start := time.Now()
	for range rounds {
		n += len(bleveChain(text))
	}
	theirs := time.Since(start) / rounds
	b.ReportMetric(float64(theirs)/float64(ours), "times-faster")
}

func ExampleAnalyze() {
	fmt.Println(english.Analyze("The captain's ships were sailing"))
	// Output: [captain ship were sail]
}
