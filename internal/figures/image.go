package figures

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// dpi is the resolution of PNG files: sharp in print at the width of a column.
const dpi = 216

// writePNG writes p as a PNG file.
func writePNG(w io.Writer, p Plot) error {
	pic := newPicture(p, true)
	c := vgimg.NewWith(vgimg.UseWH(pictureWidth, pic.height), vgimg.UseDPI(dpi))
	pic.draw(draw.New(c))
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
	return err
}

const fonts = "Liberation Sans,Arial,Helvetica,sans-serif"

// svgFile returns p as a file of its own.
func svgFile(p Plot) (string, error) {
	pic := newPicture(p, true)
	head := fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>`+"\n"+
		`<svg xmlns="http://www.w3.org/2000/svg" width="%gpt" height="%gpt" viewBox="0 0 %[1]g %[2]g" font-family="%s" role="img" aria-label="%s">`+"\n",
		pictureWidth.Points(), pic.height.Points(), fonts, html.EscapeString(oneLine(p.Title)))
	return pic.svg(head, hexOf)
}

// svgInline returns p as part of a page, whose style says how large it is and
// what its colours are.
func svgInline(p Plot) (string, error) {
	pic := newPicture(p, false)
	head := fmt.Sprintf(`<svg viewBox="0 0 %g %g" role="img" aria-label="%s">`+"\n",
		pictureWidth.Points(), pic.height.Points(), html.EscapeString(oneLine(p.Title)))
	return pic.svg(head, func(hex string) string {
		if name := tintNamed(hex); name != "" {
			return "var(--" + name + ")"
		}
		return hex
	})
}

func hexOf(hex string) string { return hex }

// styles finds the attributes that carry colours and fonts. No text holds one,
// since quotes in texts are escaped.
var styles = regexp.MustCompile(`\s*style="([^"]*)"`)

// svg draws the picture with another head, colours by colour, and the font named
// in one place.
func (pic picture) svg(head string, colour func(hex string) string) (string, error) {
	c := vgsvg.New(pictureWidth, pic.height)
	pic.draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return "", err
	}
	_, rest, ok := strings.Cut(b.String(), `xmlns:xlink="http://www.w3.org/1999/xlink">`+"\n")
	if !ok {
		return "", fmt.Errorf("the SVG of the plot begins in an unknown way: %.80q", b.String())
	}
	return head + styles.ReplaceAllStringFunc(rest, func(attr string) string {
		return styleOf(styles.FindStringSubmatch(attr)[1], colour)
	}), nil
}

// styleOf returns the style attribute without what is said in the head or is the
// default anyway.
func styleOf(style string, colour func(string) string) string {
	var kept []string
	for part := range strings.SplitSeq(style, ";") {
		key, value, _ := strings.Cut(part, ":")
		switch {
		case key == "font-family", key == "font-variant", key == "font-style" && value == "normal", key == "font-weight" && value == "normal":
			continue
		case strings.HasPrefix(value, "#"):
			value = colour(value)
		}
		kept = append(kept, key+":"+value)
	}
	if len(kept) == 0 {
		return ""
	}
	return ` style="` + strings.Join(kept, ";") + `"`
}

// tintNamed returns the name of the tint that hex is. Where a colour is not
// opaque, the writer of SVG is one off by rounding.
func tintNamed(hex string) string {
	v, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil {
		return ""
	}
	got := color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v)}
	for _, t := range append([]tint{paper, ink, muted, axis, rule}, hues...) {
		if near(got.R, t.R) && near(got.G, t.G) && near(got.B, t.B) {
			return t.name
		}
	}
	return ""
}

func near(a, b uint8) bool { return max(a, b)-min(a, b) <= 4 }
