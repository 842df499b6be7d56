package codexappserver

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonrpc"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// encoder plays the server for one turn: it writes what comes between a turn/start and the end of its turn.
type encoder struct {
	defaultThread []byte

	thread, turn []byte // string bodies
	named        bool   // the client has named the thread
	call         []byte // raw id of turn/start; empty: unknown
	time         int64  // of the request, or the latest of an event; milliseconds
	begun        bool

	parts opened.List[part]
	calls opened.List[toolCall]
	kept  int // bytes of texts and arguments that are said again
	usage spent
	start int    // of the record being written
	next  []byte // scratch
}

func newEncoder(o hub.Options) hub.Encoder {
	e := &encoder{defaultThread: rawjson.AppendEscaped(nil, []byte(o.Text("thread")))}
	e.Reset()
	return e
}

// Reset implements [hub.Encoder].
func (e *encoder) Reset() {
	e.thread, e.turn, e.call = append(e.thread[:0], e.defaultThread...), append(e.turn[:0], "turn-1"...), e.call[:0]
	e.named, e.begun, e.time, e.kept = false, false, 0, 0
	e.parts.Reset()
	e.calls.Reset()
	e.usage = spent{thread: hub.NoCounts}
}

// Answer implements [hub.Answerer].
func (e *encoder) Answer(req *hub.Request) {
	e.call, e.time = append(e.call[:0], req.Call...), req.Time
	if len(req.Thread) > 0 {
		e.thread, e.named = append(e.thread[:0], req.Thread...), true
	}
}

// Kept implements [hub.Keeper].
func (e *encoder) Kept() int { return e.kept }

// Finish implements [hub.Encoder]. The end of the turn is the end.
func (e *encoder) Finish(*wire.Out) {}

// Encode implements [hub.Encoder].
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Rare().Time > 0 {
		e.time = ev.More.Time
	}
	switch ev.Kind {
	case hub.TextDelta:
		return e.textDelta(out, ev)
	case hub.TextStart:
		return e.textStart(out, ev)
	case hub.TextEnd:
		return e.textEnd(out, ev)
	case hub.ToolArgs:
		return hub.Implied // they come whole with ToolReady
	case hub.ToolStart:
		return e.toolStart(ev)
	case hub.ToolReady, hub.ToolUpdate, hub.ToolOutput, hub.ToolEnd:
		return e.tool(out, ev)
	case hub.RunStart:
		return e.runStart(out, ev)
	case hub.RunEnd:
		return e.runEnd(out, ev)
	}
	return e.encodeRare(out, ev)
}

// encodeRare writes what a stream has few of. Steps, sources and files have no form.
func (e *encoder) encodeRare(out *wire.Out, ev *hub.Event) hub.Disposition {
	switch ev.Kind {
	case hub.AgentStart:
		return e.agentStart(out, ev)
	case hub.AgentEnd:
		return e.agentEnd(out, ev)
	case hub.Ask:
		return e.ask(out, ev)
	case hub.Answer:
		return e.answer(out, ev)
	case hub.Plan:
		return e.plan(out, ev)
	case hub.Usage:
		return e.addUsage(out, ev)
	case hub.Notice:
		return e.notice(out, ev)
	case hub.Data:
		return e.data(out, ev)
	}
	return hub.Dropped
}

func (e *encoder) beginRecord(out *wire.Out) []byte {
	out.Begin("")
	e.start = len(out.Buf)
	return out.Buf
}

// begin starts a notification about the turn of a sub-agent.
func (e *encoder) begin(out *wire.Out, method string, agent []byte) []byte {
	out.Buf = e.appendTurn(appendMethod(append(e.beginRecord(out), '{'), method), agent)
	return out.Buf
}

// beginRequest starts a request to the client. Its id is the number that the body is, or else a string.
func (e *encoder) beginRequest(out *wire.Out, method string, id, agent []byte) []byte {
	b := append(jsonrpc.AppendID(append(e.beginRecord(out), `{"id":`...), id), ',')
	out.Buf = e.appendTurn(appendMethod(b, method), agent)
	return out.Buf
}

// end ends a notification or a request.
func (e *encoder) end(out *wire.Out, params []byte) { e.endRecord(out, append(params, "}}"...)) }

// endRecord ends any message. Clients read lines.
func (e *encoder) endRecord(out *wire.Out, record []byte) {
	member.End(out, rawjson.EscapeSeparators(record, e.start))
}

func appendMethod(dst []byte, method string) []byte {
	return append(append(append(dst, `"method":"`...), method...), `","params":{`...)
}

// appendTurn appends the thread and the turn of a sub-agent. A sub-agent is a thread whose only turn has its id.
func (e *encoder) appendTurn(dst, agent []byte) []byte {
	thread, turn := e.thread, e.turn
	if len(agent) > 0 {
		thread, turn = agent, agent
	}
	dst = append(append(dst, `"threadId":"`...), thread...)
	return append(append(append(dst, `","turnId":"`...), turn...), '"')
}

func (e *encoder) appendTime(dst []byte, head string) []byte {
	return strconv.AppendInt(append(dst, head...), e.time, 10)
}

