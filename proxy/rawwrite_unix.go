//go:build unix

package proxy

import "syscall"

// rawWriter writes to a socket. It is for one connection, so that writing allocates nothing.
type rawWriter struct {
	conn syscall.RawConn
	call func(fd uintptr) bool
	rest []byte
	err  error
}

// newRawWriter returns nil for connections that are no bare sockets.
func newRawWriter(c any) *rawWriter {
	conn := rawConn(c)
	if conn == nil {
		return nil
	}
	w := &rawWriter{conn: conn}
	w.call = w.try
	return w
}

// write writes all of p and returns how much of it went out.
func (w *rawWriter) write(p []byte) (int, error) {
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
func (w *rawWriter) try(fd uintptr) bool {
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
