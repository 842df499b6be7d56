package sessions

import (
	"errors"
	"os"
	"sync"
	"time"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/process"
)

// session is a conversation with an agent. It has a process while it has a turn, and for a time after that.
type session struct {
	pool          *Pool
	scope, thread string
	dir           string
	ownDir        bool
	chain         conversation.Chain // guarded by the pool
	claimed       bool               // guarded by the pool: a request is about to go on with it
	name          string             // guarded by the pool: see [Call.Name]

	mu    sync.Mutex
	room  sync.Cond // signalled when lines are taken, or no longer will be
	id    []byte    // by which the agent knows it; nil: it has not said
	model []byte
	peer  *peer // nil: there is no process
	state state
	turn  *Turn             // the reader; nil: none
	lines []byte            // that no turn has taken
	over  chan struct{}     // closed when the state is neither canceling nor leaving any more; nil: it is not
	since time.Time         // when the last turn ended
	timer *time.Timer       // runs what is due while there is no reader
	ids   map[string]string // of questions and calls that the client knows by another id
	asked int               // questions that are open
	wait  time.Duration     // how long they wait for answers

	wordsMu sync.Mutex         // never held for long, as mu is while lines are taken
	words   conversation.Words // guarded by wordsMu

	unresumed bool // the last process ended without a word of the session that it was to go on with: the agent may have lost it
}

// state is what the agent does.
type state uint8

const (
	idle state = iota
	running
	waiting   // for answers
	canceling // a turn without a reader
	leaving   // it has no turn any more, and its process, which holds no other, is being ended
)

// maxLines is how much of a turn waits to be read; then the agent is not read from.
const maxLines = 64 << 10

// cancelTime is how long an agent may take to end a turn that was cancelled. Then its process is ended.
const cancelTime = 5 * time.Second

// grace is how long each step may take that ends a process.
var grace = process.Grace{Stdin: 3 * time.Second, Term: 2 * time.Second}

var (
	errFull  = errors.New("process.max processes run, and each has a turn or waits for an answer")
	errEnded = errors.New("the process of the agent ended at once")
)

// newSession makes a session that has no process yet.
func (p *Pool) newSession(scope, thread string, model []byte) (*session, error) {
	s := &session{pool: p, scope: scope, thread: thread, dir: p.cfg.Dir, model: model, since: time.Now()}
	s.room.L = &s.mu
	if s.dir == "" {
		dir, err := os.MkdirTemp("", "sabir-session-")
		if err != nil {
			return nil, err
		}
		s.dir, s.ownDir = dir, true
	}
	p.add(s)
	return s, nil
}

func (s *session) waits() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == waiting
}

func (s *session) alive() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peer != nil
}

// dropExited lets go of a process that has exited between two turns, though what it has started may hold its output open for a while.
func (s *session) dropExited() {
	s.mu.Lock()
	var peer *peer
	if s.peer != nil && s.state == idle && s.peer.proc.Exit() != "" {
		peer = s.detach()
	}
	s.mu.Unlock()
	if peer != nil {
		s.pool.leaves(peer)
		go peer.proc.End()
	}
}

// idleSince is when the last turn ended; ok is false while there is one.
func (s *session) idleSince() (at time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.since, s.state == idle && s.turn == nil
}

