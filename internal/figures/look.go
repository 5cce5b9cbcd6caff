package figures

import (
	"image/color"
	"math"
	"sort"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A tint is a colour of a picture and the name that the page's style knows it by.
type tint struct {
	color.NRGBA
	name string
}

func newTint(rgb uint32, name string) tint {
	return tint{color.NRGBA{R: uint8(rgb >> 16), G: uint8(rgb >> 8), B: uint8(rgb), A: 255}, name}
}

var (
	paper = newTint(0xFFFFFF, "paper")
	ink   = newTint(0x1F2430, "ink")
	muted = newTint(0x5B6472, "muted")
	axis  = newTint(0x98A1AE, "axis")
	rule  = newTint(0xE4E8ED, "rule")

	// hues are those of Okabe and Ito that can be seen on white, in an order in
	// which neighbours differ in lightness too, a grey, and the wine of Paul Tol.
	hues = []tint{
		newTint(0x0072B2, "blue"), newTint(0xD55E00, "red"), newTint(0x009E73, "green"), newTint(0xCC79A7, "pink"),
		newTint(0xE69F00, "amber"), newTint(0x56B4E9, "sky"), newTint(0x7A7F87, "grey"), newTint(0x882255, "wine"),
	}

	// glyphs go on by one where hues begin again, so that pairs repeat late.
	glyphs = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, diamond{}}
)

func (t tint) faint(alpha float64) color.Color {
	t.A = uint8(math.Round(255 * alpha))
	return t.NRGBA
}

func hueOf(index int) tint { return hues[index%len(hues)] }

// glyphOf returns how the points of a series are drawn: where there is no line
// through them, such that one shows through another.
func glyphOf(s shownSeries) draw.GlyphStyle {
	sty := draw.GlyphStyle{Color: hueOf(s.index), Radius: 3, Shape: glyphs[(s.index+s.index/len(hues))%len(glyphs)]}
	if s.Shape == Points {
		sty.Color = hueOf(s.index).faint(0.75)
	}
	return sty
}

// diamond is a filled square on its corner.
type diamond struct{}

var _ draw.GlyphDrawer = diamond{}

// DrawGlyph implements [draw.GlyphDrawer].
func (diamond) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	r := sty.Radius * 1.15
	var path vg.Path
	path.Move(vg.Point{X: at.X, Y: at.Y + r})
	path.Line(vg.Point{X: at.X + r, Y: at.Y})
	path.Line(vg.Point{X: at.X, Y: at.Y - r})
	path.Line(vg.Point{X: at.X - r, Y: at.Y})
	path.Close()
	c.Fill(path)
}

// words is a style of text. Liberation Sans has the widths of Arial and Helvetica,
// so what fits in one fits in the others.
func words(size vg.Length, c color.Color) text.Style {
	return text.Style{
		Color:   c,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		XAlign:  text.XLeft,
		YAlign:  text.YBottom,
		Handler: plot.DefaultTextHandler,
	}
}

func bold(sty text.Style) text.Style {
	sty.Font.Weight = 3 // bold, of golang.org/x/image/font
	return sty
}

// widthOf returns the width of s. Scripts that the font lacks are shown in fonts
// of the reader's, which are wider than the font's sign for what it lacks.
func widthOf(sty text.Style, s string) vg.Length {
	far := 0
	for _, r := range s {
		if r >= 0x900 && r < 0x2000 || r >= 0x2E80 {
			far++
		}
	}
	return sty.Width(s) + vg.Length(far)*sty.Font.Size/2
}

// fit cuts s to the width and marks the cut.
func fit(sty text.Style, s string, width vg.Length) string {
	const most = 500 // no line holds more
	runes := []rune(s)
	if len(runes) <= most && widthOf(sty, s) <= width {
		return s
	}
	runes = runes[:min(len(runes), most)]
	n := sort.Search(len(runes), func(n int) bool { return widthOf(sty, string(runes[:n+1])+"…") > width })
	return strings.TrimRight(string(runes[:n]), " ") + "…"
}

// wrap breaks s at spaces into lines of the width, as many as are allowed.
func wrap(sty text.Style, s string, width vg.Length, most int) []string {
	var lines []string
	rest := strings.Fields(s)
	for len(rest) > 0 && len(lines) < most {
		n := 1
		for n < len(rest) && widthOf(sty, strings.Join(rest[:n+1], " ")) <= width {
			n++
		}
		if len(lines) == most-1 {
			n = len(rest)
		}
		lines = append(lines, fit(sty, strings.Join(rest[:n], " "), width))
		rest = rest[n:]
	}
	return lines
}

// longest returns the width of the widest of the labels of ticks.
func longest(sty text.Style, ticks []plot.Tick) vg.Length {
	var width vg.Length
	for _, t := range ticks {
		if utf8.RuneCountInString(t.Label) > 0 {
			width = max(width, widthOf(sty, t.Label))
		}
	}
	return width
}
