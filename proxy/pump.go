package proxy

import (
	"errors"
	"io"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
)

// A source is the body of an upstream's answer.
type source interface {
	// ReadInto appends what has arrived to b, at least one byte, waiting until the given time at most. The error is
	// [rawio.ErrWake] when that time has come, io.EOF at the end of a complete body, a *hub.Failure otherwise.
	ReadInto(b *rawio.Buffer, until time.Time) error

	// Close gives the upstream up, or back when the body was read to its end. It is called once, by the pump.
	Close()
}

// A livenessSource is a source that can show that it is alive without sending anything.
type livenessSource interface {
	// alive is when it last did, from the start of a stream; 0 for never.
	lastAlive(start time.Time) time.Duration
}

// A sink is a client.
type sink interface {
	// begin leaves room in an empty out for what must stand before the records.
	begin(out *wire.Out)

	// write sends out, which holds at least one record or a sign of life, in one write.
	write(out *wire.Out) error

	// end sends what out still holds and ends the answer. f is how the stream ended, nil for a good end. It matters
	// to a sink that has written nothing and has nothing in out: that one may answer with a status.
	end(out *wire.Out, f *hub.Failure) error
}

// pump moves one stream: it reads, lets the engine work, and writes, all in one goroutine. While there is input it
// translates; when the input has run dry it writes once.
type pump struct {
	src  source
	sink sink
	eng  engine.Engine
	out  *wire.Out
	buf  rawio.Buffer

	limits          pumpLimits
	status          bool            // the sink can tell a failure before the first record by a status
	appendKeepAlive func(*wire.Out) // appends a sign of life
	follower        pumpFollower    // nil for none
	mayBeError      *bool           // it may yet turn out that the answer is an error before its first byte; nil for never

	start           time.Time
	lastIn, lastOut time.Duration // when bytes came last, when bytes left last
	firstOut        time.Duration // when the first record left; 0 = not yet
	wrote           int64         // bytes of the body handed to the sink
	room            int           // what the sink has put into out itself
	outBuf          *[]byte       // where out lies while the pump works, unless it has grown too large
	began           bool          // the sink has written
	atEnd           bool          // the source was read to its end

	canceler *canceler
}

// A pumpFollower learns how far a pump is.
type pumpFollower interface {
	// arrived comes after each read, while lastIn is still that of the one before.
	arrived(now time.Duration)

	// flushed comes after each write.
	flushed()

	// finished comes before the client learns that the stream has ended.
	finished()
}

// pumpLimits bound a stream in time; 0 is no bound.
type pumpLimits struct {
	idle      time.Duration // silence of the upstream
	keepalive time.Duration // silence towards the client
	total     time.Duration // the whole stream
}

const (
	// restAfter is how long a stream must be silent to give up a large buffer of its own.
	shrinkAfter = 2 * time.Second

	// maxWait bounds a single wait where nothing is due.
	maxWait = time.Hour
)

// run moves the stream to its end and returns how it ended; nil is a good end.
func (p *pump) run() *hub.Failure {
	defer p.release()
	return p.conclude(p.move())
}

// begin makes out ready to be written to.
func (p *pump) begin() {
	if p.outBuf == nil {
		p.outBuf = rawio.Buffers.Get().(*[]byte)
	}
	if p.out.Buf == nil {
		p.out.Buf = *p.outBuf
	}
	if len(p.out.Buf) == 0 {
		p.sink.begin(p.out)
		p.room = len(p.out.Buf)
	}
}

// open makes the sink begin its answer before there is a record: one may not come for long. What becomes of that is seen by the next write.
func (p *pump) open() {
	p.begin()
	p.began = true
	_ = p.sink.write(p.out)
	p.out.Reset()
}

// releaseOut gives the memory of out back before the pump waits, unless something is left in it.
func (p *pump) releaseOut() {
	if len(p.out.Buf) > p.room || p.outBuf == nil {
		return
	}
	rawio.Buffers.Put(p.outBuf)
	p.outBuf, p.out.Buf = nil, nil
}

// release gives up all memory.
func (p *pump) release() {
	p.out.Reset()
	p.releaseOut()
	p.buf.Release()
}

// move reads and writes until the upstream or the engine is done, or the stream is canceled. What the engine said
// last is still in out.
func (p *pump) move() *hub.Failure {
	for {
		now := p.now()
		p.begin()
		next, over := p.eng.Tick(now)
		if over {
			return nil // whatever happens now, the run was complete
		}
		if f := p.canceler.Failure(); f != nil {
			return f
		}
		if err := p.flush(); err != nil {
			return p.writeFailure(err)
		}
		p.releaseOut()
		err := p.src.ReadInto(&p.buf, p.start.Add(p.deadline(next, now)))
		p.begin()
		if f := p.step(err, p.now()); f != nil || p.atEnd {
			return f
		}
	}
}

// step handles what a read has brought.
func (p *pump) step(err error, now time.Duration) *hub.Failure {
	switch err {
	case nil:
		if p.follower != nil {
			p.follower.arrived(now)
		}
		p.lastIn = now
		return p.feed(false, now)
	case rawio.ErrWake:
		return p.wake(now)
	case io.EOF:
		p.atEnd = true
		return p.feed(true, now)
	}
	return p.readFailure(err, now)
}

// readFailure still translates what came before the upstream broke off, by itself or because the stream was stopped.
func (p *pump) readFailure(err error, now time.Duration) *hub.Failure {
	if f := p.feed(false, now); f != nil {
		return f
	}
	if f := p.canceler.Failure(); f != nil {
		return f
	}
	return asFailure(err)
}

