package adaptertest

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// source cuts a wire into records and decodes them, as the pump of the proxy does.
type source struct {
	dialect *hub.Dialect
	dec     hub.Decoder
	split   wire.Splitter

	// overwrite gives the splitter and the decoder memory of their own for every record and fills it with junk
	// afterwards, so that a slice that lives too long is seen.
	overwrite bool
	sink      func([]hub.Event) // gets the events of each record; they are valid during the call
	record    func(wire.Record) // gets each record, if set

	buf     []byte
	at      int64 // offset of buf in the stream
	records int64
	events  []hub.Event
	errs    []string
	cause   error // of the end, for Finish
	ending  error // the cause of a stream that is not cut in itself
	splits  int   // calls of Split

	finishing bool // the events are those of Finish
}

func newSource(f *fixture) *source {
	return &source{dialect: f.dialect, dec: f.dialect.NewDecoder(f.options), split: wire.NewSplitter(f.framing, 0)}
}

// rewind prepares the source for another stream.
func (s *source) rewind() {
	s.dec.Reset()
	s.split.Reset()
	s.buf, s.at, s.records, s.errs, s.cause, s.splits = nil, 0, 0, nil, nil, 0
}

// run feeds the pieces of a stream, and its end.
func (s *source) run(pieces ...[]byte) {
	for _, p := range pieces {
		s.buf = append(s.buf, p...)
		if !s.drain(false) {
			break
		}
	}
	if s.cause == nil {
		s.drain(true)
	}
	if s.cause == nil {
		s.cause = s.ending
	}
	s.finishing = true
	s.events = s.dec.Finish(s.events[:0], s.cause)
	s.deliver()
	s.finishing = false
}

// drain handles all complete records; it reports whether the stream goes on.
func (s *source) drain(eof bool) bool {
	for {
		buf := s.buf
		if s.overwrite {
			buf = bytes.Clone(buf)
		}
		s.splits++
		rec, n, err := s.split.Split(buf, eof)
		if err != nil && !s.framingError(err) {
			return false
		}
		if n == 0 && err == nil {
			return true
		}
		if rec.Data != nil {
			s.decode(rec, bytes.Index(buf[:n], rec.Data))
		}
		if s.overwrite {
			Overwrite(buf[:n])
		}
		s.buf = s.buf[n:]
		s.at += int64(n)
	}
}

// framingError records an error of the splitter; false means that the stream is over.
func (s *source) framingError(err error) bool {
	e, fatal := hub.FramingError(err)
	s.fail(e, s.records+1, 0)
	if !fatal {
		return true
	}
	s.cause = hub.Fail(hub.CodeMalformed, err)
	if e.Reason == hub.ReasonCut {
		s.cause = hub.Fail(hub.CodeTruncated, err)
	}
	return false
}

// decode handles one record; offset is where its data begins in the buffer, negative if nowhere.
func (s *source) decode(rec wire.Record, offset int) {
	s.records++
	if s.record != nil {
		s.record(rec)
	}
	var err error
	s.events, err = s.dec.Decode(s.events[:0], rec)
	if err != nil {
		e, ok := err.(*hub.Error)
		if !ok {
			e = hub.NewError("BUG", "", -1, "decoders return *hub.Error, not: "+err.Error())
		}
		s.fail(e, s.records, max(offset, 0))
	}
	s.deliver()
}

// fail notes an error with its place in the stream. Errors may be shared, so they are copied.
func (s *source) fail(e *hub.Error, record int64, offset int) {
	placed := *e
	placed.Dialect, placed.Record = s.dialect.Name, record
	if e.Offset >= 0 {
		placed.Offset += s.at + int64(offset)
	}
	s.errs = append(s.errs, placed.Error()+"\n")
}

func (s *source) deliver() {
	s.sink(s.events)
	if s.overwrite {
		ruin(s.events)
	}
}

// Overwrite fills memory that may no longer be read with junk.
func Overwrite(p []byte) {
	for i := range p {
		p[i] = 0xAA
	}
}

// ruin overwrites events that may no longer be read.
func ruin(evs []hub.Event) {
	bad := []byte("BUG: read after it was valid")
	for i := range evs {
		evs[i] = hub.Event{
			Kind: 255, Status: 255, Chan: 255, Op: 255, Flags: 255, ID: bad, Ref: bad, SubAgent: bad, Msg: bad, Name: bad,
			Title: bad, Text: bad, Value: bad,
		}
	}
}

// CopyEvent returns a copy of ev in memory of its own, and that memory; see [Overwrite].
func CopyEvent(ev *hub.Event) (hub.Event, []byte) {
	mem := native.Append(nil, ev)
	evs, err := native.Dialect.NewDecoder(hub.Options{}).Decode(nil, wire.Record{Data: mem})
	if err != nil {
		return *ev, nil // not valid: the checker reports it
	}
	evs[0].Slot, evs[0].AgentSlot, evs[0].RefSlot = ev.Slot, ev.AgentSlot, ev.RefSlot // which the notation does not say
	return evs[0], mem
}