// ask makes the agent begin a turn, or go on with the one that waits for answers. chain is what will have been said then.
func (s *session) ask(c *Call, req *hub.Request, chain conversation.Chain) (t *Turn, f *hub.Failure) {
	if t, f = s.reserve(req); f != nil {
		return nil, f
	}
	before := s.pool.chainOf(s)
	s.pool.head(s, chain) // before a process starts: another conversation that is alike must not be taken to this one
	defer func() {
		if f != nil {
			s.pool.head(s, before)
		}
	}()
	s.dropExited()
	if !s.alive() {
		if f := s.startPeer(c.Until); f != nil {
			t.Leave(0)
			return nil, f
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.peer == nil {
		s.unreserve()
		return nil, hub.Fail(hub.CodeReset, errEnded)
	}
	s.restoreIDs(req)
	lines, state, f := s.driveTurn(c, req)
	if f != nil {
		s.unreserve()
		return nil, f
	}
	switch {
	case s.state == idle:
		s.ids, s.lines = nil, nil // such as lines behind the question of a process that has died
		s.forgetWords()
	case len(req.Answers) == 0: // what came behind the question is of a turn that the user has left
		s.lines = nil
		s.room.Broadcast()
		s.pool.cfg.Observer.Asks(AsksDropped, s.asked)
	}
	if s.state = running; state == hub.TurnWaits {
		s.state = waiting
	}
	s.asked = 0
	s.stopTimer()
	s.peer.send(lines)
	t.Answered = len(req.Answers)
	return t, nil
}

// driveTurn has the driver ask for the turn. The caller holds s.mu.
func (s *session) driveTurn(c *Call, req *hub.Request) ([]byte, hub.TurnState, *hub.Failure) {
	lines, state, err := s.peer.driver.Turn(nil, req, c.Losses)
	lossy := c.Strict && len(c.Request.Chosen(c.Losses)) > 0
	if lossy || err != nil && s.oneTurn() {
		s.state = idle // the driver is in a turn that is not asked for, or the process waits for one that does not come
		go s.pool.end(s.detach())
	}
	switch {
	case err != nil:
		return nil, state, hub.Fail(hub.CodeUnreadable, err)
	case lossy:
		return nil, state, hub.Fail(hub.CodeLossy, nil)
	}
	return lines, state, nil
}

// reserve gives the session to a turn that is about to begin.
func (s *session) reserve(req *hub.Request) (*Turn, *hub.Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.turn != nil || s.state == running || s.state == canceling || s.state == leaving:
		return nil, hub.Fail(hub.CodeSessionBusy, nil)
	case s.state != waiting && len(req.Answers) > 0 && len(req.Messages) == 0:
		return nil, hub.Fail(hub.CodeAskUnknown, nil)
	}
	s.turn = &Turn{session: s, ready: make(chan struct{}, 1)}
	return s.turn, nil
}

// unreserve takes the session back from a turn that does not begin. The caller holds s.mu.
func (s *session) unreserve() {
	s.turn = nil
	if s.state == waiting {
		s.after(s.wait, s.expire)
	} else {
		s.rest()
	}
}

// oneTurn reports whether a process holds one turn.
func (s *session) oneTurn() bool { return s.pool.cfg.Dialect.Processes.OneTurn }

// free waits until a turn that was cancelled is over, and a process that has had its turn has ended: it may be writing down
// the session.
func (s *session) free(until time.Time) *hub.Failure {
	s.mu.Lock()
	over := s.over
	s.mu.Unlock()
	if over == nil {
		return nil
	}
	timer := time.NewTimer(min(time.Until(until), 2*cancelTime))
	defer timer.Stop()
	select {
	case <-over:
		return nil
	case <-timer.C:
		return hub.Fail(hub.CodeSessionBusy, nil)
	}
}

// startPeer starts a process for the session, for which it waits until the given time at most.
func (s *session) startPeer(until time.Time) *hub.Failure {
	cfg := &s.pool.cfg
	s.mu.Lock()
	about := hub.Session{ID: s.id, Dir: s.dir, Model: s.model, Options: cfg.Options}
	s.mu.Unlock()
	command := cfg.Command
	if more := cfg.Dialect.Processes.Arguments; more != nil {
		command = append(command[:len(command):len(command)], more(&about)...)
	}
	proc, err := s.pool.start(s, process.Spec{
		Command: command, Dir: s.dir, Env: cfg.Env, MaxLine: cfg.MaxLine, Headers: cfg.Dialect.Processes.Headers, Stderr: cfg.Observer.Stderr(), Grace: grace,
	}, until)
	switch {
	case errors.Is(err, errFull):
		return hub.Fail(hub.CodeLimit, err)
	case err != nil:
		return hub.Fail(hub.CodeUnreachable, err)
	}
	p := newPeer(proc, cfg.Dialect.Processes.NewDriver(&about))
	go p.write(s.oneTurn())
	s.mu.Lock()
	s.peer = p
	s.mu.Unlock()
	go s.read(p)
	go p.watch()
	go s.guard(p)
	return nil
}

// rest begins the time without a turn, after which the process is ended, and later the session forgotten. That of a pool that is replaced has
// no other turn, and ends at once. The caller holds s.mu.
func (s *session) rest() {
	s.state, s.since, s.asked = idle, time.Now(), 0
	s.room.Broadcast()
	if s.over != nil {
		close(s.over)
		s.over = nil
	}
	wait := s.pool.cfg.Idle
	if s.pool.retired.Load() {
		wait = 0
	}
	s.after(wait, s.endIdle)
}

// after does something once there was no reader for a time. The caller holds s.mu.
func (s *session) after(d time.Duration, do func()) {
	s.stopTimer()
	s.timer = time.AfterFunc(d, do)
}

func (s *session) stopTimer() {
	if s.timer != nil {
		s.timer.Stop()
	}
}

// endIdle ends the process of a session without a turn, and has the session forgotten later.
func (s *session) endIdle() {
	s.mu.Lock()
	if s.turn != nil || s.state != idle {
		s.mu.Unlock()
		return
	}
	peer := s.detach()
	s.after(s.pool.cfg.Keep, func() { s.pool.forget(s) })
	s.mu.Unlock()
	s.pool.end(peer)
}

// stop ends the process, whatever it does.
func (s *session) stop() {
	s.mu.Lock()
	peer := s.detach()
	s.fail(hub.Fail(hub.CodeShutdown, nil))
	s.stopTimer()
	s.mu.Unlock()
	s.pool.end(peer)
}

// detach takes the process from the session; nil if it has none. The caller holds s.mu.
func (s *session) detach() *peer {
	peer := s.peer
	s.peer = nil
	s.room.Broadcast()
	return peer
}

// expire refuses questions that were not answered in time.
func (s *session) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == waiting && s.turn == nil {
		s.pool.cfg.Observer.Asks(AsksExpired, s.asked)
		s.cancel()
	}
}

