package sequencer

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// UnknownTool is the name of a call whose name is unknown.
const UnknownTool = "unknown"

var unknownTool = []byte(UnknownTool)

// resumes reports whether ev, of a call that this stream has not started, is about one that an earlier stream opened: the
// request tells of it, or the decoder knows its dialect.
func (s *Sequencer) resumes(ev *hub.Event) bool {
	switch {
	case len(ev.ID) == 0, ev.Kind == hub.ToolStart:
		return false
	case ev.Flags.Has(hub.Resumed):
		return true
	}
	c := s.past(ev.ID)
	switch {
	case c == nil:
		return false
	case !c.Answered:
		return true
	}
	return !c.Earlier && ev.Kind != hub.ToolArgs && ev.Kind != hub.ToolReady // else its id comes again
}

// past returns the call with that id which the client has, nil if the request tells of none.
func (s *Sequencer) past(id []byte) *hub.PastCall {
	if s.asked == nil {
		return nil
	}
	return s.asked.History.Find(id)
}

// resume starts the call of ev, which an earlier stream opened, up to its arguments. What was held for it follows.
func (s *Sequencer) resume(dst []hub.Event, ev *hub.Event, q *queue) []hub.Event {
	start := hub.Event{Kind: hub.ToolStart, Flags: hub.Resumed, ID: ev.ID, SubAgent: ev.SubAgent, Name: ev.Name}
	ready := hub.Event{Kind: hub.ToolReady, Flags: hub.Synthetic}
	if q != nil && len(start.Name) == 0 {
		start.Name = q.name()
	}
	if c := s.past(ev.ID); c == nil {
		s.Repairs[ResumedUnknown]++
	} else {
		describe(c, &start, &ready)
	}
	if len(start.Name) == 0 {
		start.Name, start.Flags = unknownTool, start.Flags|hub.Synthetic
	}
	dst = s.startTool(dst, &start, nil)
	if t := s.tools.find(ev.ID); ready.Value != nil || q == nil || !q.has(hub.ToolArgs) && !q.has(hub.ToolReady) {
		dst = s.emitReady(s.wholeArgs(dst, &ready, t), &ready, t)
	}
	if q != nil {
		dst = s.replay(dst, q)
	}
	return dst
}

// describe completes the start and the arguments of a call by what the request tells.
func describe(c *hub.PastCall, start, ready *hub.Event) {
	start.Msg, ready.Value = c.Msg, c.Args
	if len(c.Name) > 0 {
		start.Name = c.Name
	}
	if c.ClientRuns {
		start.Flags |= hub.ClientRuns
	}
}

// qualify completes the normalized start of a call by what the request tells: that the client has the call already, and who
// runs it where the upstream does not say.
func (s *Sequencer) qualify(start *hub.Event) {
	if s.asked == nil {
		return
	}
	if c := s.past(start.ID); c != nil && !c.Answered && rawjson.EqualBody(c.Name, start.Name) {
		start.Flags |= hub.Resumed
	}
	if start.Status != hub.StatusUnknown || !s.asked.Tools.Known {
		return
	}
	start.Status = hub.StatusNone
	if s.asked.Tools.Has(start.Name) {
		start.Flags |= hub.ClientRuns
	}
}
