package english_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

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
		{"Porter's departures", "possibly archaeology ies", []string{"possibl", "archaeolog", "i"}},
		{"punctuation", "AC/DC, C++; (rock-n-roll) U.S.A. 3.14 -5", []string{"ac", "dc", "c", "rock", "n", "roll", "u.s.a", "3.14", "5"}},
		{"one mark between letters or digits joins", "O'Neil 1,000;2 a,b 1:2 a..b a.1", []string{"o'neil", "1,000;2", "b", "1", "2", "b", "1"}},
		{"a colon joins letters, as in UAX #29", "title:x", []string{"title:x"}},
		{"an underscore joins all", "_a_1_ e-mail", []string{"_a_1_", "e", "mail"}},
		{"other scripts", "Ünïcode Río 東京 Ελλάς", []string{"ünïcode", "río", "東", "京", "ελλάς"}},
		{"accents of their own", "cafe\u0301s x.e\u0301", []string{"cafe\u0301", "x.e\u0301"}},
		{"a dot above goes with lower case", "İstanbul IŞIK ΣΊΣΥΦΟΣ", []string{"istanbul", "işik", "σίσυφοσ"}},
		{"runs of scripts without spaces are one token", "กะเทย ผู้หญิง កោះរុង", []string{"กะเทย", "ผู้หญิง", "កោះរុង"}},
		{"emoji are tokens", "B♭ 👩\u200d👧🇺🇸 1\ufe0f\u20e3 ©", []string{"b", "♭", "👩\u200d👧", "🇺🇸", "1\ufe0f\u20e3", "©"}},
		{"digits of any script", "２０ ٣٫١٤", []string{"２０", "٣٫١٤"}},
		{"connectors alone are no token", "_ ‿ __ a‿b", []string{"a‿b"}},
		{"possessives of three apostrophes", "owl's owl’S owl＇s owl`s", []string{"owl", "owl", "owl", "owl", "s"}},
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

// stopWords are Lucene's 33.
const stopWords = "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with"

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

// TestStem has examples of Porter's paper for each of his steps, without those
// that a later step changes.
func TestStem(t *testing.T) {
	for _, tt := range []struct{ step, words, want string }{
		{"1a", "caresses ponies ties caress cats", "caress poni ti caress cat"},
		{"1b", "feed plastered bled motoring sing", "feed plaster bled motor sing"},
		{"1b, what follows", "sized hopping tanned falling hissing fizzed failing filing", "size hop tan fall hiss fizz fail file"},
		{"1c", "happy sky", "happi sky"},
		{"2 to 4", "digitizer operator feudalism decisiveness hopefulness callousness", "digit oper feudal decis hope callous"},
		{"3", "triplicate electrical goodness", "triplic electr good"},
		{"4", "revival allowance inference airliner adjustable irritant replacement adoption", "reviv allow infer airlin adjust irrit replac adopt"},
		{"5", "probate rate cease controll roll", "probat rate ceas control roll"},
		{"all", "generalizations oscillators", "gener oscil"},
		{"y behind a vowel is a consonant", "saying syzygy yyyed", "sai syzygi yy"},
		{"beyond ASCII", "éed 𝒜s és ééed aééed straße bătrânețe baéed ba𝒜ed", "éed 𝒜 és ééed aé straße bătrânețe baée ba𝒜"},
	} {
		if diff := cmp.Diff(strings.Fields(tt.want), english.Analyze(tt.words)); diff != "" {
			t.Errorf("step %s mismatch (-want +got):\n%s", tt.step, diff)
		}
	}
}

func TestLongTokens(t *testing.T) {
	for _, tt := range []struct {
		of   string
		want []int // lengths in runes
	}{
		{"é", []int{255, 255, 90, 3}},
		{"x", []int{255, 255, 90, 3}},
		{"𐐀", []int{127, 127, 127, 127, 92, 3}}, // two code units each
	} {
		var lengths []int
		for _, term := range english.Analyze("a " + strings.Repeat(tt.of, 600) + " owl") {
			lengths = append(lengths, len([]rune(term)))
		}
		if diff := cmp.Diff(tt.want, lengths); diff != "" {
			t.Errorf("lengths of %s… mismatch (-want +got):\n%s", tt.of, diff)
		}
	}
}

