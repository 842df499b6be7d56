package upstream

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
)

// HandshakeError says that a server has taken a connection, of which no TLS came.
type HandshakeError struct{ err error }

// Error implements error.
func (e *HandshakeError) Error() string { return "TLS: " + e.err.Error() }

// Unwrap shows why to errors.As.
func (e *HandshakeError) Unwrap() error { return e.err }

// ErrNoCloseNotify says that a body which lasts as long as its connection was cut: whoever is on the way can end a connection, but not TLS, which
// ends with a close_notify (RFC 9112 §9.8).
var ErrNoCloseNotify = errors.New("the connection has ended without the close_notify of TLS")

// securedSocket is the socket under TLS. It notes its end, which TLS itself does not tell from a close_notify: behind that it reads no more.
type securedSocket struct {
	net.Conn
	ended atomic.Bool
}

// Read implements net.Conn.
func (s *securedSocket) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	if err == io.EOF {
		s.ended.Store(true)
	}
	return n, err
}

// SyscallConn implements syscall.Conn.
func (s *securedSocket) SyscallConn() (syscall.RawConn, error) {
	if c, ok := s.Conn.(syscall.Conn); ok {
		return c.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

// isCut reports whether a connection has ended before its TLS.
func (c *upstreamConn) isCut() bool {
	t, ok := c.Conn.(*tls.Conn)
	return ok && t.NetConn().(*securedSocket).ended.Load()
}

// hasMore reports whether TLS has taken more from the socket than was read of it: what came behind an answer would begin the next one. The deadline,
// which the next request replaces, keeps TLS from asking the socket for more.
func (c *upstreamConn) hasMore() bool {
	t, ok := c.Conn.(*tls.Conn)
	if !ok {
		return false
	}
	if err := t.SetReadDeadline(longAgo); err != nil {
		return true
	}
	_, err := t.Read(make([]byte, 1))
	return !rawio.IsTimeout(err)
}

var longAgo = time.Unix(1, 0)
