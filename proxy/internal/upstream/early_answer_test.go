package upstream

import (
	"fmt"
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

// answering is an instance, and a connection to it on which an answer is there.
func answering(answer string) (*Instance, *upstreamConn) {
	u := &Instance{Upstream: &Upstream{Cfg: &config.Upstream{}, MaxHeader: commonHeader}}
	u.Upstream.Cfg.Timeouts.FirstByte, u.Upstream.Cfg.Timeouts.IdleConnection = time.Minute, time.Minute
	return u, &upstreamConn{Conn: &scriptedConn{answer: strings.NewReader(answer)}, owner: u}
}

// TestAnswerBeforeTheWholeRequest: an answer counts though the request could not be sent whole, but the connection, on which
// half a request stands, takes no other.
func TestAnswerBeforeTheWholeRequest(t *testing.T) {
	t.Parallel()
	for _, sent := range []error{nil, syscall.EPIPE} {
		u, c := answering("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
		conn := c.Conn.(*scriptedConn)
		conn.sent = sent
		req := fasthttp.AcquireRequest()
		req.SetRequestURI("http://h/")
		req.SetBodyString("{}")
		body, err := c.exchange(req, time.Now().Add(time.Minute), func() {})
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

// TestMoreThanTheAnswer: a connection takes no other request where more came together with the header than its answer, however it is read.
func TestMoreThanTheAnswer(t *testing.T) {
	t.Parallel()
	const chunked, next = "Transfer-Encoding: chunked", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
	for _, size := range []int{1, MaxDetail - 1, MaxDetail, MaxDetail + 1} {
		length, text := fmt.Sprintf("Content-Length: %d", size), strings.Repeat("x", size)
		coded := text[:max(size-12, 1)]
		coded = fmt.Sprintf("%03x\r\n%s\r\n0\r\n\r\n", len(coded), coded)
		for _, c := range []struct {
			framing, body string
			kept          bool
		}{{length, text, true}, {length, text + next, false}, {chunked, coded, true}, {chunked, coded + next, false}} {
			u, conn := answering("HTTP/1.1 400 No\r\n" + c.framing + "\r\n\r\n" + c.body)
			req := fasthttp.AcquireRequest()
			req.SetRequestURI("http://h/")
			body, err := conn.exchange(req, time.Now().Add(time.Minute), func() {})
			if err != nil {
				t.Fatal(err)
			}
			body.Refuse()
			if kept := len(u.idle) == 1; kept != c.kept {
				t.Errorf("%s, %d bytes of body: kept %t", c.framing, len(c.body), kept)
			}
			u.retire()
		}
	}
}
