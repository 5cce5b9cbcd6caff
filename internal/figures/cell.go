package figures

import (
	"math"
	"strconv"
	"strings"
)

// decimals is how many a number has that is shown without a text of its own.
const decimals = 3

// noNumber is shown for a value that is not finite.
const noNumber = "–"

// A cellView is a cell as the page shows it.
type cellView struct {
	Text, Low, High string
	Interval        bool
	N               string // "" where the header says it
	Sort            string // what the column is sorted by; "" for a text
}

// A headView is the header of a column.
type headView struct {
	Name    string
	N       string // of all its numbers; "" if they differ or none says it
	Numeric bool
}

func viewHeads(t Table) []headView {
	heads := make([]headView, len(t.Columns))
	for j, name := range t.Columns {
		heads[j].Name = name
		n, same := 0, true
		for _, row := range t.Rows {
			c := row[j]
			heads[j].Numeric = heads[j].Numeric || c.Value != nil
			if c.Value != nil || c.N != 0 {
				same = same && (n == 0 || c.N == n) && c.N != 0
				n = c.N
			}
		}
		if same && n != 0 {
			heads[j].N = strconv.Itoa(n)
		}
	}
	return heads
}

func viewCell(c Cell, head headView) cellView {
	v := cellView{Text: shownText(c)}
	if c.Value != nil && !math.IsNaN(*c.Value) {
		v.Sort = number(*c.Value)
	}
	if c.Interval != nil {
		places := decimals
		if c.Text != "" {
			places = placesOf(c.Text)
		}
		v.Interval, v.Low, v.High = true, fixed(c.Interval[0], places), fixed(c.Interval[1], places)
	}
	if c.N != 0 && head.N == "" {
		v.N = strconv.Itoa(c.N)
	}
	return v
}

func shownText(c Cell) string {
	if c.Text == "" && c.Value != nil {
		return fixed(*c.Value, decimals)
	}
	return c.Text
}

// placesOf returns the number of decimals of a text that is a number, so that an
// interval is as exact as what it belongs to.
func placesOf(s string) int {
	if _, err := strconv.ParseFloat(s, 64); err != nil || strings.ContainsAny(s, "eExXnN") {
		return decimals
	}
	_, after, _ := strings.Cut(s, ".")
	return len(after)
}

// fixed writes v with that many decimals, and zero without a sign.
func fixed(v float64, places int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return noNumber
	}
	if s := strconv.FormatFloat(v, 'f', places, 64); strings.Trim(s, "-0.") != "" {
		return s
	}
	return strconv.FormatFloat(0, 'f', places, 64)
}

// number writes v with all its digits.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
