package inbound

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/proxy/internal/fields"
	"github.com/sabir-proxy/sabir/proxy/internal/http1"
)

// Stream is a stream of an HTTP/2 connection, as a connection on which one request came. What is written to it is the answer as
// HTTP/1.1 has it: a header, and then the bytes of a body without chunks around them. Each write leaves at once.
type Stream struct {
	w       http.ResponseWriter
	request *http.Request
	control *http.ResponseController
	conn    *Conn            // that the stream belongs to
	ready   func() bool      // the server takes new streams
	Taken   func(conn *Conn) // answers the request, once the handler has returned
	head    []byte           // of the answer, as far as it was written
	began   bool             // the header has left

	mu       sync.Mutex
	deadline time.Time // for writing; zero for none
	timer    *time.Timer
	writing  bool
	failed   bool // nothing more can be written, or should be
	ended    bool // the library has the stream back
}

func NewStream(w http.ResponseWriter, r *http.Request, ready func() bool) *Stream {
	conn, _ := r.Context().Value(connKey{}).(*http2Conn) // http2Server puts it there
	return &Stream{w: w, request: r, control: http.NewResponseController(w), conn: conn.Conn, ready: ready}
}

// AsConn is the stream as the connection of a client.
func (c *Stream) AsConn() *Conn {
	return &Conn{
		Conn: c, Stream: c, listener: c.conn.listener, certs: c.conn.certs, tls: c.conn.tls, stage: stageServing, began: time.Now(),
	}
}

// Read implements net.Conn: it reads the body of the request.
func (c *Stream) Read(p []byte) (int, error) { return c.request.Body.Read(p) }

// Write implements net.Conn.
func (c *Stream) Write(p []byte) (int, error) {
	if err := c.beginWrite(); err != nil {
		return 0, err
	}
	err := c.send(p)
	if err = c.endWrite(err); err != nil {
		return 0, err
	}
	return len(p), nil
}

// beginWrite lets the deadline end what is written from now on.
func (c *Stream) beginWrite() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.failed || c.ended:
		return net.ErrClosed
	case c.deadline.IsZero():
	case c.isLate():
		c.failed = true
		return os.ErrDeadlineExceeded
	default:
		c.arm()
	}
	c.writing = true
	return nil
}

// endWrite returns why a write has failed: the library says of one that took too long that its stream was closed.
func (c *Stream) endWrite(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writing = false
	if c.timer != nil {
		c.timer.Stop()
	}
	if err == nil {
		return nil
	}
	c.failed = true
	if c.isLate() {
		return os.ErrDeadlineExceeded
	}
	return err
}

func (c *Stream) isLate() bool { return !c.deadline.IsZero() && !time.Now().Before(c.deadline) }

// arm is called with c.mu held.
func (c *Stream) arm() {
	wait := max(time.Until(c.deadline), 0)
	if c.timer == nil {
		c.timer = time.AfterFunc(wait, c.expire)
		return
	}
	c.timer.Reset(wait)
}

// expire ends a write that takes too long. The library's own deadline would end a stream that only waits for its agent, too.
func (c *Stream) expire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.writing && !c.ended && c.isLate() {
		c.failed = true
		_ = c.control.SetWriteDeadline(time.Unix(1, 0))
	}
}

// Watch calls gone when the client gives the stream up, or its connection ends.
func (c *Stream) Watch(gone func()) (forget func()) {
	stop := context.AfterFunc(c.request.Context(), func() {
		if !c.IsCut() { // else the library says of a stream that was given up here that it is over
			gone()
		}
	})
	return func() { stop() }
}

// send sends what was written.
func (c *Stream) send(p []byte) error {
	if !c.began {
		var err error
		if p, err = c.sendHead(p); !c.began || err != nil {
			return err
		}
	}
	if len(p) > 0 {
		if err := c.sendBody(p); err != nil {
			return err
		}
	}
	return c.control.Flush()
}

// largeWrites are copies of what is too long for the buffer of the library: where a stream ends early, that may read on in what it was
// given, which belongs to another stream by then.
var largeWrites = sync.Pool{New: func() any { return new([]byte) }}

// libraryBuffer is what the library copies.
const libraryBuffer = 4 << 10

func (c *Stream) sendBody(p []byte) error {
	if len(p) <= libraryBuffer {
		_, err := c.w.Write(p)
		return err
	}
	own := largeWrites.Get().(*[]byte)
	*own = append((*own)[:0], p...)
	_, err := c.w.Write(*own)
	if err == nil {
		largeWrites.Put(own)
	}
	return err
}

