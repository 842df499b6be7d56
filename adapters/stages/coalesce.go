package stages

import (
	"bytes"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// Coalesce joins the small deltas of one part, or of the arguments of one call, that follow each other, for clients
// to which every event is dear. It keeps one delta back at a time, for at most the configured time, and lets it go
// before any other event: order and text stay as they are.
type Coalesce struct {
	wait time.Duration
	max  int

	held  hub.Event // a copy, its text in text
	text  []byte
	due   time.Duration
	holds bool
}

// maxCoalesced is the longest text that deltas are joined to, in bytes.
const maxCoalesced = 4 << 10

// NewCoalesce makes a stage that keeps a delta back for at most wait.
func NewCoalesce(wait time.Duration) *Coalesce {
	return &Coalesce{wait: wait, max: maxCoalesced}
}

// Reset implements [hub.Stage].
func (c *Coalesce) Reset() { c.held, c.holds, c.text = hub.Event{}, false, c.text[:0] }

// Push implements [hub.Stage].
func (c *Coalesce) Push(dst, in []hub.Event, now time.Duration) []hub.Event {
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

// Flush implements [hub.Stage].
func (c *Coalesce) Flush(dst []hub.Event, _ error) []hub.Event { return c.release(dst) }

// Deadline implements [hub.Ticker].
func (c *Coalesce) Deadline() (time.Duration, bool) { return c.due, c.holds }

// Tick implements [hub.Ticker].
func (c *Coalesce) Tick(dst []hub.Event, now time.Duration) []hub.Event {
	if c.holds && now >= c.due {
		return c.release(dst)
	}
	return dst
}

// keeps reports whether ev may wait for more of its kind.
func (c *Coalesce) keeps(ev *hub.Event) bool {
	return isPlainDelta(ev) && len(ev.Text) < c.max
}

// isPlainDelta reports whether ev is a piece of a text, of arguments or of a tool's output, and nothing else but its time.
func isPlainDelta(ev *hub.Event) bool {
	switch ev.Kind {
	case hub.TextDelta, hub.ToolArgs, hub.ToolOutput:
		return ev.Op == hub.Append && len(ev.Value) == 0 && (ev.More == nil || ev.More.HasOnlyTime())
	}
	return false
}

// goesOn reports whether a plain delta is of the part that held is a piece of. Both together have the time of the first.
func goesOn(held, ev *hub.Event) bool {
	return ev.Kind == held.Kind && ev.Chan == held.Chan && ev.Status == held.Status && ev.Flags == held.Flags && bytes.Equal(ev.ID, held.ID) && bytes.Equal(ev.SubAgent, held.SubAgent)
}

// joins reports whether ev continues what is held.
func (c *Coalesce) joins(ev *hub.Event) bool {
	return c.holds && c.keeps(ev) && len(c.text)+len(ev.Text) <= c.max && goesOn(&c.held, ev)
}

func (c *Coalesce) keep(ev *hub.Event, now time.Duration) {
	text := ev.Text
	rest := *ev
	rest.Text = nil
	c.held = rest.Clone()
	c.text = append(c.text[:0], text...)
	c.due, c.holds = now+c.wait, true
}

// release lets go what is held. Its text is valid until the next delta is kept, which is after the next call at the
// earliest: what comes after it in the same call gets a buffer of its own.
func (c *Coalesce) release(dst []hub.Event) []hub.Event {
	if !c.holds {
		return dst
	}
	ev := c.held
	ev.Text = c.text
	c.holds, c.held, c.text = false, hub.Event{}, nil
	return append(dst, ev)
}
