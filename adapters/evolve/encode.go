package evolve

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// encoder writes updates in one of three envelopes.
type encoder struct {
	opt encodeOptions

	session   []byte // of the root agent; empty: the records name none
	sandbox   []byte // raw sandboxId, as last said
	time      int64  // as last said; 0: never
	startOwed bool   // the start of the run is written before the next event
	startMade bool   // it was written without a record of the upstream
	begun     bool
	rooted    bool                // a record of the root agent has named its session
	early     hub.EarlyExtensions // extensions that came before

	cards     opened.List[card] // that of a call, or that made for a sub-agent
	used      map[string]bool   // ids of calls that were written
	subAgents opened.List[subAgent]
	plan      []byte // entries of the last plan
	next      []byte // scratch

	event  *hub.Event // being written
	parent []byte     // call that the record being written names
}

func newEncoder(o hub.Options) hub.Encoder {
	e := &encoder{opt: parseEncodeOptions(o)}
	e.Reset()
	return e
}

// Reset implements [hub.Encoder].
func (e *encoder) Reset() {
	e.cards.Reset()
	e.subAgents.Reset()
	*e = encoder{opt: e.opt, cards: e.cards, used: map[string]bool{}, subAgents: e.subAgents, session: []byte(e.opt.session)}
}

// Finish implements [hub.Encoder]. The end of the run is the end of the stream.
func (e *encoder) Finish(*wire.Out) {}

// Encode implements [hub.Encoder].
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.event = ev
	disposition := e.encode(out, ev)
	e.event = nil
	if !e.begun && ev.Kind != hub.RunEnd {
		e.flushEarly(out)
	}
	return disposition
}

func (e *encoder) encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Rare().Time != 0 {
		e.time = ev.More.Time
	}
	if e.startOwed {
		e.payStart(out, ev)
	}
	switch ev.Kind {
	case hub.RunStart:
		return e.runStart(out, ev)
	case hub.RunEnd:
		return e.runEnd(out, ev)
	case hub.AgentStart:
		return e.agentStart(out, ev)
	case hub.AgentEnd:
		return e.agentEnd(out, ev)
	}
	l := e.subAgents.Find(ev.AgentSlot)
	if l != nil && l.how == subAgentDrop {
		return hub.Dropped
	}
	switch ev.Kind {
	case hub.TextStart, hub.TextDelta, hub.TextEnd:
		return e.text(out, ev, l)
	case hub.ToolStart, hub.ToolArgs, hub.ToolReady, hub.ToolUpdate, hub.ToolOutput, hub.ToolEnd:
		return e.inSubAgent(e.tool(out, ev, l), l)
	}
	if l != nil && l.how == subAgentFold && ev.Kind != hub.Notice && ev.Kind != hub.Raw {
		return hub.Dropped // it would be taken for the root agent's own
	}
	return e.inSubAgent(e.single(out, ev, l), l)
}

// inSubAgent is the disposition of an event that was written, but no longer says in whose sub-agent.
func (e *encoder) inSubAgent(f hub.Disposition, l *subAgent) hub.Disposition {
	if l != nil && l.how == subAgentFold && (f == hub.Native || f == hub.Deferred) {
		return hub.Folded
	}
	return f
}

// open starts a record, up to where the update comes.
func (e *encoder) open(out *wire.Out, l *subAgent) []byte {
	out.Begin("")
	session := e.session
	if e.parent = nil; l != nil {
		session, e.parent = l.session(e), l.parent()
	}
	e.rooted = e.rooted || len(e.session) > 0 && bytes.Equal(session, e.session)
	switch e.opt.envelope {
	case envelopeBridge:
		out.Buf = append(out.Buf, `{"jsonrpc":"2.0","method":"event","params":{"type":"content",`...)
		out.Buf = appendMember(out.Buf, `"session_id":"`, session)
	case envelopeACP:
		if len(session) == 0 {
			session = []byte("session") // ACP does not do without
		}
		out.Buf = append(out.Buf, `{"jsonrpc":"2.0","method":"session/update","params":{`...)
		out.Buf = appendMember(out.Buf, `"sessionId":"`, session)
	default:
		out.Buf = appendMember(append(out.Buf, '{'), `"sessionId":"`, session)
	}
	out.Buf = append(out.Buf, `"update":`...)
	return out.Buf
}

