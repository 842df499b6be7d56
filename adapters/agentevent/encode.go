package agentevent

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/plandedup"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// How reasoning is written.
const (
	thoughtBlock = "block"
	thoughtDelta = "delta"
	thoughtDrop  = "drop"
)

// maxThought is how many bytes of a thought are collected; a longer one is written in several.
const maxThought = 1 << 20

// What errors say where the run does not.
const (
	failedText  = "The agent reported an error."
	limitText   = "Max iterations reached" // as the server says it
	waitingText = "The agent waits for an answer that this client cannot give."
)

// encoder writes one version of the dialect.
type encoder struct {
	v2             bool
	ids            bool // callId, seq, at
	thoughts       string
	serialise      bool
	subAgentEvents bool
	plans          bool

	planned   uint64 // plans written
	planCalls bool   // a call has written a plan
	reported  plandedup.Filter
	seq       uint64
	begun     bool
	thought   thought
	tools     tools
	subAgents opened.List[subAgent]

	card *openCall // the call that the event in hand is wrapped in, because it happens in a sub-agent
	body int       // where the record in hand begins in the buffer

	times member.Times
}

// thought is a part of reasoning that is being collected.
type thought struct {
	id, msg, text []byte
}

func newEncoder(o hub.Options) *encoder {
	v2 := o.Enum("version") == "2"
	e := &encoder{
		v2:             v2,
		ids:            v2 || o.Bool("extensions"),
		thoughts:       o.Enum("thoughts"),
		subAgentEvents: o.Enum("lane_events") == "progress",
		plans:          o.Enum("plans") == "tool",
	}
	e.serialise = !e.ids && o.Bool("serialize_same_name")
	e.Reset()
	return e
}

// Reset keeps the options and some of the memory.
func (e *encoder) Reset() {
	e.seq, e.begun, e.card = 0, false, nil
	e.planned, e.planCalls = 0, false
	e.reported.Reset()
	e.thought.text = e.thought.text[:0]
	e.tools.reset()
	e.subAgents.Reset()
}

// Finish appends nothing: the terminal event was the last.
func (e *encoder) Finish(*wire.Out) {}

// Encode appends the records for ev.
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.card = nil
	switch {
	case ev.Kind == hub.AgentStart:
		return e.agentStart(out, ev)
	case ev.Kind == hub.AgentEnd:
		return e.agentEnd(out, ev)
	case len(ev.SubAgent) > 0:
		return e.inSubAgent(out, ev)
	}
	return e.encode(out, ev)
}

// writers are the methods of the encoder, by the kind of event that they write.
var writers = hub.Writers[*encoder]{
	hub.RunStart: (*encoder).runStart, hub.RunEnd: (*encoder).runEnd,
	hub.TextStart: hub.Silent((*encoder).textStart), hub.TextDelta: (*encoder).textDelta, hub.TextEnd: (*encoder).textEnd,
	hub.ToolStart: hub.Silent((*encoder).toolStart), hub.ToolArgs: (*encoder).toolArgs,
	hub.ToolReady: (*encoder).toolReady, hub.ToolUpdate: (*encoder).toolProgress, hub.ToolOutput: (*encoder).toolProgress,
	hub.ToolEnd: (*encoder).toolEnd,
	hub.Ask:     func(e *encoder, out *wire.Out, ev *hub.Event) hub.Disposition { return e.fold(out, ev, ev.Title) },
	hub.Plan:    (*encoder).plan, hub.Usage: (*encoder).usage,
	hub.Notice: func(e *encoder, out *wire.Out, ev *hub.Event) hub.Disposition { return e.fold(out, ev, ev.Text) },
	hub.Raw:    (*encoder).raw,
}

// encode writes an event of the root agent, or of a sub-agent if card is set.
func (e *encoder) encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	return writers.Write(e, out, ev)
}

// open begins a record about ev. Members may be appended until close.
func (e *encoder) open(out *wire.Out, typ string, ev *hub.Event) []byte {
	out.Begin("")
	e.body = len(out.Buf)
	if e.card == nil {
		out.Buf = e.appendHead(out.Buf, typ, ev.Msg)
		return out.Buf
	}
	buf := e.appendTool(e.appendHead(out.Buf, typeToolProgress, ev.Msg), e.card.id, e.card.name)
	out.Buf = e.appendHead(append(buf, `,"data":`...), typ, nil)
	return out.Buf
}

