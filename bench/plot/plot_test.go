package plot

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// elements reads an SVG, which must be well formed, and counts its elements by name.
func elements(t *testing.T, svg []byte) map[string]int {
	t.Helper()
	if strings.Contains(string(svg), "NaN") || strings.Contains(string(svg), "Inf") {
		t.Errorf("a coordinate is no number: %s", svg)
	}
	n := map[string]int{}
	for d := xml.NewDecoder(strings.NewReader(string(svg))); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		if e, ok := token.(xml.StartElement); ok {
			n[e.Name.Local]++
		}
	}
}

func TestBars(t *testing.T) {
	f := func(b Bars, rects int) {
		t.Helper()
		if n := elements(t, b.SVG())["rect"]; n != rects+1 { // and the background
			t.Errorf("%s: %d rectangles, want %d", b.Title, n, rects+1)
		}
	}
	f(Bars{Title: "none"}, 0)
	f(Bars{Title: "<&> two", Goal: 1.5, Bars: []Bar{{"a & b", 1, Ours}, {"c", 2, Peer}}}, 2)
	f(Bars{Title: "logarithmic", Log: true, Bars: []Bar{{"a", 0.3, Ours}, {"b", 300, Floor}, {"zero", 0, Peer}}}, 3)
	f(Bars{Title: "unknown", Bars: []Bar{{"a", -1, Ours}, {"b", math.NaN(), Ours}, {"c", 3, Ours}}}, 1)
}

func TestLines(t *testing.T) {
	f := func(l Lines, points int) {
		t.Helper()
		if n := elements(t, l.SVG()); n["circle"] != points || n["polyline"] != len(l.Series) {
			t.Errorf("%s: %v, want %d points", l.Title, n, points)
		}
	}
	f(Lines{Title: "none"}, 0)
	f(Lines{Title: "both logarithmic", LogX: true, LogY: true, Series: []Series{{"a", []float64{1, 10, 100}, []float64{0.1, 0, 10}}}}, 2)
	f(Lines{Title: "names", Names: []string{"p50", "p99"}, Series: []Series{{"a", []float64{0, 1}, []float64{1, 2}}, {"b", []float64{0, 1}, []float64{2, math.NaN()}}}}, 3)
}

func TestScale(t *testing.T) {
	f := func(values []float64, log bool, low, high float64, ticks ...float64) {
		t.Helper()
		s := fit(values, log, 100, 200)
		if s.low != low || math.Abs(s.high-high) > 1e-9 || s.at(low) != 100 || math.Abs(s.at(high)-200) > 1e-9 {
			t.Errorf("%v: from %v to %v, want %v to %v", values, s.low, s.high, low, high)
		}
		if got := s.ticks(); !slices.EqualFunc(got, ticks, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("%v: ticks %v, want %v", values, got, ticks)
		}
	}
	f([]float64{1, 2, 9}, false, 0, 10, 0, 2, 4, 6, 8, 10)
	f([]float64{0.3}, false, 0, 0.3, 0, 0.1, 0.2, 0.3)
	f([]float64{0.3, 40}, true, 0.1, 100, 0.1, 1, 10, 100)
	f([]float64{10}, true, 10, 100, 10, 100)
	f(nil, false, 0, 1, 0, 0.2, 0.4, 0.6, 0.8, 1)
	f([]float64{-1}, true, 0.1, 1, 0.1, 1)
}

func TestNumber(t *testing.T) {
	f := func(v float64, want string) {
		t.Helper()
		if got := number(v); got != want {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
	f(0, "0")
	f(0.1234, "0.123")
	f(12, "12")
	f(1500, "1.5 k")
	f(2_000_000, "2 M")
	f(3.2e9, "3.2 G")
}
