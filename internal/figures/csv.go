package figures

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
)

// A csvColumn is a column of a table and what it needs of further ones.
type csvColumn struct{ interval, n bool }

// markColumn heads the marks of a table.
const markColumn = "note"

// writeCSV writes t with a header. A column in which any cell has an interval is
// followed by its ends, one in which any says n by that. The mark of t, if it has
// one, is in a last column.
func writeCSV(w io.Writer, t Table) error {
	out := csv.NewWriter(w)
	columns := make([]csvColumn, len(t.Columns))
	for _, row := range t.Rows {
		for j, c := range row {
			columns[j].interval = columns[j].interval || c.Interval != nil
			columns[j].n = columns[j].n || c.N != 0
		}
	}
	header := csvHeader(t.Columns, columns)
	if t.Mark != "" {
		header = append(header, markColumn)
	}
	if err := out.Write(header); err != nil {
		return err
	}
	for _, row := range t.Rows {
		var record []string
		for j, c := range row {
			record = append(record, csvCell(c, columns[j])...)
		}
		if t.Mark != "" {
			record = append(record, inert(t.Mark))
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func csvHeader(names []string, columns []csvColumn) []string {
	var header []string
	for j, name := range names {
		header = append(header, inert(name))
		if columns[j].interval {
			header = append(header, inert(name+" low"), inert(name+" high"))
		}
		if columns[j].n {
			header = append(header, inert(name+" n"))
		}
	}
	return header
}

func csvCell(c Cell, column csvColumn) []string {
	fields := []string{inert(c.Text)}
	if c.Value != nil {
		fields[0] = number(*c.Value)
	}
	if column.interval {
		low, high := "", ""
		if c.Interval != nil {
			low, high = number(c.Interval[0]), number(c.Interval[1])
		}
		fields = append(fields, low, high)
	}
	if column.n {
		n := ""
		if c.N != 0 {
			n = strconv.Itoa(c.N)
		}
		fields = append(fields, n)
	}
	return fields
}

// inert returns s such that no spreadsheet takes it for a formula: with an
// apostrophe before what would begin one and is no number.
func inert(s string) string {
	if s == "" || !strings.ContainsRune("=+-@\t\n", rune(s[0])) {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}
