package proxy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/fasthttp/websocket"
)

// chatMessage is a message of an answer on a WebSocket with several requests at once.
type chatMessage struct {
	Type, RequestID, ErrorText string
	Sequence                   int64
	Chunk                      struct{ Type, Delta, MessageID, ErrorText string }
}

// sends is the message with which a chat begins a turn.
func sends(request, chat, text string) string {
	return fmt.Sprintf(`{"type":"send","requestId":%q,"id":%q,"trigger":"submit-message","messages":[{"id":"u1","role":"user","parts":[{"type":"text","text":%q}]}],"headers":{},"body":{}}`,
		request, chat, text)
}

func resumes(request, chat string) string {
	return fmt.Sprintf(`{"type":"resume","requestId":%q,"id":%q,"headers":{},"body":{}}`, request, chat)
}

func aborts(request string) string { return fmt.Sprintf(`{"type":"abort","requestId":%q}`, request) }

// next reads a message, and checks what the transport checks: the number of a chunk follows that of the one before.
func (c *wsClient) next(numbers map[string]int64) (m chatMessage) {
	c.t.Helper()
	text := c.hear()
	if err := json.Unmarshal([]byte(text), &m); err != nil || m.RequestID == "" {
		c.t.Fatalf("%v in %s", err, text)
	}
	if m.Type == "chunk" {
		if m.Sequence != numbers[m.RequestID] {
			c.t.Errorf("chunk %d of %s is not number %d", m.Sequence, m.RequestID, numbers[m.RequestID])
		}
		numbers[m.RequestID]++
	}
	return m
}

// answers reads the answers to requests that run side by side: what each said, behind how it began, and how it ended.
func (c *wsClient) answers(requests ...string) map[string]string {
	c.t.Helper()
	got, numbers := map[string]string{}, map[string]int64{}
	for open := len(requests); open > 0; {
		switch m := c.next(numbers); m.Type {
		case "chunk":
			got[m.RequestID] += m.Chunk.Delta + m.Chunk.ErrorText
			if m.Chunk.Type == "abort" {
				got[m.RequestID] += "|abort"
			}
		case "end", "no-active", "error":
			open--
			got[m.RequestID] += "|" + m.Type + m.ErrorText
		default:
			got[m.RequestID] += m.Type + "|"
		}
	}
	return got
}

// holds fails the test unless these are the answers.
func (c *wsClient) holds(want map[string]string) {
	c.t.Helper()
	var names []string
	for name := range want {
		names = append(names, name)
	}
	got := c.answers(names...)
	for name, text := range want {
		if got[name] != text {
			c.t.Errorf("%s is answered by %q, want %q", name, got[name], text)
		}
	}
}

// half reads until so many requests have an answer that goes on.
func (c *wsClient) half(requests int) (numbers map[string]int64) {
	c.t.Helper()
	numbers = map[string]int64{}
	for requests > 0 {
		if c.next(numbers).Chunk.Delta == "Hello" {
			requests--
		}
	}
	return numbers
}

// chatAgent goes on with an answer to a request that says "wait" when it is let go. stopped has the others whose connection was closed.
func chatAgent(t *testing.T) (a *agent, goOn chan struct{}, stopped chan string, asked chan *askedFor) {
	goOn, stopped, asked = make(chan struct{}), make(chan string, 100), make(chan *askedFor, 100)
	return newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			body := string(p.body)
			asked <- &askedFor{req, body}
			if !strings.Contains(body, "wait") {
				p.ok("Content-Type: application/x-ndjson")
				p.finish(smallRun)
				continue
			}
			p.ok("Content-Type: application/x-ndjson", "Connection: close")
			p.chunk(lines(lineStart, lineHello))
			if p.finishWhen(goOn) {
				stopped <- body
			}
			return
		}
	}), goOn, stopped, asked
}

// chatting is a proxy for chats.
func chatting(t *testing.T, a *agent, top, route string) *rig {
	t.Helper()
	return start(t, strings.Replace(simple(a.url(), top, "", "client: aisdk\nrequests: {mode: translate}\n"+route), "path: /run", "path: /run/*", 1))
}

