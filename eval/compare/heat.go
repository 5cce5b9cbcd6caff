package compare

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"trawl/eval"
	"trawl/internal/seed"
	"trawl/selection"
	"trawl/trajectory"
)

// A heat is the contestants that decide on the same subsets of k rollouts.
type heat struct {
	k, limit int   // all subsets if limit is All
	field    []int // places in the contest's
}

// limits returns the numbers beyond which subsets are sampled, one a contestant.
func limits(o Options, field []Contestant) []int {
	out := make([]int, len(field))
	for i, c := range field {
		out[i] = cmp.Or(c.Subsets, o.Subsets)
	}
	return out
}

// heats returns the heats at k: contestants whose limit does not bite are together.
func (c *contest) heats(k int) []heat {
	var heats []heat
	for i, limit := range limits(c.opts, c.field) {
		if eval.Binomial(c.opts.Rollouts, k) <= float64(limit) {
			limit = All
		}
		at := slices.IndexFunc(heats, func(h heat) bool { return h.limit == limit })
		if at < 0 {
			at = len(heats)
			heats = append(heats, heat{k: k, limit: limit})
		}
		heats[at].field = append(heats[at].field, i)
	}
	return heats
}

// chunk is how many subsets are decided at a time: enough to fill a batch.
const chunk = 512

// subsets yields the subsets of a heat, a chunk at a time, which is used again for
// the next. A limit of a contestant's own has a draw of its own, so that what others
// are given does not depend on it.
func (c *contest) subsets(h heat, questionID string) iter.Seq[[][]int] {
	chance := seed.Rand(c.opts.Seed, "subsets", questionID, h.k)
	if h.limit != c.opts.Subsets {
		chance = seed.Rand(c.opts.Seed, "subsets", questionID, h.k, h.limit)
	}
	return func(yield func([][]int) bool) {
		var part [][]int
		for s := range eval.Subsets(c.opts.Rollouts, h.k, h.limit, chance) {
			if part = append(part, slices.Clone(s)); len(part) < chunk {
				continue
			}
			if !yield(part) {
				return
			}
			part = part[:0]
		}
		if len(part) > 0 {
			yield(part)
		}
	}
}

// A result is what one contestant made of the subsets.
type result struct {
	subsets  int
	coverage float64 // share of the subsets with a right candidate
	right    float64 // share of the subsets
	rival    float64 // share of the subsets for which the reference is right
	f1       float64 // mean
	covered  float64 // share of the subsets that have a right candidate of which the contestant chose one
	empty    int     // subsets without an answer
	noted    int     // subsets whose decision has a note
	cost     selection.Cost
	took     time.Duration
}

// run gives the subsets of a heat to its contestants, and to the reference, and
// puts what they made of them into s.
func (c *contest) run(ctx context.Context, m *marker, slots []*trajectory.Trajectory, h heat, s *size) error {
	field := make([]Contestant, len(h.field))
	for i, at := range h.field {
		field[i] = c.field[at]
	}
	rival := slices.IndexFunc(field, func(f Contestant) bool { return f.Name == c.rival.Name })
	if rival < 0 {
		rival = len(field)
		field = append(field, c.rival)
	}
	results, coverage := make([]result, len(field)), 0.0
	n := 0
	for part := range c.subsets(h, m.example.ID) {
		n += len(part)
		pools := m.pools(part, slots)
		for _, p := range pools {
			coverage += number(p.covered)
		}
		for i, contestant := range field {
			decisions, err := c.decide(ctx, contestant, pools)
			if err != nil {
				return err
			}
			results[i].add(m, pools, decisions)
			if s.whole != nil && i < len(h.field) {
				s.whole[h.field[i]] = decisions[0].Decision
			}
		}
	}
	for i := range results {
		r := &results[i]
		r.subsets, r.coverage = n, coverage/float64(n)
		r.right, r.f1, r.covered = r.right/float64(n), r.f1/float64(n), r.covered/float64(n)
	}
	for i, at := range h.field {
		s.results[at] = results[i]
		s.results[at].rival = results[rival].right
	}
	return nil
}

// add adds the marks and costs of decisions.
func (r *result) add(m *marker, pools []pool, decisions []timed) {
	for i, d := range decisions {
		r.cost.Add(d.Cost)
		r.took += d.took
		if d.Note != "" {
			r.noted++
		}
		if d.Answer == "" {
			r.empty++
			continue
		}
		mark := m.mark(d.Answer)
		r.right += number(mark.EM)
		r.f1 += mark.F1
		r.covered += number(mark.EM && pools[i].covered)
	}
}
