//go:build linux

package main

import (
	_ "embed"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/sabir-proxy/sabir/bench/plot"
)

//go:embed soak.tmpl
var soakText string

// gauge is something that must be flat.
type gauge struct {
	Name  string
	value func(state) float64
	spare float64 // by how much it may be above what it was, beside a tenth
	unit  string
}

var gauges = []gauge{
	{"resident memory", func(s state) float64 { return float64(s.resident) / (1 << 20) }, 16, " MiB"},
	{"heap in use", func(s state) float64 { return float64(s.heap) / (1 << 20) }, 12, " MiB"},
	{"goroutines", func(s state) float64 { return float64(s.goroutines) }, 60, ""},
	{"descriptors", func(s state) float64 { return float64(s.files) }, 60, ""},
}

// soakReport is what came of a soak.
type soakReport struct {
	Day, Machine, Command string
	Time                  time.Duration
	Streams               int64
	Seed                  uint64
	Rate, Capacity        float64
	Late                  string
	Waiting               int // of a hundred: how much of the time something on the machine waited for a processor
	Outcomes, Events      []string
	Flat                  []flatness
	Rows                  []string
	Faults                []string
	More, Failed          int      // faults beyond those, and good streams that failed
	Bad                   []string // how these failed, and who was late
	samples               []sample
}

// flatness compares a gauge early and late in the run.
type flatness struct {
	Gauge               string
	Early, Late, Most   string
	Empty, After, Bound string
	ok                  bool
}

// report judges the samples. A fifth of the run is for warming up; of what is left the first quarter is compared with the last, by medians.
func (s *soak) report(empty state) *soakReport {
	r := &soakReport{
		Day: s.begun.Format("2006-01-02"), Machine: fmt.Sprintf("%s/%s, %d processors, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()),
		Command: "go run ./conformance/attack " + strings.Join(s.opt.args, " "), Time: time.Since(s.begun).Round(time.Second),
		Streams: s.tried, Seed: s.opt.seed, Rate: s.rate, Capacity: s.most, Outcomes: counted(s.outcomes), Events: counted(s.events), samples: s.samples,
	}
	after := s.settled(empty)
	warm := s.samples[len(s.samples)/5:]
	early, late := warm[:(len(warm)+3)/4], warm[len(warm)-(len(warm)+3)/4:]
	for _, g := range gauges {
		was, is := median(early, g.value), median(late, g.value)
		bound := was*1.1 + g.spare
		f := flatness{Gauge: g.Name, ok: is <= bound, Empty: g.text(g.value(empty)), Early: g.text(was), Late: g.text(is), After: g.text(g.value(after)), Bound: g.text(bound)}
		most := 0.0
		for _, one := range s.samples {
			most = max(most, g.value(one.state))
		}
		f.Most = g.text(most)
		r.Flat = append(r.Flat, f)
		if !f.ok {
			s.fault("%s is not flat: %s early, %s late", g.Name, f.Early, f.Late)
		}
	}
	r.Rows, r.Faults, r.More = s.rows(), s.faults, s.more
	r.Bad, r.Late, r.Waiting = counted(s.badOnes), s.late.String(), s.late.waiting()
	for _, n := range s.badOnes {
		r.Failed += n
	}
	return r
}

// settled is the state when the load is over.
func (s *soak) settled(empty state) (after state) {
	var err error
	if !eventually(s.ctx, 90*time.Second, func() bool {
		after, err = s.rig.process.state()
		return err == nil && after.stream == 0 && after.goroutines <= empty.goroutines+spareGoroutines && after.files <= empty.files+spareFiles
	}) {
		s.fault("when the load is over it still has %d streams, %d goroutines (%d before), %d files (%d before): %v", after.stream, after.goroutines, empty.goroutines, after.files, empty.files, err)
	}
	if log := s.rig.process.log.all(); strings.Contains(log, "BUG") || strings.Contains(log, "panic") {
		s.fault("the log tells of a fault of its own")
	}
	return after
}

func (g gauge) text(v float64) string { return fmt.Sprintf("%.0f%s", v, g.unit) }

// rows are a dozen samples of the run.
func (s *soak) rows() (rows []string) {
	const most = 12
	for i := range most {
		at := s.samples[min(len(s.samples)-1, (i+1)*len(s.samples)/most)]
		rows = append(rows, fmt.Sprintf("%v | %d | %d | %.0f | %.0f | %d | %d", at.at.Round(time.Second), at.begun, at.state.stream,
			gauges[0].value(at.state), gauges[1].value(at.state), at.state.goroutines, at.state.files))
	}
	return rows
}

func counted(m map[string]int) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		all = append(all, fmt.Sprintf("%s %d", name, m[name]))
	}
	return all
}

// String is the report for a terminal.
func (r *soakReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d streams in %v\n", r.Streams, r.Time)
	for _, f := range r.Flat {
		fmt.Fprintf(&b, "%-16s %s early, %s late, of %s allowed; %s at most, %s before and %s after the load\n", f.Gauge, f.Early, f.Late, f.Bound, f.Most, f.Empty, f.After)
	}
	for _, line := range slices.Concat(r.Events, r.Outcomes, r.Bad, r.Faults) {
		fmt.Fprintln(&b, line)
	}
	fmt.Fprintf(&b, "%v streams begun in a second, of %v that the machine can serve (0: not measured)\nthe soak was late %s; something waited for a processor %d%% of the time\n", r.Rate, r.Capacity, r.Late, r.Waiting)
	return b.String() + r.Verdict()
}

// Verdict is what came of it in a line.
func (r *soakReport) Verdict() string {
	switch {
	case len(r.Faults) > 0:
		return fmt.Sprintf("**%d did not hold:** %s", len(r.Faults)+r.More, clip(cell(strings.Join(r.Faults, "; ")), 600))
	case r.Failed > 0:
		return fmt.Sprintf("All held but for %d good streams that failed while the machine was late, as below.", r.Failed)
	}
	return "All held."
}

// write writes the document, and its plots into the folder img beside it.
func (r *soakReport) write(file string) error {
	t, err := template.New("soak").Parse(soakText)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := t.Execute(&b, r); err != nil {
		return err
	}
	dir := filepath.Join(filepath.Dir(file), "img")
	memory := &plot.Lines{Title: "Memory of the process during the soak", X: "minutes", Y: "MiB", Series: r.series(0, 1)}
	others := &plot.Lines{Title: "Goroutines and descriptors during the soak", X: "minutes", Y: "number", Series: r.series(2, 3)}
	for name, drawing := range map[string]*plot.Lines{"soak-memory.svg": memory, "soak-counts.svg": others} {
		if err := os.WriteFile(filepath.Join(dir, name), drawing.SVG(), 0o600); err != nil {
			return err
		}
	}
	return os.WriteFile(file, []byte(b.String()), 0o600)
}

// series are gauges over time.
func (r *soakReport) series(which ...int) (all []plot.Series) {
	for _, i := range which {
		line := plot.Series{Name: gauges[i].Name}
		for _, one := range r.samples {
			line.X, line.Y = append(line.X, one.at.Minutes()), append(line.Y, gauges[i].value(one.state))
		}
		all = append(all, line)
	}
	return all
}
