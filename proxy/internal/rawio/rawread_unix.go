//go:build unix

package rawio

import (
	"io"
	"syscall"
)

// Reader reads from a socket without holding a buffer while it waits: the buffer is taken when there is something
// to read. It is for one connection, so that reading allocates nothing.
type Reader struct {
	conn  syscall.RawConn
	call  func(fd uintptr) bool
	into  *Buffer
	limit int64 // bytes to read at most; 0 is no limit
	got   []byte
	err   error

	probe  func(fd uintptr) bool
	one    [1]byte
	silent bool
}

// NewReader returns nil for connections that are no bare sockets.
func NewReader(c any) *Reader {
	conn := rawConn(c)
	if conn == nil {
		return nil
	}
	r := &Reader{conn: conn}
	r.call, r.probe = r.try, r.look
	return r
}

// Silent is what [Alive] is for the connection.
func (r *Reader) Silent() bool {
	r.silent = false
	return r.conn.Read(r.probe) == nil && r.silent
}

func (r *Reader) look(fd uintptr) bool {
	_, err := rawRead(fd, r.one[:])
	r.silent = err == syscall.EAGAIN || err == syscall.EWOULDBLOCK
	return true
}

// Read returns what it has put into the room of b.
func (r *Reader) Read(b *Buffer, limit int64) ([]byte, error) {
	r.into, r.limit, r.got, r.err = b, limit, nil, nil
	err := r.conn.Read(r.call)
	got := r.got
	r.into, r.got = nil, nil // an idle connection holds no buffer
	if err != nil {
		b.releaseShared()
		return nil, err
	}
	return got, r.err
}

// try reads once; false means that the socket has nothing yet.
func (r *Reader) try(fd uintptr) bool {
	p := r.into.SharedRoom()
	if r.limit > 0 && int64(len(p)) > r.limit {
		p = p[:r.limit]
	}
	for {
		n, err := rawRead(fd, p)
		switch {
		case err == syscall.EINTR:
			continue
		case err == syscall.EAGAIN:
			r.into.releaseShared()
			return false
		case err != nil:
			r.err = err
		case n == 0:
			r.err = io.EOF
		default:
			r.got = p[:n]
		}
		return true
	}
}

// rawConn returns nil for connections that are no bare sockets.
func rawConn(c any) syscall.RawConn {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return nil
	}
	conn, err := sc.SyscallConn()
	if err != nil {
		return nil
	}
	return conn
}
