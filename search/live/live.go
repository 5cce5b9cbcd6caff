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
// usual k1 = 0.9 and b = 0.4 of Anserini and Search-R1 as [DefaultParams].
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
// scored as if no word were a stop word, in tf, df, dl and avgdl alike.
//
// bleve supplies the index on disk and its postings. Its own scoring, which is
// not BM25 under any of its names, takes no part.
//
// # On disk
//
// An index is a folder: the file index.json says what it is, with parameters
// and counts, and the folder store is bleve's. index.json is written last and at
// once, so that a folder without it is one whose building was cut short; the
// file index.building says that it was ours.
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

import (
	"errors"
	"fmt"
	"math"
)

// Errors that callers may want to tell apart.
var (
	// ErrIncomplete: the folder holds an index whose building was cut short.
	ErrIncomplete = errors.New("the index is incomplete: run trawl index again")
	// ErrDamaged: the files of the index are not what was written.
	ErrDamaged = errors.New("the index is damaged")
	// ErrBusy: another process holds the index in a way that excludes this use.
	ErrBusy = errors.New("another process is using the index")
	// ErrForeign: the folder holds something that is not an index of this package.
	ErrForeign = errors.New("not a trawl index")
	// ErrExists: the folder holds a complete index that is not damaged, which
	// Create leaves alone.
	ErrExists = errors.New("the folder already holds an index")
	// ErrClosed: the index was closed.
	ErrClosed = errors.New("the index is closed")
)

// Params are BM25's two numbers. They are taken literally: zero is legal, and
// b = 0 means that length does not matter.
type Params struct {
	K1 float64 `json:"k1"` // how soon a term's repetitions stop counting; ≥ 0
	B  float64 `json:"b"`  // how much length matters, from 0 to 1
}

// DefaultParams returns k1 = 0.9 and b = 0.4, the values of Anserini, Pyserini
// and Search-R1.
func DefaultParams() Params { return Params{K1: 0.9, B: 0.4} }

// Validate reports parameters that the formula does not admit.
func (p Params) Validate() error {
	switch {
	case !(p.K1 >= 0 && p.K1 <= math.MaxFloat32):
		return fmt.Errorf("k1 is %v, not a number from 0", p.K1)
	case !(p.B >= 0 && p.B <= 1):
		return fmt.Errorf("b is %v, not a number from 0 to 1", p.B)
	}
	return nil
}

// saturation returns tf / (tf + k1·(1 − b + b·dl/avgdl)), the part of a term's
// score that grows with tf, towards 1. tf is at least 1.
//
// The conversions keep compilers from fusing operations, which would make the
// last bit differ between machines.
func (p Params) saturation(tf, dl uint64, avgdl float64) float64 {
	length := float64(p.B * float64(dl) / avgdl)
	return float64(tf) / (float64(tf) + float64(p.K1*(1-p.B+length)))
}

// idf returns the inverse document frequency of a term found in df of n
// documents,
//
//	ln(1 + (n − df + 0.5) / (df + 0.5))
//
// which, unlike the original weight of Robertson and Spärck Jones, is positive
// even for a term that all documents have.
func idf(n, df int) float64 {
	return math.Log1p((float64(n-df) + 0.5) / (float64(df) + 0.5))
}
