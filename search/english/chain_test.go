package english_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/token/porter"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/google/go-cmp/cmp"

	"trawl/search/english"
)

// A found term, and whether it is a stop word.
type found struct {
	Term string
	Stop bool
}

// stopWords are Lucene's 33.
const stopWords = "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with"

// bleveChain is the chain composed of bleve's own parts over the whole text.
func bleveChain(text string) []found {
	stream := unicode.NewUnicodeTokenizer().Tokenize([]byte(strings.ToValidUTF8(text, "\uFFFD")))
	stream = en.NewPossessiveFilter().Filter(cutLong(stream))
	stream = lowercase.NewLowerCaseFilter().Filter(stream)
	stops := make([]bool, len(stream))
	for i, token := range stream {
		stops[i] = strings.Contains(" "+stopWords+" ", " "+string(token.Term)+" ")
	}
	var out []found
	for i, token := range porter.NewPorterStemmer().Filter(stream) {
		if len(token.Term) > 0 {
			out = append(out, found{string(token.Term), stops[i]})
		}
	}
	return out
}

func cutLong(stream analysis.TokenStream) (out analysis.TokenStream) {
	for _, token := range stream {
		runes := []rune(string(token.Term))
		for len(runes) > 255 {
			out = append(out, &analysis.Token{Term: []byte(string(runes[:255]))})
			runes = runes[255:]
		}
		out = append(out, &analysis.Token{Term: []byte(string(runes))})
	}
	return out
}

func each(a *english.Analyzer, text string) (out []found) {
	a.Each(text, func(term string, stop bool) { out = append(out, found{term, stop}) })
	return out
}

// alphabet has every rune that the rules of UAX #29 treat in a way of its own.
var alphabet = []string{
	"a", "b", "S", "s", "Z", "9", "0", "_", ".", ",", ";", ":", "'", "\"", "-", " ", "\n", "\r", "\t", "\x00", "/",
	"é", "Σ", "İ", "Ⱥ", "’", "＇", "‘", "“", "·", "…", "–", "\u0301", "\u00ad", "\u200d", "\u200b", "\ufeff", "\ufffd", "\u0085", "\u2028",
	"א", "״", "東", "カ", "ひ", "한", "ー", "🇺", "🇸", "👩", "٣", "٫", "‿", "\xff", "\xc3", "\xe2\x80", "\xed\xa0\x80", "the", "'s", "ing", "3.14",
}

func TestEqualsBleve(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	var a english.Analyzer // remembers across texts
	for range 30_000 {
		var b strings.Builder
		ascii := rng.IntN(2) == 0
		for range 1 + rng.IntN(9) {
			if ascii {
				b.WriteString(alphabet[rng.IntN(21)])
			} else {
				b.WriteString(alphabet[rng.IntN(len(alphabet))])
			}
		}
		for range 2 {
			if diff := cmp.Diff(bleveChain(b.String()), each(&a, b.String())); diff != "" {
				t.Fatalf("terms of %+q mismatch (-bleve +ours):\n%s", b.String(), diff)
			}
		}
	}
}

func FuzzEqualsBleve(f *testing.F) {
	for _, s := range []string{
		"O'Neil's U.S.A. 3.14 a_b e-mail 1,000;2 title:x", "AC/DC, C++; (rock-n-roll) -5", "Ünïcode Río 東京 Ελλάς ’tis captain’s",
		"_ __ a_ _1 1_. a.1 1.a a.'b 1.,2 a:b:c 1:2 'a' a'", "owl\xffelk \xc3 fox", "שלום\"ר א' 'א", strings.Repeat("ab", 140) + "'s " + strings.Repeat("é", 600),
		strings.Repeat("x", 300) + ".é", "\u0301a\u0301.\u0301b \u00ad1\u00ad,2",
	} {
		f.Add(s)
	}
	var a english.Analyzer
	f.Fuzz(func(t *testing.T, s string) {
		if diff := cmp.Diff(bleveChain(s), each(&a, s)); diff != "" {
			t.Errorf("terms of %+q mismatch (-bleve +ours):\n%s", s, diff)
		}
		for _, term := range english.AnalyzeAll(s) {
			if !utf8.ValidString(term) || term == "" {
				t.Errorf("term %+q of %+q", term, s)
			}
		}
	})
}
