package wikitext_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"trawl/corpus/wiki/wikitext"
)

func TestPlain(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"text", "One line.\nAnother.\n\n\nA third.", "One line.\nAnother.\nA third."},
		{"emphasis", "''a'' '''b''' '''''c''''' L''''d''' rock 'n' roll", "a b c L'd rock 'n' roll"},
		{"apostrophes before emphasis", "The ''Titanic'''s sinking\ndell'''Iliade''\ne l'''Orlando furioso''\n'''a'' b\n''a'' in l'''b''' of ''m'''c\n''[[d|e'']]'''s",
			"The Titanic's sinking\ndell'Iliade\ne l'Orlando furioso\n'a b\na in l'b of mc\nes"},
		{"emphasis that is even", "'''a'' b'''' c\n'''''d''' e''", "a b' c\nd e"},
		{"links", "[[a]] [[a|b]] [[a]]s [[a#b]] [[#c]] [[a (b)|]] [[x:a (b)|]] [[a||b]]", "a b as a#b c a a |b"},
		{"links with links", "[[a|b [[c|d]] e]]", "b d e"},
		{"links of other kinds", "[[:Category:A]] [[:File:B.jpg]] [[wikt:foo|foo]] [[Star Wars: C]] x", "Category:A File:B.jpg foo Star Wars: C x"},
		{"categories and languages", "a [[Category:B]] [[category: B|c]] [[de:B]] [[zh-yue:B]] [[simple:B]] d", "a d"},
		{"files", "a [[File:B.jpg|thumb|100px|c [[d|e [[f]]]] {{g|[[h]]}} [http://i j]]] k", "a k"},
		{"files in another language", "a [[Datei:B.jpg|mini|c]] [[画像:B.jpg|c]] [[Media:B.ogg|c]] d", "a c d"},
		{"links to the web", "[http://a.b c d] [https://a.b] [//a.b c] [mailto:a@b e] [not a link] http://a.b", "c d c e [not a link] http://a.b"},
		{"a link to the web without end", "[http://a.b c\nd] e", "[http://a.b c\nd] e"},
		{"templates", "a {{b}} {{c|d={{e|f}}|g}} h{{{1|i}}}j", "a hj"},
		{"a template over lines", "{{a\n|b=c\n|}}\nd", "d"},
		{"templates with text", "{{nowrap|a b}} {{lang|fr|c}} {{lang-de|d}} {{snd}} {{circa|1900}} {{ill|e|fr|f}} {{abbr|g|h}} {{CO2}}", "a b c d – c. 1900 e g CO2"},
		{"named arguments", "{{nowrap|1=a=b}} {{quote|text=c|author=d}} {{lang|text=e|code=fr}} {{ill|e|lt=f}}", "a=b c e f"},
		{"measures", "{{convert|10|km|mi}} {{cvt|1.5|to|2|m|ft|abbr=on}} {{convert|3|x|4|x|5|cm|in}} {{convert|37|C|F}}", "10 km 1.5 to 2 m 3 × 4 × 5 cm 37 °C"},
		{"dates", "{{birth date|1912|6|23}} {{death date and age|df=yes|1954|6|7|1912|6|23}} {{start date|1999}} {{start date|May 1999}} {{as of|2010|5}} {{as of|2010|lc=y}}",
			"June 23, 1912 7 June 1954 1999 May 1999 As of May 2010 as of 2010"},
		{"fractions", "{{frac|2}} {{frac|1|2}} {{frac|3|1|2}}", "1/2 1/2 3 1/2"},
		{"scripts", "{{nihongo|Tokyo|東京|Tōkyō}} {{nihongo|Kyoto|京都}} {{chem|H|2|O}} {{ship|HMS|Ark}}", "Tokyo (東京, Tōkyō) Kyoto (京都) H2O HMS Ark"},
		{"functions", "{{formatnum:1234}} {{lc:ABC}} {{#if:a|b}} {{DEFAULTSORT:x}} y", "1234 abc y"},
		{"templates in templates with text", "{{nowrap|{{lang|fr|[[a|''b'']]}} {{x}}}}", "b"},
		{"tables", "a\n{| class=b\n|-\n! c\n|-\n| {{d|\n|}} [[e]]\n{|\n|f\n|}\n|}\ng\n:{|\n|}\nh", "a\ng\nh"},
		{"tables of HTML", "a<table><tr><td>b<TABLE><tr><td>c</td></tr></TABLE></td></tr></table>d", "a\nd"},
		{"a table without end", "a\n{| b\n| c\n|-\nd", "a\nd"},
		{"references", "a<ref>b {{c}}</ref>d<ref name=e />f<ref name=\"g\">h</REF >i<references/>j", "adfij"},
		{"a reference without end", "a<ref>b", "a b"},
		{"comments", "a<!-- b -- > c\n-->d<!-- e", "ad"},
		{"tags", "a<br>b<BR />c<sub>2</sub><p style='x'>d</p><small>e</small> <unknown>f 1 < 2 > 0 <3", "a b c2\nd\ne <unknown>f 1 < 2 > 0 <3"},
		{"contents that are no prose", "a<math>x^{{2}</math><gallery>\nFile:b|c\n</gallery><syntaxhighlight lang=d>e</syntaxhighlight>f", "af"},
		{"no markup", "<nowiki>''a'' [[b]] {{c}} &amp;</nowiki> <nowiki/>d\n<pre>\n* e\n</pre>", "''a'' [[b]] {{c}} & d\n* e"},
		{"entities", "a&nbsp;b &amp; &lt;c&gt; &#233; &#x2013; &eacute; &unknown; AT&T; R&D", "a b & <c> é – é &unknown; AT&T; R&D"},
		{"entities are no markup", "&#91;&#91;a&#93;&#93; &#39;&#39;b", "[[a]] ''b"},
		{"headings", "a\n== B ==\nc\n===d===\ne\n= =\nf = g", "a\nc\ne\nf = g"},
		{"sections without prose", "a\n== References ==\nb\n=== c ===\nd\n== E ==\nf\n==''See also''==\n* g", "a\nf"},
		{"lists", "* a\n** b\n#c\n: d\n;e: f\n*\n----\n::: g", "a\nb\nc\nd\ne: f\ng"},
		{"magic words", "__TOC__a __NOTOC__ __KEIN_INHALTSVERZEICHNIS__ __init__ a__b", "a __init__ a__b"},
		{"what is left", "a ({{x}}) b ({{x}}; {{x}}, c{{x}} , ) d {{x}}, e (({{x}})) f（{{x}}）", "a b (c) d, e f"},
		{"blanks", "a \t b\u00a0\u2003c\u200bd\u00ade\x01f\x0eg", "a b cdefg"},
		{"not UTF-8", "a\xffb", "a\ufffdb"},
		{"closers alone", "a }} b ]] c |} d\n|}\ne", "a b c |} d\ne"},
		{"openers alone", "a {{ b [[ c", "a b c"},
		{"crossing", "[[a {{b ]] c }} d", "a d"},
		{"a link over lines", "[[a\nb. [[c]] d ]] e", "a\nb. c d e"},
		{"nothing", " \n{{a}}\n[[Category:B]]\n()", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, wikitext.Plain(tt.source, nil)); diff != "" {
				t.Errorf("Plain(%q) mismatch (-want +got):\n%s", tt.source, diff)
			}
		})
	}
}

