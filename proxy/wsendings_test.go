package proxy

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fasthttp/websocket"
)

func refusingWS(t *testing.T) string { return strings.Replace(refusing(t), "http:", "ws:", 1) }

// TestWebSocketEndings tells clients on a WebSocket of failures in their dialect, and keeps the connection.
func TestWebSocketEndings(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			switch string(p.body) {
			case "500":
				p.answer("500 No", "Content-Length: 2")
				p.send("no")
			case "cut":
				p.ok()
				p.chunk(lines(lineStart, lineHello))
				p.reset()
			case "reset":
				p.reset()
			default:
				p.ok()
				p.finish(smallRun)
			}
		}
	})
	r := start(t, simple(a.url(), "", "", "client: twin\nlimits: {request_body: 100}\n"))
	c := r.dialWS("/run")
	f := func(say, want string) {
		t.Helper()
		c.say(say)
		got := c.run()
		if last := got[len(got)-1]; !strings.Contains(last, want) {
			t.Errorf("%s: %s", say, last)
		}
	}
	f("500", `"err_code":"upstream_status"`)
	f("cut", `"err_code":"upstream_reset"`)
	f("reset", `"err_code":"upstream_reset"`)
	f(strings.Repeat("x", 100), `"status":"done"`)
	f(strings.Repeat("x", 101), `"err_code":"body_too_large"`)
	f("fine", `"status":"done"`)
	goodbye(c.Conn, websocket.CloseNormalClosure)
	r.awaitEnds(5)
	if n := r.metric("sabir_requests_rejected_total", "code=body_too_large"); n != 1 {
		t.Errorf("%v messages were too large", n)
	}
}

// TestWebSocketUpstreamEndings are those of an upstream that is called by WebSocket.
func TestWebSocketUpstreamEndings(t *testing.T) {
	t.Parallel()
	f := func(name, up, code string, script func(*websocket.Conn)) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newWSAgent(t, func(c *websocket.Conn, _ *http.Request) {
				_ = c.WriteMessage(websocket.TextMessage, []byte(lineStart))
				_ = c.WriteMessage(websocket.TextMessage, []byte(lineHello))
				script(c)
			})
			r := start(t, simple(a.url(), "limits: {record: 1KB}", up, "client: twin\n"))
			got := r.demand("/run")
			if got.cut || !strings.Contains(got.body, `"err_code":"`+code+`"`) || !strings.Contains(got.body, "Hello") {
				t.Errorf("cut %v: %s", got.cut, got.body)
			}
			got.never(t, strings.Replace(a.url(), "ws:", "http:", 1))
		})
	}
	f("closed", "", "upstream_truncated", func(c *websocket.Conn) { goodbye(c, websocket.CloseNormalClosure) })
	f("going away", "", "upstream_truncated", func(c *websocket.Conn) { goodbye(c, websocket.CloseGoingAway) })
	f("internal error", "", "upstream_reset", func(c *websocket.Conn) { goodbye(c, websocket.CloseInternalServerErr) })
	f("cut", "", "upstream_reset", func(*websocket.Conn) {})
	f("silent", "timeouts: {idle: 1s}\n", "upstream_idle", func(c *websocket.Conn) { listen(c) })
	f("too large", "", "upstream_malformed", func(c *websocket.Conn) {
		_ = c.WriteMessage(websocket.TextMessage, []byte(strings.Repeat("x", 2000)))
		listen(c)
	})
}
