//go:build unix

package rawio

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
)

// socket is a connection that is read and written by bare system calls. Both allocate nothing.
type socket struct {
	net.Conn
	conn syscall.RawConn

	writing  sync.Mutex
	write    func(fd uintptr) bool // writeSome
	rest     []byte
	writeErr error

	reading sync.Mutex
	read    func(fd uintptr) bool // readSome
	into    []byte
	n       int
	readErr error
}

func newConn(c net.Conn) net.Conn {
	conn := rawConn(c)
	if conn == nil {
		return c
	}
	s := &socket{Conn: c, conn: conn}
	s.write, s.read = s.writeSome, s.readSome
	return s
}

// SyscallConn implements syscall.Conn.
func (s *socket) SyscallConn() (syscall.RawConn, error) { return s.conn, nil }

// CloseWrite ends the sending side, as of TCP and of Unix sockets.
func (s *socket) CloseWrite() error {
	if c, ok := s.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return errors.ErrUnsupported
}

// SetLinger says what becomes of what was not sent when the connection is closed, as of TCP.
func (s *socket) SetLinger(sec int) error {
	if c, ok := s.Conn.(interface{ SetLinger(sec int) error }); ok {
		return c.SetLinger(sec)
	}
	return errors.ErrUnsupported
}

// Write implements net.Conn.
func (s *socket) Write(p []byte) (int, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.rest, s.writeErr = p, nil
	err := s.conn.Write(s.write)
	n := len(p) - len(s.rest)
	s.rest = nil
	if err == nil && s.writeErr == nil {
		return n, nil
	}
	return n, s.fault("write", err, s.writeErr)
}

// fault is the error of a call, as net says it: waiting is that of the wait for the socket, own that of the call itself.
func (s *socket) fault(op string, waiting, own error) error {
	var named *net.OpError
	switch errno, isErrno := own.(syscall.Errno); {
	case errors.As(waiting, &named):
		named.Op = op // of net it is raw-read or raw-write
		return named
	case waiting != nil:
		return waiting
	case isErrno:
		at := s.LocalAddr()
		return &net.OpError{Op: op, Net: at.Network(), Source: at, Addr: s.RemoteAddr(), Err: os.NewSyscallError(op, errno)}
	}
	return own
}

// writeSome writes what the socket takes; false means that it is full.
func (s *socket) writeSome(fd uintptr) bool {
	for len(s.rest) > 0 {
		n, err := rawWrite(fd, s.rest)
		switch err {
		case nil:
			s.rest = s.rest[n:]
		case syscall.EINTR:
		case syscall.EAGAIN:
			return false
		default:
			s.writeErr = err
			return true
		}
	}
	return true
}

// Read implements net.Conn.
func (s *socket) Read(p []byte) (int, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	s.into, s.n, s.readErr = p, 0, nil
	err := s.conn.Read(s.read)
	s.into = nil
	if err == nil && s.readErr == nil {
		return s.n, nil
	}
	return s.n, s.fault("read", err, s.readErr)
}

// readSome reads once; false means that the socket has nothing yet.
func (s *socket) readSome(fd uintptr) bool {
	for {
		n, err := rawRead(fd, s.into)
		switch {
		case err == syscall.EINTR:
			continue
		case err == syscall.EAGAIN:
			return false
		case err != nil:
			s.readErr = err
		case n == 0 && len(s.into) > 0:
			s.readErr = io.EOF
		default:
			s.n = n
		}
		return true
	}
}
