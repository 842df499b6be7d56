package agui

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// data writes shared state, the list of messages and activities in the events made for them, if the value has the form
// they demand: a client ends the whole run over one that has not. All else is a CUSTOM event.
func (e *encoder) data(out *wire.Out, ev *hub.Event) hub.Disposition {
	if kind, ok := bytes.CutPrefix(ev.Name, []byte(dataActivity)); ok && e.activityEvent(out, ev, kind) {
		return hub.Native
	}
	switch {
	case string(ev.Name) == dataState && ev.Op == hub.Set:
		return e.value(out, ev, `{"type":"STATE_SNAPSHOT","snapshot":`)
	case string(ev.Name) == dataState && ev.Op == hub.Patch && validPatch(ev.Value):
		return e.value(out, ev, `{"type":"STATE_DELTA","delta":`)
	case string(ev.Name) == dataMessages && ev.Op == hub.Set:
		if snapshot, ok := appendMessages(nil, ev.Value); ok {
			disposition := e.keepSnapshot(out, ev, snapshot)
			if !rawjson.Equal(snapshot, ev.Value) {
				return hub.Folded
			}
			return disposition
		}
	}
	return e.customData(out, ev)
}

// value writes an event with one value.
func (e *encoder) value(out *wire.Out, ev *hub.Event, head string) hub.Disposition {
	member.End(out, e.close(append(append(member.Begin(out, ""), head...), rawjson.OrNull(ev.Value)...), ev, 0))
	return hub.Native
}

// customData writes data under its own name. Unless it is a one-off event, the metadata say how it applies.
func (e *encoder) customData(out *wire.Out, ev *hub.Event) hub.Disposition {
	own := dataMembers
	if ev.Op == hub.Emit {
		own &^= eventjson.Op
	}
	b := member.Open(out, `{"type":"CUSTOM","name":"`, rawjson.First(ev.Name, []byte("data")))
	b = append(append(b, `,"value":`...), rawjson.OrNull(ev.Value)...)
	member.End(out, e.close(b, ev, own))
	if ev.Op == hub.Patch || ev.Op == hub.Merge || ev.Value == nil {
		return hub.Extension
	}
	return hub.Native
}

// keepSnapshot writes a MESSAGES_SNAPSHOT, or keeps it while a message or call is open: one that leaves them out would
// make the client lose what is yet to come.
func (e *encoder) keepSnapshot(out *wire.Out, ev *hub.Event, messages []byte) hub.Disposition {
	b := append([]byte(`{"type":"MESSAGES_SNAPSHOT","messages":`), messages...)
	e.snapshot = e.closeUntagged(b, ev, 0)
	if !e.flushSnapshot(out) {
		return hub.Deferred
	}
	return hub.Native
}

// flushSnapshot writes the snapshot that waits, if nothing is open any more.
func (e *encoder) flushSnapshot(out *wire.Out) bool {
	if e.snapshot == nil || e.parts.Len() > 0 || e.tools.Len() > 0 {
		return false
	}
	e.writeSnapshot(out)
	return true
}

// writeSnapshot writes the snapshot that waits, if there is one.
func (e *encoder) writeSnapshot(out *wire.Out) {
	if e.snapshot == nil {
		return
	}
	member.End(out, append(member.Begin(out, ""), e.snapshot...))
	e.snapshot = nil
}

// activityEvent writes an activity; false if the value does not have the form of one.
func (e *encoder) activityEvent(out *wire.Out, ev *hub.Event, kind []byte) bool {
	var head, value string
	switch {
	case ev.Op == hub.Set && rawjson.Kind(ev.Value) == '{':
		head, value = `{"type":"ACTIVITY_SNAPSHOT","messageId":"`, `,"content":`
	case ev.Op == hub.Patch && validPatch(ev.Value):
		head, value = `{"type":"ACTIVITY_DELTA","messageId":"`, `,"patch":`
	default:
		return false
	}
	id, owned := e.activityID(ev, ev.ID)
	b := member.Open(out, head, []byte(id))
	b = append(append(append(b, `,"activityType":"`...), kind...), '"')
	b = append(append(b, value...), ev.Value...)
	if replace, ok := rawjson.Bool(kept(ev, keptReplace)); ok && !replace && ev.Op == hub.Set {
		b = append(b, `,"replace":false`...)
	}
	if owned {
		out.Buf = e.close(b, ev, 0)
	} else {
		out.Buf = e.closeUntagged(b, ev, 0)
	}
	out.End()
	return true
}

// activityID is the message id of an activity or plan. owned is false when another sub-agent has it: the event must then
// not say whose it is.
func (e *encoder) activityID(ev *hub.Event, want []byte) (id string, owned bool) {
	subAgent := e.subAgent(ev)
	id, known := e.activities.Find(want)
	if known {
		have, _ := e.ids.used.Get(id)
		return id, have.subAgent == subAgent
	}
	name := want
	if len(name) == 0 {
		name = e.ids.name([]byte("activity"), nil)
	}
	id = string(e.ids.claim(nil, name, owner{activity, subAgent}))
	e.activities.Put(string(want), id)
	return id, true
}

// plan writes a plan as an activity that replaces itself in place.
func (e *encoder) plan(out *wire.Out, ev *hub.Event) hub.Disposition {
	want := []byte("plan")
	for _, part := range [][]byte{ev.SubAgent, ev.ID} {
		if len(part) > 0 {
			want = append(append(want, '-'), part...)
		}
	}
	id, owned := e.activityID(ev, bytes.Clone(e.ids.name(want, nil)))
	b := member.Open(out, `{"type":"ACTIVITY_SNAPSHOT","messageId":"`, []byte(id))
	items := hub.Event{Kind: hub.Plan, More: ev.Rare()}
	b = eventjson.AppendObject(append(b, `,"activityType":"PLAN","content":`...), &items, eventjson.Items)
	if owned {
		out.Buf = e.close(b, ev, planMember)
	} else {
		out.Buf = e.closeUntagged(b, ev, planMember)
	}
	out.End()
	return hub.Extension
}

// raw passes a record of an upstream that no one translated.
func (e *encoder) raw(out *wire.Out, ev *hub.Event) hub.Disposition {
	b := append(member.Begin(out, ""), `{"type":"RAW","event":`...)
	if len(ev.Value) == 0 && ev.Text != nil {
		b = rawjson.AppendQuoted(b, ev.Text)
	} else {
		b = append(b, rawjson.OrNull(ev.Value)...)
	}
	b = member.AppendText(b, `,"source":"`, ev.Name)
	member.End(out, e.close(b, ev, rawMembers))
	return hub.Native
}
