// Package search holds the words of retrieval, [Document], [Hit] and [Engine],
// and what can be put around any engine: [Cached] and [Shared].
//
// Engines live in the packages below. They know nothing of corpora; package
// [trawl/corpus/wiki] yields documents, and cmd joins the two.
package search

import "context"

// A Document is one retrievable passage. ID is unique within an index.
type Document struct {
	ID    string
	Title string
	URL   string // empty for corpora that have none
	Text  string // without the title
}

// A Hit is a document and its score for a query; a higher score is better.
type Hit struct {
	Document
	Score float64
}

// An Engine finds documents.
//
// Search returns at most n hits, best first, ties by ascending ID. Any UTF-8
// string is a valid query; a query that matches nothing returns no hits and no
// error. n < 1 returns no hits. Search is safe for concurrent use, and its
// result belongs to the caller, except that the strings are shared.
type Engine interface {
	Search(ctx context.Context, query string, n int) ([]Hit, error)
}
