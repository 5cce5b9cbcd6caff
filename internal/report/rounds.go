package report

import (
	"strconv"

	"trawl/eval"
	"trawl/internal/figures"
)

// rounds shows what each round was worth and what it cost.
func rounds(s *section) {
	runs := scored(s.runs, func(r *eval.Report) bool { return len(r.Rounds) > 0 })
	if len(runs) == 0 {
		return
	}
	s.say("RT is how right the answers are in which rollouts stood after a round, AP how often any answer of a rollout so far is right,",
		"pass and majority are over all rollouts of a question (Re-TRAC, arXiv:2602.02486 §4).")
	s.roundCurves(runs)
	s.perRound(runs, "rounds-right", "Right after each round", Bootstrap,
		[]string{"RT", "AP", "pass", "majority", "lines' own answers", "restated", "complete", "stopped before", "failed", "missing"},
		func(x *eval.Round) []figures.Cell {
			return []figures.Cell{stat(x.RT), stat(x.AP), stat(x.Pass), stat(x.Majority), stat(x.Own), number(x.Restated),
				count(x.Complete), count(x.Stopped), count(x.Failed), count(x.Missing)}
		})
	s.perRound(runs, "round-cost", "What each round took, a rollout", "",
		[]string{"searches", "opens", "model calls", "prompt tokens", "completion tokens", "seconds", "calls of the summary", "its prompt tokens", "its completion tokens", "its seconds"},
		func(x *eval.Round) []figures.Cell {
			p, sum := x.Resources.PerRollout, x.Resources.PerSummary
			return []figures.Cell{amount(p.Searches), amount(p.Opens), amount(p.LLMCalls), amount(p.PromptTokens), amount(p.CompletionTokens), amount(p.Seconds),
				amount(sum.LLMCalls), amount(sum.PromptTokens), amount(sum.CompletionTokens), amount(sum.Seconds)}
		})
	s.perRound(runs, "round-search", "Searches made before, and leads followed", "",
		[]string{"made before by the rollout", "made before by any", "branches planned", "executed", "left", "share left", "open at the end", "states without answer", "unread states"},
		func(x *eval.Round) []figures.Cell {
			open := words(absent)
			if x.Branches.Open != nil {
				open = count(*x.Branches.Open)
			}
			return []figures.Cell{number(x.DuplicateQueries), number(x.DuplicatesAcross), count(x.Branches.Planned), count(x.Branches.Executed), count(x.Branches.Left),
				number(x.Branches.LeftShare), open, count(x.States.WithoutAnswer), count(x.States.Unread)}
		})
}

// perRound adds a table with a row for each round of each run.
func (s *section) perRound(runs []*Run, id, title, interval string, columns []string, row func(*eval.Round) []figures.Cell) {
	t := figures.Table{ID: id, Title: title, Columns: append([]string{"run", "round"}, columns...), Source: source(runs, interval, byScore)}
	for _, r := range runs {
		for i := range r.Score.Rounds {
			x := &r.Score.Rounds[i]
			t.Rows = append(t.Rows, append([]figures.Cell{words(r.Name), count(x.Round)}, row(x)...))
		}
	}
	s.add(t)
}

// A roundCurve is a figure of a round.
type roundCurve struct {
	name string
	of   func(*eval.Round) *eval.Stat
}

func (c roundCurve) points(r *Run) []figures.Point {
	var out []figures.Point
	for i := range r.Score.Rounds {
		if v := c.of(&r.Score.Rounds[i]); v != nil {
			out = append(out, point(float64(i), v))
		}
	}
	return out
}

// roundCurves draws how the runs went from round to round: the figures of one run
// in one plot, and of several in a plot for each figure.
func (s *section) roundCurves(runs []*Run) {
	var names []string
	for _, r := range runs {
		for n := len(names); n < len(r.Score.Rounds); n++ {
			names = append(names, strconv.Itoa(n+1))
		}
	}
	p := figures.Plot{ID: "plot-rounds", Title: "Right after each round", X: figures.Axis{Label: "round", Names: names}, Y: figures.Axis{Label: "share right", Unit: true},
		Source: source(runs, Bootstrap, byScore)}
	curves := []roundCurve{
		{"RT", func(x *eval.Round) *eval.Stat { return x.RT }}, {"AP", func(x *eval.Round) *eval.Stat { return x.AP }},
		{"pass", func(x *eval.Round) *eval.Stat { return x.Pass }}, {"majority", func(x *eval.Round) *eval.Stat { return x.Majority }},
	}
	if len(runs) == 1 {
		for _, c := range curves {
			p.Series = append(p.Series, figures.Series{Name: c.name, Points: c.points(runs[0])})
		}
		s.draw(p)
		return
	}
	for _, c := range curves {
		mine := p
		mine.ID, mine.Title = "plot-rounds-"+c.name, c.name+" after each round"
		for _, r := range runs {
			mine.Series = append(mine.Series, figures.Series{Name: r.Name, Points: c.points(r)})
		}
		s.draw(mine)
	}
}
