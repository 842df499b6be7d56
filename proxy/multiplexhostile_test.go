package proxy

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
)

// closing reads on to the end of the connection, and fails the test unless it says why in these words.
func (c *wsClient) closing(code int, why string) {
	c.t.Helper()
	for {
		_, _, err := c.ReadMessage()
		if err == nil {
			continue
		}
		if closed, ok := err.(*websocket.CloseError); !ok || closed.Code != code || !strings.Contains(closed.Text, why) {
			c.t.Errorf("the connection ends with %v, want code %d, %s", err, code, why)
		}
		return
	}
}

// TestMultiplexMessages: a message that cannot be a request is refused by the name of the request, and the others go on; one without a name
// ends the connection.
func TestMultiplexMessages(t *testing.T) {
	t.Parallel()
	a, goOn, _, asked := chatAgent(t)
	r := chatting(t, a, "limits: {request_body: 400}\n", "")
	c := r.dialWS("/run")
	c.say(sends("one", "chat-1", "wait"))
	c.half(1)
	f := func(message, request, want string) {
		t.Helper()
		c.say(message)
		if got := c.answers(request)[request]; !strings.HasPrefix(got, want) {
			t.Errorf("%.80s is answered by %q, want %q", message, got, want)
		}
	}
	f(`{"type":"nonsense","requestId":"x"}`, "x", "|error")
	f(`{"requestId":"x"}`, "x", "|error")
	f(`{"type":"send","requestId":"x"}`, "x", "|error")
	f(`{"type":"send","requestId":"x","id":7}`, "x", "|error")
	f(`{"type":"send","requestId":"x","id":"c","headers":[]}`, "x", "|error")
	f(`{"type":"send","requestId":"x","id":"c","headers":{"a":1}}`, "x", "|error")
	f(`{"type":"send","requestId":"x","id":"c","headers":{"a b":"c"}}`, "x", "|error")
	f(`{"type":"send","requestId":"x","id":"c","headers":{"authorization":"a\r\nX: b"}}`, "x", "|error")
	f(`{"type":"send","requestId":"x","id":"c","headers":{},"body":[]}`, "x", "|error")
	f(`{"type":"resume","requestId":"x","id":"c","headers":{},"body":{},"lastSequence":-1}`, "x", "|error")
	f(`{"type":"resume","requestId":"x","id":"c","headers":{},"body":{},"lastSequence":1e300}`, "x", "|error")
	f(sends("x", "c", strings.Repeat("x", 400)), "x", "|errorThe request body is too large.")
	f(sends("x", "chat-2", "hi"), "x", "Hello, world|end")
	close(goOn)
	if got := c.rest("one"); got["one"] != ", world|end" {
		t.Errorf("the other request goes on with %v", got)
	}
	if n := len(asked); n != 2 {
		t.Errorf("the agent was asked %d times", n)
	}
	if n := r.metric("sabir_requests_rejected_total", "code=request_unreadable"); n != 11 {
		t.Errorf("%v messages were unreadable", n)
	}
	if n := r.metric("sabir_requests_rejected_total", "code=body_too_large"); n != 1 {
		t.Errorf("%v messages were too large", n)
	}
	for _, message := range []string{`no JSON`, `[]`, `null`, `{}`, `{"type":"send"}`, `{"type":"abort","requestId":""}`, `{"type":"abort","requestId":7}`,
		`{"type":"abort","requestId":"` + strings.Repeat("x", 300) + `"}`} {
		c := r.dialWS("/run")
		c.say(message)
		c.closing(websocket.ClosePolicyViolation, "no request")
	}
	c = r.dialWS("/run")
	c.say(`{"messages":"` + strings.Repeat("x", 400) + `","requestId":"x"}`)
	c.closing(websocket.CloseMessageTooBig, "limits.request_body")
}

// TestMultiplexNames: two requests of one name could not be kept apart.
func TestMultiplexNames(t *testing.T) {
	t.Parallel()
	a, _, stopped, _ := chatAgent(t)
	r := chatting(t, a, "", "")
	c := r.dialWS("/run")
	c.say(sends("one", "chat-1", "wait"))
	c.half(1)
	c.say(sends("one", "chat-2", "hi"))
	c.closing(websocket.ClosePolicyViolation, "in use")
	if n := r.metric("sabir_requests_rejected_total"); n != 1 {
		t.Errorf("%v messages were refused", n)
	}
	<-stopped
}

// TestMultiplexMany: a connection has so many requests at once, and one that ends makes room.
func TestMultiplexMany(t *testing.T) {
	t.Parallel()
	a, _, stopped, _ := chatAgent(t)
	r := chatting(t, a, "", "")
	c := r.dialWS("/run")
	for i := range maxMultiplexed {
		c.say(sends(fmt.Sprint("r", i), fmt.Sprint("chat-", i), "wait"))
	}
	c.half(maxMultiplexed)
	c.say(sends("more", "chat", "hi"))
	if got := c.answers("more")["more"]; !strings.HasPrefix(got, "|error") {
		t.Errorf("one more is answered by %q", got)
	}
	c.say(aborts("r7"))
	<-stopped
	c.rest("r7")
	r.awaitEnds(1)
	await(t, "room", func() bool {
		c.say(sends("more", "chat", "hi"))
		return c.answers("more")["more"] == "Hello, world|end"
	})
}

