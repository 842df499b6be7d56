package copilot

import (
	"bytes"
	"errors"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// decoder reads events in all envelopes, live and from history: what a record is, its members alone tell.
type decoder struct {
	opt     decodeOptions
	json    rawjson.Decoder
	scratch hub.Scratch
	bare    event
	frame   frame
	rpcIn   message

	at        place
	session   []byte // of the run; empty until a record names one
	begun     bool   // something was emitted
	seen      seen
	clock     member.Clock
	user      lastUser
	streams   map[string][]byte // messages that came in deltas -> their sub-agents
	last      stream            // the one that the last delta belonged to
	calls     map[string]*call
	subAgents map[string]*subAgent // by their ids, and by the calls that they run in
	open      []*subAgent          // in the order of their starts
	asks      map[string]string    // not answered yet -> the call that they are about

	cancelled bool       // an abort came, the end of the run did not
	reason    []byte     // of the abort
	outcome   hub.Status // in history: how the last run in it ended
	failure   []byte     // in history: why, if it failed
	over      bool       // the end of the replay was said

	client hub.ToolList // of the request that the stream answers

	again bool // a record like the one in hand, with another text, is read as it is
}

// place is the event at hand.
type place struct {
	rec      []byte        // the record
	base     rawjson.Value // what path leads from: the record, or an element of a list of events
	path     []string
	ev       *event
	typ      []byte
	spec     spec
	data     rawjson.Value // all properties as one object; nil until asked for
	subAgent []byte
	flags    hub.Flags
	millis   int64
}

// maxKnown bounds each of the things that a decoder remembers by id. A stream that has more is read on without them.
const maxKnown = 4096

// newDecoder makes the decoder of a stream.
func newDecoder(o hub.Options) hub.Decoder {
	d := &decoder{opt: parseDecodeOptions(o), json: rawjson.Decoder{MaxDepth: o.Nesting}}
	d.Reset()
	return d
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	d.scratch.Reset()
	d.seen.reset()
	*d = decoder{
		opt: d.opt, json: d.json, scratch: d.scratch, seen: d.seen, session: d.session[:0],
		streams: map[string][]byte{}, calls: map[string]*call{}, subAgents: map[string]*subAgent{}, asks: map[string]string{},
	}
}

// Continue implements [hub.Continuer]: a call of the client's begins like those that the agent runs.
func (d *decoder) Continue(req *hub.Request) { d.client = req.Tools }

// Decode implements [hub.Decoder].
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	if rec.Data == nil {
		return dst, nil
	}
	n := len(dst)
	d.again = false
	d.at = place{rec: rec.Data, base: rec.Data}
	if d.opt.history {
		d.at.flags = hub.Replayed
	}
	var err error
	switch guessForm(rec.Data) {
	case formFrame:
		dst, err = d.framed(dst)
	case formRPC:
		dst, err = d.rpc(dst)
	default:
		dst, err = d.naked(dst)
	}
	d.begun = d.begun || len(dst) > n
	return dst, err
}

// tracked is what [decoder.ReadMembers] must know of a record: whether the id of its event is a string.
type tracked struct{ id bool }

// TrackText implements [fastpath.TextTracker]. Of what deltas say, nothing is remembered.
func (d *decoder) TrackText(any, []byte, []byte) bool { return true }

// Tracked implements [fastpath.TextTracker].
func (d *decoder) Tracked() (part any, ok bool) {
	return tracked{d.at.ev != nil && rawjson.Kind(d.at.ev.ID) == '"'}, d.again
}

// Rereads implements [fastpath.MemberReader].
func (d *decoder) Rereads(ev *hub.Event) bool { return ev.More.Meta == nil }

// ReadMembers implements [fastpath.MemberReader]. An event with an id that comes again is not read again.
func (d *decoder) ReadMembers(part any, ev *hub.Event, values [][]byte) bool {
	id := rawjson.First(values[:len(values)/2]...) // of the envelopes, the record has one
	if p, ok := part.(tracked); ok && p.id && (id == nil || d.seen.again(id)) {
		return false
	}
	if c := d.calls[string(ev.ID)]; ev.Kind == hub.ToolOutput && c != nil && c.shell {
		return false
	}
	if millis := d.clock.Millis(rawjson.First(values[len(values)/2:]...)); millis != 0 {
		d.scratch.Reset()
		d.scratch.MoreOf(ev).Time = millis
	}
	return true
}

// naked reads a record that has no envelope, if the guess was right.
func (d *decoder) naked(dst []hub.Event) ([]hub.Event, error) {
	d.bare = event{}
	err := d.json.Decode(d.at.rec, &d.bare)
	if err != nil && !isTypeFault(err) {
		return dst, hub.JSONError(err)
	}
	if d.bare.RPC != nil {
		return d.rpc(dst)
	}
	if typ, ok := rawjson.Str(d.bare.Type); ok && !isEventType(typ) {
		return d.framed(dst)
	}
	if err != nil {
		return dst, hub.JSONError(err)
	}
	return d.event(dst, &d.bare)
}

