package eval

import (
	"trawl/internal/text"
	"trawl/trajectory"
)

// searched returns the queries of the searches of t, in order, those included
// that failed or were not carried out because they repeated an earlier one.
func searched(t *trajectory.Trajectory) []string {
	var queries []string
	for _, s := range t.Steps {
		if s.Kind == trajectory.KindSearch && !text.Blank(s.Query) {
			queries = append(queries, s.Query)
		}
	}
	return queries
}

// A queryLog holds the queries of a question's rollouts, folded, by who made them;
// everyone stands for all rollouts.
type queryLog map[int]map[string]bool

const everyone = -1

// made notes a query and reports whether that rollout, or everyone, made it before.
func (l queryLog) made(rollout int, query string) bool {
	if l[rollout] == nil {
		l[rollout] = make(map[string]bool)
	}
	before := l[rollout][query]
	l[rollout][query] = true
	return before
}

// round notes the queries of a round's lines and returns how many of them the same
// rollout, and any rollout, made before.
func (l queryLog) round(lines []*trajectory.Trajectory) (same, across share) {
	for _, t := range lines {
		for _, q := range searched(t) {
			q = text.Fold(q)
			same.add(l.made(t.Rollout, q))
			across.add(l.made(everyone, q))
		}
	}
	return same, across
}

// repeats returns, by n from 2, how many queries of the n-th rollout those before
// it made. Rollouts are numbered from 0 and stand in order.
func repeats(rollouts []*trajectory.Trajectory) map[int]share {
	out := make(map[int]share)
	before := make(map[string]bool)
	for i, t := range rollouts {
		queries := searched(t)
		var s share
		for j, q := range queries {
			queries[j] = text.Fold(q)
			s.add(before[queries[j]])
		}
		for _, q := range queries {
			before[q] = true
		}
		if i > 0 {
			out[t.Rollout+1] = s
		}
	}
	return out
}

// A share counts how many of n are hits.
type share struct{ hits, n int }

func (s *share) add(hit bool) {
	s.n++
	if hit {
		s.hits++
	}
}

func (s *share) join(o share) { s.hits, s.n = s.hits+o.hits, s.n+o.n }

// value returns hits/n; nil for none of none.
func (s share) value() *float64 {
	if s.n == 0 {
		return nil
	}
	v := float64(s.hits) / float64(s.n)
	return &v
}
