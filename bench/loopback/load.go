package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/bench"
)

// target is where a load goes.
type target struct {
	name   string
	addr   string
	path   string
	answer *hub.Dialect // what comes back
	pid    int          // 0 if there is no process between the load and the server
}

// client is one connection to a target.
type client struct {
	addr string
	path string
	conn net.Conn
	br   *bufio.Reader
	body []byte
	idle time.Duration // longest silence within a stream
}

// get asks for one stream and reads it to its end into c.body. more is called after each read, with what is new at the
// end of c.body; nil for nobody.
func (c *client) get(ctx context.Context, query string, more func()) error {
	if err := c.ask(ctx, query); err != nil {
		c.close()
		return err
	}
	resp, err := http.ReadResponse(c.br, nil)
	if err != nil {
		c.close()
		return fmt.Errorf("no answer: %w", err)
	}
	defer resp.Body.Close()
	err = c.read(ctx, resp.Body, more)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %.200s", resp.StatusCode, c.body)
	}
	if err != nil || resp.Close {
		c.close()
	}
	return err
}

func (c *client) ask(ctx context.Context, query string) error {
	c.body = c.body[:0]
	if c.conn == nil {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "tcp", c.addr)
		if err != nil {
			return err
		}
		if c.br == nil {
			c.br = bufio.NewReaderSize(nil, 16<<10)
		}
		c.conn = conn
		c.br.Reset(conn)
	}
	_, err := io.WriteString(c.conn, "GET "+c.path+query+" HTTP/1.1\r\nHost: "+c.addr+"\r\n\r\n")
	return err
}

func (c *client) read(ctx context.Context, body io.Reader, more func()) error {
	for {
		if len(c.body) == cap(c.body) {
			c.body = append(c.body, 0)[:len(c.body)]
		}
		if err := c.conn.SetReadDeadline(time.Now().Add(c.idle)); err != nil {
			return err
		}
		n, err := body.Read(c.body[len(c.body):cap(c.body)])
		c.body = c.body[:len(c.body)+n]
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

func (c *client) close() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

// judge decides whether a body is right. One that equals a body found right before is right, too; others are read.
type judge struct {
	dialect *hub.Dialect
	call    call

	mu    sync.Mutex
	good  [][]byte
	count int
	bad   int
	first error // what was wrong with the first bad stream
}

// maxGood bounds the bodies that are remembered. Flowing streams of one target are equal to the byte.
const maxGood = 4

// take judges the end of one stream: err is what kept it from coming to its end.
func (j *judge) take(body []byte, err error) {
	if err == nil && !j.known(body) {
		err = bench.Check(j.dialect, body, j.call.events, j.call.step())
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case err != nil:
		j.bad++
		if j.first == nil {
			j.first = err
		}
		return
	case j.call.interval == 0 && len(j.good) < maxGood && !contains(j.good, body):
		j.good = append(j.good, bytes.Clone(body))
	}
	j.count++
}

func (j *judge) known(body []byte) bool {
	j.mu.Lock()
	good := j.good
	j.mu.Unlock()
	return contains(good, body)
}

func contains(all [][]byte, body []byte) bool {
	for _, b := range all {
		if bytes.Equal(b, body) {
			return true
		}
	}
	return false
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
		}
		// Not by arrival: an event that comes after the window because it is late must count as late.
		if due := time.UnixMicro(a.call.base + int64(n)); a.window.has(due) {
			a.late = append(a.late, now.Sub(due))
		}
	}
}
