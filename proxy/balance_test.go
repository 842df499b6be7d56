package proxy

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
)

// spread is a configuration of an upstream with several addresses; more is what else it has.
func spread(more string, addresses ...string) string {
	return spreadURL("http://agent.example/stream", more, addresses...)
}

func spreadURL(url, more string, addresses ...string) string {
	return simple(url, "", "addresses: ['"+strings.Join(addresses, "', '")+"']\n"+more, "client: twin\n")
}

func (a *agent) addr() string { return a.ln.Addr().String() }

// closedPort is an address where nothing listens, nor begins to before the test ends: it is that of the near end of a connection,
// as the system gives a port that was closed to the next server that wants one.
func closedPort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	near, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = near.Close() })
	return near.LocalAddr().String()
}

// openAt opens a stream, and returns it when it has begun.
func (r *rig) openAt(path string) *client {
	r.t.Helper()
	c := r.dial()
	c.ask("POST", path, "{}")
	if resp := c.response(); resp.StatusCode != 200 {
		r.t.Fatalf("status %d", resp.StatusCode)
	}
	return c
}

// TestLeastLoaded: a run goes where the fewest are open.
func TestLeastLoaded(t *testing.T) {
	t.Parallel()
	agents := []*agent{silentAgent(t, nil), silentAgent(t, nil), silentAgent(t, nil)}
	r := start(t, spread("", agents[0].addr(), agents[1].addr(), agents[2].addr()))
	var open []*client
	for range 6 {
		open = append(open, r.openAt("/run"))
	}
	for _, a := range agents {
		if n := r.metric("sabir_upstream_address_streams", "address="+a.addr()); n != 2 || a.opened() != 2 {
			t.Errorf("%v runs, %d connections at one of three", n, a.opened())
		}
	}
	for _, c := range open {
		c.Close()
	}
	r.awaitEnds(6)
	if n := r.metric("sabir_upstream_address_streams"); n != 0 {
		t.Errorf("%v runs are open at the end", n)
	}
}

// naming answers runs by its own name.
func naming(t *testing.T, name string) *agent {
	return newAgent(t, streaming(lines(lineStart, `{"kind":"text.delta","id":"p1","text":"`+name+`"}`, lineEnd)))
}

// TestThreadHash: a conversation stays where it is. When an address goes, the others keep theirs.
func TestThreadHash(t *testing.T) {
	t.Parallel()
	names := []string{"north", "south", "west"}
	var addrs []string
	for _, name := range names {
		addrs = append(addrs, naming(t, name).addr())
	}
	yaml := func(addrs ...string) string {
		return strings.Replace(spread("balance: thread_hash\n", addrs...), "client: twin", "client: agui", 1)
	}
	r := start(t, yaml(addrs...))
	where := func(thread int) string {
		_, body := r.post("/run", fmt.Sprintf(`{"threadId":"t%d","runId":"r","messages":[{"id":"m","role":"user","content":"x"}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`, thread))
		for _, name := range names {
			if strings.Contains(body, name) {
				return name
			}
		}
		t.Fatalf("got %s", body)
		return ""
	}
	const threads = 30
	first, seen := map[int]string{}, map[string]int{}
	for i := range threads {
		first[i] = where(i)
		seen[first[i]]++
		if again := where(i); again != first[i] {
			t.Errorf("thread %d goes to %s and to %s", i, first[i], again)
		}
	}
	if len(seen) != 3 {
		t.Errorf("threads go to %v", seen)
	}
	if err := r.Reload(parse(t, yaml(addrs[0], addrs[1]))); err != nil {
		t.Fatal(err)
	}
	for i := range threads {
		if now := where(i); first[i] != "west" && now != first[i] {
			t.Errorf("thread %d has moved from %s to %s", i, first[i], now)
		}
	}
}

