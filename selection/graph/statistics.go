package graph

import (
	"math/bits"
	"slices"
)

// Statistics say how much the rollouts of one graph share. (SEL App. D, G)
type Statistics struct {
	Candidates int
	Subqueries int
	Evidence   int
	Texts      int // distinct texts of all nodes

	Contents     Sharing // of evidence by equal content
	Documents    Sharing // of evidence by document
	OtherContent int     // cross pairs of one document whose contents differ

	RolloutPairs int     // pairs of candidates
	Overlap      float64 // of the contents that two candidates read: mean over these pairs
}

// Sharing says how much evidence of several rollouts is one thing. A cross pair is
// two pieces of evidence of a group, read by two rollouts; with n_r pieces read by
// rollout r a group has
//
//	Σ_{r<s} n_r · n_s
//
// of them.
type Sharing struct {
	Groups int // with a cross pair
	Pairs  int // over all groups
}

// StatsOf returns the statistics of a graph as it was built, before anything is
// merged. The overlap of two rollouts is the Jaccard index of what they read,
// |a ∩ b| / |a ∪ b|, and 0 where neither read anything.
func StatsOf(g *Graph) Statistics {
	s := Statistics{
		Candidates: len(g.Answers), Subqueries: len(g.Subqueries), Evidence: len(g.Evidence), Texts: len(g.Texts),
		Contents: sharing(g, func(e *Evidence) [2]int { return [2]int{e.Content} }),
	}
	if g.Variant == LongHorizon {
		s.Documents = sharing(g, func(e *Evidence) [2]int { return [2]int{e.Document} })
		same := sharing(g, func(e *Evidence) [2]int { return [2]int{e.Document, e.Content} })
		s.OtherContent = s.Documents.Pairs - same.Pairs
	}
	s.RolloutPairs = len(g.Answers) * (len(g.Answers) - 1) / 2
	s.Overlap = overlap(g)
	return s
}

// sharing counts in one pass: a piece of evidence makes a cross pair with every
// earlier one of its group that another rollout read.
func sharing(g *Graph, group func(*Evidence) [2]int) Sharing {
	type member struct {
		group  [2]int
		origin int
	}
	var s Sharing
	all := make(map[[2]int]int)
	own := make(map[member]int)
	shared := make(map[[2]int]bool)
	for i := range g.Evidence {
		k := group(&g.Evidence[i])
		m := member{k, g.Origin(i)}
		if pairs := all[k] - own[m]; pairs > 0 {
			s.Pairs += pairs
			shared[k] = true
		}
		all[k]++
		own[m]++
	}
	s.Groups = len(shared)
	return s
}

// overlap returns the mean Jaccard index of the contents that two candidates
// read, over all pairs of candidates; 0 if there is no pair.
func overlap(g *Graph) float64 {
	words := (g.Contents + 63) / 64
	read := make([][]uint64, len(g.Answers))
	for a := range read {
		read[a] = make([]uint64, words)
	}
	for i := range g.Evidence {
		c := g.Evidence[i].Content
		for _, a := range g.Evidence[i].Answers {
			read[a][c/64] |= 1 << (c % 64)
		}
	}
	sum, pairs := 0.0, 0
	for a := range read {
		for b := range a {
			both, either := 0, 0
			for w := range words {
				both += bits.OnesCount64(read[a][w] & read[b][w])
				either += bits.OnesCount64(read[a][w] | read[b][w])
			}
			if either > 0 {
				sum += float64(both) / float64(either)
			}
			pairs++
		}
	}
	if pairs == 0 {
		return 0
	}
	return sum / float64(pairs)
}

// Totals add up the statistics of many graphs, which need not be held: of each it
// keeps two counts. The zero value is ready. It is not safe for concurrent use.
type Totals struct {
	candidates, subqueries, evidence, texts int
	contents, documents                     shares
	other                                   int
	overlap                                 float64
	overlapping                             int
}

// shares adds up [Sharing].
type shares struct {
	groups int
	pairs  []int // of each graph
}

// Add adds the statistics of a graph.
func (t *Totals) Add(s Statistics) {
	t.candidates += s.Candidates
	t.subqueries += s.Subqueries
	t.evidence += s.Evidence
	t.texts += s.Texts
	t.contents.add(s.Contents)
	t.documents.add(s.Documents)
	t.other += s.OtherContent
	if s.RolloutPairs > 0 {
		t.overlap += s.Overlap
		t.overlapping++
	}
}

func (s *shares) add(one Sharing) {
	s.groups += one.Groups
	s.pairs = append(s.pairs, one.Pairs)
}

// A Summary describes many graphs. Shares and means over nothing are 0.
type Summary struct {
	Graphs       int            `json:"graphs"`
	Candidates   float64        `json:"candidates"` // mean of a graph, as the next three
	Subqueries   float64        `json:"subqueries"`
	Evidence     float64        `json:"evidence"`
	Texts        float64        `json:"texts"`
	Contents     SharingSummary `json:"contents"`
	Documents    SharingSummary `json:"documents"`
	OtherContent float64        `json:"other_content"` // share of all cross pairs of one document whose contents differ
	Overlap      float64        `json:"overlap"`       // mean over graphs with two candidates
	Overlapping  int            `json:"overlapping"`   // how many those are
}

// A SharingSummary describes the [Sharing] of many graphs.
type SharingSummary struct {
	Groups float64 `json:"groups"` // mean of a graph
	Mean   float64 `json:"mean"`   // of cross pairs of a graph, as the next two
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	Shared float64 `json:"shared"` // share of graphs with a cross pair
}

// Summary returns what was added so far.
func (t *Totals) Summary() Summary {
	n := len(t.contents.pairs)
	documentPairs := 0
	for _, p := range t.documents.pairs {
		documentPairs += p
	}
	return Summary{
		Graphs:     n,
		Candidates: ratio(t.candidates, n), Subqueries: ratio(t.subqueries, n),
		Evidence: ratio(t.evidence, n), Texts: ratio(t.texts, n),
		Contents: t.contents.summary(), Documents: t.documents.summary(),
		OtherContent: ratio(t.other, documentPairs),
		Overlap:      t.overlap / float64(max(t.overlapping, 1)),
		Overlapping:  t.overlapping,
	}
}

func (s *shares) summary() SharingSummary {
	sorted := slices.Sorted(slices.Values(s.pairs))
	n, sum, without := len(sorted), 0, 0
	for _, p := range sorted {
		sum += p
		if p == 0 {
			without++
		}
	}
	return SharingSummary{
		Groups: ratio(s.groups, n), Mean: ratio(sum, n),
		Median: quantile(sorted, 0.5), P90: quantile(sorted, 0.9),
		Shared: ratio(n-without, n),
	}
}

// quantile returns the q-quantile of sorted numbers, between two of them in
// proportion, as NumPy does.
func quantile(sorted []int, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := q * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	j := min(i+1, len(sorted)-1)
	return float64(sorted[i]) + (at-float64(i))*float64(sorted[j]-sorted[i])
}

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
