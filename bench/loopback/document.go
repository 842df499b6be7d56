package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
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

// Table is the table of a mode below the name of its load.
func (d document) Table(mode string) string {
	cells := d.of(mode)
	if len(cells) == 0 {
		return "Not measured in this run."
	}
	var b strings.Builder
	d.table(&b, mode)
	return title(cells[0]) + ".\n\n" + strings.TrimSpace(b.String())
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
