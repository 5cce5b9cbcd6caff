package figures

import (
	"cmp"
	"math"
	"slices"
)

// largest is the largest number that a plot shows: the range between two of them
// is still a number.
const largest = 1e300

// A shownSeries is a series with the points that can be shown.
type shownSeries struct {
	Series
	index int // among all of the plot: its colour and its glyph
	bar   int // among those of bars
}

// shownOf returns the series of p without the points that are not finite or not
// positive on a logarithmic axis, and the number of series of bars.
func shownOf(p Plot) (shown []shownSeries, bars int) {
	for i, s := range p.Series {
		s.Shape = cmp.Or(s.Shape, Line)
		points := s.Points
		s.Points = nil
		for _, point := range points {
			if !plottable(point.X, p.X) || !plottable(point.Y, p.Y) {
				continue
			}
			point.Interval = shownInterval(point.Interval)
			s.Points = append(s.Points, point)
		}
		shown = append(shown, shownSeries{s, i, bars})
		if s.Shape == Bars {
			bars++
		}
	}
	return shown, bars
}

func plottable(v float64, a Axis) bool {
	return !math.IsNaN(v) && math.Abs(v) <= largest && (!a.Log2 || len(a.Names) > 0 || v >= 1/largest)
}

func shownInterval(interval *[2]float64) *[2]float64 {
	if interval == nil || !plottable(interval[0], Axis{}) || !plottable(interval[1], Axis{}) {
		return nil
	}
	return &[2]float64{min(interval[0], interval[1]), max(interval[0], interval[1])}
}

// scales returns the scales of both axes.
func scales(p Plot, shown []shownSeries) (x, y scale) {
	var ex, ey extent
	var barXs []float64
	for _, s := range shown {
		for _, point := range s.Points {
			ex.values = append(ex.values, point.X)
			ey.values = append(ey.values, point.Y)
			if point.Interval != nil {
				ey.values = append(ey.values, point.Interval[:]...)
			}
			if s.Shape == Bars {
				barXs = append(barXs, point.X)
			}
		}
	}
	ey.snap = true
	if barXs != nil {
		ey.values = append(ey.values, 0) // bars stand on it
		ex.room = barRoom(p.X, barXs)
	}
	ey.values = slices.DeleteFunc(ey.values, func(v float64) bool { return !plottable(v, p.Y) })
	return newScale(p.X, ex), newScale(p.Y, ey)
}

// barRoom returns half of the smallest distance between places with bars, in the
// measure of the axis.
func barRoom(a Axis, xs []float64) float64 {
	if a.Log2 {
		return 0.5
	}
	xs = slices.Compact(slices.Sorted(slices.Values(xs)))
	room := math.Inf(1)
	for i := 1; i < len(xs); i++ {
		room = min(room, (xs[i]-xs[i-1])/2)
	}
	if math.IsInf(room, 0) {
		return 0
	}
	return room
}
