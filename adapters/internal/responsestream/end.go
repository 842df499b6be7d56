package responsestream

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// terminal ends the response. Its output may hold what no event has said.
func (d *Decoder) terminal(dst []hub.Event) ([]hub.Event, error) {
	r := d.rec.Response
	if !d.started {
		dst = d.start(dst, r)
	}
	dst = d.output(dst, rawjson.Get(r, "output"))
	dst = d.usage(dst, rawjson.Get(r, "usage"))
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunEnd})
	d.reason(ev, r)
	if ev.Status == hub.StatusDone {
		switch {
		case d.asking > 0:
			ev.Status = hub.StatusPaused
		case d.waiting > 0:
			ev.Status = hub.StatusTools
		case d.refused && !d.answered:
			ev.Status = hub.StatusRefused
		}
	}
	return dst, nil
}

// reason reads why the response ended: from its status, or where that is missing from the type of the event.
func (d *Decoder) reason(ev *hub.Event, r rawjson.Value) {
	status := rawjson.Text(r, "status")
	if typ, ok := bytes.CutPrefix(rawjson.Body(d.rec.Type), []byte("response.")); ok && string(typ) != "done" {
		status = typ
	}
	ev.Status = hub.StatusDone
	switch string(status) {
	case "incomplete":
		ev.Name = rawjson.Text(r, "incomplete_details", "reason")
		ev.Status = incompleteReason(ev.Name)
	case "failed":
		d.fail(ev, rawjson.Get(r, "error"))
	case "cancelled":
		ev.Status = hub.StatusCancelled
	case "in_progress", "queued": // of a whole response: its end is to be asked for later
		ev.Status = hub.StatusTruncated
	}
}

// incompleteReason is why a response is not complete. A reason that is not known is a limit of some sort: only success and
// filters have other effects.
func incompleteReason(reason []byte) hub.Status {
	if status, ok := incompleteReasons[string(reason)]; ok {
		return status
	}
	return hub.StatusLimit
}

var incompleteReasons = map[string]hub.Status{
	"max_output_tokens": hub.StatusLength, "content_filter": hub.StatusFiltered, "steered": hub.StatusCancelled,
}

// failure is an error event: its members are flat, or in an object, or both.
func (d *Decoder) failure(dst []hub.Event) ([]hub.Event, error) {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunEnd})
	if d.fail(ev, rawjson.NotNull(d.rec.Error)); rawjson.IsNull(d.rec.Error) {
		ev.More.Err, ev.More.ErrCode = rawjson.Body(d.rec.Message), d.scalar(d.rec.Code)
		d.mapCode(ev)
	}
	return dst, nil
}

// fail fills in an end with an error, which is an object or, with some peers, a mere string.
func (d *Decoder) fail(ev *hub.Event, v rawjson.Value) {
	ev.Status = hub.StatusFailed
	m := d.scratch.MoreOf(ev)
	m.Err = d.errorText(v)
	m.ErrCode = rawjson.First(rawjson.Text(v, MemberOwnCode), d.scalar(rawjson.Get(v, "code")), d.scalar(rawjson.Get(v, "type")))
	d.mapCode(ev)
}

// mapCode reads codes that say more than that something failed.
func (d *Decoder) mapCode(ev *hub.Event) {
	switch string(ev.More.ErrCode) {
	case CodeCancelled:
		ev.Status = hub.StatusCancelled
	case string(hub.CodeTruncated), string(hub.CodeReset), string(hub.CodeIdle):
		ev.Status = hub.StatusTruncated
	}
}

// CodeCancelled is the code of a response that was cancelled where there is no status for it.
const CodeCancelled = "cancelled"

// MemberOwnCode holds a code that is none of the API's, beside the one that stands for it.
const MemberOwnCode = "sabir_code"

// scalar reads a code, which peers send as a string or a number.
func (d *Decoder) scalar(v rawjson.Value) []byte {
	if s, ok := rawjson.Str(v); ok {
		return s
	}
	if rawjson.Kind(v) == '0' {
		return bytes.TrimSpace(v)
	}
	return nil
}

// errorText finds words in an error: a string, an object with a message, or one with content blocks.
func (d *Decoder) errorText(v rawjson.Value) []byte {
	if s, ok := rawjson.Str(v); ok {
		return s
	}
	if s := rawjson.Text(v, "message"); len(s) > 0 {
		return s
	}
	content := rawjson.Get(v, "content")
	if s, ok := rawjson.Str(content); ok {
		return s
	}
	text := d.scratch.Begin()
	for block := range rawjson.Each(content) {
		text = append(text, rawjson.Text(block, "text")...)
	}
	return d.scratch.Since(text)
}

// output goes through the items of the final response, most of which have been reported. Peers give them other ids there,
// or none; then the k-th item of a kind is the k-th that was streamed.
func (d *Decoder) output(dst []hub.Event, list rawjson.Value) []hub.Event {
	streamed := len(d.items)
	var seen [approvalItem + 1]int
	n := int64(0)
	for e := rawjson.Elems(list); ; n++ {
		v, ok := e.Next()
		if !ok {
			return dst
		}
		typ := rawjson.Text(v, "type")
		kind := kindOf(typ)
		if kind == otherItem {
			continue // its own events reported it, or it has no meaning here
		}
		it := d.counterpart(kind, v, seen[kind], streamed)
		seen[kind]++
		if it == nil {
			it = d.add(kind, rawjson.Text(v, "id"), n)
		}
		it.final = true
		dst = d.endItem(dst, it, typ, v)
	}
}

// counterpart returns the item that v is a copy of: the one of its id, else the k-th of its kind. nil if it is new.
func (d *Decoder) counterpart(kind itemKind, v rawjson.Value, k, streamed int) *item {
	id, callID := cutID(rawjson.Text(v, "id")), cutID(rawjson.Text(v, "call_id"))
	for _, it := range d.items {
		sameID := len(id) > 0 && bytes.Equal(it.id, id)
		sameCall := kind == callItem && len(callID) > 0 && bytes.Equal(it.call.given, callID)
		if it.kind == kind && !it.final && (sameID || sameCall) {
			return it
		}
	}
	for _, it := range d.items[:min(streamed, len(d.items))] {
		if it.kind == kind {
			if k == 0 {
				return it
			}
			k--
		}
	}
	return nil
}

// usage reads the counts of the response. Cached tokens are part of the input, reasoning part of the output.
func (d *Decoder) usage(dst []hub.Event, v rawjson.Value) []hub.Event {
	if rawjson.Kind(v) != '{' {
		return dst
	}
	m := d.scratch.More()
	if !d.cfg.ReadCounts(&m.Usage, v) {
		return dst
	}
	return append(dst, hub.Event{Kind: hub.Usage, Scope: hub.RunScope, More: m})
}