// conclude writes the end of the stream and returns how it ended. A client that has left, or is to come back, gets nothing.
func (p *pump) conclude(f *hub.Failure) *hub.Failure {
	if f != nil && isCut(f) {
		return f
	}
	p.begin()
	mute := p.status && !p.began
	if p.holds() {
		p.out.Buf, p.out.Records = p.out.Buf[:p.room], 0
	}
	end := p.eng.Finish(f, p.now(), mute)
	if p.follower != nil {
		p.follower.finished()
	}
	n := len(p.out.Buf) - p.room
	if p.out.Records > 0 {
		p.noteFirst(p.now())
	} else if mute && end != nil {
		n = 0
	}
	if err := p.sink.end(p.out, end); err != nil {
		return p.writeFailure(err)
	}
	p.wrote += int64(n)
	return end
}

// clientFault reports that the client is gone, so that the end of the stream is not written.
func clientFault(c hub.Code) bool { return c == hub.CodeClientGone || c == hub.CodeClientSlow }

// isCut reports that the client's stream breaks off, without an end: it is gone, or is to come back at another replica.
func isCut(f *hub.Failure) bool { return clientFault(f.Code) || errors.Is(f.Cause, errMovedOn) }

// isLast reports whether nothing can follow on a connection: its client has left, or the body has no end. A run that was stopped has one.
func isLast(given, f *hub.Failure) bool {
	cut := f != nil && (isCut(f) || f.Code == hub.CodeInternal)
	return cut || given != nil && given.Code != hub.CodeCancelled
}

func asFailure(err error) *hub.Failure {
	var f *hub.Failure
	if errors.As(err, &f) {
		return f
	}
	return hub.Fail(hub.CodeReset, err)
}

// feed lets the engine work on what has arrived. It writes only when much has gathered; what remains in out is
// written by the next turn of move.
func (p *pump) feed(eof bool, now time.Duration) *hub.Failure {
	for {
		used, err := p.eng.Feed(p.buf.Unread(), eof, now)
		p.buf.Used(used)
		if err != nil {
			return asFailure(err)
		}
		if len(p.out.Buf) < engine.FlushAt {
			return nil
		}
		if err := p.flush(); err != nil {
			return p.writeFailure(err)
		}
	}
}

// deadline is when the pump must do something even if nothing arrives.
func (p *pump) deadline(engine, now time.Duration) time.Duration {
	at := now + maxWait
	earlier := func(since, limit time.Duration) {
		if limit > 0 {
			at = min(at, since+limit)
		}
	}
	earlier(0, engine)
	earlier(p.lastIn, p.limits.idle)
	earlier(p.lastOut, p.limits.keepalive)
	earlier(0, p.limits.total)
	if p.buf.Large() {
		earlier(p.lastIn, shrinkAfter)
	}
	return at
}

// wake does what is due by the passing of time.
func (p *pump) wake(now time.Duration) *hub.Failure {
	l := p.limits
	if h, ok := p.src.(livenessSource); ok {
		p.lastIn = max(p.lastIn, h.lastAlive(p.start))
	}
	switch {
	case l.total > 0 && now >= l.total:
		return hub.Fail(hub.CodeDuration, nil)
	case l.idle > 0 && now-p.lastIn >= l.idle:
		return hub.Fail(hub.CodeIdle, nil)
	case l.keepalive > 0 && now-p.lastOut >= l.keepalive:
		p.appendKeepAlive(p.out)
		if err := p.send(); err != nil {
			return p.writeFailure(err)
		}
	}
	if p.buf.Large() && now-p.lastIn >= shrinkAfter {
		p.buf.Release()
	}
	return nil
}

// flush writes what the engine has left in out. Bytes that are no record (comments of a copied stream) do not open the
// answer, so that a failure can still be a status; they leave with the first record, or when there are many.
func (p *pump) flush() error {
	n := len(p.out.Buf) - p.room
	if n == 0 || !p.began && n+p.room < engine.FlushAt && (p.out.Records == 0 || p.holds()) {
		return nil
	}
	return p.send()
}

// holds reports whether records are kept back before the first byte, so that a failure can be a status. A sign of life takes
// them along, so they do not wait longer than that.
func (p *pump) holds() bool { return p.status && !p.began && p.mayBeError != nil && *p.mayBeError }

// send writes out. Time lost on a slow client is no silence of the upstream, nor of the stream.
func (p *pump) send() error {
	n := len(p.out.Buf) - p.room
	before := p.now()
	if p.out.Records > 0 {
		p.noteFirst(before)
	}
	var err error
	if n > 0 { // a framing may have no sign of life
		p.began = true
		err = p.sink.write(p.out)
	}
	p.out.Reset()
	p.begin()
	p.lastOut = p.now()
	p.lastIn += p.lastOut - before
	if err != nil {
		return err
	}
	p.wrote += int64(n)
	if p.follower != nil {
		p.follower.flushed()
	}
	return nil
}

func (p *pump) noteFirst(now time.Duration) {
	if p.firstOut == 0 {
		p.firstOut = max(now, 1)
	}
}

func (p *pump) writeFailure(err error) *hub.Failure {
	if f := p.canceler.Failure(); f != nil {
		return f
	}
	var f *hub.Failure
	if errors.As(err, &f) {
		return f
	}
	return hub.Fail(hub.CodeClientGone, err)
}

func (p *pump) now() time.Duration { return time.Since(p.start) }
