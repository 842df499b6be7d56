package agentevent

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/callmatch"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// The types of all versions.
const (
	typeThought         = "thought"
	typeStream          = "stream"
	typeTextChunk       = "text_chunk" // the later name of stream
	typeToolCall        = "tool_call"
	typeToolProgress    = "tool_progress"
	typeToolResult      = "tool_result"
	typeToolError       = "tool_error"
	typeProgress        = "progress" // of a ToolEvent that was not adapted
	typeResult          = "result"   // likewise
	typeStart           = "start"
	typeFinal           = "final"
	typeError           = "error"
	typeCancelled       = "cancelled"
	typeContextUsage    = "context_usage"
	typeConnected       = "connected"
	typeHeartbeat       = "heartbeat"
	typeSessionError    = "session_error"
	typeSessionReplaced = "session_replaced"
)

// maxThread is how many bytes of a conversationId are kept.
const maxThread = 512

// cancelText is the error by which servers without a cancelled event tell that a user cancelled.
const cancelText = "Cancelled by user"

// replacedText tells the client what session_replaced means; the event itself has no text.
const replacedText = "Another connection took over this conversation."

// record has the members of all types and versions.
type record struct {
	Type           rawjson.Value `json:"type"`
	Content        rawjson.Value `json:"content"`
	CallID         rawjson.Value `json:"callId"`
	ToolName       rawjson.Value `json:"toolName"`
	ToolArgs       rawjson.Value `json:"toolArgs"`
	Data           rawjson.Value `json:"data"`
	Output         rawjson.Value `json:"output"`
	IsError        rawjson.Value `json:"isError"`
	Error          rawjson.Value `json:"error"`
	Reason         rawjson.Value `json:"reason"`
	At             rawjson.Value `json:"at"`
	MessageID      rawjson.Value `json:"messageId"`
	RunID          rawjson.Value `json:"runId"`
	ConversationID rawjson.Value `json:"conversationId"`
	Used           rawjson.Value `json:"used"`
	Total          rawjson.Value `json:"total"`
	Look           rawjson.Value `json:"sabir"`
}

// decoder reads all versions; it tells them apart by the members alone.
type decoder struct {
	json    rawjson.Decoder
	rec     record
	scratch hub.Scratch

	calls      callmatch.Calls
	sequential bool
	textTools  rawjson.Names
	implicit   rawjson.Names

	thread   []byte // conversationId of connected, for the RunStart that follows
	begun    bool
	ended    bool
	thoughts int
}

func newDecoder(o hub.Options) *decoder {
	return &decoder{
		calls:      callmatch.Calls{Prefix: "ae_", LIFO: o.Enum("match") == "lifo"},
		sequential: o.Bool("sequential"),
		textTools:  rawjson.NamesOf(o.List("text_tools")),
		implicit:   rawjson.NamesOf(o.List("implicit_tools")),
	}
}

// Reset keeps the memory and the options.
func (d *decoder) Reset() {
	d.scratch.Reset()
	d.calls.Reset()
	d.thoughts = 0
	d.begun, d.ended, d.thread = false, false, nil
}

// Finish appends nothing: a body that ends without a terminal event was cut.
func (d *decoder) Finish(dst []hub.Event, _ error) []hub.Event { return dst }

// Decode appends the events of rec. Their slices are valid until the next call and as long as rec is.
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	if len(bytes.TrimSpace(rec.Data)) == 0 {
		return dst, nil // an event without data is a keep-alive
	}
	d.rec = record{}
	if err := d.json.Decode(rec.Data, &d.rec); err != nil {
		return dst, hub.JSONError(err)
	}
	typ, err := member.Text(d.rec.Type, "type")
	if err != nil {
		return dst, err
	}
	if d.ended && string(typ) != typeContextUsage {
		return dst, nil // of the next run, which is another stream; the usage of this one may come late
	}
	switch string(typ) {
	case typeStream, typeTextChunk:
		return d.stream(d.begin(dst))
	case typeThought:
		return d.thought(d.begin(dst))
	case typeToolProgress, typeProgress:
		return d.toolProgress(d.begin(dst))
	case typeToolCall:
		return d.toolCall(d.begin(dst))
	case typeToolResult, typeResult:
		return d.toolResult(d.begin(dst))
	case typeToolError:
		return d.toolError(d.begin(dst))
	case typeFinal, typeError, typeCancelled:
		return d.runEnd(d.begin(dst), typ), nil
	case typeStart:
		d.begun = true
		return d.runStart(dst), nil
	}
	return d.control(dst, typ, rec), nil
}

// control handles what belongs to the connection rather than to a run, and what is unknown.
func (d *decoder) control(dst []hub.Event, typ []byte, rec wire.Record) []hub.Event {
	switch string(typ) {
	case typeHeartbeat:
		return dst
	case typeConnected:
		if id, ok := rawjson.Str(d.rec.ConversationID); ok && len(id) <= maxThread {
			d.thread = append(d.thread[:0], id...)
		}
		return dst
	case typeContextUsage:
		return d.contextUsage(dst)
	case typeSessionError, typeSessionReplaced:
		return d.sessionEnd(dst, typ)
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Raw, Name: rawName, Value: rec.Data})
	if len(rec.Event) > 0 {
		ev.ID = d.scratch.Since(rawjson.AppendEscaped(d.scratch.Begin(), rec.Event))
	}
	return dst
}