func TestNamespaces(t *testing.T) {
	const source = "a [[Dosiero:B.jpg|c]] [[dosiero: D|e]] f"
	if got := wikitext.Plain(source, wikitext.Namespaces{"Dosiero"}); got != "a f" {
		t.Errorf("with the wiki's names: %q, want %q", got, "a f")
	}
	if got := wikitext.Plain(source, nil); got != "a c e f" {
		t.Errorf("without: %q, want %q", got, "a c e f")
	}
}

func TestIsDisambiguation(t *testing.T) {
	tests := []struct {
		source string
		want   bool
	}{
		{"{{disambiguation}}", true}, {"a\n{{Disambig|geo}}", true}, {"{{ Begriffsklärung }}", true}, {"__DISAMBIG__", true}, {"{{Human_name_disambiguation}}", true},
		{"{{disambiguation needed|date=May}}", false}, {"{{for|x|y (disambiguation)}}", false}, {"disambig", false}, {"a <!-- {{disambiguation}} --> b", false}, {"<!-- a --><!--b-->{{disambig}}", true}, {"{{a}} <!-- {{disambig}}", false}, {"{{", false}, {"{{disambig", false}, {"", false},
	}
	for _, tt := range tests {
		if got := wikitext.IsDisambiguation(tt.source); got != tt.want {
			t.Errorf("IsDisambiguation(%q) = %v, want %v", tt.source, got, tt.want)
		}
	}
}

