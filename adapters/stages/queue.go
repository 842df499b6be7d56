package stages

import (
	"bytes"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// QueueConfig says what a [Queue] keeps back, and until when.
type QueueConfig struct {
	Hold    func(*hub.Event) bool // events to keep back; only kinds that stand alone may be moved, such as Data or Notice
	Release func(*hub.Event) bool // events before which those kept in the same sub-agent are let go

	Events int // kept at most; 0: the default
	Bytes  int // kept at most; 0: the default
}

// Queue keeps events back that come at the wrong moment, and lets them go in their order before the first event
// of their sub-agent that should follow them. Nothing is lost or held for ever: the end of a sub-agent lets go what belongs to it,
// the end of the run all, and what does not fit any more goes at once, the oldest first.
//
// Applications that show the results of tools in the conversation need this: such a result is announced while its tool
// is still running.
type Queue struct {
	// Early counts the events that left before their time, because more were kept than the bounds allow.
	Early uint32

	cfg   QueueConfig
	kept  []hub.Event // copies, oldest first
	bytes int
}

// Bounds of what a [Queue] keeps, unless its configuration says otherwise.
const (
	maxQueued      = 1024
	maxQueuedBytes = 1 << 20
)

// positive returns v, or fallback where v says nothing.
func positive(v, fallback int) int {
	if v <= 0 {
		return fallback
	}
	return v
}

// NewQueue makes a stage. Both functions of the configuration are required.
func NewQueue(cfg QueueConfig) *Queue {
	cfg.Events = positive(cfg.Events, maxQueued)
	cfg.Bytes = positive(cfg.Bytes, maxQueuedBytes)
	return &Queue{cfg: cfg}
}

// Len is how many events are kept back.
func (q *Queue) Len() int { return len(q.kept) }

// Reset implements [hub.Stage].
func (q *Queue) Reset() {
	clear(q.kept)
	q.kept, q.bytes, q.Early = q.kept[:0], 0, 0
}

// Push implements [hub.Stage].
func (q *Queue) Push(dst, in []hub.Event, _ time.Duration) []hub.Event {
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

// Flush implements [hub.Stage].
func (q *Queue) Flush(dst []hub.Event, _ error) []hub.Event { return q.release(dst, len(q.kept)) }

func (q *Queue) keep(dst []hub.Event, ev *hub.Event) []hub.Event {
	q.kept = append(q.kept, ev.Clone())
	q.bytes += ev.Size()
	n := 0
	for bytes := q.bytes; len(q.kept)-n > q.cfg.Events || bytes > q.cfg.Bytes; n++ {
		bytes -= q.kept[n].Size()
	}
	q.Early += uint32(n)
	return q.release(dst, n)
}

// before lets go what has to be said before ev.
func (q *Queue) before(dst []hub.Event, ev *hub.Event) []hub.Event {
	switch {
	case ev.Kind == hub.RunEnd:
		return q.release(dst, len(q.kept))
	case ev.Kind == hub.AgentEnd:
		dst = q.releaseSubAgent(dst, ev.ID) // nothing of a sub-agent comes after its end
	}
	if q.cfg.Release(ev) {
		dst = q.releaseSubAgent(dst, ev.SubAgent)
	}
	return dst
}

// release lets go the n oldest.
func (q *Queue) release(dst []hub.Event, n int) []hub.Event {
	dst = append(dst, q.kept[:n]...)
	for i := range q.kept[:n] {
		q.bytes -= q.kept[i].Size()
	}
	rest := copy(q.kept, q.kept[n:])
	clear(q.kept[rest:])
	q.kept = q.kept[:rest]
	return dst
}

func (q *Queue) releaseSubAgent(dst []hub.Event, subAgent []byte) []hub.Event {
	rest := q.kept[:0]
	for i := range q.kept {
		if ev := q.kept[i]; bytes.Equal(ev.SubAgent, subAgent) {
			dst = append(dst, ev)
			q.bytes -= ev.Size()
		} else {
			rest = append(rest, ev)
		}
	}
	clear(q.kept[len(rest):])
	q.kept = rest
	return dst
}
