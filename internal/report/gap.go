package report

import (
	"trawl/eval"
	"trawl/internal/figures"
)

// gap shows how far a vote stays behind what the rollouts cover.
func gap(s *section) {
	var runs []*Run
	for _, r := range s.runs {
		if r.Gap != nil && r.Gap.Questions > 0 {
			runs = append(runs, r)
		}
	}
	if len(runs) == 0 {
		return
	}
	s.say("Coverage is how often a right answer is among k rollouts, voting how often the most frequent answer is right. What lies between is what a better selector could gain.")
	s.say("Dashed lines are a simulation: independent draws from the answers that the rollouts of a question gave. It takes shares for probabilities,",
		"so that its coverage can never exceed the share of questions that some rollout answered right, and lies below pass@k up to the rollouts that are there.")
	for _, r := range s.drawn(runs) {
		s.gapCurves(r)
	}
	s.gapTable(runs)
	from := gapSource(runs, "no interval: counts")
	s.table("gap-classes", "Which answer of a question leads", []string{"questions", "always right", "right leads", "tied", "wrong leads", "never right"}, runs, from,
		func(r *Run) []figures.Cell {
			c := r.Gap.Classes
			return []figures.Cell{count(r.Gap.Questions), count(c.Always), count(c.RightLeads), count(c.Tied), count(c.WrongLeads), count(c.Never)}
		})
	s.table("gap-simulated", "Simulated: independent draws from the answers given", []string{"coverage@16", "voting@16", "coverage@64", "voting@64", "gap@64"}, runs,
		gapSource(runs, "no interval: a simulation"), func(r *Run) []figures.Cell {
			x := r.Gap.Extrapolated
			return []figures.Cell{float(x[16].Coverage), float(x[16].Voting), float(x[64].Coverage), float(x[64].Voting), float(x[64].Gap)}
		})
}

func gapSource(runs []*Run, interval string) figures.Source {
	out := source(runs, interval, byReport)
	out.Note = remark(out.Note, "arXiv:2609.39912, G")
	return out
}

// gapTable shows the gap among stored rollouts.
func (s *section) gapTable(runs []*Run) {
	t := figures.Table{ID: "gap-by-k", Title: "Coverage and voting among k rollouts", Source: gapSource(runs, Bootstrap),
		Columns: []string{"run", "k", "questions", "coverage", "voting", "gap, paired", "voting right where covered"}}
	for _, r := range runs {
		for _, k := range sorted(r.Gap.At) {
			at := r.Gap.At[k]
			t.Rows = append(t.Rows, []figures.Cell{words(r.Name), count(k), count(at.Coverage.N), unsaid(stat(at.Coverage)), unsaid(stat(at.Voting)), unsaid(stat(at.Gap)), number(at.SelectedGivenCovered)})
		}
	}
	s.add(t)
}

// gapCurves draws coverage and voting of a run by k, and the simulation dashed.
func (s *section) gapCurves(r *Run) {
	p := s.plot(r, "plot-gap", "Coverage and voting by k", gapSource([]*Run{r}, Bootstrap+"; no interval of what is simulated"))
	p.X, p.Y = figures.Axis{Label: "k, rollouts", Log2: true}, figures.Axis{Label: "share right", Unit: true}
	coverage, voting := map[int]*eval.Stat{}, map[int]*eval.Stat{}
	for k, at := range r.Gap.At {
		coverage[k], voting[k] = at.Coverage, at.Voting
	}
	var far, vote []figures.Point
	for _, k := range sorted(r.Gap.Extrapolated) {
		far = append(far, figures.Point{X: float64(k), Y: r.Gap.Extrapolated[k].Coverage, N: r.Gap.Questions})
		vote = append(vote, figures.Point{X: float64(k), Y: r.Gap.Extrapolated[k].Voting, N: r.Gap.Questions})
	}
	p.Series = []figures.Series{
		{Name: "coverage", Points: curve(coverage)}, {Name: "voting", Points: curve(voting)},
		{Name: "coverage, simulated", Dashed: true, Points: far}, {Name: "voting, simulated", Dashed: true, Points: vote},
	}
	s.draw(p)
}
