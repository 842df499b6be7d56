package proxy

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// losses are the ways in which a server gives up a kept connection on which a request comes. One that resets it after it has read the
// request looks like one that has not.
var losses = map[string]func(*peer){
	"reset after the request":       func(p *peer) { p.request(); p.reset() },
	"reset at its first byte":       func(p *peer) { _, _ = p.br.ReadByte(); p.reset() },
	"closed with the request there": func(p *peer) { _, _ = io.ReadFull(p.Conn, make([]byte, 1)) }, // unread bytes make it a reset
}

// TestStaleConnectionsCostNoRequest, whatever its method: it goes out once more, on a new connection, and is counted.
func TestStaleConnectionsCostNoRequest(t *testing.T) {
	t.Parallel()
	for name, lose := range losses {
		for _, method := range []string{"GET", "POST"} {
			for size, body := range map[string]string{"small": "{}", "large": strings.Repeat("x", 4<<20)} {
				t.Run(name+", "+method+", "+size, func(t *testing.T) {
					t.Parallel()
					for until := time.Now().Add(testTimeout); staleRequestIsLost(t, method, body, lose); {
						if time.Now().After(until) {
							t.Fatal("each time the connection showed too late that it is stale")
						}
					}
				})
			}
		}
	}
}

// staleRequestIsLost sends three requests, the second on a connection that is lost with it. It reports that this took longer than a
// connection may take to show that it is stale, as it can on a busy machine: then the request is rightly lost.
func staleRequestIsLost(t *testing.T, method, body string, lose func(*peer)) bool {
	t.Helper()
	a := newAgent(t, func(p *peer) {
		for n := 1; ; n++ {
			if p.nth == 1 && n == 2 {
				lose(p)
				return
			}
			if p.request() == nil {
				return
			}
			p.ok()
			p.finish(smallRun)
		}
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	c := r.dial()
	for range 3 {
		begun := time.Now()
		c.ask(method, "/run", body)
		resp, got := c.whole()
		if resp.StatusCode == 502 && time.Since(begun) > time.Second {
			return true
		}
		if resp.StatusCode != 200 || got != smallRunOut {
			t.Errorf("%d %s", resp.StatusCode, got)
		}
	}
	if n := a.connections(); n != 2 {
		t.Errorf("%d connections", n)
	}
	if n := r.metric("sabir_upstream_retries_total", "upstream=agent"); n != 1 {
		t.Errorf("%v retries are counted", n)
	}
	return false
}

// TestNotRetried are requests that a server may have begun to work on: they are never sent again.
func TestNotRetried(t *testing.T) {
	t.Parallel()
	f := func(name, method string, connections int, script func(p *peer, n int) bool, statuses ...int) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, func(p *peer) {
				for n := 1; p.request() != nil && script(p, n); n++ {
				}
			})
			r := start(t, simple(a.url(), "", "timeouts: {first_byte: 3s}\n", "client: twin\n"))
			c := r.dial()
			for _, want := range statuses {
				c.ask(method, "/run", "{}")
				if resp, body := c.whole(); resp.StatusCode != want {
					t.Errorf("status %d, want %d: %s", resp.StatusCode, want, body)
				}
			}
			if n := a.connections(); n != connections {
				t.Errorf("%d connections, want %d", n, connections)
			}
		})
	}
	good := func(p *peer) bool { p.ok(); p.finish(smallRun); return true }
	second := func(do func(*peer)) func(*peer, int) bool {
		return func(p *peer, n int) bool {
			if p.nth == 1 && n == 2 {
				do(p)
				return false
			}
			return good(p)
		}
	}
	f("a byte came", "POST", 1, second(func(p *peer) { p.send("H"); p.reset() }), 200, 502)
	f("a byte came, GET", "GET", 1, second(func(p *peer) { p.send("H"); p.reset() }), 200, 502)
	f("an interim answer came", "POST", 1, second(func(p *peer) { p.answer("103 Early Hints") }), 200, 502)
	f("a whole header came", "POST", 1, second(func(p *peer) { p.ok(); p.reset() }), 200, 502)
	f("closed after the request", "POST", 1, second(func(*peer) {}), 200, 502)
	f("closed after the request, GET", "GET", 1, second(func(*peer) {}), 200, 502)
	f("its half closed after the request", "POST", 1, second(func(p *peer) { _ = p.Conn.(*net.TCPConn).CloseWrite(); p.awaitGone() }), 200, 502)
	f("closed late", "POST", 1, second(func(*peer) { time.Sleep(time.Second + 200*time.Millisecond) }), 200, 502)
	f("reset late", "POST", 1, second(func(p *peer) { time.Sleep(time.Second + 200*time.Millisecond); p.reset() }), 200, 502)
	f("reset late, GET", "GET", 1, second(func(p *peer) { time.Sleep(time.Second + 200*time.Millisecond); p.reset() }), 200, 502)
	f("silent", "POST", 1, second(func(p *peer) { p.awaitGone() }), 200, 504)
	f("new connection", "POST", 1, func(*peer, int) bool { return false }, 502)
	f("new connection, GET", "GET", 1, func(*peer, int) bool { return false }, 502)
	f("lost twice", "GET", 2, func(p *peer, n int) bool {
		if p.nth == 1 && n == 2 {
			p.reset()
		}
		return p.nth == 1 && n == 1 && good(p)
	}, 200, 502)
}