// cancel ends the turn of the agent; what it says until then is dropped. The caller holds s.mu.
func (s *session) cancel() {
	s.state, s.over, s.lines = canceling, make(chan struct{}), nil
	s.room.Broadcast()
	if s.peer == nil {
		s.rest()
		return
	}
	if s.oneTurn() {
		s.peer.proc.Interrupt()
	}
	s.peer.send(s.peer.driver.Cancel(nil))
	s.after(cancelTime, s.abandon)
}

// leave ends the process of an agent that has had its turn. Nothing else is done with the session before it has ended. The caller holds
// s.mu.
func (s *session) leave() {
	if s.state = leaving; s.over == nil {
		s.over = make(chan struct{})
	}
	s.room.Broadcast()
	s.stopTimer()
	go s.pool.end(s.peer)
}

// abandon ends the process of an agent that does not end a turn that was cancelled.
func (s *session) abandon() {
	s.mu.Lock()
	if s.state != canceling {
		s.mu.Unlock()
		return
	}
	if s.oneTurn() {
		s.leave()
		s.mu.Unlock()
		return
	}
	peer := s.detach()
	s.rest()
	s.mu.Unlock()
	s.pool.end(peer)
}

// fail ends the turn, if there is one, with a failure. The caller holds s.mu.
func (s *session) fail(f *hub.Failure) {
	if s.state == idle && s.turn == nil {
		return
	}
	if s.state == waiting && s.asked > 0 && s.turn == nil {
		s.pool.cfg.Observer.Asks(AsksDropped, s.asked)
	}
	if s.turn != nil && s.state != idle && s.state != leaving {
		s.turn.failure, s.ids = f, nil
		s.turn.wake()
	}
	s.rest()
}
