// Package wikitext makes plain text of MediaWiki's markup, as a reader of the
// article sees it and a search index wants it. [Plain] is the main function, and
// [IsDisambiguation] tells pages that only list others. All are safe for
// concurrent use.
//
// # What stays
//
// The words of paragraphs, lists, links, quotations and the few templates that
// carry words of the sentence they stand in ({{convert}}, {{lang}}, dates, dashes
// and the like; table.go has them). Paragraphs and items of lists are
// lines of the result.
//
// # What goes
//
// Other templates, tables, files with their captions, categories, links to other
// languages, references, comments, formulas, galleries, program text, magic words,
// and what these leave behind: empty parentheses, a space before a comma. Headings
// go too, as from the extractors that the common corpora of passages were made
// with: amid a passage a heading is no part of any sentence. So do whole sections
// that hold no prose: references, external links, "see also", in the languages of
// the larger Wikipedias.
//
// Markup that is not closed is taken away and its content stays, except that of
// comments, which run to the end of the page as MediaWiki has it.
//
// # Cost
//
// Three passes, each linear in the page whatever stands in it: openers and closers
// are matched first, on a stack of their own, so that nothing is searched for
// twice. Constructs deeper than maxDepth are dropped.
//
// # Departures
//
// Templates are not expanded, so what a page shows only through them is lost, and
// parser functions are dropped with all their branches.
package wikitext

import (
	"strings"
	"unicode/utf8"
)

// Namespaces are the names that a wiki gives to namespaces whose links are no
// text, in its own language. Those of English, and older names that pages still
// use, are always known. The zero value is good for English.
type Namespaces []string

// Plain returns the plain text of a page. The result is valid UTF-8 without
// control characters but line breaks.
func Plain(source string, dropped Namespaces) string {
	if !utf8.ValidString(source) {
		source = strings.ToValidUTF8(source, "\uFFFD")
	}
	p := parser{src: stripTags(source), dropped: dropped, templates: templates}
	p.match()
	p.span(0, len(p.src), 0)
	return tidy(p.out)
}

// IsDisambiguation reports whether a page only lists pages of like names: by
// its templates, or its magic word.
func IsDisambiguation(source string) bool {
	source = withoutComments(source)
	if strings.Contains(source, "__DISAMBIG__") {
		return true
	}
	for {
		_, rest, found := strings.Cut(source, "{{")
		if !found {
			return false
		}
		source = rest
		end := strings.IndexAny(source[:min(len(source), maxName)], "|}{\n")
		if end > 0 && disambiguations[templateName(source[:end])] {
			return true
		}
	}
}

// withoutComments takes comments out, of which one without end runs to the end.
func withoutComments(source string) string {
	before, rest, found := strings.Cut(source, "<!--")
	if !found {
		return source
	}
	var b strings.Builder
	for found {
		b.WriteString(before)
		_, rest, _ = strings.Cut(rest, "-->")
		before, rest, found = strings.Cut(rest, "<!--")
	}
	b.WriteString(before)
	return b.String()
}

// disambiguations are the templates of pages that list others, in the languages
// of the larger Wikipedias.
var disambiguations = words(`disambiguation|disambig|dab|disamb|hndis|geodis|human name disambiguation|
	place name disambiguation|school disambiguation|hospital disambiguation|airport disambiguation|
	letter-number combination disambiguation|mathematical disambiguation|mathdab|numberdis|roadndis|roaddis|
	disambiguation page|disambig-cleanup|disambiguation cleanup|
	begriffsklärung|homonymie|desambiguación|desambiguação|disambigua|dp|doorverwijspagina|
	ujednoznacznienie|неоднозначность|förgrening|曖昧さ回避|aimai|消歧义|消歧義|동음이의|توضيح`)

// words makes a set of a list whose parts stand between bars.
func words(list string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.SplitSeq(list, "|") {
		set[strings.TrimSpace(word)] = true
	}
	return set
}
