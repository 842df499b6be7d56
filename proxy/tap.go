package proxy

import (
	"bytes"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/conform"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/recording"
)

// A tap sees one run as a whole: the request on both sides, the records of the agent, the events, what is written for the client, and
// what was repaired or lost. It makes lines of it for the page of operators and the files of a route. A stream that neither
// wants has none.
type tap struct {
	began time.Time
	tapes []*runTape
	done  func()

	out    *wire.Out   // the canonical event
	native hub.Encoder // that writes it
	n      int64       // records so far
	within int64       // the record that is at work; 0 for none
	unsent time.Time   // when the first record was made that has not left

	copied *copiedEvents // of a stream that is not translated; nil: it is
	shared bool
}

// tapped is what is kept of a request for a tap: the body of the client is not that of the agent.
type tapped struct {
	method, path string
	body         []byte
	size         int
}

// maxTapped bounds a payload in a line, in bytes. A body beyond it is shown by its shape.
const maxTapped = 1 << 20

// keepRequest keeps what a tap will show of a client's request.
func (c *call) keepRequest(header *fasthttp.RequestHeader, plain []byte) {
	if c.route.taps.wanted() {
		c.tapped = &tapped{method: string(header.Method()), path: string(header.RequestURI()), body: bytes.Clone(plain[:min(len(plain), maxTapped+1)]), size: len(plain)}
	}
}

// isLoss reports whether an event with that disposition is lost.
func isLoss(disposition string) bool {
	return disposition == hub.Folded.String() || disposition == hub.Dropped.String()
}

// beginTap begins the tap of a stream, if somebody wants it.
func (x *stream) beginTap() {
	c := x.call
	tapes, done := c.route.taps.begin(c)
	if len(tapes) == 0 {
		return
	}
	t := &tap{began: x.begun, tapes: tapes, done: done, out: wire.NewOut(wire.NDJSON), shared: c.shared != nil}
	if d, err := adapters.Lookup("native"); err == nil {
		t.native = d.NewEncoder(d.Defaults())
	}
	x.tap = t
	copier, copies := x.engine.(*engine.Copier)
	header := recording.Header{
		Version: recording.Version, ID: c.id, Began: x.begun.UTC(), Route: c.route.cfg.Path, Upstream: c.route.up.Cfg.Name,
		From: c.source(), To: c.target.dialect.Name, Copied: copies, Shared: t.shared,
	}
	if c.gathered == nil {
		header.Options = c.route.up.Cfg.Options
	}
	for _, tape := range tapes {
		header.Form = tape.filter.Form
		tape.begin(&header)
	}
	t.requests(c)
	c.tapped = nil // streams are long
	switch p := x.engine.(type) {
	case *engine.Pipeline:
		t.observe(&p.Observe)
	case *engine.Copier:
		t.copied = newCopiedEvents(c.route)
		copier.Observe = new(engine.Observer)
		t.observe(copier.Observe)
	}
}

// requests shows the request on both sides.
func (t *tap) requests(c *call) {
	if r := c.tapped; r != nil {
		t.request(recording.Client, r.method, r.path, r.body, r.size)
	}
	if c.request != nil && c.route.up.Agents == nil && c.gathered == nil {
		body := c.request.Body()
		t.request(recording.Agent, string(c.request.Header.Method()), string(c.request.Header.RequestURI()), body, len(body))
	}
}

func (t *tap) request(side, method, path string, body []byte, size int) {
	path, _, _ = strings.Cut(path, "?") // queries hold keys
	t.each(func(f *recording.Filter, l *recording.Line) {
		l.Type, l.Side, l.Method, l.Path = recording.TypeRequest, side, method, path
		f.Payload(l, body)
		if l.Bytes > 0 {
			l.Bytes = size
		}
	})
}

// each makes a line for each tape.
func (t *tap) each(fill func(*recording.Filter, *recording.Line)) {
	at := recording.Millis(time.Since(t.began))
	for _, tape := range t.tapes {
		l := recording.Line{At: at, N: t.within}
		fill(&tape.filter, &l)
		tape.put(&l)
	}
}