// TestFailover: a run goes to another address where it has certainly not begun, and stays where it may have.
func TestFailover(t *testing.T) {
	t.Parallel()
	busy := func(header ...string) func(*peer) {
		return func(p *peer) {
			for p.request() != nil {
				p.answer("503 Service Unavailable", append(header, "Content-Length: 0")...)
			}
		}
	}
	f := func(name string, first func(*peer), moves bool) {
		t.Helper()
		good := newAgent(t, streaming(smallRun))
		bad := closedPort(t)
		var asked *agent
		if first != nil {
			asked = newAgent(t, first)
			bad = asked.addr()
		}
		r := start(t, spread("eject: {after: 0}\n", bad, good.addr()))
		statuses := map[int]int{}
		for range 4 {
			resp, _ := r.post("/run", "{}")
			statuses[resp.StatusCode]++
		}
		if moves != (statuses[200] == 4) || r.metric("sabir_upstream_failovers_total", "result=moved") != map[bool]float64{true: 2, false: 0}[moves] {
			t.Errorf("%s: statuses %v, %v moved", name, statuses, r.metric("sabir_upstream_failovers_total"))
		}
		if !moves && statuses[200] != 2 {
			t.Errorf("%s: statuses %v", name, statuses)
		}
		if n := r.logs.FilterMessage("run moves to another address").Len(); n != map[bool]int{true: 2, false: 0}[moves] {
			t.Errorf("%s: %d lines say that a run moves", name, n)
		}
		if n := r.metric("sabir_upstream_responses_total", "status=503"); strings.HasPrefix(name, "busy") && n != 2 {
			t.Errorf("%s: %v answers say so", name, n)
		}
		if moves && asked != nil && asked.opened() != 1 {
			t.Errorf("%s: %d connections for two runs, which were declined in whole answers", name, asked.opened())
		}
	}
	f("nothing listens", nil, true)
	f("busy, and says until when", busy("Retry-After: 1"), true)
	f("busy", busy(), false)
	f("lost with the request", func(p *peer) { p.request(); p.reset() }, false)
	f("lost within the answer", func(p *peer) { p.request(); p.send("HTTP/1.1 20"); p.reset() }, false)
	f("an error", func(p *peer) {
		for p.request() != nil {
			p.answer("500 Oops", "Retry-After: 1", "Content-Length: 0")
		}
	}, false)
}

// TestFailoverOfWebSockets: where no connection can be made, the next address is called.
func TestFailoverOfWebSockets(t *testing.T) {
	t.Parallel()
	good := wsAgentAt(t)
	r := start(t, spreadURL("ws://agent.example/stream", "eject: {after: 0}\n", closedPort(t), good))
	for range 4 {
		r.allowed("/run")
	}
	if n := r.metric("sabir_upstream_failovers_total", "result=moved"); n != 2 {
		t.Errorf("%v runs moved", n)
	}
}

// wsAgentAt is where an agent answers by WebSocket.
func wsAgentAt(t *testing.T) string {
	t.Helper()
	a := newWSAgent(t, func(c *websocket.Conn, _ *http.Request) {
		_, _, _ = c.ReadMessage()
		for _, l := range []string{lineStart, lineHello, lineEnd} {
			_ = c.WriteMessage(websocket.TextMessage, []byte(l))
		}
	})
	return strings.TrimSuffix(strings.TrimPrefix(a.url(), "ws://"), "/stream")
}

// TestFailoverBudget: no more runs go elsewhere than the budget has: ten at once, and then a part of all.
func TestFailoverBudget(t *testing.T) {
	t.Parallel()
	r := start(t, spread("eject: {after: 0}\nfailover: {budget: 10}\n", closedPort(t), closedPort(t)))
	for range 40 {
		if resp, body := r.post("/run", "{}"); resp.StatusCode != 502 || !strings.Contains(body, "upstream_refused") {
			t.Fatalf("status %d: %s", resp.StatusCode, body)
		}
	}
	moved, not := r.metric("sabir_upstream_failovers_total", "result=moved"), r.metric("sabir_upstream_failovers_total", "result=budget")
	if moved < 13 || moved > 14 || moved+not != 40 {
		t.Errorf("%v of 40 moved, %v had no budget", moved, not)
	}
}

// TestEjection: an address where runs fail gets none for a while, and for longer the next time. The last one is never ejected.
func TestEjection(t *testing.T) {
	t.Parallel()
	bad := newAgent(t, func(p *peer) { p.request(); p.reset() })
	good := newAgent(t, streaming(smallRun))
	r := start(t, spread("eject: {after: 2, for: 1500ms, max: 1h}\n", bad.addr(), good.addr()))
	ejections := func() float64 { return r.metric("sabir_upstream_ejections_total", "address="+bad.addr()) }
	for ejections() == 0 {
		r.post("/run", "{}")
	}
	if bad.connections() != 2 || r.metric("sabir_upstream_address_state", "address="+bad.addr(), "state=ejected") != 1 {
		t.Errorf("ejected after %d failures", bad.connections())
	}
	for range 5 {
		r.allowed("/run")
	}
	await(t, "the ejection to end", func() bool { return r.metric("sabir_upstream_address_state", "address="+bad.addr(), "state=up") == 1 })
	before := time.Now()
	for ejections() == 1 {
		r.post("/run", "{}")
	}
	if n := bad.connections(); n != 3 {
		t.Errorf("ejected again after %d failures in all", n)
	}
	await(t, "the second ejection to end", func() bool { return r.metric("sabir_upstream_address_state", "address="+bad.addr(), "state=up") == 1 })
	if took := time.Since(before); took < 2500*time.Millisecond {
		t.Errorf("the second ejection took %v", took)
	}
	if n := r.logs.FilterMessage("upstream address ejected").Len(); n != 2 {
		t.Errorf("%d ejections are logged", n)
	}
}

