package hub

import (
	"bytes"
	"time"
)

// A Ticker is a [Stage] that does something by the passing of time.
type Ticker interface {
	// Deadline is when Tick is due; ok is false for never.
	Deadline() (at time.Duration, ok bool)

	// Tick appends what is due at now.
	Tick(dst []Event, now time.Duration) []Event
}

// CoalesceStage joins the small deltas of one part, or of the arguments of one call, that follow each other, for clients
// to which every event is dear. It keeps one delta back at a time, for as long as it was told at most, and lets it go
// before any other event: order and text stay as they are.
type CoalesceStage struct {
	wait time.Duration
	max  int

	held  Event // a copy, its text in text
	text  []byte
	due   time.Duration
	holds bool
}

// maxCoalesced is the longest text that deltas are joined to, in bytes.
const maxCoalesced = 4 << 10

// NewCoalesceStage makes a stage that keeps a delta back for at most wait.
func NewCoalesceStage(wait time.Duration) *CoalesceStage {
	return &CoalesceStage{wait: wait, max: maxCoalesced}
}

// Reset implements [Stage].
func (c *CoalesceStage) Reset() { c.held, c.holds, c.text = Event{}, false, c.text[:0] }

// Push implements [Stage].
func (c *CoalesceStage) Push(dst, in []Event, now time.Duration) []Event {
	if c.holds && now >= c.due {
		dst = c.release(dst)
	}
	for i := range in {
		ev := &in[i]
		if c.joins(ev) {
			c.text = append(c.text, ev.Text...)
			continue
		}
		dst = c.release(dst)
		if !c.keeps(ev) {
			dst = append(dst, *ev)
			continue
		}
		c.keep(ev, now)
	}
	return dst
}

// Flush implements [Stage].
func (c *CoalesceStage) Flush(dst []Event, _ error) []Event { return c.release(dst) }

// Deadline implements [Ticker].
func (c *CoalesceStage) Deadline() (time.Duration, bool) { return c.due, c.holds }

// Tick implements [Ticker].
func (c *CoalesceStage) Tick(dst []Event, now time.Duration) []Event {
	if c.holds && now >= c.due {
		return c.release(dst)
	}
	return dst
}

// keeps reports whether ev may wait for more of its kind.
func (c *CoalesceStage) keeps(ev *Event) bool {
	return (ev.Kind == TextDelta || ev.Kind == ToolArgs) && ev.Op == Append && ev.More == nil && len(ev.Text) < c.max
}

// joins reports whether ev continues what is held.
func (c *CoalesceStage) joins(ev *Event) bool {
	return c.holds && ev.Kind == c.held.Kind && c.keeps(ev) && len(c.text)+len(ev.Text) <= c.max &&
		ev.Chan == c.held.Chan && ev.Flags == c.held.Flags && bytes.Equal(ev.ID, c.held.ID) && bytes.Equal(ev.Lane, c.held.Lane)
}

func (c *CoalesceStage) keep(ev *Event, now time.Duration) {
	text := ev.Text
	rest := *ev
	rest.Text = nil
	c.held = rest.clone()
	c.text = append(c.text[:0], text...)
	c.due, c.holds = now+c.wait, true
}

// release lets go what is held. Its text is valid until the next delta is kept, which is after the next call at the
// earliest: what comes after it in the same call gets a buffer of its own.
func (c *CoalesceStage) release(dst []Event) []Event {
	if !c.holds {
		return dst
	}
	ev := c.held
	ev.Text = c.text
	c.holds, c.held, c.text = false, Event{}, nil
	return append(dst, ev)
}