// observe makes an engine show what it does, beside whoever it shows it already.
func (t *tap) observe(o *engine.Observer) {
	before := o.Normalized
	o.Record, o.Framed, o.Repair, o.Fault = t.record, t.framed, t.repair, t.fault
	o.Done = func() { t.within = 0 }
	o.Normalized = func(ev *hub.Event, d hub.Disposition) {
		if before != nil {
			before(ev, d)
		}
		t.event(ev, d.String())
	}
}

func (t *tap) record(rec wire.Record) {
	t.n++
	t.within = t.n
	t.each(func(f *recording.Filter, l *recording.Line) {
		l.Type, l.Name = recording.TypeIn, string(rec.Event)
		f.Record(l, rec.Data)
	})
	if t.copied != nil {
		t.copied.read(rec, time.Since(t.began), func(ev *hub.Event) { t.event(ev, "copied") })
	}
}

func (t *tap) event(ev *hub.Event, disposition string) {
	t.out.Reset()
	t.native.Encode(t.out, ev)
	t.each(func(f *recording.Filter, l *recording.Line) {
		l.Type, l.Disposition = recording.TypeEvent, disposition
		f.Event(l, t.out.Buf)
	})
	for _, tape := range t.tapes {
		tape.note(ev.Kind)
	}
}

// note counts what a list shows of the events.
func (t *runTape) note(k hub.Kind) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch k {
	case hub.ToolStart:
		t.summary.Tools++
	case hub.Ask:
		t.summary.Asks++
	}
}

// framed shows what was written for the client. Those who read a log of the run get other bytes.
func (t *tap) framed(p []byte) {
	if t.shared {
		return
	}
	if t.unsent.IsZero() {
		t.unsent = time.Now()
	}
	t.each(func(f *recording.Filter, l *recording.Line) {
		l.Type = recording.TypeOut
		f.Out(l, p)
	})
}

func (t *tap) repair(r sequencer.Repair, times uint32) {
	t.each(func(_ *recording.Filter, l *recording.Line) {
		l.Type, l.Repair, l.Times = recording.TypeRepair, r.String(), times
	})
}

func (t *tap) fault(err *hub.Error) {
	t.each(func(f *recording.Filter, l *recording.Line) {
		l.Type, l.Error = recording.TypeFault, f.Text(err.Error())
		l.Name = string(err.Reason)
	})
}

func (t *tap) violation(side string, v *conform.Violation) {
	t.each(func(_ *recording.Filter, l *recording.Line) {
		l.Type, l.Side, l.Name, l.Path, l.Error = recording.TypeViolation, side, v.Rule.String(), v.Path, v.Rule.Says()
	})
}

func (t *tap) keepalive() {
	t.each(func(_ *recording.Filter, l *recording.Line) { l.Type = recording.TypeKeepalive })
}

// slowWrite is from when on a write to a client is worth a line.
const slowWrite = 20 * time.Millisecond

// sent notes that all records so far have left.
func (t *tap) sent() {
	if t.unsent.IsZero() {
		return
	}
	took := time.Since(t.unsent)
	t.unsent = time.Time{}
	if took >= slowWrite {
		t.each(func(_ *recording.Filter, l *recording.Line) {
			l.Type, l.Took = recording.TypeSent, recording.Millis(took)
		})
	}
}

// end ends the recording.
func (t *tap) end(ending string, f *hub.Failure) {
	t.within = 0
	t.each(func(filter *recording.Filter, l *recording.Line) {
		l.Type, l.Ending = recording.TypeEnd, ending
		if f != nil && f.Cause != nil {
			l.Error = filter.Text(f.Cause.Error())
		}
	})
	t.done()
}

// copiedEvents reads the canonical events out of a stream that is copied.
type copiedEvents struct {
	dec    hub.Decoder
	seq    *sequencer.Sequencer
	loose  []hub.Event
	strict []hub.Event
}

func newCopiedEvents(r *route) *copiedEvents {
	return &copiedEvents{dec: policy.NewDecoder(r.source, r.options), seq: sequencer.New(sequencer.Config{Replace: true})}
}

// read reads one record. What cannot be read is the client's to judge.
func (c *copiedEvents) read(rec wire.Record, now time.Duration, take func(*hub.Event)) {
	c.loose, _ = c.dec.Decode(c.loose[:0], rec)
	c.strict = c.seq.Push(c.strict[:0], c.loose, now)
	for i := range c.strict {
		take(&c.strict[i])
	}
}
