package proxy

import (
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
)

// clientConn writes to a client within a time limit per write.
type clientConn struct {
	net.Conn
	writeTimeout time.Duration

	mu    sync.Mutex // a WebSocket client is answered by two goroutines
	armed time.Time  // write deadline that is set
	last  bool       // the stream was stopped: each write has the time of a last one
	cut   bool       // and its client gets nothing more: the deadline stands
}

// Write fails with CodeClientSlow when the client does not read for too long, with CodeClientGone when it has left.
func (c *clientConn) Write(p []byte) (int, error) {
	if err := c.arm(time.Now()); err != nil {
		return 0, hub.Fail(hub.CodeClientGone, err)
	}
	n, err := c.Conn.Write(p)
	switch {
	case err == nil:
		return n, nil
	case rawio.IsTimeout(err):
		return n, hub.Fail(hub.CodeClientSlow, err)
	}
	return n, hub.Fail(hub.CodeClientGone, err)
}

// arm moves the deadline. That costs a timer each time; twice per period is exact enough.
func (c *clientConn) arm(now time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.cut, !c.last && c.armed.Sub(now) >= c.writeTimeout:
		return nil
	case c.last: // the end of a stream may have waited for the store, or for the machine: that time is not the client's
		return c.SetWriteDeadline(now.Add(inbound.FinalWriteTimeout))
	}
	c.armed = now.Add(c.writeTimeout + c.writeTimeout/2)
	return c.SetWriteDeadline(c.armed)
}

// limitWrite ends a write that the client blocks, and each later one: at once if it is cut, else after [inbound.FinalWriteTimeout]. The last call
// decides: the close frame of a session follows its streams, also those whose client has left.
func (c *clientConn) limitWrite(f *hub.Failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last, c.cut = true, isCut(f)
	until := time.Unix(1, 0)
	if !c.cut {
		until = time.Now().Add(inbound.FinalWriteTimeout)
	}
	_ = c.SetWriteDeadline(until)
}

// httpSink is a client that reads an HTTP response.
type httpSink struct {
	conn    *clientConn
	header  *fasthttp.ResponseHeader // of the response, but for status and type; nil once it was written
	dialect *hub.Dialect
	chunked bool // HTTP/1.1; older clients read to the end of the connection, and in HTTP/2 the end of a body shows without
	close   bool // the connection ends with the response
	began   bool
	ended   bool // nothing is missing, as far as it could be written
	lasts   bool // the body ends with its connection
	cut     bool // so does this one, and something is missing

	known    func()                   // called once when the client has got something; nil: not needed
	over     bool                     // without records, the answer is that there is nothing and will be nothing
	head     bool                     // the client wants no body
	passed   *fasthttp.ResponseHeader // of an answer that passes as it is; nil for streams
	bodiless bool                     // and that has no body
	asked    *hub.Request             // that is answered; nil where it was not read
	media    string                   // what the upstream labels a copied stream of JSON values as, if that is JSON
}

// releaseHeader gives the memory of the header back: streams are long.
func (s *httpSink) releaseHeader() {
	fields.ReleaseHeader(s.header)
	s.header = nil
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
	err := s.send(out, s.chunk(out))
	if s.known != nil && err == nil {
		s.known()
		s.known = nil
	}
	return err
}

// end implements sink.
func (s *httpSink) end(out *wire.Out, f *hub.Failure) error {
	s.ended = true
	if s.over && !s.began && out.Records == 0 {
		return s.answer(func(resp *fasthttp.Response) { resp.SetStatusCode(fasthttp.StatusNoContent) })
	}
	if !s.began && f != nil && (out.Records == 0 || s.passed != nil) {
		return s.refuse(f)
	}
	p := s.chunk(out)
	if s.passed != nil && f != nil {
		s.close, s.cut = true, s.lasts // that is how the client learns that something is missing
	} else if s.chunked {
		p = append(p, "0\r\n\r\n"...)
	}
	return s.send(out, p)
}

