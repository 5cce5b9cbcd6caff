// Package remote is search over HTTP. [Handler] puts an engine behind the route
// POST /retrieve of Search-R1's retrieval server, so that other programs can use
// our indexes; [Client] is an engine whose documents are behind such a route, of
// ours or of anybody's.
//
// A call and its answer, with return_scores and without, are
//
//	{"queries": ["q1", "q2"], "topk": 3, "return_scores": true}
//	{"result": [[{"document": {"id": "7", "contents": "\"Title\"\ntext"}, "score": 12.3}], []]}
//	{"result": [[{"id": "7", "contents": "\"Title\"\ntext"}], []]}
//
// and those of BrowseComp-Plus' server
//
//	{"query": "q"}
//	{"result": [{"document": {"title": "Title", "text": "text"}, "docid": "7"}]}
//
// GET /health says that a server of ours is up, and what its index is. Where a
// call has queries that are empty, and a query, the query counts. Numbers and
// truth may be written as Search-R1's pydantic takes them: "3", 3.0, "yes".
//
// # Departures
//
// A document that has a URL keeps it under the key url, which no other server
// has. A line break in a title becomes a space, for the first line of contents is
// the title; bytes that are not UTF-8 become U+FFFD, as everywhere in JSON.
//
// The client sends one body that all servers read: queries and query, topk and
// the reranking server's topk_retrieval and topk_rerank, and return_scores true,
// without which Search-R1's own server fails. A server with a fixed number of
// hits, as those of web searches and BrowseComp-Plus have, returns that many if
// they are fewer.
//
// A title has a space in place of control characters. An id is what the server
// says, for it names the document, and so is a text: whoever shows an id quotes
// it if it has control characters. An answer may begin with a byte order mark,
// and have the NaN and Infinity of Python's json module.
//
// A hit without an id has "sha256:" and the first 16 hexadecimal digits of the
// hash of its contents. A second hit with the id of another is left out. Of hits
// with scores the higher is the better, so a server whose scores are distances
// is read upside down, and [Dialect.Rising] tells. A score may be a string that
// holds a number. If a hit has none, or one that is NaN, infinite or a string of
// something else, the scores of all count for nothing: the hits keep the server's
// order and have 1/rank.
//
// The handler bounds what strangers can make of it: queries, hits and bytes of a
// call, of its answer and of all answers together ([ServeOptions]). Search-R1's
// server bounds nothing.
//
// # Concurrency
//
// Handlers and clients are safe for concurrent use. A handler searches the
// queries of a call at once, so many for all calls together, and returns when all
// searches of the call have; they are cancelled when the caller leaves. Calls
// wait while the answers under way fill the handler's room; those for few hits
// have room of their own. A client starts no goroutines but those of net/http,
// which [Client.Close] ends.
package remote

import "errors"

// ErrUnreachable: there is no answer at all, after the last attempt. Whether the
// server runs, and where, is the first thing to look at.
var ErrUnreachable = errors.New("the server cannot be reached")

// The last parts of a server's addresses.
const (
	retrievePath = "/retrieve"
	healthPath   = "/health"
)

// mark is what a server of ours calls itself at its health route.
const mark = "trawl"

// health is the answer of the health route.
type health struct {
	Status string `json:"status"`
	Server string `json:"server"`
	Index  any    `json:"index,omitempty"`
}
