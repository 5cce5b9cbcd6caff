package report

import (
	"fmt"
	"slices"

	"trawl/internal/figures"
)

// mostSeries is how many series of a plot can be told apart, and of how many runs
// there are plots and lines under figures.
const mostSeries = 8

// draw adds a plot that has points, whose n are questions.
func (s *section) draw(p figures.Plot) { s.drawOver(p, "questions") }

// drawOver adds a plot that has points, with the n of what is shown under it.
func (s *section) drawOver(p figures.Plot, of string) {
	p.Series = slices.DeleteFunc(p.Series, func(x figures.Series) bool { return len(x.Points) == 0 })
	if len(p.Series) == 0 {
		return
	}
	s.keep(&p, "runs", s.base)
	if n := spread(p); n != "" {
		said := "n = " + n + " " + of
		if p.Source.N != "" {
			said += "; of " + p.Source.N
		}
		p.Source.N = said
	}
	s.Plots = append(s.Plots, p)
}

// keep leaves a plot as many series as can be told apart: those of the names, and the
// first of the others, in their order.
func (s *section) keep(p *figures.Plot, what string, names ...string) {
	all := len(p.Series)
	if all <= mostSeries {
		return
	}
	room := mostSeries
	for _, x := range p.Series {
		if slices.Contains(names, x.Name) {
			room--
		}
	}
	var kept []figures.Series
	for _, x := range p.Series {
		named := slices.Contains(names, x.Name)
		if named || room > 0 {
			kept = append(kept, x)
		}
		if !named {
			room--
		}
	}
	p.Series = kept
	p.Source.Note = remark(p.Source.Note, fmt.Sprintf("the first %d of %d %s; the table has all", len(kept), all, what))
}

// drawn returns the runs that have plots of their own: the baseline, and the first of
// the others, as many as plots show of them.
func (s *section) drawn(runs []*Run) []*Run {
	if len(runs) <= mostSeries {
		return runs
	}
	s.say(fmt.Sprintf("Plots are of the first %d of %d runs; the tables have all.", mostSeries, len(runs)))
	room := mostSeries
	if slices.ContainsFunc(runs, func(r *Run) bool { return r.Name == s.base }) {
		room--
	}
	var out []*Run
	for _, r := range runs {
		if r.Name == s.base || room > 0 {
			out = append(out, r)
		}
		if r.Name != s.base {
			room--
		}
	}
	return out
}

// spread says what the points shown are over, from the least to the most; "" if none
// says it.
func spread(p figures.Plot) string {
	var ns []int
	for _, x := range p.Series {
		for _, point := range x.Points {
			if point.N > 0 {
				ns = append(ns, point.N)
			}
		}
	}
	if len(ns) == 0 {
		return ""
	}
	if low, high := slices.Min(ns), slices.Max(ns); low < high {
		return fmt.Sprintf("%d–%d", low, high)
	}
	return fmt.Sprint(ns[0])
}
