package report

import (
	"slices"

	"trawl/eval"
	"trawl/internal/figures"
)

// made tells how much of what was run is there.
func made(s *section) {
	s.table("counts", "What is there", []string{"questions", "rollouts each", "complete", "failed", "missing", "unscored", "round"},
		scored(s.runs, func(*eval.Report) bool { return true }), source(s.runs, "", byScore), func(r *Run) []figures.Cell {
			x := r.Score
			return []figures.Cell{count(x.Questions), count(x.Rollouts), count(x.Complete), count(x.Failed), count(x.Missing), count(x.Unscored), count(x.Round)}
		})
}

// settings lists what was run, a fact a row and a run a column.
func settings(s *section) {
	t := figures.Table{ID: "facts", Title: "Settings, data, models", Columns: []string{""}, Source: source(s.runs, "", func(Commands) string { return "" })}
	t.Source.N, t.Source.Note = "", "from manifest.json of each run"
	var names []string
	for _, r := range s.runs {
		t.Columns = append(t.Columns, r.Name)
		for _, f := range r.Facts {
			if !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	for _, name := range names {
		row := []figures.Cell{words(name)}
		for _, r := range s.runs {
			value := absent
			if i := slices.IndexFunc(r.Facts, func(f Fact) bool { return f.Name == name }); i >= 0 {
				value = r.Facts[i].Value
			}
			row = append(row, words(value))
		}
		t.Rows = append(t.Rows, row)
	}
	s.add(t)
}
