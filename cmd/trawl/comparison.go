package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"trawl/eval"
	"trawl/eval/compare"
)

// writeComparison prints a comparison for people: selectors as rows, k as
// columns, every figure with its interval, and what is not in it.
func writeComparison(w io.Writer, name string, r *compare.Report) error {
	fmt.Fprintf(w, "%s: %d questions × %d rollouts, %d complete, %d failed, %d missing, %d unscored%s\n",
		name, r.Questions, r.Rollouts, r.Complete, r.Failed, r.Missing, r.Unscored, simulatedNote(r.Simulated))
	if !scoredAtAll(r) {
		return nil
	}
	ks := slices.Sorted(maps.Keys(r.At))
	c := comparison{r: r, ks: ks, w: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	fmt.Fprintf(w, "mean and 95 %% interval over %d questions; %s\n", r.At[ks[0]][0].Accuracy.N, c.subsets())
	c.block("exact match", func(row compare.Row) string { return statCell(row.Accuracy, "%.3f") })
	c.line("right is among them", func(row compare.Row) string { return fmt.Sprintf("%.3f", row.Coverage) })
	c.line("without any answer", func(row compare.Row) string { return fmt.Sprintf("%d of %d", row.Empty, row.Subsets) })
	if c.noted() {
		c.block("with a note (selections.jsonl has them)", func(row compare.Row) string { return fmt.Sprintf("%d of %d", row.Noted, row.Subsets) })
	}
	c.block("less majority, paired", func(row compare.Row) string { return statCell(row.VsMajority, "%+.3f") })
	c.block("right, where a right one is among them", func(row compare.Row) string {
		if row.SelectedGivenCovered == nil {
			return "–"
		}
		return fmt.Sprintf("%.3f", *row.SelectedGivenCovered)
	})
	c.block("seconds to decide", func(row compare.Row) string { return fmt.Sprintf("%.2f", row.Cost.Seconds) })
	return c.w.Flush()
}

// A comparison is a table under way.
type comparison struct {
	r  *compare.Report
	ks []int
	w  *tabwriter.Writer
}

// subsets says which subsets the figures are of.
func (c *comparison) subsets() string {
	var sampled []string
	for _, k := range c.ks {
		if c.r.At[k][0].Sampled {
			sampled = append(sampled, fmt.Sprint(k))
		}
	}
	if len(sampled) == 0 {
		return "of all subsets of k rollouts"
	}
	return fmt.Sprintf("of all subsets of k rollouts, for k=%s of %s sampled ones a question (--subsets)", strings.Join(sampled, ","), c.r.Subsets)
}

// noted reports whether a selector has said something of a decision.
func (c *comparison) noted() bool {
	for _, rows := range c.r.At {
		if slices.ContainsFunc(rows, func(row compare.Row) bool { return row.Noted > 0 }) {
			return true
		}
	}
	return false
}

// block prints one row for each selector.
func (c *comparison) block(title string, cell func(compare.Row) string) {
	fmt.Fprintf(c.w, "\n%s", title)
	for _, k := range c.ks {
		fmt.Fprintf(c.w, "\tk=%d", k)
	}
	fmt.Fprintln(c.w)
	for i, row := range c.r.At[c.ks[0]] {
		fmt.Fprint(c.w, "  ", row.Selector)
		for _, k := range c.ks {
			fmt.Fprint(c.w, "\t", cell(c.r.At[k][i]))
		}
		fmt.Fprintln(c.w)
	}
}

// line prints a row that is the same for all selectors that choose.
func (c *comparison) line(label string, cell func(compare.Row) string) {
	fmt.Fprint(c.w, "  ", label)
	for _, k := range c.ks {
		fmt.Fprint(c.w, "\t", cell(c.r.At[k][0]))
	}
	fmt.Fprintln(c.w)
}

func statCell(s *eval.Stat, format string) string {
	if s == nil {
		return "–"
	}
	return fmt.Sprintf(format+" ("+format+" to "+format+")", s.Mean, s.CI95[0], s.CI95[1])
}
