package engine

import (
	"iter"
	"maps"
	"math/bits"
	"sync"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/usage"
)

// Stats counts what happened in one stream. The pump moves it into the metrics at every flush and into the log at the
// end; counting into plain integers keeps atomic operations out of the loop.
type Stats struct {
	Records  int64
	BytesIn  int64 // used by the splitter
	BytesOut int64 // of the body, written to the client
	Copied   int64 // records that were not translated
	Repairs  sequencer.RepairCounts

	Unrecognised int64 // records of which the dialect knows nothing
	neutral      int64 // records that tell nothing about the dialect

	Faults map[hub.Reason]int64
	First  *hub.Error

	Redacted   map[string]int64 // matches by the name of their pattern, since they were last counted; nil for none
	redactions int64            // matches in all
	Usage      usage.Run        // tokens, as the agent counts them

	Events  *eventCounts // since the last settle; nil for none
	settled struct{ in, out, dropped int64 }
}

// eventCounts counts events by kind. It is borrowed from one flush to the next: most streams are silent nearly all the
// time, and it is large.
type eventCounts struct {
	In      [hub.NumKinds]uint32
	Out     [hub.NumKinds][hub.NumDispositions]uint32
	touched uint32 // a bit for each kind that is counted: few come between two flushes
}

// touched has room for all kinds.
var _ [32 - hub.NumKinds]struct{}

var spareCounts = sync.Pool{New: func() any { return new(eventCounts) }}

// counts are those of the events since the last settle, to be added to.
func (t *Stats) counts() *eventCounts {
	if t.Events == nil {
		t.Events = spareCounts.Get().(*eventCounts)
	}
	return t.Events
}

// countIn counts an event that was decoded.
func (t *Stats) countIn(k hub.Kind) {
	c := t.counts()
	c.In[k]++
	c.touched |= 1 << k
}

// countOut counts an event that was encoded, and what became of it.
func (t *Stats) countOut(k hub.Kind, f hub.Disposition) {
	c := t.counts()
	c.Out[k][f]++
	c.touched |= 1 << k
}

// Kinds are those of the events counted.
func (c *eventCounts) Kinds() iter.Seq[int] {
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

func (t *Stats) fault(e *hub.Error) {
	if t.Faults == nil {
		t.Faults = map[hub.Reason]int64{}
	}
	t.Faults[e.Reason]++
	if t.First == nil {
		t.First = e
	}
}

// CountRedaction counts a match of a pattern.
func (t *Stats) CountRedaction(name string) {
	if t.Redacted == nil {
		t.Redacted = map[string]int64{}
	}
	t.Redacted[name]++
	t.redactions++
}

// Redactions is how many matches were found.
func (t *Stats) Redactions() int64 { return t.redactions }

func (t *Stats) firstError() error {
	if t.First == nil {
		return nil
	}
	return t.First
}

func (t *Stats) Errors() (n int64) {
	for _, v := range t.Faults {
		n += v
	}
	return n
}

// Settle forgets the kinds of the events so far.
func (t *Stats) Settle() {
	c := t.Events
	if c == nil {
		return
	}
	t.settled.in, t.settled.out, t.settled.dropped = t.EventsIn(), t.EventsOut(), t.Dropped()
	for k := range c.Kinds() {
		c.In[k], c.Out[k] = 0, [hub.NumDispositions]uint32{}
	}
	c.touched = 0
	t.Events = nil
	spareCounts.Put(c)
}

func (t *Stats) EventsIn() int64 {
	n := t.settled.in
	for k := range t.Events.Kinds() {
		n += int64(t.Events.In[k])
	}
	return n
}

func (t *Stats) EventsOut() int64 {
	n := t.settled.out
	for k := range t.Events.Kinds() {
		for _, v := range t.Events.Out[k] {
			n += int64(v)
		}
	}
	return n
}

// Dropped is how many events the client's dialect could not carry at all.
func (t *Stats) Dropped() int64 {
	n := t.settled.dropped
	for k := range t.Events.Kinds() {
		n += int64(t.Events.Out[k][hub.Dropped])
	}
	return n
}

// Progress is how far the metrics know of the totals of a stream.
type Progress struct {
	BytesIn, BytesOut, Copied, Unrecognised int64

	Repairs sequencer.RepairCounts
	Faults  map[hub.Reason]int64
}

func (p *Progress) CatchUp(t *Stats) {
	p.BytesIn, p.BytesOut, p.Copied, p.Repairs = t.BytesIn, t.BytesOut, t.Copied, t.Repairs
	p.Unrecognised = t.Unrecognised
	if len(t.Faults) == 0 {
		return
	}
	if p.Faults == nil {
		p.Faults = map[hub.Reason]int64{}
	}
	maps.Copy(p.Faults, t.Faults)
}
