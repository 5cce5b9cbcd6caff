package report

import (
	"fmt"
	"slices"
	"strconv"

	"trawl/eval"
	"trawl/internal/figures"
)

// diversity shows how far rollouts go apart and what they find.
func diversity(s *section) {
	several := scored(s.runs, func(r *eval.Report) bool { return r.Diversity.N > 0 })
	if len(several) > 0 {
		s.say("QPD is the distance (1 − Jaccard of tokens) between the first queries of a question's rollouts, ATD that between queries of different rollouts",
			"in the same turn, document overlap the Jaccard similarity of what they retrieved, ITC that of a rollout's first query to its later ones (DivInit §3, §6.2).")
	}
	from := source(several, "no interval: means over questions", byScore)
	s.table("distances", "Diversity of a question's rollouts", []string{"questions", "left out", "QPD", "ATD", "document overlap", "ITC"}, several, from,
		func(r *Run) []figures.Cell {
			d := r.Score.Diversity
			return []figures.Cell{count(d.N), count(d.LeftOut), number(d.QPD), number(d.ATD), number(d.Overlap), number(d.ITC)}
		})
	s.repeated(several, from)
	s.recall()
}

// repeated shows which share of the n-th rollout's queries was made before.
func (s *section) repeated(runs []*Run, from figures.Source) {
	of := func(r *Run) map[int]float64 { return r.Score.Diversity.RepeatedQueries }
	ns := keys(runs, of)
	var names, columns []string
	for _, n := range ns {
		names, columns = append(names, strconv.Itoa(n)), append(columns, fmt.Sprintf("rollout %d", n))
	}
	p := figures.Plot{ID: "plot-repeated", Title: "Queries of the n-th rollout that rollouts before it made", X: figures.Axis{Label: "n", Names: names},
		Y: figures.Axis{Label: "share of its queries", Unit: true}, Source: from}
	for _, r := range runs {
		x := figures.Series{Name: r.Name}
		for _, n := range sorted(of(r)) {
			x.Points = append(x.Points, figures.Point{X: float64(slices.Index(ns, n)), Y: of(r)[n], N: r.Score.Diversity.N})
		}
		p.Series = append(p.Series, x)
	}
	if len(ns) > 1 {
		s.draw(p)
	}
	if len(ns) > 0 {
		s.table("repeated", p.Title, columns, runs, from, func(r *Run) []figures.Cell {
			var row []figures.Cell
			for _, n := range ns {
				row = append(row, cut(of(r), n))
			}
			return row
		})
	}
}

// recall shows how many of the supporting documents were found.
func (s *section) recall() {
	known := scored(s.runs, func(r *eval.Report) bool { return r.Retrieval.N > 0 })
	cuts := keys(known, func(r *Run) map[int]float64 { return r.Score.Retrieval.RecallAt })
	if len(cuts) == 0 {
		if done := scored(s.runs, func(r *eval.Report) bool { return r.Complete > 0 }); len(done) > 0 {
			s.say("The data names no supporting documents, so recall is not measured.")
		}
		return
	}
	columns := []string{"questions"}
	for _, k := range cuts {
		columns = append(columns, fmt.Sprintf("recall@%d", k), fmt.Sprintf("recall@%d of all rollouts", k))
	}
	s.table("recall", "Supporting documents found by rank k", columns, known, source(known, "no interval: means over questions", byScore), func(r *Run) []figures.Cell {
		row := []figures.Cell{count(r.Score.Retrieval.N)}
		for _, k := range cuts {
			row = append(row, cut(r.Score.Retrieval.RecallAt, k), cut(r.Score.Retrieval.RecallPooledAt, k))
		}
		return row
	})
}
