package a2a

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// decoder remembers the artifacts that were begun, as later records add to them or take their place.
type decoder struct {
	json    rawjson.Decoder
	scratch hub.Scratch
	top     envelope

	statusText bool // messages of a task at work are the answer

	artifacts map[string]bool // those that have text, and whether they are open
	answered  bool            // there was answer text
	started   bool
	over      bool
	replied   bool // a message came without a task: it is the whole answer
	asks      int
	goesOn    []byte // the task that the request goes on with

	again bool // a record like the one in hand, with another text, is read as it is
}

// envelope is a JSON-RPC response. A binding without JSON-RPC has its event bare.
type envelope struct {
	Result rawjson.Value `json:"result"`
	Error  rawjson.Value `json:"error"`
}

func newDecoder(o hub.Options) hub.Decoder {
	d := &decoder{json: rawjson.Decoder{MaxDepth: o.Nesting}, statusText: o.Enum("status") == "text"}
	d.Reset()
	return d
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	d.scratch.Reset()
	d.artifacts = map[string]bool{}
	d.answered, d.started, d.over, d.replied, d.asks, d.again = false, false, false, false, 0, false
	d.goesOn = nil
}

// Continue implements [hub.Continuer]: the task that was asked something is known up to there.
func (d *decoder) Continue(req *hub.Request) {
	said := says{answers: conversation.Decided(req)}
	said.chooseTask(new(hub.Losses))
	d.goesOn = bytes.Clone(said.task)
}

// Decode implements [hub.Decoder].
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	d.top, d.again = envelope{}, false
	if err := d.json.Decode(rec.Data, &d.top); err != nil {
		return dst, hub.JSONError(err)
	}
	if rawjson.NotNull(d.top.Error) != nil {
		return d.failed(dst, d.top.Error), nil
	}
	if string(rec.Event) == "error" {
		return d.failed(dst, rec.Data), nil // the body of an error of the REST binding of 0.3
	}
	body := d.top.Result
	if body == nil {
		body = rec.Data
	}
	what, o := readEvent(body)
	if what == aTask || what == aStatus || what == anArtifact {
		dst = d.start(dst, what, &o)
	}
	switch what {
	case aTask:
		return d.task(dst, &o), nil
	case aMessage:
		return d.message(dst, &o), nil
	case aStatus:
		return d.status(dst, &o), nil
	case anArtifact:
		return d.artifact(dst, &o), nil
	}
	return d.raw(dst, body), nil
}

// TrackText implements [fastpath.TextTracker]. The first piece of an artifact is unlike those that follow, which add to it or take
// its place; what they say is not remembered.
func (d *decoder) TrackText(any, []byte, []byte) bool { return true }

// Tracked implements [fastpath.TextTracker].
func (d *decoder) Tracked() (part any, ok bool) { return nil, d.again }

// raw keeps an event that has no meaning here.
func (d *decoder) raw(dst []hub.Event, body rawjson.Value) []hub.Event {
	return append(dst, hub.Event{Kind: hub.Raw, Name: []byte(nameRaw), Value: body})
}

// start opens the run with the first record that names the task. A stream must begin with the task, but many do not.
func (d *decoder) start(dst []hub.Event, what event, o *object) []hub.Event {
	d.replied = false
	if d.started {
		return dst
	}
	d.started = true
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunStart, Ref: o.contextID, ID: o.taskID})
	if what == aTask {
		ev.ID = o.id
	}
	return dst
}

// task is a snapshot: what it holds already came before the stream was opened, and its state may be final. The client has seen what was made
// before its answer.
func (d *decoder) task(dst []hub.Event, o *object) []hub.Event {
	known := d.goesOn != nil && bytes.Equal(d.goesOn, o.id)
	d.goesOn = nil
	if known && !states[string(rawjson.Text(o.status, "state"))].ends() {
		return d.status(dst, o)
	}
	for v := range rawjson.Each(o.artifacts) {
		one := object{artifact: v, last: true}
		dst = d.artifact(dst, &one)
	}
	return d.status(dst, o)
}

