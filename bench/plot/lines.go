package plot

import (
	"fmt"
	"math"
	"strings"
)

// Series is one line.
type Series struct {
	Name string
	X, Y []float64
}

// Lines shows series over two axes.
type Lines struct {
	Title      string
	X, Y       string // what the axes are
	LogX, LogY bool
	Names      []string // written at X = 0, 1, 2 … in place of numbers
	Series     []Series
}

// SVG draws the lines. Points with a value that is not above 0 are left out of a logarithmic axis.
func (l *Lines) SVG() []byte {
	const top, left, right, bottom, plotHeight = 58, 74, 24, 52, 260
	height := top + plotHeight + bottom + lineHeight*((len(l.Series)+1)/2)
	var xs, ys []float64
	for _, s := range l.Series {
		xs, ys = append(xs, s.X...), append(ys, s.Y...)
	}
	sx, sy := fit(xs, l.LogX, left, width-right), fit(ys, l.LogY, top+plotHeight, top)
	if len(l.Names) > 0 {
		sx = scale{-0.3, float64(len(l.Names)) - 0.7, left, width - right, false}
	}
	var c canvas
	c.begin(l.Title, height)
	l.axes(&c, sx, sy, top, top+plotHeight, left, width-right)
	for i, s := range l.Series {
		colour := palette[i%len(palette)]
		c.series(s, sx, sy, colour)
		x, y := float64(left+(i%2)*(width-left-right)/2), float64(top+plotHeight+bottom+lineHeight*(i/2))
		c.rect(x, y-10, 12, 12, colour, s.Name)
		c.text(x+18, y, "start", ink, s.Name)
	}
	return c.end()
}

func (l *Lines) axes(c *canvas, sx, sy scale, top, base, left, right float64) {
	for _, v := range sy.ticks() {
		c.line(left, sy.at(v), right, sy.at(v), faint, "")
		c.text(left-8, sy.at(v)+4, "end", ink, number(v))
	}
	if len(l.Names) > 0 {
		for i, name := range l.Names {
			c.text(sx.at(float64(i)), base+18, "middle", ink, name)
		}
	} else {
		for _, v := range sx.ticks() {
			c.line(sx.at(v), top, sx.at(v), base, faint, "")
			c.text(sx.at(v), base+18, "middle", ink, number(v))
		}
	}
	c.text((left+right)/2, base+36, "middle", ink, l.X)
	c.text(16, top-14, "start", ink, l.Y)
}

func (c *canvas) series(s Series, sx, sy scale, colour string) {
	var points []string
	for i := range min(len(s.X), len(s.Y)) {
		x, y := s.X[i], s.Y[i]
		if math.IsNaN(y) || y < 0 || sx.log && x <= 0 || sy.log && y <= 0 {
			continue
		}
		points = append(points, fmt.Sprintf("%.1f,%.1f", sx.at(x), sy.at(y)))
		fmt.Fprintf(&c.b, `<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"><title>%s</title></circle>`+"\n", sx.at(x), sy.at(y), colour, number(x)+": "+number(y))
	}
	fmt.Fprintf(&c.b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(points, " "), colour)
}
