//go:build unix

package rawio

import (
	"crypto/tls"
	"net"
	"syscall"
)

// Alive reports whether the server has kept an idle connection open: there is nothing to read, not even its end.
func Alive(c net.Conn) bool {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	sc, ok := c.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return false
	}
	// Reading is how the end shows; what is read is lost, but a server that speaks unasked is no use either.
	ok = false
	err = raw.Read(func(fd uintptr) bool {
		var one [1]byte
		_, err := rawRead(fd, one[:])
		ok = err == syscall.EAGAIN || err == syscall.EWOULDBLOCK
		return true
	})
	return err == nil && ok
}
