// Package sessions keeps the conversations of agents that are child processes: which process has which, what the client has said in
// it so far, and what the agent waits for.
//
//   - pool.go: [Pool], the sessions of one upstream, with their bounds.
//   - find.go: the session that a request goes on with, and what is new in it.
//   - session.go: a session with its process. loop.go: the lines between process and driver.
//   - turn.go: [Turn], what the proxy reads. turnread.go: how it reads from the process itself.
//
// A session outlives its process: a new one goes on where the agent can do so, else the new one receives the history.
package sessions

import (
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/process"
)

// Config says what agents a pool runs.
type Config struct {
	Command  []string
	Dialect  *hub.Dialect
	Options  hub.Options
	Dir      string   // empty: one for each session
	Env      []string // the whole environment
	MaxLine  int
	Max      int           // processes at the same time
	Idle     time.Duration // of a process without a turn
	Keep     time.Duration // of a session without a turn
	Sessions int           // at most
	Memory   int64         // that a process may hold; 0: any
	Preamble bool          // a new session receives what was said elsewhere; else such requests are refused
	Observer Observer
}

// An Observer is notified of what happens beside turns. Its methods must not block.
type Observer interface {
	// Process reports a process that has started (nil) or ended; how is for the log.
	Process(started bool, how string)

	// Outgrown reports a process that is killed because it holds too much memory.
	Outgrown(why error)

	// Stderr returns what gets the lines that one process writes there; nil: they are dropped.
	Stderr() Stderr

	// Asks reports what became of questions: AsksExpired, AsksDropped.
	Asks(outcome string, n int)
}

// Stderr gets what one process writes to stderr. See [process.Stderr].
type Stderr interface {
	Line(line []byte, whole bool)
	End()
}

// Outcomes of questions that no client answers.
const (
	AsksExpired = "expired" // not answered in time
	AsksDropped = "dropped" // the user went on, or the process ended
)

// Pool holds the sessions of one upstream.
type Pool struct {
	cfg Config

	mu      sync.Mutex
	threads map[threadKey]*session
	heads   map[headKey][]*session // those that clients do not name, by what was said last
	all     map[*session]struct{}
	running int           // processes
	ending  int           // those of them that are being ended
	freed   chan struct{} // closed when the next of them has ended
	retired atomic.Bool
	ends    sync.WaitGroup // processes that are being ended
}

// threadKey names a conversation as a client does; scope separates routes and principals.
type threadKey struct{ scope, thread string }

// headKey finds a conversation by all that the user has said in it.
type headKey struct {
	scope string
	head  conversation.Link
}

// NewPool makes an empty pool.
func NewPool(cfg Config) *Pool {
	return &Pool{cfg: cfg, threads: map[threadKey]*session{}, heads: map[headKey][]*session{}, all: map[*session]struct{}{}, freed: make(chan struct{})}
}

// Counts are what a pool holds at a time.
type Counts struct{ Sessions, Processes, Waiting int }

// Add is what two pools hold together.
func (c Counts) Add(other Counts) Counts {
	return Counts{c.Sessions + other.Sessions, c.Processes + other.Processes, c.Waiting + other.Waiting}
}

// Counts counts.
func (p *Pool) Counts() Counts {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := Counts{Sessions: len(p.all), Processes: p.running}
	for s := range p.all {
		if s.waits() {
			c.Waiting++
		}
	}
	return c
}

// Retire ends the processes that have no turn, now and when their turns end: the pool is replaced.
func (p *Pool) Retire() {
	for _, s := range p.retire() {
		s.endIdle()
	}
}

// Close ends everything and returns when nothing is left.
func (p *Pool) Close() {
	for _, s := range p.retire() {
		p.ends.Go(func() { p.forget(s) })
	}
	p.ends.Wait()
	p.awaitProcesses(time.NewTimer(2 * (grace.Stdin + grace.Term)))
}

// awaitProcesses waits for the end of processes that sessions have let go of before.
func (p *Pool) awaitProcesses(timer *time.Timer) {
	defer timer.Stop()
	for {
		p.mu.Lock()
		running, freed := p.running, p.freed
		p.mu.Unlock()
		if running == 0 {
			return
		}
		select {
		case <-freed:
		case <-timer.C:
			return
		}
	}
}