// TestMultiplex: requests run side by side on a connection, each with an answer of its own, and the next one follows on the same connection.
func TestMultiplex(t *testing.T) {
	t.Parallel()
	a, goOn, _, _ := chatAgent(t)
	r := chatting(t, a, "", "")
	c := r.dialWS("/run")
	c.say(sends("one", "chat-1", "wait"))
	c.say(sends("two", "chat-2", "wait"))
	c.half(2)
	c.say(sends("three", "chat-3", "hi"))
	c.holds(map[string]string{"three": "Hello, world|end"})
	close(goOn)
	got := c.rest("one", "two")
	if got["one"] != ", world|end" || got["two"] != ", world|end" {
		t.Errorf("the others are answered by %v", got)
	}
	c.say(sends("four", "chat-1", "hi"))
	c.holds(map[string]string{"four": "Hello, world|end"})
	goodbye(c.Conn, websocket.CloseNormalClosure)
	r.awaitEnds(4)
	if n := r.metric("sabir_requests_rejected_total"); n != 0 {
		t.Errorf("%v messages were refused", n)
	}
}

// rest reads answers of which something was read before.
func (c *wsClient) rest(requests ...string) map[string]string {
	c.t.Helper()
	got := map[string]string{}
	for open := len(requests); open > 0; {
		var m chatMessage
		if err := json.Unmarshal([]byte(c.hear()), &m); err != nil {
			c.t.Fatal(err)
		}
		if got[m.RequestID] += m.Chunk.Delta; m.Type != "chunk" {
			got[m.RequestID] += "|" + m.Type
			open--
		}
	}
	return got
}

// TestMultiplexStop: a message ends the run that it names, and no other; one that names none changes nothing.
func TestMultiplexStop(t *testing.T) {
	t.Parallel()
	for _, resume := range []string{"", "resume: {grace: 1m}"} {
		t.Run(resume, func(t *testing.T) {
			t.Parallel()
			a, goOn, stopped, _ := chatAgent(t)
			r := chatting(t, a, "", resume)
			c := r.dialWS("/run")
			c.say(sends("one", "chat-1", "wait here"))
			c.say(sends("two", "chat-2", "wait there"))
			c.half(2)
			c.say(aborts("none"))
			c.say(aborts("one"))
			if body := <-stopped; !strings.Contains(body, "wait here") {
				t.Errorf("the agent was stopped at %s", body)
			}
			c.say(aborts("one"))
			if got := c.rest("one"); !strings.HasSuffix(got["one"], "|end") || strings.Contains(got["one"], "world") {
				t.Errorf("the run that was stopped says %v", got)
			}
			close(goOn)
			if got := c.rest("two"); got["two"] != ", world|end" {
				t.Errorf("the other goes on with %v", got)
			}
			ends := map[any]bool{r.awaitEnds(2)["ending"]: true, r.awaitEnds(1)["ending"]: true}
			if !ends["cancelled"] || !ends["done"] {
				t.Errorf("the runs end with %v", ends)
			}
		})
	}
}

// TestMultiplexLeave: a client that leaves ends its runs, unless the route keeps them for it; then it comes back to the whole answer.
func TestMultiplexLeave(t *testing.T) {
	t.Parallel()
	a, _, stopped, _ := chatAgent(t)
	r := chatting(t, a, "", "")
	c := r.dialWS("/run")
	c.say(sends("one", "chat-1", "wait"))
	c.half(1)
	c.Close()
	<-stopped
	if end := r.awaitEnds(1); end["ending"] != "client_gone" {
		t.Errorf("log: %v", end)
	}

	a, goOn, stopped, _ := chatAgent(t)
	r = chatting(t, a, "", "resume: {grace: 1m}")
	c = r.dialWS("/run", alice)
	c.say(sends("one", "chat-1", "wait"))
	c.half(1)
	c.Close()
	await(t, "the client to be gone", func() bool { return r.logs.FilterMessage("run read").Len() == 1 })
	other := r.dialWS("/run", bob)
	other.say(resumes("x", "chat-1"))
	other.holds(map[string]string{"x": "|no-active"})
	c = r.dialWS("/run", alice)
	c.say(resumes("none", "chat-2"))
	c.holds(map[string]string{"none": "|no-active"})
	c.say(resumes("two", "chat-1"))
	had := c.half(1)
	close(goOn)
	if got := c.rest("two"); got["two"] != ", world|end" {
		t.Errorf("the rest is %v", got)
	}
	c.say(strings.Replace(resumes("three", "chat-1"), `"headers"`, fmt.Sprintf(`"lastSequence":%d,"headers"`, had["two"]-1), 1))
	for number := had["two"]; ; number++ {
		m := chatMessage{}
		if err := json.Unmarshal([]byte(c.hear()), &m); err != nil {
			t.Fatal(err)
		}
		if m.Type == "start" {
			number--
			continue
		}
		if m.Type == "end" {
			break
		}
		if m.Sequence != number || m.Chunk.Delta == "Hello" {
			t.Errorf("behind what the client has comes %+v", m)
		}
	}
	if end := r.awaitEnds(1); end["ending"] != "done" || len(stopped) > 0 {
		t.Errorf("log: %v", end)
	}
	if n := r.metric("sabir_resume_joins_total", "how=position"); n != 1 {
		t.Errorf("%v clients came back behind what they have", n)
	}
}

