package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"trawl/eval"
	"trawl/internal/experiment"
	"trawl/internal/figures"
)

// A drawnVotes is what comes of k independent draws from a class of answers.
type drawnVotes struct {
	Chances  experiment.Class `json:"chances"` // the right answer first
	K        int              `json:"k"`
	Coverage float64          `json:"coverage"`
	Voting   float64          `json:"voting"`
}

// draw works out coverage and voting where answers are drawn from classes.
func (t *trial) draw(ctx context.Context) error {
	for _, class := range t.experiment.Simulate.Classes {
		for _, k := range t.experiment.Simulate.At {
			if err := ctx.Err(); err != nil {
				return err
			}
			t.drawn = append(t.drawn, drawnVotes{class, k, eval.Coverage(class[0], k), eval.Voting(class, 0, k)})
		}
	}
	return nil
}

// simulation shows what is drawn from classes; nil if the experiment has none.
func (t *trial) simulation(ctx context.Context) (*figures.Section, error) {
	if t.experiment.Simulate == nil {
		return nil, nil
	}
	if err := t.draw(ctx); err != nil {
		return nil, err
	}
	from := figures.Source{
		N: "no questions: a formula of independent draws", Interval: "none: exact", Command: t.command(),
		Note: "coverage is 1 − (1 − p)^k, voting the chance that the right answer has most of k votes, ties split evenly",
	}
	table := figures.Table{ID: "simulated-votes", Title: "Simulated: coverage and voting by the number of rollouts", Source: from,
		Columns: []string{"chances, the right answer first", "k", "coverage", "voting", "coverage less voting", "right where covered"}}
	plot := figures.Plot{ID: "plot-simulated-votes", Title: "Simulated: coverage (dashed) and voting by the number of rollouts", Source: from,
		X: figures.Axis{Label: "k, rollouts", Log2: true}, Y: figures.Axis{Label: "chance", Unit: true}}
	for i, d := range t.drawn {
		if name := className(d.Chances); i%len(t.experiment.Simulate.At) == 0 {
			plot.Series = append(plot.Series, figures.Series{Name: name + ": coverage", Dashed: true}, figures.Series{Name: name + ": voting"})
		}
		two := plot.Series[len(plot.Series)-2:]
		two[0].Points = append(two[0].Points, figures.Point{X: float64(d.K), Y: d.Coverage})
		two[1].Points = append(two[1].Points, figures.Point{X: float64(d.K), Y: d.Voting})
		table.Rows = append(table.Rows, d.row())
	}
	return &figures.Section{
		ID: "simulation", Title: "Simulated: coverage and voting",
		Text: []string{"Each question is taken to have the same few answers, drawn with the chances that stand in the table; the first is right. " +
			"Nothing was run for these figures and no model has a part in them."},
		Plots: []figures.Plot{plot}, Tables: []figures.Table{table},
	}, nil
}

// row is that of the table.
func (d drawnVotes) row() []figures.Cell {
	gap, share := d.Coverage-d.Voting, dash
	if d.Coverage > 0 {
		right := d.Voting / d.Coverage
		share = figures.Cell{Value: &right}
	}
	return []figures.Cell{{Text: className(d.Chances)}, whole(d.K), {Value: &d.Coverage}, {Value: &d.Voting}, {Value: &gap}, share}
}

// writeSimulation prints what was drawn, a row for each class.
func (t *trial) writeSimulation(w io.Writer) error {
	if len(t.drawn) == 0 {
		return nil
	}
	fmt.Fprintln(w, "[simulated by a formula: nothing was run for these figures, and no model has a part in them]")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, "chances, the right answer first\tof k rollouts")
	for _, k := range t.experiment.Simulate.At {
		fmt.Fprintf(tw, "\tk=%d", k)
	}
	for i, class := range t.experiment.Simulate.Classes {
		n := len(t.experiment.Simulate.At)
		of := t.drawn[i*n : (i+1)*n]
		fmt.Fprintf(tw, "\n%s\tcoverage", className(class))
		for _, d := range of {
			fmt.Fprintf(tw, "\t%.3f", d.Coverage)
		}
		fmt.Fprint(tw, "\n\tvoting")
		for _, d := range of {
			fmt.Fprintf(tw, "\t%.3f", d.Voting)
		}
	}
	fmt.Fprint(tw, "\n\n")
	return tw.Flush()
}

// className names a class by its chances.
func className(class experiment.Class) string {
	parts := make([]string, len(class))
	for i, p := range class {
		parts[i] = fmt.Sprintf("%g", p)
	}
	return strings.Join(parts, " / ")
}
