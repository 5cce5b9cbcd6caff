// Package graph turns the finished rollouts of one question into the graph over
// which the selector reasons: which candidates there are, what each searched for
// and read, and where two rollouts stood on the same evidence. It is structure
// only: no numbers, no model, no clock, so that the same rollouts are always the
// same graph.
//
// [Build] makes a [Graph] of a group, [BuildPool] of the rollouts of another
// program, in a [Pool]. Two variants exist, as in the paper: [WebQA] for rollouts
// that only search, [LongHorizon] for those that search, open pages and find in
// them. [MergeEvidence] and [MergeAnswers] are the paper's ablations, [StatsOf]
// and [Totals] say how much rollouts share. Foreign text is read by [ParseReturn]
// and [CanonicalURL].
//
// The method is SEL (arXiv:2609.39912, §3.2, §3.3, A.1, A.3). Its answer key is
// [PaperKey], under which "the" and "..." are one answer: the empty one. Votes
// here go by [VoteKey] instead, which is the same for every answer that has a
// paper's key, and otherwise the answer's own lower-cased text, so that answers
// that normalise to nothing still vote with their like and with nothing else.
//
// # Departures
//
//   - A search has as many chunks as it retrieved, not exactly three. The ranks
//     from [Options].Ranks on share the last pair of rank relations; with three
//     chunks and the default the graph is the paper's.
//   - Documents are numbered by first use, not fitted to the slots of a data set.
//     Scores do not depend on it.
//   - Numbers of documents ("Doc 7") are looked up in what the retained rollouts
//     saw, not in what all of them did: a graph depends on its candidates alone.
//   - Of the source fields that a foreign record may state, the parent event is
//     checked against the recomputed one ([Event].Source).
//
// All functions are safe for concurrent use, and none changes its arguments.
package graph

// A Variant is a kind of graph.
type Variant string

// The variants.
const (
	WebQA       Variant = "webqa"
	LongHorizon Variant = "long-horizon"
)

// A Graph is what the rollouts of one question did. Nodes of a kind are numbered
// from 0: candidates by rollout, subqueries and evidence in the order of their
// steps inside a candidate, contents and documents by first use.
//
// Relations that share content are not listed as edges: they are the pairs of
// evidence with one Content, see [Graph.SameContent].
type Graph struct {
	Variant    Variant
	Texts      []string // the distinct texts of all nodes, in order of first use
	Query      int      // index into Texts of the question
	Answers    []Answer
	Subqueries []Subquery
	Evidence   []Evidence
	Contents   int        // distinct contents of evidence
	Documents  []Document // long-horizon only
	Edges      map[Relation][]Edge
	Origins    []int // by evidence, only where equal answers are merged: see [Graph.Origin]
}

// NoText is the index of a node that has no text; its embedding is zero.
const NoText = -1

// An Answer is a candidate: one retained rollout, or, where equal answers are
// merged, one answer.
type Answer struct {
	Text     int   // index into Graph.Texts
	Rollouts []int // indices into the group's trajectories; one, if not merged
	Votes    int   // retained rollouts whose answer has the same key, at least 1
}

// A Subquery is one search, or, in the long-horizon variant, the root of a chain
// of views that no search began.
type Subquery struct {
	Text    int   // index into Graph.Texts; NoText if the query is empty
	Answers []int // candidates that made it: one, if not merged
	Orphan  bool
}

// An Evidence is one piece of text that a rollout read: a retrieved chunk at its
// place in one search (WebQA), or one opened or searched view (long-horizon).
type Evidence struct {
	Text     int   // index into Graph.Texts
	Content  int   // evidence of equal text has the same number, below Graph.Contents
	Answers  []int // candidates whose rollouts read it: one, if not merged
	Document int   // long-horizon: index into Graph.Documents; -1 in WebQA
	Find     bool  // long-horizon: a find in a page, not an open
}

// A Document is a page that evidence belongs to.
type Document struct {
	ID       string // url:ADDRESS, search-view:ROLLOUT:EVENT or unresolved_original:QUESTION:GROUP
	Verified bool   // the id is an address that the page itself confirmed
}

// A Relation is a kind of edge along which messages pass.
type Relation string

// The relations of both variants. Rank relations are made by [Rank] and
// [RankOf]. The source comes first.
const (
	Starts Relation = "starts" // WebQA: the query → the first subquery of a candidate
	Next   Relation = "next"   // a subquery → the one after it

	SameContentIntra Relation = "same_content_intra_trace" // evidence → other evidence of that content, same candidate
	SameContentCross Relation = "same_content_cross_trace" // likewise, another candidate

	Previous  Relation = "previous"   // long-horizon: a subquery → the one before it
	BelongsTo Relation = "belongs_to" // evidence → document
	Contains  Relation = "contains"   // document → evidence
	Opens     Relation = "opens"      // subquery → evidence opened from it
	OpenedBy  Relation = "opened_by"
	Finds     Relation = "finds" // subquery → evidence found in a page opened from it
	FoundBy   Relation = "found_by"
)

// An Edge goes from one node to another; the relation says of which kinds.
type Edge struct{ Source, Target int }
