package engine

import (
	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/recognize"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// recognition watches whether the upstream speaks the dialect that the configuration says. It costs something only for
// records of which no event was made, or nothing but a Raw event.
type recognition struct {
	from   string
	stats  *Stats
	copied bool   // records pass as they are, so that an end alone is enough to know them by
	Unsure bool   // records have come, and not one was recognised
	ended  bool   // such a stream says that its run has ended well
	sample []byte // the beginning of the stream, while unsure
}

// Bounds of what is kept, and waited for, while nothing was recognised.
const (
	maxSample       = 32 << 10
	maxUnrecognised = 256 // records
)

// judge counts a record that is not recognised at first sight. It returns the events that may be used: a stream that was not
// recognised cannot come to a good end.
func (r *recognition) judge(dec hub.Decoder, rec wire.Record, events []hub.Event, err error) []hub.Event {
	verdict := recognize.Judge(dec, rec, events, err)
	switch {
	case verdict == recognize.Unrecognised:
		r.stats.Unrecognised++
	case verdict == recognize.Neutral, !r.copied && r.Unsure && onlyEnds(events):
		r.stats.neutral++
	}
	if r.Unsure = r.stats.RecognisedNone(); r.Unsure && endsWell(events) {
		r.ended = true
		return events[:0]
	}
	return events
}

func endsWell(events []hub.Event) bool {
	for i := range events {
		if events[i].Kind == hub.RunEnd && events[i].Status != hub.StatusFailed {
			return true
		}
	}
	return false
}

// onlyEnds reports whether events say that a run has ended well, and nothing of what was in it. Several dialects have such
// a record alike, so it cannot make a stream recognised of which nothing else was.
func onlyEnds(events []hub.Event) bool {
	for i := range events {
		if k := events[i].Kind; k != hub.RunStart && k != hub.RunEnd && k != hub.Usage {
			return false
		}
	}
	return endsWell(events)
}

// keep looks again, after each record while unsure. raw is the record as it came. The failure says to give up.
func (r *recognition) keep(raw []byte, framing wire.Framing) *hub.Failure {
	if !r.stats.RecognisedNone() {
		r.Unsure, r.sample = false, nil
		return nil
	}
	if len(r.sample)+len(raw) <= maxSample {
		r.sample = append(r.sample, raw...)
		if framing == wire.WebSocket {
			r.sample = append(r.sample, '\n') // a message has no end of its own
		}
	}
	if r.ended || r.stats.Unrecognised >= maxUnrecognised {
		return r.failure()
	}
	return nil
}

// failure is how a stream ends of which nothing was recognised.
func (r *recognition) failure() *hub.Failure {
	return recognize.Failure(adapters.All(), r.from, r.sample, r.stats.firstError())
}

// Reset prepares for another stream.
func (r *recognition) Reset() { *r = recognition{from: r.from, stats: r.stats, copied: r.copied} }

// RecognisedNone reports whether records have come, and not one was of the dialect.
func (t *Stats) RecognisedNone() bool {
	return t.Unrecognised > 0 && t.Records == t.Unrecognised+t.neutral
}

// UnrecognisedShare is the part of the records which the dialect does not know, of those that tell anything.
func (t *Stats) UnrecognisedShare() float64 {
	if t.Unrecognised == 0 {
		return 0
	}
	return float64(t.Unrecognised) / float64(t.Records-t.neutral)
}

// MostlyUnrecognised is the share of unrecognised records from which on a stream is worth a warning.
const MostlyUnrecognised = 0.5
