package upstream

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
	"github.com/sabir-proxy/sabir/proxy/internal/http1"
	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
)

// Body is the body of an HTTP/1.1 answer, read straight into the pump's buffer.
type Body struct {
	conn     *upstreamConn
	raw      *rawio.Reader // nil where there is none
	Status   int
	Encoding string                   // what is not plain of Content-Encoding, see fields.Codings
	Header   *fasthttp.ResponseHeader // until it is known what the answer is: streams are long
	OfConn   map[string]bool          // the fields of that which belong to its connection

	chunks  *http1.ChunkReader // of a chunked body
	left    int64              // of a body with a length; -1 = up to the end of the connection
	early   []byte             // what came together with the header, in the buffer of from
	from    *bufio.Reader      // nil once early is read
	Done    bool
	persist bool      // the connection may be used again
	armed   time.Time // read deadline that is set
}

// newHTTPBody makes the body of an answer; head says that it answers HEAD, and has none.
func newHTTPBody(c *upstreamConn, h *fasthttp.ResponseHeader, lists *http1.Lists, br *bufio.Reader, head bool) (*Body, error) {
	b := &Body{
		conn: c, raw: c.rawReader(), Status: h.StatusCode(),
		Encoding: fields.Codings(lists.Coding), Header: h, OfConn: fields.Tokens(lists.Connection),
	}
	b.persist = !h.ConnectionClose() && !b.OfConn["close"]
	switch n := h.ContentLength(); {
	case n == -1:
		b.chunks = new(http1.ChunkReader)
	case n < 0:
		b.left, b.persist = -1, false
	default:
		b.left = int64(n)
		b.Done = n == 0
	}
	if head || b.Status == fasthttp.StatusNoContent || b.Status == fasthttp.StatusNotModified {
		b.Done = true
	}
	early, err := br.Peek(br.Buffered())
	if len(early) > 0 {
		b.early, b.from = early, br
		b.persist = b.persist && !b.Done // else these bytes belong to no answer
	}
	return b, err
}

// Compressed reports whether the body is not in its plain form.
func (h *Body) Compressed() bool { return h.Encoding != "" }

// ReadInto implements source. The connection's read deadline is moved only when it has passed, not at every call.
func (h *Body) ReadInto(b *rawio.Buffer, until time.Time) error {
	for !h.Done {
		p, err := h.fill(b, until)
		if len(p) > 0 {
			n, err := h.decode(p)
			b.Filled(n)
			if n > 0 || err != nil {
				return err
			}
			continue
		}
		if err = h.readError(err, until); err != nil {
			return err
		}
	}
	return io.EOF
}

// fill puts raw bytes into the room of b, first those that came with the header, and returns them.
func (h *Body) fill(b *rawio.Buffer, until time.Time) ([]byte, error) {
	if h.raw == nil || len(h.early) > 0 {
		p := h.room(b)
		n, err := h.readRaw(p, until)
		return p[:n], err
	}
	if err := h.arm(until); err != nil {
		return nil, err
	}
	return h.raw.Read(b, h.left)
}

func (h *Body) room(b *rawio.Buffer) []byte {
	if h.raw == nil {
		return b.Room()
	}
	return b.SharedRoom()
}

// readRaw reads raw bytes into p.
func (h *Body) readRaw(p []byte, until time.Time) (int, error) {
	if len(h.early) > 0 {
		n := copy(p, h.early)
		if h.early = h.early[n:]; len(h.early) == 0 {
			releaseReader(h.from)
			h.early, h.from = nil, nil
		}
		return n, nil
	}
	if err := h.arm(until); err != nil {
		return 0, err
	}
	if h.left > 0 && int64(len(p)) > h.left {
		p = p[:h.left]
	}
	return h.conn.Read(p)
}

// arm sets the read deadline, unless one is set that is as good.
func (h *Body) arm(until time.Time) error {
	if h.armed.IsZero() || h.armed.After(until) {
		h.armed, h.conn.limited = until, true
		if err := h.conn.SetReadDeadline(until); err != nil {
			return err
		}
	}
	if h.conn.woken.Load() { // looked at last, as the deadline that wakes may have been replaced here
		return rawio.ErrWake
	}
	return nil
}

// decode takes the transfer coding off p, in place. A connection on which more came than the answer is not used again.
func (h *Body) decode(p []byte) (n int, err error) {
	switch {
	case h.chunks != nil:
		n, used, err := h.chunks.Decode(p)
		if err != nil {
			return n, hub.Fail(hub.CodeReset, err)
		}
		h.used(len(p)-used, h.chunks.State == http1.ChunkDone)
		return n, nil
	case h.left > 0:
		n = int(min(int64(len(p)), h.left))
		h.left -= int64(n)
		h.used(len(p)-n, h.left == 0)
		return n, nil
	}
	return len(p), nil
}