// TestConnectors has runs of connectors around the length of a token, before a
// letter: those that it does not reach are left out.
func TestConnectors(t *testing.T) {
	for _, n := range []int{1, 253, 254, 255, 1000} {
		for _, connector := range []string{"_", "‿"} {
			got := english.Analyze(strings.Repeat(connector, n) + "x")
			want := []string{strings.Repeat(connector, min(n, 254)) + "x"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d of %s mismatch (-want +got):\n%s", n, connector, diff)
			}
		}
	}
}

// TestOwnMemory overwrites a text, whose terms stay, as do the words that are
// remembered.
func TestOwnMemory(t *testing.T) {
	const text = "fox owl’s Río " // terms that are tokens, and others
	long := strings.Repeat("x", 100)
	buffer := []byte(text + long)
	var a english.Analyzer
	got := each(&a, unsafe.String(&buffer[0], len(buffer)))
	for i := range buffer {
		buffer[i] = 'z'
	}
	want := []found{{"fox", false}, {"owl", false}, {"río", false}, {long, false}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("terms of a text that is gone mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, each(&a, text+long)); diff != "" {
		t.Errorf("words remembered of it mismatch (-want +got):\n%s", diff)
	}
}

// TestMemory has texts without a break in ASCII.
func TestMemory(t *testing.T) {
	for _, unit := range []string{"中文", "ก", "é", "_", "♭", "\u200d"} {
		text := strings.Repeat(unit, 1<<20/len(unit))
		english.Analyze("é") // what is read once
		var a english.Analyzer
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		bound := 64 << 10
		a.Each(text, func(term string, _ bool) {
			if len(term) > 64 { // too long to be remembered, thus made each time
				bound += len(term) * 9 / 8
			}
		})
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > uint64(bound) {
			t.Errorf("%d bytes of %s… took %d, want at most %d", len(text), unit, got, bound)
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
	longest, longer := strings.Repeat("é", 32), strings.Repeat("x", 65)
	for _, tt := range []struct {
		text string
		want []uint64
	}{
		{"the owl, the Río owl", []uint64{0, 0, 1, 0, 1}},
		{"owl owls Río the", []uint64{2, 0, 1, 2}}, // two tokens of one term
		{"owl elk elk owl", []uint64{3, 0, 1, 0}},  // a fifth word
		{longest + " " + longest, []uint64{0, 1}},
		{longer + " " + longer, []uint64{0, 0}}, // too long to be remembered
		{longest + " elk", []uint64{2, 2}},
	} {
		if diff := cmp.Diff(tt.want, marks(tt.text)); diff != "" {
			t.Errorf("marks of %q mismatch (-want +got):\n%s", tt.text, diff)
		}
	}
}

func BenchmarkAnalyzer(b *testing.B) {
	for _, bb := range []struct{ name, text string }{
		{"english", "Sheila O'Neil – born in Rio de Janeiro in 1973 – is a former captain of the U.S. sailing team, whose three ships won the championships. "},
		{"chinese", "北京是中华人民共和国的首都，位于华北平原北部。"},
		{"thai", "กะเทย ผู้หญิง เพศที่สาม สาวประเภทสอง "},
		{"connectors", strings.Repeat("_", 255) + " "},
		{"joiners", strings.Repeat("\u200d", 400)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			text := strings.Repeat(bb.text, 1<<16/len(bb.text))
			var a english.Analyzer
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				a.Each(text, func(string, bool) {})
			}
		})
	}
}

func ExampleAnalyze() {
	fmt.Println(english.Analyze("The captain's ships were sailing"))
	// Output: [captain ship were sail]
}
