package report

import (
	"slices"
	"strconv"
	"strings"

	"trawl/eval/compare"
	"trawl/internal/figures"
)

// A choice is how a selector does among k rollouts of a run.
type choice struct {
	run *Run
	k   int
	compare.Row
}

// choices returns what the selectors of a run chose, by k: those that were computed
// and those whose decisions were kept.
func choices(r *Run) []choice {
	var out []choice
	for i, report := range []*compare.Report{r.Selection, r.Kept} {
		if report == nil {
			continue
		}
		for _, k := range sorted(report.At) {
			for _, row := range report.At[k] {
				if row.Accuracy != nil && (i == 0 || row.Selector != reference) {
					out = append(out, choice{r, k, row})
				}
			}
		}
	}
	return out
}

// keptNote says of rows of whom no command but one with a model's endpoint makes them.
const keptNote = "; decisions that a model made are those kept in selections.jsonl, and nobody was asked again"

const (
	reference = "majority" // that selectors are held against
	oracle    = "oracle"   // that knows the gold answers
)

// selectors shows how ways to choose an answer compare.
func selectors(s *section) {
	var all []choice
	var runs []*Run
	for _, r := range s.runs {
		if mine := choices(r); len(mine) > 0 {
			all, runs = append(all, mine...), append(runs, r)
		}
	}
	if len(all) == 0 {
		return
	}
	s.say("Each selector chooses among the same subsets of k rollouts of a question; a figure is the mean over subsets first and questions second.",
		"An empty pool counts as wrong. Oracle is right whenever a right answer is among the k. Right answers chosen are coverage times how often the choice is right where one is covered (A_K = C_K · Pr(selected right | covered)).")
	for _, r := range s.drawn(runs) {
		s.accuracies(r)
	}
	from := chosenSource(runs, Bootstrap)
	t := figures.Table{ID: "chosen", Title: "Right answers chosen among k rollouts", Source: from,
		Columns: []string{"run", "selector", "k", "right", "less majority, paired", "coverage", "right where covered", "F1", "subsets", "without answer"}}
	for _, c := range all {
		t.Rows = append(t.Rows, []figures.Cell{words(c.run.Name), words(c.Selector), count(c.k), stat(c.Accuracy), stat(c.VsMajority),
			float(c.Coverage), number(c.SelectedGivenCovered), stat(c.F1), count(c.Subsets), count(c.Empty)})
	}
	s.add(t)
	s.costs(all, from)
}

func chosenSource(runs []*Run, interval string) figures.Source {
	from := source(runs, interval, func(c Commands) string { return c.Select })
	from.Note = remark(from.Note, "exact match; subsets: "+subsets(runs))
	for _, r := range runs {
		if r.Kept == nil {
			continue
		}
		if r.Commands.Kept != "" && len(runs) <= mostSeries {
			from.Command += "\n" + r.Commands.Kept
		}
		if !strings.Contains(from.Note, keptNote) {
			from.Note += keptNote
		}
	}
	return from
}

// subsets says how many subsets of a question figures are of.
func subsets(runs []*Run) string {
	for _, r := range runs {
		if r.Selection != nil && r.Selection.Subsets != "all" {
			return "at most " + r.Selection.Subsets + " of a question"
		}
	}
	return "all"
}

// accuracies draws how right the selectors of a run are, by k.
func (s *section) accuracies(r *Run) {
	at := map[string][]figures.Point{}
	var names []string
	for _, c := range choices(r) {
		if at[c.Selector] == nil {
			names = append(names, c.Selector)
		}
		at[c.Selector] = append(at[c.Selector], figures.Point{X: float64(c.k), Y: c.Accuracy.Mean, N: c.Accuracy.N})
	}
	p := s.plot(r, "plot-selectors", "right answers chosen among k rollouts", chosenSource([]*Run{r}, "no interval here: the table has them"))
	p.X, p.Y = figures.Axis{Label: "k, rollouts", Log2: true}, figures.Axis{Label: "share right", Unit: true}
	for _, name := range names {
		p.Series = append(p.Series, figures.Series{Name: name, Dashed: name == oracle, Points: at[name]})
	}
	s.keep(&p, "selectors", reference, oracle)
	s.draw(p)
}

// costs shows what choosing among all rollouts takes once they are done.
func (s *section) costs(all []choice, from figures.Source) {
	t := figures.Table{ID: "selector-cost", Title: "What choosing among all rollouts takes once they are done", Source: from,
		Columns: []string{"run", "selector", "decisions", "model calls", "prompt tokens", "of those new", "completion tokens", "seconds"}}
	t.Source.Interval = "no interval: sums"
	priced := slices.ContainsFunc(all, func(c choice) bool { return c.Cost.USD != nil })
	if priced {
		t.Columns = append(t.Columns, "USD")
	}
	t.Source.Note += "; seconds are measured, or as a model's decision was kept with"
	for _, c := range all {
		if c.Selector == oracle || c.k != c.run.rollouts() {
			continue
		}
		x := c.Cost
		row := []figures.Cell{words(c.run.Name), words(c.Selector), count(c.Subsets), count(x.ModelCalls), tokens(x.PromptTokens, x.Estimated), tokens(x.FreshPromptTokens, x.Estimated),
			tokens(x.CompletionTokens, x.Estimated), seconds(x.Seconds)}
		if priced {
			row = append(row, number(x.USD))
		}
		t.Rows = append(t.Rows, row)
	}
	s.add(t)
}

func (r *Run) rollouts() int {
	if r.Score == nil {
		return 0
	}
	return r.Score.Rollouts
}

func seconds(v float64) figures.Cell {
	return figures.Cell{Text: strconv.FormatFloat(v, 'f', 4, 64), Value: &v}
}
