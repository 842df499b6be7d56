package policy

import (
	"github.com/sabir-proxy/sabir/adapters/fastpath"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// NewDecoder makes the decoder of a dialect, which also reads what an encoder put in the extension place. Once the
// start of a run has come that way, the whole stream does, and nothing else is looked at.
func NewDecoder(d *hub.Dialect, options hub.Options) hub.Decoder {
	dec := d.NewDecoder(options)
	if d.Extension != nil {
		account, _ := dec.(fastpath.TextTracker)
		reader, _ := dec.(fastpath.MemberReader)
		dec = &decoder{inner: dec, account: account, reader: reader, find: d.Extension, nesting: options.Nesting}
	}
	if len(d.TemplateKinds) > 0 {
		dec = fastpath.NewTemplateDecoder(dec, d)
	}
	return dec
}

type decoder struct {
	inner    hub.Decoder
	account  fastpath.TextTracker  // inner, if it is one
	reader   fastpath.MemberReader // the same
	find     func(wire.Record) []byte
	nesting  int
	ext      *extension // nil until there is one: few streams have any
	whole    bool
	reported bool // the last record went to inner
}

// extension reads payloads.
type extension struct {
	json   rawjson.Decoder
	native hub.Decoder
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	d.inner.Reset()
	d.ext, d.whole, d.reported = nil, false, false
}

// Decode implements [hub.Decoder].
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	payload := d.find(rec)
	d.reported = payload == nil && !d.whole
	switch {
	case payload != nil:
		return d.extended(dst, payload)
	case d.whole:
		return dst, nil
	}
	return d.inner.Decode(dst, rec)
}

// unseen is the part of records that inner has not seen, and keeps no account of either.
type unseen struct{}

// Tracked implements [fastpath.TextTracker].
func (d *decoder) Tracked() (part any, ok bool) {
	switch {
	case !d.reported:
		return unseen{}, true
	case d.account == nil:
		return nil, true
	}
	return d.account.Tracked()
}

// TrackText implements [fastpath.TextTracker].
func (d *decoder) TrackText(part any, text, usage []byte) bool {
	if part == (unseen{}) || d.account == nil {
		return true
	}
	return d.account.TrackText(part, text, usage)
}

// Rereads implements [fastpath.MemberReader].
func (d *decoder) Rereads(ev *hub.Event) bool {
	return d.reported && d.reader != nil && d.reader.Rereads(ev)
}

// ReadMembers implements [fastpath.MemberReader]. What an extension says of an event, it says itself.
func (d *decoder) ReadMembers(part any, ev *hub.Event, values [][]byte) bool {
	if part == (unseen{}) || d.reader == nil {
		return true
	}
	return d.reader.ReadMembers(part, ev, values)
}

// Unwrap returns the decoder inside.
func (d *decoder) Unwrap() hub.Decoder { return d.inner }

// extended reads the canonical event of an extension.
func (d *decoder) extended(dst []hub.Event, payload []byte) ([]hub.Event, error) {
	if d.ext == nil {
		d.ext = &extension{native: native.Dialect.NewDecoder(hub.Options{Nesting: d.nesting})}
		d.ext.json.MaxDepth = d.nesting
	}
	var place struct {
		Event rawjson.Value `json:"x-agent-stream"`
	}
	if err := d.ext.json.Decode(payload, &place); err != nil {
		return dst, hub.JSONError(err)
	}
	n := len(dst)
	dst, err := d.ext.native.Decode(dst, wire.Record{Data: place.Event})
	if len(dst) > n && dst[n].Kind == hub.RunStart {
		d.whole = true
	}
	return dst, err
}

// Finish implements [hub.Decoder].
func (d *decoder) Finish(dst []hub.Event, cause error) []hub.Event {
	if d.whole {
		return d.ext.native.Finish(dst, cause)
	}
	return d.inner.Finish(dst, cause)
}
