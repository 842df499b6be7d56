package stages

import (
	"bytes"
	"strconv"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// SubAgents takes the sub-agents out of a stream for a client that knows none.
//
// Whatever it takes away or changes is reported to its callback, by kind and disposition.
type SubAgents struct {
	mode      hub.SubAgentMode
	count     func(hub.Kind, hub.Disposition)
	subAgents []*shownSubAgent
	tools     map[string]bool   // calls of the root that are still open: id
	emitted   map[string][]byte // output that a call has from sub-agents, for an end without a result
	buf       []byte
	made      int
}

// shownSubAgent is an open sub-agent, or one below it.
type shownSubAgent struct {
	id   []byte
	tool []byte   // id of the call that stands for it; nil when that has ended
	slot hub.Slot // of that call; a made one has that of the sub-agent, which is not shown
	made bool     // that call was made by this stage
	name []byte   // of a made call
}

// maxSubAgentResult bounds the text that is kept for the result of a call that stands for sub-agents.
const maxSubAgentResult = 64 << 10

// NewSubAgents makes a stage; count may be nil.
func NewSubAgents(mode hub.SubAgentMode, count func(hub.Kind, hub.Disposition)) *SubAgents {
	if count == nil {
		count = func(hub.Kind, hub.Disposition) {}
	}
	return &SubAgents{mode: mode, count: count, tools: map[string]bool{}, emitted: map[string][]byte{}}
}

// Reset implements [hub.Stage].
func (s *SubAgents) Reset() {
	clear(s.tools)
	clear(s.emitted)
	s.subAgents, s.made = nil, 0
}

// Flush implements [hub.Stage].
func (s *SubAgents) Flush(dst []hub.Event, _ error) []hub.Event { return dst }

// Passes implements [hub.Passer].
func (s *SubAgents) Passes(in []hub.Event) bool {
	for i := range in {
		if in[i].Kind != hub.TextDelta && in[i].Kind != hub.ToolArgs || len(in[i].SubAgent) > 0 {
			return false
		}
	}
	return true
}

// Push implements [hub.Stage].
func (s *SubAgents) Push(dst, in []hub.Event, _ time.Duration) []hub.Event {
	s.buf = s.buf[:0]
	for i := range in {
		ev := &in[i]
		switch {
		case ev.Kind == hub.AgentStart:
			dst = s.start(dst, ev)
		case ev.Kind == hub.AgentEnd:
			dst = s.end(dst, ev)
		case len(ev.SubAgent) > 0:
			dst = s.inside(dst, ev)
		default:
			dst = append(dst, *ev)
			s.note(&dst[len(dst)-1])
		}
	}
	return dst
}

// note remembers which calls of the root are open: only those can stand for a sub-agent. Where one ends without a result
// of its own, what its sub-agents have said is that.
func (s *SubAgents) note(ev *hub.Event) {
	switch ev.Kind {
	case hub.ToolReady:
		if s.mode == hub.SubAgentsTool {
			s.tools[string(ev.ID)] = true
		}
	case hub.ToolEnd:
		delete(s.tools, string(ev.ID))
		s.result(ev)
		for _, l := range s.subAgents {
			if bytes.Equal(l.tool, ev.ID) {
				l.tool = nil
			}
		}
	}
}

// result fills in the end of a call that has no result.
func (s *SubAgents) result(end *hub.Event) {
	emitted := s.emitted[string(end.ID)]
	delete(s.emitted, string(end.ID))
	if len(emitted) > 0 && len(end.Text) == 0 && end.Value == nil && (end.More == nil || end.More.Content == nil) {
		end.Text = emitted
	}
}

func (s *SubAgents) find(id []byte) *shownSubAgent {
	for _, l := range s.subAgents {
		if bytes.Equal(l.id, id) {
			return l
		}
	}
	return nil
}

// start opens a sub-agent. With SubAgentsTool, one below another is part of the call that stands for that.
func (s *SubAgents) start(dst []hub.Event, ev *hub.Event) []hub.Event {
	if s.mode != hub.SubAgentsTool {
		s.count(ev.Kind, hub.Dropped)
		return dst
	}
	l := &shownSubAgent{id: bytes.Clone(ev.ID)}
	s.subAgents = append(s.subAgents, l)
	s.count(ev.Kind, hub.Folded)
	switch parent := s.find(ev.SubAgent); {
	case len(ev.SubAgent) > 0 && parent != nil:
		l.tool, l.slot = parent.tool, parent.slot
	case len(ev.Ref) > 0 && s.tools[string(ev.Ref)]:
		l.tool, l.slot = bytes.Clone(ev.Ref), ev.RefSlot
	default:
		return s.delegate(dst, l, ev)
	}
	return dst
}

// delegate makes the call that stands for a sub-agent which no call has spawned.
func (s *SubAgents) delegate(dst []hub.Event, l *shownSubAgent, ev *hub.Event) []hub.Event {
	s.made++
	l.made, l.slot = true, ev.Slot
	l.tool = strconv.AppendInt([]byte("delegate_"), int64(s.made), 10)
	l.name = toolName(ev.Name)
	args := []byte("{}")
	if len(ev.Title) > 0 {
		args = append(append([]byte(`{"task":"`), ev.Title...), `"}`...)
	}
	more := &hub.More{ToolKind: []byte("agent"), Usage: hub.NoCounts}
	return append(dst,
		hub.Event{Kind: hub.ToolStart, Flags: hub.Synthetic, ID: l.tool, Slot: l.slot, Name: l.name, Title: ev.Title, More: more},
		hub.Event{Kind: hub.ToolArgs, Flags: hub.Synthetic, ID: l.tool, Slot: l.slot, Text: escapeJSON(args)},
		hub.Event{Kind: hub.ToolReady, Flags: hub.Synthetic, ID: l.tool, Slot: l.slot, Name: l.name, Value: args})
}

// toolName is delegate_to_ and the name of an agent, in the letters that model APIs allow in names of tools.
func toolName(agent []byte) []byte {
	out := []byte("delegate_to_")
	const longest = 64
	for _, c := range agent {
		if len(out) == longest {
			break
		}
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			c = '_'
		}
		out = append(out, c)
	}
	if len(agent) == 0 {
		out = append(out, "agent"...)
	}
	return out
}

