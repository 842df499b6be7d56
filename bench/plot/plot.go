// Package plot draws the few kinds of plots that a report of measurements needs, as SVG: bars that lie, and lines over
// two axes. The drawings have a background of their own, and no script and no font that a page would have to load.
package plot

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// Sizes in pixels.
const (
	width      = 760
	lineHeight = 20
	textSize   = 13
	charWidth  = 7.2 // of the text, about
)

// Colours, chosen to differ in brightness, too.
const (
	ink   = "#24292f"
	faint = "#d0d7de"
	paper = "#ffffff"
	ours  = "#0969da"
	floor = "#8c959f"
	peer  = "#bc4c00"
	goal  = "#1a7f37"
)

var palette = []string{ours, peer, goal, floor, "#8250df", "#bf3989"}

// canvas collects the elements of a drawing.
type canvas struct{ b strings.Builder }

func (c *canvas) begin(title string, height int) {
	fmt.Fprintf(&c.b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="system-ui, sans-serif" font-size="%d" role="img" aria-label="%s">`+"\n",
		width, height, width, height, textSize, html.EscapeString(title))
	fmt.Fprintf(&c.b, `<rect width="%d" height="%d" rx="6" fill="%s"/>`+"\n", width, height, paper)
	fmt.Fprintf(&c.b, `<text x="16" y="28" font-size="16" font-weight="600" fill="%s">%s</text>`+"\n", ink, html.EscapeString(title))
}

func (c *canvas) end() []byte {
	c.b.WriteString("</svg>\n")
	return []byte(c.b.String())
}

// text writes at a point; anchor is start, middle or end.
func (c *canvas) text(x, y float64, anchor, colour, text string) {
	fmt.Fprintf(&c.b, `<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s">%s</text>`+"\n", x, y, anchor, colour, html.EscapeString(text))
}

func (c *canvas) line(x1, y1, x2, y2 float64, colour, dash string) {
	fmt.Fprintf(&c.b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-dasharray="%s"/>`+"\n", x1, y1, x2, y2, colour, dash)
}

func (c *canvas) rect(x, y, w, h float64, colour, hint string) {
	fmt.Fprintf(&c.b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="2" fill="%s"><title>%s</title></rect>`+"\n", x, y, w, h, colour, html.EscapeString(hint))
}

// scale maps values to pixels.
type scale struct {
	low, high float64 // values
	from, to  float64 // pixels
	log       bool
}

func (s scale) at(v float64) float64 {
	low, high := s.low, s.high
	if s.log {
		low, high, v = math.Log10(low), math.Log10(high), math.Log10(max(v, s.low))
	}
	if high == low {
		return s.from
	}
	return s.from + (v-low)/(high-low)*(s.to-s.from)
}

// fit makes a scale that begins at 0, or for logarithms at a power of ten, and ends at a round number.
func fit(values []float64, log bool, from, to float64) scale {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v > 0 || v == 0 && !log { // not what is no number
			low, high = min(low, v), max(high, v)
		}
	}
	if math.IsInf(low, 1) {
		low, high = 0, 1
		if log {
			low = 0.1
		}
	}
	if log {
		low, high = math.Pow(10, math.Floor(math.Log10(low))), math.Pow(10, math.Ceil(math.Log10(high)))
		if low == high {
			high *= 10
		}
		return scale{low, high, from, to, true}
	}
	step := roundStep(high)
	return scale{0, max(step, math.Ceil(high/step)*step), from, to, false}
}

// roundStep divides what reaches up to high in about five.
func roundStep(high float64) float64 {
	if high <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(high/5)))
	for _, m := range []float64{1, 2, 5} {
		if high/(m*power) <= 5 {
			return m * power
		}
	}
	return 10 * power
}

// ticks are the values that are written at an axis.
func (s scale) ticks() (all []float64) {
	if s.log {
		for v := s.low; v <= s.high*1.001; v *= 10 {
			all = append(all, v)
		}
		return all
	}
	step := roundStep(s.high)
	for i := 0; float64(i)*step <= s.high*1.001; i++ {
		all = append(all, float64(i)*step)
	}
	return all
}

// number writes a value as short as can be.
func number(v float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		if math.Abs(v) >= unit.size {
			return strconv.FormatFloat(v/unit.size, 'g', 3, 64) + unit.name
		}
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
