package proxy

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// TestClientLeaves closes the upstream's connection when the client goes, whatever the upstream is doing.
// Row G4.
func TestClientLeaves(t *testing.T) {
	t.Parallel()
	ways := map[string]func(*client){
		"close":      func(c *client) { c.Close() },
		"reset":      (*client).reset,
		"half close": func(c *client) { _ = c.Conn.(*net.TCPConn).CloseWrite() },
	}
	f := func(when, up string, script func(*peer), reads int) {
		for how, leave := range ways {
			t.Run(when+", "+how, func(t *testing.T) {
				t.Parallel()
				asked, gone := make(chan struct{}, 1), make(chan struct{}, 1)
				a := newAgent(t, func(p *peer) {
					p.request()
					asked <- struct{}{}
					script(p)
					p.awaitGone()
					gone <- struct{}{}
				})
				r := start(t, simple(strings.Replace(a.url(), "http:", up, 1), "", "", "client: twin\n"))
				c := r.dial()
				c.ask("POST", "/run", "{}")
				<-asked
				if reads > 0 {
					resp := c.response()
					if _, err := io.ReadFull(resp.Body, make([]byte, reads)); err != nil {
						t.Fatal(err)
					}
				}
				leave(c)
				<-gone
				if end := r.awaitEnds(1); end["ending"] != "client_gone" {
					t.Errorf("log %v", end)
				}
				if r.metric("sabir_upstream_cancels_total", "route=/run", "by=client") != 1 {
					t.Error("the cancel is not counted")
				}
			})
		}
	}
	f("before the header", "http:", func(*peer) {}, 0)
	f("before the handshake", "ws:", func(*peer) {}, 0)
	f("before the first record", "http:", func(p *peer) { p.ok() }, 0)
	f("in silence", "http:", func(p *peer) { p.ok(); p.chunk(smallRun[:40]) }, 10)
	f("in the flow", "http:", func(p *peer) {
		p.ok()
		p.chunk(lineStart + "\n")
		for p.n("again") == nil {
			time.Sleep(time.Millisecond)
		}
	}, 200)
	f("compressed", "http:", func(p *peer) { p.ok("Content-Encoding: gzip") }, 0)
}

// TestSessionLeaves is the same for a client on a WebSocket, and an upstream on one.
func TestSessionLeaves(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{}, 1)
	a := newWSAgent(t, func(c *websocket.Conn, _ *http.Request) {
		_ = c.WriteMessage(websocket.TextMessage, []byte(lineStart))
		listen(c)
		gone <- struct{}{}
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	ways := map[string]func(*wsClient){
		"close frame": func(c *wsClient) { goodbye(c.Conn, websocket.CloseNormalClosure) },
		"close":       func(c *wsClient) { c.Close() },
		"reset":       func(c *wsClient) { _ = c.NetConn().(*net.TCPConn).SetLinger(0); c.Close() },
		"half close":  func(c *wsClient) { _ = c.NetConn().(*net.TCPConn).CloseWrite() },
	}
	n := 0
	for how, leave := range ways {
		c := r.dialWS("/run")
		c.hear()
		leave(c)
		<-gone
		n++
		if end := r.awaitEnds(n); end["ending"] != "client_gone" {
			t.Errorf("%s: log %v", how, end)
		}
	}
	if got := r.metric("sabir_upstream_cancels_total", "by=client"); got != float64(n) {
		t.Errorf("%v cancels of %d are counted", got, n)
	}
}

// TestClientLeavesAtTheEnd counts no cancel for a client that closes when it has read the last record.
func TestClientLeavesAtTheEnd(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok()
		p.chunk(smallRun)
		p.awaitGone()
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	const n = 50
	for range n {
		c := r.dial()
		c.ask("POST", "/run", "{}")
		body := c.response().Body
		if _, err := io.ReadFull(body, make([]byte, len(smallRunOut))); err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
	r.awaitEnds(n)
	if got := r.metric("sabir_streams_total", "ending=done"); got != n {
		t.Errorf("%v of %d streams are done", got, n)
	}
	if got := r.metric("sabir_upstream_cancels_total"); got != 0 {
		t.Errorf("%v cancels", got)
	}
}

// TestCancelBehindTheEnd: whoever cancels a stream that has ended, while the request that cancels its run at the agent is under way, does not
// touch the connection, which may have the next one.
func TestCancelBehindTheEnd(t *testing.T) {
	t.Parallel()
	r := start(t, simple("http://127.0.0.1:1/", "", "", "client: twin\n"))
	way, _ := r.table.Load().find(urls.Path{Raw: "/run", Plain: "/run"})
	limits := 0
	for range 2 {
		st := &canceler{limitWrite: func(*hub.Failure) { limits++ }}
		if f := r.admit(way, st, tenancy{}); f != nil {
			t.Fatal(f)
		}
		if limits == 0 {
			st.cancel(hub.Fail(hub.CodeCancelled, nil))
		}
		r.finishStream(st)
		st.cancel(hub.Fail(hub.CodeCancelled, nil))
	}
	if limits != 1 {
		t.Errorf("the connection was touched %d times, and once while its stream went on", limits)
	}
}

// TestManyCancels cancels streams while their upstreams send, a thousand in all.
// Rows G5, G6, G7.
func TestManyCancels(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok()
			p.chunk(lineStart + "\n")
			for p.n("again") == nil {
				time.Sleep(100 * time.Microsecond)
			}
		}
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	const workers, each = 20, 50
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := range each {
				c := r.dial()
				c.ask("POST", "/run", "{}")
				_, _ = io.ReadFull(c, make([]byte, 40*((w+i)%20)))
				if i%2 == 0 {
					c.reset()
				} else {
					c.Close()
				}
			}
		})
	}
	all.Wait()
	await(t, "the upstream's connections to close", func() bool { return a.opened() == 0 })
	// A client that leaves before its request was read has no stream.
	await(t, "the streams to be counted", r.noStreams)
	ended := r.metric("sabir_streams_total")
	if gone := r.metric("sabir_upstream_cancels_total", "by=client"); gone != ended || ended == 0 || ended > workers*each {
		t.Errorf("%v cancels of %v streams", gone, ended)
	}
}

