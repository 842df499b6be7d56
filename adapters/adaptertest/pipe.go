package adaptertest

import (
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/stages"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// pipe is what follows a decoder: the sequencer, and an encoder if there is one.
type pipe struct {
	seq *sequencer.Sequencer
	enc hub.Encoder // nil: only sequence
	lin hub.Stage   // before enc, of targets that want one thing at a time; nil for others
	out *wire.Out

	overwrite bool // as in source, for what leaves the sequencer

	normalized []hub.Event
	lines      []byte  // the normalized events in native notation
	sense      Meaning // of the normalized events, as far as the encoder claims
	check      Checker
	err        error // the first violation
}

func newPipe(replace bool, settle time.Duration) *pipe {
	cfg := sequencer.Config{Replace: replace, EndGrace: settle}
	return &pipe{seq: sequencer.New(cfg), check: Checker{Replace: replace}, out: wire.NewOut(wire.NDJSON)}
}

// encodeWith adds an encoder.
func (p *pipe) encodeWith(enc hub.Encoder, f wire.Framing) *pipe {
	p.enc, p.out = enc, wire.NewOut(f)
	return p
}

// linear makes the encoder get one part or call after the other, if its dialect relies on that.
func (p *pipe) linear(d *hub.Dialect) *pipe {
	if d.Caps.Has(hub.CapLinear) {
		p.lin = stages.NewLinear(0)
	}
	return p
}

func (p *pipe) push(decoded []hub.Event) { p.take(p.seq.Push(p.normalized[:0], decoded, 0)) }

// flush ends the stream.
func (p *pipe) flush(cause error) {
	p.take(p.seq.Flush(p.normalized[:0], cause))
	if err := p.check.End(); err != nil && p.err == nil {
		p.err = err
	}
	if p.lin != nil {
		p.encodeAll(p.lin.Flush(nil, cause))
	}
	if p.enc != nil {
		p.enc.Finish(p.out)
	}
}

func (p *pipe) take(normalized []hub.Event) {
	p.normalized = normalized
	for i := range normalized {
		ev := &normalized[i]
		if err := p.check.Event(ev); err != nil && p.err == nil {
			p.err = err
		}
		p.lines = append(native.Append(p.lines, ev), '\n')
	}
	if p.lin != nil {
		p.encodeAll(p.lin.Push(nil, normalized, 0))
	} else {
		p.encodeAll(normalized)
	}
	if p.overwrite {
		ruin(normalized)
	}
}

func (p *pipe) encodeAll(evs []hub.Event) {
	for i := range evs {
		p.encode(&evs[i])
	}
}

// encode hands ev to the encoder, if there is one.
func (p *pipe) encode(ev *hub.Event) {
	disposition := hub.Native
	switch {
	case p.enc == nil:
	case p.overwrite:
		own, mem := CopyEvent(ev)
		disposition = p.enc.Encode(p.out, &own)
		Overwrite(mem)
	default:
		disposition = p.enc.Encode(p.out, ev)
	}
	p.sense.Event(ev, disposition)
}
