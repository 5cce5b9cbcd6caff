// Package english turns English text into index terms. [Analyze] is for a query
// or a text now and then; an [Analyzer] is for many, and remembers what became
// of each word, and a mark that its owner sets on it.
//
// The chain is that of Anserini's DefaultEnglishAnalyzer: Unicode word
// boundaries (UAX #29), English possessive, lower case, Lucene's 33 English stop
// words, Porter stemmer; tokens of more than 255 runes are cut in pieces. bleve
// supplies the tokenizer and the filters. Bytes that are not UTF-8 count as
// punctuation.
//
// # Departures
//
// The boundaries of words in ASCII are found here, for speed. They are those
// that bleve's tokenizer finds, which a test holds them to.
//
// # Concurrency
//
// Functions are safe for concurrent use; an Analyzer belongs to one goroutine.
package english

// Analyze returns the index terms of a text, repetitions included, without its
// stop words.
func Analyze(text string) []string { return collect(text, false) }

// AnalyzeAll is [Analyze] without the stop words' removal. It serves queries of
// which Analyze leaves nothing.
func AnalyzeAll(text string) []string { return collect(text, true) }

func collect(text string, stops bool) []string {
	var a Analyzer
	terms := []string{}
	a.Each(text, func(term string, stop bool) {
		if stops || !stop {
			terms = append(terms, term)
		}
	})
	return terms
}
