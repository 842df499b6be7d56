package main

import (
	"bytes"
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
	Files      int       `json:"files"` // that a process can open
	Go         string    `json:"go"`
	Date       time.Time `json:"date"`
	Commands   []string  `json:"commands"`
	Versions   []string  `json:"versions,omitempty"` // of peers
	Absent     []string  `json:"absent,omitempty"`   // peers that were not measured, and why
	Cells      []*cell   `json:"cells"`
	Profiles   []profile `json:"profiles,omitempty"`
	Bad        int       `json:"bad"`
	FirstBad   string    `json:"first_bad,omitempty"`
}

func newReport(p *plan) *report {
	return &report{
		Machine: machineName(), Processors: runtime.NumCPU(), Files: p.files, Go: runtime.Version(), Date: time.Now().UTC(),
		Commands: []string{"go run ./bench/loopback " + strings.Join(os.Args[1:], " ")}, Cells: p.cells,
	}
}

// sum adds up what was wrong. What peers do wrong is no fault of ours, and stands in their tables.
func (r *report) sum() {
	r.Bad, r.FirstBad = 0, ""
	for _, c := range r.Cells {
		for _, s := range c.Samples {
			if isPeer(c.Target) {
				continue
			}
			r.Bad += s.Bad
			if s.Bad > 0 && r.FirstBad == "" {
				r.FirstBad = fmt.Sprintf("%s, %s, %s: %s", c.Mode, c.Target, c.stream(), s.Fault)
			}
		}
	}
}

func (r *report) fault() error {
	if r.Bad == 0 {
		return nil
	}
	return fmt.Errorf("%d streams were wrong; the first: %s", r.Bad, r.FirstBad)
}

// save writes all that is known so far to a file, if there is one: a long run may be ended from outside.
func (r *report) save(file string) error {
	if file == "" {
		return nil
	}
	var b bytes.Buffer
	if err := r.writeJSON(&b); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o600)
}

// loadReports reads saved reports. The modes of a later one replace those of an earlier one.
func loadReports(files []string) (*report, error) {
	var all *report
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		r := new(report)
		if err := json.Unmarshal(text, r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		r.Cells = slices.DeleteFunc(r.Cells, func(c *cell) bool { return len(c.Samples) == 0 })
		if all == nil {
			all = r
			continue
		}
		all.merge(r)
	}
	all.sum()
	return all, nil
}

func (r *report) merge(later *report) {
	anew := map[string]bool{}
	for _, c := range later.Cells {
		anew[c.Mode] = true
	}
	r.Cells = append(slices.DeleteFunc(r.Cells, func(c *cell) bool { return anew[c.Mode] }), later.Cells...)
	r.Commands, r.Date = append(r.Commands, later.Commands...), later.Date
	if len(later.Profiles) > 0 {
		r.Profiles = later.Profiles
	}
	for _, v := range later.Versions {
		if !slices.Contains(r.Versions, v) {
			r.Versions = append(r.Versions, v)
		}
	}
	for _, a := range later.Absent {
		if !slices.Contains(r.Absent, a) {
			r.Absent = append(r.Absent, a)
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
	if s.Max > 0 {
		text += fmt.Sprintf(", p50 %.2f p99 %.2f max %.2f ms", s.P50, s.P99, s.Max)
	}
	if s.Memory > 0 {
		text += fmt.Sprintf(", %.1f KB/stream", s.Memory)
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

// rate is events per second; negative if unknown.
func (s *sample) rate() float64 {
	if s.Seconds <= 0 {
		return -1e3 // stays below 0 in thousands, too
	}
	return float64(s.Events) / s.Seconds
}

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
		if v := of(a, b); a.Streams > 0 || a.Bad == 0 {
			all = append(all, v)
		} else { // nothing was right: there is nothing to time
			all = append(all, -1)
		}
		if max(a.Others, b.Others) <= c.Quiet {
			calm = append(calm, all[i])
		}
	}
	if c.Quiet > 0 && len(calm) >= enough {
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

// floor returns what a cell of the proxy is compared with: the splice of the same pair, nginx or the reverse proxy of the
// same bytes; nil if there is none.
func (r *report) floor(c *cell) *cell {
	if c.Target != sabir {
		return nil
	}
	for _, name := range []string{splice, nginx, reverse, raw} {
		for _, f := range r.Cells {
			same := f.From == c.From && f.To == c.To
			if c.Recorded != "" {
				same = f.Recorded == c.Recorded && f.From == c.From
			} else if c.Mode == flowing || c.Mode == segmented {
				same = same && name != nginx
			} else if name != splice {
				same = true // a paced or slow stream is compared with whatever passes one
			}
			if f.Mode == c.Mode && f.Target == name && f.Streams == c.Streams && same {
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

// of lists the cells of a mode that were measured.
func (r *report) of(mode string) (all []*cell) {
	for _, c := range r.Cells {
		if c.Mode == mode && len(c.Samples) > 0 {
			all = append(all, c)
		}
	}
	return all
}
