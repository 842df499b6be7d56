package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

func clientAttacks() []*attack {
	return []*attack{{
		name:   "client/promised-bodies",
		tries:  "connections that promise a body of 8 MiB and send one byte of it",
		holds:  "memory grows with what has arrived, not with what was promised",
		memory: 128 << 20,
		run:    func(t *trial) { t.promise(t.pick(300, 1000), "Content-Length: 8388608\r\n\r\nx") },
	}, {
		name:   "client/promised-chunks",
		tries:  "connections that announce a chunk of 8 MiB and send one byte of it",
		holds:  "memory grows with what has arrived, not with what was announced",
		memory: 128 << 20,
		run:    func(t *trial) { t.promise(t.pick(300, 1000), "Transfer-Encoding: chunked\r\n\r\n800000\r\nx") },
	}, {
		name:   "client/half-bodies",
		tries:  "connections that send half of a body of 4 MiB, and stop",
		holds:  "all of them together cost a bounded amount; each is closed or answered in time",
		memory: 512 << 20,
		run: func(t *trial) {
			t.promise(t.pick(100, 400), "Content-Length: 4194304\r\n\r\n"+strings.Repeat("x", 2<<20))
		},
	}, {
		name:  "client/slow-headers",
		tries: "connections that send a header byte by byte, and never end it",
		holds: "each is closed within the time for reading",
		run:   func(t *trial) { t.promise(t.pick(200, 1000), "X-Slow: ") },
	}, {
		name:  "client/header-floods",
		tries: "headers without end: one field, many fields, a name, a target, a method, empty lines",
		holds: "each is refused; memory stays within the bound",
		run:   headerFloods,
	}, {
		name:  "client/slow-readers",
		tries: "clients that ask for much and do not read",
		holds: "each is cut off within the time for writing; memory stays within the bound",
		run:   slowReaders,
	}, {
		name:  "client/connection-flood",
		tries: "connections that say nothing, one after the other",
		holds: "well-behaved clients are served meanwhile",
		run:   func(t *trial) { t.promise(t.pick(1000, 5000), "") },
	}, {
		name:  "client/few-files",
		tries: "clients take all descriptors of a process that may have 128",
		holds: "streams that run go on; when the clients have left, requests are answered again; it never ends",
		run:   fewFiles, alone: true,
	}}
}

// opening is a request up to its last fields.
func (r *rig) opening(s *script) string {
	return fmt.Sprintf("POST %s?script=%s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n", byHTTP+usualPairs[0].String(), s.id, r.process.addr)
}

// promise opens connections that begin a request, go on with more, and then say nothing. All must be closed, or answered.
func (t *trial) promise(n int, more string) {
	s := t.rig.agent.add(func(p *peer) { p.ok(); p.chunk(p.good()); p.chunk("") })
	defer s.remove()
	begin := t.rig.opening(s) + more
	if more == "" {
		begin = ""
	}
	var open atomic.Int64
	var conns []net.Conn
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	for range n {
		conn, err := net.DialTimeout("tcp", t.rig.process.addr, 5*time.Second)
		if err != nil {
			break // as many as it takes
		}
		conns = append(conns, conn)
		_ = conn.SetWriteDeadline(time.Now().Add(10 * time.Second))
		_, _ = io.WriteString(conn, begin) // it may have refused already
		t.count(1)
	}
	if begin == "" {
		if err := t.rig.probe(); err != nil {
			t.fault("a well-behaved request beside %d connections: %v", len(conns), err)
		}
		return // they may stay as long as connections may be idle
	}
	var all sync.WaitGroup
	sent := time.Now()
	for _, c := range conns {
		all.Go(func() {
			_ = c.SetReadDeadline(time.Now().Add(socketLimit))
			if _, err := io.Copy(io.Discard, c); err != nil && isTimeout(err) {
				open.Add(1)
			}
		})
	}
	all.Wait()
	t.figure("all closed after", "%v", time.Since(sent).Round(100*time.Millisecond))
	if n := open.Load(); n > 0 {
		t.fault("%d of %d connections are still open after %v", n, len(conns), socketLimit)
	}
}

func isTimeout(err error) bool {
	ne, ok := err.(net.Error)
	return ok && ne.Timeout()
}

