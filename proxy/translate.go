package proxy

import (
	"context"
	"io"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// Translation is what [Translate] did.
type Translation struct {
	Ending       hub.Status // of the run, as it was written
	Failure      *hub.Failure
	Records      int64
	EventsIn     int64
	EventsOut    int64
	Faults       int64 // records that could not be decoded, wholly or in part
	Repairs      sequencer.RepairCounts
	Dispositions [hub.NumKinds][hub.NumDispositions]int64
}

// Translate moves one recorded or live stream from in to out by the very pump that serves clients. to is the framing
// of the output; Auto is the dialect's own. The error is that of writing; what is wrong with the stream is in the
// Translation, and seen by the observer as it happens.
//
// When ctx is done the output gets an honest end and Translate returns, even if in does not: a reader that can be closed
// is closed then, another may still be read from until it returns.
func Translate(ctx context.Context, in io.Reader, out io.Writer, c engine.Config, to wire.Framing, o engine.Observer) (Translation, error) {
	p := engine.NewPipeline(c)
	if to != wire.Auto {
		p.Out.SetFraming(to)
	}
	p.Observe = o
	src := newAsyncSource(readPieces(in), func() {})
	defer src.abandon()
	st := new(canceler)
	st.OnCancel(src.abandon)
	stop := context.AfterFunc(ctx, func() {
		st.cancel(hub.Fail(hub.CodeShutdown, ctx.Err()))
		if c, ok := in.(io.Closer); ok {
			_ = c.Close()
		}
	})
	defer stop()
	w := &writerSink{w: out}
	run := pump{src: src, sink: w, eng: p, out: p.Out, start: time.Now(), canceler: st}
	f := run.run()
	t := Translation{
		Ending: p.End, Failure: f, Records: p.Stats.Records, EventsIn: p.Stats.EventsIn(), EventsOut: p.Stats.EventsOut(),
		Faults: p.Stats.Errors(), Repairs: p.Stats.Repairs,
	}
	for k := range p.Stats.Events.Kinds() {
		for f, n := range p.Stats.Events.Out[k] {
			t.Dispositions[k][f] = int64(n)
		}
	}
	return t, w.err
}

// writerSink writes to a file or pipe.
type writerSink struct {
	w   io.Writer
	err error
}

func (s *writerSink) begin(*wire.Out) {}

func (s *writerSink) write(out *wire.Out) error {
	_, s.err = s.w.Write(out.Buf)
	return s.err
}

func (s *writerSink) end(out *wire.Out, _ *hub.Failure) error {
	if len(out.Buf) == 0 {
		return nil
	}
	return s.write(out)
}
