package adk

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// encoder writes fragments as they come, and keeps the text of each turn until it is said whole.
type encoder struct {
	option []byte // author of agents without a name
	run    []byte
	id     []byte // made last
	from   int    // where the record begins
	member []byte // being written
	time   int64  // when the request came, in milliseconds: 0 = not known
	whole  bool   // the client wants no fragments
	events int    // ids that were made

	agents opened.List[agent]
	texts  opened.List[text]
	calls  opened.List[call]
	asks   opened.List[ask]
	left   bool // a call was left to the client
	kept   int
	usage  usage.Run // totals of the run, for the end of one whose turns did not say theirs
	steps  bool      // usage of a turn was written
	codes  int       // calls that run code and are open
}

// agent is one that works: the author of events, and the turn that has not been said whole.
type agent struct {
	branch, author []byte // string bodies
	own            []byte // author outside of steps
	event          []byte // id of the turn's events, empty if there is none
	parts          []byte // those of the turn, with commas
	extra          []byte // other members of its event
	later          []byte // whole contents, with commas, that wait until the turn is said
	texts          [2]int // open texts of the turn, by channel
	over           bool   // the step has ended, but its turn is not said yet
}

// text is an open text part.
type text struct {
	agent               hub.Slot
	body                []byte
	channel             hub.Chan
	user, hidden, waits bool
}

func newEncoder(o hub.Options) hub.Encoder {
	e := &encoder{option: rawjson.AppendEscaped(nil, []byte(o.Text("agent")))}
	e.Reset()
	return e
}

// Reset implements [hub.Encoder].
func (e *encoder) Reset() {
	e.run, e.whole, e.events, e.kept, e.steps = append(e.run[:0], "run"...), false, 0, 0, false
	e.agents.Reset()
	e.texts.Reset()
	e.calls.Reset()
	e.asks.Reset()
	e.left, e.time, e.codes = false, 0, 0
	e.usage.Reset()
	e.openAgent(0).name(e.option)
}

// Answer implements [hub.Answerer].
func (e *encoder) Answer(req *hub.Request) {
	e.whole, e.time = string(req.Modes) == "false", req.Time
	if len(req.Unique) > 0 {
		e.run = append(e.run[:0], req.Unique...)
	}
}

// Kept implements [hub.Keeper].
func (e *encoder) Kept() int { return e.kept }

// Finish implements [hub.Encoder]. The end of the body is the end of the run.
func (e *encoder) Finish(*wire.Out) {}

// Encode implements [hub.Encoder].
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	switch ev.Kind {
	case hub.TextStart:
		return e.textStart(out, ev)
	case hub.TextDelta:
		return e.textDelta(out, ev)
	case hub.TextEnd:
		return e.textEnd(out, ev)
	case hub.ToolStart:
		return e.toolStart(ev)
	case hub.ToolArgs:
		return hub.Implied // by the whole
	case hub.ToolReady:
		return e.toolReady(out, ev)
	case hub.ToolUpdate:
		return e.toolUpdate(ev)
	case hub.RunStart:
		return e.runStart(ev)
	case hub.RunEnd:
		return e.runEnd(out, ev)
	case hub.StepStart, hub.StepEnd:
		return e.step(out, ev)
	case hub.Usage:
		return e.addUsage(out, ev)
	case hub.Source:
		return e.source(out, ev)
	}
	return e.single(out, ev)
}

// single encodes events that are no part of a turn: the turn before them is over.
func (e *encoder) single(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := e.agent(ev.AgentSlot)
	e.flush(out, l)
	switch ev.Kind {
	case hub.ToolEnd:
		return e.toolEnd(out, l, ev)
	case hub.AgentStart:
		return e.agentStart(out, l, ev)
	case hub.AgentEnd:
		return e.agentEnd(out, ev)
	case hub.Ask:
		return e.ask(out, l, ev)
	case hub.Answer:
		return e.answer(out, l, ev)
	case hub.File:
		return e.file(out, l, ev)
	case hub.Data:
		return e.data(out, l, ev)
	case hub.Raw:
		return e.raw(out, l, ev)
	}
	return hub.Dropped
}