// headerFloods sends headers without end.
func headerFloods(t *trial) {
	s := t.rig.agent.add(func(p *peer) { p.ok(); p.chunk(p.good()); p.chunk("") })
	defer s.remove()
	open := t.rig.opening(s)
	floods := []struct{ name, begin, part string }{
		{"one field", open + "X-Long: ", "x"}, {"many fields", open, "X-More: and more\r\n"}, {"a name", open, "x"},
		{"a target", "GET /", "x"}, {"a query", "GET /?", "a=b&"}, {"a method", "", "X"}, {"empty lines", "", "\r\n"},
		{"spaces", "GET ", " "}, {"cookies", open, "Cookie: a=b\r\n"}, {"NUL bytes", "", "\x00"}, {"chunk extensions", open + "Transfer-Encoding: chunked\r\n\r\n1;", "a=b;"},
		{"trailers", open + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", "X-Trailer: more\r\n"},
	}
	t.each(len(floods), 6, func(i int) {
		conn, err := dialPatiently(t.rig.process.addr)
		if err != nil {
			t.fault("%s: %v", floods[i].name, err)
			return
		}
		defer conn.Close()
		x := &socket{Conn: conn, r: bufio.NewReader(conn)}
		_ = x.say(floods[i].begin)
		const most = 64 << 20
		if n := x.forever(floods[i].part, most); n >= most {
			t.fault("%s: it took %d bytes", floods[i].name, n)
		}
		t.count(1)
	})
}

// slowReaders ask for a stream that is larger than all buffers, and never read.
func slowReaders(t *trial) {
	var given atomic.Int64
	s := t.rig.agent.add(func(p *peer) {
		p.ok()
		chunk := chatDelta(strings.Repeat("word ", 1000))
		for p.err == nil {
			p.chunk(chunk)
		}
		given.Add(1)
	})
	defer s.remove()
	n := t.pick(40, 200)
	for range n {
		conn, err := dialPatiently(t.rig.process.addr)
		if err != nil {
			t.fault("%v", err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, t.rig.opening(s)+"Content-Length: 2\r\n\r\n{}")
		t.count(1)
	}
	if !eventually(t.ctx, 60*time.Second, func() bool { return given.Load() == s.called.Load() && s.called.Load() > 0 }) {
		t.fault("%d of %d upstreams are still asked", s.called.Load()-given.Load(), s.called.Load())
	}
}

// fewFiles takes the descriptors of a process of its own.
func fewFiles(t *trial) {
	const files = 128
	r, err := t.suite.newRig(usualPairs[:2], processOptions{files: files})
	if err != nil {
		t.fault("%v", err)
		return
	}
	defer r.close()
	t.rig = r
	c, err := r.startCanary()
	if err != nil {
		t.fault("%v", err)
		return
	}
	var conns []net.Conn
	for range 3 * files {
		conn, err := net.DialTimeout("tcp", r.process.addr, time.Second)
		if err != nil {
			break
		}
		conns = append(conns, conn)
		_, _ = io.WriteString(conn, "GET ")
		t.count(1)
	}
	// Upstreams must still be reached by those that were taken in before.
	s := r.agent.add(func(p *peer) { p.ok(); p.chunk(p.good()); p.chunk("") })
	defer s.remove()
	if len(conns) > 0 {
		t.askOn(conns[0], s)
	}
	for _, conn := range conns {
		conn.Close()
	}
	c.judge(t)
	if !eventually(t.ctx, settleTime, func() bool { return r.probe() == nil }) {
		t.fault("%v after the clients have left, requests are not answered", settleTime)
	}
	if !r.process.alive() {
		t.fault("the process has died: %s", tail(r.process.log.all(), 1500))
	}
}

// askOn completes a request on a connection that was taken in early: its upstream needs a descriptor, too.
func (t *trial) askOn(conn net.Conn, s *script) {
	_, _ = fmt.Fprintf(conn, "%s?script=%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", byHTTP+usualPairs[0].String(), s.id, t.rig.process.addr)
	_ = conn.SetReadDeadline(time.Now().Add(socketLimit))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.fault("a client that came first gets no answer while others take all descriptors: %v", err)
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusServiceUnavailable {
		body, _ := io.ReadAll(resp.Body)
		t.fault("a client that came first gets status %d while others take all descriptors: %s", resp.StatusCode, body)
	}
}
