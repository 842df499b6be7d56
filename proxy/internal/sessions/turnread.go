package sessions

import (
	"errors"
	"os"
	"time"
)

// Read is [Turn.Take] for a reader that waits until a time at most; then the error is os.ErrDeadlineExceeded. Without lines and without an
// error, there is nothing to wait for but [Turn.Ready].
func (t *Turn) Read(dst []byte, until time.Time) (_ []byte, err error) {
	s := t.session
	s.mu.Lock()
	defer s.mu.Unlock()
	t.reads = !t.released
	t.noteWords()
	for {
		dst, err = t.take(dst)
		if len(dst) > 0 || err != nil || !s.turnReads() || s.turn != t || !s.peer.parked || s.peer.reading {
			return dst, err
		}
		if dst, err = t.readProcess(dst, s.peer, until); err == nil {
			continue
		}
		if news, why := t.take(nil); len(news) > 0 || why != nil {
			return news, why
		}
		return nil, err // without memory: it may be long until something comes
	}
}

// turnReads reports whether what a process says is read by the reader of the turn. The caller holds s.mu.
func (s *session) turnReads() bool {
	return s.turn != nil && s.turn.reads && s.state == running && s.peer != nil && !s.peer.ended
}

// Release makes [Turn.Read] return, and wait no more.
func (t *Turn) Release() {
	s := t.session
	s.mu.Lock()
	defer s.mu.Unlock()
	t.reads, t.released = false, true
	t.wake()
	s.room.Broadcast()
}

// readProcess takes what the process says next, by way of a buffer. The caller holds s.mu, which is released meanwhile.
func (t *Turn) readProcess(buf []byte, p *peer, until time.Time) ([]byte, error) {
	s := t.session
	p.reading, t.from = true, p
	s.mu.Unlock()
	piece, err := p.proc.NextUntil(buf[:0], until)
	s.mu.Lock()
	p.reading, t.from = false, nil
	buf = s.receive(p, piece)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		p.ended, err = true, nil // the goroutine of the process gets the error, too
	}
	if !s.turnReads() || s.peer != p {
		s.room.Broadcast()
	}
	if s.turn != nil && s.turn != t {
		s.turn.wake() // it could not read meanwhile
	}
	return buf[:0], err
}
