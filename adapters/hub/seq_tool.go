package hub

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// tool is one tool call.
type tool struct {
	id, name []byte
	lane     *lane
	ready    bool
	ended    bool

	args      []byte // fragments joined, a string body
	result    []byte // partial outputs joined, a string body
	resultCut bool

	title, kind, locations []byte // as last said, to tell a repeated start from one that brings something new
}

// tool handles all events of tools: unknown ones wait, known ones go through the tool's life.
func (s *Sequencer) tool(dst []Event, ev *Event) []Event {
	t := s.tools.find(ev.ID)
	switch {
	case ev.Kind == ToolStart && len(ev.Name) > 0:
		return s.toolStart(dst, ev, t)
	case t == nil:
		return s.hold(dst, ev)
	case ev.Kind == ToolStart:
		return s.startAgain(dst, ev, t)
	case t.ended:
		s.Repairs[lateRepair(ev.Kind)]++
		return dst
	}
	switch ev.Kind {
	case ToolArgs:
		return s.toolArgs(dst, ev, t)
	case ToolReady:
		return s.toolReady(dst, ev, t)
	case ToolUpdate:
		t.remember(ev)
		return t.emit(dst, ev)
	case ToolOutput:
		return s.toolOutput(dst, ev, t)
	}
	return s.toolEnd(dst, ev, t)
}

func lateRepair(k Kind) Repair {
	switch k {
	case ToolArgs, ToolReady:
		return LateArgs
	case ToolUpdate:
		return LateUpdate
	case ToolOutput:
		return LateOutput
	}
	return EndRepeated
}

// emit appends ev as an event of t. The returned event may be changed.
func (t *tool) emit(dst []Event, ev *Event) []Event {
	dst = append(dst, *ev)
	out := &dst[len(dst)-1]
	out.ID, out.Lane = t.id, t.lane.strict()
	return dst
}

func (s *Sequencer) toolStart(dst []Event, ev *Event, t *tool) []Event {
	if t != nil {
		return s.startAgain(dst, ev, t)
	}
	dst, l := s.lane(dst, ev.Lane)
	t = s.tools.add(ev, l)
	t.remember(ev)
	dst = s.closeParts(dst, func(p *part) bool { return p.strictLane == l })
	dst = t.emit(dst, ev)
	if q := s.tools.take(t.id); q != nil {
		for i := range q.events {
			dst = s.tool(dst, &q.events[i])
		}
	}
	return dst
}

// startAgain turns a start of a known tool into an update, if it brings something new.
func (s *Sequencer) startAgain(dst []Event, ev *Event, t *tool) []Event {
	s.Repairs[StartRepeated]++
	if t.ended || !t.remember(ev) && ev.Status == StatusNone && (ev.More == nil || ev.More.Content == nil) {
		return dst
	}
	update := *ev
	update.Kind = ToolUpdate
	return t.emit(dst, &update)
}

// remember keeps the metadata of ev and reports whether it differs from what was known.
func (t *tool) remember(ev *Event) (changed bool) {
	keep := func(have *[]byte, now []byte) {
		if len(now) > 0 && !bytes.Equal(*have, now) {
			*have, changed = append((*have)[:0], now...), true
		}
	}
	keep(&t.title, ev.Title)
	if ev.More != nil {
		keep(&t.kind, ev.More.ToolKind)
		keep(&t.locations, ev.More.Locations)
	}
	return changed
}

func (s *Sequencer) toolArgs(dst []Event, ev *Event, t *tool) []Event {
	if t.ready {
		s.Repairs[LateArgs]++
		return dst
	}
	if len(ev.Text) == 0 {
		return dst
	}
	t.args = append(t.args, ev.Text...)
	return t.emit(dst, ev)
}

// toolReady ends the arguments. ev may carry them whole (Value, or Text where they are no JSON), or leave it to the
// fragments.
func (s *Sequencer) toolReady(dst []Event, ev *Event, t *tool) []Event {
	if t.ready {
		if ev.Value != nil || len(ev.Text) > 0 {
			s.Repairs[LateArgs]++
		}
		return dst
	}
	if len(t.args) == 0 {
		dst = s.wholeArgs(dst, ev, t)
	} else if ev.Value != nil && !s.sameArgs(ev.Value, t.args) {
		s.Repairs[ArgsDiffer]++
	}
	return s.emitReady(dst, ev, t)
}

