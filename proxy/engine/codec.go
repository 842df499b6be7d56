package engine

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Codec moves one stream in memory: the engine that serves clients, without sockets, goroutines or a clock. Time
// stands still for it, so what the sequencer holds back leaves when its turn comes, or at the end.
//
// It is what a program uses that has a transport of its own, and what benchmarks measure. A Codec is not safe for
// concurrent use.
type Codec struct {
	cfg   Config
	to    wire.Framing
	eng   Engine
	out   *wire.Out
	stats *Stats
}

// NewCodec makes a codec. to frames the output; Auto is the target dialect's own framing. As on a route, equal
// dialects mean that records are copied, and Auto then follows the input.
func NewCodec(c Config, to wire.Framing) *Codec {
	k := &Codec{cfg: c, to: to}
	if c.From == c.To && c.Redact == nil && Alike(c.To, c.FromOptions, c.ToOptions, nil) {
		k.copy()
		return k
	}
	p := NewPipeline(c)
	if to != wire.Auto {
		p.Out.SetFraming(to)
	}
	k.eng, k.out, k.stats = p, p.Out, p.Stats
	return k
}

func (k *Codec) copy() {
	framing := k.to
	if framing == wire.Auto {
		framing = k.cfg.To.Framing
	}
	c := NewCopier(k.cfg, wire.NewOut(framing), k.to == wire.Auto)
	k.eng, k.out, k.stats = c, c.Out, c.Stats
}

// Feed takes complete records off the front of buf and returns how many bytes it used. buf[0] must be the first byte
// that no earlier call has used; eof says that nothing follows buf.
//
// Feed stops early when much output has gathered: call it again after [Codec.Take] until it uses nothing. The error
// is a *hub.Failure: the stream cannot go on, and should be ended with it.
func (k *Codec) Feed(buf []byte, eof bool) (used int, err error) { return k.eng.Feed(buf, eof, 0) }

// Take returns the framed bytes that were not taken yet; whole records, valid until the next call of any method.
func (k *Codec) Take() []byte {
	p := k.out.Buf
	k.out.Reset()
	return p
}

// Finish writes the end of the stream, to be taken like the rest. f is why the input ended, nil if it ended in good
// order. It returns how the stream ended for the client: nil for a run that ended as its agent wished.
func (k *Codec) Finish(f *hub.Failure) *hub.Failure { return k.eng.Finish(f, 0, false) }

// Events is how many events the input has held so far; a copied record counts as one.
func (k *Codec) Events() int64 { return k.stats.EventsIn() + k.stats.Copied }

// Faults is how many records could not be decoded, wholly or in part.
func (k *Codec) Faults() int64 { return k.stats.Errors() }

// Reset makes the codec ready for another stream.
func (k *Codec) Reset() {
	if p, ok := k.eng.(*Pipeline); ok {
		p.Reset()
		return
	}
	k.copy()
}

// Alike reports whether both sides of a stream speak a dialect in the same way, and call the same tools by the same names.
func Alike(d *hub.Dialect, from, to hub.Options, asked *hub.Request) bool {
	if asked != nil && len(asked.Renamed) > 0 {
		return false
	}
	return d.Copies == nil || d.Copies(from, to, asked)
}