// TestMultiplexRequest: the agent is sent what the transport by HTTP would send: the members of the application, and those of its header
// fields that a client may say.
func TestMultiplexRequest(t *testing.T) {
	t.Parallel()
	agent, asked := askedAgent(t)
	r := start(t, strings.Replace(simple(agent.url(), "threads: {principal: [Authorization, X-User]}\n", "",
		"client: aisdk\nheaders: {allow: [authorization, x-tenant, x-user, x-forwarded-for, cookie]}\n"), "dialect: native", "dialect: aisdk", 1))
	c := r.dialWS("/run", "Cookie: a=b", "Content-Type: text/plain")
	c.say(`{"type":"send","requestId":"one","id":"chat-1","trigger":"submit-message","messageId":"m1","messages":[{"id":"u1"}],` +
		`"headers":{"authorization":"Bearer x","X-Tenant":"acme","x-user":"admin","x-other":"no","X-Forwarded-For":"1.1.1.1","cookie":"evil=1","x-request-id":"abc-1"},` +
		`"body":{"tenant":"acme","id":"other","m\u0065ssages":[]},"metadata":{"a":1}}`)
	got := <-asked
	if want := `{"metadata":{"a":1},"tenant":"acme","id":"chat-1","messages":[{"id":"u1"}],"trigger":"submit-message","messageId":"m1"}`; got.body != want {
		t.Errorf("the agent got  %s\nwant           %s", got.body, want)
	}
	h := got.Header
	if got.Method != http.MethodPost || h.Get("Authorization") != "Bearer x" || h.Get("X-Tenant") != "acme" || h.Get("X-Request-Id") != "abc-1" ||
		h.Get("X-User")+h.Get("X-Other") != "" || h.Get("X-Forwarded-For") != "127.0.0.1" || h.Get("Cookie") != "a=b" || h.Get("Content-Type") != "application/json" {
		t.Errorf("%s with %v", got.Method, h)
	}
}

// TestMultiplexPrincipals: who a message says that it is by its credentials is one of the scopes of its run, as by HTTP.
func TestMultiplexPrincipals(t *testing.T) {
	t.Parallel()
	a, goOn, stopped, _ := chatAgent(t)
	r := chatting(t, a, "", "resume: {grace: 1m}")
	as := func(m, token string) string {
		return strings.Replace(m, `"headers":{}`, `"headers":{"Authorization":"Bearer `+token+`"}`, 1)
	}
	c := r.dialWS("/run")
	c.say(as(sends("one", "chat-1", "wait"), "alice"))
	c.half(1)
	for _, m := range []string{as(resumes("two", "chat-1"), "bob"), resumes("two", "chat-1")} {
		c.say(m)
		c.holds(map[string]string{"two": "|no-active"})
	}
	thief := r.dialWS("/run", alice)
	thief.say(as(resumes("one", "chat-1"), "bob")) // the handshake counts
	thief.half(1)
	other := r.dialWS("/run", bob)
	other.say(aborts("one"))
	other.say(as(resumes("two", "chat-1"), "alice"))
	other.holds(map[string]string{"two": "|no-active"})
	close(goOn)
	if got := c.rest("one"); got["one"] != ", world|end" || len(stopped) > 0 {
		t.Errorf("alice gets %v", got)
	}
}
