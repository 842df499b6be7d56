package aisdk

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// maxKnown bounds each list of things that a decoder or encoder remembers of a stream. Beyond it the oldest entry is
// forgotten, or a new one not kept; no stream known to work comes near it.
const maxKnown = 1024

// decoder remembers the message that the records belong to, which calls and questions are open, and how the run ended.
type decoder struct {
	json    rawjson.Decoder
	rec     record
	data    []byte // the record being decoded
	scratch hub.Scratch

	clientTools rawjson.Names

	message []byte // id, string body
	calls   map[string]*call
	left    int // calls without an output
	asks    map[string]bool
	sigs    signatures.Open
	steered int // messages of the user
	end     ending
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
	d.message = d.message[:0]
	d.calls, d.left = nil, 0
	d.asks = nil
	d.sigs = d.sigs[:0]
	d.steered = 0
	d.end = ending{}
}

// record is the schema: every member of every chunk that the decoder reads.
type record struct {
	Type             rawjson.Value `json:"type"`
	ID               rawjson.Value `json:"id"`
	Delta            rawjson.Value `json:"delta"`
	ProviderMetadata rawjson.Value `json:"providerMetadata"`
	Citations        rawjson.Value `json:"citations"`

	ToolCallID       rawjson.Value `json:"toolCallId"`
	ToolName         rawjson.Value `json:"toolName"`
	InputTextDelta   rawjson.Value `json:"inputTextDelta"`
	InputEncoding    rawjson.Value `json:"inputEncoding"`
	Input            rawjson.Value `json:"input"`
	Output           rawjson.Value `json:"output"`
	Preliminary      rawjson.Value `json:"preliminary"`
	ProviderExecuted rawjson.Value `json:"providerExecuted"`
	Dynamic          rawjson.Value `json:"dynamic"`
	ErrorText        rawjson.Value `json:"errorText"`
	Title            rawjson.Value `json:"title"`
	ApprovalID       rawjson.Value `json:"approvalId"`
	Approved         rawjson.Value `json:"approved"`
	Reason           rawjson.Value `json:"reason"`

	MessageID       rawjson.Value `json:"messageId"`
	MessageMetadata rawjson.Value `json:"messageMetadata"`
	FinishReason    rawjson.Value `json:"finishReason"`

	SourceID  rawjson.Value `json:"sourceId"`
	URL       rawjson.Value `json:"url"`
	MediaType rawjson.Value `json:"mediaType"`
	Filename  rawjson.Value `json:"filename"`
	Data      rawjson.Value `json:"data"`
	Transient rawjson.Value `json:"transient"`
	Parts     rawjson.Value `json:"parts"`

	Payload rawjson.Value `json:"payload"` // no chunk has it
}

// handlers lists the types of versions 5 to 7 that mean something to the model. custom and reset-step (version 7) do not:
// what was passed on cannot be taken back.
var handlers = map[string]func(*decoder, []hub.Event) ([]hub.Event, error){
	"start":            (*decoder).start,
	"start-step":       (*decoder).startStep,
	"finish-step":      (*decoder).finishStep,
	"message-metadata": (*decoder).messageMetadata,
	"finish":           (*decoder).finish,
	"abort":            (*decoder).abort,
	"error":            (*decoder).fail,

	"text-start":       (*decoder).textStart,
	"text-delta":       (*decoder).textDelta,
	"text-end":         (*decoder).textEnd,
	"reasoning-start":  (*decoder).reasoningStart,
	"reasoning-delta":  (*decoder).reasoningDelta,
	"reasoning-end":    (*decoder).reasoningEnd,
	"steering-message": (*decoder).steering,

	"tool-input-start":       (*decoder).inputStart,
	"tool-input-delta":       (*decoder).inputDelta,
	"tool-input-available":   (*decoder).inputAvailable,
	"tool-input-error":       (*decoder).inputError,
	"tool-output-available":  (*decoder).outputAvailable,
	"tool-output-error":      (*decoder).outputError,
	"tool-output-denied":     (*decoder).outputDenied,
	"tool-approval-request":  (*decoder).approvalRequest,
	"tool-approval-response": (*decoder).approvalResponse,

	"source-url":      (*decoder).sourceURL,
	"source-document": (*decoder).sourceDocument,
	"file":            (*decoder).file,
	"reasoning-file":  (*decoder).file,
}

// Decode implements [hub.Decoder]. Nothing counts after the end mark, and nothing but that after an error: clients stop
// reading there.
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	if rec.Data == nil || d.end.emitted {
		return dst, nil
	}
	if wire.IsDone(rec.Data) {
		return d.emitEnd(dst), nil
	}
	if d.end.fatal {
		return dst, nil
	}
	d.rec, d.data = record{}, rec.Data
	if err := d.json.Decode(rec.Data, &d.rec); err != nil {
		return dst, hub.JSONError(err)
	}
	typ, err := member.Text(d.rec.Type, "type")
	if err != nil {
		return dst, err
	}
	if rawjson.Kind(d.rec.Payload) == '{' { // Mastra's own stream has the same types
		return dst, hub.NewError(hub.ReasonUnknown, "payload", -1, "a chunk has its members beside its type")
	}
	if h, known := handlers[string(typ)]; known {
		return h(d, dst)
	}
	if name, ok := bytes.CutPrefix(typ, []byte("data-")); ok {
		return d.dataPart(dst, name), nil
	}
	return append(dst, hub.Event{Kind: hub.Raw, Name: []byte("aisdk"), Value: bytes.TrimSpace(d.data)}), nil
}

// Finish implements [hub.Decoder]. A body that ends after a finish was complete, even without the end mark.
func (d *decoder) Finish(dst []hub.Event, _ error) []hub.Event {
	d.scratch.Reset()
	if d.end.emitted || !d.end.seen {
		return dst
	}
	return d.emitEnd(dst)
}

// emit appends an event of the message, with the provider metadata of the record.
func (d *decoder) emit(dst []hub.Event, ev hub.Event) ([]hub.Event, *hub.Event) {
	dst, out := hub.Add(dst, ev)
	out.Msg = d.message
	if d.rec.ProviderMetadata != nil && isMetadata(d.rec.ProviderMetadata) {
		d.scratch.MoreOf(out).Meta = d.rec.ProviderMetadata
	}
	return dst, out
}

// put is emit for an event of which all is known.
func (d *decoder) put(dst []hub.Event, ev hub.Event) []hub.Event {
	dst, _ = d.emit(dst, ev)
	return dst
}

// Rereads implements [fastpath.MemberReader]. The metadata of reasoning may hold its signature.
func (d *decoder) Rereads(ev *hub.Event) bool {
	return ev.Kind == hub.TextDelta && ev.Chan != hub.Reasoning || ev.Kind == hub.ToolArgs
}

// ReadMembers implements [fastpath.MemberReader].
func (d *decoder) ReadMembers(_ any, ev *hub.Event, values [][]byte) bool {
	metadata := values[0]
	switch {
	case metadata == nil:
		return true
	case !d.Rereads(ev):
		return false
	}
	if isMetadata(metadata) {
		d.scratch.Reset()
		d.scratch.MoreOf(ev).Meta = metadata
	}
	return true
}

// own returns what an encoder of ours wrote beside the members of a chunk.
func (d *decoder) own(name string) rawjson.Value {
	if d.rec.ProviderMetadata == nil {
		return nil
	}
	return rawjson.Get(d.rec.ProviderMetadata, ownKey, name)
}

// ownKey is the provider in provider metadata that stands for Sabir.
const ownKey = "sabir"
