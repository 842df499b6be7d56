package bench

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Text returns the canonical events of a run that streams one text in count deltas, with marks that rise from 0 by 1.
func Text(count int) []hub.Event {
	evs := make([]hub.Event, 0, count+4)
	evs = append(evs,
		hub.Event{Kind: hub.RunStart, ID: []byte("run_7f3a9c"), Ref: []byte("thread_21b4")},
		hub.Event{Kind: hub.TextStart, ID: []byte("msg_01"), Msg: []byte("msg_01")})
	for i := range count {
		evs = append(evs, hub.Event{Kind: hub.TextDelta, ID: []byte("msg_01"), Msg: []byte("msg_01"), Text: AppendMark(nil, uint32(i))})
	}
	return append(evs,
		hub.Event{Kind: hub.TextEnd, ID: []byte("msg_01"), Msg: []byte("msg_01")},
		hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone})
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
	seq := hub.NewSequencer(hub.SequencerConfig{Replace: d.Caps.Has(hub.CapReplace)})
	enc, out := d.NewEncoder(d.Defaults()), wire.NewOut(d.Framing)
	take := func() {
		pieces = append(pieces, append([]byte(nil), out.Buf...))
		out.Reset()
	}
	var strict []hub.Event
	for i := range evs {
		strict = seq.Push(strict[:0], evs[i:i+1], 0)
		encodeAll(enc, out, strict)
		take()
	}
	encodeAll(enc, out, seq.Flush(strict[:0], nil))
	enc.Finish(out)
	take()
	return pieces
}

func encodeAll(enc hub.Encoder, out *wire.Out, strict []hub.Event) {
	for i := range strict {
		enc.Encode(out, &strict[i])
	}
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
	const before = 2 // RunStart, TextStart
	pieces := Encode(d, Text(count))
	s := &Script{Dialect: d, Head: join(pieces[:before]), Deltas: pieces[before : before+count], Tail: join(pieces[before+count:])}
	for i, p := range s.Deltas {
		if FindMark(p) < 0 {
			return nil, fmt.Errorf("%s does not write delta %d at once: %q", d.Name, i, p)
		}
	}
	return s, nil
}

// Bytes returns the whole stream.
func (s *Script) Bytes() []byte { return join(append(append([][]byte{s.Head}, s.Deltas...), s.Tail)) }

func join(pieces [][]byte) (all []byte) {
	for _, p := range pieces {
		all = append(all, p...)
	}
	return all
}
