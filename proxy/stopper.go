package proxy

import (
	"sync"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// stopper ends a stream from outside: the client left, the proxy shuts down. The first reason wins.
type stopper struct {
	mu     sync.Mutex
	cause  *hub.Failure
	cancel func()             // makes a blocked read from the upstream return
	hurry  func(*hub.Failure) // makes a blocked write to the client return soon; set once, before the stream begins
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
	if s.hurry != nil {
		s.hurry(f)
	}
}

// onStop sets what makes a blocked read return; it is called at once if the stream was stopped before. It must not
// block. Once onStop(nil) has returned, the function set before is not running and will not run.
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