// message is a reply without a task, or beside one.
func (d *decoder) message(dst []hub.Event, o *object) []hub.Event {
	d.replied = !d.started
	return d.say(dst, o)
}

// say appends the parts of a message as the answer, or as the user's own words.
func (d *decoder) say(dst []hub.Event, o *object) []hub.Event {
	flags := hub.Flags(0)
	if string(o.role) == "user" || string(o.role) == "ROLE_USER" {
		flags = hub.User
	}
	spoken := false
	for v := range rawjson.Each(o.parts) {
		p := readPart(v)
		if len(p.text) == 0 {
			dst = d.other(dst, &p, o.messageID, nil)
			continue
		}
		var ev *hub.Event
		dst, ev = hub.Grow(dst)
		ev.Kind, ev.ID, ev.Msg, ev.Text, ev.Flags = hub.TextDelta, o.messageID, o.messageID, p.text, flags
		if p.thought {
			ev.Chan = hub.Reasoning
		} else {
			spoken = true
		}
	}
	if !spoken {
		return dst
	}
	d.answered = d.answered || flags == 0
	return append(dst, hub.Event{Kind: hub.TextEnd, ID: o.messageID, Msg: o.messageID, Flags: flags})
}

// artifact adds to a result, or with append false takes the place of what it was.
func (d *decoder) artifact(dst []hub.Event, o *object) []hub.Event {
	a := readArtifact(o.artifact)
	open, known := d.artifacts[string(a.id)]
	op := hub.Append
	if known && !o.append {
		op = hub.Replace
	}
	if !known && len(a.name) > 0 && hasText(a.parts) {
		dst = append(dst, hub.Event{Kind: hub.TextStart, ID: a.id, Msg: a.id, Title: a.name})
	}
	dst, emitted := d.artifactParts(dst, &a, op)
	d.again = known || !emitted
	if !emitted && !known {
		return dst
	}
	if !known || open == o.last {
		d.artifacts[string(a.id)] = !o.last
	}
	if o.last && (open || !known) {
		dst = append(dst, hub.Event{Kind: hub.TextEnd, ID: a.id, Msg: a.id})
	}
	return dst
}

// hasText reports whether there is an answer among the parts.
func hasText(parts rawjson.Value) bool {
	it := rawjson.Elems(parts)
	first, _ := it.Next()
	p := readPart(first)
	return len(p.text) > 0 && !p.thought
}

// artifactParts appends the parts of an artifact. said is whether there was text.
func (d *decoder) artifactParts(dst []hub.Event, a *artifact, op hub.Op) (_ []hub.Event, emitted bool) {
	whole := d.scratch.Begin()
	n := len(whole)
	for v := range rawjson.Each(a.parts) {
		p := readPart(v)
		switch {
		case len(p.text) == 0:
			dst = d.other(dst, &p, nil, a)
		case p.thought:
			dst = d.delta(dst, a.id, p.text, hub.Append, hub.Reasoning)
		case op == hub.Replace:
			whole = append(whole, p.text...) // what follows an escape is whole, so bodies can be joined
		default:
			dst = d.delta(dst, a.id, p.text, op, hub.AnswerText)
			emitted = true
		}
	}
	if len(whole) > n {
		dst = d.delta(dst, a.id, d.scratch.Since(whole), hub.Replace, hub.AnswerText)
		emitted = true
	}
	return dst, emitted
}

func (d *decoder) delta(dst []hub.Event, id, text []byte, op hub.Op, ch hub.Chan) []hub.Event {
	d.answered = d.answered || ch == hub.AnswerText
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.Msg, ev.Text, ev.Op, ev.Chan = hub.TextDelta, id, id, text, op, ch
	return dst
}

