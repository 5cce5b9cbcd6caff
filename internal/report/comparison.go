package report

import (
	"fmt"
	"strings"

	"trawl/eval"
	"trawl/internal/figures"
)

// A Comparison is how runs compare to one of them, the baseline.
type Comparison struct {
	Baseline string
	Settings []Setting // that are not the same in all runs
	Pairs    []Pair    // the other runs
	Unpaired string    // why no run is compared with the baseline, in a sentence; "": they are
	Command  string    // that makes the same figures
}

// A Setting is what a manifest says of each run.
type Setting struct {
	Name   string
	Values []string // by run; "" where it is not set
	Fixed  bool     // it can change a result
}

// A Pair is a run and how it compares.
type Pair struct {
	Name       string
	Contrasted *eval.Contrasted
}

// figures says by how much figures differ.
func (c *Comparison) figures(s *section) {
	if c.Unpaired != "" {
		s.say(c.Unpaired)
	}
	if len(c.Pairs) == 0 {
		return
	}
	s.say("Differences are of each run less "+c.Baseline+", question by question, over the questions for which both have the figure;",
		"p is of the two-sided sign-flip test that the difference is 0, without regard to how many figures are tested.")
	c.common(s)
	for _, p := range c.Pairs {
		for _, w := range p.Contrasted.Warnings {
			s.say(p.Name + ": " + w)
		}
	}
	c.differences(s)
}

// common says how many questions runs have in common with the baseline, at once of
// those that have as many.
func (c *Comparison) common(s *section) {
	type counts struct{ both, onlyBase, onlyRun, differ int }
	var order []counts
	names := map[counts][]string{}
	for _, p := range c.Pairs {
		x := p.Contrasted
		n := counts{x.Common, x.OnlyA, x.OnlyB, x.Differ}
		if names[n] == nil {
			order = append(order, n)
		}
		names[n] = append(names[n], p.Name)
	}
	for _, n := range order {
		of, only := strings.Join(names[n], ", "), "only of "+names[n][0]
		if len(names[n]) > 1 {
			of, only = "each of "+of, "only of the other run"
		}
		said := fmt.Sprintf("%s and %s have %d questions in common; %d are only of %s, %d %s.", c.Baseline, of, n.both, n.onlyBase, c.Baseline, n.onlyRun, only)
		if n.differ > 0 {
			said += fmt.Sprintf(" Of the common ones %d have other words or gold answers.", n.differ)
		}
		s.say(said)
	}
}

// A namedDifference is one with the name that people know it by.
type namedDifference struct {
	name string
	eval.Difference
}

// differences returns those of one figure, then those of a figure with another one.
func (p Pair) differences() []namedDifference {
	var out []namedDifference
	for _, d := range p.Contrasted.Figures {
		out = append(out, namedDifference{d.Metric, d})
	}
	for _, d := range p.Contrasted.Crossed {
		if d.MetricB == "" {
			d.MetricB = d.Metric
		}
		out = append(out, namedDifference{d.MetricB + " less " + d.Metric, d})
	}
	return out
}

// settings lists the settings that are not the same.
func (c *Comparison) settings(s *section) {
	if len(c.Settings) == 0 {
		s.say("Nothing differs between the manifests: prompts, seeds, data, models and settings are the same.")
		return
	}
	t := figures.Table{ID: "differences", Title: "What differs between the manifests", Columns: []string{"", "can change a result"}}
	for _, r := range s.runs {
		t.Columns = append(t.Columns, r.Name)
	}
	fixed := 0
	for _, x := range c.Settings {
		says := "no"
		if x.Fixed {
			says = "yes"
			fixed++
		}
		row := []figures.Cell{words(x.Name), words(says)}
		for _, v := range x.Values {
			if v == "" {
				v = "not set"
			}
			row = append(row, words(v))
		}
		t.Rows = append(t.Rows, row)
	}
	if fixed == 0 {
		s.say("Nothing that can change a result differs between the manifests.")
	}
	t.Source = source(s.runs, "", func(Commands) string { return "" })
	t.Source.N, t.Source.Command, t.Source.Note = "", c.Command, remark(t.Source.Note, "from manifest.json of each run; only what is not the same")
	s.add(t)
}

// differences shows the paired differences of all pairs.
func (c *Comparison) differences(s *section) {
	t := figures.Table{ID: "paired", Title: "Paired differences to " + c.Baseline,
		Columns: []string{"run", "figure", "questions", c.Baseline, "the run", "difference", "p"}}
	p := figures.Plot{ID: "plot-paired", Title: t.Title, X: figures.Axis{}, Y: figures.Axis{Label: "difference"}}
	t.Source = figures.Source{N: "the questions that two runs have in common", Interval: "95 % paired bootstrap over questions", Command: c.Command}
	of := source(s.runs, "", byReport)
	t.Source.Settings, t.Source.Note = of.Settings, of.Note
	p.Source = t.Source
	p.Source.Note = remark(of.Note, "of shares right; searches and tokens stand in the table")
	places := map[string]int{}
	for _, pair := range c.Pairs {
		series := figures.Series{Name: pair.Name, Shape: figures.Bars}
		for _, d := range pair.differences() {
			t.Rows = append(t.Rows, []figures.Cell{words(pair.Name), words(d.name), count(d.Diff.N), mean(d.Metric, d.A), mean(d.Metric, d.B), stat(d.Diff), chance(d.P)})
			if isWork(d.Metric) {
				continue
			}
			at, ok := places[d.name]
			if !ok {
				at = len(p.X.Names)
				places[d.name] = at
				p.X.Names = append(p.X.Names, d.name)
			}
			series.Points = append(series.Points, point(float64(at), d.Diff))
		}
		p.Series = append(p.Series, series)
	}
	s.draw(p)
	s.add(t)
}

// isWork reports whether a figure is no share, but an amount of work.
func isWork(metric string) bool { return metric == "searches" || metric == "tokens" }

// chance is a p, of which so small a one says no more than that it is small.
func chance(p float64) figures.Cell {
	c := float(p)
	if p < 0.001 {
		c.Text = "< 0.001"
	}
	return c
}

func mean(metric string, v float64) figures.Cell {
	if isWork(metric) {
		return amount(v)
	}
	return float(v)
}
