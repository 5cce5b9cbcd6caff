package figures

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	lineWidth vg.Length = 1.75
	widestBar vg.Length = 44
	bandAlpha           = 0.16
	fewBands            = 4 // so many lie over each other and can be told apart; more are the fainter
)

// addSeries adds what shows the series to p, bands below bars below lines.
func addSeries(p *plot.Plot, shown []shownSeries, bars int) {
	places := barPlaces(shown)
	alpha := bandAlpha * min(1, fewBands/float64(max(1, len(shown)-bars)))
	for _, s := range shown {
		if s.Shape == Line {
			p.Add(band{s, alpha})
		}
	}
	if bars > 0 && p.Y.Min < 0 && p.Y.Max > 0 {
		p.Add(ground{})
	}
	for _, s := range shown {
		if s.Shape == Bars {
			p.Add(barSet{s, places, bars})
		}
	}
	for _, s := range shown {
		if s.Shape != Bars {
			p.Add(marks{s})
		}
	}
}

// barPlaces returns where there are bars, in order.
func barPlaces(shown []shownSeries) []float64 {
	var places []float64
	for _, s := range shown {
		if s.Shape != Bars {
			continue
		}
		for _, point := range s.Points {
			places = append(places, point.X)
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// band shades between the ends of the intervals of neighbours.
type band struct {
	shownSeries
	alpha float64
}

var _ plot.Plotter = band{}

// Plot implements [plot.Plotter].
func (b band) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, run := range intervalRuns(b.Points) {
		if len(run) < 2 {
			continue // marks draws a whisker
		}
		var outline []vg.Point
		for _, point := range run {
			outline = append(outline, vg.Point{X: x(point.X), Y: y(point.Interval[1])})
		}
		for _, point := range slices.Backward(run) {
			outline = append(outline, vg.Point{X: x(point.X), Y: y(point.Interval[0])})
		}
		c.FillPolygon(hueOf(b.index).faint(b.alpha), outline)
	}
}

// intervalRuns returns the longest runs of points that have intervals.
func intervalRuns(points []Point) [][]Point {
	var runs [][]Point
	begin := 0
	for i := 0; i <= len(points); i++ {
		if i < len(points) && points[i].Interval != nil {
			continue
		}
		if begin < i {
			runs = append(runs, points[begin:i])
		}
		begin = i + 1
	}
	return runs
}

// marks draws the points, a line through them, and whiskers where no band is.
type marks struct{ shownSeries }

var _ plot.Plotter = marks{}

// Plot implements [plot.Plotter].
func (m marks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var at []vg.Point
	for _, point := range m.Points {
		at = append(at, vg.Point{X: x(point.X), Y: y(point.Y)})
	}
	hue := hueOf(m.index)
	for _, run := range intervalRuns(m.Points) {
		if m.Shape == Line && len(run) > 1 {
			continue
		}
		for _, point := range run {
			whisker(c, hue, x(point.X), y(point.Interval[0]), y(point.Interval[1]))
		}
	}
	if m.Shape == Line && len(at) > 1 {
		c.StrokeLines(stroke(hue, lineWidth, m.Dashed), at)
	}
	for _, pt := range at {
		c.DrawGlyphNoClip(glyphOf(m.shownSeries), pt)
	}
}

func whisker(c draw.Canvas, colour color.Color, x, low, high vg.Length) {
	const half = 3
	sty := stroke(colour, 1, false)
	c.StrokeLine2(sty, x, low, x, high)
	c.StrokeLine2(sty, x-half, low, x+half, low)
	c.StrokeLine2(sty, x-half, high, x+half, high)
}

// barSet draws the bars of one series beside those of the others.
type barSet struct {
	shownSeries
	places []float64
	of     int
}

var _ plot.Plotter = barSet{}

// Plot implements [plot.Plotter].
func (b barSet) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	width := b.width(c, p)
	floor := y(min(max(0, p.Y.Min), p.Y.Max))
	for _, point := range b.Points {
		left := x(point.X) + width*(vg.Length(b.bar)-vg.Length(b.of)/2)
		gap := min(1, width/8)
		drawBar(c, barStyle(b.shownSeries), vg.Rectangle{
			Min: vg.Point{X: left + gap, Y: floor},
			Max: vg.Point{X: left + width - gap, Y: y(point.Y)},
		})
		if point.Interval != nil {
			whisker(c, ink, left+width/2, y(point.Interval[0]), y(point.Interval[1]))
		}
	}
}

// ground draws the line on which bars stand that go up and down.
type ground struct{}

var _ plot.Plotter = ground{}

// Plot implements [plot.Plotter].
func (ground) Plot(c draw.Canvas, p *plot.Plot) {
	y := c.Y(p.Y.Norm(0))
	c.StrokeLine2(stroke(axis, 0.75, false), c.Min.X, y, c.Max.X, y)
}

// width returns the width of one bar: four fifths of the smallest distance
// between two places are for the bars of one place.
func (b barSet) width(c draw.Canvas, p *plot.Plot) vg.Length {
	room := p.X.Norm(p.X.Max) // of all
	for i := 1; i < len(b.places); i++ {
		room = math.Min(room, p.X.Norm(b.places[i])-p.X.Norm(b.places[i-1]))
	}
	return min(widestBar, 0.8*vg.Length(room)*c.Size().X/vg.Length(b.of))
}

// barLook is how a bar is filled and outlined.
type barLook struct {
	fill color.Color
	line draw.LineStyle
}

func barStyle(s shownSeries) barLook {
	hue := hueOf(s.index)
	if s.Dashed {
		return barLook{hue.faint(0.25), stroke(hue, 1, true)}
	}
	return barLook{hue, stroke(hue, 1, false)}
}

// drawBar draws a bar, of which a line is left where its value is zero.
func drawBar(c draw.Canvas, look barLook, r vg.Rectangle) {
	corners := []vg.Point{r.Min, {X: r.Min.X, Y: r.Max.Y}, r.Max, {X: r.Max.X, Y: r.Min.Y}}
	c.FillPolygon(look.fill, corners)
	c.StrokeLines(look.line, append(corners, r.Min))
}
