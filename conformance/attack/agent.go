package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// agent is the upstream of all routes: a listener whose answers are scripts, which the query of each request names.
type agent struct {
	ln      net.Listener
	others  []net.Listener
	addr    string
	scripts sync.Map // id to *script
	next    atomic.Int64
	conns   sync.Map // net.Conn to nothing: those that are open
	opened  atomic.Int64
}

// script is how the agent answers.
type script struct {
	id     string
	agent  *agent
	play   func(*peer)
	called atomic.Int64 // requests
}

func newAgent() (*agent, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	a := &agent{ln: ln, addr: ln.Addr().String()}
	go a.accept(ln)
	return a, nil
}

// also lets the agent listen on a second address.
func (a *agent) also(network, address string) error {
	ln, err := net.Listen(network, address)
	if err != nil {
		return err
	}
	a.others = append(a.others, ln)
	go a.accept(ln)
	return nil
}

func (a *agent) close() {
	a.ln.Close()
	for _, ln := range a.others {
		ln.Close()
	}
	a.dropAll()
}

// dropAll closes all connections, as a server that is killed does.
func (a *agent) dropAll() {
	a.conns.Range(func(c, _ any) bool {
		c.(net.Conn).Close()
		return true
	})
}

// add makes a script known.
func (a *agent) add(play func(*peer)) *script {
	s := &script{id: "s" + strconv.FormatInt(a.next.Add(1), 10), agent: a, play: play}
	a.scripts.Store(s.id, s)
	return s
}

func (s *script) remove() { s.agent.scripts.Delete(s.id) }

func (a *agent) accept(ln net.Listener) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			if ne, ok := err.(net.Error); ok && ne.Timeout() || strings.Contains(err.Error(), "too many open files") {
				time.Sleep(10 * time.Millisecond)
				continue
			}
			return
		}
		a.opened.Add(1)
		a.conns.Store(conn, nil)
		go func() {
			defer a.conns.Delete(conn)
			defer conn.Close()
			a.serve(conn)
		}()
	}
}

// serve answers the requests of one connection until a script leaves it in another state.
func (a *agent) serve(conn net.Conn) {
	r := bufio.NewReader(conn)
	for {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		v, ok := a.scripts.Load(req.URL.Query().Get("script"))
		if !ok {
			_, _ = io.WriteString(conn, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
			return
		}
		s := v.(*script)
		s.called.Add(1)
		p := &peer{Conn: conn, r: r, req: req, dialect: strings.Trim(req.URL.Path, "/")}
		s.play(p)
		if !p.keep || p.err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, req.Body)
	}
}

// peer is one request to the agent, and the connection on which it is answered.
type peer struct {
	net.Conn
	r       *bufio.Reader
	req     *http.Request
	dialect string // that the route expects
	keep    bool   // the connection stays open after the script
	err     error  // of the first write that failed
}

// say writes bytes as they are.
func (p *peer) say(s string) {
	if p.err != nil {
		return
	}
	_ = p.SetWriteDeadline(time.Now().Add(30 * time.Second))
	_, p.err = io.WriteString(p.Conn, s)
}

// head writes a status line and fields.
func (p *peer) head(status string, fields ...string) {
	p.say("HTTP/1.1 " + status + "\r\n" + strings.Join(append(fields, "", ""), "\r\n"))
}

// chunk writes one chunk of a body; the empty one is the last.
func (p *peer) chunk(s string) { p.say(fmt.Sprintf("%x\r\n%s\r\n", len(s), s)) }

// ok begins a stream in chunks.
func (p *peer) ok() {
	p.head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
}

// reset closes the connection so that the other side reads an error.
func (p *peer) reset() {
	if c, ok := p.Conn.(*net.TCPConn); ok {
		_ = c.SetLinger(0)
	}
	p.Close()
}

// silence waits until the other side has closed the connection, within a bound.
func (p *peer) silence() {
	_ = p.SetReadDeadline(time.Now().Add(60 * time.Second))
	_, _ = io.Copy(io.Discard, p.r)
}

// forever writes the same bytes over and over, until the other side has had enough or the bound is reached. It returns
// how much was written.
func (p *peer) forever(s string, most int64) (n int64) {
	s = strings.Repeat(s, 1+(32<<10)/len(s))
	for n < most && p.err == nil {
		p.say(s)
		n += int64(len(s))
	}
	return n
}

// dribble writes one byte at a time.
func (p *peer) dribble(s string, pause time.Duration) {
	for i := 0; i < len(s) && p.err == nil; i++ {
		p.say(s[i : i+1])
		time.Sleep(pause)
	}
}
