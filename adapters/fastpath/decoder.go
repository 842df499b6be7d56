// Package fastpath saves the work that most records of a stream need not cost: a record that differs from an earlier one in its
// text alone, and in members that mean nothing. [NewTemplateDecoder] decodes it without parsing it, [NewWatcher] observes it without
// asking, and [Matcher] finds it among framed bytes that are copied. A template (template.go) is the earlier record with holes for
// what may differ (place.go), and knows how it was framed (framing.go), so that the others need not be split off.
package fastpath

import (
	"unsafe"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// NewTemplateDecoder wraps a decoder of a dialect for the case that most records of a stream are: the one before, with another text, or
// the last one of another part that is open beside it. Such a record is recognised by its bytes, around its holes, and gives the event
// of the one before with the new text. It is not parsed again; only what is in the holes is checked. Ids of server-sent events
// may differ: they are for the transport, and no decoder reads them.
//
// It is for deltas of which the dialect promises, by [hub.Dialect.TemplateKinds], that such a record changes nothing in its
// decoder but what the one before has changed, whatever the text, and what is in the members that may vary. The harness tests the
// promise. What a decoder has to know even of such records, it learns as a [TextTracker].
func NewTemplateDecoder(inner hub.Decoder, d *hub.Dialect) hub.Decoder {
	r := &templateDecoder{inner: inner, dialect: d}
	r.account, _ = inner.(TextTracker)
	if len(d.ReadMembers) > 0 {
		r.reader, _ = inner.(MemberReader)
		r.filled.read = new([maxRead][]byte)
	}
	r.known.most = mostKnown(d)
	for _, k := range d.TemplateKinds {
		r.kinds[k] = true
	}
	return r
}

// A TextTracker is a decoder that keeps account of the deltas it reads.
type TextTracker interface {
	// Tracked returns what the record that was decoded just now belongs to, for TrackText. It is false if no record is to be taken for
	// one like it.
	Tracked() (part any, ok bool)

	// TrackText takes note of a record like that of part, of its text, a string body that is not empty, and of the value of
	// [hub.Dialect.UsageMember], if there is one. Nothing has come in between but such records. It reports whether that is all there is to
	// do; if not, it has done nothing, and the record is decoded.
	TrackText(part any, text, usage []byte) bool
}

// A MemberReader is a decoder that reads members of each delta, [hub.Dialect.ReadMembers], since they say something of the event. If it is
// a [TextTracker] as well, that takes note of every text.
type MemberReader interface {
	// Rereads reports whether More of the event that was decoded just now, which has one, holds nothing but what ReadMembers puts there.
	Rereads(ev *hub.Event) bool

	// ReadMembers completes the event of a record like that of part by what these members hold, strings without their quotes; nil for one
	// that the record does not have. It reports whether the event is right so; if not, it has done nothing, and the record is decoded.
	ReadMembers(part any, ev *hub.Event, values [][]byte) bool
}

type templateDecoder struct {
	inner   hub.Decoder
	account TextTracker  // inner, if it is one
	reader  MemberReader // inner, if there is something to read
	dialect *hub.Dialect
	kinds   [hub.NumKinds]bool

	known  memory[known] // records since the last that was none to remember
	pace   pace
	filled filling // of the record in hand
}

// known is a record that others may be like.
type known struct {
	like template
	ev   hub.Event // its event; the slices are in mem
	mem  []byte
	part any // what the decoder calls what it belongs to
}

// pace says which records are worth remembering. Of streams whose records differ in more than their texts (a time,
// a number), only few are tried again.
type pace struct {
	missed uint8 // records in a row that had one text, and were not like one before
}

func (p *pace) hit() { p.missed = 0 }

func (p *pace) miss() bool {
	p.missed++
	return p.missed <= maxMissed || p.missed%maxMissed == 0
}

const (
	// maxRepeat is the longest record, without its text, that is remembered.
	maxRepeat = 2 << 10
	maxMissed = 16
)

// Reset implements [hub.Decoder].
func (r *templateDecoder) Reset() {
	r.inner.Reset()
	r.known.forget()
	r.pace = pace{}
}

// Finish implements [hub.Decoder].
func (r *templateDecoder) Finish(dst []hub.Event, cause error) []hub.Event {
	return r.inner.Finish(dst, cause)
}

// Decode implements [hub.Decoder].
func (r *templateDecoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	n := len(dst)
	for i := range r.known.n {
		if !r.known.at(i).like.matches(&rec, &r.filled) {
			continue
		}
		var ok bool
		if dst, ok = r.like(dst, i, rec.Data); ok {
			return dst, nil
		}
		break
	}
	dst, err := r.inner.Decode(dst, rec)
	if err != nil || len(dst) != n+1 || !r.learn(rec, &dst[n]) {
		r.known.forget()
	}
	return dst, err
}

// like appends the event of a record that is like the i-th known one, if the decoder inside agrees.
func (r *templateDecoder) like(dst []hub.Event, i int, data []byte) ([]hub.Event, bool) {
	k, text := r.known.at(i), data[r.filled.at:r.filled.end]
	if len(text) == 0 || !rawjson.IsUTF8(text) || rawjson.EndsInHalf(text) { // a text that ends in half a character is the decoder's to hold back
		return dst, false
	}
	n := len(dst)
	dst, ev := hub.AddCopy(dst, &k.ev)
	ev.Text = text
	if !r.note(k, ev) {
		return dst[:n], false
	}
	r.pace.hit()
	r.known.found(i)
	return dst, true
}

// Unwrap returns the decoder inside.
func (r *templateDecoder) Unwrap() hub.Decoder { return r.inner }

// note lets the decoder inside see the event of a record that is like k.
func (r *templateDecoder) note(k *known, ev *hub.Event) bool {
	if k.like.reads && r.reader != nil && !r.reader.ReadMembers(k.part, ev, r.filled.read[:len(r.dialect.ReadMembers)]) {
		return false
	}
	return r.account == nil || r.account.TrackText(k.part, ev.Text, r.filled.usage)
}

// learn remembers rec, whose only event is ev, if another record may be like it.
func (r *templateDecoder) learn(rec wire.Record, ev *hub.Event) bool {
	if !r.kinds[ev.Kind] || ev.Op != hub.Append || !r.rereads(ev) || ev.Value != nil || len(ev.Text) == 0 {
		return false
	}
	at, ok := within(rec.Data, ev.Text)
	if !ok || len(rec.Data)-len(ev.Text) > maxRepeat || at == 0 || rec.Data[at-1] != '"' || rec.Data[at+len(ev.Text)] != '"' {
		return false
	}
	var part any
	if r.account != nil {
		part, ok = r.account.Tracked()
	}
	return ok && r.pace.miss() && r.remember(rec, ev, at, part)
}

// rereads reports whether all that is in More of ev is read of each record.
func (r *templateDecoder) rereads(ev *hub.Event) bool {
	return ev.More == nil || r.reader != nil && r.reader.Rereads(ev)
}

func (r *templateDecoder) remember(rec wire.Record, ev *hub.Event, at int, part any) bool {
	k := r.known.add()
	if k.like.learn(rec, at, len(ev.Text), r.dialect); r.reader != nil && k.like.lost {
		return false
	}
	k.part = part
	k.ev, k.mem = *ev, k.mem[:0]
	k.ev.Text, k.ev.More = nil, nil
	for _, p := range [...]*[]byte{&k.ev.ID, &k.ev.Ref, &k.ev.SubAgent, &k.ev.Msg, &k.ev.Name, &k.ev.Title} {
		k.mem = append(k.mem, *p...)
	}
	rest := k.mem
	for _, p := range [...]*[]byte{&k.ev.ID, &k.ev.Ref, &k.ev.SubAgent, &k.ev.Msg, &k.ev.Name, &k.ev.Title} {
		if *p != nil {
			n := len(*p)
			*p, rest = rest[:n:n], rest[n:]
		}
	}
	return true
}

// within returns where part is in whole, if it shares its memory.
func within(whole, part []byte) (at int, ok bool) {
	start, p := uintptr(unsafe.Pointer(unsafe.SliceData(whole))), uintptr(unsafe.Pointer(unsafe.SliceData(part)))
	if p < start || p+uintptr(len(part)) >= start+uintptr(len(whole)) {
		return 0, false
	}
	return int(p - start), true
}
