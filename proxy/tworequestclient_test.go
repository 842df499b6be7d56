package proxy

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
)

const chatRoute = "  - {path: /sse/*, start: /start/*, cancel: /cancel/*, upstream: agent, client: agentevent, errors: {expose: true}}\n"

// chatConfig is a configuration with a scripted upstream, and a route for clients that ask by two requests.
func chatConfig(a *agent, top string) string {
	return "listen: 127.0.0.1:0\n" + top + "\nupstreams:\n  agent: {url: '" + a.url() + "', dialect: native}\nroutes:\n" + chatRoute
}

// listenTo opens the stream of a conversation, and returns its body when it is there.
func (r *rig) listenTo(name string) (*client, *http.Response) {
	r.t.Helper()
	c := r.dial()
	c.ask("GET", "/sse/"+name, "")
	resp := c.response()
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		r.t.Fatalf("status %d, header %v", resp.StatusCode, resp.Header)
	}
	return c, resp
}

// part posts to the start or the cancel of a conversation and compares the answer.
func (r *rig) part(path string, status int, want string) {
	r.t.Helper()
	resp, body := r.post(path, `{"content":"hi"}`)
	kept := status >= 400 && resp.Header.Get("Cache-Control") != "no-store"
	if resp.StatusCode != status || body != want || resp.Header.Get("Content-Type") != "application/json" || kept {
		r.t.Errorf("%s: status %d %v %s", path, resp.StatusCode, resp.Header, body)
	}
}

const (
	success   = `{"success":true}`
	noStream  = `{"error":"No stream of this conversation is open."}`
	runsTwice = `{"error":"A run of this conversation is going on already."}`
	noRun     = `{"error":"No run of this conversation is going on."}`
)

// holdingAgent begins a run, and ends it when release is closed.
func holdingAgent(t testing.TB, release <-chan struct{}) (a *agent, asked chan string, gone chan struct{}) {
	asked, gone = make(chan string, 10), make(chan struct{}, 10)
	return newAgent(t, func(p *peer) {
		for {
			req := p.request()
			if req == nil {
				gone <- struct{}{}
				return
			}
			p.ok()
			p.chunk(lines(lineStart, lineHello))
			asked <- req.Method + " " + req.RequestURI + " " + string(p.body)
			<-release
			p.finish(lines(lineWorld, lineEnd))
		}
	}), asked, gone
}

// TestClientOfTwoRequests opens streams and starts runs into them, one after the other on one connection (S4-32).
func TestClientOfTwoRequests(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	a, asked, _ := holdingAgent(t, release)
	r := start(t, chatConfig(a, "limits: {streams: 2}"))
	r.part("/start/c1", 404, noStream)
	r.part("/cancel/c1", 404, noRun)
	c := r.dial()
	for n := range 2 {
		c.ask("GET", "/sse/c1", "")
		resp := c.response() // before there is a run
		r.part("/start/c2", 404, noStream)
		r.part("/cancel/c1", 404, noRun)
		r.part("/start/c1", 200, success)
		if got := <-asked; got != `POST /stream/c1 {"content":"hi"}` {
			t.Errorf("the upstream was asked for %s", got)
		}
		r.part("/start/c1", 409, runsTwice)
		release <- struct{}{}
		body, err := io.ReadAll(resp.Body)
		got := dataOf(string(body))
		want := `{"type":"stream","content":"Hello"} {"type":"stream","content":", world"} {"type":"final"}`
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%v %q", err, got)
		}
		if end := r.awaitEnds(n + 1); end["ending"] != "done" || end["route"] != "/sse/*" {
			t.Errorf("log %v", end)
		}
	}
	if n := r.metric("sabir_streams_total", "route=/sse/*", "to=agentevent", "ending=done"); n != 2 {
		t.Errorf("%v streams are counted", n)
	}
	if n := r.metric("sabir_requests_rejected_total"); n != 8 {
		t.Errorf("%v requests are counted as refused", n)
	}
}

// dataOf is the data of each event of a body.
func dataOf(body string) (list []string) {
	for line := range strings.Lines(body) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			list = append(list, strings.TrimSpace(data))
		}
	}
	return list
}

