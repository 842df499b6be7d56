package proxy

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestTraceAndAbort is S4-30: the id of a request, and of its trace, reaches the agent; a client that aborts ends the agent's
// work, also while that is silent.
func TestTraceAndAbort(t *testing.T) {
	t.Parallel()
	asked, gone := make(chan *http.Request, 1), make(chan struct{})
	a := newAgent(t, func(p *peer) {
		asked <- p.request()
		p.ok("Content-Type: text/event-stream")
		p.chunk("data: {\"type\":\"stream\",\"content\":\"Hi\"}\n\n")
		p.awaitGone()
		close(gone)
	})
	r := start(t, between(a.url(), "agentevent", "agui", "", "", ""))
	c := r.dial()
	c.ask("POST", "/run", `{"threadId":"t","runId":"r"}`, "X-Request-Id: trace-42", "Traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	req := <-asked
	if req.Header.Get("X-Request-Id") != "trace-42" || !strings.Contains(req.Header.Get("Traceparent"), "0af7651916cd43dd8448eb211c80319c") {
		t.Errorf("the agent is asked with %v", req.Header)
	}
	if _, err := io.ReadFull(c.response().Body, make([]byte, 20)); err != nil {
		t.Fatal(err)
	}
	c.Close()
	<-gone
	if end := r.awaitEnds(1); end["ending"] != "client_gone" || end["request_id"] != "trace-42" {
		t.Errorf("log %v", end)
	}
}

// chat is a server of agentevent that takes two requests: one opens the events of a conversation, which say nothing until
// another starts a run. The one that starts or cancels is answered at once.
func chat(t *testing.T) *agent {
	orders := make(chan string)
	return newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			if req.Method == http.MethodPost {
				orders <- req.URL.Path
				p.answer("200 OK", "Content-Type: application/json", "Content-Length: 16")
				p.send(`{"success":true}`)
				continue
			}
			p.ok("Content-Type: text/event-stream")
			p.chunk("\n") // the server's first byte
			for order := range orders {
				p.chunk("data: {\"type\":\"thought\",\"content\":\"" + order + "\"}\n\n")
				if order == "/stream/cancel" {
					p.chunk("data: {\"type\":\"error\",\"error\":\"Cancelled by user\"}\n\n")
					p.awaitGone() // a server of version 1 does not close
					return
				}
			}
		}
	})
}

// TestEventsOpenedAlone is S4-32 where a client starts its runs at the agent itself: a stream that was opened with GET has what
// other requests start, and cancel.
func TestEventsOpenedAlone(t *testing.T) {
	t.Parallel()
	for to, ends := range map[string]string{"agentevent": `{"type":"error","error":"Cancelled by user"}`, "agui": `RUN_ERROR`, "simplified": "Request cancelled by user"} {
		a := chat(t)
		r := start(t, between(a.url(), "agentevent", to, "", "", "methods: [GET]\n"))
		c := r.dial()
		c.ask("GET", "/run", "")
		events := make(chan string, 1)
		go func() {
			body, _ := io.ReadAll(c.response().Body)
			events <- string(body)
		}()
		await(t, "the events to be opened", func() bool { return a.connections() == 1 })
		for _, order := range []string{"/start", "/cancel"} {
			resp, err := http.Post(a.url()+order, "application/json", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			if body, _ := io.ReadAll(resp.Body); string(body) != `{"success":true}` {
				t.Errorf("%s is answered with %s", order, body)
			}
			resp.Body.Close()
		}
		if got := <-events; !strings.Contains(got, "/stream/start") || !strings.Contains(got, ends) {
			t.Errorf("to %s: %s", to, got)
		}
		http.DefaultClient.CloseIdleConnections()
	}
}

// TestSignsOfLife is SX-12: those of the source are consumed, those of the client's dialect are written while the agent is
// silent, between whole records.
func TestSignsOfLife(t *testing.T) {
	t.Parallel()
	beats := map[string]string{
		"simplified": `{"type":"ping","timestamp":1}` + "\n", "pydantic": " \n", "copilot": `{"type":"serverPing","ts":1}` + "\n", "evolve": "\n",
		"agentevent": ": ping\n\ndata: {\"type\":\"heartbeat\"}\n\n",
	}
	words := map[string]string{
		"simplified": `{"type":"response","data":"Hi","messageId":"m"}` + "\n", "pydantic": `{"message": "Hi", "citations": [], "tool_calls": []}`,
		"copilot":    `{"type":"assistant.message_delta","data":{"messageId":"m","deltaContent":"Hi"}}` + "\n",
		"evolve":     `{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hi"}}}` + "\n",
		"agentevent": "data: {\"type\":\"stream\",\"content\":\"Hi\"}\n\n",
	}
	// Two in a row, behind a record.
	shown := map[string]string{
		"simplified": "\n" + strings.Repeat(`{"type":"ping","timestamp":0}`+"\n", 2), "pydantic": "}  ", "copilot": "}\n\n\n\n\n\n", "evolve": "}\n\n\n",
		"agentevent": "}\n\n\n\n\n\n",
	}
	for i, from := range founders {
		for _, to := range []string{founders[(i+1)%len(founders)], founders[(i+2)%len(founders)]} {
			seen := make(chan struct{})
			a := newAgent(t, func(p *peer) {
				p.request()
				p.ok()
				p.chunk(words[from] + strings.Repeat(beats[from], 3))
				<-seen
				p.finish(beats[from])
			})
			r := start(t, between(a.url(), from, to, "", "", "timeouts: {keepalive: 15ms}\n"))
			c := r.dial()
			c.ask("POST", "/run", "{}")
			resp := c.response()
			// Those that were written before the record do not count, and one may be written while this is asked.
			await(t, "the record", func() bool { return r.metric("sabir_events_total", "direction=in") > 0 })
			before := r.metric("sabir_keepalives_total")
			await(t, "signs of life", func() bool { return r.metric("sabir_keepalives_total") >= before+3 })
			close(seen)
			body, err := io.ReadAll(resp.Body)
			got := string(body)
			if err != nil || !strings.Contains(got, shown[to]) {
				t.Errorf("%s to %s: no sign of life, %v: %q", from, to, err, got)
			}
			if strings.Contains(got, `:1}`) || strings.Contains(got, "heartbeat") || strings.Contains(got, ": ping") {
				t.Errorf("%s to %s: a sign of life of the source arrives: %q", from, to, got)
			}
		}
	}
}
