package mastra

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// maxKnown bounds each list of things that a decoder remembers of a stream. What comes beyond it is not kept; no stream known to
// work comes near it.
const maxKnown = 1024

// decoder remembers which calls, questions and sub-agents are open, and how the run ended.
type decoder struct {
	json    rawjson.Decoder
	rec     record
	data    []byte // the record being decoded, or the one inside it
	sub     []byte // the sub-agent that the record is of; nil: the root agent
	scratch hub.Scratch

	clientTools rawjson.Names

	message []byte // id, string body
	calls   map[string]*call
	left    int             // calls of the root agent that have no result
	asks    map[string]bool // calls that wait for an answer
	agents  map[string]bool // calls in which a sub-agent talks
	sigs    signatures.Open
	end     ending
}

func newDecoder(o hub.Options) hub.Decoder {
	d := &decoder{clientTools: rawjson.NamesOf(o.List("client_tools"))}
	d.json.MaxDepth = o.Nesting
	return d
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	d.scratch.Reset()
	d.message = d.message[:0]
	d.calls, d.left, d.asks, d.agents = nil, 0, nil, nil
	d.sigs = d.sigs[:0]
	d.end = ending{}
}

// record is a chunk. Those of the application, and of structured output, have no payload.
type record struct {
	Type      rawjson.Value `json:"type"`
	RunID     rawjson.Value `json:"runId"`
	Payload   payload       `json:"payload"`
	ID        rawjson.Value `json:"id"`
	Data      rawjson.Value `json:"data"`
	Transient rawjson.Value `json:"transient"`
	Object    rawjson.Value `json:"object"`
}

// payload holds every member of every chunk that the decoder reads.
type payload struct {
	ID               rawjson.Value `json:"id"`
	MessageID        rawjson.Value `json:"messageId"`
	Text             rawjson.Value `json:"text"`
	Signature        rawjson.Value `json:"signature"`
	Data             rawjson.Value `json:"data"`
	ProviderMetadata rawjson.Value `json:"providerMetadata"`

	ToolCallID       rawjson.Value `json:"toolCallId"`
	ToolName         rawjson.Value `json:"toolName"`
	ArgsTextDelta    rawjson.Value `json:"argsTextDelta"`
	Args             rawjson.Value `json:"args"`
	ProviderExecuted rawjson.Value `json:"providerExecuted"`
	Result           rawjson.Value `json:"result"`
	IsError          rawjson.Value `json:"isError"`
	Error            rawjson.Value `json:"error"`
	Approval         rawjson.Value `json:"approval"`
	SuspendPayload   rawjson.Value `json:"suspendPayload"`
	ResumeSchema     rawjson.Value `json:"resumeSchema"`
	Output           rawjson.Value `json:"output"`

	StepResult rawjson.Value `json:"stepResult"`
	Metadata   rawjson.Value `json:"metadata"`
	Reason     rawjson.Value `json:"reason"`

	Title    rawjson.Value `json:"title"`
	URL      rawjson.Value `json:"url"`
	MimeType rawjson.Value `json:"mimeType"`
	Filename rawjson.Value `json:"filename"`
}

// handlers lists the chunks that mean something to the model. Those of workflows, networks and background tasks do not.
var handlers map[string]func(*decoder, []hub.Event) ([]hub.Event, error)

func init() { // they refer to each other: a sub-agent's chunks are inside of others
	handlers = map[string]func(*decoder, []hub.Event) ([]hub.Event, error){
		"start":       (*decoder).start,
		"step-start":  (*decoder).stepStart,
		"step-finish": (*decoder).stepFinish,
		"finish":      (*decoder).finish,
		"error":       (*decoder).fail,
		"abort":       (*decoder).abort,
		"tripwire":    (*decoder).tripwire,

		"text-start":          (*decoder).textStart,
		"text-delta":          (*decoder).textDelta,
		"text-end":            (*decoder).textEnd,
		"reasoning-start":     (*decoder).reasoningStart,
		"reasoning-delta":     (*decoder).reasoningDelta,
		"reasoning-end":       (*decoder).reasoningEnd,
		"reasoning-signature": (*decoder).reasoningSignature,
		"redacted-reasoning":  (*decoder).redacted,

		"tool-call-input-streaming-start": (*decoder).inputStart,
		"tool-call-delta":                 (*decoder).inputDelta,
		"tool-call-input-streaming-end":   (*decoder).inputEnd,
		"tool-call":                       (*decoder).toolCall,
		"tool-output":                     (*decoder).toolOutput,
		"tool-result":                     (*decoder).toolResult,
		"tool-error":                      (*decoder).toolError,
		"tool-output-denied":              (*decoder).toolDenied,
		"tool-call-approval":              (*decoder).approval,
		"tool-call-suspended":             (*decoder).suspended,

		"source":         (*decoder).source,
		"file":           (*decoder).file,
		"reasoning-file": (*decoder).file,
		"object":         (*decoder).object,
		"object-result":  (*decoder).object,
	}
}

// Decode implements [hub.Decoder]. Nothing counts after the end mark.
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	if rec.Data == nil || d.end.emitted {
		return dst, nil
	}
	if wire.IsDone(rec.Data) {
		return d.emitEnd(dst), nil
	}
	d.sub = nil
	return d.chunk(dst, rec.Data)
}

// chunk decodes a chunk, which may be one of a sub-agent.
func (d *decoder) chunk(dst []hub.Event, data []byte) ([]hub.Event, error) {
	d.rec, d.data = record{}, data
	if err := d.json.Decode(data, &d.rec); err != nil {
		return dst, hub.JSONError(err)
	}
	if d.rec.Type == nil && d.sub == nil && isWhole(data) {
		return d.whole(dst, data)
	}
	typ, err := member.Text(d.rec.Type, "type")
	if err != nil {
		return dst, err
	}
	if h := handlers[string(typ)]; h != nil {
		if _, err := member.Text(d.rec.RunID, "runId"); err != nil { // the AI SDK has chunks of the same types
			return dst, err
		}
		return h(d, dst)
	}
	if name, ok := bytes.CutPrefix(typ, []byte("data-")); ok {
		return d.dataPart(dst, name), nil
	}
	return d.raw(dst), nil
}

func (d *decoder) raw(dst []hub.Event) []hub.Event {
	return d.put(dst, hub.Event{Kind: hub.Raw, Name: []byte(dialectName), Value: bytes.TrimSpace(d.data)})
}

// Finish implements [hub.Decoder]. A body that ends after a finish was complete, even without the end mark.
func (d *decoder) Finish(dst []hub.Event, _ error) []hub.Event {
	d.scratch.Reset()
	if d.end.emitted || !d.end.seen {
		return dst
	}
	return d.emitEnd(dst)
}

// emit appends an event of the message, with the provider metadata of the chunk.
func (d *decoder) emit(dst []hub.Event, ev hub.Event) ([]hub.Event, *hub.Event) {
	dst, out := hub.Add(dst, ev)
	out.SubAgent = d.sub
	if d.sub == nil {
		out.Msg = d.message
	}
	if rawjson.Kind(d.rec.Payload.ProviderMetadata) == '{' {
		d.scratch.MoreOf(out).Meta = d.rec.Payload.ProviderMetadata
	}
	return dst, out
}

// put is emit for an event of which all is known.
func (d *decoder) put(dst []hub.Event, ev hub.Event) []hub.Event {
	dst, _ = d.emit(dst, ev)
	return dst
}
