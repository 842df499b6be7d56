package langgraph

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// maxKept bounds the messages that are kept to be repeated, in bytes. Beyond it the oldest are given up.
const maxKept = 16 << 20

// keep remembers a message, if a mode repeats messages whole.
func (e *encoder) keep(m *outMessage) {
	if e.modes&modesWhole == 0 {
		return
	}
	m.kept = true
	e.history = append(e.history, m)
	m.subAgent.open = append(m.subAgent.open, m)
}

// room takes room for n bytes of messages. ok is false if there is none, even without the older messages.
func (e *encoder) room(n int) (ok bool) {
	e.kept += n
	for e.kept > maxKept && len(e.history) > 1 && e.history[0].done {
		old := e.history[0]
		e.kept -= len(old.text) + len(old.reasoning) + len(old.files) + len(old.result)
		e.history = e.history[1:]
	}
	if e.kept > maxKept {
		e.kept -= n
		return false
	}
	return true
}

// keepText adds to a message that is repeated whole, and in the mode messages shows it so far.
func (e *encoder) keepText(out *wire.Out, m *outMessage, ev *hub.Event) {
	if !e.room(len(ev.Text)) {
		return
	}
	if ev.Chan == hub.Reasoning {
		m.reasoning = append(m.reasoning, ev.Text...)
	} else {
		m.text = append(m.text, ev.Text...)
	}
	if e.modes&modeMessages != 0 {
		member.End(out, append(m.append(append(member.Begin(out, named("messages/partial", m.subAgent)), '['), true), ']'))
	}
}

// complete writes the messages of a sub-agent whole, in the modes that repeat them.
func (e *encoder) complete(out *wire.Out, l *outSubAgent) {
	open := l.open
	l.open = nil
	for _, m := range open {
		m.done, m.closed = true, true
		if e.modes&modeMessages != 0 {
			member.End(out, append(m.append(append(member.Begin(out, named("messages/complete", l)), '['), false), ']'))
		}
		if e.modes&modeUpdates != 0 {
			e.update(out, l, m)
		}
	}
	if len(open) > 0 && e.modes&modeValues != 0 && e.modes&(modeTuple|modeMessages) == 0 {
		e.writeValues(out)
	}
}

// completeAll completes the messages of all sub-agents.
func (e *encoder) completeAll(out *wire.Out) {
	for _, m := range e.history {
		if !m.done {
			e.complete(out, m.subAgent)
		}
	}
}

// update writes a message as what a node has written.
func (e *encoder) update(out *wire.Out, l *outSubAgent, m *outMessage) {
	node := rawjson.First(l.node, []byte("agent"))
	if m.role == roleTool {
		node = []byte("tools")
	}
	b := append(append(append(member.Begin(out, named("updates", l)), `{"`...), node...), `":{"messages":[`...)
	member.End(out, append(m.append(b, false), "]}}"...))
}

// writeValues writes the state: the messages so far, and what else is in it.
func (e *encoder) writeValues(out *wire.Out) {
	b := append(member.Begin(out, "values"), `{"messages":[`...)
	n := len(b)
	for _, m := range e.history {
		if m.subAgent != &e.root || !m.done {
			continue
		}
		if len(b) > n {
			b = append(b, ',')
		}
		b = m.append(b, false)
	}
	b = append(b, ']')
	for key, val := range rawjson.EachField(e.state) {
		if string(key) != keyMessages && string(key) != keyInterrupt {
			b = append(append(rawjson.AppendQuoted(append(b, ','), key), ':'), val...)
		}
	}
	member.End(out, append(b, '}'))
}

// append appends the whole message, or as much of it as there is. Of a call that is not complete, the text of the
// arguments is all there is.
func (m *outMessage) append(dst []byte, partial bool) []byte {
	if m.role == roleTool {
		return append(dst, m.result...)
	}
	dst = append(append(dst, `{"id":"`...), m.id...)
	dst = append(append(dst, `","type":"`...), m.role...)
	dst = m.appendContent(append(dst, `","content":`...))
	if m.role != roleAgent {
		return append(dst, '}')
	}
	dst = m.appendCalls(dst, partial)
	return append(dst, '}')
}

// appendContent appends the content: a text, or blocks.
func (m *outMessage) appendContent(dst []byte) []byte {
	if !m.blocks {
		return rawjson.AppendQuoted(dst, m.text)
	}
	dst = append(dst, '[')
	n := len(dst)
	if len(m.reasoning) > 0 {
		dst = append(rawjson.AppendQuoted(append(dst, `,{"type":"reasoning","reasoning":`...), m.reasoning), '}')
	}
	if len(m.text) > 0 {
		dst = append(rawjson.AppendQuoted(append(dst, `,{"type":"text","text":`...), m.text), '}')
	}
	dst = append(dst, m.files...)
	if len(dst) > n {
		dst = append(dst[:n], dst[n+1:]...) // the first comma
	}
	return append(dst, ']')
}

func (m *outMessage) appendCalls(dst []byte, partial bool) []byte {
	head, open := `,"tool_calls":[`, false
	var json rawjson.Decoder
	for _, c := range m.calls {
		args, ok := rawjson.ValueOfText(nil, c.args)
		if ok = ok && json.Valid(args) == nil && rawjson.Kind(args) == '{'; !ok && !partial {
			continue
		}
		if !ok {
			args = []byte("{}")
		}
		dst = append(append(dst, head...), `{"id":"`...)
		dst = append(append(dst, c.id...), `","name":"`...)
		dst = append(append(dst, c.name...), `","args":`...)
		dst = append(append(dst, args...), `,"type":"tool_call"}`...)
		head, open = ",", true
	}
	if open {
		dst = append(dst, ']')
	}
	return dst
}

