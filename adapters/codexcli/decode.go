package codexcli

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Bounds of what a decoder remembers of one stream.
const (
	maxItems = 4096     // items that have begun
	maxError = 64 << 10 // bytes of the last error
)

// decoder remembers which tools have begun, and the last error.
type decoder struct {
	json    rawjson.Decoder
	rec     record
	scratch hub.Scratch
	scope   hub.Scope

	whole   rawjson.Value // the item of the record
	begun   map[string]struct{}
	ended   bool
	failure []byte // string body
	failed  bool
}

// record is the schema: the members of all lines and items.
type record struct {
	Type   rawjson.Value `json:"type"`
	Thread rawjson.Value `json:"thread_id"`
	Usage  rawjson.Value `json:"usage"`
	Error  struct {
		Message rawjson.Value `json:"message"`
	} `json:"error"`
	Message rawjson.Value `json:"message"`
	Item    item          `json:"item"`
}

type item struct {
	ID       rawjson.Value `json:"id"`
	Type     rawjson.Value `json:"type"`
	Text     rawjson.Value `json:"text"`
	Status   rawjson.Value `json:"status"`
	Command  rawjson.Value `json:"command"`
	Output   rawjson.Value `json:"aggregated_output"`
	ExitCode rawjson.Value `json:"exit_code"`
	Changes  rawjson.Value `json:"changes"`
	Server   rawjson.Value `json:"server"`
	Tool     rawjson.Value `json:"tool"`
	Args     rawjson.Value `json:"arguments"`
	Result   rawjson.Value `json:"result"`
	Error    rawjson.Value `json:"error"`
	Query    rawjson.Value `json:"query"`
	Items    rawjson.Value `json:"items"`
	Message  rawjson.Value `json:"message"`
	States   rawjson.Value `json:"agents_states"`
}

func newDecoder(o hub.Options) hub.Decoder {
	d := &decoder{json: rawjson.Decoder{MaxDepth: o.Nesting}, scope: hub.SessionScope, begun: map[string]struct{}{}}
	if o.Enum("usage") == "run" {
		d.scope = hub.RunScope
	}
	return d
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	d.scratch.Reset()
	clear(d.begun)
	d.ended, d.failed, d.failure = false, false, d.failure[:0]
}

// Decode implements [hub.Decoder].
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	if len(bytes.TrimSpace(rec.Data)) == 0 || d.ended {
		return dst, nil
	}
	d.rec = record{}
	if err := d.json.Decode(rec.Data, &d.rec); err != nil {
		return dst, hub.JSONError(err)
	}
	typ, ok := rawjson.Str(d.rec.Type)
	if !ok {
		return dst, hub.NewError(hub.ReasonMissing, "type", -1, "want a string")
	}
	switch string(typ) {
	case "thread.started":
		return d.threadStarted(dst), nil
	case "turn.started":
		return dst, nil
	case "turn.completed":
		return d.turnCompleted(dst), nil
	case "turn.failed":
		d.ended = true
		return d.runFailed(dst, rawjson.Body(d.rec.Error.Message)), nil
	case "error":
		return d.errorLine(dst), nil
	case "item.started", "item.updated", "item.completed":
		d.whole = rawjson.Get(rec.Data, "item")
		return d.item(dst, rec.Data, string(typ) == "item.completed")
	}
	return raw(dst, rec.Data), nil
}

// raw passes a record of an unknown type on.
func raw(dst []hub.Event, data []byte) []hub.Event {
	return append(dst, hub.Event{Kind: hub.Raw, Name: []byte(dialectName), Value: bytes.TrimSpace(data)})
}

func (d *decoder) threadStarted(dst []hub.Event) []hub.Event {
	return append(dst, hub.Event{Kind: hub.RunStart, Ref: rawjson.Body(d.rec.Thread)})
}

func (d *decoder) turnCompleted(dst []hub.Event) []hub.Event {
	d.ended = true
	if rawjson.Kind(d.rec.Usage) == '{' {
		dst = d.usage(dst)
	}
	return append(dst, hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone})
}

var counts = usage.Fields{
	usage.At(usage.In, "input_tokens"), usage.At(usage.Cached, "cached_input_tokens"), usage.At(usage.CacheWrite, "cache_write_input_tokens"),
	usage.At(usage.Out, "output_tokens"), usage.At(usage.Reasoning, "reasoning_output_tokens"),
}

// usage are the counts of the thread: cached tokens are among the input, reasoning among the output.
func (d *decoder) usage(dst []hub.Event) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Usage, Scope: d.scope, More: d.scratch.More()})
	counts.Read(&ev.More.Usage, d.rec.Usage)
	return dst
}

// errorLine is an error that may be the last word, or one that the CLI gets over, as when it connects again.
func (d *decoder) errorLine(dst []hub.Event) []hub.Event {
	text := rawjson.Body(d.rec.Message)
	d.failed = true
	d.failure = append(d.failure[:0], text...)
	if len(d.failure) > maxError {
		d.failure = d.failure[:0]
	}
	return notice(dst, hub.LevelError, text)
}

func notice(dst []hub.Event, level hub.Level, text []byte) []hub.Event {
	return append(dst, hub.Event{Kind: hub.Notice, Level: level, Text: text})
}

func (d *decoder) runFailed(dst []hub.Event, text []byte) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunEnd, Status: hub.StatusFailed, More: d.scratch.More()})
	ev.More.Err = text
	return dst
}

// Finish implements [hub.Decoder]. A process that ends after an error without ending its turn has failed for that reason.
func (d *decoder) Finish(dst []hub.Event, cause error) []hub.Event {
	d.scratch.Reset()
	if d.ended || !d.failed || cause != nil {
		return dst
	}
	d.ended = true
	return d.runFailed(dst, d.failure)
}