// isTypeFault reports whether all is read but a member that is no object.
func isTypeFault(err error) bool {
	var e *rawjson.Error
	return errors.As(err, &e) && e.Reason == rawjson.ReasonType
}

// event reads one event.
func (d *decoder) event(dst []hub.Event, ev *event) ([]hub.Event, error) {
	typ, ok := rawjson.Str(ev.Type)
	if !ok {
		return dst, d.missing("type", ev.Type, "want the type of the event, a string")
	}
	id := rawjson.Body(ev.ID)
	d.again = true
	if d.seen.again(id) || string(typ) == extensionType {
		return dst, nil
	}
	at := &d.at
	at.ev, at.typ, at.millis = ev, typ, d.clock.Millis(rawjson.Body(ev.Timestamp))
	at.spec, ok = specOf(typ)
	if !at.spec.is(delta) || ev.Data.isPoor() {
		if err := d.gather(); err != nil {
			return dst, err
		}
		d.user.interrupted(typ)
	}
	dst = d.nameSession(dst)
	if !at.spec.is(own) {
		dst = d.enterSubAgent(dst)
	}
	if !ok {
		return d.raw(dst), nil
	}
	return at.spec.decode(d, dst)
}

// eventText is the text of the event at hand.
func (d *decoder) eventText() rawjson.Value { return rawjson.Get(d.at.base, d.at.path...) }

// gather makes one object of the properties under data and those at the root, and reads it, if there are any at the root.
func (d *decoder) gather() error {
	if !hasRootProperties(d.eventText()) {
		return nil
	}
	grown, object := Properties(d.scratch.Begin(), d.eventText())
	d.scratch.Since(grown)
	d.at.data = object
	d.at.ev.Data = props{}
	if err := d.json.Decode(object, &d.at.ev.Data); err != nil {
		return hub.JSONError(err)
	}
	return nil
}

// properties is the object with the properties of the event at hand.
func (d *decoder) properties() rawjson.Value {
	if d.at.data == nil {
		_, d.at.data = Properties(nil, d.eventText())
	}
	return d.at.data
}

// prop is a rare property of the event at hand.
func (d *decoder) prop(name string) rawjson.Value { return rawjson.Get(d.properties(), name) }

// need reads a property that must be there, a string.
func (d *decoder) need(v rawjson.Value, name string) ([]byte, error) {
	if body, ok := rawjson.Str(v); ok {
		return body, nil
	}
	return nil, d.missing("data."+name, v, "want a string")
}

// missing is the error of a member that is absent, null or of another JSON type.
func (d *decoder) missing(member string, v rawjson.Value, want string) error {
	for i := len(d.at.path) - 1; i >= 0; i-- {
		member = d.at.path[i] + "." + member
	}
	if rawjson.IsNull(v) {
		return hub.NewError(hub.ReasonMissing, member, -1, want)
	}
	return hub.NewError(hub.ReasonType, member, -1, want)
}

// add appends an event with what the record says of all events.
func (d *decoder) add(dst []hub.Event, ev hub.Event) ([]hub.Event, *hub.Event) {
	dst, out := hub.Add(dst, ev)
	out.SubAgent, out.Flags = d.at.subAgent, d.at.flags
	if d.at.millis != 0 {
		d.scratch.MoreOf(out).Time = d.at.millis
	}
	return dst, out
}

// put is add for an event of which all is known.
func (d *decoder) put(dst []hub.Event, ev hub.Event) []hub.Event {
	dst, _ = d.add(dst, ev)
	return dst
}

// passing marks an event that is not kept in the session's log. Text, arguments and output are not marked: their deltas
// are passing, what they say is not.
func (d *decoder) passing(ev *hub.Event) {
	if flag, emitted := rawjson.Bool(d.at.ev.Ephemeral); flag || !emitted && d.at.spec.is(ephemeral) {
		ev.Flags |= hub.Transient
	}
}

// keep keeps the properties of the event at hand, but those named, in the metadata of ev.
func (d *decoder) keep(ev *hub.Event, but ...string) {
	meta := d.beginMeta()
	n := len(meta)
	d.endMeta(ev, appendMembers(meta, d.properties(), but...), n)
}

// beginMeta and endMeta are for the members that keep does not know; n is the length of what beginMeta returned.
func (d *decoder) beginMeta() []byte { return append(d.scratch.Begin(), `{"`+name+`":{`...) }

// endMeta makes what was appended since beginMeta the metadata of ev; nothing if that is nothing.
func (d *decoder) endMeta(ev *hub.Event, meta []byte, n int) {
	if len(meta) == n {
		return
	}
	d.scratch.MoreOf(ev).Meta = d.scratch.Since(append(closeObject(meta), '}'))
}

// raw passes a record that has no kind.
func (d *decoder) raw(dst []hub.Event) []hub.Event {
	dst, ev := d.add(dst, hub.Event{Kind: hub.Raw, Name: rawName, Value: bytes.TrimSpace(d.at.rec)})
	if d.at.ev != nil {
		d.passing(ev)
	}
	if len(d.at.base) != len(d.at.rec) {
		ev.Value = bytes.TrimSpace(d.at.base) // of a list, only the element
	}
	return dst
}
