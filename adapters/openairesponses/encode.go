package openairesponses

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/responsestream"
	"github.com/sabir-proxy/sabir/adapters/usage"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// encoder writes the whole life of a response, as the strictest clients want it: every item and part opened before its
// first delta and closed with its whole text, and all of them once more in the terminal event. It must therefore keep what
// it has written; see maxOutput.
type encoder struct {
	defaultModel []byte // string body
	label        []byte // string body: the server that calls are said to run on
	signatures   string // which of them are written; see the option
	maxOutput    int

	// Of the call that is answered.
	askedModel []byte
	stream     []byte // raw JSON: the sub-agent of a WebSocket, echoed on every event
	tag        []byte // makes ids of this response unlike those of others
	echo       []byte // members of the request that the response repeats, each after a comma
	seed       []byte // of the tag

	id      []byte // string bodies
	model   []byte
	named   bool  // by the client, or by the agent
	created int64 // seconds since the Unix epoch
	started bool
	full    bool // the output has reached its limit: the stream ends, see Kept
	seq     int64
	used    int // bytes of output kept

	items   [][]byte // JSON of the items that are done, by output index; nil while open
	texts   opened.List[text]
	calls   opened.List[toolItem]
	sources [][]byte // annotations that wait for a text
	asks    []pending
	usage   usage.Run
	held    [][]byte // extension payloads that came before the response
	client  bool     // a call was left to the client
	refused bool

	scratch []byte
}

func newEncoder(o hub.Options) hub.Encoder {
	e := &encoder{
		defaultModel: rawjson.AppendEscaped(nil, []byte(o.Text("model"))),
		label:        rawjson.AppendEscaped(nil, []byte(o.Text("server_label"))),
		signatures:   o.Enum("signatures"),
		maxOutput:    o.Int("max_output"),
	}
	e.Reset()
	return e
}

// Reset implements [hub.Encoder].
func (e *encoder) Reset() {
	e.askedModel, e.stream, e.tag, e.echo, e.seed = nil, nil, e.tag[:0], nil, nil
	e.id, e.model, e.named, e.created, e.started, e.full = e.id[:0], e.model[:0], false, 0, false, false
	e.seq, e.used = 0, 0
	clear(e.items)
	e.items = e.items[:0]
	for _, t := range e.texts.All {
		t.forget()
	}
	e.texts.Reset()
	e.calls.Reset()
	e.sources, e.asks, e.held = nil, nil, nil
	e.usage.Reset()
	if cap(e.scratch) > keepText {
		e.scratch = nil
	}
	e.client, e.refused = false, false
}

// Finish implements [hub.Encoder]. The terminal event is the end; there is no mark behind it.
func (e *encoder) Finish(*wire.Out) {}

// writers are the methods of the encoder, by the kind of event that they write.
var writers = hub.Writers[*encoder]{
	hub.RunStart: (*encoder).runStart, hub.RunEnd: (*encoder).runEnd,
	hub.TextStart: (*encoder).textStart, hub.TextDelta: (*encoder).textDelta, hub.TextEnd: (*encoder).textEnd,
	hub.ToolStart: (*encoder).toolStart, hub.ToolArgs: (*encoder).toolArgs, hub.ToolReady: (*encoder).toolReady,
	hub.ToolEnd: (*encoder).toolEnd,
	hub.Ask:     hub.Silent((*encoder).ask), hub.Answer: hub.Silent((*encoder).answer),
	hub.StepStart: hub.Silent((*encoder).stepStart),
	hub.Usage:     hub.Silent((*encoder).addUsage),
	hub.Source:    (*encoder).source, hub.File: (*encoder).image,
}

// Encode implements [hub.Encoder].
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	return writers.Write(e, out, ev)
}

// Answer implements [hub.Answerer]. The response names the model that was asked for, repeats what the request said, and
// has ids unlike those of the other answers of a conversation.
func (e *encoder) Answer(req *hub.Request) {
	e.askedModel, e.seed, e.created = bytes.Clone(req.Model), bytes.Clone(req.Unique), req.Time/1000
	for it := rawjson.Fields(req.Call); ; {
		key, val, ok := it.Next()
		switch {
		case !ok:
			return
		case string(key) == callStream:
			e.stream = bytes.Clone(val)
		case string(key) == callSeed: // the requests of one socket are distinguished by what they ask
			e.seed = append(e.seed, rawjson.Body(val)...)
		case string(key) == callEcho:
			e.echo = bytes.Clone(val)
		}
	}
}

