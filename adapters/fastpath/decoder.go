// Package fastpath saves the work that most records of a stream need not cost: a record that differs from the one before in its
// text alone. [NewTemplateDecoder] decodes it without parsing it, [NewWatcher] observes it without asking, and [Matcher] finds
// it among framed bytes that are copied. A template (template.go) is the record before with holes for what may differ.
package fastpath

import (
	"unsafe"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// NewTemplateDecoder wraps a decoder for the case that most records of a stream are: the one before, with another text. Such a record
// is recognised by its bytes, before and behind the text, and gives the event of the one before with the new text. It is
// not parsed again; only the text is checked. Ids of server-sent events may differ: they are for the transport, and no
// decoder reads them.
//
// It is for deltas of the kinds of which a dialect promises, by [hub.Dialect.TemplateKinds], that such a record changes nothing in its
// decoder but what the one before has changed, whatever the text. varying names members of the record, at its top, for
// whose values the same holds ([hub.Dialect.Varying]): numbers of records, ids, times. The harness tests the promise.
// What a decoder has to know even of such records, it learns as a [TextTracker].
func NewTemplateDecoder(inner hub.Decoder, kinds []hub.Kind, varying []string) hub.Decoder {
	r := &templateDecoder{inner: inner, varying: varying}
	r.account, _ = inner.(TextTracker)
	for _, k := range kinds {
		r.kinds[k] = true
	}
	return r
}

// A TextTracker is a decoder that keeps account of the deltas it reads. With one, [NewTemplateDecoder] asks for every record that is like
// the one before, and nothing has come in between but such records. TrackText takes note of its text, a string body that is not
// empty, and reports whether that is all there is to do; if not, it has done nothing, and the record is decoded.
type TextTracker interface {
	TrackText(text []byte) bool
}

type templateDecoder struct {
	inner   hub.Decoder
	account TextTracker // inner, if it is one
	kinds   [hub.NumKinds]bool
	varying []string

	valid bool      // like and ev belong to the record before this one
	like  template  // that record
	ev    hub.Event // its event; the slices are in mem
	mem   []byte

	pace pace
}

// pace says which records are worth remembering. Of streams whose records differ in more than their texts (a time,
// a number), only few are tried again.
type pace struct {
	missed uint8 // records in a row that had one text, and were not like the one before
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
	r.valid, r.pace = false, pace{}
}

// Finish implements [hub.Decoder].
func (r *templateDecoder) Finish(dst []hub.Event, cause error) []hub.Event {
	return r.inner.Finish(dst, cause)
}

// Decode implements [hub.Decoder].
func (r *templateDecoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	if r.valid {
		// A text that ends in half a character is the decoder's to hold back.
		if text, ok := r.like.text(rec); ok && rawjson.IsBody(text) && !rawjson.EndsInHalf(text) && r.note(text) {
			r.pace.hit()
			n := len(dst)
			dst = append(dst, r.ev)
			dst[n].Text = text
			return dst, nil
		}
	}
	n := len(dst)
	dst, err := r.inner.Decode(dst, rec)
	r.valid = err == nil && len(dst) == n+1 && r.learn(rec, &dst[n])
	return dst, err
}

// Unwrap returns the decoder inside.
func (r *templateDecoder) Unwrap() hub.Decoder { return r.inner }

func (r *templateDecoder) note(text []byte) bool {
	return r.account == nil || r.account.TrackText(text)
}

// learn remembers rec, whose only event is ev, if the next record may be like it.
func (r *templateDecoder) learn(rec wire.Record, ev *hub.Event) bool {
	if !r.kinds[ev.Kind] || ev.Op != hub.Append || ev.More != nil || ev.Value != nil || len(ev.Text) == 0 {
		return false
	}
	at, ok := within(rec.Data, ev.Text)
	if !ok || len(rec.Data)-len(ev.Text) > maxRepeat || at == 0 || rec.Data[at-1] != '"' || rec.Data[at+len(ev.Text)] != '"' {
		return false
	}
	return r.pace.miss() && r.remember(rec, ev, at)
}

func (r *templateDecoder) remember(rec wire.Record, ev *hub.Event, at int) bool {
	r.like.learn(rec, at, len(ev.Text), r.varying)
	r.ev, r.mem = *ev, r.mem[:0]
	r.ev.Text = nil
	for _, p := range [...]*[]byte{&r.ev.ID, &r.ev.Ref, &r.ev.SubAgent, &r.ev.Msg, &r.ev.Name, &r.ev.Title} {
		r.mem = append(r.mem, *p...)
	}
	rest := r.mem
	for _, p := range [...]*[]byte{&r.ev.ID, &r.ev.Ref, &r.ev.SubAgent, &r.ev.Msg, &r.ev.Name, &r.ev.Title} {
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
