package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"trawl/eval"
	"trawl/eval/compare"
	"trawl/internal/figures"
)

// plainSelectors returns the experiment's selectors that a report compares by itself:
// those that take neither a checkpoint nor a model.
func (t *trial) plainSelectors() []string {
	return slices.DeleteFunc(slices.Clone(t.experiment.Select.Selectors), t.needsMore)
}

// needsMore reports whether a selector takes a checkpoint or a model.
func (t *trial) needsMore(name string) bool {
	asked := t.arms != nil && t.arms[0].settings.Selection.Confidence == "asked" && (name == "weighted" || name == "best-of-n")
	return asked || !slices.Contains(plainSelectors, name) && name != oracleName
}

// choosing compares the selectors that take a checkpoint or a model, with majority,
// on the run of each arm; nil if there are none. Their decisions are kept, so that
// the same command asks for none twice.
func (t *trial) choosing(ctx context.Context) (*figures.Section, error) {
	if t.experiment.Select == nil || len(t.arms) == 0 {
		return nil, nil
	}
	s := &figures.Section{ID: "choosing", Title: "Choosing with a network or a model"}
	names := t.chosen(s)
	if len(names) == 0 {
		return textOnly(s), nil
	}
	table := figures.Table{ID: "choosing-on-subsets", Title: "Selectors on the same subsets of k rollouts", Columns: []string{
		"arm", "selector", "k", "exact match", "less majority, paired", "coverage", "right where covered", "decisions", "without any answer",
		"model calls", "prompt tokens", "of those new", "completion tokens", "seconds", "USD for 1,000",
	}}
	var over []string
	for _, a := range t.arms {
		if !a.several() {
			continue
		}
		o, err := t.selectOptions(a, names)
		if err != nil {
			return nil, err
		}
		r, err := t.comparedOn(ctx, a, o)
		if err != nil {
			return nil, fmt.Errorf("arm %s: %w", a.name, err)
		}
		over = append(over, fmt.Sprintf("%s: %d questions × %d rollouts, %d undecided", a.name, r.Questions, r.Rollouts, r.Undecided))
		if r.Undecided > 0 {
			t.errs = append(t.errs, fmt.Errorf("arm %s: %d of %d questions could not be decided and are in no figure of selectors; the same command tries them again", a.name, r.Undecided, r.Questions))
		}
		for _, k := range slices.Sorted(maps.Keys(r.At)) {
			for _, row := range r.At[k] {
				table.Rows = append(table.Rows, choiceRow(a.name, k, row))
			}
		}
		p := accuracyPlot(a.name, r)
		p.Source = t.source(over[len(over)-1])
		s.Plots = append(s.Plots, p)
	}
	table.Source = t.source(strings.Join(over, "; "))
	table.Source.Note = "calls, tokens, seconds and USD are means of a decision; USD by selection.price, where a prefix that was sent before costs nothing; seconds are of the decision, measured or kept with it"
	s.Tables = append(s.Tables, table)
	return s, nil
}

// chosen returns the selectors of the section: those that take more than rollouts,
// behind majority. One without its checkpoint is left out, and s says so.
func (t *trial) chosen(s *figures.Section) []string {
	names := []string{"majority"}
	for _, name := range t.experiment.Select.Selectors {
		switch {
		case !t.needsMore(name):
		case name == "gnn" && t.arms[0].settings.Selection.Model == "":
			said := "gnn is left out: --selector-model names a checkpoint, which trawl train makes of a run over other questions."
			s.Text = append(s.Text, said)
			t.step("%s", said)
		default:
			names = append(names, name)
		}
	}
	if len(names) == 1 {
		return nil
	}
	if slices.Contains(t.experiment.Select.Selectors, oracleName) {
		names = append(names, oracleName)
	}
	return slices.Compact(names)
}

// textOnly returns a section that says something, or nil.
func textOnly(s *figures.Section) *figures.Section {
	if len(s.Text) == 0 {
		return nil
	}
	return s
}

