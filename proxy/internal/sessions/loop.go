package sessions

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/process"
)

// peer is a process with what speaks to it.
type peer struct {
	proc   *process.Process
	driver hub.Driver // guarded by the session
	outbox chan []byte
	quit   chan struct{}
	ending bool // guarded by the pool

	// guarded by the session
	named   bool // it has named its session
	parked  bool // its goroutine does not read from it
	reading bool // the reader of a turn does
	ended   bool // its output has
}

// maxOutbox is how many pieces wait to be sent to an agent that does not read.
const maxOutbox = 64

// sendTime is how long an agent may take to read one of them.
const sendTime = 30 * time.Second

func newPeer(proc *process.Process, driver hub.Driver) *peer {
	return &peer{proc: proc, driver: driver, outbox: make(chan []byte, maxOutbox), quit: make(chan struct{})}
}

// send has lines sent. An agent that does not read what it asked for is ended.
func (p *peer) send(lines []byte) {
	if len(lines) == 0 {
		return
	}
	select {
	case p.outbox <- lines:
	default:
		go p.proc.End()
	}
}

// write sends what waits, until the process has ended. A process that holds one turn reads one piece.
func (p *peer) write(oneTurn bool) {
	for {
		select {
		case lines := <-p.outbox:
			if err := p.proc.Send(lines, time.Now().Add(sendTime)); err != nil {
				p.proc.End()
				return
			}
			if oneTurn {
				p.proc.CloseInput()
				return
			}
		case <-p.quit:
			return
		}
	}
}

// watch ends what an agent has left behind when it exits: its output would stay open, and its turn would wait for it.
func (p *peer) watch() {
	select {
	case <-p.proc.Ended():
		p.proc.End()
	case <-p.quit:
	}
}

// read takes the lines of a process until it ends.
func (s *session) read(p *peer) {
	var buf []byte
	var err error
	for err == nil {
		buf, err = p.proc.Next(buf[:0])
		s.mu.Lock()
		if buf = s.receive(p, buf); err == nil {
			s.awaitRoom(p)
		}
		if s.state != running {
			buf = nil // it may be long until something comes
		}
		s.mu.Unlock()
	}
	p.proc.End() // it may live on, or what it has started
	close(p.quit)
	s.pool.ended(p)
	s.pool.cfg.Observer.Process(false, p.proc.Exit())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.peer == p {
		s.peerEnded(p, err)
	}
}

// awaitRoom waits until more may be read from a process, and not by the reader of the turn. The caller holds s.mu.
func (s *session) awaitRoom(p *peer) {
	for p.reading || s.peer == p && (s.turnReads() || len(s.lines) > maxLines && s.state != canceling) {
		p.parked = true
		s.room.Wait()
	}
	p.parked = false
}

// peerEnded ends the turn of a session whose process has ended. The error is that of its output. The caller holds s.mu.
func (s *session) peerEnded(p *peer, err error) {
	s.peer = nil
	s.unresumed = s.unresumed || s.state == running && !p.named
	if s.state == running && s.turn != nil && err == io.EOF && s.pool.cfg.Dialect.Processes.ExitEnds && p.proc.Succeeded() {
		s.rest()
		s.turn.wake()
		return
	}
	s.fail(hub.Fail(hub.CodeReset, whyEnded(p.proc, err)))
}

// whyEnded says how a process ended, for the log.
func whyEnded(proc *process.Process, err error) error {
	if errors.Is(err, process.ErrLongLine) || errors.Is(err, process.ErrHeader) {
		return err
	}
	return fmt.Errorf("the process of the agent ended: %s", proc.Exit())
}

// receive takes lines of the agent, and returns memory for others. What is nothing but passed on is passed on together. The caller holds s.mu.
func (s *session) receive(p *peer, buf []byte) []byte {
	from, at := 0, 0
	for line := range bytes.Lines(buf) {
		if s.peer != p {
			return buf
		}
		reply, r := p.driver.Receive(nil, withoutEnd(line))
		if at += len(line); len(reply) == 0 && r.Passes() && s.state == running {
			continue
		}
		s.lines = append(s.lines, buf[from:at-len(line)]...)
		from = at
		s.receiveLine(p, line, reply, &r)
	}
	if from == at {
		return buf
	}
	if s.turn != nil {
		s.turn.wake()
	}
	if from == 0 && len(s.lines) == 0 {
		s.lines, buf = buf, s.lines // the process and the reader of the turn write in turns to two buffers
	} else {
		s.lines = append(s.lines, buf[from:]...)
	}
	return buf
}

// receiveLine takes a line that means something to the session, or is not shown. The caller holds s.mu.
func (s *session) receiveLine(p *peer, line, reply []byte, r *hub.Received) {
	p.send(reply)
	if len(r.Session) > 0 {
		s.id, p.named, s.unresumed = bytes.Clone(r.Session), true, false
	}
	if r.Failure != nil {
		s.unresumed = s.unresumed || !p.named
		s.fail(r.Failure)
		go s.pool.end(s.detach())
		return
	}
	if s.turn != nil {
		s.turn.lost = append(s.turn.lost, r.Lost...)
	}
	if !r.Hidden && (s.state == running || s.state == waiting) {
		s.lines = append(s.lines, line...)
	}
	s.follow(r.Turn)
}

func withoutEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}

// follow notes how far the turn is. The caller holds s.mu.
func (s *session) follow(t hub.TurnState) {
	switch {
	case s.state == idle || s.state == leaving:
		return
	case t == hub.TurnOver && s.oneTurn():
		s.leave()
	case t == hub.TurnOver:
		s.rest()
	case t == hub.TurnWaits && s.state == running:
		s.state = waiting
		s.room.Broadcast()
	case t == hub.TurnRuns && s.state == waiting && s.turn == nil: // the question was taken back, and there is no reader
		s.pool.cfg.Observer.Asks(AsksDropped, s.asked)
		s.cancel()
	case t == hub.TurnRuns && s.state == waiting: // likewise, but its client is there
		s.state = running
	}
	if s.turn != nil {
		s.turn.wake()
	}
}
