package native

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// decoder needs no state between records; it keeps only memory.
type decoder struct {
	json    rawjson.Decoder
	rec     record
	scratch hub.Scratch
}

// record is the schema. Every event has few of these members, so the struct is in two halves: the second is looked at
// only if one of its members was there.
type record struct {
	Kind     rawjson.Value `json:"kind"`
	Status   rawjson.Value `json:"status"`
	Chan     rawjson.Value `json:"chan"`
	Op       rawjson.Value `json:"op"`
	Level    rawjson.Value `json:"level"`
	Scope    rawjson.Value `json:"scope"`
	What     rawjson.Value `json:"what"`
	Flags    rawjson.Value `json:"flags"`
	Seq      rawjson.Value `json:"seq"`
	SubAgent rawjson.Value `json:"lane"`
	Msg      rawjson.Value `json:"msg"`
	ID       rawjson.Value `json:"id"`
	Ref      rawjson.Value `json:"ref"`
	Name     rawjson.Value `json:"name"`
	Title    rawjson.Value `json:"title"`
	Text     rawjson.Value `json:"text"`
	Value    rawjson.Value `json:"value"`

	Time      rawjson.Value `json:"time"`
	Meta      rawjson.Value `json:"meta"`
	Model     rawjson.Value `json:"model"`
	Sig       rawjson.Value `json:"sig"`
	ToolKind  rawjson.Value `json:"tool_kind"`
	Locations rawjson.Value `json:"locations"`
	Content   rawjson.Value `json:"content"`
	Percent   rawjson.Value `json:"percent"`
	Items     rawjson.Value `json:"items"`
	Options   rawjson.Value `json:"options"`
	Schema    rawjson.Value `json:"schema"`
	Expires   rawjson.Value `json:"expires"`
	Usage     rawjson.Value `json:"usage"`
	File      rawjson.Value `json:"file"`
	Err       rawjson.Value `json:"err"`
	ErrCode   rawjson.Value `json:"err_code"`
}

func (d *decoder) Reset() { d.scratch.Reset() }

// Finish appends nothing: a stream ends with its run.end.
func (d *decoder) Finish(dst []hub.Event, _ error) []hub.Event { return dst }

// Decode appends the one event of rec. Its slices are valid until the next call and as long as rec is.
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	d.rec = record{}
	if err := d.json.Decode(rec.Data, &d.rec); err != nil {
		return dst, hub.JSONError(err)
	}
	n := len(dst)
	dst, ev := hub.Grow(dst)
	r := reader{scratch: &d.scratch}
	r.event(ev, &d.rec)
	if r.err != nil {
		return dst[:n], r.err
	}
	return dst, nil
}

// reader reads members; it keeps the first fault.
type reader struct {
	scratch *hub.Scratch
	err     *hub.Error
}

func (r *reader) fail(reason hub.Reason, path, msg string) {
	if r.err == nil {
		r.err = hub.NewError(reason, path, -1, msg)
	}
}

func (r *reader) event(ev *hub.Event, m *record) {
	ev.Kind = named(r, m.Kind, "kind", hub.ParseKind)
	if ev.Kind == hub.KindNone {
		r.noKind(m.Kind)
	}
	ev.Status = named(r, m.Status, "status", hub.ParseStatus)
	ev.Chan = named(r, m.Chan, "chan", hub.ParseChan)
	ev.Op = named(r, m.Op, "op", hub.ParseOp)
	ev.Level = named(r, m.Level, "level", hub.ParseLevel)
	ev.Scope = named(r, m.Scope, "scope", hub.ParseScope)
	ev.AskKind = named(r, m.What, "what", hub.ParseAskKind)
	ev.Flags = r.flags(m.Flags)
	ev.Seq = uint64(r.number(m.Seq, "seq", 0))
	ev.SubAgent = r.body(m.SubAgent, "lane")
	ev.Msg = r.body(m.Msg, "msg")
	ev.ID = r.body(m.ID, "id")
	ev.Ref = r.body(m.Ref, "ref")
	ev.Name = r.body(m.Name, "name")
	ev.Title = r.body(m.Title, "title")
	ev.Text = r.body(m.Text, "text")
	ev.Value = m.Value
	if m.hasMore() {
		r.more(r.scratchMore(ev), ev, m)
	}
}

func (r *reader) noKind(kind rawjson.Value) {
	if rawjson.IsNull(kind) {
		r.fail(hub.ReasonMissing, "kind", "every event needs a kind")
		return
	}
	r.fail(hub.ReasonUnknown, "kind", "not the name of a kind")
}

func (r *reader) scratchMore(ev *hub.Event) *hub.More {
	ev.More = r.scratch.More()
	return ev.More
}

// hasMore reports whether a member beyond the common ones is there.
func (m *record) hasMore() bool {
	return m.Time != nil || m.Meta != nil || m.Model != nil || m.Sig != nil || m.ToolKind != nil || m.Locations != nil ||
		m.Content != nil || m.Percent != nil || m.Items != nil || m.Options != nil || m.Schema != nil || m.Expires != nil ||
		m.Usage != nil || m.File != nil || m.Err != nil || m.ErrCode != nil
}

