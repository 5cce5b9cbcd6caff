package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"trawl/eval"
	"trawl/eval/compare"
)

// writeComparison prints a comparison for people: selectors as rows, k as
// columns, every figure with its interval, and what is not in it.
func writeComparison(w io.Writer, name string, r *compare.Report) error {
	fmt.Fprintf(w, "%s: %d questions × %d rollouts, %d complete, %d failed, %d missing, %d unscored%s\n",
		name, r.Questions, r.Rollouts, r.Complete, r.Failed, r.Missing, r.Unscored, simulatedNote(r.Simulated))
	for _, f := range r.Failures {
		fmt.Fprintf(w, "not decided: question %s, selector %s: %s\n", f.QuestionID, f.Selector, f.Error)
	}
	if more := r.Undecided - len(r.Failures); more > 0 {
		fmt.Fprintf(w, "not decided: %d further questions\n", more)
	}
	if !scoredAtAll(r) {
		return nil
	}
	ks := slices.Sorted(maps.Keys(r.At))
	c := comparison{r: r, ks: ks, w: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	fmt.Fprintf(w, "mean and 95 %% interval over %d questions; %s\n", r.At[ks[0]][0].Accuracy.N, c.subsets())
	c.block("exact match", func(row compare.Row) string { return statCell(row.Accuracy, "%.3f") })
	c.common("right is among them", func(row compare.Row) string { return fmt.Sprintf("%.3f", row.Coverage) })
	c.common("without any answer", func(row compare.Row) string { return fmt.Sprintf("%d of %d", row.Empty, row.Subsets) })
	c.blockOf(func(row compare.Row) bool { return row.Noted > 0 }, "with a note (selections.jsonl has them)", func(row compare.Row) string {
		return fmt.Sprintf("%d of %d", row.Noted, row.Subsets)
	})
	c.block("less majority, paired", func(row compare.Row) string { return statCell(row.VsMajority, "%+.3f") })
	c.block("right, where a right one is among them", func(row compare.Row) string {
		if row.SelectedGivenCovered == nil {
			return "–"
		}
		return fmt.Sprintf("%.3f", *row.SelectedGivenCovered)
	})
	c.block("seconds for all decisions", func(row compare.Row) string { return fmt.Sprintf("%.2f", row.Cost.Seconds) })
	c.blockOf(func(row compare.Row) bool { return row.Cost.ModelCalls > 0 }, "a decision by a model", func(row compare.Row) string {
		n := float64(max(row.Subsets, 1))
		return fmt.Sprintf("%.1f calls, %.0f + %.0f tokens (%.0f of the prompt new), %s", float64(row.Cost.ModelCalls)/n,
			float64(row.Cost.PromptTokens)/n, float64(row.Cost.CompletionTokens)/n,
			float64(row.Cost.FreshPromptTokens)/n, time.Duration(row.Cost.Seconds/n*1e9).Round(time.Millisecond))
	})
	c.blockOf(func(row compare.Row) bool { return row.Cost.USD != nil && row.Cost.ModelCalls > 0 }, "USD for a thousand of them", func(row compare.Row) string {
		return fmt.Sprintf("%.2f", *row.Cost.USD/float64(max(row.Subsets, 1))*1000)
	})
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
	var sampled, capped []string
	for _, k := range c.ks {
		if slices.ContainsFunc(c.r.At[k], func(row compare.Row) bool { return row.Sampled && row.Subsets == c.most(k) }) {
			sampled = append(sampled, fmt.Sprint(k))
		}
	}
	fewest := 0
	for i, row := range c.r.At[c.ks[0]] {
		for _, k := range c.ks {
			if at := c.r.At[k][i]; at.Subsets < c.most(k) && at.Accuracy.N > 0 {
				capped, fewest = append(capped, row.Selector), max(fewest, at.Subsets/at.Accuracy.N)
			}
		}
	}
	capped = slices.Compact(capped)
	said := "of all subsets of k rollouts"
	if len(sampled) > 0 {
		said += fmt.Sprintf(", for k=%s of %s sampled ones a question (--subsets)", strings.Join(sampled, ","), c.r.Subsets)
	}
	if len(capped) > 0 {
		said += fmt.Sprintf("; %s of at most %d (selection.subsets)", strings.Join(capped, ", "), fewest)
	}
	return said
}

// most returns the largest number of subsets that a selector decided on.
func (c *comparison) most(k int) int {
	most := 0
	for _, row := range c.r.At[k] {
		most = max(most, row.Subsets)
	}
	return most
}

// blockOf prints one row for each selector of which there is something to say at
// any k, and nothing if there is none.
func (c *comparison) blockOf(says func(compare.Row) bool, title string, cell func(compare.Row) string) {
	told := false
	for i, row := range c.r.At[c.ks[0]] {
		if !slices.ContainsFunc(c.ks, func(k int) bool { return says(c.r.At[k][i]) }) {
			continue
		}
		if !told {
			c.head(title)
			told = true
		}
		c.row(i, row.Selector, cell)
	}
}

// common prints what is the same for all selectors that choose among the same
// subsets: one row, or one for each where some have subsets of their own.
func (c *comparison) common(label string, cell func(compare.Row) string) {
	same := func(k int) bool {
		rows := c.r.At[k]
		return !slices.ContainsFunc(rows, func(row compare.Row) bool { return cell(row) != cell(rows[0]) })
	}
	if slices.ContainsFunc(c.ks, func(k int) bool { return !same(k) }) {
		c.block(label, cell)
		return
	}
	c.row(0, label, cell)
}

// block prints one row for each selector.
func (c *comparison) block(title string, cell func(compare.Row) string) {
	c.head(title)
	for i, row := range c.r.At[c.ks[0]] {
		c.row(i, row.Selector, cell)
	}
}

func (c *comparison) head(title string) {
	fmt.Fprintf(c.w, "\n%s", title)
	for _, k := range c.ks {
		fmt.Fprintf(c.w, "\tk=%d", k)
	}
	fmt.Fprintln(c.w)
}

// row prints the cells of the i-th selector.
func (c *comparison) row(i int, label string, cell func(compare.Row) string) {
	fmt.Fprint(c.w, "  ", label)
	for _, k := range c.ks {
		fmt.Fprint(c.w, "\t", cell(c.r.At[k][i]))
	}
	fmt.Fprintln(c.w)
}

func statCell(s *eval.Stat, format string) string {
	if s == nil {
		return "–"
	}
	return fmt.Sprintf(format+" ("+format+" to "+format+")", s.Mean, s.CI95[0], s.CI95[1])
}
