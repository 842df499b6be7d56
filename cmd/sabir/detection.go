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
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/draft"
)

// detection is what detect knows of a stream.
type detection struct {
	known  *adapters.Catalog
	data   []byte // read so far
	report recognize.Report

	url      string // of the server, "" for a recording
	only     string // the one dialect in whose form the server is asked; "": in those that are likely
	model    string // that is asked for; "" names none
	form     string // the dialect in whose form the server was asked and answered, "" if it was not
	refusals formRefusals
	lacks    *lacksAgent
	base     bool // the URL is the base of a server that keeps sessions, which was asked below it
}

// detected is the result for programs.
type detected struct {
	Dialect string      `json:"dialect"` // "" if it is not clear
	Title   string      `json:"title"`
	Version string      `json:"version"` // "" if there is one only, or the records do not tell
	Framing string      `json:"framing"`
	Sure    string      `json:"sure"` // certain, likely, doubtful, ambiguous, unknown
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
	if r.Sure() >= recognize.Likely {
		best := r.Matches[0]
		out.Dialect, out.Title, out.Version = best.Dialect.Name, best.Dialect.Title, best.Version
		out.YAML = "dialect: " + best.Dialect.Name
		if form := formBeside(best.Dialect.Name, d.form, d.known); form != "" {
			out.YAML += "\nrequest_dialect: " + form
		}
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

// errOwnRecords says that records are of no dialect that there is.
var errOwnRecords = errors.New("no dialect recognises")

// first is the first record, as far as it fits on a line.
func (d *detection) first() string {
	records, _ := recognize.Records(d.data, wire.Auto, true)
	text := strings.ToValidUTF8(string(records[0].Data), "")
	if event := records[0].Event; len(event) > 0 {
		text = "event: " + string(event) + ", data: " + text
	}
	const most = 200
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + " ..."
	}
	return fmt.Sprintf("%q", text)
}

// drafted describes the records that came as a dialect of one's own; nil if there is nothing to describe.
func (d *detection) drafted() []byte {
	records, framing := recognize.Records(d.data, wire.Auto, true)
	return draft.Dialect(records, framing)
}

func (d *detection) printDraft(w io.Writer) error {
	text := d.drafted()
	if text == nil {
		return fmt.Errorf("there is nothing to draft: of %s no record is a JSON object, such as {\"text\":\"Hello\"}; other records cannot be described", count(len(d.data), "byte"))
	}
	_, err := w.Write(text)
	return err
}

// verdict is nil if it is clear what the stream is.
func (d *detection) verdict() error {
	r := &d.report
	switch {
	case r.Sure() >= recognize.Likely:
		return nil
	case len(d.data) == 0:
		return errors.New("there is nothing to look at: not one byte came; a server that takes a body of its own may end like this")
	case r.Records == 0:
		return fmt.Errorf("there is no whole record in the %s that came", count(len(d.data), "byte"))
	case r.Sure() != recognize.Ambiguous:
		return fmt.Errorf("%w %s, the first of which is %s", errOwnRecords, few(r), d.first())
	}
	var names []string
	for _, m := range r.Tied() {
		names = append(names, m.Dialect.Name)
	}
	return fmt.Errorf("several dialects fit as well: %s; more of the stream would tell", strings.Join(names, ", "))
}

// few says how many records are recognised where it is not half of them.
func few(r *recognize.Report) string {
	if len(r.Matches) == 0 {
		return "any of the " + count(r.Records, "record")
	}
	best := r.Matches[0]
	return fmt.Sprintf("half of the %s (%s %d of them)", count(r.Records, "record"), best.Dialect.Name, best.Recognised)
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
	fmt.Fprintf(&b, "\nFor the upstream in sabir.yaml:\n\n    %s\n", strings.ReplaceAll(f.YAML, "\n", "\n    "))
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
	form := formBeside(dialect, d.form, d.known)
	if form != "" {
		form = " --request-as " + form
	}
	return fmt.Sprintf("%s\nOr at once, for a front end that speaks %s:\n\n    %s proxy --to %s --from %s%s --client %s\n",
		text, client, programName(os.Args[0]), u.Redacted(), dialect, form, client)
}

// sureness is "certain: 3 of 4 records recognised".
func (f *detected) sureness() string { return f.Sure + ": " + f.Matches[0].part() }

// part is "3 of 4 records recognised", of the records that tell anything.
func (m *matchJSON) part() string {
	return fmt.Sprintf("%d of %s recognised", m.Recognised, count(m.Recognised+m.Unrecognised, "record"))
}
