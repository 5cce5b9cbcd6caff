// Package opensearch is search in an index of an OpenSearch cluster, for corpora
// beyond one machine. [Build] makes such an index, [Open] opens one, ours or
// somebody else's, and an [Index] is a [trawl/search.Engine].
//
// # Addresses
//
//	opensearch://[USER:PASSWORD@]HOST[:PORT][/PREFIX]/INDEX
//	opensearchs://… the same over TLS
//
// The port is 9200 unless it is said. User and password are sent with every
// request and are in no error. Certificates are checked against those that the
// system trusts; [Options.Transport] is for others.
//
// # An index of ours
//
// A document has the fields id, title, url and text. Title and text are searched
// together as contents, by Anserini's chain (standard tokenizer, English
// possessive, lower case, Lucene's 33 stop words, Porter stemmer), and as
// everything, which keeps the stop words and serves queries that have nothing
// else. The similarity is BM25 with our k1 and b. The mapping's _meta says that
// the index is ours and, last of all, that it is complete: what a building that
// was cut short leaves is [index.ErrIncomplete], and Build starts it anew.
//
// # An index of somebody else's
//
// Its field contents is searched, or title and text together, or those that
// [Options.Fields] names. A document is read from the keys id, title, url, and
// text or contents of its source; without id it has that of OpenSearch.
//
// # Departures
//
// Scores are nearly those of package [trawl/search/live], not bit for bit: Lucene
// keeps the length of a document in one byte, exact up to 39 terms and within
// some 6 % beyond, adds in 32 bits, and does not count documents without a term
// in N and the average length. As in Lucene there is no factor k1+1; OpenSearch
// before version 3 has it, which changes no order. Every search is dfs_query_then_fetch, so that N, df and average length
// are those of the whole index and the number of shards does not change scores.
// Scores that are equal in 32 bits are ties, and there are more of them.
//
// Words are Lucene's, which differ from those of [trawl/search/english] in rare
// scripts and emoji. A query of more than 1,000 terms, about what OpenSearch
// admits, is sent as its first 1,000 different ones, each with its count.
//
// In an index of somebody else's without a keyword field id, which of the
// documents tied at the end of the list are in it is the server's choice.
//
// Client and server are not checked for each other: opensearch-go 4 asks for no
// distribution, and the calls are those of Elasticsearch 7 too. Requests are not
// signed, which Amazon's service needs unless its access policy admits a user and
// a password.
//
// # Concurrency
//
// An [Index] is safe for concurrent use. Searches start no goroutines but those
// of net/http and opensearch-go, which [Index.Close] ends. A building sends so
// many batches at once as its options say, and waits for them.
package opensearch

import "errors"

// Errors that callers may want to tell apart, beside those of package index.
var (
	// ErrMissing: the cluster has no index of this name.
	ErrMissing = errors.New("there is no such index")
	// ErrExists: the index is complete, which a building leaves alone.
	ErrExists = errors.New("the index is already there")
	// ErrUnreachable: there is no answer at all, after the last attempt.
	ErrUnreachable = errors.New("the server cannot be reached")
)