// begin marks the first event of a run. Version 1 has no start; a run that is named all the same gets one.
func (d *decoder) begin(dst []hub.Event) []hub.Event {
	if d.begun {
		return dst
	}
	d.begun = true
	if d.rec.RunID == nil && len(d.thread) == 0 {
		return dst
	}
	return d.runStart(dst)
}

func (d *decoder) runStart(dst []hub.Event) []hub.Event {
	return d.put(dst, hub.Event{Kind: hub.RunStart, ID: rawjson.Body(d.rec.RunID), Ref: d.thread})
}

// event appends an event with the members that any record may have.
func (d *decoder) event(dst []hub.Event, ev hub.Event) ([]hub.Event, *hub.Event) {
	dst, out := hub.Add(dst, ev)
	out.Msg = rawjson.Body(d.rec.MessageID)
	if at, ok := rawjson.Int(d.rec.At); ok && at > 0 {
		d.scratch.MoreOf(out).Time = at
	}
	return dst, out
}

// put is event for an event of which all is known.
func (d *decoder) put(dst []hub.Event, ev hub.Event) []hub.Event {
	dst, _ = d.event(dst, ev)
	return dst
}

// stream leaves the part to the sequencer: the wire has neither ids nor ends of texts.
func (d *decoder) stream(dst []hub.Event) ([]hub.Event, error) {
	content, err := member.Text(d.rec.Content, "content")
	if err != nil {
		return dst, err
	}
	dst = d.spoken(dst)
	return d.put(dst, hub.Event{Kind: hub.TextDelta, Text: content}), nil
}

// thought makes a part of every thought: servers send whole thoughts, and nothing on the wire would part two.
func (d *decoder) thought(dst []hub.Event) ([]hub.Event, error) {
	content, err := member.Text(d.rec.Content, "content")
	if err != nil {
		return dst, err
	}
	dst = d.spoken(dst)
	if len(content) == 0 {
		return dst, nil
	}
	d.thoughts++
	id := d.scratch.Since(strconv.AppendInt(append(d.scratch.Begin(), "th_"...), int64(d.thoughts), 10))
	dst = d.put(dst, hub.Event{Kind: hub.TextDelta, ID: id, Chan: hub.Reasoning, Text: content})
	return d.put(dst, hub.Event{Kind: hub.TextEnd, ID: id, Chan: hub.Reasoning}), nil
}

// runEnd never fails: a malformed end is still an end.
func (d *decoder) runEnd(dst []hub.Event, typ []byte) []hub.Event {
	d.ended = true
	dst, ev := d.event(dst, hub.Event{Kind: hub.RunEnd})
	switch string(typ) {
	case typeFinal:
		ev.Status = hub.StatusDone
	case typeCancelled:
		ev.Status = hub.StatusCancelled
		d.reason(ev, d.rec.Reason)
	default:
		ev.Status = hub.StatusFailed
		d.reason(ev, d.rec.Error)
		if string(hub.Why(ev)) == cancelText {
			ev.Status = hub.StatusCancelled
		}
	}
	return dst
}

// reason puts a value into More.Err.
func (d *decoder) reason(ev *hub.Event, v rawjson.Value) {
	if body := d.bodyOf(v); body != nil {
		d.scratch.MoreOf(ev).Err = body
	}
}

// bodyOf is a value as text: a string as it is, other JSON as it is written, nil for null.
func (d *decoder) bodyOf(v rawjson.Value) []byte {
	body, isString := rawjson.Str(v)
	if isString || rawjson.IsNull(v) {
		return body
	}
	return d.scratch.Since(rawjson.AppendEscaped(d.scratch.Begin(), v))
}

// sessionEnd ends the run for this client: nothing more of it will come on this connection.
func (d *decoder) sessionEnd(dst []hub.Event, typ []byte) []hub.Event {
	d.ended = true
	dst, ev := d.event(dst, hub.Event{Kind: hub.RunEnd})
	if string(typ) == typeSessionReplaced {
		ev.Status, ev.Name = hub.StatusTruncated, []byte(typeSessionReplaced)
		d.scratch.MoreOf(ev).Err = []byte(replacedText)
		return dst
	}
	ev.Status, ev.Name = hub.StatusFailed, []byte(typeSessionError)
	d.reason(ev, d.rec.Error)
	return dst
}

func (d *decoder) contextUsage(dst []hub.Event) []hub.Event {
	dst, ev := d.event(dst, hub.Event{Kind: hub.Usage, Scope: hub.SessionScope})
	counts := &d.scratch.MoreOf(ev).Usage
	if n, ok := rawjson.Int(d.rec.Used); ok {
		counts.ContextUsed = n
	}
	if n, ok := rawjson.Int(d.rec.Total); ok {
		counts.ContextSize = n
	}
	return dst
}
