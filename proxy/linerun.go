package proxy

import (
	"bytes"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/internal/eventlog"
)

// On a route with resume, the turn of an editor belongs to the server: it goes on when the connection of the editor is gone, and one that
// comes back to the conversation reads it along, answers its questions and cancels it.

// shares reports whether turns of the client outlive its connection.
func (l *lineClient) shares(r *route) bool { return r.logs != nil && !l.alone }

// runShared runs the agent once, and lets the client read that for as long as it is there. It returns how the run has ended.
func (t *lineTurn) runShared(c *call) *hub.Failure {
	s := t.client.server
	run := c.shared
	t.moveTo(run)
	if f := s.admit(c.route, t.leaving, tenancy{}); f != nil {
		s.giveUp(c, f)
		t.refuse(f)
		return f
	}
	sink := &sharedLineSink{lineSink: lineSink{client: t.client, turn: t}}
	f := s.view(&viewer{call: c, run: run, asked: run.About.asked, how: joinOpens}, t.leaving, sink)
	if f == nil || !clientFault(f.Code) {
		return f
	}
	<-run.About.over
	return t.canceler.Failure()
}

// moveTo notes which run the turn has now.
func (t *lineTurn) moveTo(run *sharedRun) {
	t.mu.Lock()
	t.current = run
	close(t.moved)
	t.moved = make(chan struct{})
	t.mu.Unlock()
	if f := t.canceler.Failure(); f != nil { // it was cancelled before there was a run
		run.About.canceler.cancel(f)
	}
}

// next waits for the run behind one of a turn, nil if there is none, or who waits leaves.
func (t *lineTurn) next(of *sharedRun, left <-chan struct{}) *sharedRun {
	for {
		t.mu.Lock()
		run, moved := t.current, t.moved
		t.mu.Unlock()
		if run != of {
			return run
		}
		select {
		case <-moved:
		case <-t.over:
			return nil
		case <-left:
			return nil
		}
	}
}

// hasEnded reports whether the turn that the client reads along has ended, though the client may have yet to read the rest.
func (t *lineTurn) hasEnded() bool {
	if t.follows != nil {
		return t.follows.ended.Load()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.body == nil && t.current.Ended()
}

// end tells who waits for the turn that it is over.
func (t *lineTurn) end() {
	t.ended.Store(true)
	close(t.over)
}

// stop cancels the turn.
func (t *lineTurn) stop() {
	f := hub.Fail(hub.CodeCancelled, nil)
	t.canceler.cancel(f)
	if t.follows != nil {
		t.follows.stop()
		return
	}
	t.mu.Lock()
	run := t.current
	t.mu.Unlock()
	if run != nil {
		if f := t.client.server.stopShared(run); f != nil {
			t.client.server.rejected(f, string(t.client.request.URI().Path()), t.client.peer.String(), "")
		}
	}
}

// leave lets the client of the turn go.
func (t *lineTurn) leave() {
	if t.before != nil {
		t.before.leave()
	}
	f := hub.Fail(hub.CodeClientGone, nil)
	t.leaving.cancel(f)
	if !t.outlives() {
		t.canceler.cancel(f)
		return
	}
	t.once.Do(func() { close(t.left) })
}

// outlives reports whether the turn goes on without its client.
func (t *lineTurn) outlives() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.shared
}

// longestWait is how long the turn waits for answers. Without its client that is no longer than a run goes on without one.
func (t *lineTurn) longestWait(r *route) time.Duration {
	if t.leaving.Failure() != nil {
		return min(r.cfg.Asks.Wait, r.cfg.Resume.Grace)
	}
	return r.cfg.Asks.Wait
}

// newMessages is what the user of an editor says by the request, for those who come to its run while it goes on.
func (c *call) newMessages() []hub.Message {
	if c.answers != nil {
		return nil
	}
	asked := new(hub.Request)
	_ = c.target.dialect.Requests.DecodeRequest(asked, c.lines.body) // it was read before
	return asked.Messages
}

// goesOn returns the run of a conversation that goes on, for a client that comes back to it; nil if there is none. The caller holds l.mu.
func (l *lineClient) goesOn(r *route, key string, thread *hub.Thread) (*sharedRun, *hub.Failure) {
	if r.logs == nil || thread == nil || r.remembers() && !thread.Busy || l.turns[thread.ID] != nil {
		return nil, nil //nolint:nilnil // there is none
	}
	run, f := l.server.sharedRunOf(eventlog.Key{Scope: key, Kind: byThread, Name: thread.ID})
	if f != nil || run == nil || !thread.Busy && run.Ended() {
		return nil, f
	}
	thread.Messages = append(thread.Messages[:len(thread.Messages):len(thread.Messages)], run.About.said...)
	return run, nil
}

// follow lets a client that has come back to a conversation read the turn that goes on there. The caller holds l.mu.
func (l *lineClient) follow(r *route, thread string, run *sharedRun) {
	t := newLineTurn(l, r, l.target, thread, nil)
	t.shared, t.follows, t.current = true, run.About.turn, run
	l.turns[thread] = t
	l.all.Go(func() {
		defer t.end()
		defer l.freed(t)
		for run := run; run != nil && t.read(run); {
			if t.follows == nil {
				return
			}
			run = t.follows.next(run, t.left)
		}
	})
}

// read reads a run that another client has begun, and reports whether it has ended.
func (t *lineTurn) read(run *sharedRun) bool {
	l := t.client
	c := callOf(l.request, l.peer, t.route, t.target, subpath{}, string(randomID()))
	c.lines = t
	c.release()
	t.moveTo(run)
	how := &viewer{call: c, run: run, asked: run.About.asked, how: joinStart}
	sink := &sharedLineSink{lineSink: lineSink{client: l, turn: t}, overhears: true}
	if f := l.server.admit(t.route, t.leaving, tenancy{}); f != nil {
		l.server.rejected(f, c.path, c.peer, c.id)
		return false
	}
	return l.server.view(how, t.leaving, sink) == nil
}

// sharedLineSink writes a run that others may read for the client.
type sharedLineSink struct {
	lineSink
	overhears bool // the client has not asked for it: what answers the request is not for it
}

// write implements [sink].
func (s *sharedLineSink) write(out *wire.Out) error {
	s.keepOwn(out)
	return s.lineSink.write(out)
}

// end implements [sink].
func (s *sharedLineSink) end(out *wire.Out, f *hub.Failure) error {
	switch {
	case s.overhears:
		s.keepOwn(out)
		return s.lineSink.write(out)
	case f != nil && out.Records == 0:
		return s.refuse(f)
	}
	return s.lineSink.end(out, f)
}

// refuse implements [viewerSink].
func (s *sharedLineSink) refuse(f *hub.Failure) error {
	if !s.overhears {
		s.turn.refuse(f)
	}
	return nil
}

// keepOwn takes out what is for the client that has asked.
func (s *sharedLineSink) keepOwn(out *wire.Out) {
	if !s.overhears {
		return
	}
	own := out.Buf[:0]
	for line := range bytes.Lines(out.Buf) {
		if s.client.face.Overhears(line) {
			own = append(own, line...)
		}
	}
	out.Buf = own
}
