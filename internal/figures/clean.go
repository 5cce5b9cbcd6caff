package figures

import "strings"

// clean returns p with texts that any of the files can hold: names come from
// files of others, and neither HTML nor XML has a way to write every character.
func clean(p Page) Page {
	sections := make([]Section, len(p.Sections))
	for i, s := range p.Sections {
		sections[i] = Section{ID: s.ID, Title: cleanText(s.Title), Text: cleanTexts(s.Text)}
		for _, plot := range s.Plots {
			sections[i].Plots = append(sections[i].Plots, cleanPlot(plot))
		}
		for _, t := range s.Tables {
			sections[i].Tables = append(sections[i].Tables, cleanTable(t))
		}
	}
	below := make([]Below, len(p.Below))
	for i, b := range p.Below {
		below[i] = Below{b.Folder, clean(b.Page)}
	}
	return Page{Title: cleanText(p.Title), Notes: cleanTexts(p.Notes), Sections: sections, Below: below}
}

func cleanPlot(p Plot) Plot {
	p.Title, p.X, p.Y, p.Source = cleanText(p.Title), cleanAxis(p.X), cleanAxis(p.Y), cleanSource(p.Source)
	p.Mark = oneLine(p.Mark)
	series := make([]Series, len(p.Series))
	for i, s := range p.Series {
		s.Name = oneLine(s.Name)
		series[i] = s
	}
	p.Series = series
	return p
}

func cleanAxis(a Axis) Axis {
	a.Label = oneLine(a.Label)
	names := make([]string, len(a.Names))
	for i, name := range a.Names {
		names[i] = oneLine(name)
	}
	a.Names = names
	return a
}

func cleanTable(t Table) Table {
	rows := make([][]Cell, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = make([]Cell, len(row))
		for j, cell := range row {
			cell.Text = cleanText(cell.Text)
			rows[i][j] = cell
		}
	}
	t.Title, t.Columns, t.Rows, t.Source = cleanText(t.Title), cleanTexts(t.Columns), rows, cleanSource(t.Source)
	t.Mark = oneLine(t.Mark)
	return t
}

func cleanSource(s Source) Source {
	return Source{
		N: cleanText(s.N), Interval: cleanText(s.Interval), Settings: cleanTexts(s.Settings),
		Command: cleanText(s.Command), Note: cleanText(s.Note),
	}
}

func cleanTexts(texts []string) []string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = cleanText(s)
	}
	return out
}

// cleanText replaces bytes that are no UTF-8, control characters and what XML
// excludes by U+FFFD.
func cleanText(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n':
			return r
		case r < ' ', r >= 0x7f && r < 0xa0, r == 0xfffe, r == 0xffff:
			return '\uFFFD'
		}
		return r
	}, strings.ReplaceAll(s, "\r\n", "\n"))
}

// oneLine is [cleanText] for what stands in a picture.
func oneLine(s string) string { return strings.Join(strings.Fields(cleanText(s)), " ") }
