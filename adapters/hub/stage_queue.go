package hub

import (
	"bytes"
	"time"
)

// A Stage is an optional step between the sequencer and the encoder. It takes a strict stream and gives one.
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

// QueueConfig says what a [QueueStage] keeps back, and until when.
type QueueConfig struct {
	Hold    func(*Event) bool // events to keep back; only kinds that stand alone may be moved, such as Data or Notice
	Release func(*Event) bool // events before which those kept in the same lane are let go

	Events int // kept at most; 0: that of [DefaultBounds]
	Bytes  int // kept at most; 0: that of [DefaultBounds]
}

// QueueStage keeps events back that come at the wrong moment, and lets them go in their order before the first event
// of their lane that should follow them. Nothing is lost or held for ever: the end of a lane lets go what belongs to it,
// the end of the run all, and what does not fit any more goes at once, the oldest first.
//
// Applications that show the results of tools in the conversation need this: such a result is announced while its tool
// is still running.
type QueueStage struct {
	// Early counts the events that left before their time, because more were kept than the bounds allow.
	Early uint32

	cfg   QueueConfig
	kept  []Event // copies, oldest first
	bytes int
}

// NewQueueStage makes a stage. Both functions of the configuration are required.
func NewQueueStage(cfg QueueConfig) *QueueStage {
	cfg.Events = orDefault(cfg.Events, DefaultBounds.Events)
	cfg.Bytes = orDefault(cfg.Bytes, DefaultBounds.Bytes)
	return &QueueStage{cfg: cfg}
}

// Len is how many events are kept back.
func (q *QueueStage) Len() int { return len(q.kept) }

// Reset implements [Stage].
func (q *QueueStage) Reset() {
	clear(q.kept)
	q.kept, q.bytes, q.Early = q.kept[:0], 0, 0
}

// Push implements [Stage].
func (q *QueueStage) Push(dst, in []Event, _ time.Duration) []Event {
	for i := range in {
		ev := &in[i]
		if q.cfg.Hold(ev) {
			dst = q.keep(dst, ev)
			continue
		}
		if len(q.kept) > 0 {
			dst = q.before(dst, ev)
		}
		dst = append(dst, *ev)
	}
	return dst
}

// Flush implements [Stage].
func (q *QueueStage) Flush(dst []Event, _ error) []Event { return q.release(dst, len(q.kept)) }

func (q *QueueStage) keep(dst []Event, ev *Event) []Event {
	q.kept = append(q.kept, ev.clone())
	q.bytes += ev.size()
	n := 0
	for bytes := q.bytes; len(q.kept)-n > q.cfg.Events || bytes > q.cfg.Bytes; n++ {
		bytes -= q.kept[n].size()
	}
	q.Early += uint32(n)
	return q.release(dst, n)
}

// before lets go what has to be said before ev.
func (q *QueueStage) before(dst []Event, ev *Event) []Event {
	switch {
	case ev.Kind == RunEnd:
		return q.release(dst, len(q.kept))
	case ev.Kind == AgentEnd:
		dst = q.releaseLane(dst, ev.ID) // nothing of a lane comes after its end
	}
	if q.cfg.Release(ev) {
		dst = q.releaseLane(dst, ev.Lane)
	}
	return dst
}

// release lets go the n oldest.
func (q *QueueStage) release(dst []Event, n int) []Event {
	dst = append(dst, q.kept[:n]...)
	for i := range q.kept[:n] {
		q.bytes -= q.kept[i].size()
	}
	rest := copy(q.kept, q.kept[n:])
	clear(q.kept[rest:])
	q.kept = q.kept[:rest]
	return dst
}

func (q *QueueStage) releaseLane(dst []Event, lane []byte) []Event {
	rest := q.kept[:0]
	for i := range q.kept {
		if ev := q.kept[i]; bytes.Equal(ev.Lane, lane) {
			dst = append(dst, ev)
			q.bytes -= ev.size()
		} else {
			rest = append(rest, ev)
		}
	}
	clear(q.kept[len(rest):])
	q.kept = rest
	return dst
}