// escapeJSON makes the body of a JSON string of an object that this stage made or that is valid JSON.
func escapeJSON(raw []byte) []byte {
	out := make([]byte, 0, len(raw)+2*8)
	for _, c := range raw {
		if c == '"' || c == '\\' {
			out = append(out, '\\')
		}
		out = append(out, c)
	}
	return out
}

// end closes a sub-agent, and the call that was made for it.
func (s *SubAgents) end(dst []hub.Event, ev *hub.Event) []hub.Event {
	if s.mode != hub.SubAgentsTool {
		s.count(ev.Kind, hub.Dropped)
		return dst
	}
	s.count(ev.Kind, hub.Folded)
	for i, l := range s.subAgents {
		if !bytes.Equal(l.id, ev.ID) {
			continue
		}
		s.subAgents = append(s.subAgents[:i:i], s.subAgents[i+1:]...)
		if l.made && l.tool != nil {
			dst = append(dst, l.ended(ev))
			s.result(&dst[len(dst)-1])
			return dst
		}
		break
	}
	return dst
}

// ended is the end of a made call: with what the sub-agent returned.
func (l *shownSubAgent) ended(ev *hub.Event) hub.Event {
	return hub.Event{
		Kind: hub.ToolEnd, Flags: hub.Synthetic, ID: l.tool, Slot: l.slot, Name: l.name,
		Status: ev.Status, Text: ev.Text, Value: ev.Value, More: ev.More,
	}
}

// inside is an event of a sub-agent.
func (s *SubAgents) inside(dst []hub.Event, ev *hub.Event) []hub.Event {
	switch {
	case s.mode == hub.SubAgentsFlatten:
		out := *ev
		out.SubAgent, out.AgentSlot = nil, 0
		return append(dst, out)
	case s.mode == hub.SubAgentsTool && ev.Kind == hub.TextDelta && ev.Chan == hub.AnswerText && ev.Op == hub.Append:
		return s.output(dst, ev)
	case ev.Kind == hub.Usage && ev.Scope != hub.SessionScope:
		return append(dst, used(ev))
	case ev.Kind == hub.Ask || ev.Kind == hub.Answer || s.mode == hub.SubAgentsTool && concerns(ev):
		out := *ev
		out.SubAgent, out.AgentSlot, out.Ref, out.RefSlot = nil, 0, nil, 0 // the call it names is hidden
		s.count(ev.Kind, hub.Folded)
		return append(dst, out)
	}
	s.count(ev.Kind, hub.Dropped)
	return dst
}

// used is what a sub-agent has used, which is used by the run, whoever is shown: an answer in one piece counts it, too. The model of a step is not
// that of the agent.
func used(ev *hub.Event) hub.Event {
	out := *ev
	out.SubAgent, out.AgentSlot = nil, 0
	if ev.Scope == hub.StepScope && ev.More != nil && len(ev.More.Model) > 0 {
		more := *ev.More
		more.Model, out.More = nil, &more
	}
	return out
}

// concerns reports whether an event of a sub-agent is for the user, whoever says it.
func concerns(ev *hub.Event) bool {
	switch ev.Kind {
	case hub.File, hub.Source:
		return true
	case hub.Notice:
		return ev.Level == hub.LevelWarning || ev.Level == hub.LevelError
	}
	return false
}

// output shows text of a sub-agent as output of the call that stands for it.
func (s *SubAgents) output(dst []hub.Event, ev *hub.Event) []hub.Event {
	l := s.find(ev.SubAgent)
	if l == nil || l.tool == nil {
		s.count(ev.Kind, hub.Dropped)
		return dst
	}
	if emitted := s.emitted[string(l.tool)]; len(emitted)+len(ev.Text) <= maxSubAgentResult {
		s.emitted[string(l.tool)] = append(emitted, ev.Text...)
	}
	s.count(ev.Kind, hub.Folded)
	return append(dst, hub.Event{Kind: hub.ToolOutput, Flags: hub.Synthetic, ID: l.tool, Slot: l.slot, Chan: hub.Result, Text: ev.Text})
}