// appendMember appends a string member and a comma, unless body is empty.
func appendMember(dst []byte, opening string, body []byte) []byte {
	if len(body) == 0 {
		return dst
	}
	return appendIn(dst, opening, body, `",`)
}

// close ends the record, behind the update.
func (e *encoder) close(out *wire.Out, record []byte, flags hub.Flags) {
	tail := "}"
	switch {
	case e.opt.envelope == envelopeOutput:
		record = e.appendBeside(record)
	case e.opt.envelope == envelopeBridge && flags.Has(hub.Lossy):
		tail = `,"truncated":true}}`
	default:
		tail = "}}"
	}
	member.End(out, append(record, tail...))
}

// appendBeside appends the members beside the update, in the order of the SDK.
func (e *encoder) appendBeside(dst []byte) []byte {
	m := e.event.Rare()
	if m.Time != 0 {
		dst = append(appendTime(append(dst, `,"timestamp":"`...), m.Time), '"')
	}
	dst = member.AppendText(dst, `,"model":"`, m.Model)
	dst = member.AppendText(dst, `,"messageId":"`, e.event.Msg)
	dst = member.AppendText(dst, `,"parentToolCallId":"`, e.parent)
	return member.AppendRaw(dst, `,"extra":`, rawjson.OfKind(e.event.Meta(metaExtra), '{'))
}

// begin starts a record with an update of this kind; its members follow, each with a comma before it.
func (e *encoder) begin(out *wire.Out, l *subAgent, kind string) []byte {
	out.Buf = appendIn(e.open(out, l), `{"sessionUpdate":"`, kind, `"`)
	return out.Buf
}

// end ends a record that begin has begun.
func (e *encoder) end(out *wire.Out, update []byte, flags hub.Flags) {
	e.close(out, append(update, '}'), flags)
}

// text writes the deltas; what lies around them has no place on this wire.
func (e *encoder) text(out *wire.Out, ev *hub.Event, l *subAgent) hub.Disposition {
	switch {
	case ev.Kind == hub.TextEnd && signatures.IsSigned(ev):
		return hub.Dropped
	case ev.Kind != hub.TextDelta:
		return hub.Implied
	case l != nil && l.how == subAgentFold:
		return e.subAgentText(out, ev, l)
	}
	e.end(out, appendIn(e.beginChunk(out, ev, l), `,"content":{"type":"text","text":"`, ev.Text, `"}`), ev.Flags)
	return hub.FoldedIf(ev.Chan == hub.Refusal)
}

// beginChunk starts a record with a part of a message, a text or a file. Only ACP names the message.
func (e *encoder) beginChunk(out *wire.Out, ev *hub.Event, l *subAgent) []byte {
	kind := "agent_message_chunk"
	switch {
	case ev.Flags.Has(hub.User):
		kind = "user_message_chunk"
	case ev.Chan == hub.Reasoning:
		kind = "agent_thought_chunk"
	}
	e.begin(out, l, kind)
	if e.opt.envelope == envelopeACP {
		out.Buf = member.AppendText(out.Buf, `,"messageId":"`, ev.Msg)
	}
	return out.Buf
}

// single writes the events that stand alone.
func (e *encoder) single(out *wire.Out, ev *hub.Event, l *subAgent) hub.Disposition {
	switch ev.Kind {
	case hub.Plan:
		return e.planEvent(out, ev, l)
	case hub.Usage:
		return e.usage(out, ev, l)
	case hub.Notice:
		return e.notice(out, ev, l)
	case hub.File:
		return e.file(out, ev, l)
	case hub.Data:
		return e.data(out, ev, l)
	case hub.Raw:
		return e.raw(out, ev)
	}
	return hub.Dropped // steps, sources, asks and answers
}

