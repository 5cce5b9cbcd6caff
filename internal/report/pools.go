package report

import (
	"trawl/internal/figures"
	"trawl/selection/graph"
)

// pools shows what selectors choose from.
func pools(s *section) {
	var runs []*Run
	for _, r := range s.runs {
		if r.Pool != nil {
			runs = append(runs, r)
		}
	}
	if len(runs) == 0 {
		return
	}
	s.say("A candidate is a completed rollout with an answer and, where rollouts only search, a search that returned something; the filter drops the others (arXiv:2609.39912, A.1, G).")
	from := source(runs, "no interval: counts", byReport)
	s.table("filter", "What the filter of candidates drops", []string{"completed", "retained", "without answer", "nothing found", "share dropped", "empty pools"}, runs, from,
		func(r *Run) []figures.Cell {
			f := r.Pool.Filter
			return []figures.Cell{count(r.Pool.Complete), count(f.Retained), count(f.NoAnswer), count(f.NothingFound), number(f.Share), count(f.EmptyPools)}
		})
	s.coverage(runs, from)
	s.sharing(runs, from)
}

// coverage shows what the filter costs.
func (s *section) coverage(runs []*Run, from figures.Source) {
	t := figures.Table{ID: "filter-coverage", Title: "Coverage of k rollouts before and after the filter", Source: from,
		Columns: []string{"run", "k", "before", "after", "lost, paired"}}
	t.Source.Interval = Bootstrap
	for _, r := range runs {
		for _, k := range sorted(r.Pool.CoverageAt) {
			c := r.Pool.CoverageAt[k]
			t.Rows = append(t.Rows, []figures.Cell{words(r.Name), count(k), stat(c.Before), stat(c.After), stat(c.Lost)})
		}
	}
	s.add(t)
}

// sharing shows how much evidence the rollouts of a question share.
func (s *section) sharing(runs []*Run, from figures.Source) {
	from.Interval = Bootstrap + ", of the overlap; the others are means over graphs"
	s.table("overlap", "What retained rollouts hold", []string{"overlap of what two read", "graphs", "candidates", "queries", "evidence", "distinct texts"}, runs, from,
		func(r *Run) []figures.Cell {
			g := r.Pool.Graphs
			return []figures.Cell{stat(r.Pool.Overlap), count(g.Graphs), amount(g.Candidates), amount(g.Subqueries), amount(g.Evidence), amount(g.Texts)}
		})
	t := figures.Table{ID: "sharing", Title: "What they share: pairs of evidence across rollouts", Source: from,
		Columns: []string{"run", "of one", "groups", "pairs, mean", "median", "P90", "graphs with a pair", "of them with another text"}}
	t.Source.Interval = "no interval: means over graphs"
	for _, r := range runs {
		for _, x := range []struct {
			of     string
			shared *graph.SharingSummary
			other  figures.Cell
		}{{"text", &r.Pool.Graphs.Contents, words(absent)}, {"document", r.Pool.Graphs.Documents, number(r.Pool.Graphs.OtherContent)}} {
			row := []figures.Cell{words(r.Name), words(x.of), words(absent), words(absent), words(absent), words(absent), words(absent), x.other}
			if s := x.shared; s != nil {
				row = []figures.Cell{row[0], row[1], amount(s.Groups), amount(s.Mean), amount(s.Median), amount(s.P90), float(s.Shared), x.other}
			}
			t.Rows = append(t.Rows, row)
		}
	}
	s.add(t)
}
