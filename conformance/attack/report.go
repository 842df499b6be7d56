package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"text/template"
	"time"
)

//go:embed document.tmpl
var documentText string

// report is what was tried and what held.
type report struct {
	opt    *options
	begun  time.Time
	took   time.Duration
	trials []*trial
	left   int // attacks that were not made
}

// Tried is how many inputs were tried.
func (r *report) Tried() (n int64) {
	for _, t := range r.trials {
		n += t.tried
	}
	return n
}

// Faulty is how many attacks found a fault.
func (r *report) Faulty() (n int) {
	for _, t := range r.trials {
		if !t.held() {
			n++
		}
	}
	return n
}

func (r *report) summary() string {
	return fmt.Sprintf("%d attacks, %d inputs, %d attacks found something that does not hold, in %v", len(r.trials), r.Tried(), r.Faulty(),
		r.took.Round(time.Second))
}

// conclusion is an error if something does not hold, or was not tried.
func (r *report) conclusion() error {
	switch {
	case r.Faulty() > 0:
		return fmt.Errorf("%d of %d attacks found something that does not hold", r.Faulty(), len(r.trials))
	case r.left > 0:
		return fmt.Errorf("%d attacks were not made", r.left)
	case len(r.trials) == 0:
		return errors.New("no attack has such a name")
	}
	return nil
}

// group is a chapter of the document.
type group struct {
	Name   string
	Trials []*trial
}

// Groups are the attacks by the first part of their names.
func (r *report) Groups() (all []*group) {
	for _, t := range r.trials {
		name, _, _ := strings.Cut(t.name, "/")
		if len(all) == 0 || all[len(all)-1].Name != name {
			all = append(all, &group{Name: name})
		}
		g := all[len(all)-1]
		g.Trials = append(g.Trials, t)
	}
	return all
}

// Tried is how many inputs of a group were tried.
func (g *group) Tried() (n int64) {
	for _, t := range g.Trials {
		n += t.tried
	}
	return n
}

// Short names an attack within its group.
func (t *trial) Short() string {
	_, name, _ := strings.Cut(t.name, "/")
	return name
}

// What and Demand are what is tried and what must hold.
func (t *trial) What() string   { return cell(t.tries) }
func (t *trial) Demand() string { return cell(t.holds) }

// Count is how many inputs were tried.
func (t *trial) Count() int64 { return t.tried }

// Verdict is what held, with the figures.
func (t *trial) Verdict() string {
	if !t.held() {
		return "**no**: " + clip(cell(strings.Join(t.faults, "; ")), 400)
	}
	var parts []string
	for _, f := range t.figures {
		parts = append(parts, f.name+" "+f.value)
	}
	return cell(strings.Join(append([]string{"yes"}, parts...), "; "))
}

// cell makes a text fit into a table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(s)
}

// Command is how the document was made.
func (r *report) Command() string {
	return "go run ./conformance/attack " + strings.Join(r.opt.args, " ")
}

func (r *report) Day() string  { return r.begun.Format("2006-01-02") }
func (r *report) Took() string { return r.took.Round(time.Second).String() }
func (r *report) Seed() uint64 { return r.opt.seed }
func (r *report) Attacks() int { return len(r.trials) }
func (r *report) Machine() string {
	return fmt.Sprintf("%s/%s, %d processors, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
}

// writeDocument writes the report to a file.
func (r *report) writeDocument(file string) error {
	t, err := template.New("document").Parse(documentText)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := t.Execute(&b, r); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(b.String()), 0o600)
}
