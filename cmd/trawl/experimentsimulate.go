package main

import (
	"context"
	"fmt"
	"strings"

	"trawl/eval"
	"trawl/internal/figures"
)

// simulation works out coverage and voting where answers are drawn from classes; nil
// if the experiment has none.
func (t *trial) simulation(context.Context) (*figures.Section, error) {
	sim := t.experiment.Simulate
	if sim == nil {
		return nil, nil
	}
	from := figures.Source{
		N: "no questions: a formula of independent draws", Interval: "none: exact", Command: t.command(),
		Note: "coverage is 1 − (1 − p)^k, voting the chance that the right answer has most of k votes, ties split evenly",
	}
	table := figures.Table{ID: "simulated-votes", Title: "Coverage and voting by the number of rollouts", Source: from,
		Columns: []string{"chances, the right answer first", "k", "coverage", "voting", "coverage less voting", "right where covered"}}
	plot := figures.Plot{ID: "plot-simulated-votes", Title: "Coverage (dashed) and voting by the number of rollouts", Source: from,
		X: figures.Axis{Label: "k, rollouts", Log2: true}, Y: figures.Axis{Label: "chance", Unit: true}}
	for _, class := range sim.Classes {
		name := className(class)
		covered, voted := figures.Series{Name: name + ": coverage", Dashed: true}, figures.Series{Name: name + ": voting"}
		for _, k := range sim.At {
			c, v := eval.Coverage(class[0], k), eval.Voting(class, 0, k)
			covered.Points = append(covered.Points, figures.Point{X: float64(k), Y: c})
			voted.Points = append(voted.Points, figures.Point{X: float64(k), Y: v})
			gap, share := c-v, dash
			if c > 0 {
				right := v / c
				share = figures.Cell{Value: &right}
			}
			table.Rows = append(table.Rows, []figures.Cell{{Text: name}, whole(k), {Value: &c}, {Value: &v}, {Value: &gap}, share})
		}
		plot.Series = append(plot.Series, covered, voted)
	}
	return &figures.Section{
		ID: "simulation", Title: "Simulated: coverage and voting",
		Text: []string{"Each question is taken to have the same few answers, drawn with the chances that stand in the table; the first is right. " +
			"Nothing was run for these figures and no model has a part in them."},
		Plots: []figures.Plot{plot}, Tables: []figures.Table{table},
	}, nil
}

// className names a class by its chances.
func className(class []float64) string {
	parts := make([]string, len(class))
	for i, p := range class {
		parts[i] = fmt.Sprintf("%g", p)
	}
	return strings.Join(parts, " / ")
}
