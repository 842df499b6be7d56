package main

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/recognize"
)

// detection is what detect knows of a stream.
type detection struct {
	known  *adapters.Catalog
	data   []byte // read so far
	report recognize.Report

	url      string   // of the server, "" for a recording
	form     string   // the dialect in whose form the server was asked and answered, "" if it was not
	refusals []string // of the other forms
}

// detected is the result for programs.
type detected struct {
	Dialect string      `json:"dialect"` // "" if it is not clear
	Title   string      `json:"title"`
	Version string      `json:"version"` // "" if there is one only, or the records do not tell
	Framing string      `json:"framing"`
	Sure    string      `json:"sure"` // certain, likely, ambiguous, unknown
	Records int         `json:"records"`
	Matches []matchJSON `json:"matches"` // the likeliest first
	YAML    string      `json:"yaml"`    // for the upstream in the configuration
}

type matchJSON struct {
	Dialect      string  `json:"dialect"`
	Version      string  `json:"version"`
	Recognised   int     `json:"recognised"`
	Unrecognised int     `json:"unrecognised"`
	Share        float64 `json:"share"`
}

func (d *detection) describe() detected {
	r := &d.report
	out := detected{Framing: r.Framing.String(), Sure: r.Sure().String(), Records: r.Records, Matches: []matchJSON{}}
	if r.Looks() != "" {
		best := r.Matches[0]
		out.Dialect, out.Title, out.Version = best.Dialect.Name, best.Dialect.Title, best.Version
		out.YAML = "dialect: " + best.Dialect.Name
	}
	for i := range r.Matches {
		m := &r.Matches[i]
		out.Matches = append(out.Matches, matchJSON{m.Dialect.Name, m.Version, m.Recognised, m.Unrecognised, m.Share()})
	}
	return out
}

// print says what was found. The error says that it was nothing, or not clear.
func (d *detection) print(w io.Writer, asJSON bool) error {
	found := d.describe()
	if asJSON {
		if err := printJSON(w, found); err != nil {
			return err
		}
	} else if found.Dialect != "" {
		if _, err := io.WriteString(w, found.text()+d.next(found.Dialect)); err != nil {
			return err
		}
	}
	return d.verdict()
}

// verdict is nil if it is clear what the stream is.
func (d *detection) verdict() error {
	r := &d.report
	switch {
	case r.Sure() >= recognize.Likely:
		return nil
	case len(d.data) == 0:
		return errors.New("there is nothing to look at: not one byte came")
	case r.Records == 0:
		return fmt.Errorf("there is no whole record in the %s that came", count(len(d.data), "byte"))
	case r.Sure() == recognize.Unknown:
		return fmt.Errorf("no dialect recognises any of the %s; sabir dialects lists those that there are, "+
			"and a dialect of your own can be described in YAML", count(r.Records, "record"))
	}
	var names []string
	for _, m := range r.Tied() {
		names = append(names, m.Dialect.Name)
	}
	return fmt.Errorf("several dialects fit as well: %s; more of the stream would tell", strings.Join(names, ", "))
}

// text is the result for people.
func (f *detected) text() string {
	var b strings.Builder
	line := func(name, text string) { fmt.Fprintf(&b, "%-9s%s\n", name, text) }
	line("dialect", f.Dialect+", "+f.Title)
	if f.Version != "" {
		line("version", f.Version)
	}
	line("framing", f.Framing)
	line("sure", f.sureness())
	for i, m := range f.Matches[1:] {
		name := ""
		if i == 0 {
			name = "others"
		}
		line(name, m.Dialect+": "+m.part())
	}
	fmt.Fprintf(&b, "\nFor the upstream in sabir.yaml:\n\n    %s\n", f.YAML)
	return b.String()
}

// next says how to serve the server that was asked.
func (d *detection) next(dialect string) string {
	u, err := url.Parse(d.url)
	if d.url == "" || err != nil || u.RawQuery != "" { // a query may hold keys
		return ""
	}
	client := "aisdk"
	if dialect == client {
		client = "agui"
	}
	text := ""
	if d.form != "" {
		text = fmt.Sprintf("\nIt took a request of %s.\n", d.form)
	}
	return fmt.Sprintf("%s\nOr at once, for a front end that speaks %s:\n\n    %s proxy --to %s --from %s --client %s\n",
		text, client, programName(os.Args[0]), u.Redacted(), dialect, client)
}

// sureness is "certain: 3 of 4 records recognised".
func (f *detected) sureness() string { return f.Sure + ": " + f.Matches[0].part() }

// part is "3 of 4 records recognised", of the records that tell anything.
func (m *matchJSON) part() string {
	return fmt.Sprintf("%d of %s recognised", m.Recognised, count(m.Recognised+m.Unrecognised, "record"))
}
