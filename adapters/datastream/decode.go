package datastream

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// maxKnown bounds the calls that are remembered. No stream known to work comes near it.
const maxKnown = 1024

// decoder remembers the message and the part that lines belong to, which calls have no result, and how the run ended.
type decoder struct {
	json    rawjson.Decoder
	rec     record
	value   rawjson.Value // behind the code
	scratch hub.Scratch

	clientTools rawjson.Names

	begun   bool   // the run has its start
	message []byte // id, string body
	kind    byte   // code of the part that is open: '0', 'g', or 0 for none
	part    []byte // its id
	parts   int
	calls   map[string]bool // whether it has a result
	left    int             // calls without one
	end     ending
}

// ending is how the run ended, as far as it was said. Merged streams say it several times, so it waits for the end of the
// body.
type ending struct {
	seen, fatal bool
	status      hub.Status
	name, err   []byte
}

func newDecoder(o hub.Options) hub.Decoder {
	d := &decoder{clientTools: rawjson.NamesOf(o.List("client_tools"))}
	d.json.MaxDepth = o.Nesting
	d.Reset()
	return d
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	d.scratch.Reset()
	d.begun, d.message = false, d.message[:0]
	d.kind, d.part, d.parts = 0, d.part[:0], 0
	d.calls, d.left = nil, 0
	d.end = ending{}
}

// record is the schema: every member of every part that is an object.
type record struct {
	ToolCallID    rawjson.Value `json:"toolCallId"`
	ToolName      rawjson.Value `json:"toolName"`
	ArgsTextDelta rawjson.Value `json:"argsTextDelta"`
	Args          rawjson.Value `json:"args"`
	Result        rawjson.Value `json:"result"`
	IsError       rawjson.Value `json:"isError"`

	MessageID    rawjson.Value `json:"messageId"`
	FinishReason rawjson.Value `json:"finishReason"`
	Usage        rawjson.Value `json:"usage"`
	IsContinued  rawjson.Value `json:"isContinued"`

	ID        rawjson.Value `json:"id"`
	URL       rawjson.Value `json:"url"`
	Title     rawjson.Value `json:"title"`
	Data      rawjson.Value `json:"data"`
	MimeType  rawjson.Value `json:"mimeType"`
	Filename  rawjson.Value `json:"filename"`
	Signature rawjson.Value `json:"signature"`

	ProviderMetadata rawjson.Value `json:"providerMetadata"`

	Name           rawjson.Value `json:"name"`
	TextDelta      rawjson.Value `json:"textDelta"`
	ReasoningDelta rawjson.Value `json:"reasoningDelta"`
}

// handler is what the decoder does with one code.
type handler struct {
	decode func(*decoder, []hub.Event) ([]hub.Event, error)
	object bool // the value must be an object
}

var handlers = map[string]handler{
	"0": {(*decoder).text, false},
	"g": {(*decoder).reasoning, false},
	"i": {(*decoder).redacted, true},
	"j": {(*decoder).signature, true},
	"b": {(*decoder).callStart, true},
	"c": {(*decoder).callDelta, true},
	"9": {(*decoder).call, true},
	"a": {(*decoder).result, true},
	"2": {(*decoder).data, false},
	"8": {(*decoder).annotations, false},
	"h": {(*decoder).source, true},
	"k": {(*decoder).file, true},
	"3": {(*decoder).fail, false},
	"f": {(*decoder).stepStart, true},
	"e": {(*decoder).stepEnd, true},
	"d": {(*decoder).finish, true},

	"aui-state":                {(*decoder).state, false},
	"aui-text-delta":           {(*decoder).auiText, true},
	"aui-reasoning-delta":      {(*decoder).auiReasoning, true},
	"aui-reasoning-part-start": {(*decoder).auiReasoningStart, true},
	"aui-data":                 {(*decoder).auiData, true},
}

// Decode implements [hub.Decoder]. Nothing counts after an error: clients stop reading there.
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	if len(bytes.TrimSpace(rec.Data)) == 0 || d.end.fatal {
		return dst, nil
	}
	code, value := cut(rec.Data)
	if code == nil {
		return dst, hub.NewError(hub.ReasonSyntax, "", 0, "want a code, a colon and a value")
	}
	code = bytes.TrimSpace(code)
	d.value = bytes.TrimSpace(value)
	h, known := handlers[string(code)]
	if known && h.object {
		d.rec = record{}
		if err := d.json.Decode(value, &d.rec); err != nil {
			return dst, moved(err, len(rec.Data)-len(value))
		}
	} else if err := d.json.Valid(value); err != nil {
		return dst, moved(err, len(rec.Data)-len(value))
	}
	if !known {
		return append(dst, hub.Event{
			Kind: hub.Raw, Name: []byte("datastream"), Text: d.scratch.Since(rawjson.AppendEscaped(d.scratch.Begin(), rec.Data)),
		}), nil
	}
	return h.decode(d, dst)
}

