package figures

import (
	"fmt"
	"strings"
)

// check returns what of p cannot be rendered: an id that is no id or stands
// twice, a row that is not as long as its header, a shape that does not exist.
func check(p Page) error {
	seen := map[string]string{}
	for _, s := range p.Sections {
		if err := checkID(seen, "section", s.ID); err != nil {
			return err
		}
		for _, plot := range s.Plots {
			if err := checkID(seen, "plot", plot.ID); err != nil {
				return err
			}
			if err := checkPlot(plot); err != nil {
				return err
			}
		}
		for _, t := range s.Tables {
			if err := checkID(seen, "table", t.ID); err != nil {
				return err
			}
			if err := checkTable(t); err != nil {
				return err
			}
		}
	}
	return checkBelow(p)
}

// checkBelow checks the pages below p, and that tables lead to those that there are.
func checkBelow(p Page) error {
	seen, folders := map[string]string{}, map[string]bool{"": true}
	for _, below := range p.Below {
		if err := checkID(seen, "folder", below.Folder); err != nil {
			return err
		}
		if len(below.Page.Below) > 0 {
			return fmt.Errorf("the page in folder %q has pages below it", below.Folder)
		}
		if err := check(below.Page); err != nil {
			return fmt.Errorf("folder %q: %w", below.Folder, err)
		}
		folders[below.Folder] = true
	}
	for _, s := range p.Sections {
		for _, t := range s.Tables {
			if !folders[t.All] {
				return fmt.Errorf("table %q leads to folder %q, which the page does not have", t.ID, t.All)
			}
		}
	}
	return nil
}

// checkID adds id to those seen. Two that differ in case only are one file on
// some systems, so they count as equal.
func checkID(seen map[string]string, kind, id string) error {
	if id == "" || strings.Trim(id, "-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
		return fmt.Errorf("%s id %q is not of letters, digits and '-'", kind, id)
	}
	low := strings.ToLower(id)
	if before, ok := seen[low]; ok {
		return fmt.Errorf("%s id %q stands twice in the page: there is a %s of that id", kind, id, before)
	}
	seen[low] = kind
	return nil
}

func checkPlot(p Plot) error {
	for _, s := range p.Series {
		switch s.Shape {
		case "", Line, Bars, Points:
		default:
			return fmt.Errorf("plot %q: series %q: shape %q is none of %s, %s and %s", p.ID, s.Name, s.Shape, Line, Bars, Points)
		}
	}
	return nil
}

func checkTable(t Table) error {
	if len(t.Columns) == 0 {
		return fmt.Errorf("table %q has no columns", t.ID)
	}
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("table %q: row %d has %d cells for %d columns", t.ID, i+1, len(row), len(t.Columns))
		}
	}
	return nil
}
