package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/term"
)

// printMatrix prints what each dialect makes of each thing that agents say.
func printMatrix(w io.Writer, asJSON, asMarkdown bool) error {
	dialects := adapters.Written(adapters.All())
	if asMarkdown {
		page, err := adapters.FidelityPage(dialects)
		if err == nil {
			_, err = io.WriteString(w, page)
		}
		return err
	}
	traits, err := adapters.Fidelity(dialects)
	if err != nil {
		return err
	}
	names := make([]string, len(dialects))
	for i, d := range dialects {
		names[i] = d.Name
	}
	if asJSON {
		return printMatrixJSON(w, names, traits)
	}
	return printMatrixTable(w, names, traits)
}

func printMatrixJSON(w io.Writer, names []string, traits []adapters.Trait) error {
	type row struct {
		Trait        string            `json:"trait"`
		Dispositions map[string]string `json:"fates"`
	}
	var rows []row
	for _, t := range traits {
		r := row{Trait: t.Name, Dispositions: map[string]string{}}
		for i, f := range t.Cells {
			r.Dispositions[names[i]] = f.String()
		}
		rows = append(rows, r)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(rows)
}

// printMatrixTable numbers the dialects: their names are too long for columns.
func printMatrixTable(w io.Writer, names []string, traits []adapters.Trait) error {
	var b strings.Builder
	for i, name := range names {
		fmt.Fprintf(&b, "%2d %s\n", i+1, name)
	}
	b.WriteString("\nN native   X extension   F folded   – not carried\n\n")
	width := 0
	for _, t := range traits {
		width = max(width, term.Len(t.Name))
	}
	b.WriteString(strings.Repeat(" ", width))
	for i := range names {
		fmt.Fprintf(&b, " %2d", i+1)
	}
	for _, t := range traits {
		b.WriteString("\n" + t.Name + strings.Repeat(" ", width-term.Len(t.Name)))
		for _, f := range t.Cells {
			b.WriteString("  " + adapters.Mark(f))
		}
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}
