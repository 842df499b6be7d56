package agui

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Members of an event that AG-UI has no place for travel as JSON members of an object of Sabir's: the value of a CUSTOM
// event, or the key "sabir" in the metadata of a native one.

// What each native event carries under metadata.sabir.
const (
	textMembers      = eventjson.Name | eventjson.Title | eventjson.Chan
	toolStartMembers = eventjson.Display | eventjson.Status | eventjson.Flags
	toolEndMembers   = toolStartMembers | errMembers
	runStartMembers  = eventjson.Name
	runEndMembers    = runErrorMembers | errMembers
	runErrorMembers  = eventjson.Status | eventjson.Name
	stepMembers      = eventjson.Status | eventjson.Model
	agentEndMembers  = eventjson.Status
	dataMembers      = eventjson.ID | eventjson.Op | eventjson.Flags
	rawMembers       = eventjson.ID
	askMembers       = eventjson.AskKind | eventjson.Value | eventjson.Options | eventjson.Flags

	errMembers     = eventjson.Err | eventjson.ErrCode
	contentMembers = eventjson.ID | eventjson.Text | eventjson.Value | eventjson.Flags
)

// ownKinds are the kinds that have no event in AG-UI, with what their CUSTOM events carry.
var ownKinds = map[hub.Kind]eventjson.Set{
	hub.ToolUpdate: contentMembers | eventjson.Display | eventjson.Msg | eventjson.Status | eventjson.Percent | eventjson.Err,
	hub.ToolOutput: contentMembers | eventjson.Msg | eventjson.Chan | eventjson.Op | eventjson.Content,
	hub.Ask: contentMembers | eventjson.Ref | eventjson.Name | eventjson.Title | eventjson.AskKind | eventjson.Options |
		eventjson.Schema | eventjson.Expires,
	hub.Answer: contentMembers | eventjson.Name | eventjson.Status,
	hub.Usage:  eventjson.ID | eventjson.Ref | eventjson.Scope | eventjson.Model | eventjson.Usage,
	hub.Notice: contentMembers | eventjson.Ref | eventjson.Name | eventjson.Title | eventjson.Level | eventjson.Err,
	hub.Source: contentMembers | eventjson.Ref | eventjson.Msg | eventjson.Title | eventjson.File,
	hub.File:   contentMembers | eventjson.Ref | eventjson.Msg | eventjson.Name | eventjson.Title | eventjson.File,
}

const (
	ownKey    = "sabir"  // in metadata
	ownPrefix = "sabir." // of the names of CUSTOM events
	planKey   = "plan"   // in metadata.sabir: the id of the plan that an activity is written for, even if empty
	madeKey   = "made"   // in metadata.sabir: the text of a result that has none of its own is made of content or error
)

// Members of the metadata that no event has; appendMembers writes them behind the others.
const (
	planMember eventjson.Set = 1 << (63 - iota)
	madeMember
)

// order is that of the members in AG-UI.
var order = func() [5]eventjson.Set {
	const words = eventjson.Status | eventjson.Chan | eventjson.Op | eventjson.Level | eventjson.Scope | eventjson.AskKind
	const lists = eventjson.Options | eventjson.Usage | eventjson.File
	const ids = eventjson.ID | eventjson.Ref
	return [...]eventjson.Set{
		ids, eventjson.All &^ (ids | words | lists | eventjson.Flags), words | eventjson.Flags, eventjson.Options, eventjson.Usage | eventjson.File,
	}
}()

// appendMembers appends those of which that ev has, each with a comma before it.
func appendMembers(dst []byte, ev *hub.Event, which eventjson.Set) []byte {
	if ev.Flags.Has(hub.Synthetic) {
		emitted := *ev
		emitted.Flags &^= hub.Synthetic
		ev = &emitted
	}
	for _, part := range order {
		if part &= which; part != 0 {
			dst = eventjson.Append(dst, ev, part)
		}
	}
	if which&planMember != 0 {
		dst = rawjson.AppendQuoted(append(dst, `,"`+planKey+`":`...), ev.ID)
	}
	if which&madeMember != 0 {
		dst = append(dst, `,"`+madeKey+`":true`...)
	}
	return dst
}

// extension reads a CUSTOM event that the encoder wrote for a kind without an event of its own.
func (d *decoder) extension(dst []hub.Event, kind hub.Kind) []hub.Event {
	dst, ev := d.emit(dst, hub.Event{Kind: kind})
	d.readMembers(ev, d.rec.Value, ownKinds[kind])
	return dst
}

// extras reads what the encoder put beside a native event.
func (d *decoder) extras(ev *hub.Event, which eventjson.Set) {
	if d.rec.Metadata != nil {
		d.extrasOf(ev, d.rec.Metadata, which)
	}
}

// extrasOf is extras for metadata that are not those of the record.
func (d *decoder) extrasOf(ev *hub.Event, metadata rawjson.Value, which eventjson.Set) {
	if own := rawjson.Get(metadata, ownKey); rawjson.Kind(own) == '{' {
		d.readMembers(ev, own, which)
	}
}

// readMembers reads the members of which that v has. What has the wrong form is ignored.
func (d *decoder) readMembers(ev *hub.Event, v rawjson.Value, which eventjson.Set) {
	r := eventjson.Reader{Scratch: &d.scratch}
	r.Read(ev, v, which)
}

// Metadata of AG-UI is the Meta of the model, and the other way round, but for two keys: "sabir" holds what the model
// has and AG-UI has not, and is no part of Meta; "agui" holds what AG-UI has and the model has not, and is no part of
// metadata.

// wireKey is the key in Meta for members of AG-UI events that the model has no place for.
const wireKey = "agui"

// Members kept under wireKey.
const (
	keptReplace   = "replace"     // of ACTIVITY_SNAPSHOT, where it is false
	keptParentRun = "parentRunId" // of RUN_STARTED
)

// ownMetadata makes the Meta of ev from v: all of it but what stands under our two keys.
func (d *decoder) ownMetadata(ev *hub.Event, v rawjson.Value) {
	if rawjson.Get(v, ownKey) == nil && rawjson.Get(v, wireKey) == nil {
		d.scratch.MoreOf(ev).Meta = v
		return
	}
	dst := d.scratch.Begin()
	from := len(dst)
	if dst = appendForeign(dst, v); len(dst) > from {
		d.scratch.MoreOf(ev).Meta = d.scratch.Since(eventjson.Close(dst, from))
	}
}

// appendForeign appends the members of an object that are under neither key, each with a comma before it.
func appendForeign(dst []byte, object rawjson.Value) []byte {
	for key, val := range rawjson.EachField(object) {
		if string(key) != ownKey && string(key) != wireKey {
			dst = append(rawjson.AppendQuoted(append(dst, ','), key), ':')
			dst = append(dst, val...)
		}
	}
	return dst
}

// keep puts a member of the wire that the model has no place for into the Meta of ev.
func (d *decoder) keep(ev *hub.Event, name string, v rawjson.Value) {
	m := d.scratch.MoreOf(ev)
	dst := append(d.scratch.Begin(), `{"`+wireKey+`":{"`...)
	dst = append(append(append(dst, name...), `":`...), v...)
	dst = append(appendForeign(append(dst, '}'), m.Meta), '}')
	m.Meta = d.scratch.Since(dst)
}

// kept returns a member that keep put away, or nil.
func kept(ev *hub.Event, name string) rawjson.Value {
	return ev.Meta(wireKey, name)
}
