package proxy

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// chatServer is an upstream that is asked by two requests (S4-32): what is posted to /start/NAME runs into the stream
// that was opened at /sse/NAME.
type chatServer struct {
	*agent
	mu    sync.Mutex
	rooms map[string]chan string // by path: what the stream writes, after the start
	calls []string               // in the order they came
	sse   string                 // status of the answer to the GET
	start string                 // status of the answer to the POST
	wire  string                 // what a stream writes after the start
	gone  chan string            // paths of streams that the proxy has left
	head  http.Header            // of the start
}

func newChatServer(t testing.TB, wire string) *chatServer {
	s := &chatServer{rooms: map[string]chan string{}, sse: "200 OK", start: "200 OK", wire: wire, gone: make(chan string, 10)}
	s.agent = newAgent(t, func(p *peer) {
		for {
			req := p.request()
			if req == nil {
				return
			}
			s.note(req.Method + " " + req.RequestURI + " " + string(p.body))
			if req.Method == http.MethodGet {
				s.stream(p, req.URL.EscapedPath())
				return
			}
			s.started(p, req)
		}
	})
	return s
}

func (s *chatServer) note(call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, strings.TrimSpace(call))
}

func (s *chatServer) stream(p *peer, path string) {
	if !strings.HasPrefix(s.sse, "200") {
		p.answer(s.sse, "Content-Length: 2", "Retry-After: 7")
		p.send("no")
		return
	}
	p.ok("Content-Type: text/event-stream")
	p.chunk("\n")
	if body, ok := <-s.room(strings.TrimPrefix(path, "/sse")); ok && body != "" {
		p.chunk(body)
	}
	p.awaitGone() // version 1 leaves the end to the client
	s.gone <- path
}

func (s *chatServer) room(name string) chan string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rooms[name] == nil {
		s.rooms[name] = make(chan string, 1)
	}
	return s.rooms[name]
}

func (s *chatServer) started(p *peer, req *http.Request) {
	status := "200 OK"
	if name, ok := strings.CutPrefix(req.URL.EscapedPath(), "/start"); ok {
		s.mu.Lock()
		s.head = req.Header
		s.mu.Unlock()
		status = s.start
		s.room(name) <- s.wire
	}
	p.answer(status, "Content-Length: 16")
	p.send(`{"success":true}`)
}

// seen are the calls so far.
func (s *chatServer) seen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.calls, "\n")
}

// await waits until the calls are these.
func (s *chatServer) await(calls ...string) {
	s.t.Helper()
	want := strings.Join(calls, "\n")
	defer func() {
		if got := s.seen(); got != want {
			s.t.Errorf("the upstream was called by\n%s\nwant\n%s", got, want)
		}
	}()
	await(s.t, want, func() bool { return len(s.seen()) >= len(want) })
}

// config is a configuration with the server, called by two requests, and routes.
func (s *chatServer) config(top, routes string) string {
	base := strings.TrimSuffix(s.url(), "/stream")
	return fmt.Sprintf("listen: 127.0.0.1:0\n%s\nupstreams:\n  chat: {url: '%s/sse/{thread}', start: '%s/start/{thread}', "+
		"cancel: '%s/cancel/{thread}', dialect: agentevent, method: POST}\nroutes:\n%s", top, base, base, base, routes)
}

const evolveRoute = "  - {path: /run/*, upstream: chat, client: evolve, shape: {ids: agent}, errors: {expose: true}}\n"

// TestServerOfTwoRequests asks an upstream by two requests, for every recorded stream of its dialect (S4-32).
func TestServerOfTwoRequests(t *testing.T) {
	t.Parallel()
	from, err := adapters.Lookup("agentevent")
	if err != nil {
		t.Fatal(err)
	}
	to, err := adapters.Lookup("evolve")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for name, body := range wires(t, from) {
		want, f := inMemory(t, from, to, body)
		if f != nil || want == "" {
			continue // these end with the body, which such a server does not end
		}
		n++
		s := newChatServer(t, body)
		r := start(t, s.config("", evolveRoute))
		resp, got := r.post("/run/c1?lang=en", `{"content":"hi"}`, "Content-Type: application/json", "Authorization: Bearer x")
		if resp.StatusCode != 200 || got != want {
			t.Errorf("%s: status %d, got\n%s, want\n%s", name, resp.StatusCode, got, want)
		}
		<-s.gone
		s.await("GET /sse/c1?lang=en", `POST /start/c1?lang=en {"content":"hi"}`)
		if s.head.Get("Authorization") != "Bearer x" || s.head.Get("Content-Type") != "application/json" || s.head.Get("X-Request-Id") == "" {
			t.Errorf("%s: the start has the header %v", name, s.head)
		}
		if end := r.awaitEnds(1); end["ending"] == "client_gone" {
			t.Errorf("%s: log %v", name, end)
		}
		r.close()
	}
	if n < 10 {
		t.Errorf("only %d streams were tried", n)
	}
}

