package adk

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Calls by which the framework asks the human.
const (
	callConfirm    = "adk_request_confirmation"
	callCredential = "adk_request_credential"
	callInput      = "adk_request_input"
)

func isRequest(name []byte) bool {
	return string(name) == callConfirm || string(name) == callCredential || string(name) == callInput
}

// rejected is the result of a call that was not confirmed.
const rejected = "This tool call is rejected."

// callState is what the stream has said of a call.
type callState uint8

const (
	callUnknown callState = iota
	callRunning           // its result is to come in this stream
	callClient            // long-running: its result comes in a later run
	callAsk               // the framework's question
	callWaiting           // for the answer to such a question
	callOver
	callStates
)

// set notes a new state of a call.
func (d *decoder) set(id []byte, state callState) {
	old, _ := d.calls.Find(id)
	d.open[old]--
	d.open[state]++
	d.calls.Put(string(id), state)
}

// parts appends the events of complete parts. A fault concerns its part only.
func (d *decoder) parts(dst []hub.Event, l *branch, parts rawjson.Value) ([]hub.Event, error) {
	var first error
	var reported [2]bool
	for v := range rawjson.Each(parts) {
		p := genai.ReadPart(v)
		var err *hub.Error
		switch p.Kind {
		case genai.PartText:
			dst = d.text(dst, l, &p, parts, &reported)
		case genai.PartCall:
			dst, err = d.call(dst, l, &p)
		case genai.PartResponse:
			dst, err = d.response(dst, l, &p)
		case genai.PartInline, genai.PartFile:
			dst = d.file(dst, l, &p, nil)
		case genai.PartCode:
			dst = d.code(dst, l, &p)
		case genai.PartCodeResult:
			dst = d.codeResult(dst, l, &p)
		default:
			dst = raw(dst, []byte(rawPart), v)
		}
		if err != nil && first == nil {
			first = err
		}
	}
	return dst, first
}

// text appends a text that is complete. Where fragments of it came, all parts of the channel are compared with them at once:
// they may be cut in other places.
func (d *decoder) text(dst []hub.Event, l *branch, p *genai.Part, parts rawjson.Value, reported *[2]bool) []hub.Event {
	channel := p.Channel()
	text, sig := rawjson.Body(p.Value), rawjson.Body(p.Sig)
	op := hub.Append
	if l.emitted[channel] && !d.isUser() {
		op = hub.Replace
		if text = nil; !reported[channel] {
			text = d.joined(parts, channel)
		}
		reported[channel] = true
	}
	var ev *hub.Event
	if len(text) > 0 {
		dst, ev = d.textEvent(dst, l, hub.TextDelta, channel)
		ev.Text, ev.Op = text, op
	}
	return d.textEnd(dst, l, channel, len(text) > 0 && (op == hub.Append || l.last == channel), sig)
}

// textEnd ends a part that is open, with the signature that stands beside its text, or behind it in a part without text.
func (d *decoder) textEnd(dst []hub.Event, l *branch, channel hub.Chan, open bool, sig []byte) []hub.Event {
	if !open && len(sig) == 0 {
		return dst
	}
	var ev *hub.Event
	if n := len(dst); !open && n > 0 && dst[n-1].Kind == hub.TextEnd && dst[n-1].Chan == channel && dst[n-1].More == nil {
		ev = &dst[n-1]
	} else {
		dst, ev = d.textEvent(dst, l, hub.TextEnd, channel)
	}
	if len(sig) > 0 {
		ev.More = d.scratch.More()
		ev.More.Sig = sig
	}
	return dst
}

// joined is all text of a channel.
func (d *decoder) joined(parts rawjson.Value, channel hub.Chan) []byte {
	b := d.scratch.Begin()
	for v := range rawjson.Each(parts) {
		if p := genai.ReadPart(v); p.Kind == genai.PartText && p.Channel() == channel {
			b = append(b, rawjson.Body(p.Value)...)
		}
	}
	return d.scratch.Since(b)
}

func (d *decoder) mint(prefix string) []byte {
	d.minted++
	return d.scratch.Since(strconv.AppendInt(append(d.scratch.Begin(), prefix...), int64(d.minted), 10))
}

// call appends a call of a tool, or a question that the framework puts as one.
func (d *decoder) call(dst []hub.Event, l *branch, p *genai.Part) ([]hub.Event, *hub.Error) {
	id, name := rawjson.Body(rawjson.Get(p.Value, "id")), rawjson.Body(rawjson.Get(p.Value, "name"))
	if len(name) == 0 {
		return dst, hub.NewError(hub.ReasonMissing, "content.parts.functionCall.name", -1, "a call needs a name")
	}
	if len(id) == 0 {
		id = d.mint("call_")
	}
	args, long := rawjson.Get(p.Value, "args"), d.isLongRunning(id)
	if isRequest(name) && (long || string(name) != callInput) {
		return d.ask(dst, l, id, name, args), nil
	}
	d.set(id, callRunning)
	if long {
		d.set(id, callClient)
	}
	return d.tool(dst, l, id, name, args, rawjson.Body(p.Sig)), nil
}

