package plot

import "math"

// Kind says whose a bar is.
type Kind int

// The proxy that is measured, what can hardly be cheaper, and what else people use.
const (
	Ours Kind = iota
	Floor
	Peer
)

var kindColours = []string{ours, floor, peer}

// Bar is one value.
type Bar struct {
	Label string
	Value float64
	Kind  Kind
}

// Bars shows values one below the other.
type Bars struct {
	Title string
	Unit  string  // what the values are
	Log   bool    // a logarithmic axis, for values that differ by more than ten times
	Goal  float64 // where a line is drawn; 0 is none
	Bars  []Bar
}

// SVG draws the bars. Values below 0 are not known, and not drawn.
func (b *Bars) SVG() []byte {
	const top, bottom = 44, 46
	height := top + lineHeight*len(b.Bars) + bottom
	left := 0.0
	values := []float64{}
	for _, bar := range b.Bars {
		left = max(left, float64(len([]rune(bar.Label)))*charWidth)
		values = append(values, bar.Value)
	}
	if b.Goal > 0 {
		values = append(values, b.Goal)
	}
	left = min(left+28, width*0.6)
	s := fit(values, b.Log, left, width-70)
	var c canvas
	c.begin(b.Title, height)
	axis := float64(height - bottom)
	for _, v := range s.ticks() {
		c.line(s.at(v), top-4, s.at(v), axis, faint, "")
		c.text(s.at(v), axis+16, "middle", ink, number(v))
	}
	c.text((left+width-70)/2, axis+36, "middle", ink, b.Unit)
	for i, bar := range b.Bars {
		y := float64(top + lineHeight*i)
		c.text(left-8, y+14, "end", ink, bar.Label)
		if bar.Value < 0 || math.IsNaN(bar.Value) {
			c.text(left+4, y+14, "start", ink, "not known")
			continue
		}
		w := max(1, s.at(bar.Value)-left)
		c.rect(left, y+2, w, lineHeight-4, kindColours[bar.Kind], bar.Label+": "+number(bar.Value))
		c.text(left+w+5, y+14, "start", ink, number(bar.Value))
	}
	if b.Goal > 0 {
		c.line(s.at(b.Goal), top-8, s.at(b.Goal), axis, goal, "4 3")
		c.text(s.at(b.Goal), top-10, "middle", goal, "goal")
	}
	return c.end()
}
