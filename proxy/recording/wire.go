package recording

import (
	"bytes"
	"encoding/json"

	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Framing is how the records of the agent are written in a file: one a line where all are JSON without line breaks, else as
// server-sent events.
func (r *Run) Framing() wire.Framing {
	for i := range r.Lines {
		l := &r.Lines[i]
		if l.Type != TypeIn {
			continue
		}
		data, _ := l.Payload() // it was checked when it was read
		if l.Name != "" || !json.Valid(data) || bytes.ContainsAny(data, "\r\n") {
			return wire.SSE
		}
	}
	return wire.NDJSON
}

// Wire returns what the agent sent, in the framing of [Run.Framing].
func (r *Run) Wire() []byte {
	out := wire.NewOut(r.Framing())
	for i := range r.Lines {
		if r.Lines[i].Type == TypeIn {
			out.Record(r.Lines[i].Record())
		}
	}
	return out.Buf
}

// Record is a line of type in as a record.
func (l *Line) Record() wire.Record {
	data, _ := l.Payload() // it was checked when it was read
	rec := wire.Record{Data: data}
	if l.Name != "" {
		rec.Event = []byte(l.Name)
	}
	return rec
}

// Written returns what was written for the client.
func (r *Run) Written() []byte {
	var all []byte
	for i := range r.Lines {
		if r.Lines[i].Type == TypeOut {
			data, _ := r.Lines[i].Payload()
			all = append(all, data...)
		}
	}
	return all
}

// Request is the line with the request on a side, nil if there is none.
func (r *Run) Request(side string) *Line {
	for i := range r.Lines {
		if l := &r.Lines[i]; l.Type == TypeRequest && l.Side == side {
			return l
		}
	}
	return nil
}