// tool appends a call that came whole.
func (d *decoder) tool(dst []hub.Event, l *branch, id, name []byte, args rawjson.Value, sig []byte) []hub.Event {
	state, _ := d.calls.Find(id)
	var flags hub.Flags
	if state == callClient {
		flags = hub.ClientRuns
	}
	add := func(kind hub.Kind) *hub.Event {
		var ev *hub.Event
		dst, ev = hub.Add(dst, hub.Event{Kind: kind, ID: id, Name: name, SubAgent: l.id, Msg: d.msg, Flags: flags})
		return ev
	}
	if start := add(hub.ToolStart); len(sig) > 0 {
		d.scratch.MoreOf(start).Sig = sig
	}
	ready := add(hub.ToolReady)
	if ready.Value = rawjson.NotNull(args); ready.Value == nil {
		ready.Value = []byte("{}")
	}
	return dst
}

// isLongRunning reports whether the event names id among the calls whose results come later.
func (d *decoder) isLongRunning(id []byte) bool {
	for v := range rawjson.Each(d.rec[mLongRunning]) {
		if rawjson.EqualBody(rawjson.Body(v), id) {
			return true
		}
	}
	return false
}

// response appends the result of a call, or the answer to a question. A result that another follows is provisional: that of a
// call whose end comes in a later run, or one that waits for a human.
func (d *decoder) response(dst []hub.Event, l *branch, p *genai.Part) ([]hub.Event, *hub.Error) {
	id, name := rawjson.Body(rawjson.Get(p.Value, "id")), rawjson.Body(rawjson.Get(p.Value, "name"))
	if len(id) == 0 {
		return dst, hub.NewError(hub.ReasonMissing, "content.parts.functionResponse.id", -1, "a result needs the id of its call")
	}
	response := rawjson.Get(p.Value, "response")
	state, known := d.calls.Find(id)
	if state == callAsk || !known && isRequest(name) {
		return d.answer(dst, l, id, response), nil
	}
	for v := range rawjson.Each(rawjson.Get(p.Value, "parts")) {
		if part := genai.ReadPart(v); part.Kind == genai.PartInline || part.Kind == genai.PartFile {
			dst = d.file(dst, l, &part, id)
		}
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolEnd, ID: id, Name: name, SubAgent: l.id})
	readResult(ev, response, &d.scratch)
	if !known {
		ev.Flags = hub.Resumed
	}
	switch {
	case d.waits(id):
		ev.Status = hub.StatusPending
		d.set(id, callWaiting)
	case state == callClient && !d.isUser():
		ev.Status = hub.StatusPending
	case known:
		d.set(id, callOver)
	}
	return dst, nil
}

// waits reports whether the event says that a call waits for a human.
func (d *decoder) waits(id []byte) bool {
	for _, names := range [][2]string{{"requestedToolConfirmations", "requested_tool_confirmations"}, {"requestedAuthConfigs", "requested_auth_configs"}} {
		for key := range rawjson.EachField(genai.Get(d.rec[mActions], names[0], names[1])) {
			if rawjson.EqualBody(key, id) {
				return true
			}
		}
	}
	return false
}

// readResult reads what a tool returned: an object, or another value or an error that the framework has wrapped.
func readResult(ev *hub.Event, response rawjson.Value, s *hub.Scratch) {
	ev.Status = hub.StatusOK
	if ev.Value = rawjson.NotNull(response); ev.Value == nil {
		ev.Value = []byte("{}")
		return
	}
	key, inner := onlyMember(response)
	switch string(key) {
	case "result":
		if ev.Value = inner; rawjson.Kind(inner) == '"' {
			ev.Value, ev.Text = nil, rawjson.Body(inner)
		}
	case "error":
		text, ok := rawjson.Str(inner)
		if !ok {
			break
		}
		if ev.Status, ev.Value = hub.StatusDenied, nil; string(text) != rejected {
			ev.Status, ev.More = hub.StatusError, s.More()
			ev.More.Err = text
		}
	}
}

// onlyMember returns the member of an object that has no other.
func onlyMember(v rawjson.Value) (key []byte, val rawjson.Value) {
	it := rawjson.Fields(v)
	key, val, ok := it.Next()
	if _, _, more := it.Next(); !ok || more {
		return nil, nil
	}
	return key, val
}

// file is a document of the answer, of the result of a call, or of the user's.
func (d *decoder) file(dst []hub.Event, l *branch, p *genai.Part, call []byte) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.File, SubAgent: l.id, Ref: call, More: d.scratch.More()})
	p.File(&ev.More.File)
	if call == nil && d.isUser() {
		ev.Flags = hub.User
	}
	return dst
}

// code is code that the agent runs. Its result follows, and names no call unless the code has an id.
func (d *decoder) code(dst []hub.Event, l *branch, p *genai.Part) []hub.Event {
	id := rawjson.Body(rawjson.Get(p.Value, "id"))
	if len(id) == 0 {
		id = d.mint("exec_")
	}
	l.code = append(l.code[:0], id...)
	d.set(id, callRunning)
	return d.tool(dst, l, id, []byte(genai.CodeTool), p.Value, rawjson.Body(p.Sig))
}

func (d *decoder) codeResult(dst []hub.Event, l *branch, p *genai.Part) []hub.Event {
	id := rawjson.Body(rawjson.Get(p.Value, "id"))
	if len(id) == 0 {
		id = d.scratch.Copy(l.code)
	}
	d.set(id, callOver)
	dst, ev := hub.Add(dst, hub.Event{ID: id, SubAgent: l.id})
	p.CodeResult(ev, &d.scratch)
	return dst
}