// silentAgent answers with one record and then says nothing until the proxy leaves; gone gets the time of that.
func silentAgent(t testing.TB, gone chan<- time.Time) *agent {
	return newAgent(t, func(p *peer) {
		if p.request() == nil {
			return
		}
		p.ok()
		p.chunk(lineStart + "\n")
		if at := p.awaitGone(); gone != nil {
			gone <- at
		}
	})
}

// openSilent opens streams that say one record and then nothing.
func (r *rig) openSilent(n int) []*client {
	r.t.Helper()
	all := make([]*client, n)
	var wg sync.WaitGroup
	for part := range 16 {
		wg.Go(func() {
			for i := part; i < n; i += 16 {
				c := r.dial()
				c.ask("POST", "/run", "{}")
				if _, err := io.ReadFull(c.response().Body, make([]byte, 10)); err != nil {
					r.t.Error(err)
				}
				all[i] = c
			}
		})
	}
	wg.Wait()
	return all
}

// cancelTimes closes clients one by one and measures how long it takes until their upstreams see it.
func cancelTimes(clients []*client, gone <-chan time.Time) []time.Duration {
	var took []time.Duration
	for _, c := range clients {
		left := time.Now()
		c.Close()
		took = append(took, (<-gone).Sub(left))
	}
	slices.Sort(took)
	return took
}

// BenchmarkCancel measures the time from the client's FIN to the moment at which the upstream sees its connection
// closed, while nothing is sent on either side:
//
//	go test -run '^$' -bench Cancel -benchtime 200x ./proxy
func BenchmarkCancel(b *testing.B) {
	for _, others := range []int{0, 2000} {
		b.Run(fmt.Sprintf("beside=%d", others), func(b *testing.B) {
			gone := make(chan time.Time, others+b.N)
			a := silentAgent(b, gone)
			r := start(b, simple(a.url(), "", "", "client: twin\n"))
			r.openSilent(others)
			clients := r.openSilent(b.N)
			b.ResetTimer()
			took := cancelTimes(clients, gone)
			b.StopTimer()
			for name, q := range map[string]float64{"p50-ms": 0.5, "p99-ms": 0.99, "max-ms": 1} {
				b.ReportMetric(took[int(q*float64(len(took)-1))].Seconds()*1e3, name)
			}
		})
	}
}
