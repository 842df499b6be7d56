package sequencer

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// tool is one tool call.
type tool struct {
	src, id    []byte // upstream's id, normalized id
	name       []byte
	subAgent   *subAgent
	slot       hub.Slot // 0 when it has ended
	ready      bool
	ended      bool
	awaitsArgs bool // events were held for it: those that need its arguments still are, until these are complete
	clientRuns bool // it began in this stream

	args    []byte // fragments joined, a string body
	argsCut bool
	pending bool // its result so far is not the last

	partial partial
	known   toolInfo
}

// partial is the result so far, made of partial outputs.
type partial struct {
	text           []byte // joined, a string body
	value, content []byte // the last of each
	cut            bool   // at the limit
}

// toolInfo is what was last said of a tool, to tell a repeated start from one that brings something new.
type toolInfo struct{ title, kind, locations, content []byte }

// tool handles all events of tools: unknown ones wait, known ones go through the tool's life.
func (s *Sequencer) tool(dst []hub.Event, ev *hub.Event) []hub.Event {
	t := s.tools.find(ev.ID)
	switch {
	case ev.Kind == hub.ToolStart && len(ev.Name) > 0 && (t == nil || len(ev.ID) == 0):
		return s.startTool(dst, ev, s.tools.take(ev.ID)) // without an id, nothing says that it is the same call
	case t == nil && s.resumes(ev):
		own := *ev
		own.Flags &^= hub.Resumed // which its start says
		return s.tool(s.resume(dst, ev, s.tools.take(ev.ID)), &own)
	case t == nil:
		return s.hold(dst, ev)
	case ev.Kind == hub.ToolStart:
		return s.startAgain(dst, ev, t)
	case t.ended:
		s.Repairs[lateRepair(ev.Kind)]++
		return dst
	case t.awaitsArgs && !t.ready && (ev.Kind == hub.ToolOutput || ev.Kind == hub.ToolEnd):
		if s.replaying {
			return s.hold(dst, ev)
		}
		return s.tool(s.endArgsWait(dst, t), ev) // the upstream has gone on: no arguments will come
	}
	switch ev.Kind {
	case hub.ToolArgs:
		return s.toolArgs(dst, ev, t)
	case hub.ToolReady:
		return s.toolReady(dst, ev, t)
	case hub.ToolUpdate:
		t.known.learn(ev)
		return t.emit(dst, ev)
	case hub.ToolOutput:
		return s.toolOutput(dst, ev, t)
	}
	return s.toolEnd(dst, ev, t)
}

func lateRepair(k hub.Kind) Repair {
	switch k {
	case hub.ToolArgs, hub.ToolReady:
		return LateArgs
	case hub.ToolUpdate:
		return LateUpdate
	case hub.ToolOutput:
		return LateOutput
	}
	return EndRepeated
}

// emit appends ev as an event of t. The returned event may be changed.
func (t *tool) emit(dst []hub.Event, ev *hub.Event) []hub.Event {
	dst, out := hub.AddCopy(dst, ev)
	out.ID, out.Slot = t.id, t.slot
	t.subAgent.place(out)
	return dst
}

// startTool starts a tool; the events of q, which were held for it, follow.
func (s *Sequencer) startTool(dst []hub.Event, ev *hub.Event, q *queue) []hub.Event {
	dst, l := s.subAgent(dst, ev.SubAgent)
	if len(s.tools.running) >= s.cfg.Bounds.Open {
		dst = s.endTool(dst, s.tools.running[0], hub.StatusUnknown)
	}
	t := s.tools.add(ev, l, s.slots.take())
	t.known.learn(ev)
	dst = s.closeParts(dst, func(p *part) bool { return p.strictSubAgent == l })
	dst = t.emit(dst, ev)
	start := &dst[len(dst)-1]
	s.qualify(start)
	t.clientRuns = start.Flags.Has(hub.ClientRuns) && !start.Flags.Has(hub.Resumed) && !start.Flags.Has(hub.Replayed)
	if q == nil {
		return dst
	}
	t.awaitsArgs = !ev.Flags.Has(hub.Synthetic) // a start that was made up has nothing to wait for
	return s.replay(dst, q)
}