// used notes whether the body has ended, with so many bytes over of those that were read, beside those that came with the header.
func (h *Body) used(over int, done bool) {
	h.Done = done
	h.persist = h.persist && over == 0 && (!done || len(h.early) == 0)
}

// readError sorts the errors of a read that brought nothing; nil means try again.
func (h *Body) readError(err error, until time.Time) error {
	switch {
	case err == nil || err == rawio.ErrWake:
		return err
	case rawio.IsTimeout(err):
		h.armed = time.Time{}
		if time.Now().Before(until) {
			return nil
		}
		return rawio.ErrWake
	case errors.Is(err, io.EOF) && h.left == -1 && h.chunks == nil && h.conn.isCut():
		err = ErrNoCloseNotify
	case errors.Is(err, io.EOF) && h.left == -1 && h.chunks == nil:
		h.Done = true
		return io.EOF
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	return hub.Fail(hub.CodeReset, err)
}

// Read lets the body be read as a stream of its own, by what decompresses it.
func (h *Body) Read(p []byte) (int, error) {
	n, err := h.readUntil(p, time.Now().Add(h.conn.owner.Upstream.Cfg.Timeouts.Idle))
	if err == rawio.ErrWake {
		err = hub.Fail(hub.CodeIdle, nil)
	}
	return n, err
}

// readUntil is like read, for a plain slice.
func (h *Body) readUntil(p []byte, until time.Time) (int, error) {
	for !h.Done {
		n, err := h.readRaw(p, until)
		if n > 0 {
			n, err = h.decode(p[:n])
			if n > 0 || err != nil {
				return n, err
			}
			continue
		}
		if err = h.readError(err, until); err != nil {
			return 0, err
		}
	}
	return 0, io.EOF
}

// ReadAll reads the whole body in its plain form, of so many bytes at most and until then, and closes it.
func (h *Body) ReadAll(limit int, until time.Time) (all []byte, err error) {
	defer h.Close()
	p := make([]byte, 4<<10)
	for {
		n, err := h.readUntil(p, until)
		all = append(all, p[:n]...)
		switch {
		case len(all) > limit:
			return nil, errTooLarge
		case err == io.EOF:
			return plainWhole(h.Encoding, all, limit)
		case err == rawio.ErrWake:
			return nil, hub.Fail(hub.CodeTimeout, nil)
		case err != nil:
			return nil, err
		}
	}
}

// How much of an upstream's error body is kept for the log, how much is read to keep the connection, and how long that
// may take: the client waits for its status meanwhile.
const (
	MaxDetail  = 2 << 10
	maxDiscard = 64 << 10
	detailTime = 500 * time.Millisecond
)

// Refuse reads the body of an answer that is no success. The body is closed.
func (h *Body) Refuse() *Refusal {
	r := &Refusal{Status: h.Status, Header: h.Header}
	until := time.Now().Add(detailTime)
	var text []byte
	p := make([]byte, MaxDetail)
	for r.Length < maxDiscard {
		n, err := h.readUntil(p, until)
		text = append(text, p[:min(n, MaxDetail-len(text))]...)
		r.Length += n
		if err != nil {
			break
		}
	}
	if h.Done && h.persist {
		h.conn.owner.put(h.conn)
	} else {
		h.Abort()
	}
	r.Body = strings.ToValidUTF8(string(plainBeginning(h.Encoding, text, MaxDetail)), "\uFFFD")
	return r
}

// lingering is how long a connection may take to end its body after the run has ended, before it is closed.
const lingering = 100 * time.Millisecond

// Close implements source. A body that ends soon leaves its connection for the next call; waiting for that must not
// hold up the client.
func (h *Body) Close() {
	switch {
	case h.Done && h.persist:
		h.conn.owner.put(h.conn)
	case !h.persist:
		h.Abort()
	default:
		go h.linger()
	}
}

func (h *Body) linger() {
	p := make([]byte, 1<<10)
	until := time.Now().Add(lingering)
	for range 16 {
		if _, err := h.readUntil(p, until); err != nil {
			break
		}
	}
	if h.Done && h.persist {
		h.conn.owner.put(h.conn)
		return
	}
	h.Abort()
}

// Abort closes the connection at once, whatever is read of it.
func (h *Body) Abort() { Cut(h.conn.Conn) }
