package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trawl/internal/figures"
)

// reached shows how answers were reached.
func reached(s *section) {
	runs := evaluated(s.runs)
	if len(runs) == 0 {
		return
	}
	s.say("U, the utility of a rollout, is 0 for a wrong answer and otherwise joins E, its efficiency, and C, its quality; C joins G_E, how well its evidence carries what it claims,",
		"and R_R, how soon it left the traps that it walked into. TRS says how alike the rollouts of a question are, E_A how it adapts how sure it is of its actions.",
		"A figure that was not measured is absent; the table of what is lacking says why.")
	from := source(runs, Bootstrap, func(c Commands) string { return c.Evaluate })
	s.table("utility-all", "Utility", []string{"pass@1", "U, all rollouts", "U, correct ones", "E", "C"}, runs, from, func(r *Run) []figures.Cell {
		u := r.Utility
		return []figures.Cell{stat(u.PassAt1), stat(u.UAll), stat(u.UCorrect), stat(u.E), stat(u.C)}
	})
	s.table("utility-parts", "What it is joined of, and what stands beside it", []string{"G_E", "R_R", "λ_min", "E_A", "TRS"}, runs, from, func(r *Run) []figures.Cell {
		u := r.Utility
		return []figures.Cell{stat(u.GE), stat(u.RR), r.lambda(), stat(u.EA), stat(u.TRS)}
	})
	s.utilities(runs, from)
	s.table("utility-work", "What rollouts did", []string{"tool calls", "their cost", "repetition", "claims", "not judged", "rollouts without G_E"}, runs, from,
		func(r *Run) []figures.Cell {
			u := r.Utility
			return []figures.Cell{stat(u.Actions), stat(u.Cost), stat(u.Repetition), count(u.Claims), count(u.UnscoredClaims), count(u.Ungraded)}
		})
	trapped := slices.DeleteFunc(slices.Clone(runs), func(r *Run) bool { return r.Utility.Traps.Questions == 0 })
	s.table("traps", "Traps", []string{"questions with traps", "seen", "entered", "left before the end", "that cannot be seen"}, trapped, from,
		func(r *Run) []figures.Cell {
			t := r.Utility.Traps
			return []figures.Cell{count(t.Questions), count(t.Seen), count(t.Entered), count(t.Left), count(t.Unseeable)}
		})
	known := slices.DeleteFunc(slices.Clone(runs), func(r *Run) bool { return r.Utility.Keypoints.Facts == 0 })
	s.table("keypoints", "The facts of references", []string{"facts", "KSR, supported", "KCR, contradicted", "KOR, omitted", "not judged"}, known, from,
		func(r *Run) []figures.Cell {
			u := r.Utility
			return []figures.Cell{count(u.Keypoints.Facts), stat(u.KSR), stat(u.KCR), stat(u.KOR), count(u.Keypoints.Unscored)}
		})
	s.hints()
	s.sensitivity(runs, from)
	s.lacks(runs, from)
}

// utilities draws the parts of the utility side by side.
func (s *section) utilities(runs []*Run, from figures.Source) {
	p := figures.Plot{ID: "plot-utility", Title: "Utility and its parts", Y: figures.Axis{Unit: true}, Source: from,
		X: figures.Axis{Names: []string{"pass@1", "U, all", "U, correct", "E", "C", "G_E", "R_R", "TRS"}}}
	for _, r := range runs {
		u, x := r.Utility, figures.Series{Name: r.Name, Shape: figures.Bars}
		for i, v := range []figures.Cell{stat(u.PassAt1), stat(u.UAll), stat(u.UCorrect), stat(u.E), stat(u.C), stat(u.GE), stat(u.RR), stat(u.TRS)} {
			if v.Value != nil {
				x.Points = append(x.Points, figures.Point{X: float64(i), Y: *v.Value, Interval: v.Interval, N: v.N})
			}
		}
		p.Series = append(p.Series, x)
	}
	s.draw(p)
}

// sensitivity shows the utility with other exponents, which all runs have the same.
func (s *section) sensitivity(runs []*Run, from figures.Source) {
	t := figures.Table{ID: "sensitivity", Title: "Utility with other exponents", Source: from, Columns: []string{"omega_e", "omega_c"}}
	t.Source.Interval = "no interval"
	for i, r := range runs {
		name := func(what string) string {
			if len(runs) > 1 {
				return r.Name + ": " + what
			}
			return what
		}
		t.Columns = append(t.Columns, name("U, all rollouts"), name("U, correct ones"))
		for j, c := range r.Utility.Sweep {
			if i == 0 {
				t.Rows = append(t.Rows, []figures.Cell{exponent(c.OmegaE), exponent(c.OmegaC)})
			}
			t.Rows[j] = append(t.Rows[j], number(c.UAll), number(c.UCorrect))
		}
	}
	if slices.ContainsFunc(runs, func(r *Run) bool { return r.Utility.UAll != nil }) {
		s.add(t)
	}
}

func exponent(v float64) figures.Cell {
	return figures.Cell{Text: strconv.FormatFloat(v, 'g', -1, 64), Value: &v}
}

// lacks lists what was not measured and why.
func (s *section) lacks(runs []*Run, from figures.Source) {
	t := figures.Table{ID: "lacking", Title: "What is lacking, in whole or in part", Columns: []string{"run", "figure", "why"}, Source: from}
	t.Source.Interval = ""
	for _, r := range runs {
		for _, u := range r.Utility.NotMeasured {
			if u.Figure == "lambda_min" && r.Scaffold != nil {
				continue
			}
			t.Rows = append(t.Rows, []figures.Cell{words(r.Name), words(u.Figure), words(u.Why)})
		}
	}
	s.add(t)
}

// method says by which constants, and what the paper says and what is reconstructed.
func method(s *section) {
	runs := evaluated(s.runs)
	if len(runs) == 0 {
		return
	}
	how := func(r *Run) string {
		u := r.Utility
		return fmt.Sprintf("Constants: %v. Embedder: %s. Claims and facts are judged by: %s.", u.Constants, u.Embedder, strings.TrimSpace(u.Entailment+" "+u.Judge))
	}
	if slices.ContainsFunc(runs, func(r *Run) bool { return how(r) != how(runs[0]) }) {
		for _, r := range runs {
			s.say(r.Name+":", how(r))
		}
	} else {
		s.say(how(runs[0]))
	}
	for _, line := range runs[0].Utility.Method.Reported {
		s.say("Reported of EVAL (arXiv:2602.21230), second-hand:", line)
	}
	for _, line := range runs[0].Utility.Method.Reconstruction {
		s.say("Reconstructed by this project:", line)
	}
}

// evaluated returns the runs of which it is known how answers were reached.
func evaluated(runs []*Run) []*Run {
	return slices.DeleteFunc(slices.Clone(runs), func(r *Run) bool { return r.Utility == nil })
}
