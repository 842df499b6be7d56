package aisdk

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/finish"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// ending is how the run ended, as far as it was said. Merged streams say it several times, so it waits for the end mark, or
// for the end of the body.
type ending struct {
	seen    bool // a finish or an abort
	fatal   bool // an error
	emitted bool // passed on
	status  hub.Status
	name    []byte // native reason
	err     []byte // why it was cancelled
}

// start begins the run. Merged streams have several; the sequencer takes the first.
func (d *decoder) start(dst []hub.Event) ([]hub.Event, error) {
	if id := rawjson.Body(d.rec.MessageID); len(id) > 0 {
		d.message = append(d.message[:0], id...)
	}
	dst = d.put(dst, hub.Event{Kind: hub.RunStart, ID: d.message})
	return d.metadata(dst), nil
}

func (d *decoder) startStep(dst []hub.Event) ([]hub.Event, error) {
	return d.put(dst, hub.Event{Kind: hub.StepStart}), nil
}

func (d *decoder) finishStep(dst []hub.Event) ([]hub.Event, error) {
	return d.put(dst, hub.Event{Kind: hub.StepEnd}), nil
}

// metadataName is the name that the metadata of a message have as data of the model. Each chunk merges into what is there.
const metadataName = "message-metadata"

func (d *decoder) messageMetadata(dst []hub.Event) ([]hub.Event, error) {
	return d.metadata(dst), nil
}

// metadata passes the metadata of the message that the record has, and the usage among them.
func (d *decoder) metadata(dst []hub.Event) []hub.Event {
	if rawjson.IsNull(d.rec.MessageMetadata) {
		return dst
	}
	dst = append(dst, hub.Event{Kind: hub.Data, Name: []byte(metadataName), Op: hub.Merge, Value: d.rec.MessageMetadata})
	return d.usage(dst, d.rec.MessageMetadata)
}

// usage reads the counts that servers put into the metadata: there is no member made for them, but two habits.
func (d *decoder) usage(dst []hub.Event, metadata rawjson.Value) []hub.Event {
	counts := rawjson.Get(metadata, "totalUsage")
	if counts == nil {
		counts = rawjson.Get(metadata, "usage")
	}
	if counts == nil {
		counts = metadata
	}
	more := d.scratch.More()
	if !readCounts(&more.Usage, counts) {
		return dst
	}
	return append(dst, hub.Event{Kind: hub.Usage, Scope: hub.RunScope, More: more})
}

// finish notes the end of the run. One that was cancelled stays so.
func (d *decoder) finish(dst []hub.Event) ([]hub.Event, error) {
	dst = d.metadata(dst)
	if d.end.status == hub.StatusCancelled {
		return dst, nil
	}
	reason := rawjson.Body(d.rec.FinishReason)
	d.end = ending{seen: true, status: statusOf(reason), name: bytes.Clone(reason)}
	return dst, nil
}

// statusOf reads a finishReason. Tool calls are looked at when the stream is over: which are left to the client?
func statusOf(reason []byte) hub.Status {
	switch string(reason) {
	case finish.Tools:
		return hub.StatusDone
	case "interrupted": // the model's stream had no end
		return hub.StatusTruncated
	}
	return finish.Status(reason)
}

func (d *decoder) abort(dst []hub.Event) ([]hub.Event, error) {
	d.end = ending{seen: true, status: hub.StatusCancelled, err: bytes.Clone(rawjson.Body(d.rec.Reason))}
	return dst, nil
}

func (d *decoder) fail(dst []hub.Event) ([]hub.Event, error) {
	d.end = ending{seen: true, fatal: true, status: hub.StatusFailed, err: bytes.Clone(rawjson.Body(d.rec.ErrorText))}
	return dst, nil
}

// emitEnd passes the end of the run. A run that ended well pauses where questions are open, and leaves to the client the
// calls that have no output.
func (d *decoder) emitEnd(dst []hub.Event) []hub.Event {
	d.end.emitted = true
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunEnd, Status: d.end.status, Name: d.end.name})
	switch {
	case ev.Status == hub.StatusNone || ev.Status == hub.StatusDone:
		ev.Status = hub.StatusDone
		if len(d.asks) > 0 {
			ev.Status = hub.StatusPaused
		} else if d.left > 0 {
			ev.Status = hub.StatusTools
		}
	case len(d.end.err) > 0:
		d.scratch.MoreOf(ev).Err = d.end.err
	case ev.Status == hub.StatusFailed:
		d.scratch.MoreOf(ev).Err = []byte("The model failed.")
	}
	return dst
}
