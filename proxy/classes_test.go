package proxy

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
	"github.com/sabir-proxy/sabir/proxy/internal/sessions"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// TestPoolsFollow: a reload retires each pool that no route leads to, and masks what all others write to stderr.
func TestPoolsFollow(t *testing.T) {
	t.Parallel()
	a := agentPools{by: map[string]agentPool{}}
	next := &table{upstreams: map[string]*upstream.Upstream{}, redacting: map[string][]*route{}}
	for _, name := range []string{"a", "b", "c", "kept-1", "kept-2"} {
		p := agentPool{pool: sessions.NewPool(sessions.Config{Command: []string{"false"}}), seen: &agentObserver{log: zap.NewNop()}}
		a.by[name] = p
		if strings.HasPrefix(name, "kept") {
			next.upstreams[name] = &upstream.Upstream{Agents: p.pool}
			next.redacting[name] = []*route{{name: name}}
		}
	}
	t.Cleanup(a.close)
	next.upstreams["b"] = &upstream.Upstream{} // of the same name, but another
	a.follow(next)
	if len(a.by) != 2 || len(a.retired) != 3 {
		t.Errorf("%d pools are kept, %d retired", len(a.by), len(a.retired))
	}
	for name, p := range a.by {
		if routes := p.seen.routes.Load(); routes == nil || len(*routes) != 1 || (*routes)[0].name != name {
			t.Errorf("%s is masked by %v", name, routes)
		}
	}
	a.follow(next)
	if len(a.retired) != 0 {
		t.Errorf("%d pools without processes are kept", len(a.retired))
	}
}

// TestUnreadEditorByHTTP: the time after which a connection ends begins anew with each message, and when its last reader leaves; it does
// not run while there is one.
func TestUnreadEditorByHTTP(t *testing.T) {
	t.Parallel()
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), "", "", "client: acp\nrequests: {mode: translate}\n"))
	h, e := r.dialHTTPEditor("/run", "a")
	c := r.lineConns.all()[0]
	runs := func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.unread.Stop()
	}
	if runs() {
		t.Error("the time runs though there is a reader")
	}
	h.do("POST", "/run", `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}`, "")
	if !runs() {
		t.Error("a message does not make the time begin anew")
	}
	end := h.read("/run", e.begin(), &editor{t: t, lines: make(chan string, 100), ended: make(chan error, 4)})
	await(t, "the time to stand", func() bool { return !runs() })
	c.reading(-1) // the reader of the connection is not there any more
	if runs() {
		t.Error("the time runs though there is another reader")
	}
	end()
	await(t, "the time to run", runs)
	c.reading(1)
}

// TestRejectedBeforeUnderstood: a request that cannot be understood is counted, logged and answered by its code, whatever is wrong with it.
func TestRejectedBeforeUnderstood(t *testing.T) {
	t.Parallel()
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), "limits: {header: 2KB}\ntimeouts: {read: 1s}\n", "", "client: twin\n"))
	for code, tt := range map[string]struct {
		status int
		text   string
	}{
		"header_too_large": {431, "GET /run HTTP/1.1\r\nHost: h\r\nX: " + strings.Repeat("x", 4000) + "\r\n\r\n"},
		"bad_request":      {400, "GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n"},
		"bad_version":      {505, "GET /run HTTP/3.9\r\nHost: h\r\n\r\n"},
		codeBadHandshake:   {400, "GET /run HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 12\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"},
		codeRequestTimeout: {408, "POST /run HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab"},
	} {
		c := r.dial()
		c.send(tt.text)
		resp := c.response()
		if resp.StatusCode != tt.status || resp.Header.Get("X-Sabir-Error") != code {
			t.Errorf("%s: status %d, %s", code, resp.StatusCode, resp.Header.Get("X-Sabir-Error"))
		}
		if n := r.metric("sabir_requests_rejected_total", "code="+code); n != 1 {
			t.Errorf("%s: counted %v times", code, n)
		}
		entries := r.logs.FilterMessage("request rejected").FilterField(zap.String("code", code)).All()
		if len(entries) != 1 || entries[0].Level != zapcore.InfoLevel {
			t.Errorf("%s: logged %v", code, entries)
			continue
		}
		if m := entries[0].ContextMap(); m["status"] != int64(resp.StatusCode) || m["peer"] == "" || m["cause"] == "" || m["request_id"] != resp.Header.Get("X-Request-Id") || m["request_id"] == "" {
			t.Errorf("%s: logged %v", code, m)
		}
		c.Close()
	}
}

