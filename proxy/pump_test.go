package proxy

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
)

// script is a source that gives one piece at a time.
type script struct {
	pieces []string
	err    error // after the last one
	waits  []time.Duration
	begun  time.Time
	closed bool
}

func (s *script) ReadInto(b *rawio.Buffer, until time.Time) error {
	s.waits = append(s.waits, until.Sub(s.begun))
	if len(s.pieces) == 0 {
		return s.err
	}
	piece := s.pieces[0]
	s.pieces = s.pieces[1:]
	if piece == "" {
		return rawio.ErrWake
	}
	for len(piece) > 0 {
		n := copy(b.Room(), piece)
		b.Filled(n)
		piece = piece[n:]
	}
	return nil
}

func (s *script) Close() { s.closed = true }

// writes is a sink that keeps each write.
type writes struct {
	all   []string
	err   error
	ended *hub.Failure
}

func (w *writes) begin(out *wire.Out) { out.Buf = append(out.Buf, '>') }

func (w *writes) write(out *wire.Out) error {
	w.all = append(w.all, string(out.Buf))
	return w.err
}

func (w *writes) end(out *wire.Out, f *hub.Failure) error {
	w.ended = f
	return w.write(out)
}

// newPump is a pump from native to twin, or a copying one.
func newPump(src *script, sink sink, copies bool) *pump {
	d := twin
	d.NewEncoder = lossy.NewEncoder // run.start and notices leave no trace
	c := engine.Config{From: dialects()[0], To: &d}
	for _, n := range dialects() {
		if n.Name == "native" {
			c.From = n
		}
	}
	src.begun = time.Now()
	p := &pump{src: src, sink: sink, start: src.begun, canceler: new(canceler), status: true, appendKeepAlive: func(out *wire.Out) { out.KeepAlive(0) }}
	if copies {
		e := engine.NewCopier(c, wire.NewOut(wire.NDJSON), true)
		p.eng, p.out = e, e.Out
		return p
	}
	e := engine.NewPipeline(c)
	p.eng, p.out = e, e.Out
	return p
}

// TestPumpWritesOnceWhenInputRunsDry, and the last records together with the end.
func TestPumpWritesOnceWhenInputRunsDry(t *testing.T) {
	src := &script{pieces: []string{lines(lineStart, lineHello) + lineWorld[:10], lineWorld[10:] + "\n" + lineEnd + "\n"}, err: io.EOF}
	var w writes
	if f := newPump(src, &w, false).run(); f != nil {
		t.Fatal(f)
	}
	if len(w.all) != 2 || strings.Count(w.all[0], "\n") != 2 || strings.Count(w.all[1], "\n") != 3 || w.all[0][0] != '>' {
		t.Errorf("writes: %q", w.all)
	}
	if len(src.waits) != 2 {
		t.Errorf("the source was read %d times: the end of the run needs no more input", len(src.waits))
	}
}

// TestPumpDeadlines are the nearest of what is due, and far where nothing is.
func TestPumpDeadlines(t *testing.T) {
	f := func(l pumpLimits, lastIn, lastOut, engine, now, want time.Duration) {
		t.Helper()
		p := &pump{limits: l, lastIn: lastIn, lastOut: lastOut, out: wire.NewOut(wire.SSE)}
		if got := p.deadline(engine, now); got != want {
			t.Errorf("%+v: got %v, want %v", l, got, want)
		}
	}
	const s = time.Second
	f(pumpLimits{}, 0, 0, 0, 5*s, 5*s+maxWait)
	f(pumpLimits{idle: 10 * s}, 3*s, 0, 0, 5*s, 13*s)
	f(pumpLimits{idle: 10 * s, keepalive: 7 * s}, 3*s, 4*s, 0, 5*s, 11*s)
	f(pumpLimits{idle: 10 * s, keepalive: 7 * s, total: 9 * s}, 3*s, 4*s, 0, 5*s, 9*s)
	f(pumpLimits{idle: 10 * s, keepalive: 7 * s, total: 9 * s}, 3*s, 4*s, 6*s, 5*s, 6*s)
	f(pumpLimits{idle: 1000 * time.Hour}, 0, 0, 0, 5*s, 5*s+maxWait)
}

// TestPumpWakesForNothing: a wait that ends early does no harm.
func TestPumpWakesForNothing(t *testing.T) {
	src := &script{pieces: []string{"", lineStart + "\n", "", "", lines(lineHello, lineEnd)}, err: io.EOF}
	var w writes
	p := newPump(src, &w, false)
	p.limits = pumpLimits{idle: time.Hour, keepalive: time.Hour, total: time.Hour}
	if f := p.run(); f != nil || len(w.all) != 1 {
		t.Errorf("%v, writes %q", f, w.all)
	}
}

