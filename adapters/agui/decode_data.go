package agui

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// The names that shared data of AG-UI has in the model.
const (
	dataState    = "state"
	dataMessages = "messages"
	dataActivity = "activity:" // and the type of the activity
)

func (d *decoder) stateSnapshot(dst []hub.Event) ([]hub.Event, error) {
	v, err := present(d.rec.Snapshot, "snapshot")
	if err != nil {
		return dst, err
	}
	return d.set(dst, dataState, hub.Set, v), nil
}

// stateDelta passes the patch as it is. Whether it applies depends on a document that only the target may need.
func (d *decoder) stateDelta(dst []hub.Event) ([]hub.Event, error) {
	if rawjson.Kind(d.rec.Delta) != '[' {
		return dst, member.Wrong(d.rec.Delta, "delta", "want a JSON patch")
	}
	return d.set(dst, dataState, hub.Patch, d.rec.Delta), nil
}

// messagesSnapshot passes the list as data: its messages were said before, in this run or in others, and are no texts
// of this stream.
func (d *decoder) messagesSnapshot(dst []hub.Event) ([]hub.Event, error) {
	if rawjson.Kind(d.rec.Messages) != '[' {
		return dst, member.Wrong(d.rec.Messages, "messages", "want an array of messages")
	}
	return d.set(dst, dataMessages, hub.Set, d.rec.Messages), nil
}

// set appends data without an id.
func (d *decoder) set(dst []hub.Event, name string, op hub.Op, v rawjson.Value) []hub.Event {
	return d.put(dst, hub.Event{Kind: hub.Data, Name: []byte(name), Op: op, Value: v})
}

// activitySnapshot sets an activity, or if it is one of ours the plan.
func (d *decoder) activitySnapshot(dst []hub.Event) ([]hub.Event, error) {
	name, err := d.activity()
	if err != nil {
		return dst, err
	}
	if rawjson.Kind(d.rec.Content) != '{' {
		return dst, member.Wrong(d.rec.Content, "content", "want an object")
	}
	if rawjson.Get(d.rec.Metadata, ownKey, planKey) != nil {
		return d.plan(dst), nil
	}
	dst, ev := d.emit(dst, hub.Event{Kind: hub.Data, ID: d.about, Name: name, Op: hub.Set, Value: d.rec.Content})
	if replace, ok := rawjson.Bool(d.rec.Replace); ok && !replace {
		d.keep(ev, keptReplace, d.rec.Replace)
	}
	return dst, nil
}

func (d *decoder) activityDelta(dst []hub.Event) ([]hub.Event, error) {
	name, err := d.activity()
	if err != nil {
		return dst, err
	}
	if rawjson.Kind(d.rec.Patch) != '[' {
		return dst, member.Wrong(d.rec.Patch, "patch", "want a JSON patch")
	}
	return d.put(dst, hub.Event{Kind: hub.Data, ID: d.about, Name: name, Op: hub.Patch, Value: d.rec.Patch}), nil
}

// activity is the name of the data of an activity.
func (d *decoder) activity() (name []byte, err error) {
	typ, err := member.Text(d.rec.ActivityType, "activityType")
	if err != nil {
		return nil, err
	}
	return d.scratch.Since(append(append(d.scratch.Begin(), dataActivity...), typ...)), nil
}

// plan reads back a plan that the encoder wrote as an activity.
func (d *decoder) plan(dst []hub.Event) []hub.Event {
	dst, ev := d.emit(dst, hub.Event{Kind: hub.Plan})
	d.scratch.MoreOf(ev)
	ev.ID = rawjson.Text(d.rec.Metadata, ownKey, planKey)
	d.readMembers(ev, d.rec.Content, eventjson.Items)
	return dst
}

// custom is an application's own event, unless its name says that it is one of the model's.
func (d *decoder) custom(dst []hub.Event) ([]hub.Event, error) {
	name := d.about
	if string(name) == hub.ExtensionKey && rawjson.Kind(rawjson.Get(d.rec.Value, hub.ExtensionKey)) == '{' {
		return dst, nil
	}
	if kind, ok := bytes.CutPrefix(name, []byte(ownPrefix)); ok {
		if kind, ok := hub.ParseKind(kind); ok && ownKinds[kind] != 0 && rawjson.Kind(d.rec.Value) == '{' {
			return d.extension(dst, kind), nil
		}
	}
	dst, ev := d.emit(dst, hub.Event{Kind: hub.Data, Name: name, Op: hub.Emit, Value: rawjson.OrNull(d.rec.Value)})
	d.extras(ev, dataMembers)
	return dst, nil
}

// rawEvent passes the event of a provider, which no one translated.
func (d *decoder) rawEvent(dst []hub.Event) ([]hub.Event, error) {
	v, err := present(d.rec.Event, "event")
	if err != nil {
		return dst, err
	}
	dst, ev := d.emit(dst, hub.Event{Kind: hub.Raw, Name: rawjson.Body(d.rec.Source), Value: v})
	d.extras(ev, rawMembers)
	return dst, nil
}
