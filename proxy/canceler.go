package proxy

import (
	"sync"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// canceler ends a stream from outside: the client left, the proxy shuts down. The first reason wins.
type canceler struct {
	mu         sync.Mutex
	cause      *hub.Failure
	abortRead  func()             // makes a blocked read from the upstream return
	known      *sharedRun         // the run that its client knows, and may find at another replica; guarded by the server
	limitWrite func(*hub.Failure) // makes a blocked write to the client return soon; set once, before the stream begins
}

// cancel ends the stream for a reason.
func (s *canceler) cancel(f *hub.Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cause != nil {
		return
	}
	s.cause = f
	if s.abortRead != nil {
		s.abortRead()
	}
	if s.limitWrite != nil {
		s.limitWrite(f)
	}
}

// OnCancel sets what makes a blocked read return; it is called at once if the stream was canceled before. It must not
// block. Once onCancel(nil) has returned, the function set before is not running and will not run.
func (s *canceler) OnCancel(cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abortRead = cancel
	if s.cause != nil && cancel != nil {
		cancel()
	}
}

// Failure is why the stream ends, nil while it may go on.
func (s *canceler) Failure() *hub.Failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cause
}
