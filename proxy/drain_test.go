package proxy

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"go.uber.org/zap"
)

// TestDrain refuses new streams, lets running ones end, and then returns.
func TestDrain(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok()
			p.chunk(lineStart + "\n")
			<-release
			p.finish(lineEnd + "\n")
		}
	})
	r := start(t, simple(a.url(), "timeouts: {drain: 60s}", "", "client: twin\n"))
	adminURL, endAdmin := r.serveAdmin()
	defer endAdmin()
	idle, running, session := r.dial(), r.dial(), r.dialWS("/run")
	idleSession := r.dialWS("/run")
	running.ask("POST", "/run", "{}")
	body := running.response().Body
	session.say("{}")
	session.hear()
	await(t, "both sessions", func() bool { // a handshake is answered before its session is there
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.sessions) == 2
	})
	if got := get(t, adminURL+"/readyz"); got != "200 ready\n" {
		t.Errorf("before: %q", got)
	}
	r.end()
	await(t, "the drain to begin", func() bool { return !r.Ready() })
	if got := get(t, adminURL+"/readyz"); got != "503 draining\n" {
		t.Errorf("while draining: %q", got)
	}
	if got := get(t, adminURL+"/healthz"); got != "200 ok\n" {
		t.Errorf("while draining: %q", got)
	}
	// A connection that was there before, and a new one.
	for _, c := range []*client{idle, r.dial()} {
		c.ask("POST", "/run", "{}")
		resp, got := c.whole()
		if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || !strings.Contains(got, "shutting_down") {
			t.Errorf("while draining: %d %s", resp.StatusCode, got)
		}
	}
	if _, resp, err := websocket.DefaultDialer.Dial("ws://"+r.addr+"/run", nil); err == nil || resp.StatusCode != 503 {
		t.Errorf("handshake while draining: %v", err)
	}
	if code := idleSession.code(); code != websocket.CloseGoingAway {
		t.Errorf("an idle session is closed with %d", code)
	}
	select {
	case <-r.ended:
		t.Fatal("the server ended before its streams")
	default:
	}
	close(release)
	rest, err := io.ReadAll(body)
	if err != nil || !strings.Contains(string(rest), `"status":"done"`) {
		t.Errorf("the running stream: %v %s", err, rest)
	}
	if got := session.run(); !strings.Contains(got[len(got)-1], `"status":"done"`) {
		t.Errorf("the running session: %q", got)
	}
	if code := session.code(); code != websocket.CloseGoingAway {
		t.Errorf("the session is closed with %d", code)
	}
	r.close()
	if got := get(t, adminURL+"/readyz"); got != "503 draining\n" {
		t.Errorf("after: %q", got)
	}
	if n := r.metric("sabir_requests_rejected_total", "code=shutting_down"); n != 3 {
		t.Errorf("%v requests were refused", n)
	}
}

// serveAdmin runs the side for operators.
func (r *rig) serveAdmin() (url string, end func()) {
	r.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.ServeAdmin(ctx, ln) }()
	return "http://" + ln.Addr().String(), func() {
		cancel()
		if err := <-done; err != nil {
			r.t.Errorf("ServeAdmin: %v", err)
		}
	}
}

func get(t testing.TB, url string) string {
	t.Helper()
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return resp.Status[:3] + " " + string(body)
}