// TestMultiplexRefused: what keeps a request from its agent is said by the name of the request.
func TestMultiplexRefused(t *testing.T) {
	t.Parallel()
	f := func(name, top, route, url, want string) {
		t.Helper()
		r := start(t, strings.Replace(simple(url, top, "", "client: aisdk\nrequests: {mode: translate}\n"+route), "path: /run", "path: /run/*", 1))
		c := r.dialWS("/run")
		c.say(sends("one", "chat-1", "hi"))
		if got := c.answers("one")["one"]; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		c.say(sends("two", "chat-1", "hi"))
		c.answers("two")
	}
	f("refused", "", "", refusing(t), "|errorThe agent server refused the connection.")
	cut := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok("Content-Type: application/x-ndjson")
			p.chunk(lines(lineStart, lineHello))
			p.reset()
			return
		}
	})
	f("cut", "", "", cut.url(), "HelloThe ")
	a, _, _, _ := chatAgent(t)
	r := chatting(t, a, "limits: {bodies: 300, request_body: 300}\n", "")
	r.bodies.Used.Add(100) // of another request
	c := r.dialWS("/run")
	c.say(sends("one", "chat-1", strings.Repeat("x", 120)))
	c.holds(map[string]string{"one": "|errorToo many request bodies are being received. Try again later."})
	r.bodies.Used.Add(-100)
	c.say(sends("two", "chat-1", strings.Repeat("x", 120)))
	c.holds(map[string]string{"two": "Hello, world|end"})
	await(t, "the memory to be given back", func() bool { return r.bodies.Used.Load() == 0 })

	r = chatting(t, a, "limits: {principal: {rate: 2/h}}\n", "")
	c = r.dialWS("/run") // counts as well
	c.say(sends("one", "chat-1", "hi"))
	c.holds(map[string]string{"one": "Hello, world|end"})
	c.say(sends("two", "chat-1", "hi"))
	if got := c.answers("two")["two"]; !strings.Contains(got, "Try again in ") {
		t.Errorf("a request too many is answered by %q", got)
	}
	r = chatting(t, a, "", "")
	if _, resp, err := websocket.DefaultDialer.Dial("ws://"+r.addr+"/run", http.Header{"Origin": {"https://b.example"}}); err == nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("a page of another origin: %v", err)
	}
}

// TestMultiplexUnread: a client that does not read is given up, and its runs are, too. Its connection ends: what came behind half a message could
// not be read.
func TestMultiplexUnread(t *testing.T) {
	t.Parallel()
	big := `{"kind":"text.delta","id":"p1","text":"` + strings.Repeat("x", 8000) + `"}` + "\n"
	a := newAgent(t, func(p *peer) {
		if p.request() == nil {
			return
		}
		p.ok("Content-Type: application/x-ndjson")
		p.chunk(lines(lineStart, `{"kind":"text.start","id":"p1"}`))
		for p.n("x") == nil {
			p.chunk(big)
		}
	})
	r := chatting(t, a, "", "timeouts: {write: 1s}\n")
	c := r.dialWS("/run")
	c.say(sends("one", "chat-1", "hi"))
	c.say(sends("two", "chat-2", "hi"))
	if end := r.awaitEnds(2); end["ending"] != "client_slow" && end["ending"] != "client_gone" {
		t.Errorf("log: %v", end)
	}
	await(t, "the runs to be given up", r.noStreams)
	_ = c.SetReadDeadline(time.Now().Add(testTimeout))
	var err error
	for err == nil {
		_, _, err = c.ReadMessage()
	}
	if rawio.IsTimeout(err) || isViolation(err) {
		t.Errorf("behind half a message comes more: %v", err)
	}
}

// TestMultiplexDrain: a server that ends lets requests end, refuses others, and closes the connection then.
func TestMultiplexDrain(t *testing.T) {
	t.Parallel()
	a, goOn, _, _ := chatAgent(t)
	r := chatting(t, a, "timeouts: {drain: 60s}\n", "")
	c := r.dialWS("/run")
	c.say(sends("one", "chat-1", "wait"))
	c.half(1)
	r.end()
	await(t, "the server to drain", func() bool { return !r.Ready() })
	await(t, "a refusal", func() bool {
		c.say(sends("two", "chat-2", "hi"))
		return strings.HasPrefix(c.answers("two")["two"], "|error")
	})
	close(goOn)
	if got := c.rest("one"); got["one"] != ", world|end" {
		t.Errorf("the request that ran says %v", got)
	}
	c.closing(websocket.CloseGoingAway, "")
}

// TestMultiplexNameAgain: a name is free when its answer has ended.
func TestMultiplexNameAgain(t *testing.T) {
	t.Parallel()
	a, _, _, _ := chatAgent(t)
	for _, resume := range []string{"", "resume: {grace: 1m}"} {
		r := chatting(t, a, "", resume)
		c := r.dialWS("/run")
		for range 50 {
			c.say(sends("one", "chat-1", "hi"))
			c.holds(map[string]string{"one": "Hello, world|end"})
			c.say(resumes("one", "chat-2"))
			c.holds(map[string]string{"one": "|no-active"})
			c.say(`{"requestId":"one"}`)
			c.holds(map[string]string{"one": "|errorThe request cannot be read."})
		}
	}
}