func (r *reader) more(to *hub.More, ev *hub.Event, m *record) {
	to.Time = r.number(m.Time, "time", 0)
	to.Meta = m.Meta
	to.Model = r.body(m.Model, "model")
	to.Sig = r.body(m.Sig, "sig")
	to.ToolKind = r.body(m.ToolKind, "tool_kind")
	to.Locations = m.Locations
	to.Content = m.Content
	to.Percent = r.raw(m.Percent, '0', "percent")
	to.Items = r.items(to.Items, m.Items)
	to.Options = r.options(to.Options, m.Options)
	to.Schema = m.Schema
	to.Expires = r.body(m.Expires, "expires")
	if ev.Kind == hub.Usage {
		r.usage(&to.Usage, m.Usage)
	}
	r.file(&to.File, m.File)
	to.Err = r.body(m.Err, "err")
	to.ErrCode = r.body(m.ErrCode, "err_code")
}

// named reads a member with a closed vocabulary; absent is the zero value.
func named[T any](r *reader, v rawjson.Value, path string, parse func([]byte) (T, bool)) (zero T) {
	body := r.body(v, path)
	if body == nil {
		return zero
	}
	val, ok := parse(body)
	if !ok {
		r.fail(hub.ReasonUnknown, path, "not a name that is known here")
	}
	return val
}

// body reads a string; nil when it is absent or null.
func (r *reader) body(v rawjson.Value, path string) []byte {
	if v == nil {
		return nil
	}
	body, ok := rawjson.Str(v)
	if !ok && !rawjson.IsNull(v) {
		r.fail(hub.ReasonType, path, "want a string")
	}
	return body
}

// number reads a whole number; absent is what is said to be.
func (r *reader) number(v rawjson.Value, path string, absent int64) int64 {
	if rawjson.IsNull(v) {
		return absent
	}
	n, ok := rawjson.Int(v)
	if !ok {
		r.fail(hub.ReasonType, path, "want a whole number")
	}
	return n
}

// raw reads a value of one JSON kind; nil when it is absent or null.
func (r *reader) raw(v rawjson.Value, kind byte, path string) rawjson.Value {
	switch rawjson.Kind(v) {
	case 0, 'n':
		return nil
	case kind:
		return v
	}
	r.fail(hub.ReasonType, path, wants[kind])
	return nil
}

var wants = map[byte]string{'0': "want a number", '{': "want an object", '[': "want an array"}

func (r *reader) flags(v rawjson.Value) (flags hub.Flags) {
	for it := rawjson.Elems(r.raw(v, '[', "flags")); ; {
		e, ok := it.Next()
		if !ok {
			return flags
		}
		flags |= named(r, e, "flags", parseFlag)
	}
}

func parseFlag(s []byte) (hub.Flags, bool) {
	for i, name := range hub.FlagNames() {
		if name == string(s) {
			return 1 << i, true
		}
	}
	return 0, false
}

func (r *reader) items(dst []hub.PlanItem, v rawjson.Value) []hub.PlanItem {
	for it := rawjson.Elems(r.raw(v, '[', "items")); ; {
		e, ok := it.Next()
		if !ok {
			return dst
		}
		e = r.raw(e, '{', "items")
		dst = append(dst, hub.PlanItem{
			ID:       r.body(rawjson.Get(e, "id"), "items.id"),
			Content:  r.body(rawjson.Get(e, "content"), "items.content"),
			Status:   r.body(rawjson.Get(e, "status"), "items.status"),
			Priority: r.body(rawjson.Get(e, "priority"), "items.priority"),
		})
	}
}

func (r *reader) options(dst []hub.AskOption, v rawjson.Value) []hub.AskOption {
	for it := rawjson.Elems(r.raw(v, '[', "options")); ; {
		e, ok := it.Next()
		if !ok {
			return dst
		}
		e = r.raw(e, '{', "options")
		dst = append(dst, hub.AskOption{
			ID:   r.body(rawjson.Get(e, "id"), "options.id"),
			Name: r.body(rawjson.Get(e, "name"), "options.name"),
			Kind: r.body(rawjson.Get(e, "kind"), "options.kind"),
		})
	}
}

func (r *reader) usage(c *hub.Counts, v rawjson.Value) {
	v = r.raw(v, '{', "usage")
	c.In = r.number(rawjson.Get(v, "in"), "usage.in", -1)
	c.Out = r.number(rawjson.Get(v, "out"), "usage.out", -1)
	c.Total = r.number(rawjson.Get(v, "total"), "usage.total", -1)
	c.Cached = r.number(rawjson.Get(v, "cached"), "usage.cached", -1)
	c.CacheWrite = r.number(rawjson.Get(v, "cache_write"), "usage.cache_write", -1)
	c.ReasoningTokens = r.number(rawjson.Get(v, "reasoning"), "usage.reasoning", -1)
	c.ContextUsed = r.number(rawjson.Get(v, "context_used"), "usage.context_used", -1)
	c.ContextSize = r.number(rawjson.Get(v, "context_size"), "usage.context_size", -1)
	c.Cost = r.raw(rawjson.Get(v, "cost"), '0', "usage.cost")
	c.Currency = r.body(rawjson.Get(v, "currency"), "usage.currency")
	c.Provider = r.body(rawjson.Get(v, "provider"), "usage.provider")
}

func (r *reader) file(f *hub.FileRef, v rawjson.Value) {
	if v == nil {
		return
	}
	v = r.raw(v, '{', "file")
	f.Media = r.body(rawjson.Get(v, "media"), "file.media")
	f.Name = r.body(rawjson.Get(v, "name"), "file.name")
	f.URL = r.body(rawjson.Get(v, "url"), "file.url")
	f.FileID = r.body(rawjson.Get(v, "file_id"), "file.file_id")
	f.Base64 = r.body(rawjson.Get(v, "base64"), "file.base64")
}
