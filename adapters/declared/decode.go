package declared

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/callmatch"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// decoder reads one stream by a table.
type decoder struct {
	t       *decodeTable
	json    rawjson.Decoder
	views   []*view // by plan; 0 is that of the record
	scratch hub.Scratch
	event   []byte // SSE event name of the record in hand

	calls  callmatch.Calls
	call   *callmatch.Call // that the record or element in hand is about; nil: not known yet
	counts []int           // of ids made, by prefix
	ended  bool

	lost bool // there is no rule for the record in hand
}

func newDecoder(t *decodeTable, o hub.Options) *decoder {
	d := &decoder{t: t, json: rawjson.Decoder{MaxDepth: o.Nesting}, counts: make([]int, len(t.prefixes))}
	for _, p := range t.plans {
		d.views = append(d.views, newView(p))
	}
	if t.tools != nil {
		d.calls = callmatch.Calls{Prefix: t.tools.prefix, LIFO: t.tools.lifo}
	}
	return d
}

// Reset keeps the memory.
func (d *decoder) Reset() {
	d.scratch.Reset()
	d.calls.Reset()
	clear(d.counts)
	d.call, d.ended, d.lost = nil, false, false
}

// LastUnknown implements [hub.UnknownReporter].
func (d *decoder) LastUnknown() bool { return d.lost }

// Finish ends the run where the end of the body is a good end.
func (d *decoder) Finish(dst []hub.Event, cause error) []hub.Event {
	if d.ended || cause != nil || !d.t.endsWithBody {
		return dst
	}
	return d.end(dst)
}

// end makes the end of a run that no rule tells.
func (d *decoder) end(dst []hub.Event) []hub.Event {
	d.ended = true
	return append(dst, hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone})
}

// Decode appends the events of rec. Their slices are valid until the next call and as long as rec is.
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	d.lost = false
	data := bytes.TrimSpace(rec.Data)
	switch {
	case len(data) == 0:
		return dst, nil // an event without data is a keep-alive
	case len(d.t.endMark) > 0 && bytes.Equal(data, d.t.endMark):
		if d.ended {
			return dst, nil
		}
		return d.end(dst), nil
	}
	d.event, d.call = rec.Event, nil
	if err := d.views[0].decode(&d.json, rec.Data); err != nil {
		return dst, noJSON(data, err)
	}
	rules, err := d.rules()
	if err != nil {
		return dst, err
	}
	known := d.ended // what follows the end is of the next run, which is another stream
	for _, r := range rules {
		if d.ended && !r.late || !d.all(r.tests) {
			continue
		}
		if dst, err = d.apply(dst, r); err != nil || !r.goOn {
			return dst, err
		}
		known = true
	}
	if known {
		return dst, nil
	}
	return d.unknown(dst, rec)
}

// commonMark is how many servers end a stream whose records are JSON otherwise.
const commonMark = "[DONE]"

// noJSON is the error of a record that is no JSON.
func noJSON(data []byte, err error) error {
	if string(data) == commonMark {
		return hub.NewError(hub.ReasonSyntax, "", 0, `this is no JSON; if it ends the run, the description needs end_mark: "`+commonMark+`"`)
	}
	return hub.JSONError(err)
}

// rules are those that may be about the record.
func (d *decoder) rules() ([]*rule, error) {
	if d.t.typ == nil {
		return d.t.untyped, nil
	}
	typ, err := d.typeOf()
	if err != nil {
		return nil, err
	}
	if rules, ok := d.t.byType[string(typ)]; ok {
		return rules, nil
	}
	return d.t.untyped, nil
}

// typeOf is the plain type of the record. A record without one is an error, unless there are
// rules for any type.
func (d *decoder) typeOf() ([]byte, error) {
	s := d.t.typ
	if len(s.members) == 1 && s.members[0] == memberEvent {
		if len(d.event) == 0 && len(d.t.untyped) == 0 {
			return nil, hub.NewError(hub.ReasonMissing, s.path, -1, "want an event name")
		}
		return d.event, nil
	}
	v := d.value(s)
	body, ok := rawjson.Str(v)
	switch {
	case ok:
		return d.plain(body), nil
	case d.t.numbered && rawjson.Kind(v) != 0 && rawjson.Kind(v) != '{' && rawjson.Kind(v) != '[':
		return v, nil
	case len(d.t.untyped) > 0:
		return nil, nil
	}
	return nil, needed(s.path, v)
}

// needed is the error of a value that an event cannot be without: it is absent, or of another type.
func needed(path string, v rawjson.Value) error {
	if rawjson.IsNull(v) {
		return hub.NewError(hub.ReasonMissing, path, -1, "want a string")
	}
	return hub.NewError(hub.ReasonType, path, -1, "want a string")
}

// plain is a string body unescaped; nearly always it is that already.
func (d *decoder) plain(body []byte) []byte {
	if bytes.IndexByte(body, '\\') < 0 {
		return body
	}
	return d.scratch.Since(rawjson.AppendUnescaped(d.scratch.Begin(), body))
}

// unknown handles a record for which there is no rule.
func (d *decoder) unknown(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.lost = true
	switch d.t.unknown {
	case "drop":
		return dst, nil
	case "error":
		return dst, hub.NewError(hub.ReasonUnknown, "", -1, "no rule is about this record")
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Raw, Name: d.t.name, Value: bytes.TrimSpace(rec.Data)})
	if len(rec.Event) > 0 {
		ev.ID = d.scratch.Since(rawjson.AppendEscaped(d.scratch.Begin(), rec.Event))
	}
	return dst, nil
}

