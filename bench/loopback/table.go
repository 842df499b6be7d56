package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Marks that the proxy must not miss. Those of the codec are in the benchmarks of package bench.
const (
	markFlowing = 3.0  // CPU seconds per million events
	markSlow    = 40.0 // KB per open stream
)

// column is a column of a table: what stands above it, and what it says of a cell.
type column struct {
	name string
	of   func(*cell) string
}

// What the samples of a cell say.
var (
	rate   = func(s *sample) float64 { return s.rate() / 1000 }
	p50    = func(s *sample) float64 { return s.P50 }
	p99    = func(s *sample) float64 { return s.P99 }
	memory = func(s *sample) float64 { return s.Memory }
	idle   = func(s *sample) float64 { return s.Idle }
	others = func(s *sample) float64 { return 100 * s.Others }
)

// plain shows a figure as it is.
func plain(of func(*sample) float64, decimals int) func(*cell) string {
	return func(c *cell) string { return c.figure(of).format(decimals) }
}

// marked shows a figure, and for the proxy whether it keeps to a mark.
func marked(of func(*sample) float64, decimals int, mark float64) func(*cell) string {
	return func(c *cell) string { return c.figure(of).format(decimals) + c.verdict(c.figure(of), mark) }
}

// writeMarkdown writes a table for each mode, ratios first.
func (r *report) writeMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d processors, %s, %s\n\n    %s\n", r.Machine, r.Processors, r.Go, r.Date.Format("2006-01-02 15:04 MST"), r.Command)
	flow := []column{
		{"CPU against floor", r.against((*sample).perEvent)},
		{"CPU s per million events", marked((*sample).perEvent, 2, markFlowing)},
		{"thousand events/s", plain(rate, 0)},
	}
	r.table(&b, flowing, "Flowing: as fast as they come, in pieces of 4 KiB (%d streams of %d events)", flow)
	r.table(&b, segmented, "Flowing, one TCP segment per event (%d streams of %d events)", flow)
	r.table(&b, paced, "Paced: %d streams, an event every %v each", []column{
		{"CPU against floor", r.against((*sample).perEvent)},
		{"CPU µs per event", plain((*sample).perEvent, 1)},
		{"p50 beyond direct, ms", r.beyond(p50)},
		{"p99 beyond direct, ms", r.beyond(p99)},
		{"p50, ms", plain(p50, 2)},
		{"p99, ms", plain(p99, 2)},
	})
	r.table(&b, slow, "Slow: %d open streams, an event every %v each", []column{
		{"memory against floor", r.against(memory)},
		{"KB per stream", marked(memory, 1, markSlow)},
		{"idle process, MB", plain(idle, 1)},
		{"CPU µs per event", plain((*sample).perEvent, 1)},
	})
	fmt.Fprintf(&b, "\nFigures are medians over the rounds (least–most). Bad streams: %d.\n", r.Bad)
	_, err := io.WriteString(w, b.String())
	return err
}

// table writes the cells of a mode, if there are any.
func (r *report) table(b *strings.Builder, mode, title string, columns []column) {
	columns = append([]column{{"target", func(c *cell) string { return c.Target }}, {"stream", func(c *cell) string { return c.pair.String() }}}, columns...)
	columns = append(columns,
		column{"streams read", func(c *cell) string { return strconv.Itoa(c.streams()) }},
		column{"others, %", plain(others, 0)})
	begun := false
	for _, c := range r.Cells {
		if c.Mode != mode {
			continue
		}
		if !begun {
			begun = true
			r.head(b, fmt.Sprintf(title, c.Streams, c.size()), columns)
		}
		for _, col := range columns {
			b.WriteString("| " + col.of(c) + " ")
		}
		b.WriteString("|\n")
	}
}

func (r *report) head(b *strings.Builder, title string, columns []column) {
	b.WriteString("\n### " + title + "\n\n")
	for _, col := range columns {
		b.WriteString("| " + col.name + " ")
	}
	b.WriteString("|\n" + strings.Repeat("|---", len(columns)) + "|\n")
}

// size is how long the streams of a cell are: their events, or the time between two.
func (c *cell) size() any {
	if c.call.interval > 0 {
		return c.call.interval
	}
	return c.call.events
}

// against compares a cell of the proxy with its floor.
func (r *report) against(of func(*sample) float64) func(*cell) string {
	return func(c *cell) string {
		floor := r.floor(c)
		if floor == nil {
			return "-"
		}
		return c.ratio(floor, of).format(2) + " × " + floor.Target
	}
}

// beyond is by how much the median of a cell is above that of direct.
func (r *report) beyond(of func(*sample) float64) func(*cell) string {
	return func(c *cell) string {
		direct := r.find(c.Mode, "direct")
		if direct == nil || c == direct {
			return "-"
		}
		return fmt.Sprintf("%+.2f", c.figure(of).median-direct.figure(of).median)
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
