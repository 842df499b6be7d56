package proxy

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestKeepAlive shows that a silent stream lives, in the form of each framing, and only after silence.
// Rows F8, G1, G2.
func TestKeepAlive(t *testing.T) {
	t.Parallel()
	f := func(framing, pad, want string) {
		t.Helper()
		t.Run(framing+" "+pad, func(t *testing.T) {
			t.Parallel()
			release := make(chan struct{})
			a := newAgent(t, func(p *peer) {
				p.request()
				p.ok()
				p.chunk(lineStart + "\n")
				<-release
				p.finish(lineEnd + "\n")
			})
			r := start(t, simple(a.url(), "", "", "client: twin\nframing: "+framing+"\ntimeouts: {keepalive: 20ms}\nkeepalive_padding: "+pad+"\n"))
			c := r.dial()
			defer c.Close()
			c.ask("POST", "/run", "{}")
			body := c.response().Body
			first := `{"kind":"run.start","seq":1,"id":"r1"}`
			first = framed(framing, first)
			got := make([]byte, len(first)+3*len(want))
			if _, err := io.ReadFull(body, got); err != nil {
				t.Fatal(err)
			}
			if string(got) != first+strings.Repeat(want, 3) {
				t.Errorf("got %q", got)
			}
			close(release)
			rest, err := io.ReadAll(body)
			if err != nil {
				t.Fatal(err)
			}
			last := framed(framing, `{"kind":"run.end","status":"done","seq":2}`)
			if end := strings.TrimPrefix(string(rest), strings.Repeat(want, strings.Count(string(rest), want))); !strings.HasSuffix(string(rest), last) || strings.Trim(end, "\n ") != strings.Trim(last, "\n ") {
				t.Errorf("then %q", rest)
			}
			r.awaitEnds(1)
			if n := r.metric("sabir_keepalives_total"); n < 3 {
				t.Errorf("%v signs of life are counted", n)
			}
			if n := r.metric("sabir_events_total", "direction=out"); n != 2 {
				t.Errorf("%v events out: signs of life are none", n)
			}
		})
	}
	f("sse", "0", "\n\n")
	f("sse", "100", ":"+strings.Repeat(" ", 100)+"\n\n\n")
	f("ndjson", "0", "\n")
	f("concat", "0", " ")
}

// TestKeepAliveWithoutForm sends nothing in a framing that has no sign of life; above all no empty chunk, which would
// end the body.
func TestKeepAliveWithoutForm(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok()
		p.chunk(lineStart + "\n")
		<-release
		p.finish(lineEnd + "\n")
	})
	r := start(t, simple(a.url(), "", "", "client: twin\nframing: length-prefix\ntimeouts: {keepalive: 5ms}\n"))
	c := r.dial()
	defer c.Close()
	c.ask("POST", "/run", "{}")
	resp := c.response()
	await(t, "signs of life", func() bool { return r.metric("sabir_keepalives_total") >= 3 })
	close(release)
	body, err := io.ReadAll(resp.Body)
	if got := records(t, "length-prefix", string(body)); err != nil || len(got) != 2 {
		t.Errorf("got %q, %v", body, err)
	}
}

// TestKeepAliveOpensTheAnswer: the response begins with the first record or the first sign of life, and the time to
// the first event counts records only.
func TestKeepAliveOpensTheAnswer(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok()
		<-release
		p.finish(smallRun)
	})
	r := start(t, simple(a.url(), "", "", "client: twin\ntimeouts: {keepalive: 20ms}\n"))
	c := r.dial()
	defer c.Close()
	c.ask("POST", "/run", "{}")
	resp := c.response()                                               // comes although the agent is silent
	if _, err := io.ReadFull(resp.Body, make([]byte, 8)); err != nil { // further signs follow, so that the first was counted, if it is
		t.Error(err)
	}
	if r.metric("sabir_first_event_seconds") != 0 {
		t.Error("a sign of life counts as the first event")
	}
	close(release)
	body, _ := io.ReadAll(resp.Body)
	if got := strings.TrimLeft(string(body), "\n"); got != smallRunOut {
		t.Errorf("got %q", body)
	}
	if end := r.awaitEnds(1); end["first_event"].(time.Duration) < 60*time.Millisecond {
		t.Errorf("first event after %v", end["first_event"])
	}
	if r.metric("sabir_first_event_seconds") != 1 {
		t.Error("the first event is not counted once")
	}
}

// TestKeepAliveFeedsNoTimeout: signs of life are no proof that the upstream lives.
func TestKeepAliveFeedsNoTimeout(t *testing.T) {
	t.Parallel()
	a := silentAgent(t, nil)
	r := start(t, simple(a.url(), "", "timeouts: {idle: 1s}\n", "client: twin\ntimeouts: {keepalive: 10ms}\n"))
	got := r.demand("/run")
	if !strings.Contains(got.body, `"err_code":"upstream_idle"`) || got.cut {
		t.Errorf("cut %v: %q", got.cut, got.body)
	}
	if n := r.metric("sabir_keepalives_total"); n < 2 {
		t.Errorf("%v signs of life", n)
	}
}

// TestKeepAliveNotInFlow: a stream that flows needs none.
func TestKeepAliveNotInFlow(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok()
		p.chunk(lineStart + "\n")
		for range 150 { // for longer than the pause behind which there is a sign of life
			if p.n("x") != nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		p.finish(lineEnd + "\n")
	})
	r := start(t, simple(a.url(), "", "", "client: twin\ntimeouts: {keepalive: 1s}\n"))
	if _, body := r.post("/run", "{}"); strings.Contains(body, "\n\n") {
		t.Errorf("got %q", body)
	}
}

// TestKeepAliveOfDialect uses the sign of life that a dialect has of its own.
func TestKeepAliveOfDialect(t *testing.T) {
	old := twin.KeepAlive
	defer func() { twin.KeepAlive = old }()
	twin.KeepAlive = func(out *wire.Out, _ hub.Options) {
		out.Begin("")
		out.Buf = append(out.Buf, `{"kind":"ping"}`...)
		out.End()
	}
	a := silentAgent(t, nil)
	r := start(t, simple(a.url(), "", "", "client: twin\ntimeouts: {keepalive: 10ms}\n"))
	c := r.dial()
	c.ask("POST", "/run", "{}")
	br := bufio.NewReader(c.response().Body)
	line(t, br)
	if got := line(t, br); got != `{"kind":"ping"}` {
		t.Errorf("got %s", got)
	}
	c.Close()
	r.awaitEnds(1)
	r.close()
}

// TestPings are the signs of life on a WebSocket, also between runs.
func TestPings(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok()
		p.chunk(lineStart + "\n")
		<-release
		p.finish(lineEnd + "\n")
	})
	r := start(t, simple(a.url(), "", "", "client: twin\ntimeouts: {keepalive: 10ms}\n"))
	c := r.dialWS("/run")
	pings := make(chan struct{}, 1000)
	c.SetPingHandler(func(string) error { pings <- struct{}{}; return nil })
	read := make(chan string, 10)
	go func() {
		defer close(read)
		for {
			_, p, err := c.ReadMessage()
			if err != nil {
				return
			}
			read <- string(p)
		}
	}()
	<-pings // before any run
	c.say("go")
	<-read
	for range 3 {
		<-pings
	}
	close(release)
	if got := <-read; !strings.Contains(got, "run.end") {
		t.Errorf("got %s", got)
	}
	r.awaitEnds(1)
	for len(pings) > 0 {
		<-pings
	}
	<-pings
	_ = c.WriteControl(websocket.CloseMessage, nil, time.Now().Add(testTimeout))
	for range read {
	}
}