// data writes what applications send beside the messages.
func (e *encoder) data(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := e.subAgent(ev.AgentSlot)
	if string(ev.Name) == nameState && ev.Op == hub.Set && l == &e.root && e.modes&modeValues != 0 && rawjson.Kind(ev.Value) == '{' {
		e.state = append(e.state[:0], ev.Value...)
		e.writeValues(out)
		return hub.Native
	}
	if e.modes&modeCustom == 0 || ev.Value == nil {
		return hub.Dropped
	}
	out.Begin(named("custom", l))
	if string(ev.Name) == nameCustom && ev.Op == hub.Emit && !isNamed(ev.Value) {
		member.End(out, append(out.Buf, ev.Value...))
		return hub.Native
	}
	b := append(append(append(out.Buf, `{"name":"`...), ev.Name...), '"')
	b = member.AppendText(b, `,"id":"`, ev.ID)
	if ev.Op != hub.Emit {
		b = append(append(append(b, `,"op":"`...), ev.Op.String()...), '"')
	}
	member.End(out, append(append(append(b, `,"value":`...), ev.Value...), '}'))
	if ev.Op == hub.Emit {
		return hub.Native
	}
	return hub.Extension // clients see it, and do not know that it is a state
}

// isNamed reports whether a value would be taken for named data, or for something of our own.
func isNamed(v rawjson.Value) bool {
	return rawjson.Get(v, "value") != nil && len(rawjson.Text(v, "name")) > 0 ||
		rawjson.Get(v, keyAsked) != nil || rawjson.Get(v, hub.ExtensionKey) != nil
}

// raw writes a record of this dialect as it came.
func (e *encoder) raw(out *wire.Out, ev *hub.Event) hub.Disposition {
	if string(ev.Name) != nameRaw || ev.Value == nil {
		return hub.Dropped
	}
	e.buf = rawjson.AppendUnescaped(e.buf[:0], ev.ID)
	member.End(out, append(member.Begin(out, string(e.buf)), ev.Value...))
	return hub.Native
}

// ask is a question that waits for its answer. It is an interrupt if the run ends without one.
type ask struct {
	id   []byte
	body []byte // the value of the interrupt
}

func (e *encoder) ask(ev *hub.Event) hub.Disposition {
	e.asks = append(e.asks, ask{id: bytes.Clone(ev.ID), body: appendAsk(nil, ev, e.calls.Find(ev.RefSlot))})
	return hub.Deferred
}

// appendAsk appends the value of an interrupt: the upstream's own where it says what is asked, else one of ours; and for
// permission to run a call, that of the middleware that clients know.
func appendAsk(dst []byte, ev *hub.Event, c *outCall) []byte {
	var d decoder
	var read hub.Event
	if ev.Value != nil {
		d.readAsk(&read, ev.Value)
		if read.AskKind == ev.AskKind && bytes.Equal(read.Title, ev.Title) {
			return append(dst, ev.Value...)
		}
	}
	if c != nil && ev.AskKind == hub.AskPermission && ev.Value == nil {
		return appendReview(dst, ev, c)
	}
	dst = append(append(append(dst, `{"type":"`...), ev.AskKind.String()...), '"')
	dst = member.AppendText(dst, `,"message":"`, ev.Title)
	dst = member.AppendText(dst, `,"tool_call_id":"`, ev.Ref)
	dst = eventjson.Append(dst, ev, eventjson.Question)
	return append(member.AppendRaw(dst, `,"payload":`, ev.Value), '}')
}

// appendReview appends the question whether a call may be run.
func appendReview(dst []byte, ev *hub.Event, c *outCall) []byte {
	args, ok := rawjson.ValueOfText(nil, c.args)
	if !ok {
		args = []byte("{}")
	}
	dst = append(append(append(dst, `{"action_requests":[{"name":"`...), c.name...), `","args":`...)
	dst = append(append(append(dst, args...), `,"description":"`...), ev.Title...) // even if empty: the name would be taken instead
	dst = append(append(dst, `"}],"review_configs":[{"action_name":"`...), c.name...)
	return append(dst, `","allowed_decisions":["approve","reject"]}]}`...)
}

// answer reports that a question was answered while the run went on: it must not be answered again.
func (e *encoder) answer(out *wire.Out, ev *hub.Event) hub.Disposition {
	i := slices.IndexFunc(e.asks, func(a ask) bool { return bytes.Equal(a.id, ev.ID) })
	if i < 0 {
		return hub.Dropped
	}
	out.Begin(named("custom", e.subAgent(ev.AgentSlot)))
	b := append(append(append(out.Buf, `{"`+keyAsked+`":{"id":"`...), e.asks[i].id...), `","value":`...)
	b = append(append(append(b, e.asks[i].body...), `,"status":"`...), ev.Status.String()...)
	b = member.AppendText(append(b, '"'), `,"option":"`, ev.Name)
	member.End(out, append(member.AppendRaw(b, `,"answer":`, ev.Value), "}}"...))
	e.asks = slices.Delete(e.asks, i, i+1)
	return hub.Native
}

// interrupt writes what the run waits for. Clients look in the state, observers of nodes in the updates.
func (e *encoder) interrupt(out *wire.Out) {
	if len(e.asks) == 0 {
		return
	}
	b := append(e.buf[:0], `{"`+keyInterrupt+`":[`...)
	for i := range e.asks {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, `{"id":"`...), e.asks[i].id...)
		b = append(append(b, `","value":`...), e.asks[i].body...)
		b = append(b, '}')
	}
	e.buf = append(b, "]}"...)
	for _, event := range [...]string{"updates", "values"} {
		if event == "updates" && e.modes&modeUpdates == 0 {
			continue
		}
		member.End(out, append(member.Begin(out, event), e.buf...))
	}
}