func (e *encoder) appendHead(dst []byte, typ string, msg []byte) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, typ...)
	dst = append(dst, '"')
	if e.v2 && len(msg) > 0 {
		dst = append(dst, `,"messageId":`...)
		dst = rawjson.AppendQuoted(dst, msg)
	}
	return dst
}

// appendTool appends what names a call.
func (e *encoder) appendTool(dst, id, tool []byte) []byte {
	if e.ids {
		dst = append(dst, `,"callId":`...)
		dst = rawjson.AppendQuoted(dst, id)
	}
	dst = append(dst, `,"toolName":`...)
	return rawjson.AppendQuoted(dst, tool)
}

// close completes the record begun last. about is the call that it tells of, nil if of none.
func (e *encoder) close(out *wire.Out, record []byte, ev *hub.Event, about *openCall) {
	if e.card != nil {
		record, about = append(record, '}'), e.card
	}
	if e.ids {
		record = e.appendTail(record, ev)
	}
	out.Buf = append(record, '}')
	if about != nil && about.turn.Waits() {
		e.tools.turns.Hold(out, &about.turn, "", out.Buf[e.body:])
		return
	}
	out.End()
}

func (e *encoder) appendTail(dst []byte, ev *hub.Event) []byte {
	e.seq++
	dst = append(dst, `,"seq":`...)
	dst = strconv.AppendUint(dst, e.seq, 10)
	if ev.Rare().Time > 0 {
		dst = e.times.Append(dst, `,"at":`, ev.More.Time)
	}
	return dst
}

// content writes a record whose only member of its own is a text.
func (e *encoder) content(out *wire.Out, typ string, ev *hub.Event, body []byte) {
	out.Buf = append(e.open(out, typ, ev), `,"content":"`...)
	out.Buf = append(out.Buf, body...)
	e.close(out, append(out.Buf, '"'), ev, nil)
}

func (e *encoder) textDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	switch {
	case ev.Flags.Has(hub.User):
		return hub.Dropped
	case ev.Chan == hub.Reasoning:
		return e.reasoning(out, ev)
	}
	e.content(out, typeStream, ev, ev.Text)
	return hub.FoldedIf(ev.Chan == hub.Refusal)
}

func (e *encoder) textStart(ev *hub.Event) hub.Disposition {
	if ev.Flags.Has(hub.User) || ev.Chan == hub.Reasoning && e.thoughts == thoughtDrop {
		return hub.Dropped
	}
	return hub.Implied
}

// reasoning collects a part of reasoning: clients show every thought as a block of its own. Parts of other messages may
// be open beside it; they take turns.
func (e *encoder) reasoning(out *wire.Out, ev *hub.Event) hub.Disposition {
	switch {
	case e.thoughts == thoughtDrop:
		return hub.Dropped
	case e.thoughts == thoughtDelta || e.card != nil:
		e.content(out, typeThought, ev, ev.Text)
		return hub.Native
	}
	t := &e.thought
	if len(t.text) > 0 && (!bytes.Equal(t.id, ev.ID) || len(t.text)+len(ev.Text) > maxThought) {
		e.flushThought(out, &hub.Event{Msg: t.msg, More: ev.More})
	}
	t.id = append(t.id[:0], ev.ID...)
	t.msg = append(t.msg[:0], ev.Msg...)
	t.text = append(t.text, ev.Text...)
	return hub.Deferred
}

func (e *encoder) flushThought(out *wire.Out, ev *hub.Event) {
	e.content(out, typeThought, ev, e.thought.text)
	e.thought.text = e.thought.text[:0]
}

func (e *encoder) textEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	switch {
	case ev.Chan != hub.Reasoning:
		return hub.Implied
	case e.thoughts == thoughtDrop:
		return hub.Dropped
	}
	isSigned := signatures.IsSigned(ev)
	switch isWritten := len(e.thought.text) == 0 || !bytes.Equal(e.thought.id, ev.ID); {
	case isWritten && isSigned:
		return hub.Dropped
	case isWritten:
		return hub.Implied
	}
	e.flushThought(out, ev)
	return hub.FoldedIf(isSigned)
}

// fold writes something for people as a thought: the dialect has no better place for it.
func (e *encoder) fold(out *wire.Out, ev *hub.Event, body []byte) hub.Disposition {
	if len(body) == 0 || e.thoughts == thoughtDrop {
		return hub.Dropped
	}
	e.content(out, typeThought, ev, body)
	return hub.Folded
}

