package copilot

import (
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/plandedup"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// encoder writes events in one of three envelopes.
type encoder struct {
	opt     encodeOptions
	session []byte
	seed    uint64 // of ids
	events  int    // written; makes ids
	millis  int64  // the time that was last said; 0: never

	begun bool
	early hub.EarlyExtensions // extensions that came before

	turn      []byte // the turn that stands for a run without turns; nil if none is open
	parts     opened.List[part]
	kept      int             // bytes of text in open parts
	messages  map[string]bool // ids of messages that were written
	calls     opened.List[shownCall]
	started   map[string]bool // calls that were written
	subAgents opened.List[shownSubAgent]
	asks      opened.List[openAsk]
	billed    bool // usage of single calls was written
	reported  plandedup.Filter
	plan      wire.Records  // the event of a plan that the call of a todo tool may yet tell
	hold      *wire.Records // where events go instead of the wire; nil: nowhere else

	typ    string // of the event being written
	bodyAt int    // where its record begins
	dataAt int    // where its properties begin
}

// What is remembered by id is bounded: what comes later is written without.
const maxRemembered = 4096

// newEncoder makes the encoder of a stream.
func newEncoder(o hub.Options) hub.Encoder {
	e := &encoder{opt: parseEncodeOptions(o)}
	e.Reset()
	return e
}

// Reset implements [hub.Encoder].
func (e *encoder) Reset() {
	for _, p := range e.parts.All {
		p.forget()
	}
	e.parts.Reset()
	e.calls.Reset()
	e.subAgents.Reset()
	e.asks.Reset()
	*e = encoder{
		opt: e.opt, session: append(e.session[:0], e.opt.session...), parts: e.parts,
		calls: e.calls, subAgents: e.subAgents, asks: e.asks, messages: map[string]bool{}, started: map[string]bool{}, plan: e.plan[:0],
	}
}

// Finish implements [hub.Encoder]. The last event is the end.
func (e *encoder) Finish(*wire.Out) {}

// Encode implements [hub.Encoder].
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	disposition := e.encode(out, ev)
	if !e.begun && ev.Kind != hub.RunEnd {
		e.flushEarly(out)
	}
	return disposition
}

// writers are the methods of the encoder, by the kind of event that they write.
var writers = hub.Writers[*encoder]{
	hub.RunStart: (*encoder).runStart, hub.RunEnd: (*encoder).runEnd,
	hub.StepStart: (*encoder).stepStart, hub.StepEnd: (*encoder).stepEnd,
	hub.AgentStart: (*encoder).agentStart, hub.AgentEnd: (*encoder).agentEnd,
	hub.TextStart: (*encoder).textStart, hub.TextDelta: (*encoder).textDelta, hub.TextEnd: (*encoder).textEnd,
	hub.ToolStart: hub.Silent((*encoder).toolStart), hub.ToolArgs: (*encoder).toolArgs, hub.ToolReady: (*encoder).toolReady,
	hub.ToolUpdate: (*encoder).toolUpdate, hub.ToolOutput: (*encoder).toolOutput, hub.ToolEnd: (*encoder).toolEnd,
	hub.Ask: (*encoder).ask, hub.Answer: (*encoder).answer,
	hub.Plan: (*encoder).holdPlan, hub.Usage: (*encoder).usage, hub.Notice: (*encoder).notice,
	hub.Source: (*encoder).extension, hub.File: (*encoder).file, hub.Data: (*encoder).data, hub.Raw: (*encoder).raw,
}

func (e *encoder) encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Rare().Time > 0 {
		e.millis = ev.More.Time
	}
	switch {
	case len(e.plan) > 0:
		e.payPlan(out, ev)
	case ev.Kind == hub.ToolReady:
		e.reported.Call(ev)
	}
	return writers.Write(e, out, ev)
}

