package english_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"trawl/search/english"
)

// TestLucene has texts and the terms that Lucene itself finds in them: a line has
// both as JSON, and the first names the versions.
func TestLucene(t *testing.T) {
	file, err := os.ReadFile("testdata/lucene.tsv")
	if err != nil {
		t.Fatal(err)
	}
	head, lines, _ := strings.Cut(string(file), "\n")
	if !strings.HasPrefix(head, "# Lucene 9.9.1") {
		t.Errorf("first line is %q", head)
	}
	tests := 0
	for line := range strings.Lines(lines) {
		left, right, _ := strings.Cut(line, "\t")
		var text string
		var want []string
		if err := json.Unmarshal([]byte(left), &text); err != nil {
			t.Fatalf("text %s: %v", left, err)
		}
		if err := json.Unmarshal([]byte(right), &want); err != nil {
			t.Fatalf("terms %s: %v", right, err)
		}
		if diff := cmp.Diff(want, english.Analyze(text)); diff != "" {
			t.Errorf("terms of %+q mismatch (-Lucene +ours):\n%s", text, diff)
		}
		tests++
	}
	if tests < 500 {
		t.Errorf("%d texts", tests)
	}
}

// A found term, and whether it is a stop word.
type found struct {
	Term string
	Stop bool
}

func each(a *english.Analyzer, text string) (out []found) {
	a.Each(text, func(term string, stop bool) { out = append(out, found{term, stop}) })
	return out
}

func eachScanned(a *english.Analyzer, text string) (out []found) {
	a.EachScanned(text, func(term string, stop bool) { out = append(out, found{term, stop}) })
	return out
}

// alphabet has every kind of rune that the rules treat in a way of its own,
// those in ASCII first.
var alphabet = []string{
	"a", "b", "S", "s", "y", "9", "0", "_", ".", ",", ";", ":", "'", "\"", "-", " ", "\n", "\x00", "/", "#", "*",
	strings.Repeat("x", 127), strings.Repeat("_", 126), "the", "'s", "ing", "3.14",
	"é", "Σ", "İ", "Ⱥ", "𝒜", "’", "＇", "“", "·", "…", "\u0301", "\u00ad", "\u200d", "\u200b", "\ufeff", "\ufffd", "\u2028",
	"א", "״", "東", "カ", "ひ", "한", "ー", "ก", "่", "🇺", "🇸", "👩", "🏽", "♭", "ℹ", "\ufe0e", "\ufe0f", "\u20e3", "\U000e0067", "\U000e007f",
	"٣", "٫", "１", "‿", "\xff", "\xc3", "\xe2\x80", "\xed\xa0\x80", strings.Repeat("\u200d", 127), strings.Repeat("‿\u0301", 60),
}

const inASCII = 27 // of the alphabet

func TestFastEqualsScanned(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	var fast, scanned english.Analyzer // remember across texts
	for range 30_000 {
		letters := alphabet
		if rng.IntN(2) == 0 {
			letters = alphabet[:inASCII]
		}
		var b strings.Builder
		for range 1 + rng.IntN(9) {
			b.WriteString(letters[rng.IntN(len(letters))])
		}
		if diff := cmp.Diff(eachScanned(&scanned, b.String()), each(&fast, b.String())); diff != "" {
			t.Fatalf("terms of %+q mismatch (-scanned +fast):\n%s", b.String(), diff)
		}
	}
}

func FuzzAnalyzer(f *testing.F) {
	for _, s := range []string{
		"O'Neil's U.S.A. 3.14 a_b e-mail 1,000;2 title:x", "AC/DC, C++; (rock-n-roll) -5 #1 *2", "Ünïcode Río 東京 Ελλάς ’tis captain’s İS",
		"_ __ a_ _1 1_. a.1 1.a a.'b 1.,2 a:b:c 1:2 'a' a'", "owl\xffelk \xc3 fox", "שלום\"ר א' 'א", strings.Repeat("ab", 140) + "'s " + strings.Repeat("é", 600),
		strings.Repeat("x", 300) + ".é", strings.Repeat("_", 300) + "é", strings.Repeat("\u200d", 300) + "👩", "1\ufe0f\u20e3 #\u20e3 👩🏽\u200d👧 🇺🇸🇺", "กะเทย\u200d ies ééed",
	} {
		f.Add(s)
	}
	var fast, scanned english.Analyzer
	f.Fuzz(func(t *testing.T, s string) {
		got := each(&fast, s)
		if diff := cmp.Diff(eachScanned(&scanned, s), got); diff != "" {
			t.Errorf("terms of %+q mismatch (-scanned +fast):\n%s", s, diff)
		}
		if diff := cmp.Diff(got, each(&fast, strings.ToValidUTF8(s, "\ufffd"))); diff != "" {
			t.Errorf("terms of %+q mismatch (-bytes +U+FFFD for them):\n%s", s, diff)
		}
		for _, w := range got {
			if !utf8.ValidString(w.Term) || w.Term == "" {
				t.Errorf("term %+q of %+q", w.Term, s)
			}
		}
	})
}