// open begins an event: what comes up to its members.
func open(out *wire.Out, event, head string) []byte {
	out.Begin(event)
	return append(out.Buf, head...)
}

// close ends an event with what all events end with.
func (e *encoder) close(out *wire.Out, b []byte) {
	b = strconv.AppendInt(append(b, `,"sequence_number":`...), e.seq, 10)
	e.seq++
	if e.stream != nil {
		b = append(append(b, `,"stream_id":`...), e.stream...)
	}
	member.End(out, append(b, '}'))
}

// runStart announces the response.
func (e *encoder) runStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.name(ev)
	e.started = true
	held := e.held
	b := open(out, "response.created", `{"type":"response.created",`)
	if len(held) > 0 { // the first record says that all of the stream comes that way
		b = append(append(b, onlyMember(held[0])...), ',')
		held = held[1:]
	}
	e.close(out, e.appendResponse(append(b, `"response":`...), "in_progress", nil))
	b = open(out, "response.in_progress", `{"type":"response.in_progress","response":`)
	e.close(out, e.appendResponse(b, "in_progress", nil))
	for _, payload := range held {
		e.extension(out, payload)
	}
	e.held = nil
	return hub.Native
}

// responsePrefix begins the ids of responses.
const responsePrefix = "resp_"

// name fills in how the response is known.
func (e *encoder) name(ev *hub.Event) {
	own := bytes.HasPrefix(ev.ID, []byte(responsePrefix))
	e.tag = appendTag(e.tag[:0], ev.ID, e.seed)
	switch {
	case own:
		e.id = append(e.id[:0], ev.ID...)
	default:
		e.id = append(append(e.id[:0], responsePrefix...), e.tag...)
	}
	e.model = append(e.model[:0], e.defaultModel...)
	if at := ev.Rare().Time; at > 0 {
		e.created = at / 1000
	}
	e.named = len(e.askedModel) > 0
	if e.named {
		e.model = append(e.model[:0], e.askedModel...) // what the client asked for, by the name that it has for it
	}
	e.learnModel(ev)
}

// learnModel takes the model from the event that names it first.
func (e *encoder) learnModel(ev *hub.Event) {
	if model := ev.AgentModel(); len(model) > 0 && !e.named {
		e.model, e.named = append(e.model[:0], model...), true
	}
}

func (e *encoder) stepStart(ev *hub.Event) hub.Disposition {
	e.learnModel(ev)
	return hub.Dropped
}

// terminal is what a response says at its end.
type terminal struct {
	incomplete string // reason
	code, err  []byte // of a failure
	failed     bool
}

// appendResponse appends the response object. Its output comes with its end.
func (e *encoder) appendResponse(dst []byte, status string, end *terminal) []byte {
	dst = append(append(dst, `{"id":"`...), e.id...)
	dst = strconv.AppendInt(append(dst, `","object":"response","created_at":`...), e.created, 10)
	dst = append(append(dst, `,"status":"`...), status...)
	dst = append(append(dst, `","model":"`...), e.model...)
	dst = append(dst, `","output":[`...)
	if end != nil {
		dst = e.appendOutput(dst)
	}
	dst = append(dst, `],"error":`...)
	dst = appendEnd(dst, end)
	if len(e.echo) > 2 {
		dst = append(append(dst, ','), e.echo[1:len(e.echo)-1]...)
	} else {
		dst = append(dst, ',')
		dst = append(dst, defaultEcho...)
	}
	dst = append(dst, `,"usage":`...)
	if end == nil {
		return append(dst, `null}`...)
	}
	return append(e.appendUsage(dst), '}')
}

// appendEnd appends why a response has no good end; null twice for one that has, or that goes on.
func appendEnd(dst []byte, end *terminal) []byte {
	if end == nil || !end.failed {
		dst = append(dst, `null,"incomplete_details":`...)
		if end == nil || end.incomplete == "" {
			return append(dst, `null`...)
		}
		return append(append(append(dst, `{"reason":"`...), end.incomplete...), `"}`...)
	}
	dst = appendCode(append(dst, `{"code":"`...), end.code)
	dst = append(append(dst, `,"message":"`...), end.err...)
	return append(dst, `"},"incomplete_details":null`...)
}

