// Package live is the growing BM25 index: documents can be added to it, and
// replaced, while it is searched. [Build] makes an index of a corpus, [Open]
// opens one for searching, and [Create] and [Grow] give one that takes documents.
//
// # Ranking
//
// A document's score for a query is
//
//	Σ qtf · idf · tf / (tf + k1·(1 − b + b·dl/avgdl))
//	idf = ln(1 + (N − df + 0.5) / (df + 0.5))
//
// over the distinct terms of the query, where qtf is how often the query has
// the term, tf how often the document, df how many of the N documents have it,
// dl is the number of terms of the document and avgdl its mean. This is BM25 as
// Lucene has it since version 8, without the constant factor k1+1, with the
// usual k1 = 0.9 and b = 0.4 of Anserini and Search-R1 as
// [index.DefaultParams].
// Terms are those of [trawl/search/english], of title + "\n" + text. Sums are in
// float64 and in the order in which the terms first stand in the query, so that a
// score depends on nothing else; ties go to the smaller id.
//
// # Departures
//
// Lucene keeps dl in one lossy byte; here it is exact, and so are N, df and
// avgdl, which count only documents that are there, not those replaced.
//
// A query of stop words alone ("To be or not to be") would find nothing. It is
// scored by the stop words of the documents, their tf and df, with dl and avgdl
// that count all words: its "was", stemmed to "wa", does not find the word "wa".
//
// bleve supplies the index on disk and its postings. Its own scoring, which is
// not BM25 under any of its names, takes no part.
//
// # On disk
//
// An index is a folder as package [index] has it: index.json has parameters and
// counts, and the folder store is bleve's.
//
// The sha256 of an index is the exclusive or of the SHA-256 of every document
// that is there, each over id, title, URL and text behind their lengths in eight
// bytes, big-endian. Two indexes of the same documents have the same, whatever
// the order, the batches and what was replaced on the way.
//
// # Concurrency
//
// An [Index] is safe for concurrent use. Any number of processes may have one
// open for searching; one that adds documents must be alone.
package live
