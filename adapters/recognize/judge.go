// Package recognize tells which dialect a stream speaks. It knows no dialect itself: it lets the decoders of all of them read
// the first records, and counts what each of them makes of these.
package recognize

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Verdict says whether a record belongs to the dialect whose decoder has read it.
type Verdict uint8

// Verdicts.
const (
	Recognised   Verdict = iota // an event was made of it
	Unrecognised                // the dialect does not know it, or it cannot be decoded
	Neutral                     // it says nothing about the dialect: a sign of life, an end mark that many share, nothing to tell
)

// Plain reports whether the events of a record make it Recognised without a look at the record, as those of nearly all do.
func Plain(events []hub.Event) bool {
	if len(events) == 0 {
		return false
	}
	k := events[0].Kind
	return k != hub.Raw && k != hub.RunEnd && k != hub.Usage
}

// Judge says what the events and the error that dec has made of rec mean.
func Judge(dec hub.Decoder, rec wire.Record, events []hub.Event, err error) Verdict {
	switch {
	case Plain(events):
		return Recognised
	case isEndMark(rec.Data):
		return Neutral
	case onlyRaw(events):
		switch {
		case err != nil || unknown(dec, events):
			return Unrecognised
		case len(events) == 0:
			return Neutral
		}
	}
	return Recognised
}

// unknown reports whether dec does not know the record of which it made these events, Raw ones or none.
func unknown(dec hub.Decoder, events []hub.Event) bool {
	for {
		switch d := dec.(type) {
		case hub.UnknownReporter:
			return d.LastUnknown()
		case interface{ Unwrap() hub.Decoder }:
			dec = d.Unwrap()
		default:
			return len(events) > 0
		}
	}
}

func onlyRaw(events []hub.Event) bool {
	for i := range events {
		if events[i].Kind != hub.Raw {
			return false
		}
	}
	return true
}

// isEndMark reports whether data is the end mark that servers of many dialects send behind their last record.
func isEndMark(data []byte) bool { return string(bytes.TrimSpace(data)) == "[DONE]" }
