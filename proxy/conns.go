package proxy

import (
	"errors"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

// resting are the client connections that wait for a request. They are closed when the server ends: waiting for
// clients to do so could take for ever.
type resting struct {
	mu     sync.Mutex
	conns  map[net.Conn]struct{}
	closed bool
}

// state follows a connection that fasthttp serves.
func (r *resting) state(c net.Conn, s fasthttp.ConnState) {
	switch s {
	case fasthttp.StateNew, fasthttp.StateIdle:
		r.add(c)
	default:
		r.mu.Lock()
		delete(r.conns, c)
		r.mu.Unlock()
	}
}

func (r *resting) add(c net.Conn) {
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

// close closes all connections that rest, and from now on each that comes to rest.
func (r *resting) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for c := range r.conns {
		_ = c.Close()
	}
	r.conns = nil
}

// patientListener goes on when the system is short of something, as when the process has too many files open.
// fasthttp takes such an error of Accept for final, and the server would end while its streams could go on.
type patientListener struct {
	net.Listener
	closed <-chan struct{}
}

// acceptPause is how long to wait before the next attempt.
const acceptPause = 50 * time.Millisecond

// Accept implements net.Listener.
func (l patientListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err == nil || !isShortage(err) {
			return c, err
		}
		select {
		case <-l.closed:
			return nil, net.ErrClosed
		case <-time.After(acceptPause):
		}
	}
}

func isShortage(err error) bool {
	for _, e := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// unwrap returns the connection itself, and what the client has sent beyond its request.
func unwrap(c net.Conn) (net.Conn, []byte) {
	return bare(c), buffered(c)
}

// bare returns the connection that was accepted.
func bare(c net.Conn) net.Conn {
	if h, ok := c.(interface{ UnsafeConn() net.Conn }); ok {
		c = h.UnsafeConn()
	}
	if e, ok := c.(*earlyConn); ok {
		c = e.Conn
	}
	return c
}

// buffered reads what lies in buffers before the connection itself, which has a deadline in the past meanwhile.
func buffered(c net.Conn) (early []byte) {
	if c.SetReadDeadline(time.Unix(1, 0)) != nil {
		return nil
	}
	buf := make([]byte, 512)
	for {
		n, err := c.Read(buf)
		early = append(early, buf[:n]...)
		if err != nil || n == 0 {
			break
		}
	}
	_ = c.SetReadDeadline(time.Time{})
	return early
}

// earlyConn gives back what was read too early.
type earlyConn struct {
	net.Conn
	early []byte
}

// Read implements net.Conn.
func (c *earlyConn) Read(p []byte) (int, error) {
	if len(c.early) == 0 {
		return c.Conn.Read(p)
	}
	n := copy(p, c.early)
	c.early = c.early[n:]
	return n, nil
}
