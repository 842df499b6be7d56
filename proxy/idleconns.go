package proxy

import (
	"net"
	"sync"

	"github.com/valyala/fasthttp"
)

// idleConns are the client connections that wait for a request. They are closed when the server ends: waiting for
// clients to do so could take for ever.
type idleConns struct {
	mu     sync.Mutex
	conns  map[net.Conn]struct{}
	closed bool
}

// state follows a connection that fasthttp serves.
func (r *idleConns) state(c net.Conn, s fasthttp.ConnState) {
	switch s {
	case fasthttp.StateNew, fasthttp.StateIdle:
		r.add(c)
	default:
		r.mu.Lock()
		delete(r.conns, c)
		r.mu.Unlock()
	}
}

func (r *idleConns) add(c net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		_ = c.Close()
		return
	}
	if r.conns == nil {
		r.conns = map[net.Conn]struct{}{}
	}
	r.conns[c] = struct{}{}
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
