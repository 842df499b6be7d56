package native

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// decoder needs no state between records; it keeps only memory.
type decoder struct {
	json    rawjson.Decoder
	rec     eventjson.Values
	scratch hub.Scratch
}

func (d *decoder) Reset() { d.scratch.Reset() }

// Finish appends nothing: a stream ends with its run.end.
func (d *decoder) Finish(dst []hub.Event, _ error) []hub.Event { return dst }

// Decode appends the one event of rec. Its slices are valid until the next call and as long as rec is.
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	if err := d.json.DecodeNamed(rec.Data, eventjson.Record, d.rec[:]); err != nil {
		return dst, hub.JSONError(err)
	}
	n := len(dst)
	dst, ev := hub.Grow(dst)
	r := eventjson.Reader{Scratch: &d.scratch, Strict: true}
	r.ReadValues(ev, &d.rec)
	switch {
	case r.Err != nil:
		return dst[:n], r.Err
	case ev.Kind == hub.KindNone:
		return dst[:n], hub.NewError(hub.ReasonMissing, "kind", -1, "every event needs a kind")
	}
	return dst, nil
}
