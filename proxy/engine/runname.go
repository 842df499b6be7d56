package engine

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// RunName reads a stream for nothing but the name that its agent gives the run.
type RunName struct {
	split  wire.Splitter
	dec    hub.Decoder
	events []hub.Event

	Name []byte // empty until it has come
	Over bool   // the run has ended
}

// NewRunName returns one for the streams that a pipeline reads.
func NewRunName(c Config) *RunName {
	return &RunName{split: wire.NewSplitter(c.Framing, c.MaxRecord), dec: policy.NewDecoder(c.From, c.FromOptions)}
}

// Feed takes complete records off the front of buf, until the run has ended, and returns how many bytes it used. Records that cannot be decoded
// are passed over. The error is a *hub.Failure: the stream cannot go on.
func (r *RunName) Feed(buf []byte, eof bool) (used int, err error) {
	for !r.Over {
		rec, n, err := r.split.Split(buf[used:], eof)
		if err != nil {
			if f := framingFailure(hub.FramingError(err)); f != nil {
				return used, f
			}
		}
		if n == 0 {
			break
		}
		if rec.Data != nil {
			r.events, _ = r.dec.Decode(r.events[:0], rec)
			r.note()
		}
		used += n
	}
	return used, nil
}

func (r *RunName) note() {
	for i := range r.events {
		switch ev := &r.events[i]; {
		case ev.Kind == hub.RunStart && len(ev.ID) > 0:
			r.Name = append(r.Name[:0], ev.ID...)
		case ev.Kind == hub.RunEnd:
			r.Over = true
		}
	}
}
