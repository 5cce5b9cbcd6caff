package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"trawl/eval"
	"trawl/internal/figures"
)

// absent stands where there is no figure.
const absent = "–"

func words(s string) figures.Cell { return figures.Cell{Text: s} }

func stat(s *eval.Stat) figures.Cell {
	if s == nil {
		return words(absent)
	}
	mean, ci := s.Mean, s.CI95
	return figures.Cell{Value: &mean, Interval: &ci, N: s.N}
}

// unsaid is a cell whose row says what it is over.
func unsaid(c figures.Cell) figures.Cell {
	c.N = 0
	return c
}

func number(v *float64) figures.Cell {
	if v == nil {
		return words(absent)
	}
	return float(*v)
}

func float(v float64) figures.Cell { return figures.Cell{Value: &v} }

func count(n int) figures.Cell {
	v := float64(n)
	return figures.Cell{Text: strconv.Itoa(n), Value: &v}
}

// amount is a mean of what comes in large numbers, such as tokens.
func amount(v float64) figures.Cell {
	return figures.Cell{Text: strconv.FormatFloat(v, 'f', 1, 64), Value: &v}
}

// cut is the value of a figure at a key, which may have none.
func cut(m map[int]float64, k int) figures.Cell {
	v, ok := m[k]
	if !ok {
		return words(absent)
	}
	return float(v)
}

// over says what the figures of runs are over.
func over(runs []*Run) string {
	said := make([]string, len(runs))
	for i, r := range runs {
		if r.Score != nil {
			said[i] = overOne(r.Score)
		}
	}
	if len(slices.Compact(slices.Clone(said))) == 1 {
		if len(said) > 1 {
			return "each of " + strconv.Itoa(len(said)) + " runs: " + said[0]
		}
		return said[0]
	}
	if len(runs) > mostSeries {
		return fmt.Sprintf("%d runs, of whose rollouts the first table counts how many are there", len(runs))
	}
	for i, r := range runs {
		said[i] = r.Name + ": " + said[i]
	}
	return strings.Join(said, "; ")
}

// overOne says what there is of a run, and what is in no figure.
func overOne(x *eval.Report) string {
	said := fmt.Sprintf("%d questions × %d rollouts, %d complete", x.Questions, x.Rollouts, x.Complete)
	for _, more := range []struct {
		n    int
		what string
	}{{x.Failed, "failed"}, {x.Missing, "missing"}, {x.Unscored, "unscored, without gold answers"}} {
		if more.n > 0 {
			said += fmt.Sprintf(", %d %s", more.n, more.what)
		}
	}
	return said
}

// remark adds to a note.
func remark(note, more string) string {
	if note == "" {
		return more
	}
	return note + "; " + more
}

// keys returns the keys of what the runs have, rising.
func keys[K int | string, V any](runs []*Run, of func(*Run) map[K]V) []K {
	all := map[K]bool{}
	for _, r := range runs {
		for k := range of(r) {
			all[k] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// table makes a table with a row for each run, whose cells row returns.
func (s *section) table(id, title string, columns []string, runs []*Run, from figures.Source, row func(*Run) []figures.Cell) {
	t := figures.Table{ID: id, Title: title, Columns: append([]string{"run"}, columns...), Source: from}
	for _, r := range runs {
		t.Rows = append(t.Rows, append([]figures.Cell{words(r.Name)}, row(r)...))
	}
	s.add(t)
}

// add adds a table that has rows.
func (s *section) add(t figures.Table) {
	if len(t.Rows) > 0 {
		s.Tables = append(s.Tables, t)
	}
}

// curve returns the points of figures by k.
func curve(at map[int]*eval.Stat) []figures.Point {
	var out []figures.Point
	for _, k := range slices.Sorted(maps.Keys(at)) {
		if at[k] != nil {
			out = append(out, point(float64(k), at[k]))
		}
	}
	return out
}

func point(x float64, s *eval.Stat) figures.Point {
	ci := s.CI95
	return figures.Point{X: x, Y: s.Mean, Interval: &ci, N: s.N}
}

// plot begins a plot of one run, which says whose it is where there are several.
func (s *section) plot(r *Run, id, title string, from figures.Source) figures.Plot {
	if len(s.runs) > 1 {
		id, title = fmt.Sprintf("%s-%d", id, 1+slices.Index(s.runs, r)), r.Name+": "+title
	}
	return figures.Plot{ID: id, Title: title, Source: from}
}

func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
