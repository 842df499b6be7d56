package hub

import "time"

// A Stage is an optional step between the sequencer and the encoder. It takes a normalized stream and gives one.
//
// Events returned are valid until the next call. A stage that keeps an event copies it. Times are those given to the
// sequencer.
type Stage interface {
	// Push appends to dst what becomes of in.
	Push(dst, in []Event, now time.Duration) []Event

	// Flush ends the stream: it appends what is still kept. cause is that given to the sequencer.
	Flush(dst []Event, cause error) []Event

	// Reset makes the stage ready for another stream with the same settings.
	Reset()
}

// A Passer is a [Stage] that can tell that it has nothing to do, which saves copying the events.
type Passer interface {
	// Passes reports whether Push would give in as it is, and leave the stage as it is.
	Passes(in []Event) bool
}

// A Ticker is a [Stage] that does something by the passing of time.
type Ticker interface {
	// Deadline is when Tick is due; ok is false for never.
	Deadline() (at time.Duration, ok bool)

	// Tick appends what is due at now.
	Tick(dst []Event, now time.Duration) []Event
}
