package langgraph

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// draft is what a message so far says of the arguments of a call. The server for Python parses what has come of them:
// {} becomes {"city":"Os"} and {"city":"Oslo"}, which no fragments can express. So the last of them is reported, when it is
// known to be the last: no record says so in the mode messages alone.
type draft struct {
	of       *message // whose call it is; nil if the call came in another way
	args     []byte   // JSON, or a string body if invalid; empty once it was reported
	invalid  bool     // the model spelled it wrong, as far as it came
	reported bool
}

// drafts starts the calls of a message so far, and keeps their arguments until the model has stopped.
func (d *decoder) drafts(dst []hub.Event, m *fields, k *message) []hub.Event {
	for v := range rawjson.Each(m.calls) {
		dst = d.draft(dst, m, k, v, rawjson.Get(v, "args"), false)
	}
	for v := range rawjson.Each(m.invalid) {
		dst = d.draft(dst, m, k, v, rawjson.Text(v, "args"), true)
	}
	if len(m.stopReason()) > 0 {
		dst = d.completeArgs(dst, k)
	}
	return dst
}

func (d *decoder) draft(dst []hub.Event, m *fields, k *message, v rawjson.Value, args []byte, invalid bool) []hub.Event {
	id, name := rawjson.Text(v, "id"), rawjson.Text(v, "name")
	if len(id) == 0 || len(name) == 0 {
		return dst // nothing joins it to its next form
	}
	c, _ := d.calls.Find(id)
	if c == nil {
		if len(k.calls) == maxCalls {
			return dst
		}
		c = d.newCall(m, k, bytes.Clone(id), -1)
		c.draft.of = k
		dst = d.toolStart(dst, m, k, c, name)
	}
	if c.draft.of == k && !c.draft.reported && (invalid || len(args) > 0) { // a form without them takes nothing back
		c.draft.args, c.draft.invalid = append(c.draft.args[:0], args...), invalid
	}
	return dst
}

// completeArgs emits the arguments of the calls of a message that can get no more: the model has stopped, or a tool works with
// them. k may be nil.
func (d *decoder) completeArgs(dst []hub.Event, k *message) []hub.Event {
	if k == nil {
		return dst
	}
	for _, c := range k.calls {
		if c.draft.of != k || c.draft.reported {
			continue
		}
		c.draft.reported = true
		var ev *hub.Event
		dst, ev = hub.Add(dst, hub.Event{Kind: hub.ToolReady, ID: c.id, Name: c.name, SubAgent: k.subAgent.id, Msg: k.id})
		if c.draft.invalid {
			ev.Text, ev.Flags = c.draft.args, hub.Invalid
			delete(d.waiting, string(c.id)) // noAuthor can run it
		} else {
			ev.Value = c.draft.args
		}
		c.draft.args = nil // the event has it
	}
	return dst
}

// completeAllArgs does so at a good end of the run, and when it waits for an answer.
func (d *decoder) completeAllArgs(dst []hub.Event) []hub.Event {
	for c := range d.calls.All() {
		if !c.draft.reported {
			dst = d.completeArgs(dst, c.draft.of)
		}
	}
	return dst
}