// TestIdleConnectionsOfServers that close them after a time of their own, at any moment, with a reset or without: no
// request is lost, and none is run twice.
func TestIdleConnectionsOfServers(t *testing.T) {
	t.Parallel()
	const idle = 20 * time.Millisecond
	var mu sync.Mutex
	runs := map[string]int{}
	a := newAgent(t, func(p *peer) {
		for n := 0; ; n++ {
			if n > 0 { // servers wait longer for the first request
				_ = p.SetReadDeadline(time.Now().Add(idle))
			}
			if _, err := p.br.Peek(1); err != nil {
				if p.nth%2 == 0 {
					p.reset()
				}
				return
			}
			_ = p.SetReadDeadline(time.Time{})
			if p.request() == nil {
				return
			}
			mu.Lock()
			runs[string(p.body)]++
			mu.Unlock()
			p.ok()
			p.finish(smallRun)
		}
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	var all sync.WaitGroup
	const workers, each = 4, 60
	for w := range workers {
		all.Go(func() {
			c := r.dial()
			for i := range each {
				time.Sleep(idle - time.Millisecond + time.Duration(rand.Int64N(int64(2*time.Millisecond))))
				c.ask("POST", "/run", fmt.Sprint(w, "/", i))
				if resp, got := c.whole(); resp.StatusCode != 200 || got != smallRunOut {
					t.Errorf("%d %s", resp.StatusCode, got)
				}
			}
		})
	}
	all.Wait()
	mu.Lock()
	defer mu.Unlock()
	for id, n := range runs {
		if n != 1 {
			t.Errorf("%s ran %d times", id, n)
		}
	}
	if len(runs) != workers*each {
		t.Errorf("%d requests arrived", len(runs))
	}
}

// TestKeepAliveTime is the server's word on how long it keeps a connection, up to what the configuration says.
func TestKeepAliveTime(t *testing.T) {
	t.Parallel()
	f := func(config, field string, want time.Duration) {
		t.Helper()
		a := newAgent(t, func(p *peer) {
			for p.request() != nil {
				p.ok("Keep-Alive: " + field)
				p.finish(smallRun)
			}
		})
		r := start(t, simple(a.url(), "timeouts: {"+config+"}\n", "", "client: twin\n"))
		before := time.Now()
		r.post("/run", "{}")
		up := r.table.Load().upstreams["agent"].Instances[0]
		if want == 0 {
			await(t, "the connection to be closed", func() bool { return a.opened() == 0 })
			return
		}
		await(t, "the connection to be kept", func() bool { return len(up.IdleUntil()) == 1 })
		if at := up.IdleUntil()[0]; at.Before(before.Add(want)) || at.After(time.Now().Add(want)) {
			t.Errorf("%s, %s: kept for %v, want %v", config, field, at.Sub(before), want)
		}
	}
	const most = "idle_connection: 50s"
	f("", "max=100", 4*time.Second)
	f("", "timeout=60", 4*time.Second)
	f("", "timeout=3, max=100", 2*time.Second)
	f(most, "Timeout = 5", 4*time.Second)
	f(most, `max=7,timeout="20"`, 19*time.Second)
	f(most, "timeout=1", 500*time.Millisecond)
	f(most, "timeout=x", 50*time.Second)
	f(most, "timeout=99999999999999999999", 50*time.Second)
	f(most, "timeout=0", 0)
	f("idle_connection: 0s", "timeout=5", 0)
}

// TestIdleConnectionsEnd when their time is over, each its own.
func TestIdleConnectionsEnd(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "timeouts: {idle_connection: 50ms}\n", "", "client: twin\n"))
	for range 2 {
		r.post("/run", "{}")
		await(t, "the connection to be closed", func() bool { return a.opened() == 0 })
	}
	if a.connections() != 2 {
		t.Errorf("%d connections", a.connections())
	}
}

// TestIdleConnectionsEndWithServer: a server that has ended holds no connection to an agent.
func TestIdleConnectionsEndWithServer(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "timeouts: {idle_connection: 10m}\n", "", "client: twin\n"))
	r.post("/run", "{}")
	if n := a.opened(); n != 1 {
		t.Fatalf("%d connections are kept", n)
	}
	r.close()
	await(t, "the connection to be closed", func() bool { return a.opened() == 0 })
}
