package demo

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/term"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// table writes a translation as it happens, in three columns: the agent's records, canonical events, the client's
// records. What comes of one record is one block of lines.
type table struct {
	w       io.Writer
	style   term.Style
	columns [3]int // their widths
	end     string // what the end of the stream was like
	program string // what the user types to start this program
	err     error  // of writing

	number int // of the record
	made   int // events that the sequencer made
	client int // records for the client
	block  block
}

// block is what came of one record, of the passing of time or of the end.
type block struct {
	record *gist // nil: no record
	loose  map[string]bool
	rows   []row
	notes  []string
}

// row is an event and the records that were written for it.
type row struct {
	mark        string
	event       gist
	disposition hub.Disposition
	client      []gist
}

// Marks of events.
const (
	markMade = "+" // not sent by the agent
	markHeld = "»" // held back before, released now
	markNote = "!" // a repair or a fault
)

const (
	numberWidth = 2
	gap         = "  "
	minWidth    = 60
)

func newTable(w io.Writer, style term.Style, program string) *table {
	t := &table{w: w, style: style, program: program}
	t.style.Width = max(style.Width, minWidth)
	room := t.style.Width - numberWidth - 3*len(gap) - len("+ ")
	t.columns[0] = room * 30 / 100
	t.columns[1] = room * 29 / 100
	t.columns[2] = room - t.columns[0] - t.columns[1] // the names of the client's records are the longest
	return t
}

func (t *table) observer() engine.Observer {
	return engine.Observer{
		Record:     t.record,
		Decoded:    func(ev *hub.Event) { t.block.loose[identity(ev)] = true },
		Normalized: t.event,
		Framed:     t.written,
		Repair:     func(r sequencer.Repair, times uint32) { t.note(repairNote(r, times)) },
		Fault:      func(err *hub.Error) { t.note(err.Error()) },
		Done:       t.done,
	}
}

func (t *table) record(rec wire.Record) {
	g := summarize(rec.Data)
	t.number++
	t.block.record = &g
}

func (t *table) note(text string) { t.block.notes = append(t.block.notes, text) }

// identity tells the events of tools and runs apart well enough to see which of them came with a record.
func identity(ev *hub.Event) string { return ev.Kind.String() + " " + string(ev.ID) }

// canWait reports whether the sequencer may hold such an event back.
func canWait(k hub.Kind) bool { return k >= hub.ToolStart && k <= hub.ToolEnd || k == hub.RunEnd }

func (t *table) event(ev *hub.Event, disposition hub.Disposition) {
	r := row{event: eventGist(ev), disposition: disposition}
	switch {
	case ev.Flags.Has(hub.Synthetic):
		t.made++
		r.mark = markMade
	case canWait(ev.Kind) && !t.block.loose[identity(ev)]:
		r.mark = markHeld
	}
	delete(t.block.loose, identity(ev))
	t.block.rows = append(t.block.rows, r)
}

func (t *table) written(p []byte) {
	if len(t.block.rows) == 0 {
		t.block.rows = append(t.block.rows, row{})
	}
	last := &t.block.rows[len(t.block.rows)-1]
	for line := range strings.Lines(string(p)) {
		if line = strings.TrimSpace(line); line != "" {
			t.client++
			last.client = append(last.client, summarize([]byte(line)))
		}
	}
}

// done writes the block.
func (t *table) done() {
	b := t.block
	t.block = block{loose: map[string]bool{}}
	if b.record == nil && len(b.rows)+len(b.notes) == 0 {
		return
	}
	b.explain()
	right := t.right(&b)
	number, left := "", []string{t.style.Cell(term.Dim, "("+t.end+")", t.columns[0])}
	if b.record != nil {
		number = strconv.Itoa(t.number)
		left = t.left(*b.record, max(len(right), 2))
	}
	for i := range max(len(left), len(right)) {
		line := [2]string{term.Pad("", t.columns[0]), ""}
		if i < len(left) {
			line[0] = left[i]
		}
		if i < len(right) {
			line[1] = right[i]
		}
		t.line(number, line[0], line[1])
		number = ""
	}
}

// explain makes the notes say what waits now: not what this record has released at once, but an end that is kept back.
func (b *block) explain() {
	if slices.ContainsFunc(b.rows, func(r row) bool { return r.mark == markHeld }) {
		held := repairWords[sequencer.Held]
		b.notes = slices.DeleteFunc(b.notes, func(n string) bool { return strings.HasPrefix(n, held) })
	}
	if b.loose[identity(&hub.Event{Kind: hub.RunEnd})] {
		b.notes = append(b.notes, "waits for late words")
	}
}

// left is the record in at most n lines, all of the column's width. The values use the lines that the other columns
// need anyway.
func (t *table) left(g gist, n int) []string {
	width := t.columns[0]
	head := term.Clip(g.head, width)
	room := width - term.Len(head) - 1
	if g.values == "" {
		return []string{term.Pad(head, width)}
	}
	if term.Len(g.values) <= room {
		return []string{head + " " + t.style.Cell(term.Dim, g.values, room)}
	}
	lines := []string{term.Pad(head, width)}
	parts := term.Wrap(g.values, width-1)
	if rest := n - 1; len(parts) > rest {
		parts = append(parts[:rest-1], strings.Join(parts[rest-1:], " "))
	}
	for _, part := range parts {
		lines = append(lines, " "+t.style.Cell(term.Dim, part, width-1))
	}
	return lines
}

// right are the lines of the other two columns.
func (t *table) right(b *block) (lines []string) {
	add := func(mark, event, client string) { lines = append(lines, mark+" "+event+gap+client) }
	for _, note := range b.notes {
		mark := markNote
		for _, part := range term.Wrap(note, t.columns[1]) {
			add(t.style.Paint(term.Yellow, mark), t.style.Cell(term.Yellow, part, t.columns[1]), "")
			mark = " "
		}
	}
	for _, r := range b.rows {
		mark, event := t.style.Cell(term.Cyan, r.mark, 1), t.cell(r.event, 1)
		if len(r.client) == 0 {
			add(mark, event, t.style.Cell(term.Dim, "("+dispositionWord(r.disposition)+")", t.columns[2]))
		}
		for _, g := range r.client {
			add(mark, event, t.cell(g, 2))
			mark, event = " ", term.Pad("", t.columns[1])
		}
	}
	return lines
}

// cell is a gist in one line, filled or cut to the width of its column.
func (t *table) cell(g gist, column int) string {
	width := t.columns[column]
	head := term.Clip(g.head, width)
	room := width - term.Len(head)
	if room < 5 || g.values == "" {
		return term.Pad(head, width)
	}
	return head + " " + t.style.Cell(term.Dim, g.values, room-1)
}

func (t *table) line(number, left, right string) {
	number = term.Pad("", numberWidth-len(number)) + t.style.Paint(term.Dim, number)
	t.print(strings.TrimRight(number+gap+left+gap+right, " ") + "\n")
}

func (t *table) print(text string) {
	if t.err == nil {
		_, t.err = io.WriteString(t.w, text)
	}
}
