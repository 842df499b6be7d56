package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

//go:embed document.tmpl
var documentText string

// document is what the template sees.
type document struct {
	*report
	img   string // folder of the plots, seen from the document
	plots map[string][]byte
}

// writeDocument writes the whole report to a file and its plots to a folder.
func (r *report) writeDocument(file, plots string) error {
	rel, err := filepath.Rel(filepath.Dir(file), plots)
	if err != nil {
		return err
	}
	d := document{r, filepath.ToSlash(rel), r.plots()}
	t, err := template.New("document").Parse(documentText)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := t.Execute(&b, d); err != nil {
		return err
	}
	if err := os.MkdirAll(plots, 0o755); err != nil {
		return err
	}
	for name, svg := range d.plots {
		if err := os.WriteFile(filepath.Join(plots, name+".svg"), svg, 0o600); err != nil {
			return err
		}
	}
	return os.WriteFile(file, []byte(strings.TrimLeft(b.String(), "\n")), 0o600)
}

// Goals is the table of goals.
func (d document) Goals() string {
	var b strings.Builder
	d.goalTable(&b)
	return strings.TrimSpace(b.String())
}

// Day is when it was measured.
func (d document) Day() string { return d.Date.Format("2006-01-02") }

// Has reports whether a mode was measured.
func (d document) Has(mode string) bool { return len(d.of(mode)) > 0 }

// Wrong is how many streams of the proxy were wrong.
func (d document) Wrong() (n int) {
	for _, c := range d.Cells {
		if strings.HasPrefix(c.Target, sabir) {
			for i := range c.Samples {
				n += c.Samples[i].Bad
			}
		}
	}
	return n
}

// Table is the table of a mode below the name of its load.
func (d document) Table(mode string) string {
	cells := d.of(mode)
	if len(cells) == 0 {
		return "Not measured in this run."
	}
	var b strings.Builder
	b.WriteString(title(cells[0]) + ".\n\n")
	if group := d.matrixCells(mode); len(group) > manyPairs {
		d.matrix(&b, mode, group)
		cells = slices.DeleteFunc(cells, func(c *cell) bool { return c.Target == splice || slices.Contains(group, c) })
	}
	if len(cells) > 0 {
		d.tableOf(&b, mode, cells)
	}
	return strings.TrimSpace(b.String())
}

// manyPairs is how many pairs are a list; more are a square.
const manyPairs = 16

// matrixCells are the cells of the proxy in modes that measure pairs.
func (d document) matrixCells(mode string) []*cell {
	if mode != flowing && mode != segmented && mode != codec {
		return nil
	}
	return slices.DeleteFunc(d.of(mode), func(c *cell) bool { return c.Target != sabir })
}

// matrix shows the cost of all pairs as a square: the cost of an event, and how many times that of the floor it is.
func (d document) matrix(b *strings.Builder, mode string, cells []*cell) {
	var names []string
	for _, c := range cells {
		for _, n := range []string{c.From, c.To} {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	b.WriteString("CPU µs per event; in brackets, times that of the splice, or of reverse where the dialect stays. Rows: the agent server.\n\n")
	b.WriteString("| from \\ to | " + strings.Join(names, " | ") + " |\n" + strings.Repeat("|---", len(names)+1) + "|\n")
	for _, from := range names {
		b.WriteString("| " + from + " ")
		for _, to := range names {
			at := slices.IndexFunc(cells, func(c *cell) bool { return c.From == from && c.To == to })
			if at < 0 {
				b.WriteString("| - ")
				continue
			}
			b.WriteString("| " + d.entry(cells[at]) + " ")
		}
		b.WriteString("|\n")
	}
	b.WriteString("\n")
}

func (d document) entry(c *cell) string {
	text := fmt.Sprintf("%.2f", c.figure(perEvent).median)
	if f := d.floor(c); f != nil && len(f.Samples) > 0 {
		text += fmt.Sprintf(" (%.2f ×)", c.ratio(f, perEvent).median)
	}
	return text
}

// Plot is the picture of that name, if there is one.
func (d document) Plot(name, alt string) string {
	if d.plots[name] == nil {
		return ""
	}
	return fmt.Sprintf("![%s](%s/%s.svg)", alt, d.img, name)
}

// Exponents is what the fit of a mode has found.
func (d document) Exponents(mode string) string {
	var parts []string
	for _, n := range d.exponents(mode) {
		parts = append(parts, fmt.Sprintf("%s: %.3f", n.name, n.value))
	}
	return strings.Join(parts, ", ")
}

// Time is the tables of the profiles.
func (d document) Time() string {
	if len(d.Profiles) == 0 {
		return "Not measured in this run."
	}
	var parts []string
	for _, p := range d.Profiles {
		parts = append(parts, p.Title+":\n\n"+strings.TrimSpace(p.table()))
	}
	return strings.Join(parts, "\n\n")
}