// startAgain turns a start of a known tool into an update, if it brings something new.
func (s *Sequencer) startAgain(dst []hub.Event, ev *hub.Event, t *tool) []hub.Event {
	s.Repairs[StartRepeated]++
	if t.ended || !t.known.learn(ev) && ev.Status == hub.StatusNone {
		return dst
	}
	update := *ev
	update.Kind = hub.ToolUpdate
	return t.emit(dst, &update)
}

// learn keeps the metadata of ev and reports whether it differs from what was known.
func (k *toolInfo) learn(ev *hub.Event) (changed bool) {
	keep := func(have *[]byte, now []byte) {
		if len(now) > 0 && !bytes.Equal(*have, now) {
			*have, changed = append((*have)[:0], now...), true
		}
	}
	keep(&k.title, ev.Title)
	if ev.More != nil {
		keep(&k.kind, ev.More.ToolKind)
		keep(&k.locations, ev.More.Locations)
		keep(&k.content, ev.More.Content)
	}
	return changed
}

func (s *Sequencer) toolArgs(dst []hub.Event, ev *hub.Event, t *tool) []hub.Event {
	switch {
	case t.ready:
		s.Repairs[LateArgs]++
		return dst
	case len(ev.Text) == 0:
		return dst
	case len(t.args)+len(ev.Text) > s.cfg.Bounds.Args, t.argsCut:
		s.Repairs[ArgsCut]++
		t.argsCut = true
		return dst
	}
	t.args = append(t.args, ev.Text...)
	return t.emit(dst, ev)
}

