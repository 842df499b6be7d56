package proxy

import (
	"context"
	"io"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
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
func Translate(ctx context.Context, in io.Reader, out io.Writer, c PipelineConfig, to wire.Framing, o Observer) (Translation, error) {
	p := newPipeline(c)
	if to != wire.Auto {
		p.out.SetFraming(to)
	}
	p.observe = o
	src := newAsyncSource(readPieces(in), func() {})
	defer src.abandon()
	st := new(canceler)
	st.onCancel(src.abandon)
	stop := context.AfterFunc(ctx, func() {
		st.cancel(hub.Fail(hub.CodeShutdown, ctx.Err()))
		if c, ok := in.(io.Closer); ok {
			_ = c.Close()
		}
	})
	defer stop()
	w := &writerSink{w: out}
	run := pump{src: src, sink: w, eng: p, out: p.out, start: time.Now(), canceler: st}
	f := run.run()
	t := Translation{
		Ending: p.end, Failure: f, Records: p.stats.records, EventsIn: p.stats.eventsIn(), EventsOut: p.stats.eventsOut(),
		Faults: p.stats.errors(), Repairs: p.stats.repairs,
	}
	for k := range p.stats.events.kinds() {
		for f, n := range p.stats.events.out[k] {
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