// selectOptions are those of trawl select for selectors on the run of an arm.
func (t *trial) selectOptions(a *arm, names []string) (o selectOptions, err error) {
	o = selectOptions{selectors: names, at: t.experiment.Select.At.Of(a.settings.Rollout.Count), subsets: defaultSubsets}
	if v := t.experiment.Select.Subsets; v != "" {
		o.subsets, err = parseSubsets(string(v))
	}
	return o, err
}

// compareOn compares selectors on the run of an arm.
func (t *trial) compareOn(ctx context.Context, a *arm, o selectOptions) (*compare.Report, error) {
	t.step("choosing among the rollouts of %s: %s", a.name, strings.Join(o.selectors, ", "))
	runs, err := openSelected(t.env, []string{a.dir}, "")
	if err != nil {
		return nil, err
	}
	x := newSelectors(t.env, a.settings)
	r, err := runs.compare(ctx, t.env, o, x)
	if err = errors.Join(err, runs.close(), x.close()); err != nil {
		return nil, runs.interrupted(err)
	}
	return r, nil
}

// choiceRow is a selector at k.
func choiceRow(arm string, k int, row compare.Row) []figures.Cell {
	n := float64(max(row.Subsets, 1))
	mean := func(v float64) figures.Cell {
		v /= n
		return figures.Cell{Text: strconv.FormatFloat(v, 'f', 1, 64), Value: &v}
	}
	seconds, usd := row.Cost.Seconds/n, dash
	if row.Cost.USD != nil {
		v := *row.Cost.USD / n * 1000
		usd = figures.Cell{Value: &v}
	}
	covered := dash
	if row.SelectedGivenCovered != nil {
		covered = figures.Cell{Value: row.SelectedGivenCovered}
	}
	c := row.Cost
	return []figures.Cell{
		{Text: arm}, {Text: row.Selector}, whole(k), statOrDash(row.Accuracy), statOrDash(row.VsMajority), {Value: &row.Coverage}, covered,
		whole(row.Subsets), whole(row.Empty), mean(float64(c.ModelCalls)), mean(float64(c.PromptTokens)), mean(float64(c.FreshPromptTokens)),
		mean(float64(c.CompletionTokens)), {Text: strconv.FormatFloat(seconds, 'g', 2, 64), Value: &seconds}, usd,
	}
}

// accuracyPlot draws how right selectors are, by k.
func accuracyPlot(arm string, r *compare.Report) figures.Plot {
	p := figures.Plot{
		ID: "plot-choosing-" + strings.ReplaceAll(arm, ".", "-"), Title: arm + ": right answers chosen among k rollouts",
		X: figures.Axis{Label: "k, rollouts", Log2: true}, Y: figures.Axis{Label: "exact match", Unit: true},
	}
	ks := slices.Sorted(maps.Keys(r.At))
	for i, row := range r.At[ks[0]] {
		line := figures.Series{Name: row.Selector, Dashed: row.Selector == oracleName}
		for _, k := range ks {
			if s := r.At[k][i].Accuracy; s != nil {
				line.Points = append(line.Points, figures.Point{X: float64(k), Y: s.Mean, Interval: &s.CI95})
			}
		}
		p.Series = append(p.Series, line)
	}
	return p
}

// source says where figures over n come from.
func (t *trial) source(n string) figures.Source {
	return figures.Source{N: n, Interval: "95 % bootstrap over questions", Settings: t.hashes(), Command: t.command()}
}

// dash stands where there is no figure.
var dash = figures.Cell{Text: "–"}

func whole(n int) figures.Cell {
	v := float64(n)
	return figures.Cell{Text: strconv.Itoa(n), Value: &v}
}

func statOrDash(s *eval.Stat) figures.Cell {
	if s == nil {
		return dash
	}
	return figures.Cell{Value: &s.Mean, Interval: &s.CI95, N: s.N}
}
