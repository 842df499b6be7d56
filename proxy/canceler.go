package proxy

import (
	"sync"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// canceler ends a stream from outside: the client left, the proxy shuts down. The first reason wins.
type canceler struct {
	mu         sync.Mutex
	cause      *hub.Failure
	abortRead  func()                  // makes a blocked read from the upstream return
	wakeRead   func()                  // does so, and leaves the upstream to be read on
	readsOn    func(*hub.Failure) bool // whether it is, where the stream ends so; nil: it is not
	known      *sharedRun              // the run that its client knows, and may find at another replica; guarded by the server
	limitWrite func(*hub.Failure)      // makes a blocked write to the client return soon; nil when the stream has ended
}

// cancel ends the stream for a reason.
func (s *canceler) cancel(f *hub.Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cause != nil {
		return
	}
	s.cause = f
	s.endRead()
	if s.limitWrite != nil {
		s.limitWrite(f)
	}
}

// end leaves the connection to the next stream of the client: who cancels this one from now on does not touch it.
func (s *canceler) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limitWrite = nil
}

// OnCancel sets what makes a blocked read return; it is called at once if the stream was canceled before. It must not
// block. Once onCancel(nil) has returned, the function set before is not running and will not run.
func (s *canceler) OnCancel(cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abortRead, s.wakeRead = cancel, nil
	if s.cause != nil {
		s.endRead()
	}
}

// OnWake sets what does so in its place where the upstream is to be read on when the stream has ended. It lasts as long as what
// [canceler.OnCancel] has set.
func (s *canceler) OnWake(wake func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wakeRead = wake; s.cause != nil {
		s.endRead()
	}
}

// endRead makes a blocked read return. s.mu is held.
func (s *canceler) endRead() {
	switch {
	case s.wakeRead != nil && s.readsOn != nil && s.readsOn(s.cause):
		s.wakeRead()
	case s.abortRead != nil:
		s.abortRead()
	}
}

// readOn says at which ends of the stream its upstream is to be read on, by another one; nil is none. It must not block.
func (s *canceler) readOn(wanted func(*hub.Failure) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readsOn = wanted
}

// Failure is why the stream ends, nil while it may go on.
func (s *canceler) Failure() *hub.Failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cause
}
