package redact

import (
	"bytes"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// Stage takes the secrets out of one stream. Texts, arguments and outputs of calls are searched across the borders of their deltas;
// what is held back of them leaves with the next delta, or before their end. Everything else is searched as it comes.
//
// Records that are not known are dropped: what in them continues what is not known either. Ids, names of tools and encoded bytes are not
// searched.
type Stage struct {
	searcher

	// Count is called with each match, and Dropped with each event that is taken away; nil for none.
	Count   func(name string)
	Dropped func(hub.Kind, hub.Disposition)

	open    []*part
	spare   []*part
	tools   []tool
	whole   text
	more    hub.More
	blocked bool
	unbegun unbegun // of what comes behind the block
	cut     bool    // the run ends before its texts do

	limited   bool        // the run ends by a limit
	late      []hub.Event // the end of a text, and what follows it; see keepsEnd
	releasing bool        // late events go through
	last      bool        // they are the last before the limit
}

// part is a text that is open: a part, the arguments of a call, or an output of one.
type part struct {
	kind     hub.Kind // of its deltas
	channel  hub.Chan
	id       []byte
	subAgent []byte
	msg      []byte
	text     text
}

// tool is the name of a call that is open.
type tool struct {
	id   []byte
	name string
}

// NewStage makes a stage for one stream after another.
func NewStage(r *Rules) *Stage {
	s := &Stage{Count: func(string) {}, Dropped: func(hub.Kind, hub.Disposition) {}}
	s.rules = r
	s.note = func(p *pattern, half bool) {
		s.blocked = s.blocked || p.Block && !half
		s.Count(p.Name)
	}
	return s
}

// Blocked reports whether something was found that ends the run.
func (s *Stage) Blocked() bool { return s.blocked }

// Reset implements [hub.Stage].
func (s *Stage) Reset() {
	s.spare = append(s.spare, s.open...)
	s.open, s.tools, s.blocked = s.open[:0], s.tools[:0], false
	s.unbegun.reset()
	s.out = s.out[:0]
	clear(s.late)
	s.late = s.late[:0]
}

// Push implements [hub.Stage].
func (s *Stage) Push(dst, in []hub.Event, _ time.Duration) []hub.Event {
	s.out = s.out[:0]
	if n := len(in); n > 0 {
		s.cut, s.limited = isCut(&in[n-1]), isLimit(&in[n-1])
	}
	for i := range in {
		ev := &in[i]
		if s.keepsEnd(ev) {
			continue
		}
		if len(s.late) > 0 {
			if dst = s.release(dst, ev); s.keepsEnd(ev) {
				continue
			}
		}
		dst = s.event(dst, ev)
	}
	return dst
}

// isCut reports whether an event ends a run in the middle of what it says.
func isCut(ev *hub.Event) bool {
	return ev.Kind == hub.RunEnd && (ev.Status == hub.StatusTruncated || ev.Status == hub.StatusFailed || ev.Status == hub.StatusCancelled)
}

// isCutOff reports whether an event ends a text that the agent has not ended.
func (s *Stage) isCutOff(ev *hub.Event) bool { return s.cut && ev.Flags.Has(hub.Synthetic) }

// rest is what is left of a text that an event ends: nothing that may be half a match where more should have come.
func (s *Stage) rest(t *text, ev *hub.Event) []byte {
	switch {
	case s.isCutOff(ev):
		return s.cutOff(t)
	case s.isLimited(ev):
		return s.limit(t)
	}
	return s.finish(t)
}

// Flush implements [hub.Stage]. A normal stream has ended all parts by then.
func (s *Stage) Flush(dst []hub.Event, _ error) []hub.Event { return s.release(dst, nil) }

// event appends what becomes of one event.
func (s *Stage) event(dst []hub.Event, in *hub.Event) []hub.Event {
	ev := *in
	switch {
	case s.blocked:
		return s.afterBlock(dst, &ev)
	case ev.Kind == hub.Raw:
		s.Dropped(hub.Raw, hub.Dropped)
		return dst
	case ev.Kind == hub.TextDelta, ev.Kind == hub.ToolArgs, ev.Kind == hub.ToolOutput && ev.Text != nil:
		if s.delta(&ev); len(ev.Text) == 0 && len(ev.Value) == 0 && ev.More == nil && ev.Op != hub.Replace {
			return dst
		}
		dst = append(dst, ev)
		return s.unlessBlocked(dst)
	case ev.Kind == hub.TextEnd, ev.Kind == hub.ToolReady, ev.Kind == hub.ToolEnd:
		dst = s.end(dst, &ev)
	case ev.Kind == hub.ToolStart && s.rules.scoped:
		s.tools = append(s.tools, tool{bytes.Clone(ev.ID), string(ev.Name)})
	}
	s.contents(&ev)
	if s.blocked {
		return s.afterBlock(dst, &ev)
	}
	return append(dst, ev)
}

// unlessBlocked takes the last event back if what was found in it ends the run.
func (s *Stage) unlessBlocked(dst []hub.Event) []hub.Event {
	if s.blocked {
		return dst[:len(dst)-1]
	}
	return dst
}

// delta searches a piece of a text.
func (s *Stage) delta(ev *hub.Event) {
	p := s.partOf(ev)
	if ev.Op == hub.Replace {
		p.text.reset(p.text.form, p.text.tool)
	}
	ev.Text = s.feed(&p.text, ev.Text)
	if ev.Kind == hub.ToolOutput && (ev.Value != nil || ev.More != nil) {
		text := ev.Text
		ev.Text = nil
		s.contents(ev)
		ev.Text = text
	}
}

// partOf finds the text that a delta belongs to, or begins it.
func (s *Stage) partOf(ev *hub.Event) *part {
	for _, p := range s.open {
		if p.kind == ev.Kind && bytes.Equal(p.id, ev.ID) && (ev.Kind != hub.ToolOutput || p.channel == ev.Chan) {
			return p
		}
	}
	p := new(part)
	if n := len(s.spare); n > 0 {
		p, s.spare = s.spare[n-1], s.spare[:n-1]
	}
	p.kind, p.channel = ev.Kind, ev.Chan
	p.id, p.subAgent, p.msg = append(p.id[:0], ev.ID...), append(p.subAgent[:0], ev.SubAgent...), append(p.msg[:0], ev.Msg...)
	switch ev.Kind {
	case hub.ToolArgs:
		p.text.reset(args, s.toolOf(ev.ID))
	case hub.ToolOutput:
		p.text.reset(body, s.toolOf(ev.ID))
	default:
		p.text.reset(body, "")
	}
	s.open = append(s.open, p)
	return p
}

// toolOf is the name of the tool of a call, if patterns ask for it.
func (s *Stage) toolOf(id []byte) string {
	for i := range s.tools {
		if bytes.Equal(s.tools[i].id, id) {
			return s.tools[i].name
		}
	}
	return ""
}

// end lets go what is held of the texts that an event ends.
func (s *Stage) end(dst []hub.Event, ev *hub.Event) []hub.Event {
	rest := s.open[:0]
	for _, p := range s.open {
		if !p.endsWith(ev) {
			rest = append(rest, p)
			continue
		}
		s.spare = append(s.spare, p)
		if held := s.rest(&p.text, ev); len(held) > 0 && !s.blocked {
			dst = append(dst, hub.Event{
				Kind: p.kind, Chan: p.channel, ID: ev.ID, Slot: ev.Slot, SubAgent: p.subAgent, AgentSlot: ev.AgentSlot, Msg: p.msg, Text: held,
			})
		}
	}
	s.open = rest
	if ev.Kind == hub.ToolEnd {
		s.forgetTool(ev.ID)
	}
	return dst
}

// endsWith reports whether an event ends a text.
func (p *part) endsWith(ev *hub.Event) bool {
	if !bytes.Equal(p.id, ev.ID) {
		return false
	}
	switch ev.Kind {
	case hub.TextEnd:
		return p.kind == hub.TextDelta
	case hub.ToolReady:
		return p.kind == hub.ToolArgs
	}
	return p.kind != hub.TextDelta
}

func (s *Stage) forgetTool(id []byte) {
	for i := range s.tools {
		if bytes.Equal(s.tools[i].id, id) {
			s.tools[i] = s.tools[len(s.tools)-1]
			s.tools = s.tools[:len(s.tools)-1]
			return
		}
	}
}

// afterBlock lets pass what ends things that have begun, with nothing in it, and says why the run ends.
func (s *Stage) afterBlock(dst []hub.Event, ev *hub.Event) []hub.Event {
	if s.unbegun.has(ev) {
		s.Dropped(ev.Kind, hub.Dropped)
		return dst
	}
	end := hub.Event{Kind: ev.Kind, Status: ev.Status, Chan: ev.Chan, ID: ev.ID, SubAgent: ev.SubAgent, Msg: ev.Msg, Flags: ev.Flags}
	end.Slot, end.AgentSlot = ev.Slot, ev.AgentSlot
	switch ev.Kind {
	case hub.TextEnd, hub.StepEnd, hub.AgentEnd, hub.Answer:
	case hub.ToolEnd:
		end.Name, end.Status = ev.Name, hub.StatusAborted
	case hub.ToolReady:
		end.Name, end.Flags = ev.Name, ev.Flags|hub.Invalid
	case hub.RunEnd:
		end = hub.FailureEnd(hub.Fail(hub.CodeBlocked, nil), &s.more)
	default:
		s.Dropped(ev.Kind, hub.Dropped)
		return dst
	}
	return append(dst, end)
}
