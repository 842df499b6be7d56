package main

import (
	"fmt"
	"slices"

	"github.com/sabir-proxy/sabir/bench/plot"
)

// plots draws what was measured, by name of the file.
func (r *report) plots() map[string][]byte {
	all := map[string][]byte{}
	bars := func(name, mode, title, unit string, goal float64, log bool, of func(*sample) float64) {
		b := &plot.Bars{Title: title, Unit: unit, Goal: goal, Log: log}
		const most = 30
		many := len(r.of(mode)) > most
		for _, c := range r.of(mode) {
			if f := c.figure(of); c.Target != direct && f.median > 0 && c.streams() > 0 && (!many || c.isUsual()) {
				b.Bars = append(b.Bars, plot.Bar{Label: c.Target + ", " + c.stream(), Value: f.median, Kind: kindOf(c)})
			}
		}
		if len(b.Bars) > 0 {
			all[name] = b.SVG()
		}
	}
	bars("perf-flowing", flowing, "Flowing streams: CPU seconds per million events", "CPU s per million events", 1.5, false, perEvent)
	bars("perf-segmented", segmented, "One segment per event: CPU seconds per million events", "CPU s per million events", 4, false, perEvent)
	bars("perf-peers", peersFlow, "Translating a flowing stream: CPU seconds per million events", "CPU s per million events (logarithmic)", 0, true, perEvent)
	bars("perf-peers-slow", peersSlow, "Memory of an open stream", "KB per stream (logarithmic)", 0, true, memory)
	bars("perf-slow", slow, "Memory of an open stream", "KB per stream", 20, false, memory)
	r.latencies(all, "perf-latency", paced, "Paced streams: delay of an event")
	r.latencies(all, "perf-peers-latency", peersPaced, "Paced streams beside other programs: delay of an event")
	r.growth(all, "perf-length", length, "The longer the stream", "events of a stream")
	r.growth(all, "perf-arguments", arguments, "The longer the arguments", "fragments of 48 bytes")
	r.growth(all, "perf-count", count, "The more streams at once", "streams at once")
	return all
}

func kindOf(c *cell) plot.Kind {
	switch {
	case c.key() == sabir:
		return plot.Ours
	case isPeer(c.Target) && c.Target != nginx:
		return plot.Peer
	}
	return plot.Floor
}

// latencies draws how late events came, by quantile.
func (r *report) latencies(all map[string][]byte, name, mode, title string) {
	quantiles := []func(*sample) float64{p50, func(s *sample) float64 { return s.P90 }, p99, p999, longest}
	l := &plot.Lines{Title: title, Y: "ms", LogY: true, Names: []string{"p50", "p90", "p99", "p99.9", "longest"}}
	for _, c := range r.of(mode) {
		if c.streams() == 0 {
			continue
		}
		s := plot.Series{Name: c.Target + ", " + c.stream()}
		for i, q := range quantiles {
			s.X, s.Y = append(s.X, float64(i)), append(s.Y, c.figure(q).median)
		}
		l.Series = append(l.Series, s)
	}
	if len(l.Series) > 0 {
		all[name] = l.SVG()
	}
}

// growth draws the cost of an event while something grows.
func (r *report) growth(all map[string][]byte, name, mode, title, axis string) {
	l := &plot.Lines{Title: title + ": CPU seconds per million events", X: axis, Y: "CPU s per million events", LogX: true}
	for _, group := range append(r.byStream(mode, sabir), r.byStream(mode, splice)...) {
		s := plot.Series{Name: fmt.Sprintf("%s, %s", group[0].Target, group[0].stream())}
		for _, c := range group {
			x := float64(c.Events)
			if mode == count {
				x = float64(c.Streams)
			}
			s.X, s.Y = append(s.X, x), append(s.Y, c.figure(perEvent).median)
		}
		l.Series = append(l.Series, s)
	}
	if len(l.Series) > 0 {
		all[name] = l.SVG()
	}
}

// isUsual reports whether the pair is one of those that stand for all.
func (c *cell) isUsual() bool {
	return slices.Contains(usual, [2]string{c.From, c.To}) || c.Target == raw || c.Target == nginx
}
