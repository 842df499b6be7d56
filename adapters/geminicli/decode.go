package geminicli

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
	"github.com/sabir-proxy/sabir/adapters/usage"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// turnLimit is the type of the error of a run that has used up its turns.
const turnLimit = "FatalTurnLimitedError"

// decoder needs to know no more than whether the run is over.
type decoder struct {
	json    rawjson.Decoder
	rec     record
	scratch hub.Scratch
	ended   bool
}

// record is the schema: the members of all lines.
type record struct {
	Type       rawjson.Value `json:"type"`
	Session    rawjson.Value `json:"session_id"`
	Model      rawjson.Value `json:"model"`
	Role       rawjson.Value `json:"role"`
	Content    rawjson.Value `json:"content"`
	Delta      rawjson.Value `json:"delta"`
	ToolName   rawjson.Value `json:"tool_name"`
	ToolID     rawjson.Value `json:"tool_id"`
	Parameters rawjson.Value `json:"parameters"`
	Status     rawjson.Value `json:"status"`
	Output     rawjson.Value `json:"output"`
	Severity   rawjson.Value `json:"severity"`
	Message    rawjson.Value `json:"message"`
	Error      struct {
		Type    rawjson.Value `json:"type"`
		Message rawjson.Value `json:"message"`
	} `json:"error"`
	Stats rawjson.Value `json:"stats"`
}

func newDecoder(o hub.Options) hub.Decoder {
	return &decoder{json: rawjson.Decoder{MaxDepth: o.Nesting}}
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	d.scratch.Reset()
	d.ended = false
}

// Finish implements [hub.Decoder]. A process that ends without a result was cut.
func (d *decoder) Finish(dst []hub.Event, _ error) []hub.Event { return dst }

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
	case "init":
		return d.init(dst), nil
	case "message":
		return d.message(dst)
	case "tool_use":
		return d.toolUse(dst)
	case "tool_result":
		return d.toolResult(dst)
	case "error":
		return d.notice(dst), nil
	case "result":
		return d.result(dst), nil
	}
	return append(dst, hub.Event{Kind: hub.Raw, Name: []byte(dialectName), Value: bytes.TrimSpace(rec.Data)}), nil
}

func (d *decoder) init(dst []hub.Event) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunStart, Ref: rawjson.Body(d.rec.Session)})
	d.scratch.SetModel(ev, rawjson.Body(d.rec.Model))
	return dst
}

// message is a delta of the answer, or a whole text.
func (d *decoder) message(dst []hub.Event) ([]hub.Event, error) {
	text, ok := rawjson.Str(d.rec.Content)
	if !ok {
		return dst, hub.NewError(hub.ReasonType, "content", -1, "want a string")
	}
	var flags hub.Flags
	if string(rawjson.Body(d.rec.Role)) == "user" {
		flags = hub.User
	}
	if len(text) == 0 {
		return dst, nil
	}
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.Text, ev.Flags = hub.TextDelta, text, flags
	if delta, _ := rawjson.Bool(d.rec.Delta); !delta {
		dst = append(dst, hub.Event{Kind: hub.TextEnd, Flags: flags})
	}
	return dst, nil
}

func (d *decoder) toolUse(dst []hub.Event) ([]hub.Event, error) {
	id, name := rawjson.Body(d.rec.ToolID), rawjson.Body(d.rec.ToolName)
	if len(id) == 0 {
		return dst, hub.NewError(hub.ReasonMissing, "tool_id", -1, "want a string")
	}
	args := rawjson.First(rawjson.NotNull(d.rec.Parameters), []byte("{}"))
	dst = append(dst, hub.Event{Kind: hub.ToolStart, ID: id, Name: name})
	return append(dst, hub.Event{Kind: hub.ToolReady, ID: id, Name: name, Value: args}), nil
}

func (d *decoder) toolResult(dst []hub.Event) ([]hub.Event, error) {
	id := rawjson.Body(d.rec.ToolID)
	if len(id) == 0 {
		return dst, hub.NewError(hub.ReasonMissing, "tool_id", -1, "want a string")
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolEnd, ID: id, Status: hub.StatusOK})
	toolresult.Set(ev, d.rec.Output)
	if string(rawjson.Body(d.rec.Status)) == "error" {
		ev.Status = hub.StatusError
		d.fail(ev)
	}
	return dst, nil
}

// fail takes over what a line says of an error.
func (d *decoder) fail(ev *hub.Event) {
	ev.More = d.scratch.More()
	ev.More.Err, ev.More.ErrCode = rawjson.Body(d.rec.Error.Message), rawjson.Body(d.rec.Error.Type)
}

func (d *decoder) notice(dst []hub.Event) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Notice, Level: hub.LevelError, Text: rawjson.Body(d.rec.Message)})
	if string(rawjson.Body(d.rec.Severity)) == "warning" {
		ev.Level = hub.LevelWarning
	}
	return dst
}

func (d *decoder) result(dst []hub.Event) []hub.Event {
	d.ended = true
	if rawjson.Kind(d.rec.Stats) == '{' {
		dst = d.usage(dst)
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone})
	if string(rawjson.Body(d.rec.Status)) == "error" {
		ev.Status = hub.StatusFailed
		d.fail(ev)
		if string(ev.More.ErrCode) == turnLimit {
			ev.Status = hub.StatusLimit
		}
	}
	return dst
}

var counts = usage.Fields{
	usage.At(usage.In, "input_tokens"), usage.At(usage.Cached, "cached"), usage.At(usage.Out, "output_tokens"), usage.At(usage.Total, "total_tokens"),
}

// usage are the counts of the run. Cached tokens are among the input.
func (d *decoder) usage(dst []hub.Event) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Usage, Scope: hub.RunScope, More: d.scratch.More()})
	counts.Read(&ev.More.Usage, d.rec.Stats)
	models := rawjson.ReadObject(rawjson.Get(d.rec.Stats, "models"))
	for model := range models.All() {
		if models.Len() == 1 {
			ev.More.Model = model
		}
	}
	return dst
}