// agent is the agent in a slot, the root if it is not open.
func (e *encoder) agent(slot hub.Slot) *agent {
	if l := e.agents.Find(slot); l != nil {
		return l
	}
	return e.agents.Find(0)
}

// Extend implements [hub.Extender].
func (e *encoder) Extend(out *wire.Out, payload []byte) {
	l := e.agent(0)
	b := append(e.begin(out, `{"customMetadata":`), payload...)
	e.end(out, l, append(b, ','), e.newID())
}

// newID makes the id of an event; it is valid until the next call.
func (e *encoder) newID() []byte {
	e.events++
	b := append(append(e.id[:0], e.run...), '-')
	e.id = strconv.AppendInt(b, int64(e.events), 10)
	return e.id
}

// noActions is what events have that do nothing besides what they say: readers look into it without asking.
const noActions = `"actions":{"stateDelta":{},"artifactDelta":{},"requestedAuthConfigs":{},"requestedToolConfirmations":{}},`

// end appends the members that all events have, and ends the record. b ends with a comma.
func (e *encoder) end(out *wire.Out, l *agent, b, id []byte) {
	e.endAction(out, l, append(b, noActions...), id)
}

// endAction is end for an event that has actions.
func (e *encoder) endAction(out *wire.Out, l *agent, b, id []byte) {
	b = append(append(b, `"invocationId":"`...), e.run...)
	b = append(append(b, `","author":"`...), l.author...)
	if len(l.branch) > 0 {
		b = append(append(b, `","branch":"`...), l.branch...)
	}
	b = append(append(b, `","id":"`...), id...)
	if b = append(b, '"'); e.time > 0 {
		b = strconv.AppendFloat(append(b, `,"timestamp":`...), float64(e.time)/1000, 'f', -1, 64)
	}
	out.Buf = append(b, '}')
	e.endLine(out)
}

// flush says the turn whole, unless a text of it goes on, and what waits for that.
func (e *encoder) flush(out *wire.Out, l *agent) {
	if l.speaks() {
		return
	}
	e.writeTurn(out, l)
	if len(l.later) > 0 {
		l.parts, l.later = append(l.parts, l.later...), l.later[:0]
		e.writeTurn(out, l)
	}
}

// endLine ends a record. The client of the framework takes some characters for the end of a line that JSON allows in strings.
func (e *encoder) endLine(out *wire.Out) {
	out.Buf = rawjson.EscapeSeparators(out.Buf, e.from)
	if bytes.Contains(out.Buf[e.from:], nextLine) {
		out.Buf = append(out.Buf[:e.from], bytes.ReplaceAll(out.Buf[e.from:], nextLine, []byte(`\u0085`))...)
	}
	out.End()
}

// nextLine is U+0085.
var nextLine = []byte("\xc2\x85")

// begin starts a record.
func (e *encoder) begin(out *wire.Out, head string) []byte {
	out.Begin("")
	e.from = len(out.Buf)
	return append(out.Buf, head...)
}

// speaks reports whether a text of the turn goes on.
func (l *agent) speaks() bool { return l.texts != [2]int{} }

func (e *encoder) writeTurn(out *wire.Out, l *agent) {
	if len(l.parts)+len(l.extra) == 0 {
		return
	}
	b := e.begin(out, `{`)
	if len(l.parts) > 0 {
		b = append(append(b, `"content":{"parts":[`...), l.parts[1:]...)
		b = append(b, `],"role":"model"},`...)
	}
	if len(l.extra) > 0 {
		b = append(append(b, l.extra[1:]...), ',')
	}
	if len(l.event) == 0 {
		l.event = append(l.event, e.newID()...)
	}
	e.end(out, l, b, l.event)
	e.kept -= len(l.parts)
	l.parts, l.extra, l.event = l.parts[:0], l.extra[:0], l.event[:0]
	if l.over {
		l.author, l.over = append(l.author[:0], l.own...), false
	}
}