// wholeArgs makes the one fragment of arguments that came whole, or of none.
func (s *Sequencer) wholeArgs(dst []Event, ev *Event, t *tool) []Event {
	switch {
	case len(ev.Value) > 0:
		t.args = rawjson.AppendEscaped(t.args, ev.Value)
	case len(bytes.TrimSpace(ev.Text)) > 0:
		t.args = append(t.args, ev.Text...)
	default:
		t.args = append(t.args, "{}"...)
	}
	return t.emit(dst, &Event{Kind: ToolArgs, Text: t.args, Flags: Synthetic, Msg: ev.Msg})
}

func (s *Sequencer) sameArgs(value, args []byte) bool {
	joined, ok := rawjson.ValueOfText(s.scratch.Begin(), args)
	if !ok {
		return false
	}
	return rawjson.Equal(value, s.scratch.Since(joined))
}

// emitReady appends ToolReady with the joined fragments. After it the fragments are forgotten; their memory lives as
// long as the events returned.
func (s *Sequencer) emitReady(dst []Event, ev *Event, t *tool) []Event {
	out := *ev
	out.Kind, out.Name, out.Text, out.Value = ToolReady, t.name, nil, nil
	if joined, ok := rawjson.ValueOfText(s.scratch.Begin(), t.args); ok {
		out.Value = s.scratch.Since(joined)
		out.Flags &^= Invalid
	} else {
		out.Text = t.args
		out.Flags |= Invalid
	}
	t.ready, t.args = true, nil
	return t.emit(dst, &out)
}

func (s *Sequencer) makeReady(dst []Event, t *tool) []Event {
	if t.ready {
		return dst
	}
	s.Repairs[ReadyMade]++
	made := Event{Kind: ToolReady, Flags: Synthetic}
	if len(t.args) == 0 {
		dst = s.wholeArgs(dst, &made, t)
	}
	return s.emitReady(dst, &made, t)
}

func (s *Sequencer) toolOutput(dst []Event, ev *Event, t *tool) []Event {
	dst = s.makeReady(dst, t)
	out := *ev
	if ev.Op == Replace && bytes.HasPrefix(ev.Text, t.result) && !t.resultCut {
		out.Op, out.Text = Append, ev.Text[len(t.result):] // the usual case: the output so far, once more
		if len(out.Text) == 0 && len(ev.Text) > 0 && out.Value == nil && out.More == nil {
			s.Repairs[TextRepeated]++
			return dst
		}
	}
	s.keepResult(t, &out)
	return t.emit(dst, &out)
}

// keepResult collects partial outputs, so that the end can carry the whole result.
func (s *Sequencer) keepResult(t *tool, ev *Event) {
	if ev.Op == Replace {
		t.result = t.result[:0]
	}
	if len(t.result)+len(ev.Text) > s.cfg.Bounds.Result {
		t.resultCut = true
		return
	}
	t.result = append(t.result, ev.Text...)
}

func (s *Sequencer) toolEnd(dst []Event, ev *Event, t *tool) []Event {
	dst = s.makeReady(dst, t)
	if ev.Status != StatusPaused { // a paused tool waits for the answer in a later run
		dst = s.closeAsks(dst, func(a *openAsk) bool { return a.tool == t })
	}
	dst = t.emit(dst, ev)
	out := &dst[len(dst)-1]
	out.Name = t.name
	if out.Status == StatusNone {
		out.Status = StatusUnknown
	}
	if out.Text == nil && out.Value == nil && (out.More == nil || out.More.Content == nil) && len(t.result) > 0 {
		out.Text = t.result
		if t.resultCut {
			s.Repairs[ResultCut]++
			out.Flags |= Invalid
		}
	}
	s.tools.end(t)
	return dst
}

// closeTools ends the tools that are open in a lane.
func (s *Sequencer) closeTools(dst []Event, l *lane, reason Status) []Event {
	for _, t := range slices.Clone(s.tools.running) {
		if t.lane != l {
			continue
		}
		s.Repairs[EndMade]++
		dst = s.toolEnd(dst, &Event{Kind: ToolEnd, Status: openStatus(reason), Flags: Synthetic}, t)
	}
	if reason == StatusPaused {
		return dst
	}
	return s.closeAsks(dst, func(a *openAsk) bool { return a.lane == l && a.tool == nil })
}