// TestTwoRequestsOnBothSides copies the stream of an upstream that is asked by two requests as well (S4-32).
func TestTwoRequestsOnBothSides(t *testing.T) {
	t.Parallel()
	wire := `data: {"type":"stream","content":"Hello"}` + "\n\n" + `data: {"type":"final"}` + "\n\n"
	s := newChatServer(t, wire)
	r := start(t, s.config("", strings.ReplaceAll(chatRoute, "upstream: agent", "upstream: chat")))
	_, resp := r.listenTo("c1")
	r.part("/start/c1", 200, success)
	body, err := io.ReadAll(resp.Body)
	if err != nil || !strings.HasSuffix(string(body), wire) {
		t.Errorf("%v %s", err, body)
	}
	s.await("GET /sse/c1", `POST /start/c1 {"content":"hi"}`)
}

// TestCommentsInOpenStream: where the answer was opened before the run, a comment of the upstream does not wait for the first record.
func TestCommentsInOpenStream(t *testing.T) {
	t.Parallel()
	s := newChatServer(t, ": thinking\n\n")
	r := start(t, s.config("timeouts: {keepalive: 1h}", strings.ReplaceAll(chatRoute, "upstream: agent", "upstream: chat"))) // a sign of life would bring it
	_, resp := r.listenTo("c1")
	r.part("/start/c1", 200, success)
	for body := bufio.NewReader(resp.Body); ; {
		if got := line(t, body); got == ": thinking" {
			break
		}
	}
}

// TestClientCancels ends the run, leaves the upstream, and says so in the stream (S0-44, S4-32).
func TestClientCancels(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		if p.request() == nil {
			return
		}
		p.ok()
		p.chunk(lines(lineStart, lineHello))
		p.awaitGone()
		close(gone)
	})
	r := start(t, chatConfig(a, ""))
	c, resp := r.listenTo("c1")
	r.part("/start/c1", 200, success)
	for line(t, c.br) != `data: {"type":"stream","content":"Hello"}` {
	}
	r.part("/cancel/c2", 404, noRun)
	r.part("/cancel/c1", 200, success)
	<-gone
	var rest string
	for !strings.HasSuffix(rest, "0\r\n\r\n") { // the connection stays
		rest += line(t, c.br) + "\n"
	}
	if resp.StatusCode != 200 || !strings.Contains(rest, `{"type":"error","error":"Cancelled by user"}`) {
		t.Errorf("the stream ends with %q", rest)
	}
	if end := r.awaitEnds(1); end["ending"] != "cancelled" {
		t.Errorf("log %v", end)
	}
	if n := r.metric("sabir_upstream_cancels_total", "by=client"); n != 1 {
		t.Errorf("%v cancels are counted", n)
	}
	r.part("/cancel/c1", 404, noRun)
}

// TestCancelReachesUpstream hands a cancel on to an upstream that knows one (S4-32).
func TestCancelReachesUpstream(t *testing.T) {
	t.Parallel()
	s := newChatServer(t, "")
	r := start(t, s.config("", strings.ReplaceAll(chatRoute, "upstream: agent", "upstream: chat")))
	r.listenTo("c1")
	r.part("/start/c1", 200, success)
	s.await("GET /sse/c1", `POST /start/c1 {"content":"hi"}`)
	r.part("/cancel/c1", 200, success)
	s.await("GET /sse/c1", `POST /start/c1 {"content":"hi"}`, `POST /cancel/c1 {"conversationId":"c1","reason":"cancelled by the client"}`)
}

// TestClientLeavesWhileWaiting frees its place at once (S4-30, S4-32).
func TestClientLeavesWhileWaiting(t *testing.T) {
	t.Parallel()
	a, _, _ := holdingAgent(t, nil)
	r := start(t, chatConfig(a, "limits: {streams: 1}"))
	c, _ := r.listenTo("c1")
	other := r.dial()
	other.ask("GET", "/sse/c1", "")
	if resp, _ := other.whole(); resp.StatusCode != 503 {
		t.Errorf("a stream over the limit: status %d", resp.StatusCode)
	}
	c.Close()
	if end := r.awaitEnds(1); end["ending"] != "client_gone" || end["route"] != "/sse/*" {
		t.Errorf("log %v", end)
	}
	r.part("/start/c1", 404, noStream)
	if n := r.metric("sabir_upstream_cancels_total"); n != 0 || a.connections() != 0 {
		t.Errorf("%v cancels, %d connections of an upstream that was not asked", n, a.connections())
	}
	r.listenTo("c1")
}