// envelopeOf is the envelope of the records in out.
func (e *encoder) envelopeOf(out *wire.Out) string {
	if e.opt.envelope != envelopeAuto {
		return e.opt.envelope
	}
	switch out.Framing() {
	case wire.WebSocket:
		return envelopeWS
	case wire.ContentLength:
		return envelopeRPC
	}
	return envelopeNone
}

// appendEnvelope appends what comes before the object of an event.
func (e *encoder) appendEnvelope(dst []byte, envelope string) []byte {
	if head, _ := around(envelope); head != "" {
		return append(append(append(dst, head...), e.session...), `","event":`...)
	}
	return dst
}

// around is what is around the object of an event: up to the name of the session, and behind the event.
func around(envelope string) (head, tail string) {
	switch envelope {
	case envelopeWS:
		return `{"type":"event","sessionId":"`, "}"
	case envelopeRPC:
		return `{"jsonrpc":"2.0","method":"session.event","params":{"sessionId":"`, "}}"
	}
	return "", ""
}

// begin starts an event. Its properties follow, each with a comma behind it.
func (e *encoder) begin(out *wire.Out, typ string, subAgent []byte) []byte {
	return e.open(out, typ, specs[typ].is(ephemeral), subAgent)
}

// beginAs is begin for an event that may be passing though its type need not be.
func (e *encoder) beginAs(out *wire.Out, typ string, ev *hub.Event) []byte {
	return e.open(out, typ, specs[typ].is(ephemeral) || ev.Flags.Has(hub.Transient), ev.SubAgent)
}

// open writes the members that all events have, up to where the properties begin. What a sub-agent says has its agentId,
// which older clients ignore.
func (e *encoder) open(out *wire.Out, typ string, ephemeral bool, subAgent []byte) []byte {
	e.typ = typ
	out.Begin("")
	e.bodyAt = len(out.Buf)
	buf := e.appendEnvelope(out.Buf, e.envelopeOf(out))
	e.dataAt = len(buf)
	buf = append(buf, '{')
	if e.opt.ids {
		buf = e.appendIDs(buf)
	}
	buf = append(append(append(buf, `"type":"`...), typ...), `",`...)
	if ephemeral {
		buf = append(buf, `"ephemeral":true,`...)
	}
	if len(subAgent) > 0 {
		buf = append(append(append(buf, `"agentId":"`...), subAgent...), `",`...)
	}
	if !e.opt.rootProperties {
		buf = append(buf, `"data":`...)
		e.dataAt = len(buf)
		buf = append(buf, '{')
	}
	out.Buf = buf
	return buf
}

// end completes an event. How is its disposition if it passes the filter.
func (e *encoder) end(out *wire.Out, buf []byte, how hub.Disposition) hub.Disposition {
	buf = closeObject(buf)
	envelope := e.envelopeOf(out)
	if f := e.filter(envelope); f != nil && !f.Keep([]byte(e.typ), buf[e.dataAt:]) {
		out.Cancel()
		return hub.Dropped
	}
	e.finish(out, buf, envelope)
	return how
}

// endDelta is end for events that every filter lets pass, as they hold nothing but content.
func (e *encoder) endDelta(out *wire.Out, buf []byte) {
	e.finish(out, closeObject(buf), e.envelopeOf(out))
}

// finish closes the objects around the properties and ends the record.
func (e *encoder) finish(out *wire.Out, buf []byte, envelope string) {
	if !e.opt.rootProperties {
		buf = append(buf, '}')
	}
	_, tail := around(envelope)
	out.Buf = append(buf, tail...)
	if e.events++; e.hold == nil {
		out.End()
		return
	}
	e.hold.Add("", out.Buf[e.bodyAt:])
	out.Cancel()
}

// filter is the filter for that envelope, nil if all pass.
func (e *encoder) filter(envelope string) *Filter {
	if e.opt.filterMode == filterOff || e.opt.filterMode == filterAuto && envelope != envelopeWS {
		return nil
	}
	return e.opt.filter
}