// toolReady ends the arguments. ev may carry them whole (Value, or Text where they are no JSON), or leave it to the
// fragments.
func (s *Sequencer) toolReady(dst []hub.Event, ev *hub.Event, t *tool) []hub.Event {
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
func (s *Sequencer) wholeArgs(dst []hub.Event, ev *hub.Event, t *tool) []hub.Event {
	switch {
	case len(ev.Value) > 0:
		t.args = rawjson.AppendEscaped(t.args, ev.Value)
	case len(bytes.TrimSpace(ev.Text)) > 0:
		t.args = append(t.args, ev.Text...)
	default:
		t.args = append(t.args, "{}"...)
	}
	return t.emit(dst, &hub.Event{Kind: hub.ToolArgs, Text: t.args, Flags: hub.Synthetic, Msg: ev.Msg})
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
func (s *Sequencer) emitReady(dst []hub.Event, ev *hub.Event, t *tool) []hub.Event {
	out := *ev
	out.Kind, out.Name, out.Text, out.Value = hub.ToolReady, t.name, nil, nil
	if joined, ok := rawjson.ValueOfText(s.scratch.Begin(), t.args); ok {
		out.Value = s.scratch.Since(joined)
		out.Flags &^= hub.Invalid
	} else {
		out.Text = t.args
		out.Flags |= hub.Invalid
	}
	t.ready, t.args = true, nil
	dst = t.emit(dst, &out)
	if q := s.tools.take(t.src); q != nil {
		return s.replay(dst, q)
	}
	return dst
}

func (s *Sequencer) makeReady(dst []hub.Event, t *tool) []hub.Event {
	if t.ready {
		return dst
	}
	s.Repairs[ReadyMade]++
	made := hub.Event{Kind: hub.ToolReady, Flags: hub.Synthetic}
	if len(t.args) == 0 {
		dst = s.wholeArgs(dst, &made, t)
	}
	return s.emitReady(dst, &made, t)
}

func (s *Sequencer) toolOutput(dst []hub.Event, ev *hub.Event, t *tool) []hub.Event {
	dst = s.makeReady(dst, t)
	out := *ev
	if ev.Op == hub.Replace && bytes.HasPrefix(ev.Text, t.partial.text) && !t.partial.cut {
		out.Op, out.Text = hub.Append, ev.Text[len(t.partial.text):] // the usual case: the output so far, once more
	}
	if out.Op == hub.Append && len(out.Text) == 0 && out.Value == nil && out.More == nil {
		if len(ev.Text) > 0 {
			s.Repairs[TextRepeated]++
		}
		return dst
	}
	t.partial.add(&out, s.cfg.Bounds.Result)
	return t.emit(dst, &out)
}

// add collects a partial output, so that the end can carry the whole result.
func (p *partial) add(ev *hub.Event, limit int) {
	if ev.Op == hub.Replace {
		*p = partial{text: p.text[:0], value: p.value[:0], content: p.content[:0]}
	}
	if !p.cut {
		piece := cutBody(ev.Text, limit-len(p.text))
		p.text = append(p.text, piece...)
		p.cut = len(piece) < len(ev.Text)
	}
	p.value = p.last(p.value, ev.Value, limit)
	if ev.More != nil {
		p.content = p.last(p.content, ev.More.Content, limit)
	}
}

// last keeps a copy of now, if there is one and it is within the limit.
func (p *partial) last(have, now []byte, limit int) []byte {
	if len(now) > limit {
		p.cut = true
		return have
	}
	if now == nil {
		return have
	}
	return append(have[:0], now...)
}

// cutBody returns the beginning of a string body, at most n bytes, that ends between characters and escapes.
func cutBody(body []byte, n int) []byte {
	if len(body) <= n {
		return body
	}
	end := 0
	for i := 0; i <= n; {
		end = i
		switch {
		case body[i] != '\\':
			_, size := utf8.DecodeRune(body[i:])
			i += size
		case i+1 < len(body) && body[i+1] == 'u':
			i += 6
		default:
			i += 2
		}
	}
	return body[:end]
}

// toolEnd passes the result. One that another follows is not shown: clients take any result for the last.
func (s *Sequencer) toolEnd(dst []hub.Event, ev *hub.Event, t *tool) []hub.Event {
	if ev.Status == hub.StatusPending {
		s.Repairs[Provisional]++
		t.pending = true
		return dst
	}
	status := endStatus(ev.Status, hub.StatusUnknown)
	dst = s.makeReady(dst, t)
	if status != hub.StatusPaused { // a paused tool waits for the answer in a later run
		dst = s.closeAsks(dst, func(a *openAsk) bool { return a.tool == t })
	}
	dst = t.emit(dst, ev)
	out := &dst[len(dst)-1]
	out.Name, out.Status = t.name, status
	if out.Text == nil && out.Value == nil && (out.More == nil || out.More.Content == nil) {
		t.partial.become(out)
		if t.partial.cut {
			s.Repairs[ResultCut]++
			out.Flags |= hub.Invalid
		}
	}
	s.slots.give(t.slot)
	s.tools.end(t)
	return dst
}

// become makes the result so far the result of end. Its memory then belongs to end.
func (p *partial) become(end *hub.Event) {
	switch {
	case len(p.text) > 0:
		end.Text = p.text
	case len(p.value) > 0:
		end.Value = p.value
	}
	if len(p.content) == 0 {
		return
	}
	more := hub.More{Usage: hub.NoCounts}
	if end.More != nil {
		more = *end.More
	}
	more.Content = p.content
	end.More = &more
}

// endTool makes up the end of a tool. A result that is still to follow comes in a later run.
func (s *Sequencer) endTool(dst []hub.Event, t *tool, status hub.Status) []hub.Event {
	dst = s.makeReady(dst, t)
	if t.ended { // by an end that was held for the arguments
		return dst
	}
	s.Repairs[EndMade]++
	if t.pending && status != hub.StatusAborted {
		status = hub.StatusPaused
	}
	return s.toolEnd(dst, &hub.Event{Kind: hub.ToolEnd, Status: status, Flags: hub.Synthetic}, t)
}

// closeTools ends the tools and asks that are open in a sub-agent. What the client is to run is not answered by a good end: it waits.
func (s *Sequencer) closeTools(dst []hub.Event, l *subAgent, reason hub.Status) []hub.Event {
	for _, t := range slices.Clone(s.tools.running) {
		if t.subAgent != l {
			continue
		}
		status := openStatus(reason)
		if t.clientRuns && reason == hub.StatusDone && !t.pending {
			status, s.tools.handed = hub.StatusClient, true
		}
		dst = s.endTool(dst, t, status)
	}
	if reason == hub.StatusPaused {
		return dst
	}
	return s.closeAsks(dst, func(a *openAsk) bool { return a.subAgent == l && a.tool == nil })
}
