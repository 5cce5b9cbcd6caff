package live

import (
	"strings"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/token/porter"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
)

// maxToken is the length in runes at which a token is cut in pieces, as in
// Lucene's StandardTokenizer.
const maxToken = 255

// Analyze returns the index terms of a text, repetitions included, by the chain
// of Anserini's DefaultEnglishAnalyzer: Unicode word boundaries (UAX #29),
// English possessive, lower case, Lucene's 33 English stop words, Porter
// stemmer. Bytes that are not UTF-8 count as punctuation.
func Analyze(text string) []string {
	terms, _ := split(text)
	return stem(terms)
}

// AnalyzeAll is [Analyze] without the stop words' removal. It serves queries of
// which Analyze leaves nothing.
func AnalyzeAll(text string) []string { return stem(tokens(text)) }

// split returns the tokens of a text that are no stop words, and those that are.
func split(text string) (content, stops analysis.TokenStream) {
	all := tokens(text)
	content = all[:0]
	for _, t := range all {
		if isStopWord(t.Term) {
			stops = append(stops, t)
		} else {
			content = append(content, t)
		}
	}
	return content, stops
}

// tokens returns the tokens of a text in lower case.
func tokens(text string) analysis.TokenStream {
	stream := unicode.NewUnicodeTokenizer().Tokenize([]byte(strings.ToValidUTF8(text, "\uFFFD")))
	stream = cut(stream)
	stream = en.NewPossessiveFilter().Filter(stream)
	return lowercase.NewLowerCaseFilter().Filter(stream)
}

// cut cuts tokens of more than maxToken runes in pieces.
func cut(stream analysis.TokenStream) analysis.TokenStream {
	for i, t := range stream {
		if len(t.Term) <= maxToken || utf8.RuneCount(t.Term) <= maxToken {
			continue
		}
		out := append(analysis.TokenStream{}, stream[:i]...)
		runes := []rune(string(t.Term))
		for len(runes) > 0 {
			n := min(len(runes), maxToken)
			out = append(out, &analysis.Token{Term: []byte(string(runes[:n]))})
			runes = runes[n:]
		}
		return append(out, cut(stream[i+1:])...)
	}
	return stream
}

func stem(stream analysis.TokenStream) []string {
	terms := make([]string, 0, len(stream))
	for _, t := range porter.NewPorterStemmer().Filter(stream) {
		if len(t.Term) > 0 {
			terms = append(terms, string(t.Term))
		}
	}
	return terms
}

// isStopWord reports whether the word is one of Lucene's
// EnglishAnalyzer.ENGLISH_STOP_WORDS_SET.
func isStopWord(word []byte) bool {
	switch string(word) {
	case "a", "an", "and", "are", "as", "at", "be", "but", "by",
		"for", "if", "in", "into", "is", "it",
		"no", "not", "of", "on", "or", "such",
		"that", "the", "their", "then", "there", "these",
		"they", "this", "to", "was", "will", "with":
		return true
	}
	return false
}
