package hub

import (
	"bytes"
	"strconv"
	"time"
)

// LaneMode says how the sub-agents of a stream are shown.
type LaneMode uint8

// Lane modes.
const (
	LanesDefault LaneMode = iota // as the dialect says: [Dialect.Lanes], which is LanesNest if it does not
	LanesNest                    // as they are
	LanesTool                    // each as one call: that which spawned it, or one that is made for it; its text is the output
	LanesFlatten                 // as if the root agent had done it all
	LanesHide                    // not at all; the call that spawned one stays

	laneModeCount
)

var laneModeNames = [laneModeCount]string{"default", "nest", "tool", "flatten", "hide"}

func (m LaneMode) String() string { return name(laneModeNames[:], int(m)) }

// LaneModeNames lists the names of all modes.
func LaneModeNames() []string { return laneModeNames[:] }

// ParseLaneMode returns the mode of that name.
func ParseLaneMode(s string) (LaneMode, bool) { return parse[LaneMode](laneModeNames[:], []byte(s)) }

// LanesStage takes the sub-agents out of a stream for a client that knows none.
//
// Whatever it takes away or changes is told to the function it was given, by kind and fate.
type LanesStage struct {
	mode  LaneMode
	count func(Kind, Fate)
	lanes []*shownLane
	tools map[string]bool   // calls of the root that are still open: id
	said  map[string][]byte // output that a call has from sub-agents, for an end without a result
	buf   []byte
	made  int
}

// shownLane is an open sub-agent, or one below it.
type shownLane struct {
	id   []byte
	tool []byte // id of the call that stands for it; nil when that has ended
	made bool   // that call was made by this stage
	name []byte // of a made call
}

// maxLaneResult bounds the text that is kept for the result of a call that stands for sub-agents.
const maxLaneResult = 64 << 10

// NewLanesStage makes a stage; count may be nil.
func NewLanesStage(mode LaneMode, count func(Kind, Fate)) *LanesStage {
	if count == nil {
		count = func(Kind, Fate) {}
	}
	return &LanesStage{mode: mode, count: count, tools: map[string]bool{}, said: map[string][]byte{}}
}

// Reset implements [Stage].
func (s *LanesStage) Reset() {
	clear(s.tools)
	clear(s.said)
	s.lanes, s.made = nil, 0
}

// Flush implements [Stage].
func (s *LanesStage) Flush(dst []Event, _ error) []Event { return dst }

// Passes implements [Passer].
func (s *LanesStage) Passes(in []Event) bool {
	for i := range in {
		if in[i].Kind != TextDelta && in[i].Kind != ToolArgs || len(in[i].Lane) > 0 {
			return false
		}
	}
	return true
}