// moved is an error in the value, which begins at that offset of the line.
func moved(err error, by int) error {
	e := hub.JSONError(err)
	if e.Offset >= 0 {
		e.Offset += int64(by)
	}
	return e
}

// Finish implements [hub.Decoder].
func (d *decoder) Finish(dst []hub.Event, _ error) []hub.Event {
	d.scratch.Reset()
	if !d.end.seen {
		return dst
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunEnd, Status: d.end.status, Name: d.end.name})
	switch {
	case ev.Status == hub.StatusFailed:
		more := d.scratch.More()
		if more.Err = d.end.err; len(more.Err) == 0 {
			more.Err = []byte("The model failed.")
		}
		ev.More = more
	case ev.Status == hub.StatusDone && d.left > 0:
		ev.Status = hub.StatusTools
	}
	return dst
}

// emit appends an event of the message.
func (d *decoder) emit(dst []hub.Event, ev hub.Event) ([]hub.Event, *hub.Event) {
	ev.Msg = d.message
	return hub.Add(dst, ev)
}

// put is emit for an event of which all is known.
func (d *decoder) put(dst []hub.Event, ev hub.Event) []hub.Event {
	dst, _ = d.emit(dst, ev)
	return dst
}

// open makes sure that a part of that kind is open, and returns its id.
func (d *decoder) open(kind byte) []byte {
	if d.kind == kind {
		return d.part
	}
	d.parts++
	name := "text-"
	if kind == 'g' {
		name = "reasoning-"
	}
	d.kind, d.part = kind, strconv.AppendInt(append(d.part[:0], name...), int64(d.parts), 10)
	return d.part
}

func (d *decoder) text(dst []hub.Event) ([]hub.Event, error) {
	return d.delta(dst, '0', d.value, "")
}

func (d *decoder) reasoning(dst []hub.Event) ([]hub.Event, error) {
	return d.delta(dst, 'g', d.value, "")
}

func (d *decoder) auiText(dst []hub.Event) ([]hub.Event, error) {
	return d.delta(dst, '0', d.rec.TextDelta, "textDelta")
}

func (d *decoder) auiReasoning(dst []hub.Event) ([]hub.Event, error) {
	return d.delta(dst, 'g', d.rec.ReasoningDelta, "reasoningDelta")
}

// delta appends text of the part that is open.
func (d *decoder) delta(dst []hub.Event, kind byte, v rawjson.Value, path string) ([]hub.Event, error) {
	text, err := member.Text(v, path)
	if err != nil || len(text) == 0 {
		return dst, err
	}
	dst, ev := d.emit(dst, hub.Event{Kind: hub.TextDelta, ID: d.open(kind), Text: text})
	if kind == 'g' {
		ev.Chan = hub.Reasoning
	}
	return dst, nil
}

// auiReasoningStart begins another reasoning part. Its summary has no text.
func (d *decoder) auiReasoningStart(dst []hub.Event) ([]hub.Event, error) {
	d.kind = 0
	d.open('g')
	return dst, nil
}

// signature ends the reasoning part that it signs.
func (d *decoder) signature(dst []hub.Event) ([]hub.Event, error) {
	return d.sealed(dst, d.rec.Signature), nil
}

// redacted is a reasoning part that is there in its encrypted form alone.
func (d *decoder) redacted(dst []hub.Event) ([]hub.Event, error) {
	d.kind = 0
	return d.sealed(dst, d.rec.Data), nil
}

func (d *decoder) sealed(dst []hub.Event, v rawjson.Value) []hub.Event {
	sig := rawjson.Body(v)
	if len(sig) == 0 {
		return dst
	}
	dst, ev := d.emit(dst, hub.Event{Kind: hub.TextEnd, ID: d.open('g'), Chan: hub.Reasoning, More: d.scratch.More()})
	ev.More.Sig = sig
	d.kind = 0
	return dst
}
