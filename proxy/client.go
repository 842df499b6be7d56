package proxy

import (
	"errors"
	"net"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// clientConn writes to a client within a time limit per write.
type clientConn struct {
	net.Conn
	patience time.Duration
	armed    time.Time
}

// Write fails with CodeClientSlow when the client does not read for too long, with CodeClientGone when it has left.
func (c *clientConn) Write(p []byte) (int, error) {
	now := time.Now()
	// Moving the deadline costs a timer each time; twice per period is exact enough.
	if c.armed.Sub(now) < c.patience {
		c.armed = now.Add(c.patience + c.patience/2)
		if err := c.SetWriteDeadline(c.armed); err != nil {
			return 0, hub.Fail(hub.CodeClientGone, err)
		}
	}
	n, err := c.Conn.Write(p)
	switch {
	case err == nil:
		return n, nil
	case isTimeout(err):
		return n, hub.Fail(hub.CodeClientSlow, err)
	}
	return n, hub.Fail(hub.CodeClientGone, err)
}

// httpSink is a client that reads an HTTP response.
type httpSink struct {
	conn    *clientConn
	header  fasthttp.ResponseHeader // of the response, but for status and type
	dialect *hub.Dialect
	chunked bool // HTTP/1.1; older clients read to the end of the connection
	close   bool // the connection ends with the response
	began   bool
	first   []byte
}

// chunkRoom is what stands before the data of a chunk: up to eight hexadecimal digits and a line end.
const chunkRoom = 10

// begin implements sink.
func (s *httpSink) begin(out *wire.Out) {
	if s.chunked {
		out.Buf = append(out.Buf, "00000000\r\n"...)
	}
}

// write implements sink. The first write carries the response header as well.
func (s *httpSink) write(out *wire.Out) error {
	p := s.chunk(out)
	if !s.began {
		s.began = true
		s.first = append(s.startHeader(out.Framing()), p...)
		p = s.first
	}
	_, err := s.conn.Write(p)
	s.first = nil
	return err
}

// chunk frames what out holds. Its size is written right before the data, so that it has no leading zeros.
func (s *httpSink) chunk(out *wire.Out) []byte {
	if !s.chunked {
		return out.Buf
	}
	const digits = "0123456789abcdef"
	n := len(out.Buf) - chunkRoom
	at := chunkRoom - 2
	for {
		at--
		out.Buf[at] = digits[n&15]
		if n >>= 4; n == 0 {
			break
		}
	}
	out.Buf = append(out.Buf, "\r\n"...)
	return out.Buf[at:]
}

func (s *httpSink) startHeader(f wire.Framing) []byte {
	h := &s.header
	h.SetStatusCode(200)
	if len(h.ContentType()) == 0 {
		h.SetContentType(f.ContentType())
	}
	// Keep caches, compressing middle boxes and buffering proxies from holding the stream back.
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	if s.chunked {
		h.SetContentLength(-1)
	} else {
		h.SetContentLength(-2)
	}
	if s.close {
		h.SetConnectionClose()
	}
	return h.AppendBytes(nil)
}

// end implements sink.
func (s *httpSink) end(f *hub.Failure) error {
	if !s.began {
		return s.refuse(f)
	}
	if !s.chunked {
		return nil
	}
	_, err := s.conn.Write([]byte("0\r\n\r\n"))
	return err
}

// refuse answers with a status instead of a stream.
func (s *httpSink) refuse(f *hub.Failure) error {
	s.began = true
	if f == nil { // the run ended well without one record: an answer, but an empty one
		f = hub.Fail(hub.CodeTruncated, errors.New("no record was written"))
	}
	var resp fasthttp.Response
	s.header.CopyTo(&resp.Header)
	fillFailure(&resp, s.dialect, f)
	if s.close {
		resp.SetConnectionClose()
	}
	_, err := resp.WriteTo(s.conn)
	return err
}

// fillFailure makes resp the answer to a request that failed before its first byte.
func fillFailure(resp *fasthttp.Response, d *hub.Dialect, f *hub.Failure) {
	appendBody := hub.AppendFailure
	if d != nil && d.AppendFailure != nil {
		appendBody = d.AppendFailure
	}
	status := f.HTTPStatus()
	resp.SetStatusCode(status)
	resp.Header.SetContentType("application/json")
	resp.Header.Set("Cache-Control", "no-store")
	resp.Header.Set("X-Sabir-Error", string(f.Code))
	if status == fasthttp.StatusServiceUnavailable {
		resp.Header.Set("Retry-After", strconv.Itoa(1))
	}
	resp.SetBody(appendBody(nil, f))
}