// TestDrainEndsStreams that take longer than their grace, honestly.
func TestDrainEndsStreams(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 10)
	a := newAgent(t, func(p *peer) {
		if p.request() == nil {
			return
		}
		if string(p.body) == "no header" {
			asked <- struct{}{}
			p.awaitGone()
			return
		}
		p.ok()
		p.chunk(lineStart + "\n")
		p.awaitGone()
	})
	r := start(t, simple(a.url(), "timeouts: {drain: 100ms}", "", "client: twin\n")+"  - {path: /copy, upstream: agent, client: native}\n")
	var bodies []io.Reader
	for _, path := range []string{"/run", "/copy"} {
		c := r.dial()
		c.ask("POST", path, "{}")
		bodies = append(bodies, c.response().Body)
	}
	waiting := r.dial()
	waiting.ask("POST", "/run", "no header")
	session := r.dialWS("/run")
	session.say("{}")
	session.hear()
	<-asked
	r.end()
	for _, b := range bodies {
		got, err := io.ReadAll(b)
		if err != nil || !strings.Contains(string(got), `"status":"truncated"`) || !strings.Contains(string(got), `"err_code":"shutting_down"`) {
			t.Errorf("%v %s", err, got)
		}
	}
	if resp, body := waiting.whole(); resp.StatusCode != 503 || !strings.Contains(body, "shutting_down") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if got := session.run(); !strings.Contains(got[0], `"err_code":"shutting_down"`) {
		t.Errorf("%q", got)
	}
	if code := session.code(); code != websocket.CloseGoingAway {
		t.Errorf("closed with %d", code)
	}
	r.close()
	if n := r.metric("sabir_streams_total", "ending=shutting_down"); n != 4 {
		t.Errorf("%v endings", n)
	}
	if n := r.metric("sabir_upstream_cancels_total", "by=proxy"); n != 3 {
		t.Errorf("%v cancels", n) // one had no answer yet
	}
}

// TestDrainWithSlowClient does not wait for a client that does not read.
func TestDrainWithSlowClient(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", 1<<16)
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok()
		for p.n(big) == nil {
		}
	})
	r := start(t, simple(a.url(), "timeouts: {drain: 0s}", "", "client: twin\ntimeouts: {write: 10m}\n"))
	c := r.dial()
	c.ask("POST", "/run", "{}")
	out := func() float64 { return r.metric("sabir_bytes_total", "direction=out") }
	for last := -1.0; last != out(); time.Sleep(100 * time.Millisecond) {
		last = out()
	}
	r.close()
	if end := r.awaitEnds(1); end["ending"] != "shutting_down" {
		t.Errorf("log %v", end)
	}
}

// TestServeWithoutListener ends at once when it cannot listen, or was not meant to begin.
func TestServeWithoutListener(t *testing.T) {
	t.Parallel()
	cfg := parse(t, simple("http://127.0.0.1:1/", "", "", "client: twin\n"))
	for _, done := range []bool{true, false} {
		s, err := New(cfg, zap.NewNop(), "test")
		if err != nil {
			t.Fatal(err)
		}
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if done {
			cancel()
		} else {
			ln.Close()
		}
		if err := s.Serve(ctx, ln); err != nil {
			t.Errorf("done %v: %v", done, err)
		}
	}
}

// TestAdmin answers operators.
func TestAdmin(t *testing.T) {
	t.Parallel()
	r := start(t, simple("http://127.0.0.1:1/", "", "", "client: twin\n"))
	url, end := r.serveAdmin()
	defer end()
	f := func(path, want string) {
		t.Helper()
		if got := get(t, url+path); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %.200q", path, got)
		}
	}
	f("/healthz", "200 ok\n")
	f("/readyz", "200 ready\n")
	f("/", "200 Sabir")
	f("/other", "404 ")
	if got := get(t, url+"/metrics"); !strings.Contains(got, `sabir_build_info{version="test"} 1`) || !strings.Contains(got, "go_goroutines") {
		t.Errorf("metrics: %.500s", got)
	}
	resp, err := http.Post(url+"/metrics", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 405 || resp.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %v", resp.Status)
	}
	http.DefaultClient.CloseIdleConnections()
}

