package rawio

import (
	"crypto/tls"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// States of a TCP connection, as the kernel numbers them.
const (
	tcpClosed    = 7
	tcpCloseWait = 8 // the other side has said that it sends no more
)

// ResetFollows waits, after the other side has ended its half of a connection, until it is known whether what was written before came
// too late: it is reset then, as no program has the socket any more. What is acknowledged instead was taken by a socket that a program
// holds, and may have read. What is not known after the given time counts as taken, as does what the kernel does not tell.
func ResetFollows(c net.Conn, wait time.Duration) bool {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	sc, ok := c.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return false
	}
	const most = 20 * time.Millisecond
	for until, pause := time.Now().Add(wait), time.Millisecond/4; ; pause = min(2*pause, most) {
		var known, reset bool
		if err := raw.Control(func(fd uintptr) { known, reset = outcome(int(fd)) }); err != nil || known {
			return reset
		}
		if !time.Now().Before(until) {
			return false
		}
		time.Sleep(pause)
	}
}

// outcome is what the kernel knows of what was written to a socket.
func outcome(fd int) (known, reset bool) {
	info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return true, false // a unix socket: what its other end has not read is a reset at once
	}
	switch info.State {
	case tcpClosed:
		n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
		return true, err == nil && IsReset(syscall.Errno(n))
	case tcpCloseWait:
		waiting, err := unix.IoctlGetInt(fd, unix.SIOCOUTQ)
		return err != nil || waiting == 0, false
	}
	return false, false // of TLS only the end of its records has come
}
