package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// report is everything that a run has shown.
type report struct {
	Machine    string    `json:"machine"`
	Processors int       `json:"processors"`
	Go         string    `json:"go"`
	Date       time.Time `json:"date"`
	Command    string    `json:"command"`
	Cells      []*cell   `json:"cells"`
	Bad        int       `json:"bad"`
	FirstBad   string    `json:"first_bad,omitempty"`
}

func newReport(p *plan) *report {
	return &report{
		Machine: machineName(), Processors: runtime.NumCPU(), Go: runtime.Version(), Date: time.Now().UTC(),
		Command: "go run ./bench/loopback " + strings.Join(os.Args[1:], " "), Cells: p.cells,
	}
}

// sum adds up what was wrong.
func (r *report) sum() {
	for _, c := range r.Cells {
		for _, s := range c.Samples {
			r.Bad += s.Bad
			if s.Bad > 0 && r.FirstBad == "" {
				r.FirstBad = fmt.Sprintf("%s, %s, %s: %s", c.Mode, c.Target, c.pair, s.Fault)
			}
		}
	}
}

func (r *report) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// summary is one sample in a few words.
func (s *sample) summary() string {
	text := fmt.Sprintf("%d streams, %d events in %.2f s", s.Streams, s.Events, s.Seconds)
	if s.CPU >= 0 && s.Events > 0 {
		text += fmt.Sprintf(", %.2f CPU µs/event", s.perEvent())
	}
	if s.Others >= 0 {
		text += fmt.Sprintf(", others %.0f %%", 100*s.Others)
	}
	if s.Bad > 0 {
		text += fmt.Sprintf(", %d BAD: %s", s.Bad, s.Fault)
	}
	return text
}

// perEvent is CPU microseconds per event, which is CPU seconds per million events; negative if unknown.
func (s *sample) perEvent() float64 {
	if s.CPU < 0 || s.Events == 0 {
		return -1
	}
	return 1e6 * s.CPU / float64(s.Events)
}

func (s *sample) rate() float64 { return float64(s.Events) / s.Seconds }

// figure is the median of something over the samples of a cell, with the least and the most.
type figure struct{ median, low, high float64 }

func (c *cell) figure(of func(*sample) float64) figure {
	return c.figures(c, func(a, _ *sample) float64 { return of(a) })
}

// enough is how many quiet rounds it takes to leave the others out.
const enough = 3

// figures takes something of the samples of two cells, round by round: both were measured at nearly the same time.
// With -quiet only the rounds count in which both had the machine for themselves, if those are enough.
func (c *cell) figures(other *cell, of func(a, b *sample) float64) figure {
	var all, calm []float64
	for i := range min(len(c.Samples), len(other.Samples)) {
		a, b := &c.Samples[i], &other.Samples[i]
		all = append(all, of(a, b))
		if max(a.Others, b.Others) <= c.quiet {
			calm = append(calm, all[i])
		}
	}
	if c.quiet > 0 && len(calm) >= enough {
		return figureOf(calm)
	}
	return figureOf(all)
}

func figureOf(all []float64) figure {
	if len(all) == 0 {
		return figure{-1, -1, -1}
	}
	slices.Sort(all)
	n := len(all)
	return figure{(all[(n-1)/2] + all[n/2]) / 2, all[0], all[n-1]}
}

// format shows the median, and the range if there is one. What is unknown is a dash.
func (f figure) format(decimals int) string {
	if f.low < 0 {
		return "-"
	}
	text := fmt.Sprintf("%.*f", decimals, f.median)
	low, high := fmt.Sprintf("%.*f", decimals, f.low), fmt.Sprintf("%.*f", decimals, f.high)
	if low != high {
		text += " (" + low + "–" + high + ")"
	}
	return text
}

// ratio compares two cells.
func (c *cell) ratio(floor *cell, of func(*sample) float64) figure {
	return c.figures(floor, func(a, b *sample) float64 {
		if of(a) < 0 || of(b) <= 0 {
			return -1
		}
		return of(a) / of(b)
	})
}

// floor returns what a cell of the proxy is compared with: the splice of the same pair, else the reverse proxy or the
// raw copy; nil if there is none.
func (r *report) floor(c *cell) *cell {
	if c.Target != "sabir" {
		return nil
	}
	for _, name := range []string{"splice", "reverse", "raw"} {
		for _, f := range r.Cells {
			same := f.From == c.From && f.To == c.To
			if name != "splice" && c.Mode != flowing && c.Mode != segmented {
				same = true // a paced or slow stream is compared with whatever passes one
			}
			if f.Mode == c.Mode && f.Target == name && same {
				return f
			}
		}
	}
	return nil
}

func (r *report) find(mode, target string) *cell {
	for _, c := range r.Cells {
		if c.Mode == mode && c.Target == target {
			return c
		}
	}
	return nil
}