// TestReload makes new streams follow another configuration while running ones keep theirs.
func TestReload(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	old := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok()
			if string(p.body) == "wait" {
				p.chunk(lineStart + "\n")
				<-release
			}
			p.finish(lines(`{"kind":"notice","level":"info","text":"old"}`, lineEnd))
		}
	})
	next := newAgent(t, streaming(lines(`{"kind":"notice","level":"info","text":"new"}`, lineEnd)))
	r := start(t, simple(old.url(), "", "", "client: twin\n"))
	ask := func(path string) string { _, body := r.post(path, "{}"); return body }
	if got := ask("/run"); !strings.Contains(got, "old") {
		t.Errorf("got %s", got)
	}
	await(t, "the connection to be kept", func() bool { return old.opened() == 1 })
	session := r.dialWS("/run")
	session.say("{}")
	if got := session.run(); !strings.Contains(got[1], "old") {
		t.Errorf("got %q", got)
	}
	running := r.dial()
	running.ask("POST", "/run", "wait")
	body := running.response().Body

	// A bad configuration changes nothing.
	broken := parse(t, simple(next.url(), "", "", "client: twin\n"))
	broken.Routes[0].Client = "klingon"
	if err := r.Reload(broken); err == nil {
		t.Error("a route without a dialect is taken over")
	}
	r.ReloadFailed()
	if got := ask("/run"); !strings.Contains(got, "old") {
		t.Errorf("got %s", got)
	}
	if r.metric("sabir_config_last_reload_successful") != 0 || r.metric("sabir_config_reloads_total", "result=failed") != 1 {
		t.Error("the failed reload is not counted")
	}

	if err := r.Reload(parse(t, simple(next.url(), "", "", "client: native\n"))); err != nil {
		t.Fatal(err)
	}
	if r.metric("sabir_config_last_reload_successful") != 1 || r.metric("sabir_config_reloads_total", "result=ok") != 1 {
		t.Error("the reload is not counted")
	}
	if got := ask("/run"); !strings.HasPrefix(got, `{"kind":"notice","level":"info","text":"new"}`) {
		t.Errorf("got %s", got)
	}
	session.say("{}")
	if got := session.run(); got[0] != `{"kind":"notice","level":"info","text":"new"}` {
		t.Errorf("got %q", got)
	}
	goodbye(session.Conn, websocket.CloseNormalClosure)
	await(t, "idle connections of the old upstream to close", func() bool { return old.opened() == 1 })
	close(release)
	if got, err := io.ReadAll(body); err != nil || !strings.Contains(string(got), "old") || !strings.Contains(string(got), `"seq":`) {
		t.Errorf("the running stream: %v %s", err, got)
	}
	await(t, "the last connection of the old upstream to close", func() bool { return old.opened() == 0 })
	r.awaitEnds(6)
	if n := r.metric("sabir_streams_total", "route=/run", "ending=done"); n != 6 {
		t.Errorf("%v streams are counted over both configurations", n)
	}
}

// TestReloadUnderLoad drops nothing.
func TestReloadUnderLoad(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	stop := make(chan struct{})
	var load sync.WaitGroup
	for range 8 {
		load.Go(func() {
			c := r.dial()
			for {
				select {
				case <-stop:
					return
				default:
				}
				c.ask("POST", "/run", "{}")
				if resp, body := c.whole(); resp.StatusCode != 200 || body != smallRunOut {
					t.Errorf("%d %s", resp.StatusCode, body)
					return
				}
			}
		})
	}
	for range 50 {
		if err := r.Reload(parse(t, simple(a.url(), "", "", "client: twin\n"))); err != nil {
			t.Error(err)
		}
		done := r.metric("sabir_streams_total")
		await(t, "streams to end", func() bool { return r.metric("sabir_streams_total") > done })
	}
	close(stop)
	load.Wait()
	// A stream is counted after its client has read the end.
	await(t, "all streams to be done", func() bool {
		done := r.metric("sabir_streams_total", "ending=done")
		return done > 0 && done == r.metric("sabir_streams_total")
	})
}

// TestReloadKeepsLimits counts streams of a path over all configurations.
func TestReloadKeepsLimits(t *testing.T) {
	t.Parallel()
	a := silentAgent(t, nil)
	yaml := two(a.url(), "", "limits: {streams: 1}\n")
	r := start(t, yaml)
	c := r.dial()
	c.ask("POST", "/own", "{}")
	c.response()
	if err := r.Reload(parse(t, yaml)); err != nil {
		t.Fatal(err)
	}
	if got := r.demand("/own"); got.status != 503 {
		t.Errorf("status %d", got.status)
	}
	c.Close()
	r.awaitEnds(1)
}
