package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// column is a column of a table: what stands above it, and what it says of a cell.
type column struct {
	name string
	of   func(*cell) string
}

// What the samples of a cell say.
var (
	rate     = func(s *sample) float64 { return s.rate() / 1000 }
	p50      = func(s *sample) float64 { return s.P50 }
	p99      = func(s *sample) float64 { return s.P99 }
	p999     = func(s *sample) float64 { return s.P999 }
	longest  = func(s *sample) float64 { return s.Max }
	hushed   = func(s *sample) float64 { return s.Hush }
	storm    = func(s *sample) float64 { return s.Storm }
	memory   = func(s *sample) float64 { return s.Memory }
	idle     = func(s *sample) float64 { return s.Idle }
	resides  = func(s *sample) float64 { return s.Resident }
	binary   = func(s *sample) float64 { return s.Binary }
	allocs   = func(s *sample) float64 { return s.Allocs }
	reloads  = func(s *sample) float64 { return float64(s.Reloads) }
	scrapes  = func(s *sample) float64 { return float64(s.Scrapes) }
	others   = func(s *sample) float64 { return 100 * s.Others }
	perEvent = (*sample).perEvent
)

// plain shows a figure as it is.
func plain(of func(*sample) float64, decimals int) func(*cell) string {
	return func(c *cell) string { return c.figure(of).format(decimals) }
}

// columns are what the table of a mode shows, ratios first.
func (r *report) columns(mode string) []column {
	cost, costFew := column{"CPU s per million events", plain(perEvent, 2)}, column{"CPU µs per event", plain(perEvent, 1)}
	latency := []column{
		{"p50 beyond direct, ms", r.beyond(p50)}, {"p99 beyond direct, ms", r.beyond(p99)},
		{"p50, ms", plain(p50, 2)}, {"p99, ms", plain(p99, 2)},
	}
	switch mode {
	case size:
		return []column{{"resident, MB", plain(idle, 1)}, {"program, MB", plain(binary, 1)}}
	case codec:
		return []column{{"CPU µs per delta", plain(perEvent, 2)}, {"allocations per delta", plain(allocs, 2)}}
	case recorded, shapes, shapesSegmented:
		return []column{{"recording", func(c *cell) string { return c.Recorded }}, {"CPU against floor", r.against(perEvent)}, cost, {"thousand records/s", plain(rate, 0)}}
	case flowing, segmented:
		return []column{{"CPU against floor", r.against(perEvent)}, cost, {"thousand events/s", plain(rate, 0)}}
	case peersFlow:
		return []column{{"CPU against Sabir", r.againstSabir(perEvent)}, cost, {"thousand events/s", plain(rate, 0)}, {"wrong", faults}}
	case shapesPaced:
		return append([]column{{"recording", func(c *cell) string { return c.Recorded }}, {"CPU against floor", r.against(perEvent)}, costFew}, latency[2:]...)
	case paced:
		return append([]column{{"CPU against floor", r.against(perEvent)}, costFew}, latency...)
	case peersPaced:
		return []column{{"CPU against Sabir", r.againstSabir(perEvent)}, costFew, {"p50, ms", plain(p50, 2)}, {"p99, ms", plain(p99, 2)}, {"wrong", faults}}
	case upkeep:
		return []column{
			{"longest delay, ms", plain(longest, 2)}, {"longest time without any event, ms", plain(hushed, 2)}, {"p99.9, ms", plain(p999, 2)},
			{"p50, ms", plain(p50, 2)}, {"reloads", plain(reloads, 0)}, {"scrapes", plain(scrapes, 0)}, {"wrong", faults},
		}
	case slow:
		return []column{{"memory against floor", r.against(memory)}, {"KB per stream", plain(memory, 1)}, {"idle process, MB", plain(idle, 1)}, costFew}
	case peersSlow:
		return []column{{"memory against Sabir", r.againstSabir(memory)}, {"KB per stream", plain(memory, 1)}, {"idle processes, MB", plain(idle, 1)}, {"wrong", faults}}
	case count:
		return []column{{"streams at once", func(c *cell) string { return strconv.Itoa(c.Streams) }}, {"CPU against floor", r.against(perEvent)}, cost, {"thousand events/s", plain(rate, 0)}}
	case length:
		return []column{{"events", func(c *cell) string { return strconv.Itoa(c.Events) }}, cost, {"resident afterwards, MB", plain(resides, 1)}}
	case arguments:
		return []column{{"bytes", func(c *cell) string { return strconv.Itoa(c.Bytes) }}, cost, {"resident afterwards, MB", plain(resides, 1)}}
	case cancel:
		return []column{
			{"p50, ms", plain(p50, 2)}, {"p99, ms", plain(p99, 2)}, {"longest, ms", plain(longest, 2)},
			{"p99 when all leave at once, ms", plain(storm, 1)}, {"all open, MB", plain(resides, 0)}, {"wrong", faults},
		}
	}
	return append([]column{costFew}, latency[2:]...)
}

