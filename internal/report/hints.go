package report

import "trawl/internal/figures"

// lambda is the minimum hint rate of a run.
func (r *Run) lambda() figures.Cell {
	if r.Scaffold == nil {
		return words(absent)
	}
	return stat(r.Scaffold.LambdaMin)
}

// hints shows how rollouts do that begin with a part of the reference.
func (s *section) hints() {
	var runs []*Run
	for _, r := range s.runs {
		if r.Scaffold != nil {
			runs = append(runs, r)
		}
	}
	if len(runs) == 0 {
		return
	}
	from := source(runs, Bootstrap, func(c Commands) string { return c.Scaffold })
	from.N = ""
	p := figures.Plot{ID: "plot-hints", Title: "Right by how much of the reference is a hint", X: figures.Axis{Label: "λ"}, Y: figures.Axis{Label: "share right", Unit: true}, Source: from}
	for _, r := range runs {
		x := figures.Series{Name: r.Name}
		for _, at := range r.Scaffold.Curve {
			if at.Success != nil {
				x.Points = append(x.Points, point(at.Lambda, at.Success))
			}
		}
		p.Series = append(p.Series, x)
	}
	s.draw(p)
	s.table("hints", "The least hint with which rollouts are right", []string{"θ", "tasks", "measured", "λ_min", "below θ even at 1", "without a hint", "hints cut short", "rollouts a task"}, runs, from,
		func(r *Run) []figures.Cell {
			x := r.Scaffold
			return []figures.Cell{float(x.Theta), count(x.Tasks), count(x.Measured), stat(x.LambdaMin), count(x.Censored), count(x.Unaided), count(x.Leaks.Withheld), count(x.Runs)}
		})
}