func (p *Pool) retire() (all []*session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.retired.Store(true)
	for s := range p.all {
		all = append(all, s)
	}
	return all
}

// add takes a session in, and forgets the one that was idle longest if there are too many.
func (p *Pool) add(s *session) {
	p.mu.Lock()
	p.all[s] = struct{}{}
	if s.thread != "" {
		p.threads[threadKey{s.scope, s.thread}] = s
	}
	var old *session
	if len(p.all) > p.cfg.Sessions {
		old = p.idlest(s, func(*session) bool { return true })
	}
	p.mu.Unlock()
	if old != nil {
		p.forget(old)
	}
}

// idlest is the session without a turn that was idle longest, of those that match; nil if all have turns.
func (p *Pool) idlest(but *session, match func(*session) bool) (oldest *session) {
	var since time.Time
	for s := range p.all {
		if s == but {
			continue
		}
		if at, idle := s.idleSince(); idle && match(s) && (oldest == nil || at.Before(since)) {
			oldest, since = s, at
		}
	}
	return oldest
}

// forget ends a session, with its process and its directory.
func (p *Pool) forget(s *session) {
	p.mu.Lock()
	_, known := p.all[s]
	delete(p.all, s)
	for _, name := range []string{s.thread, s.name} {
		if key := (threadKey{s.scope, name}); p.threads[key] == s {
			delete(p.threads, key)
		}
	}
	p.unhead(s)
	p.mu.Unlock()
	if known {
		s.stop()
		if s.ownDir {
			_ = os.RemoveAll(s.dir)
		}
	}
}

// name names a session by its last turn.
func (p *Pool) name(s *session, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.threads, threadKey{s.scope, s.name})
	if _, known := p.all[s]; known {
		s.name = name
		p.threads[threadKey{s.scope, name}] = s
	}
}

// head notes what was said last in a session that the client does not name.
func (p *Pool) head(s *session, chain conversation.Chain) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unhead(s)
	s.chain = chain
	if n := len(chain); n > 0 && s.thread == "" {
		key := headKey{s.scope, chain[n-1]}
		p.heads[key] = append(p.heads[key], s)
	}
}

func (p *Pool) unhead(s *session) {
	n := len(s.chain)
	if n == 0 {
		return
	}
	key := headKey{s.scope, s.chain[n-1]}
	list := p.heads[key]
	for i := range list {
		if list[i] == s {
			list = append(list[:i:i], list[i+1:]...)
			break
		}
	}
	if p.heads[key] = list; len(list) == 0 {
		delete(p.heads, key)
	}
}

// start starts a process, when there is a place for it.
func (p *Pool) start(s *session, spec process.Spec, until time.Time) (*process.Process, error) {
	if err := p.place(s, until); err != nil {
		return nil, err
	}
	proc, err := process.Start(spec)
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.free()
		return nil, err
	}
	p.cfg.Observer.Process(true, "")
	return proc, nil
}

// place takes a place for a process. If there is none, it ends the process that was idle longest, or waits for one that is being ended.
func (p *Pool) place(s *session, until time.Time) error {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.running >= p.cfg.Max {
		old, freed := p.idlest(s, (*session).alive), p.freed
		if old == nil && p.ending == 0 {
			return errFull
		}
		p.mu.Unlock()
		if old != nil {
			old.endIdle()
		} else {
			select {
			case <-freed:
			case <-timer.C:
			}
		}
		p.mu.Lock()
		if !time.Now().Before(until) {
			return errFull
		}
	}
	p.running++
	return nil
}

// free gives a place back. The caller holds p.mu.
func (p *Pool) free() {
	p.running--
	close(p.freed)
	p.freed = make(chan struct{})
}

// end ends a process, nil for none, with everything that it has started.
func (p *Pool) end(peer *peer) {
	if peer == nil {
		return
	}
	p.leaves(peer)
	peer.proc.End()
}

// leaves notes that a process is being ended.
func (p *Pool) leaves(peer *peer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !peer.ending {
		peer.ending = true
		p.ending++
	}
}

// ended notes that a process has ended, of itself or not.
func (p *Pool) ended(peer *peer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if peer.ending {
		p.ending--
	}
	peer.ending = true // end has nothing to do any more
	p.free()
}
