package datastream

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/finish"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
)

// stepStart begins a step; the first one names the message, and so begins the run.
func (d *decoder) stepStart(dst []hub.Event) ([]hub.Event, error) {
	if id := rawjson.Body(d.rec.MessageID); len(id) > 0 {
		d.message = append(d.message[:0], id...)
	}
	if !d.begun {
		d.begun = true
		dst = d.put(dst, hub.Event{Kind: hub.RunStart, ID: d.message})
	}
	return d.put(dst, hub.Event{Kind: hub.StepStart}), nil
}

// stepEnd ends a step. The text goes on in the next one if it says so.
func (d *decoder) stepEnd(dst []hub.Event) ([]hub.Event, error) {
	if continued, _ := rawjson.Bool(d.rec.IsContinued); !continued {
		d.kind = 0
	}
	dst = d.usage(dst, hub.StepScope)
	return d.put(dst, hub.Event{Kind: hub.StepEnd, Status: statusOf(rawjson.Body(d.rec.FinishReason))}), nil
}

// finish notes the end of the run.
func (d *decoder) finish(dst []hub.Event) ([]hub.Event, error) {
	d.kind = 0
	dst = d.usage(dst, hub.RunScope)
	reason := rawjson.Body(d.rec.FinishReason)
	d.end = ending{seen: true, status: statusOf(reason), name: bytes.Clone(reason)}
	return dst, nil
}

func (d *decoder) fail(dst []hub.Event) ([]hub.Event, error) {
	d.end = ending{seen: true, fatal: true, status: hub.StatusFailed, err: bytes.Clone(rawjson.Body(d.value))}
	return dst, nil
}

// statusOf reads a finishReason. Which calls are left to the client is seen at the end of the stream.
func statusOf(reason []byte) hub.Status {
	if string(reason) == finish.Tools {
		return hub.StatusDone
	}
	return finish.Status(reason)
}

// usage passes counts, by the names of version 4 or those of assistant-ui.
func (d *decoder) usage(dst []hub.Event, scope hub.Scope) []hub.Event {
	more := d.scratch.More()
	if !counts.Read(&more.Usage, d.rec.Usage) {
		return dst
	}
	return append(dst, hub.Event{Kind: hub.Usage, Scope: scope, More: more})
}

// counts have the names of version 4 last: they are those that count.
var counts = usage.Fields{
	usage.At(usage.In, "inputTokens"), usage.At(usage.In, "promptTokens"), usage.At(usage.Out, "outputTokens"), usage.At(usage.Out, "completionTokens"),
}
