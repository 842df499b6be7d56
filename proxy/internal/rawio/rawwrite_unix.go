//go:build unix

package rawio

import "syscall"

// Writer writes to a socket. It is for one connection, so that writing allocates nothing.
type Writer struct {
	conn syscall.RawConn
	call func(fd uintptr) bool
	rest []byte
	err  error
}

// NewWriter returns nil for connections that are no bare sockets.
func NewWriter(c any) *Writer {
	conn := rawConn(c)
	if conn == nil {
		return nil
	}
	w := &Writer{conn: conn}
	w.call = w.try
	return w
}

// Write writes all of p and returns how much of it went out.
func (w *Writer) Write(p []byte) (int, error) {
	w.rest, w.err = p, nil
	err := w.conn.Write(w.call)
	n := len(p) - len(w.rest)
	w.rest = nil
	if err == nil {
		err = w.err
	}
	return n, err
}

// try writes what the socket takes; false means that it is full.
func (w *Writer) try(fd uintptr) bool {
	for len(w.rest) > 0 {
		n, err := rawWrite(fd, w.rest)
		switch err {
		case nil:
			w.rest = w.rest[n:]
		case syscall.EINTR:
		case syscall.EAGAIN:
			return false
		default:
			w.err = err
			return true
		}
	}
	return true
}
