//go:build unix

package rawio

import (
	"crypto/tls"
	"net"
	"syscall"
)

// Alive reports whether the server has kept an idle connection open: there is nothing to read, not even its end. Reading is how the end
// shows; what is read is lost, but a server that speaks unasked is no use either.
func Alive(c net.Conn) bool {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	if _, ok := c.(syscall.Conn); !ok {
		return true
	}
	r := NewReader(c)
	return r != nil && r.Silent()
}
