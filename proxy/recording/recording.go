// Package recording holds the one format in which runs are shown, kept and replayed: lines of JSON, documented in docs/recordings.md.
//
// recording.go: the lines. shape.go: what stands in place of content, and what is redacted. read.go: a file as a whole.
// wire.go: the bytes of a recording.
package recording

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/bytedance/sonic"
)

// Version is the version of the format, and the value of the first member of each recording.
const Version = 1

// Types of lines.
const (
	TypeRequest   = "request"   // what was asked, by the client or by Sabir
	TypeIn        = "in"        // a record of the agent
	TypeEvent     = "event"     // a canonical event
	TypeOut       = "out"       // what was written for the client
	TypeRepair    = "repair"    // what was repaired
	TypeFault     = "fault"     // a record that could not be decoded
	TypeViolation = "violation" // of a rule of a dialect
	TypeKeepalive = "keepalive" // a sign of life for the client
	TypeSent      = "sent"      // the client took its time
	TypeEnd       = "end"       // the last line
)

// Sides of a request.
const (
	Client = "client"
	Agent  = "agent"
)

// Header is the first line.
type Header struct {
	Version  int            `json:"recording"`
	ID       string         `json:"id"`
	Began    time.Time      `json:"began"`
	Route    string         `json:"route"`
	Upstream string         `json:"upstream"`
	From     string         `json:"from"`
	To       string         `json:"to"`
	Options  map[string]any `json:"options,omitempty"` // of the agent's dialect
	Form     Form           `json:"form"`
	Copied   bool           `json:"copied,omitempty"` // both sides speak alike
	Shared   bool           `json:"shared,omitempty"` // clients read a log of the run, so that there are no lines of type out
}

// Line is a line after the first. Which members it has depends on its type.
type Line struct {
	Type string  `json:"type"`
	At   float64 `json:"t"`           // milliseconds since the run began
	N    int64   `json:"n,omitempty"` // the record of the agent that it comes from, from 1; 0: it comes of time, or of the end

	Side   string `json:"side,omitempty"` // of a request
	Method string `json:"method,omitempty"`
	Path   string `json:"path,omitempty"`

	Name   string          `json:"name,omitempty"` // of an SSE event
	Data   string          `json:"data,omitempty"`
	Base64 string          `json:"base64,omitempty"` // in place of data that is no UTF-8
	Bytes  int             `json:"bytes,omitempty"`  // of the data, where that is not whole
	Shape  json.RawMessage `json:"shape,omitempty"`  // in place of the data

	Event       json.RawMessage `json:"event,omitempty"` // in the dialect native
	Disposition string          `json:"fate,omitempty"`  // what became of the event in the client's dialect

	Repair string  `json:"repair,omitempty"`
	Times  uint32  `json:"times,omitempty"`
	Error  string  `json:"error,omitempty"`
	Took   float64 `json:"took,omitempty"` // milliseconds that a write took

	Ending  string `json:"ending,omitempty"`
	Dropped int64  `json:"dropped,omitempty"` // lines that had no room
}

// Millis is a duration as lines have it.
func Millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// After is when the line was made, from the beginning of the run.
func (l *Line) After() time.Duration { return time.Duration(l.At * float64(time.Millisecond)) }

// Payload is the data of a line as it was.
func (l *Line) Payload() ([]byte, error) {
	if l.Base64 == "" {
		return []byte(l.Data), nil
	}
	return base64.StdEncoding.DecodeString(l.Base64)
}

// setPayload puts data into a line, as text where it is one.
func (l *Line) setPayload(data []byte) {
	if utf8.Valid(data) {
		l.Data = string(data)
	} else {
		l.Base64 = base64.StdEncoding.EncodeToString(data)
	}
}

// Append appends a line or a header, and a line end.
func Append(dst []byte, line any) ([]byte, error) {
	text, err := sonic.ConfigFastest.Marshal(line)
	if err != nil {
		return dst, fmt.Errorf("a recording: %w", err)
	}
	return append(append(dst, text...), '\n'), nil
}
