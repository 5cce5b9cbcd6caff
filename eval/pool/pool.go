// Package pool describes the pools that a selector chooses from: how many rollouts
// the filter of the graph selector drops and what that costs in coverage, how much
// two rollouts of a question read alike, and how much evidence they share.
//
// A pool is the rollouts of one question, and its filter that of
// [trawl/selection/graph]: a candidate has an answer and, in the search-only
// variant, a search that returned something. (arXiv:2609.39912 A.1, D, G)
//
// # Departures
//
// The paper's share of dropped samples is over all samples. Here rollouts that
// failed are no samples, since the next run tries them again: they are counted
// apart, and the share is over completed ones.
//
// Coverage is by the unbiased estimator over the k rollouts that are drawn before
// the filter, as in the rules for pools. What is right is exact match of a rollout's
// own answer; a question without gold answers is in no coverage.
//
// The paper counts directed document edges without saying which. Here they are
// both relations of a piece of evidence and its document.
package pool

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/selection/graph"
	"trawl/trajectory"
)

// A Source returns the rollouts of a question, done and failed, the newest of
// each number; of several rounds, their outcomes. It is called by several
// goroutines at once.
type Source func(questionID string) ([]*trajectory.Trajectory, error)

// Options say what is described. The zero value selects the defaults.
type Options struct {
	Variant   graph.Variant // default WebQA
	Rollouts  int           // K, expected of each question, the first so many count; default: as many as there are
	At        []int         // k of coverage; default: powers of two up to K, and K
	Seed      int64         // of resampling
	Resamples int           // of the bootstrap; default 2,000
}

// A Report describes the pools of a run.
type Report struct {
	Variant   graph.Variant `json:"variant"`
	Questions int           `json:"questions"`
	Rollouts  int           `json:"rollouts"` // expected of each question
	Complete  int           `json:"complete"`
	Failed    int           `json:"failed"`
	Missing   int           `json:"missing"`

	Filter     Filter           `json:"filter"`
	CoverageAt map[int]Coverage `json:"coverage_at"` // by k, over the questions with k completed rollouts and gold answers

	// Overlap is the Jaccard index of what two retained rollouts read, over the pairs
	// of a question first and over the questions with two or more second.
	Overlap *eval.Stat `json:"overlap"`

	Graphs        Graphs   `json:"graphs"`                   // how much evidence is shared, over the questions with a candidate
	DocumentEdges *float64 `json:"document_edges,omitempty"` // directed ones of a graph on average; nil in the search-only variant
}

// Graphs is a [graph.Summary] without what its variant does not have: the search-only
// graph has no documents, which does not say that nothing is shared by them.
type Graphs struct {
	graph.Summary
	Documents    *graph.SharingSummary `json:"documents,omitempty"`     // nil in the search-only variant
	OtherContent *float64              `json:"other_content,omitempty"` // likewise
}

// Filter says which completed rollouts are no candidates.
type Filter struct {
	Retained     int      `json:"retained"`
	NoAnswer     int      `json:"no_answer"`     // dropped: their answer is empty
	NothingFound int      `json:"nothing_found"` // dropped: they have an answer, but no search returned anything
	Share        *float64 `json:"share_dropped"` // of the completed rollouts; nil if there are none
	EmptyPools   int      `json:"empty_pools"`   // questions with nothing retained
}

// Coverage is the chance that k rollouts of a question hold a right one.
type Coverage struct {
	Before *eval.Stat `json:"before"` // the filter
	After  *eval.Stat `json:"after"`  // the filter, of the same k
	Lost   *eval.Stat `json:"lost"`   // by it, question by question
}

// Of describes the pools of the examples, which are the questions of a run. It ends
// at the first error of source, at a pool of which no graph can be made, naming the
// question, and when ctx ends. The report does not depend on the order in which
// pools are read.
func Of(ctx context.Context, examples []dataset.Example, source Source, o Options) (*Report, error) {
	o.Variant = cmp.Or(o.Variant, graph.WebQA)
	o.Resamples = cmp.Or(o.Resamples, eval.DefaultResamples)
	if o.Rollouts < 0 || o.Resamples < 0 || len(o.At) > 0 && slices.Min(o.At) < 1 {
		return nil, fmt.Errorf("pool: rollouts %d, resamples %d, at %v: all must be positive", o.Rollouts, o.Resamples, o.At)
	}
	pools := make([]pool, len(examples))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, ex := range examples {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			var err error
			if pools[i], err = read(ex, source, o); err != nil {
				return fmt.Errorf("pool: question %s: %w", ex.ID, err)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return report(pools, o), nil
}

// report puts the pools together.
func report(pools []pool, o Options) *Report {
	for _, p := range pools {
		o.Rollouts = max(o.Rollouts, p.last+1)
	}
	r := &Report{Variant: o.Variant, Questions: len(pools), Rollouts: o.Rollouts}
	var totals graph.Totals
	var overlaps []float64
	edges, graphs := 0, 0
	for _, p := range pools {
		r.count(p)
		if p.statistics == nil {
			continue
		}
		totals.Add(*p.statistics)
		if p.statistics.RolloutPairs > 0 {
			overlaps = append(overlaps, p.statistics.Overlap)
		}
		edges, graphs = edges+p.edges, graphs+1
	}
	if r.Complete > 0 {
		share := float64(r.Complete-r.Filter.Retained) / float64(r.Complete)
		r.Filter.Share = &share
	}
	r.CoverageAt = coverage(pools, o)
	r.Overlap = eval.Estimate(overlaps, o.Resamples, o.Seed)
	r.Graphs.Summary = totals.Summary()
	if o.Variant == graph.LongHorizon && graphs > 0 {
		mean := float64(edges) / float64(graphs)
		r.DocumentEdges = &mean
		r.Graphs.Documents, r.Graphs.OtherContent = &r.Graphs.Summary.Documents, &r.Graphs.Summary.OtherContent
	}
	return r
}

// count adds the counts of one question.
func (r *Report) count(p pool) {
	r.Complete += p.complete
	r.Failed += p.failed
	r.Missing += r.Rollouts - p.complete - p.failed
	r.Filter.Retained += p.retained
	r.Filter.NoAnswer += p.noAnswer
	r.Filter.NothingFound += p.complete - p.retained - p.noAnswer
	if p.retained == 0 {
		r.Filter.EmptyPools++
	}
}

// coverage returns the coverage at each k that a question has.
func coverage(pools []pool, o Options) map[int]Coverage {
	at := make(map[int]Coverage)
	for _, k := range o.at() {
		var before, after, lost []float64
		for _, p := range pools {
			if !p.scored || p.complete < k {
				continue
			}
			b, a := eval.PassAt(p.complete, p.right, k), eval.PassAt(p.complete, p.kept, k)
			before, after, lost = append(before, b), append(after, a), append(lost, b-a)
		}
		if len(before) > 0 {
			estimate := func(v []float64) *eval.Stat { return eval.Estimate(v, o.Resamples, o.Seed) }
			at[k] = Coverage{Before: estimate(before), After: estimate(after), Lost: estimate(lost)}
		}
	}
	return at
}

// at returns the k of coverage, once the rollouts are known.
func (o Options) at() []int {
	if len(o.At) > 0 {
		return o.At
	}
	var at []int
	for k := 1; k < o.Rollouts; k *= 2 {
		at = append(at, k)
	}
	return append(at, max(o.Rollouts, 1))
}
