package figures

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Measures of a legend, in points.
const (
	sampleWidth vg.Length = 20
	sampleGap   vg.Length = 5
	entryGap    vg.Length = 16
	rowHeight   vg.Length = 16
	legendGap   vg.Length = 8 // above
)

// A legend stands below the axes: its entries flow from left to right, in rows.
type legend struct{ rows [][]legendEntry }

type legendEntry struct {
	series shownSeries
	name   string
	x      vg.Length
}

func legendStyle() text.Style {
	sty := words(tickSize, ink)
	sty.YAlign = text.YCenter
	return sty
}

func newLegend(shown []shownSeries, width vg.Length) legend {
	var l legend
	x := width // the first entry begins a row
	for _, s := range shown {
		if s.Name == "" {
			continue
		}
		name := fit(legendStyle(), s.Name, width-sampleWidth-sampleGap)
		size := sampleWidth + sampleGap + widthOf(legendStyle(), name)
		if x+size > width {
			l.rows = append(l.rows, nil)
			x = 0
		}
		last := len(l.rows) - 1
		l.rows[last] = append(l.rows[last], legendEntry{s, name, x})
		x += size + entryGap
	}
	return l
}

func (l legend) height() vg.Length {
	if len(l.rows) == 0 {
		return 0
	}
	return legendGap + rowHeight*vg.Length(len(l.rows))
}

// draw draws the legend at the lower edge of c.
func (l legend) draw(c draw.Canvas) {
	sty := legendStyle()
	for i, row := range l.rows {
		y := c.Min.Y + rowHeight*(vg.Length(len(l.rows)-i)-0.5)
		for _, e := range row {
			drawSample(c, e.series, vg.Point{X: c.Min.X + e.x, Y: y})
			// The middle of a line of text is below that of its small letters.
			c.FillText(sty, vg.Point{X: c.Min.X + e.x + sampleWidth + sampleGap, Y: y + 1.5}, e.name)
		}
	}
}

// drawSample draws what a series looks like, to the right of at.
func drawSample(c draw.Canvas, s shownSeries, at vg.Point) {
	hue := hueOf(s.index)
	switch s.Shape {
	case Bars:
		drawBar(c, barStyle(s), vg.Rectangle{
			Min: vg.Point{X: at.X + 4, Y: at.Y - 4.5}, Max: vg.Point{X: at.X + sampleWidth - 3, Y: at.Y + 4.5},
		})
		return
	case Line:
		c.StrokeLine2(stroke(hue, lineWidth, s.Dashed), at.X, at.Y, at.X+sampleWidth, at.Y)
	}
	c.DrawGlyphNoClip(glyphOf(s), vg.Point{X: at.X + sampleWidth/2, Y: at.Y})
}