// titles of the tables; %d and %v are filled in by title.
var titles = map[string]string{
	size: "The idle process and the program", codec: "The codec alone, per text delta", flowing: "Flowing, in pieces of 4 KiB", recorded: "Streams that were recorded",
	shapes: "Streams as servers really write them", shapesSegmented: "The same, one TCP segment per event",
	shapesPaced: "The same, paced",
	segmented:   "Flowing, one TCP segment per event", peersFlow: "Flowing, beside other programs", paced: "Paced",
	peersPaced: "Paced, beside other programs", upkeep: "While the configuration changes and metrics are read", slow: "Slow, very many",
	peersSlow: "Slow, beside other programs", count: "More and more streams", length: "Longer and longer streams",
	arguments: "Longer and longer arguments of a tool", cancel: "Clients that leave silent streams", profileMode: "Profiled",
}

// title says what the streams of a mode were.
func title(c *cell) string {
	text := titles[c.Mode]
	switch {
	case c.Interval > 0:
		return fmt.Sprintf("%s: %d streams, an event every %v each", text, c.Streams, c.Interval)
	case c.Mode == flowing || c.Mode == segmented || c.Mode == peersFlow:
		return fmt.Sprintf("%s: %d streams of %d events", text, c.Streams, c.Events)
	case c.Mode == cancel:
		return fmt.Sprintf("%s: %d of them", text, c.Streams)
	}
	return text
}

// writeMarkdown writes a table for each mode.
func (r *report) writeMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d processors, %s, %s\n\n    %s\n", r.Machine, r.Processors, r.Go, r.Date.Format("2006-01-02 15:04 MST"), strings.Join(r.Commands, "\n    "))
	r.goalTable(&b)
	for _, mode := range modes {
		if cells := r.of(mode); len(cells) > 0 {
			b.WriteString("\n### " + title(cells[0]) + "\n\n")
			r.table(&b, mode)
		}
	}
	for _, p := range r.Profiles {
		b.WriteString("\n### Where the time goes: " + p.Title + "\n\n" + p.table())
	}
	for _, a := range r.Absent {
		b.WriteString("\nNot measured: " + a + "\n")
	}
	fmt.Fprintf(&b, "\nFigures are medians over the rounds (least–most). Bad streams: %d.\n", r.Bad)
	_, err := io.WriteString(w, b.String())
	return err
}

// table writes the cells of a mode.
func (r *report) table(b *strings.Builder, mode string) { r.tableOf(b, mode, r.of(mode)) }

func (r *report) tableOf(b *strings.Builder, mode string, cells []*cell) {
	columns := append([]column{
		{"target", func(c *cell) string { return c.Target }}, {"stream", (*cell).stream},
	}, r.columns(mode)...)
	if mode != size && mode != codec {
		columns = append(columns, column{"streams read", func(c *cell) string { return strconv.Itoa(c.streams()) }}, column{"others, %", plain(others, 0)})
	}
	for _, col := range columns {
		b.WriteString("| " + col.name + " ")
	}
	b.WriteString("|\n" + strings.Repeat("|---", len(columns)) + "|\n")
	for _, c := range cells {
		for _, col := range columns {
			b.WriteString("| " + col.of(c) + " ")
		}
		b.WriteString("|\n")
	}
}

func (p *profile) table() string {
	text := "| part | % of the CPU time |\n|---|---|\n"
	for _, s := range p.Shares {
		text += fmt.Sprintf("| %s | %.1f |\n", s.Name, s.Percent)
	}
	return text
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

// againstSabir compares a peer with the proxy doing the same.
func (r *report) againstSabir(of func(*sample) float64) func(*cell) string {
	return func(c *cell) string {
		same := func(s *cell) bool { return s.Target == sabir && s.From == c.From && s.To == c.To }
		cells := r.of(c.Mode)
		at := slices.IndexFunc(cells, same)
		if at < 0 || cells[at] == c || c.streams() == 0 {
			return "-"
		}
		return c.ratio(cells[at], of).format(1) + " ×"
	}
}

// beyond is by how much the median of a cell is above that of direct.
func (r *report) beyond(of func(*sample) float64) func(*cell) string {
	return func(c *cell) string {
		if more, ok := r.beyondDirect(c, of); ok {
			return fmt.Sprintf("%+.2f", more)
		}
		return "-"
	}
}

func (r *report) beyondDirect(c *cell, of func(*sample) float64) (float64, bool) {
	d := r.find(c.Mode, direct)
	if d == nil || c == d || len(d.Samples) == 0 || len(c.Samples) == 0 {
		return 0, false
	}
	return c.figure(of).median - d.figure(of).median, true
}

// streams is how many streams were read and right.
func (c *cell) streams() (n int) {
	for _, s := range c.Samples {
		n += s.Streams
	}
	return n
}

// faults says how many streams were wrong, and what was wrong with the first.
func faults(c *cell) string {
	n, text := 0, ""
	for _, s := range c.Samples {
		n += s.Bad
		text = or(text, s.Fault)
	}
	if n == 0 {
		return "0"
	}
	const most = 160
	text = strings.NewReplacer("|", "\\|", "\n", " ", "`", "'").Replace(text)
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%d: %s", n, text)
}