// appendOutput appends the items that are done, in the order of their indexes.
func (e *encoder) appendOutput(dst []byte) []byte {
	some := false
	for _, item := range e.items {
		if item == nil {
			continue
		}
		if some {
			dst = append(dst, ',')
		}
		dst, some = append(dst, item...), true
	}
	return dst
}

// runEnd writes the terminal event. Before the response has begun there is none to end: then it is an error.
func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	if !e.started {
		return e.errorEvent(out, ev)
	}
	e.learnModel(ev)
	e.flushSources(out)
	e.flushAsks(out, ev.Status)
	status, end := e.ending(ev)
	b := open(out, "response."+status, `{"type":"response.`)
	b = append(append(b, status...), `","response":`...)
	e.close(out, e.appendResponse(b, status, &end))
	if !end.failed && len(hub.Why(ev)) > 0 {
		return hub.Folded // only failures have words
	}
	return e.endDisposition(ev.Status)
}

// ending is how the response says the reason of an end.
func (e *encoder) ending(ev *hub.Event) (status string, end terminal) {
	switch ev.Status {
	case hub.StatusLength:
		return "incomplete", terminal{incomplete: "max_output_tokens"}
	case hub.StatusLimit:
		return "incomplete", terminal{incomplete: "max_messages"}
	case hub.StatusFiltered:
		return "incomplete", terminal{incomplete: "content_filter"}
	case hub.StatusFailed, hub.StatusCancelled, hub.StatusTruncated:
		code, text := failureText(ev)
		return "failed", terminal{failed: true, err: text, code: code}
	case hub.StatusRefused:
		if !e.refused {
			return "incomplete", terminal{incomplete: "content_filter"}
		}
	}
	if e.full {
		return "incomplete", terminal{incomplete: "max_output_tokens"}
	}
	return "completed", terminal{}
}

// endDisposition says what of a reason reached the client.
func (e *encoder) endDisposition(reason hub.Status) hub.Disposition {
	switch reason {
	case hub.StatusDone:
		return hub.FoldedIf(e.full || e.client)
	case hub.StatusTools:
		return hub.FoldedIf(e.full || !e.client)
	case hub.StatusLength, hub.StatusLimit, hub.StatusFiltered, hub.StatusFailed:
		return hub.Native
	}
	return hub.Folded
}

// failureText is the code and the words of an end that is no success.
func failureText(ev *hub.Event) (code, text []byte) {
	code, text = ev.Rare().ErrCode, rawjson.Or(hub.Why(ev), phrases.Run(ev.Status))
	switch ev.Status {
	case hub.StatusCancelled:
		return rawjson.Or(code, responsestream.CodeCancelled), text
	case hub.StatusTruncated:
		return rawjson.Or(code, string(hub.CodeTruncated)), text
	}
	return rawjson.Or(code, "server_error"), text
}

// errorEvent writes an error in the form that all clients take for one: named, with flat members, and with an object.
func (e *encoder) errorEvent(out *wire.Out, ev *hub.Event) hub.Disposition {
	code, text := failureText(ev)
	b := appendCode(open(out, "error", `{"type":"error","code":"`), code)
	b = append(append(b, `,"message":"`...), text...)
	b = appendCode(append(b, `","param":null,"error":{"type":"server_error","code":"`...), code)
	b = append(append(append(b, `,"message":"`...), text...), `","param":null}`...)
	e.close(out, b)
	return hub.NativeIf(ev.Status == hub.StatusFailed)
}

// Extend implements [hub.Extender]: an event that says nothing, which all clients take and none looks into, once there is
// a response. What comes before is a member of the event that creates it.
func (e *encoder) Extend(out *wire.Out, payload []byte) {
	const maxHeld = 64
	if e.started {
		e.extension(out, payload)
	} else if len(e.held) < maxHeld {
		e.held = append(e.held, bytes.Clone(payload))
	}
}

// extension splices the only member of payload into a keepalive.
func (e *encoder) extension(out *wire.Out, payload []byte) {
	e.close(out, append(open(out, "keepalive", `{"type":"keepalive",`), onlyMember(payload)...))
}

// onlyMember is the only member of a payload.
func onlyMember(payload []byte) []byte {
	object := bytes.TrimSpace(payload)
	return object[1 : len(object)-1]
}
