// Package responsestream reads the events of OpenAI's Responses API: those of one response as the API streams them, and those of the responses
// of a run where agents pass them on.
//
//   - decoder.go: [Decoder], and what its events are by their types.
//   - items.go: output items, by all that events say of them. text.go, tool.go, result.go: what they hold.
//   - end.go: how responses end.
package responsestream

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Decoder remembers what the records of one response refer to without repeating it: its output items. Peers break the
// rules of reference in every way there is (ids that are missing, empty, repeated or changed, all indexes 0, dones without
// deltas, finals without either), so an item is looked up by all that a record says of it.
type Decoder struct {
	cfg     Config
	json    rawjson.Decoder
	rec     record
	data    []byte // the record being decoded
	scratch hub.Scratch

	items  []*item
	last   *item // found by the last lookup; deltas come in runs
	minted int   // ids made for what the upstream left unnamed

	// What the record before was a delta of, if that; see Repeat.
	lastPart *part
	lastCall *call

	started  bool // the response has been announced
	answered bool // text of the answer has come
	refused  bool // text of a refusal has come
	waiting  int  // calls that are left to the client
	asking   int  // requests for approval that are open
}

// Config is what dialects differ in.
type Config struct {
	Name       string // of the dialect, for events that the model has no kind for
	ReadCounts func(*hub.Counts, rawjson.Value) bool
	Nesting    int // of a record, at most
}

// New returns a decoder of one response.
func New(cfg Config) *Decoder {
	d := &Decoder{cfg: cfg}
	d.json.MaxDepth = cfg.Nesting
	return d
}

// Reset implements [hub.Decoder].
func (d *Decoder) Reset() {
	d.scratch.Reset()
	clear(d.items)
	d.items, d.last, d.minted = d.items[:0], nil, 0
	d.lastPart, d.lastCall = nil, nil
	d.started, d.answered, d.refused, d.waiting, d.asking = false, false, false, 0, 0
}

// Finish implements [hub.Decoder]. A response has a terminal event, so the end of the body implies nothing.
func (d *Decoder) Finish(dst []hub.Event, _ error) []hub.Event { return dst }

// record is the schema: every member of every event that the decoder reads.
type record struct {
	Type     rawjson.Value `json:"type"`
	Response rawjson.Value `json:"response"`
	Item     rawjson.Value `json:"item"`

	ItemID       rawjson.Value `json:"item_id"`
	OutputIndex  rawjson.Value `json:"output_index"`
	ContentIndex rawjson.Value `json:"content_index"`
	SummaryIndex rawjson.Value `json:"summary_index"`

	Delta      rawjson.Value `json:"delta"`
	Text       rawjson.Value `json:"text"`
	Refusal    rawjson.Value `json:"refusal"`
	Arguments  rawjson.Value `json:"arguments"`
	Input      rawjson.Value `json:"input"`
	Code       rawjson.Value `json:"code"`
	Part       rawjson.Value `json:"part"`
	Annotation rawjson.Value `json:"annotation"`

	Error   rawjson.Value `json:"error"`
	Message rawjson.Value `json:"message"`
	Object  rawjson.Value `json:"object"`
}

// handler reads a record of one type.
type handler func(*Decoder, []hub.Event) ([]hub.Event, error)

// handlers lists the types of events that say something. Those that only announce what another says are in silent.
var handlers = map[string]handler{
	"response.created":     (*Decoder).created,
	"response.queued":      (*Decoder).created,
	"response.in_progress": (*Decoder).created,
	"response.completed":   (*Decoder).terminal,
	"response.failed":      (*Decoder).terminal,
	"response.incomplete":  (*Decoder).terminal,
	"response.cancelled":   (*Decoder).terminal,
	"response.done":        (*Decoder).terminal,
	"error":                (*Decoder).failure,

	"response.output_item.added":  (*Decoder).itemAdded,
	"response.output_item.done":   (*Decoder).itemDone,
	"response.content_part.added": (*Decoder).partAdded,
	"response.content_part.done":  (*Decoder).partDone,

	"response.output_text.delta":            (*Decoder).answerDelta,
	"response.output_text.done":             (*Decoder).answerDone,
	"response.output_text.annotation.added": (*Decoder).annotationAdded,
	"response.refusal.delta":                (*Decoder).refusalDelta,
	"response.refusal.done":                 (*Decoder).refusalDone,
	"response.reasoning_summary_part.added": (*Decoder).summaryAdded,
	"response.reasoning_summary_text.delta": (*Decoder).summaryDelta,
	"response.reasoning_summary_text.done":  (*Decoder).summaryDone,
	"response.reasoning_text.delta":         (*Decoder).thoughtDelta,
	"response.reasoning_text.done":          (*Decoder).thoughtDone,
	"response.audio.transcript.delta":       (*Decoder).transcriptDelta,

	"response.function_call_arguments.delta":      (*Decoder).argsDelta,
	"response.function_call_arguments.done":       (*Decoder).argsDone,
	"response.mcp_call_arguments.delta":           (*Decoder).argsDelta,
	"response.mcp_call_arguments.done":            (*Decoder).argsDone,
	"response.custom_tool_call_input.delta":       (*Decoder).argsDelta,
	"response.custom_tool_call_input.done":        (*Decoder).argsDone,
	"response.code_interpreter_call_code.delta":   (*Decoder).argsDelta,
	"response.code_interpreter_call_code.done":    (*Decoder).argsDone,
	"response.shell_call_output_content.delta":    (*Decoder).shellOutput,
	"response.web_search_call.searching":          (*Decoder).running,
	"response.file_search_call.searching":         (*Decoder).running,
	"response.code_interpreter_call.interpreting": (*Decoder).running,
	"response.mcp_call.in_progress":               (*Decoder).running,
}

