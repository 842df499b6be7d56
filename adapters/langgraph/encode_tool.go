package langgraph

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// outCall is a call that has no result yet, or with its message one that is kept.
type outCall struct {
	id, name []byte
	message  *outMessage // nil for one that the client knows from an earlier run
	subAgent *outSubAgent
	head     []byte // a piece of its arguments, up to them
	args     []byte // kept for modes that repeat messages, and for questions about the call
	turn     int    // of its message, in the thread protocol
}

// maxAsked bounds the arguments that are kept for questions.
const maxAsked = 64 << 10

// toolStart announces a call in its message. The client has those of earlier runs.
func (e *encoder) toolStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := e.subAgent(ev.AgentSlot)
	c := &outCall{id: append([]byte(nil), ev.ID...), name: append([]byte(nil), ev.Name...), subAgent: l}
	e.calls.Add(ev.Slot, c)
	if ev.Flags.Has(hub.Resumed) {
		return hub.Implied
	}
	m := e.message(out, l, roleAgent, ev.Msg)
	c.message = m
	index := len(m.calls)
	m.calls = append(m.calls, c)
	if l == &e.root {
		e.waiting[string(ev.ID)] = true
	}
	c.head = m.appendEmpty(m.appendHead(c.head))
	c.head = strconv.AppendInt(append(c.head, `,"tool_call_chunks":[{"index":`...), int64(index), 10)
	c.head = append(c.head, `,"type":"tool_call_chunk"`...)
	if e.modes&modeTuple == 0 {
		return hub.Native
	}
	b := append(append(append(member.Begin(out, l.event), c.head...), `,"id":"`...), c.id...)
	b = append(append(append(b, `","name":"`...), c.name...), `","args":""}]`...)
	member.End(out, append(b, l.tail...))
	c.head = append(c.head, `,"args":"`...)
	return hub.Native
}

// toolArgs is the hot path of calls; see textDelta.
func (e *encoder) toolArgs(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	if c == nil {
		return hub.Dropped
	}
	if (c.message != nil && c.message.kept || len(c.args) < maxAsked) && e.room(len(ev.Text)) {
		c.args = append(c.args, ev.Text...)
	}
	if c.message == nil {
		return hub.Implied
	}
	if e.modes&modeTuple == 0 {
		return hub.Native
	}
	b := append(append(member.Begin(out, c.subAgent.event), c.head...), ev.Text...)
	member.End(out, append(append(b, `"}]`...), c.subAgent.tail...))
	return hub.Native
}

// toolEnd writes a message with the result, if there is one.
func (e *encoder) toolEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	e.calls.Drop(ev.Slot)
	blocks := ev.Rare().Content != nil
	if noResult(ev) && len(ev.Text) == 0 && ev.Value == nil && !blocks {
		return hub.Implied
	}
	delete(e.waiting, string(ev.ID))
	l := e.subAgent(ev.AgentSlot)
	if c != nil && c.message != nil {
		c.message.closed = true
	}
	if m := l.current; m != nil && len(m.msg) == 0 {
		m.closed = true
	}
	e.complete(out, l)
	r := &outMessage{role: roleTool, subAgent: l, id: e.resultID(ev)}
	status, disposition := `","status":"success"`, hub.Native
	switch ev.Status {
	case hub.StatusOK:
	case hub.StatusError:
		status = `","status":"error"`
	case hub.StatusDenied, hub.StatusAborted:
		status, disposition = `","status":"error"`, hub.Folded
	default:
		disposition = hub.Folded
	}
	b := append(append(e.buf[:0], `{"id":"`...), r.id...)
	b = append(append(b, `","type":"tool","tool_call_id":"`...), ev.ID...)
	b = append(append(b, `","name":"`...), ev.Name...)
	b = append(toolresult.AppendText(append(b, `","content":"`...), ev, "text"), status...)
	e.buf = b
	if e.modes&modeTuple != 0 {
		member.End(out, append(append(append(member.Begin(out, l.event), '['), b...), l.toolTail...))
	}
	if e.keep(r); r.kept && e.room(len(b)) {
		r.result = append(append(r.result, b...), '}')
		e.complete(out, l)
	}
	return disposition
}

// noResult reports whether a call may end without an answer: left to the client or to a later run, or given up. One whose
// result the agent kept to itself has an empty one, as clients show calls without a result as running.
func noResult(ev *hub.Event) bool {
	return ev.Status == hub.StatusClient || ev.Status == hub.StatusPaused || ev.Status == hub.StatusAborted
}

// resultID is the id of a result's message: the upstream's if it is one of its own.
func (e *encoder) resultID(ev *hub.Event) []byte {
	id := append([]byte(nil), ev.Msg...)
	if len(id) == 0 || e.taken.Has(append(append(e.buf[:0], "message\x00"...), id...)) {
		id = append(append(append(id[:0], e.run...), '-'), ev.ID...)
	}
	return e.unique("message\x00", id)
}

// toolOutput writes a partial result.
func (e *encoder) toolOutput(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	if e.modes&modeTools == 0 || c == nil || len(ev.Text) == 0 && ev.Value == nil {
		return hub.Dropped
	}
	out.Begin(named("tools", e.subAgent(ev.AgentSlot)))
	b := append(append(out.Buf, `{"event":"on_tool_event","toolCallId":"`...), c.id...)
	b = append(append(append(b, `","name":"`...), c.name...), `","data":`...)
	if ev.Value != nil {
		b = append(b, ev.Value...)
	} else {
		b = rawjson.AppendQuoted(b, ev.Text)
	}
	member.End(out, append(b, '}'))
	return hub.FoldedIf(ev.Op == hub.Replace || ev.Chan != hub.Result)
}