// grammar makes pages of well-formed markup around words that must all stay
// (kept…) or all go (lost…).
type grammar struct {
	*rand.Rand
	kept []string
	n    int
}

func (g *grammar) word(kind string) string {
	g.n++
	w := fmt.Sprintf("%s%d", kind, g.n)
	if kind == "kept" {
		g.kept = append(g.kept, w)
	}
	return w
}

// lost makes markup whose words go.
func (g *grammar) lost(depth int) string {
	if depth == 0 {
		return g.word("lost")
	}
	in := func() string { return g.lost(depth - 1) }
	switch g.IntN(8) {
	case 0:
		return "{{unknown|" + in() + "|a=" + in() + "}}"
	case 1:
		return "[[File:" + g.word("lost") + ".jpg|thumb|" + in() + " [[" + g.word("lost") + "]]]]"
	case 2:
		return "<ref>" + g.word("lost") + "</ref>"
	case 3:
		return "<!-- " + g.word("lost") + " -->"
	case 4:
		return "\n{| class=x\n|-\n| " + in() + " || [[" + g.word("lost") + "]]\n|}\n"
	case 5:
		return "[[Category:" + g.word("lost") + "]]"
	case 6:
		return "<math>{{" + g.word("lost") + "</math>"
	}
	return "\n== " + g.word("lost") + " ==\n"
}

// text makes markup whose words stay, with some beside it whose words go.
func (g *grammar) text(depth int) string {
	if depth == 0 {
		return g.word("kept")
	}
	in := func() string { return g.text(depth - 1) }
	switch g.IntN(10) {
	case 0:
		return "''" + g.word("kept") + "''"
	case 1:
		return "'''" + g.word("kept") + " [[" + g.word("kept") + "]]'''"
	case 2:
		return "[[" + g.word("lost") + "|" + g.word("kept") + "]]"
	case 3:
		return "[http://lost.example " + g.word("kept") + "]"
	case 4:
		return "{{lang|fr|" + g.word("kept") + " [[" + g.word("kept") + "]]}}"
	case 5:
		return "<small>" + g.word("kept") + "</small>"
	case 6:
		return "\n* " + in() + "\n"
	case 7:
		return in() + "&nbsp;" + in()
	case 8:
		return in() + " " + g.lost(min(depth, 3)) + " " + in()
	}
	return in() + " ({{unknown|" + g.lost(1) + "}}, ) " + in()
}

