package cursorcli

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Bounds of the calls that are remembered. Of those beyond them, the start is said again.
const (
	maxCalls = 4096
	maxID    = 1024 // bytes of an id
)

// decoder remembers how the answer was said so far, and which calls have begun.
type decoder struct {
	json    rawjson.Decoder
	rec     record
	data    []byte
	scratch hub.Scratch
	unknown bool // the record is none of this dialect

	said    bool // there is a text of the answer
	again   bool // a whole message may say what was said: pieces have come, or a retry
	whole   bool // the last that was said is a whole message, and not a call
	isPiece bool // the record is a piece
	begun   map[string]struct{}
	ended   bool
}

// record is the schema: the members of all lines that are read.
type record struct {
	Type      rawjson.Value `json:"type"`
	Subtype   rawjson.Value `json:"subtype"`
	Session   rawjson.Value `json:"session_id"`
	Model     rawjson.Value `json:"model"`
	Message   rawjson.Value `json:"message"`
	Text      rawjson.Value `json:"text"`
	Time      rawjson.Value `json:"timestamp_ms"`
	ModelCall rawjson.Value `json:"model_call_id"`
	CallID    rawjson.Value `json:"call_id"`
	Call      rawjson.Value `json:"tool_call"`
	IsError   rawjson.Value `json:"is_error"`
	Result    rawjson.Value `json:"result"`
	Error     rawjson.Value `json:"error"`
	Usage     rawjson.Value `json:"usage"`

	// Claude Code's lines of the same types have these.
	Parent rawjson.Value `json:"parent_tool_use_id"`
	Tools  rawjson.Value `json:"tools"`
	Turns  rawjson.Value `json:"num_turns"`
}

func newDecoder(o hub.Options) hub.Decoder {
	return &decoder{json: rawjson.Decoder{MaxDepth: o.Nesting}, begun: map[string]struct{}{}}
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	d.scratch.Reset()
	clear(d.begun)
	*d = decoder{json: d.json, scratch: d.scratch, begun: d.begun}
}

// Finish implements [hub.Decoder]. A process that ends without a result has failed, or was stopped.
func (d *decoder) Finish(dst []hub.Event, _ error) []hub.Event { return dst }

// LastUnknown implements [hub.UnknownReporter]: of what is known, some is passed on raw.
func (d *decoder) LastUnknown() bool { return d.unknown }

// Tracked implements [fastpath.TextTracker]: whole messages are not like one another, whatever they say.
func (d *decoder) Tracked() (part any, ok bool) { return nil, d.isPiece }

// TrackText implements [fastpath.TextTracker].
func (d *decoder) TrackText(any, []byte, []byte) bool { return true }

// Decode implements [hub.Decoder].
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	d.unknown, d.isPiece = false, false
	d.data = bytes.TrimSpace(rec.Data)
	if len(d.data) == 0 || d.ended {
		return dst, nil
	}
	d.rec = record{}
	if err := d.json.Decode(rec.Data, &d.rec); err != nil {
		return dst, hub.JSONError(err)
	}
	typ, err := member.Text(d.rec.Type, "type")
	if err != nil {
		return dst, err
	}
	return d.line(dst, typ)
}

func (d *decoder) line(dst []hub.Event, typ []byte) ([]hub.Event, error) {
	subtype := string(rawjson.Body(d.rec.Subtype))
	switch string(typ) {
	case "system":
		if subtype == "init" && d.rec.Model != nil && d.rec.Tools == nil {
			return d.init(dst), nil
		}
	case "user", "assistant":
		if d.rec.Parent == nil && rawjson.Get(d.rec.Message, "id") == nil {
			return d.message(dst, typ)
		}
	case "thinking":
		return d.thinking(dst, subtype)
	case "tool_call":
		return d.toolCall(dst, subtype)
	case "connection", "retry":
		return d.notice(dst, typ, subtype), nil
	case "interaction_query":
		return d.raw(dst), nil
	case "result":
		if d.rec.Turns == nil {
			return d.result(dst, subtype), nil
		}
	}
	return d.rawUnknown(dst), nil
}

// raw passes on a record that has no kind.
func (d *decoder) raw(dst []hub.Event) []hub.Event {
	return append(dst, hub.Event{Kind: hub.Raw, Name: []byte(dialectName), Value: d.data})
}

func (d *decoder) rawUnknown(dst []hub.Event) []hub.Event {
	d.unknown = true
	return d.raw(dst)
}

func (d *decoder) init(dst []hub.Event) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunStart, Ref: rawjson.Body(d.rec.Session)})
	d.scratch.SetModel(ev, rawjson.Body(d.rec.Model))
	return dst
}

// phrases are what the CLI does where it has no words for it.
var phrases = map[string]string{
	"reconnecting": "The connection to Cursor was lost; connecting again.",
	"reconnected":  "The connection to Cursor is back.",
}

// notice is trouble on the way, which the CLI gets over or not.
func (d *decoder) notice(dst []hub.Event, typ []byte, subtype string) []hub.Event {
	d.again = d.again || string(typ) == "retry"
	text := phrases[subtype]
	if text == "" {
		text = "Asking again."
	}
	return append(dst, hub.Event{Kind: hub.Notice, Level: hub.LevelWarning, Name: typ, Text: []byte(text)})
}

// result ends the run. Its text is that of all messages, or says why the run has failed.
func (d *decoder) result(dst []hub.Event, subtype string) []hub.Event {
	d.ended = true
	text := rawjson.Body(d.rec.Result)
	if subtype != "success" || rawjson.IsTrue(d.rec.IsError) {
		dst, ev := hub.Add(d.usage(dst), hub.Event{Kind: hub.RunEnd, Status: hub.StatusFailed, Name: rawjson.Body(d.rec.Subtype), More: d.scratch.More()})
		ev.More.Err = rawjson.First(rawjson.Body(d.rec.Error), text)
		return dst
	}
	if len(text) > 0 {
		dst = append(dst, hub.Event{Kind: hub.TextDelta, Text: text, Op: op(d.said)})
	}
	return append(d.usage(dst), hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone, Value: rawjson.NotNull(d.rec.Result)})
}

var counts = usage.Fields{
	usage.At(usage.In, "inputTokens"), usage.At(usage.Out, "outputTokens"),
	usage.At(usage.Cached, "cacheReadTokens"), usage.At(usage.CacheWrite, "cacheWriteTokens"),
}

// usage are the counts of the run. Cursor counts what was cached beside the input.
func (d *decoder) usage(dst []hub.Event) []hub.Event {
	more := d.scratch.More()
	if !counts.Read(&more.Usage, d.rec.Usage) {
		return dst
	}
	c := &more.Usage
	for _, n := range []int64{c.Cached, c.CacheWrite} {
		if sum := c.In + n; c.In >= 0 && n > 0 && sum > 0 {
			c.In = sum
		}
	}
	return append(dst, hub.Event{Kind: hub.Usage, Scope: hub.RunScope, More: more})
}