// TestPumpTellsByStatus only while nothing was said.
func TestPumpTellsByStatus(t *testing.T) {
	f := func(name string, status bool, pieces []string, err error, want string, code hub.Code) {
		t.Helper()
		for _, copies := range []bool{false, true} {
			var w writes
			p := newPump(&script{pieces: pieces, err: err}, &w, copies)
			p.status = status
			got := p.run()
			if got == nil || got.Code != code || w.ended != got {
				t.Errorf("%s, copies %v: %v, ended %v", name, copies, got, w.ended)
			}
			if said := strings.Contains(strings.Join(w.all, ""), "run.end"); said != (want == "record") {
				t.Errorf("%s, copies %v: %q", name, copies, w.all)
			}
		}
	}
	reset := hub.Fail(hub.CodeReset, nil)
	f("nothing", true, nil, io.EOF, "status", hub.CodeTruncated)
	f("nothing, WebSocket", false, nil, io.EOF, "record", hub.CodeTruncated)
	f("reset", true, nil, reset, "status", hub.CodeReset)
	f("half a record", true, []string{lineHello[:9]}, reset, "status", hub.CodeReset)
	f("half a record at the end", true, []string{lineHello[:9]}, io.EOF, "status", hub.CodeTruncated)
	f("a record", true, []string{lineHello + "\n"}, reset, "record", hub.CodeReset)
	f("two pieces", true, []string{lineHello + "\n", lineWorld + "\n"}, reset, "record", hub.CodeReset)
	f("an error that is no failure", true, nil, errors.New("x"), "status", hub.CodeReset)
}

// TestPumpStops for the reason it is given, unless the run was complete before.
func TestPumpStops(t *testing.T) {
	f := func(pieces []string, code hub.Code, want *hub.Code) {
		t.Helper()
		var w writes
		p := newPump(&script{pieces: pieces, err: errors.New("use of closed network connection")}, &w, false)
		p.canceler.cancel(hub.Fail(code, nil))
		p.canceler.cancel(hub.Fail(hub.CodeInternal, nil)) // the first reason wins
		got := p.run()
		if (got == nil) != (want == nil) || got != nil && got.Code != *want {
			t.Errorf("got %v", got)
		}
		if gone := code == hub.CodeClientGone; gone != (len(w.all) == 0) {
			t.Errorf("%s: writes %q", code, w.all)
		}
	}
	gone, shutdown := hub.CodeClientGone, hub.CodeShutdown
	f(nil, gone, &gone)
	f(nil, shutdown, &shutdown)

	// Stopped while it reads: what came counts, and a complete run is complete.
	var w writes
	src := &script{pieces: []string{lines(lineHello, lineEnd)}, err: io.EOF}
	p := newPump(src, &w, false)
	p.follower = stopping{p}
	if got := p.run(); got != nil {
		t.Errorf("a complete run ended with %v", got)
	}
}

// stopping cancels a pump when something has arrived.
type stopping struct{ *pump }

func (s stopping) arrived(time.Duration) { s.canceler.cancel(hub.Fail(hub.CodeShutdown, nil)) }
func (stopping) flushed()                {}
func (stopping) finished()               {}

// TestPumpRests gives up large buffers in silence.
func TestPumpRests(t *testing.T) {
	big := `{"kind":"text.delta","id":"p1","text":"` + strings.Repeat("x", 40_000) + `"}` + "\n"
	var w writes
	src := &script{pieces: []string{big, "", lineWorld + "\n" + lineEnd + "\n"}, err: io.EOF}
	p := newPump(src, &w, false)
	p.start = p.start.Add(-time.Minute) // it is later than the script thinks
	src.begun = p.start
	seen, woken := false, false
	read := p.src
	p.src = sourceFunc{func(b *rawio.Buffer, until time.Time) error {
		if woken && b.Size() > rawio.MinBuffer {
			t.Errorf("the input still has room for %d bytes", b.Size())
		}
		err := read.ReadInto(b, until)
		if woken = err == rawio.ErrWake; woken {
			p.lastIn -= shrinkAfter // so long ago was the last byte
		}
		seen = seen || len(w.all) == 1 && b.Size() > rawio.MinBuffer
		if len(src.pieces) == 0 && err == nil && cap(p.out.Buf) > rawio.MinBuffer {
			t.Errorf("the output still holds %d bytes", cap(p.out.Buf))
		}
		return err
	}}
	if f := p.run(); f != nil {
		t.Fatal(f)
	}
	if !seen {
		t.Error("the buffer did not grow")
	}
	if got := strings.Join(w.all, ""); !strings.Contains(got, ", world") || !strings.Contains(got, `"done"`) {
		t.Errorf("writes: %.200q", got)
	}
}

