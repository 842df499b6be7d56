package inbound

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

// TestIdleConns closes what rests, and what comes to rest later.
func TestIdleConns(t *testing.T) {
	t.Parallel()
	var r IdleConns
	one, oneEnd := net.Pipe()
	two, twoEnd := net.Pipe()
	three, threeEnd := net.Pipe()
	r.State(one, fasthttp.StateNew)
	r.State(two, fasthttp.StateNew)
	r.State(two, fasthttp.StateActive)
	r.Close()
	isClosed := func(c net.Conn) bool {
		_ = c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		_, err := c.Read(make([]byte, 1))
		return errors.Is(err, io.EOF)
	}
	if !isClosed(oneEnd) {
		t.Error("a connection that rests is open")
	}
	if isClosed(twoEnd) {
		t.Error("a connection with a request is closed")
	}
	r.State(two, fasthttp.StateIdle)
	if !isClosed(twoEnd) {
		t.Error("a connection that comes to rest is open")
	}
	r.Add(three)
	if !isClosed(threeEnd) {
		t.Error("a connection that is added is open")
	}
}

// TestIdleConnsCloseUsed: connections that were used are closed, those that come later too; new ones are not.
func TestIdleConnsCloseUsed(t *testing.T) {
	t.Parallel()
	var idle IdleConns
	closed := func(c net.Conn) bool {
		_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
		_, err := c.Read(make([]byte, 1))
		return err == io.EOF
	}
	pipe := func(fresh bool) net.Conn {
		near, far := net.Pipe()
		t.Cleanup(func() { near.Close(); far.Close() })
		idle.put(near, fresh)
		return far
	}
	used, fresh := pipe(false), pipe(true)
	idle.CloseUsed()
	if !closed(used) || closed(fresh) || len(idle.Conns) != 1 {
		t.Errorf("%d are left", len(idle.Conns))
	}
	if later, unused := pipe(false), pipe(true); !closed(later) || closed(unused) {
		t.Error("of those that come later, the wrong ones are closed")
	}
	idle.Close()
	if last := pipe(true); !closed(fresh) || !closed(last) {
		t.Error("at the end, some are open")
	}
}

// TestHTTP2StreamThatIsOver: once the library has a stream back, it gets no more deadlines.
func TestHTTP2StreamThatIsOver(t *testing.T) {
	t.Parallel()
	c := &Stream{control: http.NewResponseController(httptest.NewRecorder()), ended: true}
	if err := c.SetDeadline(time.Time{}); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

// TestNothingFollowsABodyWithoutEnd: where it is unknown how much of a body is to come, what follows is never taken for a request, even if the
// connection is read on.
func TestNothingFollowsABodyWithoutEnd(t *testing.T) {
	t.Parallel()
	ours, theirs := net.Pipe()
	defer ours.Close()
	defer theirs.Close()
	next := []byte("GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n")
	c := &Conn{Conn: ours, stage: stageServing, left: anyLeft, buf: next, w: len(next), listener: &Listener{Header: 1 << 10, Read: 10 * time.Second}}
	if n, err := c.Read(make([]byte, 100)); n != 0 || err != io.EOF {
		t.Errorf("%d bytes were read, %v", n, err)
	}
}
