package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// agent is a scripted upstream.
type agent struct {
	t    testing.TB
	ln   net.Listener
	all  sync.WaitGroup
	mu   sync.Mutex
	open map[*peer]bool
	seen int // connections so far
}

// peer is one connection of an upstream.
type peer struct {
	net.Conn
	t    testing.TB
	br   *bufio.Reader
	nth  int // connection of its agent, from 1
	body []byte
}

// newAgent runs script for each connection; the connection is closed after it.
func newAgent(t testing.TB, script func(*peer)) *agent {
	t.Helper()
	return newAgentAt(t, "127.0.0.1:0", script)
}

// newAgentAt does so at an address.
func newAgentAt(t testing.TB, addr string, script func(*peer)) *agent {
	t.Helper()
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{t: t, ln: ln, open: map[*peer]bool{}}
	a.all.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			p := a.enter(c)
			a.all.Go(func() {
				defer a.leave(p)
				script(p)
			})
		}
	})
	t.Cleanup(a.close)
	return a
}

func (a *agent) enter(c net.Conn) *peer {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen++
	p := &peer{Conn: c, t: a.t, br: bufio.NewReader(c), nth: a.seen}
	a.open[p] = true
	return p
}

func (a *agent) leave(p *peer) {
	p.Close()
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, p)
}

func (a *agent) close() {
	a.ln.Close()
	a.mu.Lock()
	for p := range a.open {
		p.Close()
	}
	a.mu.Unlock()
	a.all.Wait()
}

// connections is how many the agent has seen.
func (a *agent) connections() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.seen
}

// opened is how many are open.
func (a *agent) opened() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.open)
}

func (a *agent) url() string { return "http://" + a.ln.Addr().String() + "/stream" }

// request reads one request with its body; nil at the end of the connection.
func (p *peer) request() *http.Request {
	req, err := http.ReadRequest(p.br)
	if err != nil {
		return nil
	}
	p.body, err = io.ReadAll(req.Body)
	if err != nil {
		return nil
	}
	return req
}

// send writes; what becomes of it is the proxy's affair.
func (p *peer) send(s string) { _, _ = io.WriteString(p, s) }

// ok begins a chunked answer.
func (p *peer) ok(header ...string) {
	p.answer("200 OK", append(header, "Transfer-Encoding: chunked")...)
}

func (p *peer) answer(status string, header ...string) {
	p.send("HTTP/1.1 " + status + "\r\n" + strings.Join(append(header, ""), "\r\n") + "\r\n")
}

func (p *peer) chunk(s string) { p.send(fmt.Sprintf("%x\r\n%s\r\n", len(s), s)) }

// finish sends the last piece of a body together with its end.
func (p *peer) finish(s string) { p.send(fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(s), s)) }

func (p *peer) last() { p.send("0\r\n\r\n") }

// reset breaks the connection off.
func (p *peer) reset() {
	_ = p.Conn.(*net.TCPConn).SetLinger(0)
	p.Close()
}

// awaitGone waits until the proxy closes the connection.
func (p *peer) awaitGone() time.Time {
	_, _ = io.Copy(io.Discard, p.br)
	return time.Now()
}

// finishWhen ends a run of the agent's when goOn is closed, waits until the connection ends, and reports whether it did before that.
func (p *peer) finishWhen(goOn <-chan struct{}) (left bool) {
	return p.finishWith(lines(lineWorld, lineEnd), goOn)
}

// finishWith does so with another end.
func (p *peer) finishWith(end string, goOn <-chan struct{}) (left bool) {
	gone := make(chan struct{})
	go func() { p.awaitGone(); close(gone) }()
	select {
	case <-goOn:
		p.finish(end)
		<-gone
		return false
	case <-gone:
		return true
	}
}

// streaming answers each request with pieces of a chunked body.
func streaming(pieces ...string) func(*peer) {
	return func(p *peer) {
		for p.request() != nil {
			p.ok("Content-Type: application/x-ndjson")
			for _, s := range pieces {
				p.chunk(s)
			}
			p.last()
		}
	}
}

// heldAgent says half of each run, and the rest after goOn, or when the test has failed.
func heldAgent(t testing.TB) (a *agent, goOn func()) {
	held := make(chan struct{})
	goOn = sync.OnceFunc(func() { close(held) })
	a = newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok("Content-Type: application/x-ndjson")
			p.chunk(lines(lineStart, lineHello))
			<-held
			p.finish(lines(lineWorld, lineEnd))
		}
	})
	t.Cleanup(goOn)
	return a, goOn
}
