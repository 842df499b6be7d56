package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/term"
)

func newDialects() *cobra.Command {
	var asJSON, asMarkdown, matrix bool
	cmd := &cobra.Command{
		Use:   "dialects [--matrix] [--json | --markdown]",
		Short: "List the dialects, and what they can carry",
		Long: `Dialects lists what Sabir speaks: each dialect with the directions in which it
can be used, the framings it travels in (the default of the output first), what
it can carry, and its options.

  read       as the dialect of an upstream
  written    as the dialect of a client

Its requests can be read too, from clients, and be written, for upstreams. Where
the one is read and the other written, serve translates them.

What an option changes is the reading (r), the writing (w) or both.

--matrix shows instead what becomes of each thing that agents say in each
dialect that can be written. It is found by asking the encoders.`,
		Example: `  sabir dialects
  sabir dialects --json | jq '.[].name'`,
		Args: cobra.NoArgs,
		RunE: work(func(cmd *cobra.Command, _ []string) error {
			list, out := describeAll(), cmd.OutOrStdout()
			switch {
			case matrix:
				return printMatrix(out, asJSON, asMarkdown)
			case asJSON:
				return printJSON(out, list)
			case asMarkdown:
				return printMarkdown(out, list)
			}
			return printTable(out, list)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, for programs")
	cmd.Flags().BoolVar(&asMarkdown, "markdown", false, "print Markdown, for documents")
	cmd.Flags().BoolVar(&matrix, "matrix", false, "show what each dialect can say")
	cmd.MarkFlagsMutuallyExclusive("json", "markdown")
	return cmd
}

// description is the description of a dialect for users.
type description struct {
	Name     string              `json:"name"`
	Title    string              `json:"title"`
	Doc      string              `json:"doc"`
	Read     bool                `json:"read"`
	Written  bool                `json:"written"`
	Requests directions          `json:"requests"` // read from clients, written for upstreams
	Framings []string            `json:"framings"` // default first
	Accept   []string            `json:"accept"`   // media types that choose it
	Carries  []string            `json:"carries"`
	Options  []optionDescription `json:"options"`
}

// directions say whether something is read and written.
type directions struct {
	Read    bool `json:"read"`
	Written bool `json:"written"`
}

func (d directions) String() string {
	var ways []string
	if d.Read {
		ways = append(ways, "read")
	}
	if d.Written {
		ways = append(ways, "written")
	}
	return strings.Join(ways, ", ")
}

type optionDescription struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Default string   `json:"default"`
	Values  []string `json:"values,omitempty"`
	Read    bool     `json:"read"`
	Written bool     `json:"written"`
	Doc     string   `json:"doc"`
}

func describeAll() []description {
	var list []description
	for _, d := range adapters.All() {
		list = append(list, describe(d))
	}
	return list
}

func describe(d *hub.Dialect) description {
	out := description{
		Name: d.Name, Title: d.Title, Doc: d.Doc, Read: d.NewDecoder != nil, Written: d.NewEncoder != nil,
		Requests: directions{d.Messages != nil, d.RequestWriter() != nil}, Framings: framingNames(d), Accept: orEmpty(d.Accept), Carries: orEmpty(d.Caps.Names()), Options: []optionDescription{},
	}
	for _, o := range d.Options {
		out.Options = append(out.Options, optionDescription{
			Name: o.Name, Type: string(o.Type), Default: o.Default, Values: o.Values, Read: o.Decode, Written: o.Encode, Doc: o.Doc,
		})
	}
	return out
}

// framingNames lists the framings of a dialect, that of its output first.
func framingNames(d *hub.Dialect) []string {
	names := []string{d.Framing.String()}
	for _, f := range d.Framings {
		if f != d.Framing && f != wire.Auto {
			names = append(names, f.String())
		}
	}
	return names
}

// orEmpty keeps null out of JSON.
func orEmpty(list []string) []string {
	return append([]string{}, list...)
}

func printJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// tableWidth is the width of the table for people, in columns.
const tableWidth = 100

func printTable(w io.Writer, list []description) error {
	var b strings.Builder
	widths := []int{len("DIALECT"), 23, 8, 8, 17, 0}
	for _, d := range list {
		widths[0] = max(widths[0], term.Len(d.Name))
	}
	widths[5] = tableWidth - widths[0] - widths[1] - widths[2] - widths[3] - widths[4] - 5*2
	b.WriteString(term.Row([]string{"DIALECT", "WHO SPEAKS IT", "USED", "REQUESTS", "FRAMINGS", "CARRIES"}, widths))
	for _, d := range list {
		cells := []string{d.Name, d.Title, d.used().String(), d.Requests.String(), strings.Join(d.Framings, ", "), strings.Join(d.Carries, ", ")}
		b.WriteString(term.Row(cells, widths))
	}
	for _, d := range list {
		d.printOptions(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (d *description) printOptions(b *strings.Builder) {
	if len(d.Options) > 0 {
		fmt.Fprintf(b, "\nOptions of %s\n", d.Name)
	}
	widths := []int{0, 37, 4, tableWidth - 37 - 4 - 3*2}
	for _, o := range d.Options {
		signature := o.signature()
		if term.Len(signature) > widths[1] { // on a line of its own
			b.WriteString("  " + signature + "\n")
			signature = ""
		}
		b.WriteString(term.Row([]string{"", signature, o.sides(), o.Doc}, widths))
	}
}

func (d *description) used() directions { return directions{d.Read, d.Written} }

// signature is such as "match=fifo|lifo", the default first.
func (o *optionDescription) signature() string { return o.Name + "=" + o.values() }

// values says what an option can be: the default, then the others; or only its type.
func (o *optionDescription) values() string {
	switch {
	case len(o.Values) > 0:
		others := slices.DeleteFunc(slices.Clone(o.Values), func(v string) bool { return v == o.Default })
		return strings.Join(append([]string{o.Default}, others...), "|")
	case o.Default == "":
		return strings.ToUpper(o.Type)
	}
	return o.Default
}

// sides says what an option changes.
func (o *optionDescription) sides() string {
	switch {
	case !o.Written:
		return "r"
	case !o.Read:
		return "w"
	}
	return "r, w"
}

func printMarkdown(w io.Writer, list []description) error {
	var b strings.Builder
	b.WriteString("| dialect | who speaks it | used | requests | framings | carries |\n|---|---|---|---|---|---|\n")
	for _, d := range list {
		b.WriteString(cells(code(d.Name), d.Title, d.used().String(), d.Requests.String(), strings.Join(d.Framings, ", "), strings.Join(d.Carries, ", ")))
	}
	for _, d := range list {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", d.Name, d.Doc)
		if len(d.Options) > 0 {
			b.WriteString("\n| option | type | default | changes | meaning |\n|---|---|---|---|---|\n")
		}
		for _, o := range d.Options {
			b.WriteString(cells(code(o.Name), o.kind(), code(o.Default), sideNames[o.sides()], o.Doc))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var sideNames = map[string]string{"r": "reading", "w": "writing", "r, w": "both"}

// kind is the type of an option, or the values of an enum.
func (o *optionDescription) kind() string {
	if len(o.Values) == 0 {
		return o.Type
	}
	quoted := make([]string, len(o.Values))
	for i, v := range o.Values {
		quoted[i] = code(v)
	}
	return strings.Join(quoted, ", ")
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// cells is a row of a Markdown table.
func cells(texts ...string) string {
	for i, text := range texts {
		texts[i] = strings.ReplaceAll(text, "|", `\|`)
	}
	return "| " + strings.Join(texts, " | ") + " |\n"
}
