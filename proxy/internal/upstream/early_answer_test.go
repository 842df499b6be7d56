package upstream

import (
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/config"
)

// scriptedConn has an answer ready, whatever becomes of the request.
type scriptedConn struct {
	net.Conn
	answer *strings.Reader
	sent   error
	closed bool
}

func (c *scriptedConn) Read(p []byte) (int, error)      { return c.answer.Read(p) }
func (c *scriptedConn) Write(p []byte) (int, error)     { return len(p), c.sent }
func (c *scriptedConn) SetDeadline(time.Time) error     { return nil }
func (c *scriptedConn) SetReadDeadline(time.Time) error { return nil }
func (c *scriptedConn) Close() error                    { c.closed = true; return nil }

// TestAnswerBeforeTheWholeRequest: an answer counts though the request could not be sent whole, but the connection, on which
// half a request stands, takes no other.
func TestAnswerBeforeTheWholeRequest(t *testing.T) {
	t.Parallel()
	for _, sent := range []error{nil, syscall.EPIPE} {
		u := &Instance{Upstream: &Upstream{Cfg: &config.Upstream{}, MaxHeader: commonHeader}}
		u.Upstream.Cfg.Timeouts.FirstByte, u.Upstream.Cfg.Timeouts.IdleConnection = time.Minute, time.Minute
		conn := &scriptedConn{answer: strings.NewReader("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno"), sent: sent}
		req := fasthttp.AcquireRequest()
		req.SetRequestURI("http://h/")
		req.SetBodyString("{}")
		body, err := (&upstreamConn{Conn: conn, owner: u}).exchange(req, time.Now().Add(time.Minute), func() {})
		if err != nil {
			t.Fatalf("sent %v: %v", sent, err)
		}
		if r := body.Refuse(); r.Status != 413 || r.Body != "no" {
			t.Errorf("sent %v: status %d, %q", sent, r.Status, r.Body)
		}
		if kept := len(u.idle) == 1; kept == conn.closed || kept != (sent == nil) {
			t.Errorf("sent %v: kept %t, closed %t", sent, kept, conn.closed)
		}
		u.retire()
	}
}