// sendHead sends the header of the answer once it is there as a whole, and returns what follows it.
func (c *Stream) sendHead(p []byte) (rest []byte, err error) {
	if len(c.head) > 0 {
		c.head = append(c.head, p...)
		p = c.head
	}
	end := bytes.Index(p, http1.EndOfFields)
	if end < 0 {
		c.head = append(c.head[:0], p...)
		return nil, nil
	}
	line, lines, _ := bytes.Cut(p[:end+len(http1.CRLF)], http1.CRLF)
	status, err := strconv.Atoi(string(line[len("HTTP/1.1 "):][:3]))
	if err != nil {
		return nil, err
	}
	h := c.w.Header()
	h["Content-Type"] = nil // else the library guesses one where there is none
	for line := range bytes.SplitSeq(bytes.TrimSuffix(lines, http1.CRLF), http1.CRLF) {
		name, value, _ := strings.Cut(string(line), ": ")
		if lower := strings.ToLower(name); !fields.HopByHop[lower] || lower == "content-length" {
			h.Add(name, value)
		}
	}
	if !c.ready() {
		h.Set("Connection", "close") // asks the client to send further requests elsewhere, and to go on reading here
	}
	c.w.WriteHeader(status)
	c.began, c.head = true, nil
	return p[end+len(http1.EndOfFields):], nil
}

// Cut makes the end of the stream one by which the client sees that something is missing.
func (c *Stream) Cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed = true
}

func (c *Stream) IsCut() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

// Over is called before the library gets the stream back.
func (c *Stream) Over() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
}

// Close implements net.Conn. The answer is complete unless it was cut.
func (c *Stream) Close() error { return nil }

// LocalAddr implements net.Conn.
func (c *Stream) LocalAddr() net.Addr { return c.conn.LocalAddr() }

// RemoteAddr implements net.Conn.
func (c *Stream) RemoteAddr() net.Addr { return c.conn.RemoteAddr() }

// SetDeadline implements net.Conn.
func (c *Stream) SetDeadline(t time.Time) error {
	_ = c.SetWriteDeadline(t)
	return c.SetReadDeadline(t)
}

// SetReadDeadline implements net.Conn.
func (c *Stream) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return net.ErrClosed
	}
	return c.control.SetReadDeadline(t)
}

// SetWriteDeadline implements net.Conn.
func (c *Stream) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	if c.writing && !t.IsZero() {
		c.arm()
	}
	return nil
}

// ReadRequest gives ctx the request as HTTP/1.1 would have brought it, and checks it by the same rules.
func (c *Conn) ReadRequest(ctx *fasthttp.RequestCtx, r *http.Request) error {
	head, err := requestHead(r)
	if err != nil {
		return err
	}
	if len(head) > c.listener.Header {
		return http1.ErrHeaderTooLarge
	}
	if c.frame, err = http1.ParseRequestHead(head); err != nil {
		return err
	}
	c.frame.Chunked, c.left = false, r.ContentLength
	if r.ContentLength < 0 {
		c.left = anyLeft
	}
	c.frame.Length = c.left
	if err := ctx.Request.Header.Read(bufio.NewReaderSize(bytes.NewReader(head), len(head))); err != nil {
		return http1.Malformed("The request cannot be understood.")
	}
	withoutBody(&ctx.Request.Header)
	return nil
}

// requestHead is the header of a request in HTTP/1.1, without what frames its body. The length that it announces stays, to be judged as there:
// the library takes one that it does not understand for 0, and a second one for none. So does a second name of the host.
func requestHead(r *http.Request) ([]byte, error) {
	b := make([]byte, 0, 1<<10)
	var bad bool
	add := func(text string) {
		bad = bad || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
		b = append(b, text...)
	}
	add(r.Method)
	add(" ")
	add(r.RequestURI)
	b = append(b, " HTTP/1.1\r\nHost: "...)
	add(r.Host)
	b = append(b, http1.CRLF...)
	for name, values := range r.Header {
		if fields.FramesBody[name] && name != "Content-Length" && name != "Host" {
			continue
		}
		for i, value := range values {
			if name == "Host" && i == 0 && value == r.Host {
				continue // it is there already
			}
			add(name)
			add(": ")
			add(value)
			b = append(b, http1.CRLF...)
		}
	}
	if bad {
		return nil, errFieldLine
	}
	return append(b, http1.CRLF...), nil
}