// beginItem starts the record that says that an item has started, or is complete.
func (e *encoder) beginItem(out *wire.Out, completed bool, agent []byte) []byte {
	method, time := "item/started", `,"startedAtMs":`
	if completed {
		method, time = "item/completed", `,"completedAtMs":`
	}
	out.Buf = append(e.appendTime(e.begin(out, method, agent), time), `,"item":`...)
	return out.Buf
}

// part is an open text.
type part struct {
	head    []byte // of its deltas, up to the text
	id      []byte // of the item
	text    []byte // so far
	kind    partKind
	comment bool
}

type partKind uint8

const (
	messagePart partKind = iota
	planItem
	summaryItem
	thoughtItem
	userPart
)

var deltaMethods = [...]string{
	messagePart: "item/agentMessage/delta", planItem: "item/plan/delta",
	summaryItem: "item/reasoning/summaryTextDelta", thoughtItem: "item/reasoning/textDelta",
}

// kindOf is the kind of item for a text.
func kindOf(ev *hub.Event) partKind {
	switch {
	case ev.Flags.Has(hub.User):
		return userPart
	case ev.Chan == hub.Reasoning && string(ev.Name) == "summary":
		return summaryItem
	case ev.Chan == hub.Reasoning:
		return thoughtItem
	case ev.Chan == hub.AnswerText && string(ev.Name) == planPart:
		return planItem
	}
	return messagePart
}

// textStart begins the item of a text, and prepares its deltas. What the user has said comes whole, when that is complete.
func (e *encoder) textStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Add(ev.Slot)
	*p = part{head: p.head[:0], id: p.id[:0], text: p.text[:0], kind: kindOf(ev), comment: string(ev.Name) == "commentary"}
	p.id = append(p.id, textPrefix...) // calls have ids of their own, and items only one space
	if string(ev.ID[:min(len(ev.ID), len(textPrefix))]) == textPrefix {
		p.id = p.id[:0]
	}
	p.id = append(p.id, ev.ID...)
	if p.kind == userPart {
		return hub.Implied
	}
	e.item(out, p, false, ev.SubAgent)
	b := e.appendTurn(appendMethod(append(p.head, '{'), deltaMethods[p.kind]), ev.SubAgent)
	switch p.kind {
	case summaryItem:
		b = append(b, `,"summaryIndex":0`...)
	case thoughtItem:
		b = append(b, `,"contentIndex":0`...)
	}
	p.head = append(member.AppendText(b, `,"itemId":"`, p.id), `,"delta":"`...)
	return hub.Native
}

const textPrefix = "msg_"

// item writes that the item of a text has started, or is complete.
func (e *encoder) item(out *wire.Out, p *part, completed bool, agent []byte) {
	e.end(out, p.appendItem(e.beginItem(out, completed, agent)))
}

var itemTypes = [...]string{
	messagePart: "agentMessage", planItem: "plan", summaryItem: "reasoning", thoughtItem: "reasoning", userPart: "userMessage",
}

func (p *part) appendItem(dst []byte) []byte {
	dst = append(append(append(dst, `{"type":"`...), itemTypes[p.kind]...), '"')
	dst = member.AppendText(dst, `,"id":"`, p.id)
	switch p.kind {
	case summaryItem:
		dst = append(p.appendList(append(dst, `,"summary":`...)), `,"content":[]`...)
	case thoughtItem:
		dst = p.appendList(append(dst, `,"summary":[],"content":`...))
	case userPart:
		dst = append(append(dst, `,"content":[{"type":"text","text":"`...), p.text...)
		dst = append(dst, `","text_elements":[]}]`...)
	default:
		dst = rawjson.AppendQuoted(append(dst, `,"text":`...), p.text)
	}
	if p.comment && p.kind == messagePart {
		dst = append(dst, `,"phase":"commentary"`...)
	}
	return append(dst, '}')
}

// appendList appends the texts of reasoning: one, or none yet.
func (p *part) appendList(dst []byte) []byte {
	if len(p.text) == 0 {
		return append(dst, "[]"...)
	}
	return append(rawjson.AppendQuoted(append(dst, '['), p.text), ']')
}

// textDelta writes a piece of a text: the head that textStart has prepared, the text, and the brackets that close it.
func (e *encoder) textDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Find(ev.Slot)
	if p == nil {
		return hub.Dropped
	}
	p.text = append(p.text, ev.Text...)
	e.kept += len(ev.Text)
	if p.kind == userPart {
		return hub.Deferred
	}
	e.end(out, append(append(append(e.beginRecord(out), p.head...), ev.Text...), '"'))
	if ev.Chan == hub.Refusal {
		return hub.Folded
	}
	return hub.Native
}

// textEnd completes the item of a text, which is said again.
func (e *encoder) textEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Find(ev.Slot)
	if p == nil {
		return hub.Dropped
	}
	if p.kind == userPart {
		e.item(out, p, false, ev.SubAgent)
	}
	e.item(out, p, true, ev.SubAgent)
	e.kept -= len(p.text)
	e.parts.Drop(ev.Slot)
	if signatures.IsSigned(ev) {
		return hub.Dropped
	}
	return hub.Implied
}