// chunk frames what out holds; nothing if it holds nothing, since an empty chunk would end the body. The size is
// written right before the data, so that it has no leading zeros.
func (s *httpSink) chunk(out *wire.Out) []byte {
	if !s.chunked {
		return out.Buf
	}
	n := len(out.Buf) - chunkRoom
	if n == 0 {
		return out.Buf[:0]
	}
	const digits = "0123456789abcdef"
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

// send writes p, which is of a body. The response header stands before the first bytes of one.
func (s *httpSink) send(out *wire.Out, p []byte) error {
	if !s.began {
		s.began = true
		buf := rawio.Buffers.Get().(*[]byte)
		defer rawio.Buffers.Put(buf)
		p = append(s.answerHeader((*buf)[:0], out.Framing()), p...)
		s.releaseHeader()
	}
	if len(p) == 0 {
		return nil
	}
	_, err := s.conn.Write(p)
	return err
}

// answerHeader appends the header of the answer: the upstream's if that passes, else that of a stream.
func (s *httpSink) answerHeader(head []byte, f wire.Framing) []byte {
	if s.passed != nil {
		return s.passed.AppendBytes(head)
	}
	return s.startHeader(head, f)
}

func (s *httpSink) startHeader(head []byte, f wire.Framing) []byte {
	h := s.header
	h.SetStatusCode(fasthttp.StatusOK)
	h.SetContentType(f.ContentType())
	if s.media != "" && (f == wire.NDJSON || f == wire.Concat) {
		h.SetContentType(s.media)
	}
	if s.dialect != nil && f == s.dialect.Framing {
		s.ofDialect(h)
	}
	// Keep caches, compressing middle boxes and buffering proxies from holding the stream back.
	fields.SetResponse(h, "Cache-Control", "no-cache, no-transform")
	fields.SetResponse(h, "X-Accel-Buffering", "no")
	if s.chunked {
		h.SetContentLength(-1)
	} else {
		h.SetContentLength(-2)
	}
	if s.close {
		h.SetConnectionClose()
	}
	return h.AppendBytes(head)
}

// ofDialect sets what the clients of a dialect look for in the header of a response.
func (s *httpSink) ofDialect(h *fasthttp.ResponseHeader) {
	if s.dialect.ContentType != "" {
		h.SetContentType(s.dialect.ContentType)
	}
	for _, field := range s.dialect.Header {
		h.Set(field.Name, field.Value)
	}
}

// refuse answers with a status instead of a stream.
func (s *httpSink) refuse(f *hub.Failure) error {
	return s.answer(func(resp *fasthttp.Response) { fillFailure(resp, s.dialect, hub.OpRun, s.asked, f) })
}

// answer writes an answer that is no stream.
func (s *httpSink) answer(fill func(*fasthttp.Response)) error {
	s.began, s.ended = true, true
	var resp fasthttp.Response
	s.header.CopyTo(&resp.Header)
	s.releaseHeader()
	fill(&resp)
	resp.SkipBody = s.head
	if s.close {
		resp.SetConnectionClose()
	}
	_, err := resp.WriteTo(s.conn)
	s.close = s.close || err != nil // nothing can follow behind a part of it
	return err
}

// fillFailure makes resp the answer to a request that failed before its first byte. asked is nil for one that was not read.
func fillFailure(resp *fasthttp.Response, d *hub.Dialect, op hub.Operation, asked *hub.Request, f *hub.Failure) {
	body, status := failureBody(d, op, asked, f)
	resp.SetStatusCode(status)
	resp.Header.SetContentType("application/json")
	resp.Header.Set("Cache-Control", "no-store")
	resp.Header.Set("X-Sabir-Error", string(f.Code))
	if f.RetryAfter > 0 || status == fasthttp.StatusServiceUnavailable && len(resp.Header.Peek("Retry-After")) == 0 {
		resp.Header.Set("Retry-After", strconv.Itoa(max(f.RetryAfter, 1)))
	}
	if len(f.Allow) > 0 {
		resp.Header.Set(fasthttp.HeaderAllow, strings.Join(f.Allow, ", "))
	}
	for _, value := range f.Challenge {
		resp.Header.Add(fasthttp.HeaderWWWAuthenticate, value)
	}
	resp.SetBody(body)
}

func failureBody(d *hub.Dialect, op hub.Operation, asked *hub.Request, f *hub.Failure) (body []byte, status int) {
	switch {
	case d == nil || d.AppendFailure == nil:
		return hub.AppendFailure(nil, f), f.HTTPStatus()
	case asked != nil && d.AppendRefusal != nil:
		return d.AppendRefusal(nil, op, asked, f)
	}
	return d.AppendFailure(nil, f), f.HTTPStatus()
}

// wsSink is a client that reads WebSocket messages. Out has framed them already, so that many leave in one write.
type wsSink struct{ conn net.Conn }

// begin implements sink.
func (s wsSink) begin(*wire.Out) {}

// write implements sink.
func (s wsSink) write(out *wire.Out) error {
	_, err := s.conn.Write(out.Buf)
	return err
}

// end implements sink. The connection lives on.
func (s wsSink) end(out *wire.Out, _ *hub.Failure) error {
	if len(out.Buf) == 0 {
		return nil
	}
	return s.write(out)
}
