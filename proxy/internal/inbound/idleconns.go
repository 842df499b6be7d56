package inbound

import (
	"net"
	"sync"

	"github.com/valyala/fasthttp"
)

// IdleConns are the client connections that wait for a request. They are closed when the server ends: waiting for
// clients to do so could take for ever.
type IdleConns struct {
	Mu      sync.Mutex
	Conns   map[net.Conn]bool // true: nothing was asked on it yet
	closing bool              // those are closed that were used
	closed  bool              // all are
}

// State follows a connection that fasthttp serves.
func (r *IdleConns) State(c net.Conn, s fasthttp.ConnState) {
	switch s {
	case fasthttp.StateNew:
		r.put(c, true)
	case fasthttp.StateIdle:
		r.Add(c)
	default:
		r.Mu.Lock()
		delete(r.Conns, c)
		r.Mu.Unlock()
	}
}

func (r *IdleConns) Add(c net.Conn) { r.put(c, false) }

func (r *IdleConns) put(c net.Conn, fresh bool) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	if r.closed || r.closing && !fresh {
		_ = c.Close()
		return
	}
	if r.Conns == nil {
		r.Conns = map[net.Conn]bool{}
	}
	r.Conns[c] = fresh
}

// CloseUsed closes those on which something was asked before, and from now on each that becomes idle. A client knows that these may be
// closed at any time; on a new one its first request may be on the way.
func (r *IdleConns) CloseUsed() {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	r.closing = true
	for c, fresh := range r.Conns {
		if !fresh {
			_ = c.Close()
			delete(r.Conns, c)
		}
	}
}

// Close closes all idle connections, and from now on each that becomes idle.
func (r *IdleConns) Close() {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	r.closed = true
	for c := range r.Conns {
		_ = c.Close()
	}
	r.Conns = nil
}
