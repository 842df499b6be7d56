package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/sabir-proxy/sabir/adapters/wire"
)

// framed writes records in a framing of HTTP bodies.
func framed(f string, records ...string) string {
	var b strings.Builder
	for _, r := range records {
		switch f {
		case "sse":
			b.WriteString("data: " + r + "\n\n")
		case "ndjson":
			b.WriteString(r + "\n")
		case "concat":
			b.WriteString(r)
		case "length-prefix":
			b.Write([]byte{0, 0, byte(len(r) >> 8), byte(len(r))})
			b.WriteString(r)
		case "content-length":
			b.WriteString("Content-Length: " + strconv.Itoa(len(r)) + "\r\n\r\n" + r)
		}
	}
	return b.String()
}

// records cuts a body into its records.
func records(t testing.TB, f string, body string) (all []string) {
	t.Helper()
	framing, err := wire.ParseFraming(f)
	if err != nil {
		t.Fatal(err)
	}
	s := wire.NewSplitter(framing, 0)
	for buf := []byte(body); len(buf) > 0; {
		rec, n, err := s.Split(buf, true)
		if err != nil || n == 0 {
			t.Fatalf("%d bytes are no record: %q (%v)", len(buf), buf, err)
		}
		if rec.Data != nil {
			all = append(all, string(rec.Data))
		}
		buf = buf[n:]
	}
	return all
}

// upstreams of every kind that send the records.
func everyUpstream(t *testing.T, recs ...string) map[string]string {
	urls := map[string]string{"ws": newWSAgent(t, messages(recs...)).url()}
	for _, f := range []string{"sse", "ndjson", "concat", "length-prefix", "content-length"} {
		body := framed(f, recs...)
		urls[f+" chunked"] = newAgent(t, streaming(body[:10], body[10:])).url()
		urls[f+" length"] = newAgent(t, func(p *peer) {
			for p.request() != nil {
				p.answer("200 OK", "Content-Length: "+strconv.Itoa(len(body)))
				p.send(body)
			}
		}).url()
		urls[f+" close"] = newAgent(t, func(p *peer) {
			if p.request() != nil {
				p.send("HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + body)
			}
		}).url()
	}
	return urls
}

// TestEveryPair moves a run from every kind of upstream to every kind of client, translated and copied.
func TestEveryPair(t *testing.T) {
	t.Parallel()
	in := []string{lineStart, lineHello, lineWorld, lineEnd}
	translated := strings.Split(strings.TrimSpace(smallRunOut), "\n")
	framings := []string{"sse", "ndjson", "concat", "length-prefix", "content-length"}
	for kind, url := range everyUpstream(t, in...) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			yaml := "listen: 127.0.0.1:0\nupstreams:\n  agent: {url: " + url + ", dialect: native}\nroutes:\n"
			for _, f := range framings {
				for _, d := range []string{"native", "twin"} {
					yaml += fmt.Sprintf("  - {path: /%s/%s, upstream: agent, client: %s, framing: %s}\n", d, f, d, f)
				}
			}
			yaml += "  - {path: /native/ws, upstream: agent, client: native}\n  - {path: /twin/ws, upstream: agent, client: twin}\n"
			r := start(t, yaml)
			ends := 0
			for dialect, want := range map[string][]string{"native": in, "twin": translated} {
				check := func(client string, got []string) {
					t.Helper()
					if strings.Join(got, "\n") != strings.Join(want, "\n") {
						t.Errorf("%s to %s of %s:\n%s", kind, client, dialect, strings.Join(got, "\n"))
					}
					ends++
				}
				for _, f := range framings {
					_, body := r.post("/"+dialect+"/"+f, "{}")
					check(f, records(t, f, body))
					check(f+" 1.0", records(t, f, r.old("/"+dialect+"/"+f)))
				}
				ws := r.dialWS("/" + dialect + "/ws")
				if kind != "ws" { // else the run begins with the connection, and a message that comes after it asks for another
					ws.say("{}")
				}
				check("ws", ws.run())
				ws.Close()
			}
			r.awaitEnds(ends)
			if n := r.metric("sabir_streams_total", "ending=done"); n != float64(ends) {
				t.Errorf("%v of %d streams are done", n, ends)
			}
		})
	}
}

// old asks as a client of HTTP/1.0 does; the body ends with the connection.
func (r *rig) old(path string) string {
	r.t.Helper()
	c := r.dial()
	defer c.Close()
	c.send("POST " + path + " HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}")
	resp := c.response()
	if len(resp.TransferEncoding) > 0 || resp.ContentLength >= 0 || !resp.Close {
		r.t.Errorf("an HTTP/1.0 client got %v, length %d", resp.TransferEncoding, resp.ContentLength)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Errorf("the connection is cut: %v", err)
	}
	return string(body)
}