// TestLastIsNotEjected: where all addresses fail, runs still go somewhere.
func TestLastIsNotEjected(t *testing.T) {
	t.Parallel()
	cut := func(p *peer) { p.request(); p.reset() }
	one, two := newAgent(t, cut), newAgent(t, cut)
	r := start(t, spread("eject: {after: 1, for: 1h, max: 1h}\n", one.addr(), two.addr()))
	for range 6 {
		if resp, _ := r.post("/run", "{}"); resp.StatusCode != 502 {
			t.Errorf("status %d", resp.StatusCode)
		}
	}
	if n := r.metric("sabir_upstream_ejections_total"); n != 1 || one.connections()+two.connections() != 6 {
		t.Errorf("%v ejections, %d and %d connections", n, one.connections(), two.connections())
	}
}

// TestBreaker: while all runs fail, further ones are refused at once; after the pause one is tried.
func TestBreaker(t *testing.T) {
	t.Parallel()
	var works atomic.Bool
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			if !works.Load() {
				p.reset()
				return
			}
			p.ok("Content-Type: application/x-ndjson")
			p.chunk(smallRun)
			p.last()
		}
	})
	r := start(t, simple(a.url(), "", "breaker: {failures: 2, pause: 2s}\n", "client: anthropic\n"))
	f := func(status int, code string) {
		t.Helper()
		resp, body := r.post("/run", "{}")
		if resp.StatusCode != status || resp.Header.Get("X-Sabir-Error") != code || status == 503 && resp.Header.Get("Retry-After") != "2" && resp.Header.Get("Retry-After") != "1" {
			t.Errorf("status %d %v: %s", resp.StatusCode, resp.Header, body)
		}
	}
	f(502, "upstream_reset")
	f(502, "upstream_reset")
	f(503, "upstream_failing")
	f(503, "upstream_failing")
	time.Sleep(2 * time.Second)
	f(502, "upstream_reset")
	f(503, "upstream_failing")
	works.Store(true)
	time.Sleep(2 * time.Second)
	f(200, "")
	f(200, "")
	if n := r.logs.FilterMessageSnippet("not asked for a while").Len(); n != 1 {
		t.Errorf("%d lines of log", n)
	}
}

// secureAgentAt is where an agent answers by TLS, with a certificate that an authority has issued.
func secureAgentAt(t *testing.T, files *pki, protocol string) string {
	t.Helper()
	srv := &http.Server{ReadHeaderTimeout: testTimeout, ErrorLog: log.New(io.Discard, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		_, _ = io.WriteString(w, smallRun)
	}), TLSConfig: &tls.Config{Certificates: []tls.Certificate{files.pair("agent")}, NextProtos: []string{protocol}}}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = srv.ServeTLS(ln, "", "") }()
	t.Cleanup(func() { srv.Close() })
	return ln.Addr().String()
}

// TestFailoverOfHandshakes: nothing was sent where TLS does not come about, so that the run goes to the next address.
func TestFailoverOfHandshakes(t *testing.T) {
	t.Parallel()
	files, strangers := newPKI(t), newPKI(t)
	bad := func(answer func(net.Conn)) string {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ln.Close() })
		go func() {
			for c, err := ln.Accept(); err == nil; c, err = ln.Accept() {
				answer(c)
				c.Close()
			}
		}()
		return ln.Addr().String()
	}
	for protocol, more := range map[string]string{"http/1.1": "", "h2": "http2: true\n"} {
		for name, first := range map[string]string{
			"a certificate of a stranger": secureAgentAt(t, strangers, protocol),
			"no TLS":                      bad(func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n") }),
			"closed":                      bad(func(net.Conn) {}),
			"closed within the hello":     bad(func(c net.Conn) { _, _ = io.ReadFull(c, make([]byte, 10)) }),
		} {
			good := secureAgentAt(t, files, protocol)
			more := more + "eject: {after: 0}\ntls: {server_name: localhost, ca: " + files.dir + "/clients.pem}\n"
			r := start(t, spreadURL("https://agent.example/stream", more, first, good))
			for range 4 {
				if resp, body := r.post("/run", "{}"); resp.StatusCode != 200 || body != smallRunOut {
					t.Errorf("%s, %s: status %d, %s", protocol, name, resp.StatusCode, body)
				}
			}
			if n := r.metric("sabir_upstream_failovers_total", "result=moved"); n != 2 {
				t.Errorf("%s, %s: %v runs moved", protocol, name, n)
			}
		}
	}
}
