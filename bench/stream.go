package bench

import (
	"bytes"
	_ "embed"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Text returns the canonical events of a run that streams one text in count deltas, with marks that rise from 0 by 1.
// They share no memory.
func Text(count int) []hub.Event {
	evs := make([]hub.Event, 0, count+4)
	for ev := range TextEvents(count) {
		ev.Text = bytes.Clone(ev.Text)
		evs = append(evs, *ev)
	}
	return evs
}

// TextEvents yields the events of [Text]; each is valid until the next.
func TextEvents(count int) iter.Seq[*hub.Event] {
	id := []byte("msg_01")
	return marked(count, 1,
		[]hub.Event{{Kind: hub.RunStart, ID: []byte("run_7f3a9c"), Ref: []byte("thread_21b4")}, {Kind: hub.TextStart, ID: id, Msg: id}},
		hub.Event{Kind: hub.TextDelta, ID: id, Msg: id},
		[]hub.Event{{Kind: hub.TextEnd, ID: id, Msg: id}, {Kind: hub.RunEnd, Status: hub.StatusDone}})
}

// ArgsMarks is how many marks are in one fragment of arguments.
const ArgsMarks = 4

// Around the marks, arguments are a JSON object.
const (
	argsHead = `{\"content\":\"`
	argsTail = `\"}`
)

// ArgsEvents yields the events of a run that asks for one tool, whose arguments come in count fragments of [ArgsMarks]
// marks each; each event is valid until the next.
func ArgsEvents(count int) iter.Seq[*hub.Event] {
	id, msg := []byte("call_01"), []byte("msg_01")
	args := func(text string) hub.Event {
		return hub.Event{Kind: hub.ToolArgs, ID: id, Msg: msg, Text: []byte(text)}
	}
	return marked(count, ArgsMarks,
		[]hub.Event{{Kind: hub.RunStart, ID: []byte("run_7f3a9c"), Ref: []byte("thread_21b4")},
			{Kind: hub.ToolStart, ID: id, Msg: msg, Name: []byte("write_file")}, args(argsHead)},
		args(""),
		[]hub.Event{args(argsTail), {Kind: hub.ToolReady, ID: id, Msg: msg}, {Kind: hub.RunEnd, Status: hub.StatusTools}})
}

// marked yields head, count times the delta with so many marks for a text, and tail.
func marked(count, marks int, head []hub.Event, delta hub.Event, tail []hub.Event) iter.Seq[*hub.Event] {
	return func(yield func(*hub.Event) bool) {
		for i := range head {
			if !yield(&head[i]) {
				return
			}
		}
		var text []byte
		for i := range count {
			text = text[:0]
			for k := range marks {
				text = AppendMark(text, uint32(i*marks+k))
			}
			ev := delta
			if ev.Text = text; !yield(&ev) {
				return
			}
		}
		for i := range tail {
			if !yield(&tail[i]) {
				return
			}
		}
	}
}

//go:embed testdata/turn.ndjson
var turn string

// Mixed returns the canonical events of a run of several turns, each with reasoning, two tools side by side whose
// arguments come in fragments, updates, outputs and results, a plan, usage and an answer.
func Mixed(turns int) ([]hub.Event, error) {
	var lines strings.Builder
	lines.WriteString(`{"kind":"run.start","id":"run_7f3a9c","ref":"thread_21b4","name":"coder"}` + "\n")
	for i := range turns {
		lines.WriteString(strings.ReplaceAll(turn, "%N", strconv.Itoa(i)))
	}
	lines.WriteString(`{"kind":"run.end","status":"done"}` + "\n")
	return Events(lines.String())
}

// Events reads events in native notation, one a line. They share no memory.
func Events(lines string) (evs []hub.Event, err error) {
	for line := range strings.Lines(lines) {
		// A decoder for each: it owns the rare members of its last event.
		evs, err = native.Dialect.NewDecoder(hub.Options{}).Decode(evs, wire.Record{Data: []byte(line)})
		if err != nil {
			return nil, fmt.Errorf("event %q: %w", line, err)
		}
	}
	return evs, nil
}

// Copy returns events that share no memory with evs, which may be overwritten.
func Copy(evs []hub.Event) ([]hub.Event, error) {
	var lines []byte
	for i := range evs {
		lines = append(native.Append(lines, &evs[i]), '\n')
	}
	return Events(string(lines))
}

// Encode writes a canonical stream in dialect d, framed as the dialect is by default. The pieces are what each event
// became, some of them empty, and at the end what Finish added.
func Encode(d *hub.Dialect, evs []hub.Event) (pieces [][]byte) {
	w := NewWriter(d)
	for i := range evs {
		pieces = append(pieces, w.Append(nil, &evs[i]))
	}
	return append(pieces, w.Finish(nil))
}

// Writer writes canonical events in one dialect as they come, in memory that does not grow with the stream.
type Writer struct {
	seq    *sequencer.Sequencer
	enc    hub.Encoder
	out    *wire.Out
	strict []hub.Event
}

// NewWriter makes a writer of dialect d with its default options and framing.
func NewWriter(d *hub.Dialect) *Writer {
	return &Writer{
		seq: sequencer.New(sequencer.Config{Replace: d.Caps.Has(hub.CapReplace)}),
		enc: d.NewEncoder(d.Defaults()), out: wire.NewOut(d.Framing),
	}
}

// Append appends what an event becomes; it may be nothing.
func (w *Writer) Append(dst []byte, ev *hub.Event) []byte {
	one := [1]hub.Event{*ev}
	w.strict = w.seq.Push(w.strict[:0], one[:], 0)
	return w.take(dst)
}

// Finish appends what the end of the stream adds.
func (w *Writer) Finish(dst []byte) []byte {
	w.strict = w.seq.Flush(w.strict[:0], nil)
	for i := range w.strict {
		w.enc.Encode(w.out, &w.strict[i])
	}
	w.strict = w.strict[:0]
	w.enc.Finish(w.out)
	return w.take(dst)
}

func (w *Writer) take(dst []byte) []byte {
	for i := range w.strict {
		w.enc.Encode(w.out, &w.strict[i])
	}
	dst = append(dst, w.out.Buf...)
	w.out.Reset()
	return dst
}

// Script is a marked text in the wire form of one dialect, cut so that a server can send it at any pace.
type Script struct {
	Dialect *hub.Dialect
	Head    []byte
	Deltas  [][]byte // each holds one mark; the first also what opens the text
	Tail    []byte
}

// NewScript writes the marked text of count deltas in dialect d. It fails if the dialect does not write each delta
// when it comes: then there is nothing to pace.
func NewScript(d *hub.Dialect, count int) (*Script, error) {
	return NewLongScript(d, AnswerPart, count)
}

// Bytes returns the whole stream.
func (s *Script) Bytes() []byte { return join(append(append([][]byte{s.Head}, s.Deltas...), s.Tail)) }

func join(pieces [][]byte) (all []byte) {
	for _, p := range pieces {
		all = append(all, p...)
	}
	return all
}
