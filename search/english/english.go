// Package english turns English text into index terms. [Analyze] is for a query
// or a text now and then; an [Analyzer] is for many, and remembers what became
// of each word, and a mark that its owner sets on it.
//
// The chain is that of Anserini's DefaultEnglishAnalyzer, term for term as Lucene
// 9.9.1 has it: StandardTokenizer (word boundaries of UAX #29, with runs of
// scripts without spaces, single ideographs and hiragana, and emoji as tokens),
// English possessive, lower case rune by rune, Lucene's 33 English stop words,
// Porter's stemmer. A token ends after 255 UTF-16 code units at the latest, and
// the text behind it begins anew. classes.txt has what Unicode 12.1.0, which
// Lucene goes by, says of runes; in later versions they may be of other classes.
//
// # Departures
//
// Bytes that are not UTF-8 count as punctuation, where Lucene never meets any.
// Stop words are marked, and stemmed, rather than removed. Lower case is that of
// Go's Unicode, which for the letters of 12.1.0 is that of Java.
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
	a := Analyzer{MaxWords: 1 << 12} // a few hundred kilobytes
	terms := []string{}
	a.Each(text, func(term string, stop bool) {
		if stops || !stop {
			terms = append(terms, term)
		}
	})
	return terms
}
