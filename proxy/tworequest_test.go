package proxy

import (
	"fmt"
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

// TestUnnamedConversation: an agent that keeps conversations by the names in its URLs begins a new one with each turn of a client that has no
// name for its own, so that what was said before is lost.
func TestUnnamedConversation(t *testing.T) {
	t.Parallel()
	s := newChatServer(t, "")
	s.sse = "503 Busy"
	r := start(t, s.config("", "  - {path: /chat/*, upstream: chat, client: openai-chat, requests: {strict: true}}\n"+
		"  - {path: /agui/*, upstream: chat, client: agui, requests: {strict: true}}\n"))
	f := func(path, thread, before, code string) {
		t.Helper()
		resp, got := r.post(path, `{`+thread+`"messages":[`+before+`{"id":"m3","role":"user","content":"Who am I?"}]}`)
		if has := strings.Contains(got, "messages.history"); resp.Header.Get("X-Sabir-Error") != code || has != (code == "request_lossy") {
			t.Errorf("%s %s: %q, want %s\n%s", path, before, resp.Header.Get("X-Sabir-Error"), code, got)
		}
	}
	const before = `{"id":"m1","role":"user","content":"I am Ann."},{"id":"m2","role":"assistant","content":"Hello, Ann."},`
	f("/chat/chat/completions", "", before, "request_lossy")
	f("/chat/chat/completions", "", "", "upstream_busy")
	f("/agui", `"threadId":"t1","runId":"r1",`, before, "upstream_busy")
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

// TestSuccess is every status from 200 to 299.
func TestSuccess(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]bool{199: false, 200: true, 202: true, 299: true, 300: false, 404: false} {
		if got := isSuccess(status); got != want {
			t.Errorf("%d: %t", status, got)
		}
	}
}

// TestTwoRequestsCancelNotReached: likewise where the upstream cannot be called any more.
func TestTwoRequestsCancelNotReached(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		if req := p.request(); req.Method == http.MethodPost {
			p.answer("200 OK", "Content-Length: 0", "Connection: close")
			return
		}
		p.ok("Content-Type: text/event-stream")
		p.chunk("\n")
		p.awaitGone()
	})
	s := &chatServer{agent: a}
	r := start(t, s.config("", evolveRoute))
	c := r.dial()
	c.ask("POST", "/run/c1", "{}")
	await(t, "the start", func() bool { return r.metric("sabir_upstream_responses_total") == 2 })
	a.ln.Close()
	c.Close()
	r.awaitEnds(1)
	await(t, "the log", func() bool { return r.logs.FilterMessage("the upstream was not cancelled").Len() == 1 })
	line := r.logs.FilterMessage("the upstream was not cancelled").All()[0].ContextMap()
	if line["upstream"] != "chat" || line["request_id"] == "" || line["error"] == "" {
		t.Errorf("the line is %v", line)
	}
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