// appendSubAgent appends the property by which older versions tell the events of a sub-agent.
func (e *encoder) appendSubAgent(dst []byte, slot hub.Slot) []byte {
	l := e.subAgents.Find(slot)
	if l == nil {
		return dst
	}
	return appendSome(dst, `"parentToolCallId":"`, l.call)
}

// meta is what a decoder of this dialect kept of the origin; nil if the event has another origin.
func meta(ev *hub.Event) rawjson.Value {
	return rawjson.OfKind(ev.Meta(name), '{')
}

// data writes the data that the decoder makes of events and frames in the form that they came in; of other data, clients
// that do not know it ignore the event.
func (e *encoder) data(out *wire.Out, ev *hub.Event) hub.Disposition {
	typ := string(ev.Name)
	asItCame := specs[typ].is(plain|both) || strings.HasPrefix(typ, cacoPrefix)
	envelope := e.envelopeOf(out)
	switch {
	case typ == typeExternalTool && !e.started[string(rawjson.Text(ev.Value, "toolCallId"))]:
		return hub.Dropped // readers would take it for the call, with what it says of the arguments
	case asItCame && ev.Op == hub.Emit && rawjson.Kind(ev.Value) == '{':
		disposition := hub.Native
		if typ == typeStart && e.typ == "" {
			disposition = hub.Folded // the first that is said, it begins the run
		}
		return e.end(out, e.appendMeta(e.beginAs(out, typ, ev), ev.Value), disposition)
	case typ == dataState && ev.Op == hub.Merge && envelope == envelopeWS:
		return e.control(out, frameStateUpdate, `"data":`, ev.Value)
	case typ == dataHistoryDone && envelope == envelopeWS:
		return e.control(out, frameHistoryDone, `"data":`, ev.Value)
	case typ == dataLifecycle && envelope == envelopeRPC:
		out.Begin("")
		out.Buf = append(append(append(out.Buf, `{"jsonrpc":"2.0","method":"session.lifecycle","params":`...), ev.Value...), '}')
		out.End()
		return hub.Native
	}
	return e.extension(out, ev)
}

// control writes a frame that is no event.
func (e *encoder) control(out *wire.Out, typ, head string, val []byte) hub.Disposition {
	buf := append(append(append(member.Begin(out, ""), `{"type":"`...), typ...), `",`...)
	if typ != frameError {
		buf = appendText(buf, `"sessionId":"`, e.session)
	}
	if string(val) != string(emptyObject) {
		buf = appendValue(buf, head, val)
	}
	member.End(out, closeObject(buf))
	return hub.Native
}

// raw writes a record of this dialect as it came, an event in the envelope of this stream.
func (e *encoder) raw(out *wire.Out, ev *hub.Event) hub.Disposition {
	if string(ev.Name) != name || ev.Value == nil {
		return e.extension(out, ev)
	}
	inner, from := unwrap(ev.Value)
	envelope := e.envelopeOf(out)
	if string(rawjson.Text(ev.Value, "type")) == frameGlobal && envelope == envelopeWS {
		inner = nil // not of this session, and so not filtered
	}
	if inner == nil && envelope != formEnvelopes[from] {
		return hub.Dropped // a message of a protocol that the client does not speak
	}
	out.Begin("")
	if inner == nil {
		out.Buf = append(out.Buf, ev.Value...)
	} else {
		typ := rawjson.Text(inner, "type")
		if f := e.filter(envelope); f != nil && !f.Keep(typ, rawjson.Get(inner, "data")) {
			out.Cancel()
			return hub.Dropped
		}
		_, tail := around(envelope)
		out.Buf = append(append(e.appendEnvelope(out.Buf, envelope), inner...), tail...)
	}
	out.End()
	return hub.Native
}

var formEnvelopes = [...]string{formBare: envelopeNone, formFrame: envelopeWS, formRPC: envelopeRPC}
