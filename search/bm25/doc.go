// Package bm25 is the static BM25 index: written once, mapped into memory, and
// searched by any number of goroutines and processes. [Build] makes one of a
// corpus in bounded memory, [Open] opens one; an [Index] is a [trawl/search.Engine] that can also [Index.Get] a document,
// [Index.Explain] a score and [Index.Verify] itself.
//
// # Ranking
//
// Scores, terms and order are those of package [trawl/search/live], bit for bit:
//
//	Σ qtf · idf · tf / (tf + k1·(1 − b + b·dl/avgdl))
//	idf = ln(1 + (N − df + 0.5) / (df + 0.5))
//
// over the distinct terms of the query in the order in which they first stand in
// it, ties by id; terms are those of [trawl/search/english]. dl and avgdl do not
// count stop words. A query of stop words alone is scored by the stop words of the
// documents, with dl and avgdl that count all words: its "was", stemmed to "wa",
// does not find the word "wa".
//
// # Search
//
// A search skips what cannot be among the best n, and nothing else. Each list of
// postings comes with the greatest part that it adds to a score in each window
// of 65,536 documents. Windows are searched in the order of the sum of these
// bounds, until it is below the n-th best score. Within a window this is
// MaxScore (Turtle and Flood 1995) over spans of 4,096 documents, as Lucene has
// it: the terms whose bounds together are below the n-th best score are only
// looked up for documents that have another term. Sums that were not added up in
// the order of the query are added up again before they count. In windows that
// have more than some 50 of a query's terms, all postings are added up instead:
// a search takes time in proportion to the postings of its terms, however many
// they are, and stops within milliseconds of the end of its context.
//
// # Departures
//
// Scores lack the factor k1+1, as in Lucene since version 8, and lengths are
// exact, which in Lucene take one byte.
//
// # On disk
//
// FORMAT.md, beside this file, says what the files hold. Searches trust the
// order of documents within a window; damage that a search meets is
// [index.ErrDamaged], or wrong scores.
//
// # Concurrency
//
// An [Index] is safe for concurrent use, [Index.Close] included: searches under
// way finish first, and an [Index.Verify] stops. Each search uses one goroutine and borrows its memory from a
// pool. On systems without mmap the files are read into memory.
package bm25
