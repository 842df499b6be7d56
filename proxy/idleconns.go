package proxy

import (
	"net"
	"sync"

	"github.com/valyala/fasthttp"
)

// idleConns are the client connections that wait for a request. They are closed when the server ends: waiting for
// clients to do so could take for ever.
type idleConns struct {
	mu      sync.Mutex
	conns   map[net.Conn]bool // true: nothing was asked on it yet
	closing bool              // those are closed that were used
	closed  bool              // all are
}

// state follows a connection that fasthttp serves.
func (r *idleConns) state(c net.Conn, s fasthttp.ConnState) {
	switch s {
	case fasthttp.StateNew:
		r.put(c, true)
	case fasthttp.StateIdle:
		r.add(c)
	default:
		r.mu.Lock()
		delete(r.conns, c)
		r.mu.Unlock()
	}
}

func (r *idleConns) add(c net.Conn) { r.put(c, false) }

func (r *idleConns) put(c net.Conn, fresh bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.closing && !fresh {
		_ = c.Close()
		return
	}
	if r.conns == nil {
		r.conns = map[net.Conn]bool{}
	}
	r.conns[c] = fresh
}

// closeUsed closes those on which something was asked before, and from now on each that becomes idle. A client knows that these may be
// closed at any time; on a new one its first request may be on the way.
func (r *idleConns) closeUsed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closing = true
	for c, fresh := range r.conns {
		if !fresh {
			_ = c.Close()
			delete(r.conns, c)
		}
	}
}

// close closes all idle connections, and from now on each that becomes idle.
func (r *idleConns) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for c := range r.conns {
		_ = c.Close()
	}
	r.conns = nil
}
