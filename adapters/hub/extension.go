package hub

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// An Extender is an encoder of a dialect with a place that clients ignore when they do not know it. payload is an
// object whose only member is [ExtensionKey]; the encoder splices it as it is. Extend may come before the first event
// that is encoded, and never after the RunEnd.
type Extender interface {
	Extend(out *wire.Out, payload []byte)
}

// ExtensionKey names the canonical event in an extension place.
const ExtensionKey = "x-agent-stream"

// MayExtend reports whether a record can hold an extension: whether the key stands in it anywhere. It is asked about every
// record; without the quotes of JSON, of which records are full, the search is several times cheaper.
func MayExtend(record []byte) bool { return bytes.Contains(record, extensionKey) }

var extensionKey = []byte(ExtensionKey)

// ExtensionAt makes the Extension of a dialect from a function that returns what is in the extension place of a record. Only a
// record of JSON that can hold an extension is looked at, and only an object with [ExtensionKey] is one.
func ExtensionAt(place func(wire.Record) rawjson.Value) func(wire.Record) []byte {
	return func(rec wire.Record) []byte {
		var json rawjson.Decoder
		if !MayExtend(rec.Data) || json.Valid(rec.Data) != nil {
			return nil
		}
		payload := place(rec)
		if rawjson.Kind(rawjson.Get(payload, ExtensionKey)) != '{' {
			return nil
		}
		return payload
	}
}

// EarlyExtensions keeps what an encoder is to extend a stream by before the start of the run, where nothing may come before
// that. The zero value is empty.
type EarlyExtensions struct{ kept wire.Records }

// maxEarly bounds what is kept: hardly more than one event.
const maxEarly = 1 << 20

// Keep keeps a payload until Next asks for it.
func (e *EarlyExtensions) Keep(payload []byte) {
	if len(e.kept)+len(payload) <= maxEarly {
		e.kept.Add("", payload)
	}
}

// Flush extends the stream by all that are kept.
func (e *EarlyExtensions) Flush(out *wire.Out, to Extender) {
	for payload := e.Next(); payload != nil; payload = e.Next() {
		to.Extend(out, payload)
	}
}

// Next takes the payload that was kept first, nil if there is none. It is valid until the next Keep.
func (e *EarlyExtensions) Next() (payload []byte) {
	if len(e.kept) == 0 {
		return nil
	}
	_, payload, e.kept = e.kept.Cut()
	return payload
}