// TestPumpHoldsNothing: a stream that waits holds no buffer for its output, and one that has ended none at all, whatever it has read.
func TestPumpHoldsNothing(t *testing.T) {
	t.Parallel()
	src := &script{pieces: []string{lines(lineStart, lineHello), lineWorld[:10], lineWorld[10:] + "\n" + lineEnd + "\n" + lineHello}, err: io.EOF}
	p := newPump(src, new(writes), false)
	waits := 0
	p.src = sourceFunc{func(b *rawio.Buffer, until time.Time) error {
		if waits++; p.outBuf != nil || p.out.Buf != nil {
			t.Errorf("it waits for piece %d with a buffer of %d bytes", waits, cap(p.out.Buf))
		}
		return src.ReadInto(b, until)
	}}
	if f := p.run(); f != nil || waits != 3 {
		t.Errorf("%d pieces, %v", waits, f)
	}
	if p.outBuf != nil || p.out.Buf != nil || p.buf.Size() > 0 {
		t.Errorf("at the end it holds %d bytes for its output, %d for its input", cap(p.out.Buf), p.buf.Size())
	}
}

type sourceFunc struct {
	f func(*rawio.Buffer, time.Time) error
}

func (s sourceFunc) ReadInto(b *rawio.Buffer, until time.Time) error { return s.f(b, until) }
func (sourceFunc) Close()                                            {}

// TestBuffer moves bytes through, whatever the sizes.
func TestBuffer(t *testing.T) {
	var b rawio.Buffer
	var in, out []byte
	for i := range 3000 {
		n := (i * 7919) % 9000
		for n > 0 {
			room := b.Room()
			if len(room) == 0 {
				t.Fatal("no room")
			}
			k := min(len(room), n)
			for j := range k {
				room[j] = byte(len(in))
				in = append(in, byte(len(in)))
			}
			b.Filled(k)
			n -= k
		}
		k := (i * 104729) % (len(b.Unread()) + 1)
		if i%10 == 0 {
			k = len(b.Unread())
		}
		out = append(out, b.Unread()[:k]...)
		b.Used(k)
	}
	if string(out) != string(in[:len(out)]) || !b.Idle() && len(b.Unread()) != len(in)-len(out) {
		t.Error("bytes got lost")
	}
	if b.Size() > 1<<20 {
		t.Errorf("the buffer has grown to %d bytes", b.Size())
	}
}

// endless is a source that gives the same bytes again and again, and a sink that takes them.
type endless struct {
	data []byte
	left int
}

func (e *endless) ReadInto(b *rawio.Buffer, _ time.Time) error {
	if e.left--; e.left < 0 {
		return io.EOF
	}
	b.Filled(copy(b.Room(), e.data))
	return nil
}

func (e *endless) Close()                            {}
func (e *endless) begin(out *wire.Out)               { out.Buf = append(out.Buf, "00000000\r\n"...) }
func (e *endless) write(*wire.Out) error             { return nil }
func (e *endless) end(*wire.Out, *hub.Failure) error { return nil }

// flowing is a pump in the middle of a stream of deltas, with everything that a real one has but sockets.
func flowing(t testing.TB, copies bool) (*pump, *endless) {
	src := &script{pieces: []string{lineStart + "\n" + lineHello + "\n"}, err: rawio.ErrWake}
	e := &endless{data: []byte(strings.Repeat(lineWorld+"\n", 10))}
	p := newPump(src, e, copies)
	p.limits = pumpLimits{idle: time.Minute, keepalive: time.Minute, total: time.Hour}
	x := &stream{call: &call{route: &route{metrics: newMetrics("").forRoute("/run")}}}
	switch eng := p.eng.(type) {
	case *engine.Pipeline:
		x.stats = eng.Stats
		eng.Edit = func(*hub.Event) {}
	case *engine.Copier:
		x.stats = eng.Stats
	}
	p.follower = counting{x, p}
	p.begin()
	if err := src.ReadInto(&p.buf, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if f := p.feed(false, 0); f != nil {
		t.Fatal(f)
	}
	p.src = e
	return p, e
}

// counting lets a stream count what a pump moves that is not its own.
type counting struct {
	*stream
	of *pump
}

func (c counting) flushed() {
	c.pump.wrote = c.of.wrote
	c.stream.flushed()
}

// TestPumpAllocatesNothing per event.
func TestPumpAllocatesNothing(t *testing.T) {
	if raceEnabled {
		return
	}
	for _, copies := range []bool{false, true} {
		p, e := flowing(t, copies)
		turn := func() {
			e.left = 10
			p.move()
		}
		turn()
		if n := testing.AllocsPerRun(100, turn); n != 0 {
			t.Errorf("copies %v: %v allocations for 100 events", copies, n)
		}
	}
}

// BenchmarkPump is the cost of one delta without sockets, ten to a read and a write:
//
//	go test -run '^$' -bench Pump ./proxy
func BenchmarkPump(b *testing.B) {
	for name, copies := range map[string]bool{"translate": false, "copy": true} {
		b.Run(name, func(b *testing.B) {
			p, e := flowing(b, copies)
			b.ReportAllocs()
			e.left = b.N/10 + 1
			b.ResetTimer()
			p.move()
		})
	}
}
