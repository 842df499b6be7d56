package proxy

import (
	"iter"
	"maps"
	"math/bits"
	"sync"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/usage"
)

// stats counts what happened in one stream. The pump moves it into the metrics at every flush and into the log at the
// end; counting into plain integers keeps atomic operations out of the loop.
type stats struct {
	records  int64
	bytesIn  int64 // used by the splitter
	bytesOut int64 // of the body, written to the client
	copied   int64 // records that were not translated
	repairs  sequencer.RepairCounts

	unrecognised int64 // records of which the dialect knows nothing
	neutral      int64 // records that tell nothing about the dialect

	faults map[hub.Reason]int64
	first  *hub.Error
	usage  usage.Run // tokens, as the agent counts them

	events  *eventCounts // since the last settle; nil for none
	settled struct{ in, out, dropped int64 }
}

// eventCounts counts events by kind. It is borrowed from one flush to the next: most streams are silent nearly all the
// time, and it is large.
type eventCounts struct {
	in      [hub.NumKinds]uint32
	out     [hub.NumKinds][hub.NumDispositions]uint32
	touched uint32 // a bit for each kind that is counted: few come between two flushes
}

// touched has room for all kinds.
var _ [32 - hub.NumKinds]struct{}

var spareCounts = sync.Pool{New: func() any { return new(eventCounts) }}

// counts are those of the events since the last settle, to be added to.
func (t *stats) counts() *eventCounts {
	if t.events == nil {
		t.events = spareCounts.Get().(*eventCounts)
	}
	return t.events
}

// countIn counts an event that was decoded.
func (t *stats) countIn(k hub.Kind) {
	c := t.counts()
	c.in[k]++
	c.touched |= 1 << k
}

// countOut counts an event that was encoded, and what became of it.
func (t *stats) countOut(k hub.Kind, f hub.Disposition) {
	c := t.counts()
	c.out[k][f]++
	c.touched |= 1 << k
}

// kinds are those of the events counted.
func (c *eventCounts) kinds() iter.Seq[int] {
	return func(yield func(int) bool) {
		if c == nil {
			return
		}
		for m := c.touched; m != 0; m &= m - 1 {
			if !yield(bits.TrailingZeros32(m)) {
				return
			}
		}
	}
}

func (t *stats) fault(e *hub.Error) {
	if t.faults == nil {
		t.faults = map[hub.Reason]int64{}
	}
	t.faults[e.Reason]++
	if t.first == nil {
		t.first = e
	}
}

func (t *stats) firstError() error {
	if t.first == nil {
		return nil
	}
	return t.first
}

func (t *stats) errors() (n int64) {
	for _, v := range t.faults {
		n += v
	}
	return n
}

// settle forgets the kinds of the events so far.
func (t *stats) settle() {
	c := t.events
	if c == nil {
		return
	}
	t.settled.in, t.settled.out, t.settled.dropped = t.eventsIn(), t.eventsOut(), t.dropped()
	for k := range c.kinds() {
		c.in[k], c.out[k] = 0, [hub.NumDispositions]uint32{}
	}
	c.touched = 0
	t.events = nil
	spareCounts.Put(c)
}

func (t *stats) eventsIn() int64 {
	n := t.settled.in
	for k := range t.events.kinds() {
		n += int64(t.events.in[k])
	}
	return n
}

func (t *stats) eventsOut() int64 {
	n := t.settled.out
	for k := range t.events.kinds() {
		for _, v := range t.events.out[k] {
			n += int64(v)
		}
	}
	return n
}

// dropped is how many events the client's dialect could not carry at all.
func (t *stats) dropped() int64 {
	n := t.settled.dropped
	for k := range t.events.kinds() {
		n += int64(t.events.out[k][hub.Dropped])
	}
	return n
}

// progress is how far the metrics know of the totals of a stream.
type progress struct {
	bytesIn, bytesOut, copied, unrecognised int64

	repairs sequencer.RepairCounts
	faults  map[hub.Reason]int64
}

func (p *progress) catchUp(t *stats) {
	p.bytesIn, p.bytesOut, p.copied, p.repairs = t.bytesIn, t.bytesOut, t.copied, t.repairs
	p.unrecognised = t.unrecognised
	if len(t.faults) == 0 {
		return
	}
	if p.faults == nil {
		p.faults = map[hub.Reason]int64{}
	}
	maps.Copy(p.faults, t.faults)
}