// Push implements [Stage].
func (s *LanesStage) Push(dst, in []Event, _ time.Duration) []Event {
	s.buf = s.buf[:0]
	for i := range in {
		ev := &in[i]
		switch {
		case ev.Kind == AgentStart:
			dst = s.start(dst, ev)
		case ev.Kind == AgentEnd:
			dst = s.end(dst, ev)
		case len(ev.Lane) > 0:
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
func (s *LanesStage) note(ev *Event) {
	switch ev.Kind {
	case ToolReady:
		if s.mode == LanesTool {
			s.tools[string(ev.ID)] = true
		}
	case ToolEnd:
		delete(s.tools, string(ev.ID))
		s.result(ev)
		for _, l := range s.lanes {
			if bytes.Equal(l.tool, ev.ID) {
				l.tool = nil
			}
		}
	}
}

// result fills in the end of a call that has no result.
func (s *LanesStage) result(end *Event) {
	said := s.said[string(end.ID)]
	delete(s.said, string(end.ID))
	if len(said) > 0 && len(end.Text) == 0 && end.Value == nil && (end.More == nil || end.More.Content == nil) {
		end.Text = said
	}
}

func (s *LanesStage) find(id []byte) *shownLane {
	for _, l := range s.lanes {
		if bytes.Equal(l.id, id) {
			return l
		}
	}
	return nil
}

// start opens a lane. With LanesTool, one below another is part of the call that stands for that.
func (s *LanesStage) start(dst []Event, ev *Event) []Event {
	if s.mode != LanesTool {
		s.count(ev.Kind, Dropped)
		return dst
	}
	l := &shownLane{id: bytes.Clone(ev.ID)}
	s.lanes = append(s.lanes, l)
	s.count(ev.Kind, Folded)
	switch parent := s.find(ev.Lane); {
	case len(ev.Lane) > 0 && parent != nil:
		l.tool = parent.tool
	case len(ev.Ref) > 0 && s.tools[string(ev.Ref)]:
		l.tool = bytes.Clone(ev.Ref)
	default:
		return s.delegate(dst, l, ev)
	}
	return dst
}

// delegate makes the call that stands for a sub-agent which no call has spawned.
func (s *LanesStage) delegate(dst []Event, l *shownLane, ev *Event) []Event {
	s.made++
	l.made = true
	l.tool = strconv.AppendInt([]byte("delegate_"), int64(s.made), 10)
	l.name = toolName(ev.Name)
	args := []byte("{}")
	if len(ev.Title) > 0 {
		args = append(append([]byte(`{"task":"`), ev.Title...), `"}`...)
	}
	more := &More{ToolKind: []byte("agent"), Usage: NoCounts}
	return append(dst,
		Event{Kind: ToolStart, Flags: Synthetic, ID: l.tool, Name: l.name, Title: ev.Title, More: more},
		Event{Kind: ToolArgs, Flags: Synthetic, ID: l.tool, Text: escapeJSON(args)},
		Event{Kind: ToolReady, Flags: Synthetic, ID: l.tool, Name: l.name, Value: args})
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

// end closes a lane, and the call that was made for it.
func (s *LanesStage) end(dst []Event, ev *Event) []Event {
	if s.mode != LanesTool {
		s.count(ev.Kind, Dropped)
		return dst
	}
	s.count(ev.Kind, Folded)
	for i, l := range s.lanes {
		if !bytes.Equal(l.id, ev.ID) {
			continue
		}
		s.lanes = append(s.lanes[:i:i], s.lanes[i+1:]...)
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
func (l *shownLane) ended(ev *Event) Event {
	return Event{Kind: ToolEnd, Flags: Synthetic, ID: l.tool, Name: l.name, Status: ev.Status, Text: ev.Text, Value: ev.Value, More: ev.More}
}

// inside is an event of a sub-agent.
func (s *LanesStage) inside(dst []Event, ev *Event) []Event {
	switch {
	case s.mode == LanesFlatten:
		out := *ev
		out.Lane = nil
		return append(dst, out)
	case s.mode == LanesTool && ev.Kind == TextDelta && ev.Chan == AnswerText && ev.Op == Append:
		return s.output(dst, ev)
	case ev.Kind == Ask || ev.Kind == Answer || s.mode == LanesTool && concerns(ev):
		out := *ev
		out.Lane, out.Ref = nil, nil // the call it names is hidden
		s.count(ev.Kind, Folded)
		return append(dst, out)
	}
	s.count(ev.Kind, Dropped)
	return dst
}

// concerns reports whether an event of a sub-agent is for the user, whoever says it.
func concerns(ev *Event) bool {
	switch ev.Kind {
	case File, Source:
		return true
	case Notice:
		return ev.Level == LevelWarning || ev.Level == LevelError
	}
	return false
}

// output shows text of a sub-agent as output of the call that stands for it.
func (s *LanesStage) output(dst []Event, ev *Event) []Event {
	l := s.find(ev.Lane)
	if l == nil || l.tool == nil {
		s.count(ev.Kind, Dropped)
		return dst
	}
	if said := s.said[string(l.tool)]; len(said)+len(ev.Text) <= maxLaneResult {
		s.said[string(l.tool)] = append(said, ev.Text...)
	}
	s.count(ev.Kind, Folded)
	return append(dst, Event{Kind: ToolOutput, Flags: Synthetic, ID: l.tool, Chan: Result, Text: ev.Text})
}