// TestWaitingIsBounded shows signs of life, and ends the stream without a record (S4-32).
func TestWaitingIsBounded(t *testing.T) {
	t.Parallel()
	a, _, _ := holdingAgent(t, nil)
	r := start(t, chatConfig(a, "timeouts: {idle: 300ms, keepalive: 20ms}"))
	_, resp := r.listenTo("c1")
	body, err := io.ReadAll(resp.Body)
	if err != nil || len(dataOf(string(body))) > 0 || len(body) < 3 {
		t.Errorf("%v %q", err, body)
	}
	if end := r.awaitEnds(1); end["ending"] != "upstream_idle" || end["cause"] != errNoStart.Error() || end["bytes_out"] != int64(len(body)) {
		t.Errorf("log %v", end)
	}
	for name, labels := range map[string][]string{"sabir_streams_total": {"ending=upstream_idle"}, "sabir_stream_duration_seconds": nil} {
		if n := r.metric(name, append(labels, "route=/sse/*")...); n != 1 {
			t.Errorf("%s is %v", name, n)
		}
	}
	if n := r.metric("sabir_bytes_total", "route=/sse/*", "direction=out"); n != float64(len(body)) {
		t.Errorf("%v bytes are counted, the client has %d", n, len(body))
	}
}

// TestDrainWhileWaiting ends streams that have no run at once, and lets the others go on (S4-32).
func TestDrainWhileWaiting(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	a, asked, _ := holdingAgent(t, release)
	r := start(t, chatConfig(a, "timeouts: {drain: 60s}"))
	_, running := r.listenTo("c1")
	r.part("/start/c1", 200, success)
	<-asked
	_, waiting := r.listenTo("c2")
	r.end()
	body, err := io.ReadAll(waiting.Body)
	if err != nil || len(dataOf(string(body))) > 0 {
		t.Errorf("%v %q", err, body)
	}
	if resp, body := r.post("/start/c2", "{}"); resp.StatusCode != 503 {
		t.Errorf("a start while draining: status %d %s", resp.StatusCode, body)
	}
	close(release)
	body, err = io.ReadAll(running.Body)
	if got := dataOf(string(body)); err != nil || len(got) != 3 || got[2] != `{"type":"final"}` {
		t.Errorf("%v %q", err, got)
	}
}

// TestUpstreamFailsInOpenStream tells in the stream what would else be a status (S4-32).
func TestUpstreamFailsInOpenStream(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		p.request()
		p.answer("500 No", "Content-Length: 2")
		p.send("no")
	})
	r := start(t, chatConfig(a, ""))
	_, resp := r.listenTo("c1")
	r.part("/start/c1", 200, success)
	body, err := io.ReadAll(resp.Body)
	if got := dataOf(string(body)); err != nil || len(got) != 1 || !strings.HasPrefix(got[0], `{"type":"error"`) {
		t.Errorf("%v %q", err, body)
	}
}

