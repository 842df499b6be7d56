package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/bench"
)

// target is where a load goes.
type target struct {
	name   string
	addr   string
	admin  string // of the proxy: where operators ask
	path   string
	answer *hub.Dialect // what comes back
	pid    int          // 0 if there is no process between the load and the server
	post   *post        // nil: streams are asked for by GET
	tls    bool
	http2  *http.Transport // nil: HTTP/1.1
}

// client is one connection to a target.
type client struct {
	to   target
	conn net.Conn
	br   *bufio.Reader
	body []byte        // what was read of the stream; empty while all of it equals want
	want []byte        // a body that was found right before; nil if none is known
	same int           // how many bytes of want have come, -1 once something else came
	idle time.Duration // longest silence within a stream
}

func newClient(t target, idle time.Duration) *client { return &client{to: t, idle: idle} }

// get asks for one stream and reads it to its end into c.body. more is called after each read, with what is new at the
// end of c.body; may be nil.
func (c *client) get(ctx context.Context, query string, more func()) error {
	resp, err := c.ask(ctx, query)
	if err != nil {
		c.close()
		return fmt.Errorf("no answer: %w", err)
	}
	defer resp.Body.Close()
	err = c.read(ctx, resp.Body, more)
	if err == nil && resp.StatusCode != http.StatusOK {
		c.recall()
		err = fmt.Errorf("status %d: %.200s", resp.StatusCode, c.body)
	}
	if err != nil || resp.Close {
		c.close()
	}
	return err
}

// ask sends the request for a stream, and reads the head of the answer.
func (c *client) ask(ctx context.Context, query string) (*http.Response, error) {
	c.body, c.same = c.body[:0], 0
	if c.want == nil {
		c.same = -1
	}
	if c.to.http2 != nil {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+c.to.addr+c.to.path+query, http.NoBody)
		if err != nil {
			return nil, err
		}
		return c.to.http2.RoundTrip(req)
	}
	if c.conn == nil {
		if err := c.dial(ctx); err != nil {
			return nil, err
		}
	}
	if _, err := c.conn.Write(c.to.request(query)); err != nil {
		return nil, err
	}
	if err := c.conn.SetReadDeadline(time.Now().Add(c.idle)); err != nil {
		return nil, err
	}
	return http.ReadResponse(c.br, nil)
}

func (c *client) dial(ctx context.Context) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", c.to.addr)
	if err != nil {
		return err
	}
	if c.to.tls {
		conn = tls.Client(conn, trusting("http/1.1"))
	}
	if c.br == nil {
		c.br = bufio.NewReaderSize(nil, 16<<10)
	}
	c.conn = conn
	c.br.Reset(conn)
	return nil
}

// request is what asks a target for a stream.
func (t *target) request(query string) []byte {
	if t.post != nil {
		return t.post.request(t, query)
	}
	return []byte("GET " + t.path + query + " HTTP/1.1\r\nHost: " + t.addr + "\r\n\r\n")
}

func (c *client) read(ctx context.Context, body io.Reader, more func()) error {
	for {
		if len(c.body) == cap(c.body) {
			c.body = append(c.body, 0)[:len(c.body)]
		}
		if c.conn != nil { // streams of HTTP/2 have none of their own
			if err := c.conn.SetReadDeadline(time.Now().Add(c.idle)); err != nil {
				return err
			}
		}
		n, err := body.Read(c.body[len(c.body):cap(c.body)])
		c.body = c.body[:len(c.body)+n]
		c.compare()
		if n > 0 && more != nil {
			more()
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("after %d bytes: %w", len(c.body), err)
		}
	}
}

// compare forgets what has come if it equals the wanted body: long streams and very many of them would not fit into
// memory otherwise, and the load would cost more than the proxy.
func (c *client) compare() {
	if c.same < 0 {
		return
	}
	if bytes.HasPrefix(c.want[c.same:], c.body) {
		c.same += len(c.body)
		if cap(c.body) < compared {
			c.body = make([]byte, 0, compared)
		}
		c.body = c.body[:0]
		return
	}
	c.recall()
}

const compared = 8 << 10

// recall makes c.body what has come.
func (c *client) recall() {
	if c.same >= 0 {
		c.body = append(bytes.Clone(c.want[:c.same]), c.body...)
		c.same = -1
	}
}

// equal reports whether the stream was the wanted one; if not, c.body is what came.
func (c *client) equal() bool {
	if c.same >= 0 && c.same == len(c.want) {
		return true
	}
	c.recall()
	return false
}

func (c *client) close() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

// judge decides whether a body is right. One that equals a body found right before is right, too; others are read.
type judge struct {
	dialect  *hub.Dialect
	call     call
	recorded *bench.Recording // what was sent; nil for deltas with marks

	mu    sync.Mutex
	good  []byte // a flowing stream that was right; those of one target are usually equal to the byte
	count int
	bad   int
	first error // what was wrong with the first bad stream
}

// take judges the end of one stream: err is what kept it from coming to its end.
func (j *judge) take(c *client, err error) {
	equal := err == nil && c.equal()
	if err == nil && !equal {
		err = j.check(c.body)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		j.bad++
		if j.first == nil {
			j.first = err
		}
		return
	}
	if !equal && j.good == nil && j.call.interval == 0 {
		j.good = bytes.Clone(c.body)
	}
	j.count++
}

func (j *judge) check(body []byte) error {
	switch {
	case j.recorded != nil:
		return j.recorded.Check(j.dialect, body)
	case j.call.recording != "":
		return bench.CheckShape(j.dialect, body, j.call.events, j.call.step())
	case j.call.args:
		return bench.CheckArgs(j.dialect, body, j.call.events)
	}
	return bench.Check(j.dialect, body, j.call.events, j.call.step())
}

// known is a body that was right; nil while there is none.
func (j *judge) known() []byte {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.good
}

// arrivals notes when the events of one paced stream came.
type arrivals struct {
	client *client
	call   call
	window window
	at     int // how far the body was searched
	next   uint32
	begun  bool
	inTime int             // events that arrived within the window
	late   []time.Duration // how late were those that were due within the window
	hush   *hush
}

// hush finds the longest time in which no stream at all has brought anything.
type hush struct{ last, longest atomic.Int64 }

func (h *hush) received(now time.Time) {
	t := now.UnixNano()
	if last := h.last.Swap(t); last != 0 && t-last > h.longest.Load() {
		h.longest.Store(t - last) // of two at the same time one is lost; they differ by nothing that matters
	}
}

// window is the time in which is measured.
type window struct{ from, to time.Time }

func (w window) has(t time.Time) bool { return !t.Before(w.from) && t.Before(w.to) }

// more is called when bytes have come. A mark that is not the next one is a repetition (some dialects end a text with
// the whole of it), or a fault that the judge will find.
func (a *arrivals) more() {
	now := time.Now()
	body := a.client.body
	for {
		i := bench.FindMark(body[a.at:])
		if i < 0 {
			a.at = max(a.at, len(body)-bench.MarkSize+1)
			return
		}
		n, _ := bench.ReadMark(body[a.at+i:])
		a.at += i + bench.MarkSize
		if a.begun && n != a.next {
			continue
		}
		a.begun, a.next = true, n+a.call.step()
		if a.window.has(now) {
			a.inTime++
			a.hush.received(now)
		}
		// Not by arrival: an event that comes after the window because it is late must count as late.
		if due := time.UnixMicro(a.call.base + int64(n)); a.window.has(due) {
			a.late = append(a.late, now.Sub(due))
		}
	}
}
