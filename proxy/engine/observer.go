package engine

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// An Observer sees a stream while it is translated: the tap, the demo, error reports. Nil members are not called.
// Everything handed over is valid during the call only.
type Observer struct {
	Record     func(rec wire.Record)                            // before it is decoded
	Judge      func(rec wire.Record) *hub.Failure               // after Record, where that is not nil: a failure ends the stream without the record
	Decoded    func(ev *hub.Event)                              // as decoded
	Normalized func(ev *hub.Event, disposition hub.Disposition) // after it was encoded
	Framed     func(p []byte)                                   // what the encoder wrote for the event that Strict just saw, or for the end
	Repair     func(r sequencer.Repair, times uint32)           // what the sequencer repaired meanwhile; before Done
	Done       func()                                           // after everything that came of one record, of time or of the end
	Fault      func(err *hub.Error)                             // a record that could not be decoded, wholly or in part
}

// judge shows the observer a record that comes next. A failure ends the stream.
func (o *Observer) judge(rec wire.Record) *hub.Failure {
	o.Record(rec)
	if o.Judge == nil {
		return nil
	}
	f := o.Judge(rec)
	if f != nil && o.Done != nil {
		o.Done()
	}
	return f
}

// framed shows the observer what was written since Buf had that length.
func (p *Pipeline) framed(before int) {
	if p.Observe.Framed != nil && len(p.Out.Buf) > before {
		p.Observe.Framed(p.Out.Buf[before:])
	}
}

func (p *Pipeline) done() {
	if p.Observe.Repair != nil {
		p.reportRepairs()
	}
	if p.Observe.Done != nil {
		p.Observe.Done()
	}
}

// reportRepairs shows the observer the repairs since it was last called.
func (p *Pipeline) reportRepairs() {
	for r, n := range p.Seq.Repairs {
		if times := n - p.Stats.Repairs[r]; times > 0 {
			p.Observe.Repair(sequencer.Repair(r), times)
		}
	}
	p.Stats.Repairs = p.Seq.Repairs
}
