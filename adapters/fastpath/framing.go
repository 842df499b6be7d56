package fastpath

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// A FramedDecoder also decodes records that are not split off yet, if they are like one before with the framing of that one. To
// look for the end of a line costs as much as to compare it.
type FramedDecoder interface {
	// LearnFraming says how the record was framed that was decoded just now: raw is what was split off. It reports whether others may be
	// like it.
	LearnFraming(rec wire.Record, raw []byte) bool

	// DecodeFramed decodes the record at the beginning of buf, where a record begins, and returns its length with its framing; 0 if it is
	// not like one before, or not all there. Then nothing has changed.
	DecodeFramed(dst []hub.Event, buf []byte) ([]hub.Event, int)
}

// framing is what stands around the data of a record: a line, or a server-sent event with one line of data.
type framing struct {
	mem        []byte
	head, rest []byte // before the data, and, if there is an id, behind it
	id         bool
	tail       []byte // empty: it is not known, or ends elsewhere
}

// forget makes the framing unknown.
func (g *framing) forget() { g.tail = nil }

// learn makes g the framing of rec in raw.
func (g *framing) learn(rec wire.Record, raw []byte) {
	g.forget()
	at, ok := within(raw, rec.Data)
	if !ok || at > maxHead || !isWhole(raw[:at], raw[at+len(rec.Data):]) {
		return
	}
	g.mem = append(append(g.mem[:0], raw[:at]...), raw[at+len(rec.Data):]...)
	g.head, g.rest, g.tail = g.mem[:at], nil, g.mem[at:]
	if g.id = len(rec.ID) > 0; g.id {
		from, _ := within(raw, rec.ID)
		g.head, g.rest = g.mem[:from], g.mem[from+len(rec.ID):at]
	}
}

// maxHead is the longest name and id of an event that is remembered.
const maxHead = 512

// isWhole reports whether the splitter is at the start of a record behind one that is framed so.
func isWhole(head, tail []byte) bool {
	switch string(tail) {
	case "\n", "\r\n":
		return len(head) == 0
	case "\n\n", "\r\n\r\n", "\r\n\n", "\n\r\n":
		return bytes.HasSuffix(head, []byte("data: ")) || bytes.HasSuffix(head, []byte("data:"))
	}
	return false
}

// open returns where the data of a record begin that is framed like this at the beginning of buf, -1 if none is.
func (g *framing) open(buf []byte) (at int) {
	if len(g.tail) == 0 || !bytes.HasPrefix(buf, g.head) {
		return -1
	}
	if at = len(g.head); !g.id {
		return at
	}
	at += rawjson.LetterRun(buf[at:])
	if !bytes.HasPrefix(buf[at:], g.rest) {
		return -1
	}
	return at + len(g.rest)
}

// LearnFraming implements [FramedDecoder].
func (r *templateDecoder) LearnFraming(rec wire.Record, raw []byte) bool {
	if r.known.n == 0 {
		return false
	}
	g := &r.known.latest().like.framing
	g.learn(rec, raw)
	return len(g.tail) > 0
}

// DecodeFramed implements [FramedDecoder].
func (r *templateDecoder) DecodeFramed(dst []hub.Event, buf []byte) ([]hub.Event, int) {
	for i := range r.known.n {
		k := r.known.at(i)
		at := k.like.framing.open(buf)
		if at < 0 {
			continue
		}
		n := k.like.match(buf[at:], &r.filled)
		if n == 0 || !bytes.HasPrefix(buf[at+n:], k.like.framing.tail) {
			continue
		}
		dst, ok := r.like(dst, i, buf[at:])
		if !ok {
			return dst, 0
		}
		return dst, at + n + len(k.like.framing.tail)
	}
	return dst, 0
}