func (e *encoder) usage(out *wire.Out, ev *hub.Event) hub.Disposition {
	if !e.ids || ev.Scope != hub.SessionScope || ev.More == nil {
		return hub.Dropped
	}
	u := &ev.More.Usage
	if u.ContextUsed < 0 || u.ContextSize < 0 {
		return hub.Dropped
	}
	out.Buf = append(e.open(out, typeContextUsage, ev), `,"used":`...)
	out.Buf = strconv.AppendInt(out.Buf, u.ContextUsed, 10)
	out.Buf = append(out.Buf, `,"total":`...)
	e.close(out, strconv.AppendInt(out.Buf, u.ContextSize, 10), ev, nil)
	if e.v2 {
		return hub.Native
	}
	return hub.Extension
}

// runStart writes the handshake, on which clients of version 2 wait, and the start, on which they begin to show a run.
func (e *encoder) runStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.begun = true
	if !e.v2 {
		if ev.ID != nil || ev.Ref != nil || ev.Name != nil || ev.Value != nil {
			return hub.Dropped
		}
		return hub.Implied
	}
	out.Buf = append(member.Begin(out, ""), `{"type":"`+typeConnected+`"`...)
	if len(ev.Ref) > 0 {
		out.Buf = append(out.Buf, `,"conversationId":`...)
		out.Buf = rawjson.AppendQuoted(out.Buf, ev.Ref)
	}
	member.End(out, append(out.Buf, '}'))
	e.open(out, typeStart, ev)
	e.close(out, out.Buf, ev, nil)
	return hub.Native
}

// runEnd writes the one terminal event.
func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	switch ev.Status {
	case hub.StatusDone:
		e.open(out, typeFinal, ev)
		e.close(out, out.Buf, ev, nil)
		return hub.Native
	case hub.StatusLength, hub.StatusRefused, hub.StatusFiltered:
		e.fold(out, ev, rawjson.Or(hub.Why(ev), phrases.Early(ev.Status)))
		e.open(out, typeFinal, ev)
		e.close(out, out.Buf, ev, nil)
		return hub.Folded
	case hub.StatusCancelled:
		return e.cancelled(out, ev)
	case hub.StatusLimit:
		return e.failed(out, ev, limitText, hub.Folded)
	case hub.StatusTools, hub.StatusPaused:
		return e.failed(out, ev, waitingText, hub.Folded)
	case hub.StatusTruncated:
		return e.failed(out, ev, failedText, hub.Folded)
	}
	return e.failed(out, ev, failedText, hub.Native)
}

func (e *encoder) cancelled(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.v2 {
		e.end(out, typeCancelled, `,"reason":"`, ev, reasonOf(ev, cancelText))
		return hub.Native
	}
	if why := hub.Why(ev); string(why) != cancelText && e.begun {
		e.fold(out, ev, why)
	}
	e.end(out, typeError, `,"error":"`, ev, []byte(cancelText)) // in these words, so that readers can tell it from a fault
	return hub.Folded
}

func (e *encoder) failed(out *wire.Out, ev *hub.Event, text string, disposition hub.Disposition) hub.Disposition {
	reason := reasonOf(ev, text)
	if !e.v2 || e.begun {
		e.end(out, typeError, `,"error":"`, ev, reason)
		return disposition
	}
	out.Begin("")
	member.Close(out, member.AppendText(append(out.Buf, `{"type":"`+typeSessionError+`"`...), `,"error":"`, reason))
	return disposition
}

// end writes a terminal event with a reason.
func (e *encoder) end(out *wire.Out, typ, member string, ev *hub.Event, reason []byte) {
	out.Buf = append(e.open(out, typ, ev), member...)
	out.Buf = append(out.Buf, reason...)
	e.close(out, append(out.Buf, '"'), ev, nil)
}

// reasonOf is what ev says, or text.
func reasonOf(ev *hub.Event, text string) []byte {
	if why := hub.Why(ev); len(why) > 0 {
		return why
	}
	return []byte(text)
}

// raw writes back what our own decoder did not know.
func (e *encoder) raw(out *wire.Out, ev *hub.Event) hub.Disposition {
	if string(ev.Name) != name || ev.Value == nil {
		return hub.Dropped
	}
	member.End(out, append(member.Begin(out, string(rawjson.AppendUnescaped(nil, ev.ID))), ev.Value...))
	return hub.Native
}