// TestConversation finds the name that stands in the paths of an upstream's two requests (S4-32).
func TestConversation(t *testing.T) {
	t.Parallel()
	f := func(thread, rest, id, want string) {
		t.Helper()
		c := &call{asked: &hub.Request{Thread: []byte(thread)}, rest: rest, id: id}
		if got := c.conversation(); got != want {
			t.Errorf("%q, %q, %q: got %q, want %q", thread, rest, id, got, want)
		}
	}
	f("t", "/r", "i", "t")
	f(`a\"b`, "/r", "i", `a"b`)
	f("", "/r/s", "i", "r/s")
	f("", "", "i", "i")
	f("..", "/r", "i", "r")
	f(`a/..\\b`, "", "i", "i")
	f(strings.Repeat("x", longestName+1), "/r", "i", "r")
	if got := (&call{id: ".."}).conversation(); !isName(got) {
		t.Errorf("made up: %q", got)
	}
}

// TestConversationIsOnePart keeps a name from leading to another path, and appends what does not stand in the path
// (S4-32).
func TestConversationIsOnePart(t *testing.T) {
	t.Parallel()
	f := func(target, want string) {
		t.Helper()
		u := parse(t, simple("'"+target+"'", "", "start: 'http://h/s'", "client: twin")).Upstreams["agent"]
		if got := threadURI(&u.URL, "a/b ?%c", "/rest", "q=1"); got != want {
			t.Errorf("%s: got %s, want %s", target, got, want)
		}
	}
	f("http://h/x/{thread}", "/x/a%2Fb%20%3F%25c?q=1")
	f("http://h/x/%7bthread%7d/y?k=v", "/x/a%2Fb%20%3F%25c/y?k=v&q=1")
	f("http://h/x", "/x/rest?q=1")
	f("http://h/x?t={thread}&k=v", "/x?t=a%2Fb+%3F%25c&k=v&q=1")
	f("http://h/x?t=%7Bthread%7D", "/x?t=a%2Fb+%3F%25c&q=1")
}

// TestTwoRequestsRefused is an upstream that refuses one of the two requests (S4-32).
func TestTwoRequestsRefused(t *testing.T) {
	t.Parallel()
	f := func(sse, posted string, status int, calls ...string) {
		t.Helper()
		s := newChatServer(t, "")
		s.sse, s.start = sse, posted
		r := start(t, s.config("", evolveRoute))
		resp, body := r.post("/run/c1", "{}")
		if resp.StatusCode != status || !strings.HasPrefix(body, `{"error":{"code":"upstream_`) {
			t.Errorf("%s, %s: status %d %s", sse, posted, resp.StatusCode, body)
		}
		end := r.awaitEnds(1)
		if cause := fmt.Sprint(end["cause"]); !strings.HasPrefix(cause, "status ") {
			t.Errorf("%s, %s: log %v", sse, posted, end)
		}
		if status == 503 && resp.Header.Get("Retry-After") != "7" {
			t.Errorf("the client got %v", resp.Header)
		}
		if strings.HasPrefix(sse, "200") {
			<-s.gone // the stream is closed when the start is refused
		}
		r.close() // waits for what would be cancelled
		s.await(calls...)
	}
	f("503 No", "200 OK", 503, "GET /sse/c1")
	f("404 No", "200 OK", 404, "GET /sse/c1")
	f("200 OK", "500 No", 502, "GET /sse/c1", "POST /start/c1 {}")
	f("200 OK", "302 Found", 502, "GET /sse/c1", "POST /start/c1 {}")
}

// TestTwoRequestsGivenUp cancels the run when the client leaves in silence, or the proxy ends it (S4-30, S4-32).
func TestTwoRequestsGivenUp(t *testing.T) {
	t.Parallel()
	f := func(top, wire, ending, reason string, leave func(*rig, *client)) {
		t.Helper()
		s := newChatServer(t, wire)
		r := start(t, s.config(top, evolveRoute))
		c := r.dial()
		c.ask("POST", "/run/c1", "{}", "Authorization: Bearer x")
		s.await("GET /sse/c1", "POST /start/c1 {}")
		leave(r, c)
		if path := <-s.gone; path != "/sse/c1" {
			t.Errorf("%s: left %s", ending, path)
		}
		if end := r.awaitEnds(1); end["ending"] != ending {
			t.Errorf("%s: log %v", ending, end)
		}
		s.await("GET /sse/c1", "POST /start/c1 {}", `POST /cancel/c1 {"conversationId":"c1","reason":"`+reason+`"}`)
	}
	leave := func(_ *rig, c *client) { c.Close() }
	f("", "", "client_gone", reasonClientLeft, leave)
	f("", `data: {"type":"stream","content":"Hello"}`+"\n\n", "client_gone", reasonClientLeft, leave)
	f("timeouts: {idle: 200ms}", "", "upstream_idle", reasonGivenUp, func(*rig, *client) {})
	f("timeouts: {drain: 0}", "", "shutting_down", reasonGivenUp, func(r *rig, _ *client) { r.end() })
}

// TestTwoRequestsCancelFails logs a cancel that the upstream does not take, and is not held up by it (S4-32).
func TestTwoRequestsCancelFails(t *testing.T) {
	t.Parallel()
	s := newChatServer(t, "")
	r := start(t, strings.Replace(s.config("", evolveRoute), "/cancel/{thread}", "/start/other", 1))
	s.start = "200 OK"
	c := r.dial()
	c.ask("POST", "/run/c1", "{}")
	s.await("GET /sse/c1", "POST /start/c1 {}")
	s.mu.Lock()
	s.start = "404 No"
	s.mu.Unlock()
	c.Close()
	<-s.gone
	await(t, "the log", func() bool { return r.logs.FilterMessage("the upstream was not cancelled").Len() == 1 })
}

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
