package proxy

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// A source is the body of an upstream's answer.
type source interface {
	// read appends what has arrived to b, at least one byte, waiting until the given time at most. The error is
	// errWake when that time has come, io.EOF at the end of a complete body, a *hub.Failure otherwise.
	read(b *buffer, until time.Time) error

	// close gives the upstream up, or back when the body was read to its end. It is called once, by the pump.
	close()
}

// errWake says that the time to wait is over, and nothing has arrived.
var errWake = errors.New("nothing arrived in time")

// A sink is a client.
type sink interface {
	// begin leaves room in an empty out for what must stand before the records.
	begin(out *wire.Out)

	// write sends out, which holds at least one record or a sign of life, in one write.
	write(out *wire.Out) error

	// end ends the answer. Before the first write f decides the status of the response; f is nil for a good end.
	end(f *hub.Failure) error
}

// pump moves one stream: it reads, lets the engine work, and writes, all in one goroutine. While there is input it
// translates; when the input has run dry it writes once.
type pump struct {
	src  source
	sink sink
	eng  engine
	out  *wire.Out
	buf  buffer

	limits  pumpLimits
	beat    func(*wire.Out)         // appends a sign of life
	flushed func(now time.Duration) // after each write; nil for none
	arrived func(now time.Duration) // after each read; nil for none

	start           time.Time
	lastIn, lastOut time.Duration // when bytes came last, when bytes left last
	firstOut        time.Duration // when the first record left; 0 = not yet
	wrote           int64         // bytes handed to the sink

	stop *stopper
}

// pumpLimits bound a stream in time; 0 is no bound.
type pumpLimits struct {
	idle      time.Duration // silence of the upstream
	keepalive time.Duration // silence towards the client
	total     time.Duration // the whole stream
}

// flushAt is how much output gathers before it is written while there is still input.
const flushAt = 32 << 10

// run moves the stream to its end and returns how it ended; nil is a good end.
func (p *pump) run() *hub.Failure {
	p.sink.begin(p.out)
	f := p.move()
	if stopped := p.stop.failure(); stopped != nil {
		f = stopped
	}
	if f != nil && clientFault(f.Code) {
		p.eng.finish(f, p.now())
		return f
	}
	end := p.eng.finish(f, p.now())
	if err := p.flush(); err != nil {
		return p.writeFailure(err)
	}
	if err := p.sink.end(end); err != nil {
		return p.writeFailure(err)
	}
	return end
}

// clientFault reports that nobody is there to be told how the stream ended.
func clientFault(c hub.Code) bool { return c == hub.CodeClientGone || c == hub.CodeClientSlow }

// move reads and writes until the upstream or the engine is done, or somebody stops the stream.
func (p *pump) move() *hub.Failure {
	for {
		next, over := p.eng.tick(p.now())
		if err := p.flush(); err != nil {
			return p.writeFailure(err)
		}
		if over {
			return nil
		}
		err := p.src.read(&p.buf, p.start.Add(p.deadline(next)))
		now := p.now()
		switch {
		case p.stop.failure() != nil:
			return p.stop.failure()
		case err == nil:
			p.lastIn = now
			if p.arrived != nil {
				p.arrived(now)
			}
			if f := p.feed(false, now); f != nil {
				return f
			}
		case err == errWake:
			if f := p.wake(now); f != nil {
				return f
			}
		case err == io.EOF:
			return p.feed(true, now)
		default:
			return p.readFailure(err, now)
		}
	}
}

// readFailure still translates what came before the upstream broke off.
func (p *pump) readFailure(err error, now time.Duration) *hub.Failure {
	if f := p.feed(false, now); f != nil {
		return f
	}
	return asFailure(err)
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
		used, err := p.eng.feed(p.buf.unread(), eof, now)
		p.buf.used(used)
		if err != nil {
			return asFailure(err)
		}
		if used == 0 || len(p.out.Buf) < flushAt {
			return nil
		}
		if err := p.flush(); err != nil {
			return p.writeFailure(err)
		}
	}
}

// deadline is when the pump must do something even if nothing arrives.
func (p *pump) deadline(engine time.Duration) time.Duration {
	at := time.Duration(1<<63 - 1)
	earlier := func(t, limit time.Duration) {
		if limit > 0 {
			at = min(at, t+limit)
		}
	}
	earlier(0, engine)
	earlier(p.lastIn, p.limits.idle)
	earlier(p.lastOut, p.limits.keepalive)
	earlier(0, p.limits.total)
	return at
}

func (p *pump) wake(now time.Duration) *hub.Failure {
	l := p.limits
	switch {
	case l.total > 0 && now >= l.total:
		return hub.Fail(hub.CodeDuration, nil)
	case l.idle > 0 && now-p.lastIn >= l.idle:
		return hub.Fail(hub.CodeIdle, nil)
	case l.keepalive > 0 && now-p.lastOut >= l.keepalive:
		p.beat(p.out)
		if err := p.send(now); err != nil {
			return p.writeFailure(err)
		}
	}
	return nil
}

// flush writes what the engine has left in out.
func (p *pump) flush() error {
	if p.out.Records == 0 {
		return nil
	}
	now := p.now()
	if p.firstOut == 0 {
		p.firstOut = max(now, 1)
	}
	return p.send(now)
}

func (p *pump) send(now time.Duration) error {
	n := len(p.out.Buf)
	err := p.sink.write(p.out)
	p.out.Reset()
	p.sink.begin(p.out)
	p.lastOut = now
	p.wrote += int64(n)
	if p.flushed != nil {
		p.flushed(now)
	}
	return err
}

func (p *pump) writeFailure(err error) *hub.Failure {
	if f := p.stop.failure(); f != nil {
		return f
	}
	var f *hub.Failure
	if errors.As(err, &f) {
		return f
	}
	return hub.Fail(hub.CodeClientGone, err)
}

func (p *pump) now() time.Duration { return time.Since(p.start) }

// stopper ends a stream from outside: the client left, the proxy shuts down. The first reason wins.
type stopper struct {
	mu     sync.Mutex
	cause  *hub.Failure
	cancel func() // makes a blocked read return
}

// stop ends the stream for a reason.
func (s *stopper) stop(f *hub.Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cause != nil {
		return
	}
	s.cause = f
	if s.cancel != nil {
		s.cancel()
	}
}

// onStop sets what makes a blocked read return; it is called at once if the stream was stopped before.
func (s *stopper) onStop(cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel = cancel
	if s.cause != nil && cancel != nil {
		cancel()
	}
}

func (s *stopper) failure() *hub.Failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cause
}