// TestPendingStreams gives a run to the stream that was opened last, and refuses what names no conversation (S4-32).
func TestPendingStreams(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	close(release)
	a, _, _ := holdingAgent(t, release)
	r := start(t, chatConfig(a, "")+"  - {path: /plain, upstream: agent, client: agentevent}\n")
	first, _ := r.listenTo("c1")
	_, second := r.listenTo("c1")
	r.part("/start/c1", 200, success)
	if body, err := io.ReadAll(second.Body); err != nil || len(dataOf(string(body))) != 3 {
		t.Errorf("%v %s", err, body)
	}
	r.part("/start/c1", 200, success)
	if _, err := first.br.Peek(1); err != nil {
		t.Errorf("the first stream: %v", err)
	}
	r.awaitEnds(2)
	for _, path := range []string{"/sse/", "/start/", "/cancel"} {
		c := r.dial()
		c.ask(map[bool]string{true: "GET", false: "POST"}[path == "/sse/"], path, "")
		if resp, _ := c.whole(); resp.StatusCode != 404 || resp.Header.Get("X-Sabir-Error") != "no_route" {
			t.Errorf("%s: status %d", path, resp.StatusCode)
		}
	}
	c := r.dial()
	c.ask("GET", "/start/c1", "")
	if resp, _ := c.whole(); resp.StatusCode != 405 || resp.Header.Get("Allow") != "POST" {
		t.Errorf("GET of the start: status %d, %v", resp.StatusCode, resp.Header)
	}
	// One request is still enough.
	if _, body := r.post("/sse/c1", "{}"); len(dataOf(body)) != 3 {
		t.Errorf("by one request: %s", body)
	}
}

// TestStartHitsBug frees a stream whose start shows a fault of Sabir's own (S4-32).
func TestStartHitsBug(t *testing.T) {
	t.Parallel()
	a, _, _ := holdingAgent(t, nil)
	r := start(t, strings.Replace(chatConfig(a, ""), "client: agentevent", "client: bomb", 1))
	c := r.dial()
	c.ask("GET", "/sse/c1", "")
	resp := c.response()
	if answer, _ := r.post("/start/c1", "boom"); answer.StatusCode != 500 {
		t.Errorf("status %d", answer.StatusCode)
	}
	if _, err := io.ReadAll(resp.Body); err != nil {
		t.Error(err)
	}
	if end := r.awaitEnds(1); end["ending"] != "internal_error" {
		t.Errorf("log %v", end)
	}
	r.part("/start/c1", 404, noStream)
}

// TestRefusedStartIsNoFault: where the request that starts a run is refused, the stream that waits for it ends as that, and not as a fault of
// Sabir's own. Its connection serves further requests.
func TestRefusedStartIsNoFault(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "", "", "client: agui\nrequests: {mode: translate}\n")+
		"  - {path: /sse/*, upstream: agent, client: agui, start: /start/*, requests: {mode: translate}}\n")
	c := r.dial()
	c.ask("GET", "/sse/c1", "")
	resp := c.response()
	await(t, "the stream to wait", func() bool {
		started, body := r.post("/start/c1", `{"a`)
		if started.StatusCode != 400 && started.StatusCode != 404 {
			t.Fatalf("status %d %s", started.StatusCode, body)
		}
		return started.StatusCode == 400
	})
	if _, err := io.ReadAll(resp.Body); err != nil {
		t.Error(err)
	}
	if end := r.awaitEnds(1); end["ending"] != "request_unreadable" {
		t.Errorf("%v", end)
	}
	c.ask("POST", "/run", resumeClients[0].body)
	if resp, body := c.whole(); resp.StatusCode != 200 {
		t.Errorf("status %d %s", resp.StatusCode, body)
	}
}

// TestStreamsOfUsers: where one key is that of a backend, the users that it names in a field of its own have streams of their own.
func TestStreamsOfUsers(t *testing.T) {
	t.Parallel()
	agent, gone := endlessAgent(t)
	r := start(t, strings.Replace(guarded(agent.url(), "/sse/* agentevent , start: /start/*, cancel: /cancel/*"), "upstreams:", "threads: {principal: [Authorization, X-User]}\nupstreams:", 1))
	ask := func(status int, user, method, path string) {
		t.Helper()
		r.call(t, status, asAlice+"\r\nX-User: "+user, method, path, "{}")
	}
	stream := r.dial()
	stream.ask("GET", "/sse/c-1", "", asAlice, "X-User: one")
	resp := stream.response()
	ask(404, "two", "POST", "/start/c-1")
	ask(200, "one", "POST", "/start/c-1")
	firstHalf(t, resp) // else the run may end before the agent is asked
	ask(404, "two", "POST", "/cancel/c-1")
	ask(200, "one", "POST", "/cancel/c-1")
	<-gone
}
