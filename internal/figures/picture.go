package figures

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Measures of a picture, in points.
const (
	pictureWidth vg.Length = 400
	bodyHeight   vg.Length = 235 // without title, legend and slanted names
	margin       vg.Length = 10
	textSize     vg.Length = 10.5
	tickSize     vg.Length = 10
	titleSize    vg.Length = 12.5
	longestName  vg.Length = 110 // of a place on an axis that is slanted, or on the upright axis
	slant                  = math.Pi / 6
)

// A picture is a plot that is laid out.
type picture struct {
	title  []string
	mark   string     // below the title; "": none
	plot   *plot.Plot // nil: there is nothing to show
	legend legend
	height vg.Length
}

// newPicture lays p out. In the page the caption is the title.
func newPicture(p Plot, titled bool) picture {
	pic := picture{height: bodyHeight}
	if titled {
		pic.title = wrap(titleStyle(), p.Title, pictureWidth-2*margin, 3)
		pic.mark = fit(markStyle(), p.Mark, pictureWidth-2*margin)
		pic.height += pic.titleHeight()
	}
	shown, bars := shownOf(p)
	if empty(shown) {
		pic.height -= bodyHeight / 2
		return pic
	}
	pic.legend = newLegend(shown, pictureWidth-2*margin)
	pic.height += pic.legend.height()
	x, y := scales(p, shown)
	pic.plot = newPlot(p, x, y)
	if pic.plot.X.Tick.Label.Rotation != 0 {
		pic.height += vg.Length(math.Sin(slant)) * longest(pic.plot.X.Tick.Label, x.ticks) / 2
	}
	addSeries(pic.plot, shown, bars)
	return pic
}

func empty(shown []shownSeries) bool {
	for _, s := range shown {
		if len(s.Points) > 0 {
			return false
		}
	}
	return true
}

func titleStyle() text.Style { return bold(words(titleSize, ink)) }

func markStyle() text.Style { return words(textSize, muted) }

// titleHeight returns the height of the title and of the mark.
func (pic picture) titleHeight() vg.Length {
	height := vg.Length(len(pic.title)) * titleSize * 1.3
	if pic.mark != "" {
		height += textSize * 1.4
	}
	if height == 0 {
		return 0
	}
	return height + 6
}

// draw draws the picture on a canvas of pictureWidth and its height.
func (pic picture) draw(c draw.Canvas) {
	c.SetColor(paper)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	sty := titleStyle()
	sty.YAlign = text.YTop
	for i, line := range pic.title {
		c.FillText(sty, vg.Point{X: c.Min.X, Y: c.Max.Y - vg.Length(i)*titleSize*1.3}, line)
	}
	if pic.mark != "" {
		sty := markStyle()
		sty.YAlign = text.YTop
		c.FillText(sty, vg.Point{X: c.Min.X, Y: c.Max.Y - vg.Length(len(pic.title))*titleSize*1.3}, pic.mark)
	}
	c = draw.Crop(c, 0, 0, 0, -pic.titleHeight())
	if pic.plot == nil {
		sty := words(textSize, muted)
		sty.XAlign, sty.YAlign = text.XCenter, text.YCenter
		c.FillText(sty, c.Center(), "no data")
		return
	}
	pic.legend.draw(c)
	pic.plot.Draw(draw.Crop(c, 0, 0, pic.legend.height(), 0))
}

// newPlot returns the axes and the grid.
func newPlot(p Plot, x, y scale) *plot.Plot {
	out := plot.New()
	out.BackgroundColor = nil
	width := pictureWidth - 2*margin
	for i := range y.ticks {
		y.ticks[i].Label = fit(words(tickSize, muted), y.ticks[i].Label, longestName)
	}
	across := width - longest(words(tickSize, muted), y.ticks) - 30 // about: beside the upright axis
	slanted := setPlaces(x.ticks, across)
	setAxis(&out.X, p.X, x, across)
	setAxis(&out.Y, p.Y, y, bodyHeight-50)
	out.X.Tick.Label.YAlign, out.Y.Tick.Label.XAlign, out.Y.Tick.Label.YAlign = text.YTop, text.XRight, text.YCenter
	out.X.Tick.Label.XAlign = text.XCenter
	if slanted {
		out.X.Tick.Label.Rotation, out.X.Tick.Label.XAlign, out.X.Tick.Label.YAlign = slant, text.XRight, text.YTop
	}
	out.X.Padding, out.X.Tick.Length, out.Y.Tick.Length, out.Y.LineStyle.Width = 0, 4, 0, 0
	if len(p.X.Names) > 0 {
		out.X.Tick.LineStyle.Color = paper // a tick that leaves room between a bar and its name
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color = nil
	grid.Horizontal = draw.LineStyle{Color: rule, Width: 0.75}
	out.Add(grid)
	return out
}

// setPlaces makes the labels of ticks along the width fit: in one line or two, or
// else slanted and cut.
func setPlaces(ticks []plot.Tick, width vg.Length) (slanted bool) {
	sty := words(tickSize, muted)
	room := width/vg.Length(max(1, len(ticks))) - 6
	labels := make([]string, len(ticks))
	for i, t := range ticks {
		lines := wrap(sty, t.Label, room, 2)
		labels[i] = strings.Join(lines, "\n")
		slanted = slanted || strings.Join(lines, " ") != t.Label
	}
	for i := range ticks {
		if slanted {
			labels[i] = fit(sty, ticks[i].Label, longestName)
		}
		ticks[i].Label = labels[i]
	}
	return slanted
}

func setAxis(a *plot.Axis, of Axis, s scale, length vg.Length) {
	a.Min, a.Max = s.min, s.max
	a.Tick.Marker = plot.ConstantTicks(s.ticks)
	a.Tick.Label = words(tickSize, muted)
	a.Tick.LineStyle = draw.LineStyle{Color: axis, Width: 0.75}
	a.LineStyle = draw.LineStyle{Color: axis, Width: 0.75}
	a.Padding = 5
	a.Label.TextStyle = words(textSize, ink)
	a.Label.TextStyle.XAlign = text.XCenter
	a.Label.Text = fit(a.Label.TextStyle, of.Label, length)
	a.Label.Padding = 5
	if of.Log2 && len(of.Names) == 0 {
		a.Scale = log2Norm{}
	}
}

// stroke is a line of a colour.
func stroke(c color.Color, width vg.Length, dashed bool) draw.LineStyle {
	sty := draw.LineStyle{Color: c, Width: width}
	if dashed {
		sty.Dashes = []vg.Length{5, 3.5}
	}
	return sty
}