// TestGrammar checks on made pages that what is text stays in its order, that
// nothing else does, and that plain text is left as it is.
func TestGrammar(t *testing.T) {
	for seed := range uint64(1000) {
		g := &grammar{Rand: rand.New(rand.NewPCG(seed, 1))}
		source := g.text(5)
		got := wikitext.Plain(source, nil)
		words := strings.FieldsFunc(got, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if diff := cmp.Diff(g.kept, words); diff != "" {
			t.Fatalf("seed %d: words mismatch (-want +got):\n%s\n%s", seed, diff, source)
		}
		if strings.ContainsAny(got, "[]{}|<>=*#'()&_") {
			t.Fatalf("seed %d: markup is left in %q of %q", seed, got, source)
		}
		if again := wikitext.Plain(got, nil); again != got {
			t.Fatalf("seed %d: of plain text %q Plain makes %q", seed, got, again)
		}
	}
}

// TestLinear has pages that make searches repeat or calls nest, if anything does.
func TestLinear(t *testing.T) {
	const n = 1 << 16
	for _, part := range []string{
		"{{", "}}", "{{{", "[[", "]]", "[[a|", "[http://", "[", "{|\n", "|}\n", "<", "<ref>", "<ref", "<!--", "<b", "</ref>", "<table>", "&", "&a", "'", "''", "__", "__A",
		"(", ")", "(,", "=", "=\n", "\n|", "*", " ", "{{lang|a|", "{{nowrap|", "[[File:", "{{a|[[b|", "#", "\n", "{", "}", "|", "a\xff", "<nowiki>", "{{convert|1|-|", " {|",
	} {
		for _, source := range []string{strings.Repeat(part, n), strings.Repeat(part, n) + strings.Repeat("}}", n) + strings.Repeat("]]", n) + strings.Repeat("</ref>", n)} {
			start := time.Now()
			got := wikitext.Plain(source, nil)
			wikitext.IsDisambiguation(source)
			if took := time.Since(start); took > 3*time.Second {
				t.Errorf("%q 65,536 times took %v", part, took)
			}
			if !utf8.ValidString(got) || len(got) > 3*len(source) {
				t.Errorf("%q became %d bytes, valid %v", part, len(got), utf8.ValidString(got))
			}
		}
	}
}

// FuzzPlain checks that any page becomes valid text, not longer than the page but
// for the few templates that add words.
func FuzzPlain(f *testing.F) {
	for _, s := range []string{
		"'''a''' [[b|c]] {{convert|1|to|2|km}} <ref>d</ref>\n{|\n|}\n== e ==\n* f", "{{lang|fr|[[a|{{nowrap|b}}]]}}", "[[File:a|b]] [[a|]] [[#a]] [[:]] [[|]]",
		"<nowiki>[[</nowiki> &#1; &#x110000; &lt;", "{{birth date|1|2|3|df=y}}{{as of|1}}{{frac||}}{{nihongo}}{{convert}}{{ill}}", "{{{{{{}}}}}} [[[[]]]] [[http://a]]",
		"\xff{{\xff|", "<ref", "<table", "</", "[//", "{|\n{{|}", "|}}", "__A__", "((((,))))", "\x0e\x1c",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		got := wikitext.Plain(source, wikitext.Namespaces{"X"})
		switch {
		case !utf8.ValidString(got):
			t.Errorf("Plain(%q) = %q is not UTF-8", source, got)
		case len(got) > 8*len(source)+64:
			t.Errorf("Plain of %d bytes has %d", len(source), len(got))
		case got != strings.TrimSpace(got):
			t.Errorf("Plain(%q) = %q has blanks around it", source, got)
		case strings.ContainsFunc(got, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }):
			t.Errorf("Plain(%q) = %q has control characters", source, got)
		}
		for line := range strings.Lines(got) {
			if strings.TrimSpace(line) == "" {
				t.Errorf("Plain(%q) = %q has a blank line", source, got)
			}
		}
	})
}

func ExamplePlain() {
	fmt.Println(wikitext.Plain("'''Tern''' ({{IPA|x}}) is a [[seabird|bird]] of {{convert|110|g|oz}}.<ref>Book</ref>", nil))
	// Output: Tern is a bird of 110 g.
}

func BenchmarkPlain(b *testing.B) {
	page := strings.Repeat("'''Tern''' ({{IPA|x}}; {{lang|la|Sterna}}) is a [[seabird|bird]] of {{convert|110|g|oz}}.<ref>{{cite|a=b|c=[http://d e]}}</ref> It lives on [[coast]]s of the north,\n", 200)
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		wikitext.Plain(page, nil)
	}
}