// silent are the types whose content another event repeats, or that say nothing.
var silent = map[string]bool{
	"keepalive": true, "ping": true,
	"response.reasoning_summary_part.done": true,

	"response.web_search_call.in_progress": true, "response.web_search_call.completed": true,
	"response.file_search_call.in_progress": true, "response.file_search_call.completed": true,
	"response.code_interpreter_call.in_progress": true, "response.code_interpreter_call.completed": true,
	"response.mcp_call.completed": true, "response.mcp_call.failed": true,
	"response.mcp_list_tools.in_progress": true, "response.mcp_list_tools.completed": true, "response.mcp_list_tools.failed": true,
	"response.image_generation_call.in_progress": true, "response.image_generation_call.generating": true,
	"response.image_generation_call.completed": true, "response.image_generation_call.partial_image": true,
	"response.shell_call_command.added": true, "response.shell_call_command.delta": true, "response.shell_call_command.done": true,
	"response.shell_call_output_content.done":        true,
	"response.apply_patch_call_operation_diff.delta": true, "response.apply_patch_call_operation_diff.done": true,
	"response.audio.delta": true, "response.audio.done": true, "response.audio.transcript.done": true,
	"response.compaction.compacting": true,
}

// Known reports whether a type of event is known.
func Known(typ []byte) bool {
	_, known := handlers[string(typ)]
	return known || silent[string(typ)]
}

// Decode implements [hub.Decoder].
func (d *Decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	if rec.Data == nil || wire.IsDone(rec.Data) {
		return dst, nil
	}
	d.rec, d.data = record{}, rec.Data
	d.lastPart, d.lastCall = nil, nil
	if err := d.json.Decode(rec.Data, &d.rec); err != nil {
		return dst, hub.JSONError(err)
	}
	typ := d.typeOf(rec.Event)
	if h, known := handlers[string(typ)]; known {
		return h(d, dst)
	}
	switch {
	case silent[string(typ)]:
		return dst, nil
	case IsFailure(typ, d.rec.Error): // an error body in place of an event, whatever it is called
		return d.failure(dst)
	case len(typ) > 0:
		return d.unknown(dst), nil
	case string(rawjson.Body(d.rec.Object)) == "response": // the whole response at once: streaming was not understood
		d.rec.Response = rec.Data
		return d.terminal(dst)
	}
	return dst, member.Wrong(d.rec.Type, "type", "want the type of an event")
}

// TrackText implements [fastpath.TextTracker]: the decoder must know how much has been said of parts and arguments, for the whole
// texts that follow.
func (d *Decoder) TrackText(to any, text, _ []byte) bool {
	switch to := to.(type) {
	case *part:
		to.emitted += len(text)
	case *call:
		to.emitted.Add(text)
	}
	return true
}

// Tracked implements [fastpath.TextTracker].
func (d *Decoder) Tracked() (to any, ok bool) {
	switch {
	case d.lastPart != nil:
		return d.lastPart, true
	case d.lastCall != nil:
		return d.lastCall, true
	}
	return nil, false
}

// IsFailure reports whether the member error of a record of an unknown type ends the stream: an object does, and a string
// if there is nothing else.
func IsFailure(typ []byte, v rawjson.Value) bool {
	kind := rawjson.Kind(v)
	return kind == '{' || kind == '"' && len(typ) == 0
}

// typeOf is the type of the record: what it says itself, or if it does not, its name as a server-sent event.
func (d *Decoder) typeOf(event []byte) []byte {
	if typ := rawjson.Body(d.rec.Type); len(typ) > 0 {
		return typ
	}
	return event
}

// unknown passes an event or item that the model has no kind for. Its type may be years younger than this code.
func (d *Decoder) unknown(dst []hub.Event) []hub.Event {
	return append(dst, hub.Event{Kind: hub.Raw, Name: []byte(d.cfg.Name), Value: bytes.TrimSpace(d.data)})
}

// created announces the response, with whichever of its first events comes first.
func (d *Decoder) created(dst []hub.Event) ([]hub.Event, error) {
	if d.started {
		return dst, nil
	}
	return d.start(dst, d.rec.Response), nil
}

// start reads what is known of a response at its beginning. A conversation is its thread; the response before it is not.
func (d *Decoder) start(dst []hub.Event, response rawjson.Value) []hub.Event {
	d.started = true
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunStart})
	var at rawjson.Value
	for key, val := range rawjson.EachField(response) {
		switch string(key) {
		case "id":
			ev.ID = rawjson.Body(val)
		case "model":
			if m := rawjson.Body(val); len(m) > 0 {
				d.scratch.MoreOf(ev).Model = m
			}
		case "created_at":
			at = val
		case "conversation":
			ev.Ref = rawjson.Text(val, "id")
		}
	}
	if sec, ok := rawjson.Int(at); ok && sec > 0 && sec < maxSeconds {
		d.scratch.MoreOf(ev).Time = sec * 1000
	}
	return dst
}

// maxSeconds keeps a time in milliseconds within an int64.
const maxSeconds = 1 << 52

// delta reads the fragment of the record; null and empty ones say nothing.
func (d *Decoder) delta() ([]byte, error) {
	text, ok := rawjson.Str(d.rec.Delta)
	if !ok && rawjson.Kind(d.rec.Delta) != 'n' {
		return nil, member.Wrong(d.rec.Delta, "delta", "want a string")
	}
	return text, nil
}
