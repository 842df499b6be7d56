package responsestream

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// A run has several responses, and says items once more when they are complete. What such a record holds is taken by the methods here, after
// Begin; records that are events of the API go to Decode.

// Begin begins a record that is no event of the API: events of the one before are not valid any longer.
func (d *Decoder) Begin() {
	d.scratch.Reset()
	d.lastPart, d.lastCall = nil, nil
	d.rec, d.data = record{}, nil
}

// Next makes the decoder ready for the next response of the run. Ids that it makes are not made again.
func (d *Decoder) Next() {
	minted := d.minted
	d.Reset()
	d.minted = minted
}

// Answer appends a delta of a message that is known by an id alone, which may be absent.
func (d *Decoder) Answer(dst []hub.Event, id, delta rawjson.Value) ([]hub.Event, error) {
	d.rec.ItemID, d.rec.Delta = id, delta
	return d.answerDelta(dst)
}

// Thought appends a delta of reasoning that has no id.
func (d *Decoder) Thought(dst []hub.Event, delta rawjson.Value) ([]hub.Event, error) {
	d.rec.Delta = delta
	return d.summaryDelta(dst)
}

// Item takes an output item that is complete: what of it events have not said, and its end.
func (d *Decoder) Item(dst []hub.Event, v rawjson.Value) []hub.Event {
	typ := rawjson.Text(v, "type")
	kind := kindOf(typ)
	if kind == otherItem {
		return d.unknownItem(dst, typ, v)
	}
	it := d.streamed(kind, v)
	if it == nil {
		it = d.add(kind, rawjson.Text(v, "id"), -1)
	}
	it.listed = true
	return d.endItem(dst, it, typ, v)
}

// streamed returns the item that v is a copy of: of a call by the id of the call, of others by that of the item. Without one it is the first
// of its kind that was not listed.
func (d *Decoder) streamed(kind itemKind, v rawjson.Value) *item {
	id, callID := cutID(rawjson.Text(v, "id")), cutID(rawjson.Text(v, "call_id"))
	for _, it := range d.items {
		if it.kind == kind && it.isCopy(id, callID) {
			return it
		}
	}
	return nil
}

func (it *item) isCopy(id, callID []byte) bool {
	switch {
	case it.kind == callItem && len(callID) > 0:
		return bytes.Equal(it.call.given, callID)
	case len(id) > 0:
		return bytes.Equal(it.id, id)
	}
	return !it.listed
}
