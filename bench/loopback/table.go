package main

import (
	"fmt"
	"io"
	"strings"
)

// Marks that the proxy must not miss. Those of the codec are in the benchmarks of package bench.
const (
	markFlowing = 3.0  // CPU seconds per million events
	markSlow    = 40.0 // KB per open stream
)

// writeMarkdown writes a table for each mode, ratios first.
func (r *report) writeMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d processors, %s, %s\n\n    %s\n", r.Machine, r.Processors, r.Go, r.Date.Format("2006-01-02 15:04 MST"), r.Command)
	r.flowTable(&b, flowing, "Flowing: as fast as they come, in pieces of 4 KiB")
	r.flowTable(&b, segmented, "Flowing, one TCP segment per event")
	r.pacedTable(&b)
	r.slowTable(&b)
	fmt.Fprintf(&b, "\nFigures are medians over the rounds (least–most). Bad streams: %d.\n", r.Bad)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *report) flowTable(b *strings.Builder, mode, title string) {
	any := false
	for _, c := range r.Cells {
		if c.Mode != mode {
			continue
		}
		if !any {
			any = true
			fmt.Fprintf(b, "\n### %s (%d streams of %d events)\n\n", title, c.Streams, c.call.events)
			b.WriteString("| target | stream | CPU against floor | CPU s per million events | thousand events/s | streams | others |\n|---|---|---|---|---|---|---|\n")
		}
		ratio := "-"
		if floor := r.floor(c); floor != nil {
			ratio = c.ratio(floor, (*sample).perEvent).format(2) + " × " + floor.Target
		}
		cpu := c.figure((*sample).perEvent)
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %d | %s |\n", c.Target, c.pair, ratio, cpu.format(2)+c.verdict(cpu, markFlowing),
			c.figure(func(s *sample) float64 { return s.rate() / 1000 }).format(0), c.streams(), c.others())
	}
}

func (r *report) pacedTable(b *strings.Builder) {
	direct := r.find(paced, "direct")
	if direct == nil {
		return
	}
	fmt.Fprintf(b, "\n### Paced: %d streams, an event every %v each\n\n", direct.Streams, direct.call.interval)
	b.WriteString("| target | stream | CPU against floor | CPU µs per event | p50 ms | p99 ms | p50 beyond direct | p99 beyond direct | streams | others |\n|---|---|---|---|---|---|---|---|---|---|\n")
	p50 := func(s *sample) float64 { return s.P50 }
	p99 := func(s *sample) float64 { return s.P99 }
	for _, c := range r.Cells {
		if c.Mode != paced {
			continue
		}
		ratio := "-"
		if floor := r.floor(c); floor != nil {
			ratio = c.ratio(floor, (*sample).perEvent).format(2) + " × " + floor.Target
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %s | %d | %s |\n", c.Target, c.pair, ratio, c.figure((*sample).perEvent).format(1),
			c.figure(p50).format(2), c.figure(p99).format(2), c.beyond(direct, p50), c.beyond(direct, p99), c.streams(), c.others())
	}
}

// beyond is by how much the median of c is above that of direct.
func (c *cell) beyond(direct *cell, of func(*sample) float64) string {
	if c == direct {
		return "-"
	}
	return fmt.Sprintf("%+.2f", c.figure(of).median-direct.figure(of).median)
}

func (r *report) slowTable(b *strings.Builder) {
	any := false
	for _, c := range r.Cells {
		if c.Mode != slow {
			continue
		}
		if !any {
			any = true
			fmt.Fprintf(b, "\n### Slow: %d open streams, an event a second each\n\n", c.Streams)
			b.WriteString("| target | stream | memory against floor | KB per stream | idle MB | CPU µs per event | streams | others |\n|---|---|---|---|---|---|---|---|\n")
		}
		memory := func(s *sample) float64 { return s.Memory }
		ratio := "-"
		if floor := r.floor(c); floor != nil {
			ratio = c.ratio(floor, memory).format(2) + " × " + floor.Target
		}
		kb := c.figure(memory)
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %d | %s |\n", c.Target, c.pair, ratio, kb.format(1)+c.verdict(kb, markSlow),
			c.figure(func(s *sample) float64 { return s.Idle }).format(1), c.figure((*sample).perEvent).format(1), c.streams(), c.others())
	}
}

// verdict compares the proxy with a mark that it must not exceed.
func (c *cell) verdict(f figure, mark float64) string {
	switch {
	case c.Target != "sabir" || f.low < 0:
		return ""
	case f.median <= mark:
		return fmt.Sprintf(" (mark %g: met)", mark)
	}
	return fmt.Sprintf(" (mark %g: **missed**)", mark)
}

// streams is how many streams were read and right.
func (c *cell) streams() (n int) {
	for _, s := range c.Samples {
		n += s.Streams
	}
	return n
}

func (c *cell) others() string {
	f := c.figure(func(s *sample) float64 { return 100 * s.Others })
	if f.low < 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", f.median)
}
