package skeleton

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

type decoder struct {
	json    rawjson.Decoder
	rec     record
	scratch hub.Scratch
}

// record has the members of all records. What is not listed is not parsed.
type record struct {
	Type   rawjson.Value `json:"type"`
	Run    rawjson.Value `json:"run"`
	Text   rawjson.Value `json:"text"`
	Value  rawjson.Value `json:"value"`
	ID     rawjson.Value `json:"id"`
	Name   rawjson.Value `json:"name"`
	Args   rawjson.Value `json:"args"`
	Status rawjson.Value `json:"status"`
	Error  rawjson.Value `json:"error"`
}

func newDecoder(o hub.Options) hub.Decoder {
	return &decoder{json: rawjson.Decoder{MaxDepth: o.Nesting}}
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() { d.scratch.Reset() }

// Finish implements [hub.Decoder]. A body without an end was cut, and the sequencer reports it.
func (d *decoder) Finish(dst []hub.Event, _ error) []hub.Event { return dst }

// Decode implements [hub.Decoder].
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	d.rec = record{}
	if err := d.json.Decode(rec.Data, &d.rec); err != nil {
		return dst, hub.JSONError(err)
	}
	dst, ev := hub.Grow(dst)
	switch string(rawjson.Body(d.rec.Type)) {
	case "start":
		ev.Kind, ev.ID = hub.RunStart, rawjson.Body(d.rec.Run)
	case "text":
		ev.Kind, ev.Text = hub.TextDelta, rawjson.Body(d.rec.Text)
	case "call":
		ev.Kind, ev.ID, ev.Name = hub.ToolStart, rawjson.Body(d.rec.ID), rawjson.Body(d.rec.Name)
		dst, ev = hub.Grow(dst)
		ev.Kind, ev.ID, ev.Value = hub.ToolReady, rawjson.Body(d.rec.ID), d.rec.Args
	case "result":
		ev.Kind, ev.ID, ev.Text, ev.Value = hub.ToolEnd, rawjson.Body(d.rec.ID), rawjson.Body(d.rec.Text), d.rec.Value
		d.end(ev)
	case "end":
		ev.Kind = hub.RunEnd
		d.end(ev)
	default:
		ev.Kind, ev.Name, ev.Value = hub.Raw, []byte(dialectName), rec.Data
	}
	return dst, nil
}

// end reads how a call or the run has ended. A status that does not exist is left to the sequencer.
func (d *decoder) end(ev *hub.Event) {
	ev.Status, _ = hub.ParseStatus(rawjson.Body(d.rec.Status))
	if err := rawjson.Body(d.rec.Error); len(err) > 0 {
		ev.More = d.scratch.More()
		ev.More.Err = err
	}
}