// all reports whether all conditions hold.
func (d *decoder) all(tests []demand) bool {
	for i := range tests {
		t := &tests[i]
		if !t.holds(d.member(t.view, t.member)) {
			return false
		}
	}
	return true
}

// member is a value of the record or element in hand, nil if it is absent.
func (d *decoder) member(view, m int) rawjson.Value {
	if m != memberEvent {
		return d.views[view].get(m)
	}
	if len(d.event) == 0 {
		return nil
	}
	return d.scratch.Since(rawjson.AppendString(d.scratch.Begin(), d.event))
}

// value is the first member of s that is there and not null; null if there is nothing else, nil if there is nothing at all.
func (d *decoder) value(s *source) (v rawjson.Value) {
	if len(s.members) == 1 {
		return d.member(s.view, s.members[0])
	}
	for _, m := range s.members {
		found := d.member(s.view, m)
		if !rawjson.IsNull(found) {
			return found
		}
		if found != nil {
			v = found
		}
	}
	return v
}

// maxElements is how many elements of one list are read; more would let a small record make a great many events.
const maxElements = 1024

// apply appends what the rule makes of the record.
func (d *decoder) apply(dst []hub.Event, r *rule) ([]hub.Event, error) {
	if r.inner == 0 {
		return d.emits(dst, r)
	}
	elems := rawjson.Elems(d.views[0].get(r.each))
	for range maxElements {
		elem, ok := elems.Next()
		if !ok {
			return dst, nil
		}
		d.views[r.inner].look(elem)
		d.call = nil
		var err error
		if dst, err = d.emits(dst, r); err != nil {
			return dst, err
		}
	}
	return dst, hub.NewError(hub.ReasonTooLarge, "", -1, "more than "+strconv.Itoa(maxElements)+" elements in a list")
}

func (d *decoder) emits(dst []hub.Event, r *rule) (_ []hub.Event, err error) {
	for _, e := range r.emits {
		if !d.all(e.tests) {
			continue
		}
		if dst, err = d.emit(dst, e); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// emit appends one event, if the record has what it cannot be without.
func (d *decoder) emit(dst []hub.Event, e *emit) ([]hub.Event, error) {
	needs, ok, err := d.needs(e)
	if !ok {
		return dst, err
	}
	var id, name []byte
	switch {
	case e.id != nil || e.name != nil:
		if dst, id, name, err = d.tool(dst, e); err != nil {
			return dst, err
		}
	case e.proto.Kind == hub.TextDelta && !e.proto.Flags.Has(hub.User):
		dst = d.spoken(dst)
	case e.proto.Kind == hub.RunEnd:
		d.ended = true
	}
	dst, ev := hub.Grow(dst)
	d.begin(ev, e)
	if e.needs != nil && len(e.lists) == 0 {
		d.slot(ev, e.need, needs)
	}
	if e.id != nil || e.name != nil {
		ev.ID = id
		if name != nil {
			ev.Name = name
		}
	}
	for i := range e.sets {
		d.assign(ev, &e.sets[i])
	}
	for _, l := range e.lists {
		d.list(ev, l)
	}
	if e.proto.Kind >= hub.Usage && !tellsAny(ev) {
		return dst[:len(dst)-1], nil
	}
	if e.block != nil {
		return d.block(dst, e), nil
	}
	return dst, nil
}

// tellsAny reports whether an event that stands alone tells anything; other kinds do by being there.
func tellsAny(ev *hub.Event) bool {
	switch ev.Kind {
	case hub.Notice:
		return len(ev.Text) > 0
	case hub.Usage:
		return says(ev, usageFields)
	case hub.Source, hub.File:
		return says(ev, fileFields|setOf(fieldTitle, fieldText, fieldValue))
	}
	return true
}

// begin sets what is always the same.
func (d *decoder) begin(ev *hub.Event, e *emit) {
	p := &e.proto
	ev.Kind, ev.Status, ev.Chan, ev.Op = p.Kind, p.Status, p.Chan, p.Op
	ev.Level, ev.Scope, ev.AskKind, ev.Flags = p.Level, p.Scope, p.AskKind, p.Flags
}

// block makes the text just appended a part of its own.
func (d *decoder) block(dst []hub.Event, e *emit) []hub.Event {
	d.counts[e.block.at]++
	id := strconv.AppendInt(append(d.scratch.Begin(), e.block.prefix...), int64(d.counts[e.block.at]), 10)
	text := &dst[len(dst)-1]
	text.ID = d.scratch.Since(id)
	text.Op = hub.Append
	end := hub.Event{Kind: hub.TextEnd, ID: text.ID, Chan: text.Chan, SubAgent: text.SubAgent, Msg: text.Msg}
	if text.More != nil && text.More.Time != 0 {
		d.scratch.MoreOf(&end).Time = text.More.Time
	}
	return append(dst, end)
}

// needs looks for what an event cannot be without. ok is false if there is no event: without an error where the document says
// so, and for empty texts.
func (d *decoder) needs(e *emit) (found []byte, ok bool, err error) {
	if e.needs == nil {
		return nil, true, nil
	}
	found, v := d.find(e.needs, e.need.form())
	switch {
	case found != nil:
		return found, len(found) > 0, nil
	case e.maybe:
		return nil, false, nil
	case e.need.form() == formRaw || e.need.form() == formItems:
		if rawjson.IsNull(v) {
			return nil, false, hub.NewError(hub.ReasonMissing, e.needs.path, -1, "want a value")
		}
		return nil, false, hub.NewError(hub.ReasonType, e.needs.path, -1, "want an array")
	}
	return nil, false, needed(e.needs.path, v)
}