// TestWebSocketBothWays lets client and upstream talk to each other by WebSocket.
func TestWebSocketBothWays(t *testing.T) {
	t.Parallel()
	a := newWSAgent(t, func(c *websocket.Conn, _ *http.Request) {
		_ = c.WriteMessage(websocket.TextMessage, []byte(lineStart))
		for {
			_, p, err := c.ReadMessage()
			if err != nil {
				return
			}
			text, _ := json.Marshal(string(p))
			_ = c.WriteMessage(websocket.TextMessage, []byte(`{"kind":"notice","level":"info","text":`+string(text)+`}`))
			if string(p) == "end" {
				_ = c.WriteMessage(websocket.TextMessage, []byte(lineEnd))
				c.ReadMessage()
				return
			}
		}
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	c := r.dialWS("/run")
	f := func(say, want string) {
		t.Helper()
		if say != "" {
			c.say(say)
		}
		if got := c.hear(); got != want {
			t.Errorf("after %q: got %s, want %s", say, got, want)
		}
	}
	f("", `{"kind":"run.start","seq":1,"id":"r1"}`)
	f("one", `{"kind":"notice","level":"info","seq":2,"text":"one"}`)
	f("end", `{"kind":"notice","level":"info","seq":3,"text":"end"}`)
	f("", `{"kind":"run.end","status":"done","seq":4}`)
	// A message after the end begins another run, on another connection of the upstream.
	f("again", `{"kind":"run.start","seq":1,"id":"r1"}`)
	f("", `{"kind":"notice","level":"info","seq":2,"text":"again"}`)
	f("end", `{"kind":"notice","level":"info","seq":3,"text":"end"}`)
	f("", `{"kind":"run.end","status":"done","seq":4}`)
	goodbye(c.Conn, websocket.CloseNormalClosure)
	r.awaitEnds(2)
}

// TestSessionRunsOneAfterTheOther asks several times on one WebSocket, also before the answer before is complete.
func TestSessionRunsOneAfterTheOther(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			if req.Method != "POST" || req.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s %v", req.Method, req.Header)
			}
			p.ok()
			p.finish(lines(lineStart, `{"kind":"notice","level":"info","text":"`+string(p.body)+`"}`, lineEnd))
		}
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	c := r.dialWS("/run")
	const n = 5
	for i := range n {
		c.say("m" + strconv.Itoa(i))
	}
	for i := range n {
		if got := strings.Join(c.run(), ""); !strings.Contains(got, `"text":"m`+strconv.Itoa(i)+`"`) {
			t.Errorf("run %d: %s", i, got)
		}
	}
	goodbye(c.Conn, websocket.CloseNormalClosure)
	r.awaitEnds(n)
	if a.connections() != 1 {
		t.Errorf("%d runs took %d connections", n, a.connections())
	}
}

// TestWebSocketControl sees to pings and to the codes that connections are closed with.
func TestWebSocketControl(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok()
			p.chunk(lineStart + "\n")
			<-hold
			p.chunk(lineEnd + "\n")
			p.last()
		}
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))

	// Pings are answered while a run goes on, and leave no trace in it.
	c := r.dialWS("/run")
	pongs := make(chan string, 8)
	c.SetPongHandler(func(s string) error { pongs <- s; return nil })
	c.say("go")
	c.hear()
	for _, data := range []string{"", "ping", strings.Repeat("x", 125)} {
		_ = c.WriteMessage(websocket.PingMessage, []byte(data))
	}
	read := make(chan string)
	go func() { read <- c.hear() }()
	for _, want := range []string{"", "ping", strings.Repeat("x", 125)} {
		if got := <-pongs; got != want {
			t.Errorf("pong %q, want %q", got, want)
		}
	}
	time.Sleep(1200 * time.Millisecond) // the library would give its pongs a second, and the connection with them
	close(hold)
	if got := <-read; !strings.Contains(got, "run.end") {
		t.Errorf("after the pings came %s", got)
	}
	_ = c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(testTimeout))
	if code := c.code(); code != websocket.CloseNormalClosure {
		t.Errorf("closed with %d", code)
	}

	// More messages than can wait end the session.
	c = r.dialWS("/run")
	for range 100 {
		if c.WriteMessage(websocket.TextMessage, bytes.Repeat([]byte("x"), 10)) != nil {
			break
		}
	}
	if code := c.code(); code != websocket.ClosePolicyViolation {
		t.Errorf("too many messages: closed with %d", code)
	}
	if r.metric("sabir_requests_rejected_total", "code=too_many_messages") != 1 {
		t.Error("too many messages are not counted")
	}
}