// textStart opens a text. One that begins while another of its channel is open is said when that is over: readers know one
// turn at a time, which has one text of each.
func (e *encoder) textStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	l, t := e.agent(ev.AgentSlot), e.texts.Add(ev.Slot)
	*t = text{agent: ev.AgentSlot, body: t.body[:0], channel: ev.Chan}
	t.user = ev.Flags.Has(hub.User)
	t.hidden = !t.user && ev.Instructs()
	if len(l.later) > 0 {
		e.flush(out, l)
	}
	switch {
	case t.hidden:
		return hub.Dropped
	case t.user:
	case l.texts[t.thought()] > 0:
		t.waits = true
	default:
		l.texts[t.thought()]++
		if len(l.event) == 0 {
			l.event = append(l.event, e.newID()...)
		}
	}
	return hub.Implied
}

// textDelta is the hot path.
func (e *encoder) textDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	t := e.texts.Find(ev.Slot)
	if t.hidden {
		return hub.Dropped
	}
	t.body = append(t.body, ev.Text...)
	e.kept += len(ev.Text)
	switch {
	case t.waits, e.whole && t.channel == hub.Refusal:
		return hub.Folded
	case e.whole || t.user:
		return hub.Deferred
	}
	l := e.agent(t.agent)
	b := append(e.begin(out, `{"content":{"parts":[{"text":"`), ev.Text...)
	b = appendThought(append(b, '"'), t.channel)
	e.end(out, l, append(b, `}],"role":"model"},"partial":true,`...), l.event)
	return hub.NativeIf(t.channel != hub.Refusal)
}

// thought is 1 for a thought, 0 for what is said.
func (t *text) thought() int {
	if t.channel == hub.Reasoning {
		return 1
	}
	return 0
}

func appendThought(b []byte, channel hub.Chan) []byte {
	if channel == hub.Reasoning {
		return append(b, `,"thought":true`...)
	}
	return b
}

// textEnd moves the text into its turn, or says it whole.
func (e *encoder) textEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	t := e.texts.Find(ev.Slot)
	if t.hidden {
		e.texts.Drop(ev.Slot)
		return hub.Dropped
	}
	disposition, sig := hub.Implied, []byte(nil)
	if len(ev.Rare().Sig) > 0 {
		if disposition = hub.Dropped; genai.IsBase64(ev.More.Sig) {
			disposition, sig = hub.Native, ev.More.Sig
		}
	}
	l := e.agent(t.agent)
	e.kept -= len(t.body)
	switch {
	case t.user:
		e.flush(out, l) // what the agent said before
		b := t.appendPart(e.begin(out, `{"content":{"parts":[`), sig)
		e.end(out, &agent{author: []byte(authorUser), branch: l.branch}, append(b, `],"role":"user"},`...), e.newID())
	case t.waits:
		e.kept += grow(&l.later, func(b []byte) []byte { return t.appendPart(b, sig) })
	default:
		e.kept += grow(&l.parts, func(b []byte) []byte { return t.appendPart(b, sig) })
		l.texts[t.thought()]--
	}
	e.texts.Drop(ev.Slot)
	return disposition
}

// grow appends a comma and what f appends, and says by how much the list grew.
func grow(list *[]byte, f func(b []byte) []byte) int {
	n := len(*list)
	*list = f(append(*list, ','))
	return len(*list) - n
}

func (t *text) appendPart(b, sig []byte) []byte {
	b = append(append(b, `{"text":"`...), t.body...)
	b = appendThought(append(b, '"'), t.channel)
	return append(genai.AppendSig(b, sig), '}')
}