// raw writes a record of this dialect as it came.
func (e *encoder) raw(out *wire.Out, ev *hub.Event) hub.Disposition {
	if string(ev.Name) != name || ev.Value == nil {
		return hub.Dropped
	}
	out.Begin(string(rawjson.AppendUnescaped(nil, ev.ID))) // the name of an SSE event
	member.End(out, append(out.Buf, ev.Value...))
	return hub.Native
}

// data writes the data events that the decoder makes in the form they came in, and others as an update that clients do
// not know and ignore.
func (e *encoder) data(out *wire.Out, ev *hub.Event, l *subAgent) hub.Disposition {
	switch string(ev.Name) {
	case dataLifecycle:
		if isLifecycle(ev.Value) {
			return e.lifecycleData(out, ev.Value)
		}
	case dataSession:
		if id, ok := rawjson.Str(ev.Value); ok && l == nil {
			if e.rooted && !bytes.Equal(id, e.session) {
				return hub.Dropped // a second name would be read as that of a sub-agent
			}
			e.nameSession(id)
			return hub.Implied
		}
	case dataMeta, dataPrompt, dataSessionEnd:
		if e.opt.envelope == envelopeOutput {
			out.Buf = appendIn(member.Begin(out, ""), `{"`, ev.Name, `":`)
			member.End(out, append(append(out.Buf, ev.Value...), '}'))
			return hub.Native
		}
	case dataStdout, dataStderr:
		if _, ok := rawjson.Str(ev.Value); ok && e.opt.envelope != envelopeACP {
			e.stdio(out, ev)
			return hub.Folded // unless the option stdio says otherwise, a raw record is read
		}
	case "available_commands_update", "current_mode_update", "config_option_update", "session_info_update":
		if e.acpUpdate(out, ev, l) {
			return hub.Native
		}
	}
	if !e.opt.extensions {
		return hub.Dropped
	}
	e.extension(out, ev, l)
	return hub.Extension
}

// nameSession sets the session of the records that follow, unless the route has set it.
func (e *encoder) nameSession(id []byte) {
	if e.opt.session == "" {
		e.session = append(e.session[:0], id...)
	}
}

// acpUpdate writes an update of ACP again, if the value is one.
func (e *encoder) acpUpdate(out *wire.Out, ev *hub.Event, l *subAgent) bool {
	if !bytes.Equal(rawjson.Text(ev.Value, "sessionUpdate"), ev.Name) {
		return false
	}
	e.close(out, append(e.open(out, l), ev.Value...), ev.Flags)
	return true
}

func (e *encoder) stdio(out *wire.Out, ev *hub.Event) {
	out.Begin("")
	bridge := e.opt.envelope == envelopeBridge
	if bridge {
		out.Buf = append(out.Buf, `{"jsonrpc":"2.0","method":"event","params":`...)
	}
	out.Buf = appendIn(out.Buf, `{"type":"`, ev.Name, `","data":`)
	out.Buf = append(append(out.Buf, ev.Value...), `,"seq":0,"done":true}`...)
	if bridge {
		out.Buf = append(out.Buf, '}')
	}
	out.End()
}

func (e *encoder) extension(out *wire.Out, ev *hub.Event, l *subAgent) {
	buf := append(append(e.begin(out, l, dataUpdate), `,"name":"`...), ev.Name...)
	buf = appendIn(buf, `","op":"`, ev.Op.String(), `"`)
	buf = member.AppendText(buf, `,"id":"`, ev.ID)
	e.end(out, member.AppendRaw(buf, `,"value":`, ev.Value), ev.Flags)
}