// TestPumpEndIsNotWritten: a client that cannot be written to at the end is one that has left, whatever its stream came to.
func TestPumpEndIsNotWritten(t *testing.T) {
	t.Parallel()
	for want, err := range map[hub.Code]error{hub.CodeClientSlow: hub.Fail(hub.CodeClientSlow, nil), hub.CodeClientGone: errors.New("cut")} {
		src := &script{pieces: []string{lines(lineStart, lineHello, lineEnd)}, err: io.EOF}
		p := newPump(src, &writes{err: err}, false)
		if f := p.run(); f == nil || f.Code != want || p.wrote != 0 {
			t.Errorf("the stream ends with %v after %d bytes, want %s", f, p.wrote, want)
		}
	}
}

// TestMultiplexBelowRoute: a request of a connection whose path has become one below a route that answers for the endpoints of its dialect
// is refused by its name.
func TestMultiplexBelowRoute(t *testing.T) {
	t.Parallel()
	a, _, _, _ := chatAgent(t)
	yaml := strings.Replace(simple(a.url(), "", "", "client: aisdk\nrequests: {mode: translate}\n"), "path: /run", "path: /run/x", 1)
	r := start(t, yaml)
	ws := r.dialWS("/run/x")
	if err := r.Reload(parse(t, strings.Replace(yaml, "path: /run/x", "path: /run/*", 1))); err != nil {
		t.Fatal(err)
	}
	ws.say(sends("one", "chat-1", "hi"))
	if got := ws.answers("one")["one"]; got != "|errorThere is no such endpoint here." {
		t.Errorf("got %q", got)
	}
	if n := a.connections(); n != 0 {
		t.Errorf("the agent was asked %d times", n)
	}
}

// TestMediaOfPastRuns: the stream of a run that has ended is labelled as one, and what is known of the run as JSON.
func TestMediaOfPastRuns(t *testing.T) {
	t.Parallel()
	yaml := simple(newAgent(t, streaming(smallRun)).url(), "", "", "client: langgraph\nmethods: [GET, POST]\nrequests: {mode: translate}")
	r := start(t, strings.Replace(yaml, "path: /run", "path: /run/*", 1))
	_, body := r.post("/run/threads/t1/runs/stream", `{"assistant_id":"agent","if_not_exists":"create","input":{"messages":[{"type":"human","content":"hi"}]}}`)
	run := "/run/threads/t1/runs/" + idsIn(body, "run_id")[0]
	for path, want := range map[string]string{run: "application/json", run + "/join": "application/json", run + "/stream": "text/event-stream", "/run/threads/t1/runs/none/stream": "application/json"} {
		c := r.dial()
		c.ask("GET", path, "")
		if resp, body := c.whole(); resp.Header.Get("Content-Type") != want || (resp.StatusCode == 200) == strings.Contains(path, "none") {
			t.Errorf("%s: status %d, %s: %s", path, resp.StatusCode, resp.Header.Get("Content-Type"), body)
		}
		c.Close()
	}
}

// TestPumpGivesBackItsBuffer as soon as the last byte is so long ago, and no sooner, however old the stream is.
func TestPumpGivesBackItsBuffer(t *testing.T) {
	t.Parallel()
	for now, want := range map[time.Duration]bool{11*time.Second - 1: false, 11 * time.Second: true, time.Minute: true} {
		p := newPump(&script{}, new(writes), false)
		p.lastIn = 11*time.Second - shrinkAfter
		p.buf.Fill(make([]byte, 2*rawio.MinBuffer))
		p.buf.Used(2 * rawio.MinBuffer)
		if f := p.wake(now); f != nil || p.buf.Large() == want {
			t.Errorf("after %v: %v, large: %t", now, f, p.buf.Large())
		}
		p.release()
	}
}