// other appends a part that is no text: a file, a call, or data.
func (d *decoder) other(dst []hub.Event, p *part, msg []byte, a *artifact) []hub.Event {
	switch {
	case p.file.URL != nil || p.file.Base64 != nil:
		dst, ev := hub.Add(dst, hub.Event{Kind: hub.File, Msg: msg, More: d.scratch.More()})
		ev.More.File = p.file
		if a != nil {
			ev.ID, ev.Text = a.id, a.description
			if !bytes.Equal(a.name, p.file.Name) { // else it is that of the file
				ev.Title = a.name
			}
		}
		return dst
	case p.data == nil:
		return dst
	case p.kind != nil:
		return d.typed(dst, p, msg)
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Data, Msg: msg, Name: []byte("data"), Op: hub.Emit, Value: p.data})
	if a != nil {
		ev.ID, ev.Op = a.id, hub.Set
		if len(a.name) > 0 {
			ev.Name = a.name
		}
	}
	return dst
}

// typed reads data whose metadata say what they are. Google's Agent Development Kit writes the calls of its agents so,
// and so does the encoder.
func (d *decoder) typed(dst []hub.Event, p *part, msg []byte) []hub.Event {
	id, name := rawjson.Text(p.data, "id"), rawjson.Text(p.data, "name")
	id = rawjson.First(id, name)
	switch string(p.kind) {
	case kindCall:
		dst = append(dst, hub.Event{Kind: hub.ToolStart, ID: id, Name: name, Msg: msg})
		args := rawjson.NotNull(rawjson.Get(p.data, "args"))
		return append(dst, hub.Event{Kind: hub.ToolReady, ID: id, Name: name, Msg: msg, Value: args})
	case kindResponse:
		return d.toolEnd(dst, p.data, id, name, msg)
	case kindAsked:
		return d.asked(dst, p.data)
	}
	return append(dst, hub.Event{Kind: hub.Data, Msg: msg, Name: p.kind, Op: hub.Emit, Value: p.data})
}

// toolEnd reads what a tool returned.
func (d *decoder) toolEnd(dst []hub.Event, data rawjson.Value, id, name, msg []byte) []hub.Event {
	r := readResponse(rawjson.Get(data, "response"))
	return append(dst, hub.Event{Kind: hub.ToolEnd, ID: id, Name: name, Msg: msg, Status: r.Status, Text: r.Text, Value: r.Value})
}

// readResponse reads the response of a tool: an object, of which result and error are the conventions.
func readResponse(response rawjson.Value) (r hub.CallResult) {
	r.Status = hub.StatusOK
	only := rawjson.Fields(response)
	key, val, _ := only.Next()
	if _, _, more := only.Next(); more {
		r.Value = response
		return r
	}
	switch string(key) {
	case "error":
		r.Status = hub.StatusError
	case "result":
	default:
		r.Value = rawjson.NotNull(response)
		return r
	}
	if body, ok := rawjson.Str(val); ok {
		r.Text = body
	} else {
		r.Value = val
	}
	return r
}

// failed ends the run with an error: of JSON-RPC, or the body of one of HTTP.
func (d *decoder) failed(dst []hub.Event, v rawjson.Value) []hub.Event {
	d.over = true
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunEnd, Status: hub.StatusFailed, More: d.scratch.More()})
	ev.More.Err = rawjson.Text(v, "message")
	if code := rawjson.NotNull(rawjson.Get(v, "code")); rawjson.Kind(code) == '0' {
		ev.More.ErrCode = bytes.TrimSpace(code)
	}
	details := rawjson.Get(v, "details")
	if details == nil {
		details = rawjson.Get(v, "data")
	}
	it := rawjson.Elems(details)
	first, _ := it.Next()
	if reason := rawjson.Text(first, "reason"); len(reason) > 0 {
		ev.More.ErrCode = reason
	}
	return dst
}

// Finish implements [hub.Decoder]. Only a reply without a task may end with the body.
func (d *decoder) Finish(dst []hub.Event, cause error) []hub.Event {
	if cause != nil || d.over || !d.replied {
		return dst
	}
	return append(dst, hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone})
}
